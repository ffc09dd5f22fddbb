"""Sizes of shapes, one number each, as `size` of a geom has them in a file: 'ball.0', 'capsule.0' the radius and 'capsule.1' half
the length, likewise of cylinders, 'box.0' … 'box.2' half the sides, of ellipsoids the half axes.

Shapes alone change: masses and inertias stay, what tendons wrap around, and what a medium acts on. The scale by which nearest
points of boxes are relaxed stays that of the built shape.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from dojo_py.collision.convex_shapes import BOX, CAPSULE, ELLIPSOID, SPHERE
from dojo_py.hard.parameters.bounds import NUMBER, bound_shapes
from dojo_py.hard.parameters.contacts import geom_name
from dojo_py.hard.parameters.kind import Kind, positive
from dojo_py.hard.world import World

Array = np.ndarray


def _places(world: World) -> list[tuple[int, int]]:
    """(geom, which size) of all geoms that may touch something."""
    touching = sorted({*world.planes.geom[:, 0].tolist(), *world.pairs.geom.ravel().tolist()})
    kind = world.pairs.shape_kind
    return [(g, k) for g in touching for k in range(NUMBER.get(int(kind[g]), 0))]


def _labels(world: World, model: Any) -> list[str]:
    return [f"{geom_name(model, g)}.{k}" for g, k in _places(world)]


def _sizes(world: World, model: Any) -> Array:
    return np.array([world.pairs.shape_size[g, k] for g, k in _places(world)], float)


def _set_sizes(world: World, model: Any, values: Array) -> None:
    pairs, old = world.pairs, world.pairs.shape_size.copy()
    for (g, k), value in zip(_places(world), values, strict=True):
        pairs.shape_size[g, k] = value
    for g in np.flatnonzero((pairs.shape_size != old).any(axis=1)).tolist():
        _reshape(world, g, pairs.shape_size[g] - old[g])
    bound_shapes(pairs)


def _reshape(world: World, g: int, change: Array) -> None:
    """What follows from the sizes of geom g, which have changed by `change` (3,)."""
    planes, pairs = world.planes, world.pairs
    kind, size, axes = int(pairs.shape_kind[g]), pairs.shape_size[g], pairs.shape_axes[g]
    rows = np.flatnonzero(planes.geom[:, 0] == g)
    if kind in (SPHERE, CAPSULE):
        planes.radius[rows] += change[0]
        pairs.round_radius[g] += change[0]
    if kind == CAPSULE:
        pairs.round_half[g, 2] += change[1]
    if kind == BOX:
        pairs.round_half[g] += change
        first, count = pairs.shape_hull[g]
        corners = pairs.corner[first : first + count]
        corners[:] = np.sign(corners) * size
    if kind == ELLIPSOID:
        planes.shape[rows] = axes @ np.diag(size**2) @ axes.T
    for plane in np.unique(planes.geom[rows, 1]):  # (each has all the points)
        mine = rows[planes.geom[rows, 1] == plane]
        planes.point[mine] += _ends(kind, change) @ axes.T


def _ends(kind: int, size: Array) -> Array:
    """(n, 3) points of a shape against a plane, from its centre, along its axes, in the order of the candidates."""
    if kind == CAPSULE:
        return np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]])
    if kind == BOX:
        return np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * size
    return np.zeros((1, 3))


KINDS = (Kind("size", "m", 0, _labels, _sizes, _set_sizes, positive, _sizes),)
