"""How far a ray goes until it meets a shape: many rays at once, in the shape's axes; inf where it meets none.

A ray that starts inside meets the surface from within. Planes are met from their front only, meshes and height
fields wherever a face is (MuJoCo's
`mj_ray`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import GeomType
from dojo_py.mechanism.hfield_surface import base_triangles, hfield_points, terrain_triangles
from dojo_py.sensors.inside import interval_of
from dojo_py.sensors.scene import GEOM, Scene

Array = np.ndarray
SMALL = 1e-15


def nearest_surface(scene: Scene, start: Array, along: Array, without: int) -> Array:
    """(T,) distance along unit directions (T, 3) from points (T, 3) to the nearest visible geom that is not on body `without`."""
    m, best = scene.model, np.full(len(start), np.inf)
    for g in range(int(m.ngeom)):
        if int(m.geom_bodyid[g]) == without or not _visible(m, g):
            continue
        axes = scene.axes(GEOM, g)
        point = np.einsum("tij,ti->tj", axes, start - scene.position(GEOM, g))
        direction = np.einsum("tij,ti->tj", axes, along)
        best = np.minimum(best, _distance(m, g, point, direction))
    return best


def _visible(m: Any, g: int) -> bool:
    """Whether a geom is not wholly transparent; the colour of a material counts before the geom's own."""
    material = int(m.geom_matid[g])
    return bool((m.geom_rgba[g] if material < 0 else m.mat_rgba[material])[3] != 0.0)


def _distance(m: Any, g: int, point: Array, direction: Array) -> Array:
    shape, size = int(m.geom_type[g]), np.asarray(m.geom_size[g], float)
    if shape == GeomType.PLANE:
        return _to_plane(size, point, direction)
    if shape == GeomType.MESH:
        mesh = int(m.geom_dataid[g])
        first, count = int(m.mesh_vertadr[mesh]), int(m.mesh_vertnum[mesh])
        corners = np.asarray(m.mesh_vert[first : first + count], float)
        first, count = int(m.mesh_faceadr[mesh]), int(m.mesh_facenum[mesh])
        return _to_faces(corners[np.asarray(m.mesh_face[first : first + count], int)], point, direction)
    if shape == GeomType.HFIELD:
        return _to_field(m, g, point, direction)
    low, high = interval_of(shape, size, point, direction)
    meets = (high >= np.maximum(low, 0.0)) & np.isfinite(high)
    return np.where(meets, np.where(low >= 0.0, low, high), np.inf)


def _to_plane(size: Array, point: Array, direction: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -point[:, 2] / direction[:, 2]
        there = (direction[:, 2] <= -SMALL) & (t >= 0.0)
        for k in range(2):
            if size[k] > 0.0:
                there &= np.abs(point[:, k] + t * direction[:, k]) <= size[k]
    return np.where(there, t, np.inf)


def _to_field(m: Any, g: int, point: Array, direction: Array) -> Array:
    """A height field, of which only the cells below a ray are looked at; the top of its base is met from inside, as in MuJoCo."""
    points = hfield_points(m, g)
    x, y = m.hfield_size[int(m.geom_dataid[g])][:2]
    top = [[[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0]], [[-x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]]]
    base = np.concatenate([base_triangles(m, g, points), np.array(top)])
    best = np.full(len(point), np.inf)
    for k in range(len(point)):
        below = terrain_triangles(points, cells_below(points, point[k], direction[k]))
        best[k] = _to_faces(np.concatenate([below, base]), point[k : k + 1], direction[k : k + 1])[0]
    return best


def cells_below(points: Array, point: Array, direction: Array) -> Array:
    """(nrow - 1, ncol - 1) cells over or under which a ray passes: in each strip between two rows, from where to where in x."""
    x, y = points[0, :, 0], points[:, 0, 1]
    reach = np.linalg.norm(points.reshape(-1, 3), axis=1).max() + np.linalg.norm(point)
    slack = 1e-9 * reach
    if abs(direction[1]) * reach > slack:
        ends = (np.stack([y[:-1] - slack, y[1:] + slack]) - point[1]) / direction[1]
        enters, leaves = np.maximum(ends.min(axis=0), 0.0), np.minimum(ends.max(axis=0), reach)
    else:
        within = (y[:-1] - 2.0 * slack <= point[1]) & (point[1] <= y[1:] + 2.0 * slack)
        enters, leaves = np.zeros(len(y) - 1), np.where(within, reach, -1.0)
    ends = point[0] + direction[0] * np.stack([enters, leaves])
    first, last = ends.min(axis=0)[:, None] - slack, ends.max(axis=0)[:, None] + slack
    return np.asarray((enters <= leaves)[:, None] & (x[1:] >= first) & (x[:-1] <= last))


def _to_faces(faces: Array, point: Array, direction: Array) -> Array:
    """Faces (f, 3, 3): a point of a triangle is a corner plus u, v times two edges."""
    one, two = faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]
    best = np.full(len(point), np.inf)
    for k in range(len(point)):
        across = np.cross(direction[k], two)
        det = np.sum(one * across, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            away = point[k] - faces[:, 0]
            u = np.sum(away * across, axis=1) / det
            other = np.cross(away, one)
            v, t = other @ direction[k] / det, np.sum(two * other, axis=1) / det
            hit = (np.abs(det) > SMALL) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0)
        if hit.any():
            best[k] = t[hit].min()
    return best
