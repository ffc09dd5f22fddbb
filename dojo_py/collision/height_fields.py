"""Grids of height fields: which cells lie below a box, and the prisms of a cell.

A cell of the grid, between rows r, r + 1 and columns c, c + 1, consists of two prisms with triangular caps, separated by the
diagonal from (r, c) to (r + 1, c + 1); both reach from the bottom of the base to the terrain. Each is convex, and is handled as the
hull of a mesh with six vertices.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dojo_py.algebra.vectors import along, dot, minus, times, turned, turned_back
from dojo_py.collision.convex_shapes import MESH, Hulls, rounding, support
from dojo_py.jit import kernel

HFIELD = 1
"""MuJoCo's geom type."""
CORNERS = 6
"""Vertices of a prism: three of the bottom, then three of the terrain above them."""
BLOCK = 8
"""Rows and columns of cells whose highest point is kept, so that a distant shape is compared with few of them."""


class HeightFields(NamedTuple):
    """All height fields of a model, n of them."""

    field_size: np.ndarray
    """(n, 4) half widths along x and y, height above z = 0, depth of the base below it [m]"""
    field_grid: np.ndarray
    """(n, 4) rows, columns, first point in `field_height`, first block in `field_top`"""
    field_height: np.ndarray
    """(k,) z of the points [m], row by row: x ascending, then y"""
    field_top: np.ndarray
    """(b,) z of the highest point of each block of BLOCK × BLOCK cells [m], row by row"""


def height_fields(model: Any) -> HeightFields:
    """Height fields of a Model or a mujoco.MjModel; models without any may lack the arrays."""
    n = int(getattr(model, "nhfield", 0))
    if n == 0:
        return HeightFields(np.zeros((0, 4)), np.zeros((0, 4), np.int64), np.zeros(0), np.zeros(0))
    grid = np.stack([model.hfield_nrow, model.hfield_ncol, model.hfield_adr, np.zeros(n)], axis=1).astype(np.int64)
    size, height = np.array(model.hfield_size, float), np.array(model.hfield_data, float)
    tops: list[float] = []
    for f, (nrow, ncol, first, _) in enumerate(grid):
        height[first : first + nrow * ncol] *= size[f, 2]
        grid[f, 3] = len(tops)
        z = height[first : first + nrow * ncol].reshape(nrow, ncol)
        for r in range(0, nrow - 1, BLOCK):
            tops += [float(z[r : r + BLOCK + 1, c : c + BLOCK + 1].max()) for c in range(0, ncol - 1, BLOCK)]
    return HeightFields(size, grid, height, np.array(tops))


def with_room_for_a_prism(hulls: Hulls) -> Hulls:
    """The hulls, with the vertices of one prism appended, which `put_prism` sets."""
    corners = np.concatenate([hulls.corner, np.zeros((CORNERS, 3))])
    return Hulls(corners, hulls.first, hulls.neighbour)


@kernel
def grid_point(fields, f, r, c):
    """Point of row r and column c of field f in its frame [m]."""
    nrow, ncol, first = fields.field_grid[f, 0], fields.field_grid[f, 1], fields.field_grid[f, 2]
    x, y = fields.field_size[f, 0], fields.field_size[f, 1]
    return (2.0 * x / (ncol - 1) * c - x, 2.0 * y / (nrow - 1) * r - y, fields.field_height[first + r * ncol + c])


@kernel
def box_in_field(shape, pose, frame, more, hulls):
    """(low, high) of the bounding box of a shape along the axes of a frame (a pose), enlarged by `more` [m] on all sides."""
    R, r = frame[1], rounding(shape) + more
    centre = turned_back(R, minus(pose[0], frame[0]))
    low, high = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(3):
        e = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        axis = turned(R, e)
        up, _ = support(shape, pose, axis, hulls, -1)
        down, _ = support(shape, pose, times(-1.0, axis), hulls, -1)
        high = along(high, dot(axis, minus(up, pose[0])) + r + dot(centre, e), e)
        low = along(low, dot(axis, minus(down, pose[0])) - r + dot(centre, e), e)
    return low, high


@kernel
def cells_below(fields, f, low, high):
    """(first row, end, first column, end) of the cells that a box, low to high (3) [m] in the field's frame, may touch."""
    x, y, top, base = fields.field_size[f, 0], fields.field_size[f, 1], fields.field_size[f, 2], fields.field_size[f, 3]
    apart = low[0] > x or high[0] < -x or low[1] > y or high[1] < -y or low[2] > top or high[2] < -base
    if apart or not (high[0] - low[0]) + (high[1] - low[1]) < math.inf:
        return 0, 0, 0, 0
    r, rows = _range(low[1], high[1], y, fields.field_grid[f, 0] - 1)
    c, columns = _range(low[0], high[0], x, fields.field_grid[f, 1] - 1)
    return r, rows, c, columns


@kernel
def _range(low, high, half, cells):
    """Cells of a row over -half to half that an interval overlaps: the first one and the end."""
    first = np.floor((low + half) / (2.0 * half) * cells)
    end = np.ceil((high + half) / (2.0 * half) * cells)
    return np.int64(max(0.0, first)), np.int64(min(float(cells), end))


@kernel
def terrain_triangle(fields, f, r, c, half):
    """Vertices of triangle 0 or 1 of a cell in the field's frame, in MuJoCo's order; 0 lies on the side of larger y."""
    p = grid_point(fields, f, r, c)
    q = grid_point(fields, f, r + 1, c + 1)
    if half == 0:
        return grid_point(fields, f, r + 1, c), p, q
    return p, q, grid_point(fields, f, r, c + 1)


@kernel
def block_box(fields, f, r, c):
    """(low, high): a box about the prisms of the block whose first cell is that of row r and column c, in the field's frame [m]."""
    nrow, ncol = fields.field_grid[f, 0] - 1, fields.field_grid[f, 1] - 1
    x, y = fields.field_size[f, 0], fields.field_size[f, 1]
    in_row = (ncol + BLOCK - 1) // BLOCK
    top = fields.field_top[fields.field_grid[f, 3] + (r // BLOCK) * in_row + c // BLOCK]
    low = (2.0 * x / ncol * c - x, 2.0 * y / nrow * r - y, -fields.field_size[f, 3])
    return low, (2.0 * x / ncol * min(c + BLOCK, ncol) - x, 2.0 * y / nrow * min(r + BLOCK, nrow) - y, top)


@kernel
def between_boxes(one, other):
    """Distance [m] of two boxes (low, high) with the same axes; 0 where they overlap."""
    square = 0.0
    for k in range(3):
        apart = max(one[0][k] - other[1][k], other[0][k] - one[1][k], 0.0)
        square += apart * apart
    return math.sqrt(square)


@kernel
def middle_of(fields, f, corners):
    """(middle, half extents) of the bounding box of the prism below three points of field f, in its frame [m]."""
    a, b, c = corners
    bottom = -fields.field_size[f, 3]
    low = (min(a[0], b[0], c[0]), min(a[1], b[1], c[1]), bottom)
    high = (max(a[0], b[0], c[0]), max(a[1], b[1], c[1]), max(a[2], b[2], c[2]))
    middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
    return middle, (high[0] - middle[0], high[1] - middle[1], high[2] - middle[2])


@kernel
def put_prism(fields, f, corners, hulls):
    """(shape, centre): the prism below three points, corners (3 × 3), of field f, as a mesh's hull about a centre in its frame [m].

    Its vertices are the last ones of `hulls`, see `with_room_for_a_prism`.
    """
    middle, size = middle_of(fields, f, corners)
    first = len(hulls.corner) - CORNERS
    for k in range(3):
        p = corners[k]
        for i, z in ((first + k, -fields.field_size[f, 3]), (first + 3 + k, p[2])):
            hulls.corner[i, 0], hulls.corner[i, 1], hulls.corner[i, 2] = p[0] - middle[0], p[1] - middle[1], z - middle[2]
    return (np.int64(MESH), size, np.int64(first), np.int64(CORNERS)), middle


def prism_corners(fields: HeightFields, f: int) -> np.ndarray:
    """(n, 6, 3) vertices of all prisms of field f, each relative to its own middle (`middle_of`), by rows, columns, halves [m]."""
    (x, y, _, base), (nrow, ncol, first, _) = fields.field_size[f], fields.field_grid[f]
    height = fields.field_height[first : first + nrow * ncol].reshape(nrow, ncol)
    across = 2.0 * x / (ncol - 1) * np.arange(ncol) - x, 2.0 * y / (nrow - 1) * np.arange(nrow) - y
    p = np.stack([*np.meshgrid(*across), height], axis=-1)
    low, right, top, upper = p[:-1, :-1], p[:-1, 1:], p[1:, :-1], p[1:, 1:]
    caps = np.stack([np.stack([top, low, upper], axis=-2), np.stack([low, upper, right], axis=-2)], axis=2).reshape(-1, 3, 3)
    floor = np.concatenate([caps[:, :, :2], np.full((len(caps), 3, 1), -base)], axis=2)
    corners = np.concatenate([floor, caps], axis=1)
    return corners - 0.5 * (corners.min(axis=1, keepdims=True) + corners.max(axis=1, keepdims=True))
