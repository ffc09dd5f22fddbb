"""Dampers, rotor inertia, dry friction and springs along the length of the tendons that act, fixed or spatial.

A tendon's spring rests between tendon_springlength and tendon_springlength + tendon_slack (MuJoCo's two numbers of springlength).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.elements.couplings import acting_tendons
from dojo_py.hard.parameters.kind import Kind, not_negative
from dojo_py.hard.parameters.laws import Coordinates, keeps_friction, law_kind
from dojo_py.hard.world import World
from dojo_py.mechanism.tendon_paths import wraps_geoms

Array = np.ndarray


def tendon_coordinates(world: World, model: Any) -> list[Coordinates]:
    """Lengths of the tendons that act."""
    names = [model.tendon_names[t] or f"#{t}" for t in acting_tendons(model)]
    return [Coordinates(name, model.nv + k, model.nv + k + 1) for k, name in enumerate(names)]


def _straight(world: World, model: Any) -> list[Coordinates]:
    """Tendons that wrap around no geoms: model files allow no armature for others."""
    wrapped = [wraps_geoms(model, t) for t in acting_tendons(model)]
    return [c for c, around in zip(tendon_coordinates(world, model), wrapped, strict=True) if not around]


def _rubbing(world: World, model: Any) -> list[Coordinates]:
    """Tendons with dry friction, see joints.py."""
    loss = [model.tendon_frictionloss[t] for t in acting_tendons(model)]
    return [c for c, friction in zip(tendon_coordinates(world, model), loss, strict=True) if friction > 0]


def _labels(world: World, model: Any) -> list[str]:
    return [c.name for c in tendon_coordinates(world, model)]


def _shortest(world: World, model: Any) -> Array:
    return world.layout.tendon_rest[:, 0].copy()


def _set_shortest(world: World, model: Any, values: Array) -> None:
    """Move the interval of rest; its width is kept."""
    rest = world.layout.tendon_rest
    rest += (values - rest[:, 0])[:, None]


def _slack(world: World, model: Any) -> Array:
    return world.layout.tendon_rest[:, 1] - world.layout.tendon_rest[:, 0]


def _set_slack(world: World, model: Any, values: Array) -> None:
    world.layout.tendon_rest[:, 1] = world.layout.tendon_rest[:, 0] + values


def _size(world: World, model: Any) -> Array:
    return np.maximum(np.abs(world.layout.tendon_rest).max(axis=1), 0.1)


KINDS = (
    law_kind("tendon_damping", "dof_damping", "N s/m", tendon_coordinates, not_negative, 1e-2),
    law_kind("tendon_armature", "dof_armature", "kg", _straight, not_negative, 1e-2),
    law_kind("tendon_frictionloss", "dof_frictionloss", "N", _rubbing, keeps_friction, 1e-2),
    law_kind("tendon_stiffness", "dof_stiffness", "N/m", tendon_coordinates, not_negative, 1.0),
    Kind("tendon_springlength", "m", 0, _labels, _shortest, _set_shortest, scale=_size),
    Kind("tendon_slack", "m", 0, _labels, _slack, _set_slack, not_negative, lambda w, m: np.maximum(_slack(w, m), 0.1)),
)  # fmt: skip
"""Units are those of spatial tendons; the length of a fixed one is in the unit of its joints' coordinates."""
