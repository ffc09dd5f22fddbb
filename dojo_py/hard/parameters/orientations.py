"""Orientations in bodies: of the sites at which actuators act or that they refer to, and of what welds hold.

site_quat: not of sites whose orientation a weld, a slider-crank or a servo of orientations uses. equality_quat: that of a weld's
second body in its first. Quaternions of any length but 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.actuation.transmission import CRANK
from dojo_py.hard.elements.closure_table import held_ends
from dojo_py.hard.elements.orientation_table import orientation_servos
from dojo_py.hard.parameters.flat import PLACES
from dojo_py.hard.parameters.frames import frame_of
from dojo_py.hard.parameters.kind import Kind, not_zero
from dojo_py.hard.parameters.places import Held, held_site, sites_of_actuators
from dojo_py.hard.world import World
from dojo_py.mechanism.enums import EqualityType, ObjType
from dojo_py.mechanism.quaternion import conjugate, multiply

Array = np.ndarray


def _frames(world: World, model: Any) -> list[Held]:
    """The sites whose orientation an actuator uses and no weld, nor a servo of orientations."""
    rows: dict[int, list[Array]] = {}
    table, elsewhere = world.actuators, set[int]()
    servos = orientation_servos(model)
    for s, i, side in sites_of_actuators(world, model):
        rows.setdefault(s, []).append(table.site_quat[i, side])
        elsewhere |= {s} if i in servos or table.transmission[i] == CRANK else set()
    for e, _, _ in held_ends(model, world.bodies.node):
        if int(model.eq_objtype[e]) == ObjType.SITE:
            elsewhere |= {int(model.eq_obj1id[e]), int(model.eq_obj2id[e])}
    return [held_site(model, s, rows[s]) for s in sorted(rows) if s not in elsewhere]


def _site_quats(world: World, model: Any) -> Array:
    found = [multiply(conjugate(_turn(world, model, f.body)), f.rows[0]) for f in _frames(world, model)]
    return np.array(found).reshape(-1, 4)


def _set_site_quats(world: World, model: Any, values: Array) -> None:
    for frame, value in zip(_frames(world, model), values, strict=True):
        for row in frame.rows:
            row[:] = multiply(_turn(world, model, frame.body), value / np.linalg.norm(value))


def _welds(world: World, model: Any) -> list[tuple[str, tuple[int, int], Array]]:
    """(name, both bodies, view (4,) of the orientation of the second's layout body in the first's) of welds between bodies."""
    return [
        (model.equality_names[e] or f"#{e}", (int(bodies[0]), int(bodies[1])), world.layout.eq_quat[closure])
        for e, closure, bodies in held_ends(model, world.bodies.node)
        if int(model.eq_objtype[e]) != ObjType.SITE and int(model.eq_type[e]) == EqualityType.WELD
    ]


def _weld_quats(world: World, model: Any) -> Array:
    """Of the second body in the first."""
    found = [
        multiply(multiply(conjugate(_turn(world, model, one)), quat), _turn(world, model, two))
        for _, (one, two), quat in _welds(world, model)
    ]
    return np.array(found).reshape(-1, 4)


def _set_weld_quats(world: World, model: Any, values: Array) -> None:
    for (_, (one, two), quat), value in zip(_welds(world, model), values, strict=True):
        turned = multiply(_turn(world, model, one), value / np.linalg.norm(value))
        quat[:] = multiply(turned, conjugate(_turn(world, model, two)))


def _turn(world: World, model: Any, body: int) -> Array:
    """(4,) the frame of a model body in its layout body, or the world."""
    return frame_of(world, model, body)[1]


KINDS = (
    Kind("site_quat", "1", 4, lambda w, m: [f.label for f in _frames(w, m)], _site_quats, _set_site_quats, not_zero, step=3e-4,
         curved=True, route=PLACES),
    Kind("equality_quat", "1", 4, lambda w, m: [name for name, *_ in _welds(w, m)], _weld_quats, _set_weld_quats, not_zero,
         step=3e-4, curved=True, route=PLACES),
)  # fmt: skip
