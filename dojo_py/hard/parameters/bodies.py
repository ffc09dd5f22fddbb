"""Mass, inertia, centre of mass, gravity and its compensation, constant wrenches.

Bodies without a joint are merged into the body that carries them: gravcomp is the fraction of the weight of the whole that is
compensated. It changes equally for all parts, so that a change acts at the centre of mass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.actuation.transmission import CRANK, SITE
from dojo_py.hard.parameters.flat import COM
from dojo_py.hard.parameters.kind import Kind, body_labels, body_size, moving_bodies, positive
from dojo_py.hard.terms import EQ_COUPLING
from dojo_py.hard.world import World

Array = np.ndarray
LEAST_OWN = 1e-9
"""Fraction of a body's mass below which none of it is the body's own, but round-off of the difference from its parts' masses."""
ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Entries of an inertia as its six numbers: xx, yy, zz, xy, xz, yz (MJCF's fullinertia)."""


def _mass(world: World, model: Any) -> Array:
    return world.layout.mass.copy()


def _set_mass(world: World, model: Any, values: Array) -> None:
    world.layout.mass[:] = values
    _soften(world)
    _place_own_centres(world, model)


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
    """Update what follows: inverse inertias, and `layout.softest`, which scales the equations and changes no solution."""
    layout = world.layout
    layout.mobility[:] = np.linalg.inv(layout.inertia)
    layout.softest[:] = np.minimum(layout.mass, np.linalg.eigvalsh(layout.inertia)[:, 0])


def _proper(values: Array) -> str | None:
    return None if np.all(np.linalg.eigvalsh(matrix(values))[:, 0] > 0) else "must be positive definite"


def _com(world: World, model: Any) -> Array:
    return world.layout.com.copy()


def _set_com(world: World, model: Any, values: Array) -> None:
    """Everything that is stored relative to the centre of mass moves the other way."""
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
    _shift_ends(table.site_pos, table.body, np.isin(table.transmission, (SITE, CRANK)), shift)
    for m in range(model.nbody):
        if bodies.node[m] >= 0 and np.count_nonzero(bodies.node == bodies.node[m]) > 1:
            bodies.arm[m] -= shift[bodies.node[m]]
    _place_own_centres(world, model)


def _place_own_centres(world: World, model: Any) -> None:
    """Centres of mass of bodies with parts that are joined to them rigidly: parts keep their masses and places, so that

    m₀ a₀ + Σ m a = 0,   m₀ = M - Σ m        a: arms from the common centre; 0: the body itself

    Wrenches from outside act there, and maximal states tell where it is. Without a mass of its own it stays.
    """
    bodies, masses = world.bodies, np.asarray(model.body_mass, float)
    for j, b in enumerate(moving_bodies(model)):
        parts = [m for m in np.flatnonzero(bodies.node == j) if m != b]
        own = world.layout.mass[j] - masses[parts].sum()
        if parts and own > LEAST_OWN * world.layout.mass[j]:
            bodies.arm[b] = -(masses[parts] @ bodies.arm[parts]) / own


def _shift_ends(places: Array, bodies: Array, rows: Array, shift: Array) -> None:
    """places (n, 2, 3) -= shift (nb, 3) of their bodies (n, 2), in the rows where rows (n,) is True."""
    for side in range(2):
        mine = rows & (bodies[:, side] >= 0)
        places[mine, side] -= shift[bodies[mine, side]]


def _gravity(world: World, model: Any) -> Array:
    return world.layout.lift_gravity[None].copy()


def _set_gravity(world: World, model: Any, values: Array) -> None:
    world.layout.lift_gravity[:] = values[0]
    _weigh(world)


def _compensation(world: World, model: Any) -> Array:
    return world.layout.lift_share.copy()


def _set_compensation(world: World, model: Any, values: Array) -> None:
    world.layout.lift_share[:] = values
    _weigh(world)


def _weigh(world: World) -> None:
    """Set each body's acceleration by gravity after compensation."""
    layout = world.layout
    layout.gravity[:] = (1.0 - layout.lift_share)[:, None] * layout.lift_gravity


def _wrench(world: World, model: Any) -> Array:
    return world.bodies.wrench.copy()


def _set_wrench(world: World, model: Any, values: Array) -> None:
    world.bodies.wrench[:] = values


def _weight(world: World, model: Any) -> Array:
    """(nb,) of each body under a gravity of 10 m/s² [N]."""
    return 10.0 * world.layout.mass


KINDS = (
    Kind("mass", "kg", 0, body_labels, _mass, _set_mass, positive, lambda w, m: w.layout.mass.copy(), curved=True),
    Kind("inertia", "kg m^2", 6, body_labels, _inertia, _set_inertia, _proper,
         lambda w, m: np.trace(w.layout.inertia, axis1=1, axis2=2) / 3),
    Kind("com", "m", 3, body_labels, _com, _set_com, scale=body_size, route=COM,
         targets=lambda w, m: list(range(len(w.layout.mass)))),
    Kind("gravity", "m/s^2", 3, lambda w, m: ["world"], _gravity, _set_gravity, scale=lambda w, m: np.array([10.0])),
    Kind("gravcomp", "1", 0, body_labels, _compensation, _set_compensation),
    Kind("wrench", "N, N m", 6, body_labels, _wrench, _set_wrench, scale=_weight),
)  # fmt: skip
"""inertia: xx, yy, zz, xy, xz, yz about the centre of mass in body axes; com: in the body frame. Mass, inertia and centre of
mass are independent: moving the centre of mass keeps the inertia about it."""
