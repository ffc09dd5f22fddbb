"""The faces of a convex hull as polygons: adjacent coplanar triangles are merged."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

Array = np.ndarray

COPLANAR = 1e-7
"""1 - cosine of the angle between two triangles below which they are one face, as in MuJoCo (about 0.03 degrees)."""


def hull_polygons(corners: Array, triangles: Array) -> tuple[list[list[int]], Array]:
    """Corners of each face, counterclockwise from outside, and the outward normals (n, 3).

    corners (k, 3); triangles (m, 3): numbers of corners, counterclockwise from outside.
    """
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    size = np.linalg.norm(areas, axis=1)
    normals = areas / np.where(size > 0.0, size, 1.0)[:, None]
    beside = {(int(t[k]), int(t[(k + 1) % 3])): i for i, t in enumerate(triangles) for k in range(3)}
    face_of = np.full(len(triangles), -1)
    polygons: list[list[int]] = []
    directions: list[Array] = []
    for first in np.argsort(-size):
        if face_of[first] >= 0:
            continue
        members = _grown(int(first), triangles, normals, beside, face_of, len(polygons))
        loop = _border([triangles[i] for i in members])
        total = areas[members].sum(axis=0)
        if len(loop) >= 3 and np.any(total != 0.0):  # (collinear corners are no face)
            polygons.append(loop)
            directions.append(total / np.linalg.norm(total))
    return polygons, np.array(directions).reshape(-1, 3)


def _grown(first: int, triangles: Array, normals: Array, beside: dict, face_of: Array, face: int) -> list[int]:
    """The triangles that are connected with the first one and coplanar with it; marks them in face_of."""
    members, open_ends = [first], [first]
    face_of[first] = face
    while open_ends:
        t = triangles[open_ends.pop()]
        for k in range(3):
            other = beside.get((int(t[(k + 1) % 3]), int(t[k])), -1)
            if other >= 0 and face_of[other] < 0 and normals[first] @ normals[other] > 1.0 - COPLANAR:
                face_of[other] = face
                members.append(other)
                open_ends.append(other)
    return members


def _border(triangles: list[Array]) -> list[int]:
    """The border of connected triangles: the loop of edges that only one of them has."""
    edges = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    follows: dict[int, list[int]] = defaultdict(list)
    for i, j in sorted(edges):
        if (j, i) not in edges:
            follows[i].append(j)
    if not follows:
        return []
    loop = [min(follows)]
    while len(loop) <= len(edges):
        after = follows[loop[-1]][0]
        if after == loop[0]:
            break
        loop.append(after)
    return loop
