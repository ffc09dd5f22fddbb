"""Gaps of convex shapes from height fields by independent geometry: the least of what normals prove for each prism of the field.

A field is the set of prisms below its triangles: each cell of the grid has two, divided by the diagonal from its first corner, and
their floor is at the bottom of the base. Read here from the wheel's arrays, in numpy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.collision.convex import CONVEX, SIZES, Shapes

Array = np.ndarray
HFIELD, MESH = 1, 7
NAMES = {number: name for name, number in CONVEX.items()}


class Fields(NamedTuple):
    """Prisms of all height fields of the world, and our program for convex shapes, which proposes normals."""

    corners: dict[int, Array]
    """Geom -> (n, 6, 3) corners of its prisms [m], world"""
    first: dict[int, int]
    """Geom -> row of its first prism in `shapes`"""
    row: dict[int, int]
    """Convex geom -> its row in `shapes`"""
    shapes: Shapes


def fields_of(m: Any, d: Any) -> Fields | None:
    """The height fields of the wheel's model m, where they are at the pose d; None where there are none."""
    geoms = np.flatnonzero(m.geom_type == HFIELD).tolist()
    if not geoms:
        return None
    convex: dict[int, tuple[str, Array]] = {}
    for g in range(m.ngeom):
        name, kind = NAMES.get(int(m.geom_type[g])), int(m.geom_type[g])
        if name is not None:
            convex[g] = name, _vertices(m, g) if kind == MESH else m.geom_size[g, : SIZES[kind]]
    return fields_from({g: d.geom_xpos[g] + _local(m, g) @ d.geom_xmat[g].reshape(3, 3).T for g in geoms}, convex)


def fields_from(corners: dict[int, Array], convex: dict[int, tuple[str, Array]]) -> Fields:
    """Fields of these prisms and of convex geoms (kind, sizes or vertices), see `Shapes.make`."""
    made, first = list(convex.values()), {}
    for g, prisms_ in corners.items():
        first[g] = len(made)
        made += [("mesh", c - c.mean(axis=0)) for c in prisms_]
    return Fields(corners, first, {g: i for i, g in enumerate(convex)}, Shapes.make(*made))


def _vertices(m: Any, g: int) -> Array:
    mesh = int(m.geom_dataid[g])
    first = int(m.mesh_vertadr[mesh])
    return np.array(m.mesh_vert[first : first + int(m.mesh_vertnum[mesh])], float)


def _local(m: Any, g: int) -> Array:
    """(n, 6, 3) corners of the prisms of geom g in its frame [m]."""
    f = int(m.geom_dataid[g])
    nrow, ncol, first = int(m.hfield_nrow[f]), int(m.hfield_ncol[f]), int(m.hfield_adr[f])
    return prisms(np.array(m.hfield_data[first : first + nrow * ncol], float).reshape(nrow, ncol), m.hfield_size[f])


def prisms(elevation: Array, size: Any) -> Array:
    """(n, 6, 3) corners of the prisms of a field in its frame [m]. elevation (nrow, ncol): 0 to 1; size (4,): as in MJCF."""
    x, y, top, base = size
    nrow, ncol = elevation.shape
    px, py, z = np.linspace(-x, x, ncol), np.linspace(-y, y, nrow), top * elevation
    found = []
    for r in range(nrow - 1):
        for c in range(ncol - 1):
            for three in (((r, c), (r + 1, c + 1), (r + 1, c)), ((r, c), (r + 1, c + 1), (r, c + 1))):
                cap = [(px[j], py[i], z[i, j]) for i, j in three]
                found.append([*cap, *((u, v, -base) for u, v, _ in cap)])
    return np.array(found)


def proven_field_gap(fields: Fields, field: int, g: int, pose: tuple[Array, Array], reach: Any) -> float:
    """The gap of geom g, at pose (position, quaternion), from the geom `field`: of its prisms the least that a normal proves [m].

    reach: (n (k, 3)) -> (k,) how far g reaches along the unit vectors n from its position.
    """
    corners, x = fields.corners[field], pose[0]
    far, near = x + reach(np.eye(3)), x - reach(-np.eye(3))
    apart = np.maximum(np.maximum(corners.min(axis=1) - far, near - corners.max(axis=1)), 0.0)
    distance, least = np.linalg.norm(apart, axis=1), np.inf
    for i in np.argsort(distance):
        if distance[i] > max(least, 0.0):
            break
        middle = corners[i].mean(axis=0)
        at = (middle, np.array([1.0, 0.0, 0.0, 0.0]))
        n = fields.shapes.nearest(fields.row[g], pose, fields.first[field] + int(i), at).normal
        least = min(least, float((corners[i] @ n).min() - x @ n - reach(n[None])[0]))
    return least
