"""Gears of the actuators: one number on a hinge, slide, tendon or slider-crank, six (force, torque) of the others: 'motor.0', …

Servos of orientations have none that acts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.actuation.transmission import CRANK, ORIENTATION, SCALAR, TENDON
from dojo_py.hard.parameters.flat import GEAR
from dojo_py.hard.parameters.kind import Kind
from dojo_py.hard.world import World

Array = np.ndarray


def _places(world: World) -> list[tuple[int, int]]:
    return [(i, k) for i, kind in enumerate(world.actuators.transmission) for k in range(_width(int(kind)))]


def _width(kind: int) -> int:
    return 0 if kind == ORIENTATION else 1 if kind in (SCALAR, TENDON, CRANK) else 6


def _labels(world: World, model: Any) -> list[str]:
    table = world.actuators
    names = [model.actuator_names[i] or f"#{i}" for i in range(len(table.dof))]
    return [names[i] if _width(int(table.transmission[i])) == 1 else f"{names[i]}.{k}" for i, k in _places(world)]


def _gears(world: World, model: Any) -> Array:
    return np.array([world.actuators.gear[place] for place in _places(world)])


def _set_gears(world: World, model: Any, values: Array) -> None:
    for place, value in zip(_places(world), values, strict=True):
        world.actuators.gear[place] = value


KINDS = (Kind("gear", "1", 0, _labels, _gears, _set_gears, scale=lambda w, m: np.maximum(np.abs(_gears(w, m)), 1.0), route=GEAR),)
