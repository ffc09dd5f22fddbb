"""Planes of the world: n · x = offset; bodies are above it where n · x is larger. They are in the candidates for contact with
planes, by round shapes and corners, and among the geoms of pairs, with cylinders and meshes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.collision.candidates import default_tangents
from dojo_py.collision.convex_shapes import PLANE as SHAPE_PLANE
from dojo_py.hard.parameters.flat import PLANE
from dojo_py.hard.parameters.frames import turn_between
from dojo_py.hard.parameters.kind import Kind, not_zero
from dojo_py.hard.world import World

Array = np.ndarray
SIZE = 0.1
"""Scale of an offset, for differences [m]."""


def planes_of(world: World) -> dict[int, Array]:
    """Geom of each plane of the world -> rows of the candidates."""
    pairs = world.pairs
    flat = np.flatnonzero((pairs.shape_kind == SHAPE_PLANE) & (pairs.shape_node < 0))
    touched = np.intersect1d(flat, np.concatenate([world.planes.geom[:, 1], pairs.geom.ravel()]))
    return {int(g): np.flatnonzero(world.planes.geom[:, 1] == g) for g in touched}


def _labels(world: World, model: Any) -> list[str]:
    return [model.geom_names[g] or f"#{g}" for g in planes_of(world)]


def normal_of(world: World, g: int) -> Array:
    """(3,) of a plane."""
    return world.pairs.shape_axes[g, :, 2].copy()


def offset_of(world: World, g: int) -> float:
    """n · x of its points [m]."""
    return float(normal_of(world, g) @ world.pairs.shape_centre[g])


def _offsets(world: World, model: Any) -> Array:
    return np.array([offset_of(world, g) for g in planes_of(world)], float)


def _set_offsets(world: World, model: Any, values: Array) -> None:
    for (g, rows), value in zip(planes_of(world).items(), values, strict=True):
        world.pairs.shape_centre[g] += (value - offset_of(world, g)) * normal_of(world, g)
        world.planes.offset[rows] = value


def _normals(world: World, model: Any) -> Array:
    return np.array([normal_of(world, g) for g in planes_of(world)]).reshape(-1, 3)


def _set_normals(world: World, model: Any, values: Array) -> None:
    """Tangents rotate with the normal; where their coefficients of friction differ, they are the default tangents of the normal."""
    planes, pairs = world.planes, world.pairs
    for (g, rows), value in zip(planes_of(world).items(), values, strict=True):
        normal = value / np.linalg.norm(value)
        turn = turn_between(normal_of(world, g), normal)
        pairs.shape_axes[g], pairs.shape_centre[g] = turn @ pairs.shape_axes[g], turn @ pairs.shape_centre[g]
        planes.normal[rows] = normal
        for i in rows:
            equal = planes.ratio[i, 0] == planes.ratio[i, 1] and planes.ratio[i, 3] == planes.ratio[i, 4]
            planes.tangent[i] = planes.tangent[i] @ turn.T if equal else default_tangents(normal)


KINDS = (
    Kind("plane_offset", "m", 0, _labels, _offsets, _set_offsets, scale=lambda w, m: np.full(len(planes_of(w)), SIZE), route=PLANE),
    Kind("plane_normal", "1", 3, _labels, _normals, _set_normals, not_zero, curved=True, route=PLANE),
)
"""plane_normal: the plane's distance from the world's origin is kept."""
