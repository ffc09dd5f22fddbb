"""Sensors `distance`, `normal` and `fromto`: the two nearest points of two geoms, or of the geoms of two bodies.

Shapes that overlap have a negative distance, the shortest way out, and points that lie in one another. What is farther apart than
the cutoff counts as nothing: the distance is the cutoff, normal and points are zeros. Meshes count as their convex hulls; two
planes
have no distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.collision.convex import CONVEX, SIZES, Shapes
from dojo_py.mechanism.enums import GeomType
from dojo_py.mechanism.sensor_kinds import OBJECTS
from dojo_py.sensors.scene import GEOM, Scene

Array = np.ndarray
WORDS = {kind: word for word, kind in CONVEX.items()}


def distance(scene: Scene, i: int) -> Array:
    """(T, 1) [m]"""
    return nearest_points(scene, i)[0][:, None]


def normal(scene: Scene, i: int) -> Array:
    """(T, 3) unit vector from the first point to the second."""
    _, ends = nearest_points(scene, i)
    along = ends[:, 3:] - ends[:, :3]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    return np.where(length > 1e-15, along / np.maximum(length, 1e-15), 0.0)


def from_to(scene: Scene, i: int) -> Array:
    """(T, 6) the points [m]."""
    return nearest_points(scene, i)[1]


def nearest_points(scene: Scene, i: int) -> tuple[Array, Array]:
    """(T,) distance and (T, 6) points of sensor i."""
    m, count = scene.model, len(scene.rows.time)
    best, ends = np.full(count, float(m.sensor_cutoff[i])), np.zeros((count, 6))
    first = _geoms(m, int(m.sensor_objtype[i]), int(m.sensor_objid[i]))
    for a in first:
        for b in _geoms(m, int(m.sensor_reftype[i]), int(m.sensor_refid[i])):
            found = _pair(scene, a, b)
            if found is not None:
                nearer = found[0] < best
                best, ends = np.where(nearer, found[0], best), np.where(nearer[:, None], found[1], ends)
    return best, ends


def _geoms(m: Any, objtype: int, index: int) -> list[int]:
    if objtype == OBJECTS["geom"]:
        return [index]
    first = int(m.body_geomadr[index])
    return list(range(first, first + int(m.body_geomnum[index]))) if first >= 0 else []


def _pair(scene: Scene, a: int, b: int) -> tuple[Array, Array] | None:
    """(T,) and (T, 6) of two geoms; None for two planes."""
    m = scene.model
    plane = [int(m.geom_type[g]) == GeomType.PLANE for g in (a, b)]
    if all(plane):
        return None
    if plane[1]:
        gap, ends = _to_plane(scene, b, a)
        return gap, np.hstack([ends[:, 3:], ends[:, :3]])
    if plane[0]:
        return _to_plane(scene, a, b)
    near = Shapes.make(_shape(m, a), _shape(m, b)).nearest(0, _pose(scene, a), 1, _pose(scene, b))
    return near.gap, np.hstack([near.point_a, near.point_b])


def _pose(scene: Scene, g: int) -> tuple[Array, Array]:
    return scene.position(GEOM, g), scene.orientation(GEOM, g)


def _shape(m: Any, g: int) -> tuple[str, Array]:
    kind = int(m.geom_type[g])
    if kind != GeomType.MESH:
        return WORDS[kind], np.asarray(m.geom_size[g], float)[: SIZES[kind]]
    mesh = int(m.geom_dataid[g])
    first = int(m.mesh_vertadr[mesh])
    return "mesh", np.asarray(m.mesh_vert[first : first + int(m.mesh_vertnum[mesh])], float)


def _to_plane(scene: Scene, plane: int, g: int) -> tuple[Array, Array]:
    """Distance (T,) of a shape from a plane, and (T, 6) the points on plane and shape."""
    normal, origin = scene.axes(GEOM, plane)[:, :, 2], scene.position(GEOM, plane)
    axes, centre = scene.axes(GEOM, g), scene.position(GEOM, g)
    down = -np.einsum("tij,ti->tj", axes, normal)
    point = centre + np.einsum("tij,tj->ti", axes, farthest(*_shape(scene.model, g), down))
    gap = np.sum(normal * (point - origin), axis=1)
    return gap, np.hstack([point - gap[:, None] * normal, point])


def farthest(word: str, size: Array, along: Array) -> Array:
    """(T, 3) point of a shape that is farthest along directions (T, 3), in its axes; of several the one of smaller coordinates."""
    if word == "mesh":
        return size[np.argmax(along @ size.T, axis=1)]
    if word == "ellipsoid":
        scaled = along * size**2
        return scaled / np.maximum(np.sqrt(np.sum(along * scaled, axis=1, keepdims=True)), 1e-15)
    if word == "box":
        return np.where(along > 0.0, size, -size)
    if word == "sphere":
        return size[0] * along
    end = np.where(along[:, 2] > 0.0, size[1], -size[1])
    if word == "capsule":
        return size[0] * along + end[:, None] * (0.0, 0.0, 1.0)
    flat = np.linalg.norm(along[:, :2], axis=1, keepdims=True)
    rim = np.where(flat > 1e-15, size[0] * along[:, :2] / np.maximum(flat, 1e-15), 0.0)
    return np.column_stack([rim, end])
