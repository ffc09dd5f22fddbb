"""Planes of the world: n · x = offset; bodies are above it where n · x is larger.

Planes that cylinders and other flat shapes may touch have no parameters: their contacts are found like those of pairs of bodies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.collision.candidates import default_tangents
from dojo_py.hard.parameters.flat import PLANE
from dojo_py.hard.parameters.frames import turn_between
from dojo_py.hard.parameters.kind import Kind, not_zero
from dojo_py.hard.world import World

Array = np.ndarray
SIZE = 0.1
"""Scale of an offset, for differences [m]."""


def _planes(world: World) -> dict[int, Array]:
    """Geom of each plane -> rows of the candidates."""
    planes = np.setdiff1d(world.planes.geom[:, 1], world.pairs.geom)
    return {int(g): np.flatnonzero(world.planes.geom[:, 1] == g) for g in planes}


def _labels(world: World, model: Any) -> list[str]:
    return [model.geom_names[g] or f"#{g}" for g in _planes(world)]


def _offsets(world: World, model: Any) -> Array:
    return np.array([world.planes.offset[rows[0]] for rows in _planes(world).values()])


def _set_offsets(world: World, model: Any, values: Array) -> None:
    for rows, value in zip(_planes(world).values(), values, strict=True):
        world.planes.offset[rows] = value


def _normals(world: World, model: Any) -> Array:
    return np.array([world.planes.normal[rows[0]] for rows in _planes(world).values()]).reshape(-1, 3)


def _set_normals(world: World, model: Any, values: Array) -> None:
    """Tangents rotate with the normal; where their coefficients of friction differ, they are the default tangents of the normal."""
    planes = world.planes
    for rows, value in zip(_planes(world).values(), values, strict=True):
        normal = value / np.linalg.norm(value)
        turn = turn_between(planes.normal[rows[0]], normal)
        planes.normal[rows] = normal
        for i in rows:
            equal = planes.ratio[i, 0] == planes.ratio[i, 1] and planes.ratio[i, 3] == planes.ratio[i, 4]
            planes.tangent[i] = planes.tangent[i] @ turn.T if equal else default_tangents(normal)


KINDS = (
    Kind("plane_offset", "m", 0, _labels, _offsets, _set_offsets, scale=lambda w, m: np.full(len(_planes(w)), SIZE), route=PLANE),
    Kind("plane_normal", "1", 3, _labels, _normals, _set_normals, not_zero, curved=True, route=PLANE),
)
"""plane_normal: the plane's distance from the world's origin is kept."""
