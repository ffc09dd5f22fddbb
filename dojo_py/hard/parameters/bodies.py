"""Mass, inertia, centre of mass, gravity. Bodies without a joint count as parts of the body that carries them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.parameters.flat import COM
from dojo_py.hard.parameters.kind import Kind, body_labels, body_size, positive
from dojo_py.hard.terms import EQ_COUPLING
from dojo_py.hard.world import World

Array = np.ndarray
ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Entries of an inertia as its six numbers: xx, yy, zz, xy, xz, yz (MJCF's fullinertia)."""


def _mass(world: World, model: Any) -> Array:
    return world.layout.mass.copy()


def _set_mass(world: World, model: Any, values: Array) -> None:
    world.layout.mass[:] = values
    _soften(world)


def matrix(six: Array) -> Array:
    """(…, 3, 3) symmetric matrices of (…, 6)."""
    out = np.zeros((*np.shape(six)[:-1], 3, 3))
    for k, (i, j) in enumerate(ORDER):
        out[..., i, j] = out[..., j, i] = np.asarray(six)[..., k]
    return out


def _inertia(world: World, model: Any) -> Array:
    return np.stack([world.layout.inertia[:, i, j] for i, j in ORDER], axis=-1)


def _set_inertia(world: World, model: Any, values: Array) -> None:
    world.layout.inertia[:] = matrix(values)
    _soften(world)


def _soften(world: World) -> None:
    """What the solver takes for the softest inertia of each body follows; it scales the equations and changes no solution."""
    layout = world.layout
    layout.softest[:] = np.minimum(layout.mass, np.linalg.eigvalsh(layout.inertia)[:, 0])


def _proper(values: Array) -> str | None:
    return None if np.all(np.linalg.eigvalsh(matrix(values))[:, 0] > 0) else "must be positive definite"


def _com(world: World, model: Any) -> Array:
    return world.layout.com.copy()


def _set_com(world: World, model: Any, values: Array) -> None:
    """Everything that is stored from the centre of mass moves the other way."""
    layout, planes, pairs, table, bodies = world
    shift = values - layout.com
    layout.com[:] = values
    layout.anchor[:] -= shift[layout.child]
    inner = layout.parent >= 0
    for place in (layout.base_pos, layout.frame_pos):
        place[inner] -= shift[layout.parent[inner]]
    _shift_ends(layout.eq_pos, layout.eq_bodies[:, :2], layout.eq_kind < EQ_COUPLING, shift)
    for e, (first, last) in enumerate(layout.path_rows):
        slots = layout.path_slot[first:last]
        nodes = np.where(slots >= 0, layout.eq_bodies[e][slots], -1)
        _shift_ends(layout.path_pos[first:last], nodes, np.ones(last - first, bool), shift)
    planes.point[:] -= shift[planes.body]
    moving = pairs.shape_node >= 0
    for place in (pairs.shape_centre, pairs.round_centre):
        place[moving] -= shift[pairs.shape_node[moving]]
    _shift_ends(table.site_pos, table.body, table.transmission == 3, shift)
    for m in range(model.nbody):
        if bodies.node[m] >= 0 and np.count_nonzero(bodies.node == bodies.node[m]) > 1:
            bodies.arm[m] -= shift[bodies.node[m]]


def _shift_ends(places: Array, bodies: Array, rows: Array, shift: Array) -> None:
    """places (n, 2, 3) -= shift (nb, 3) of their bodies (n, 2); rows (n,): which hold places."""
    for side in range(2):
        mine = rows & (bodies[:, side] >= 0)
        places[mine, side] -= shift[bodies[mine, side]]


def bound_pairs(pairs: Any) -> None:
    """Bounding spheres of geoms about their centres hold what round pairs see of them, after that changed."""
    geoms = np.unique(pairs.geom[: int(pairs.rounds[0])])
    away = np.linalg.norm(pairs.round_centre - pairs.shape_centre, axis=-1) + np.linalg.norm(pairs.round_half, axis=-1)
    pairs.shape_reach[geoms] = np.maximum(pairs.shape_reach, away + pairs.round_radius)[geoms]


def _carried(model: Any) -> Array:
    """(nb,) share of each moving body's weight that gravity compensation leaves."""
    shares: list[float] = []
    weights: list[float] = []
    of = np.full(model.nbody, -1)
    for b in range(1, model.nbody):
        if model.body_jntnum[b] > 0:
            of[b] = len(shares)
            shares.append(0.0)
            weights.append(0.0)
        else:
            of[b] = of[model.body_parentid[b]]
        if of[b] >= 0:
            shares[of[b]] += model.body_mass[b] * (1.0 - model.body_gravcomp[b])
            weights[of[b]] += model.body_mass[b]
    return np.array(shares) / np.array(weights)


def _gravity(world: World, model: Any) -> Array:
    share = _carried(model)
    b = int(np.argmax(np.abs(share)))
    if share[b] == 0.0:
        return np.array(model.opt.gravity, float)[None]
    return world.layout.gravity[None, b] / share[b]


def _set_gravity(world: World, model: Any, values: Array) -> None:
    world.layout.gravity[:] = _carried(model)[:, None] * values[0]
    world.layout.lift_gravity[:] = values[0]


KINDS = (
    Kind("mass", "kg", 0, body_labels, _mass, _set_mass, positive, lambda w, m: w.layout.mass.copy()),
    Kind("inertia", "kg m^2", 6, body_labels, _inertia, _set_inertia, _proper,
         lambda w, m: np.trace(w.layout.inertia, axis1=1, axis2=2) / 3),
    Kind("com", "m", 3, body_labels, _com, _set_com, scale=body_size, route=COM,
         targets=lambda w, m: list(range(len(w.layout.mass)))),
    Kind("gravity", "m/s^2", 3, lambda w, m: ["world"], _gravity, _set_gravity, scale=lambda w, m: np.array([10.0])),
)  # fmt: skip
"""inertia: xx, yy, zz, xy, xz, yz about the centre of mass in body axes; com: in the body frame. Mass, inertia and centre of
mass are independent: moving the centre of mass keeps the inertia about it."""
