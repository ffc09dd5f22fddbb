"""The surface of a height field as triangles: the terrain, four sides and the bottom of its base.

Row r and column c of the grid stand at  x = (2 c / (ncol - 1) - 1) sx,  y = (2 r / (nrow - 1) - 1) sy,  z = height sz.  A cell is
cut along the diagonal from (r, c) to (r + 1, c + 1), as in MuJoCo.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def hfield_points(model: Any, geom: int) -> Array:
    """(nrow, ncol, 3) points of the terrain of a geom in its frame [m]; model: ours or a mujoco.MjModel."""
    field = int(model.geom_dataid[geom])
    nrow, ncol, first = int(model.hfield_nrow[field]), int(model.hfield_ncol[field]), int(model.hfield_adr[field])
    x, y, top, _ = (float(s) for s in model.hfield_size[field])
    heights = np.asarray(model.hfield_data[first : first + nrow * ncol], float).reshape(nrow, ncol)
    grid = np.meshgrid(np.linspace(-x, x, ncol), np.linspace(-y, y, nrow))
    return np.stack([*grid, heights * top], axis=-1)


def hfield_triangles(model: Any, geom: int) -> Array:
    """(n, 3, 3) corners of the triangles, anticlockwise seen from outside, in the geom's frame [m]; the terrain's first."""
    points = hfield_points(model, geom)
    return np.concatenate([terrain_triangles(points), base_triangles(model, geom, points)])


def terrain_triangles(points: Array, cells: Any = slice(None)) -> Array:
    """(n, 3, 3) two triangles a cell, of all cells or those of a mask (nrow - 1, ncol - 1)."""
    return _cut(*(corner[cells] for corner in (points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1])))


def base_triangles(model: Any, geom: int, points: Array) -> Array:
    """(n, 3, 3) the four sides and the bottom."""
    low = -float(model.hfield_size[int(model.geom_dataid[geom])][3])
    around = np.concatenate([points[0, :-1], points[:-1, -1], points[-1, :0:-1], points[:0:-1, 0]])  # anticlockwise from above
    after = np.roll(around, -1, axis=0)
    floor, floor_after = (np.concatenate([p[:, :2], np.full((len(p), 1), low)], axis=1) for p in (around, after))
    bottom = [np.append(points[i, j, :2], low) for i, j in ((0, 0), (-1, 0), (-1, -1), (0, -1))]
    return np.concatenate([_cut(floor, floor_after, after, around), _cut(*bottom)])


def _cut(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Two triangles for every quadrilateral a b c d, cut along a c: (n, 3, 3)."""
    pairs = np.stack([np.stack([a, b, c], axis=-2), np.stack([a, c, d], axis=-2)], axis=-3)
    return pairs.reshape(-1, 3, 3)
