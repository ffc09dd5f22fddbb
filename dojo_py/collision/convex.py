"""Gap, normal and witness points of two convex shapes from Python: shapes of a Model, or by kind and sizes.

shapes = Shapes.of_model(model)
near = shapes.nearest(geom_a, (position, quaternion), geom_b, (position, quaternion))
near.gap, near.normal, near.point_a, near.point_b
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dojo_py.collision.convex_derivatives import COLUMNS, column, determined
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE, Hulls
from dojo_py.collision.epa import polytope
from dojo_py.jit import entry, kernel
from dojo_py.mechanism.errors import ModelError
from dojo_py.mechanism.mesh_hull import hull_faces, hull_graph

CONVEX = {"sphere": SPHERE, "capsule": CAPSULE, "ellipsoid": ELLIPSOID, "cylinder": CYLINDER, "box": BOX, "mesh": MESH}
SIZES = {SPHERE: 1, CAPSULE: 2, ELLIPSOID: 3, CYLINDER: 2, BOX: 3}
"""Number of sizes of a shape: MuJoCo's half sizes [m]."""


class Near(NamedTuple):
    """Witness points of two shapes, where they are nearest or overlap most; world frame. For n pairs, with a leading axis (n)."""

    gap: np.ndarray
    """Signed distance [m]; negative: minus the penetration depth."""
    normal: np.ndarray
    """(3) unit, from A to B."""
    point_a: np.ndarray
    """(3) on A [m]"""
    point_b: np.ndarray
    """(3) on B [m]"""
    rounds: np.ndarray
    """Number of support points of both shapes that GJK and EPA computed."""


class NearDerivatives(NamedTuple):
    """Derivatives of a `Near` by both poses: columns δx_A (world), φ_A (rotation vector in the body frame), δx_B, φ_B."""

    gap: np.ndarray
    """(12)"""
    normal: np.ndarray
    """(3, 12)"""
    point_a: np.ndarray
    """(3, 12)"""
    point_b: np.ndarray
    """(3, 12)"""
    determined: np.ndarray
    """False where a face lies on a face or an edge along an edge: only the gap's derivative is meaningful then."""


@dataclass
class Shapes:
    """Convex shapes in rows: kinds (n), sizes (n, 3), first hull vertex and number of hull vertices (n, 2), and the hulls."""

    kind: np.ndarray
    size: np.ndarray
    hull: np.ndarray
    hulls: Hulls

    @staticmethod
    def of_model(model: Any) -> Shapes:
        """The shapes of a Model's geoms; planes and meshes without a hull are refused when used."""
        parts = [_hull_of(model, i) for i in range(model.nmesh)]
        hulls, ranges = _joined(parts)
        rows = np.zeros((model.ngeom, 2), np.int64)
        for g in np.flatnonzero(np.asarray(model.geom_type) == MESH):
            rows[g] = ranges[model.geom_dataid[g]]
        return Shapes(np.asarray(model.geom_type, np.int64), np.array(model.geom_size, float), rows, hulls)

    @staticmethod
    def make(*shapes: tuple[str, Any]) -> Shapes:
        """Shapes by name and sizes, ("box", (1, 2, 3)); ("mesh", vertices (n, 3)) is their convex hull."""
        kinds, sizes, ranges, parts = [], np.zeros((len(shapes), 3)), [], []
        for row, (name, given) in enumerate(shapes):
            if name not in CONVEX:
                raise ValueError(f"'{name}' is not one of {list(CONVEX)}")
            kind, numbers = CONVEX[name], np.asarray(given, float)
            if not np.all(np.isfinite(numbers)):
                raise ValueError(f"the sizes of {name} {row} are not finite")
            if kind == MESH:
                parts.append(_hull_from(numbers))
                sizes[row] = np.abs(numbers).max(axis=0)
            elif numbers.shape != (SIZES[kind],) or np.any(numbers <= 0.0):
                raise ValueError(f"{name} {row}: {SIZES[kind]} positive sizes are accepted, {given} were read")
            else:
                sizes[row, : SIZES[kind]] = numbers
            kinds.append(kind)
        hulls, found = _joined(parts)
        meshes = iter(found)
        ranges = [next(meshes) if kind == MESH else (0, 0) for kind in kinds]
        return Shapes(np.array(kinds, np.int64), sizes, np.array(ranges, np.int64).reshape(-1, 2), hulls)

    def nearest(self, a: Any, pose_a: Any, b: Any, pose_b: Any, guess: Any = None) -> Near:
        """Witness points of shapes a, b (rows) at poses (position (3), unit quaternion (4)); all may have a leading axis (n).

        `guess` (3): initial normal, such as the last one.
        """
        rows, poses, start, single = self._arguments(a, pose_a, b, pose_b, guess)
        out = np.zeros((len(start), 11))
        nearest_of_many(self.kind, self.size, self.hull, self.hulls, *rows, *poses, start, polytope(), out)
        near = Near(out[:, 0], out[:, 1:4], out[:, 4:7], out[:, 7:10], out[:, 10].astype(int))
        return Near(*(x[0] for x in near)) if single else near

    def derivatives(self, a: Any, pose_a: Any, b: Any, pose_b: Any, guess: Any = None) -> NearDerivatives:
        """Derivatives of `nearest` with the same arguments, in closed form."""
        rows, poses, start, single = self._arguments(a, pose_a, b, pose_b, guess)
        out, good = np.zeros((len(start), 10, COLUMNS)), np.zeros(len(start), np.bool_)
        derivatives_of_many(self.kind, self.size, self.hull, self.hulls, *rows, *poses, start, polytope(), out, good)
        found = NearDerivatives(out[:, 0], out[:, 1:4], out[:, 4:7], out[:, 7:10], good)
        return NearDerivatives(*(x[0] for x in found)) if single else found

    def _arguments(self, a: Any, pose_a: Any, b: Any, pose_b: Any, guess: Any) -> tuple[list, list, np.ndarray, bool]:
        rows = [np.atleast_1d(np.asarray(x, np.int64)) for x in (a, b)]
        poses = [np.atleast_2d(np.concatenate([np.asarray(x, float) for x in pose], axis=-1)) for pose in (pose_a, pose_b)]
        single = all(np.ndim(x) == 0 for x in (a, b)) and all(np.ndim(pose[0]) == 1 for pose in (pose_a, pose_b))
        start = np.atleast_2d(np.array([1.0, 0.0, 0.0]) if guess is None else np.asarray(guess, float))
        count = max(len(x) for x in (*rows, *poses, start))
        rows = [np.ascontiguousarray(np.broadcast_to(x, count)) for x in rows]
        poses = [np.ascontiguousarray(np.broadcast_to(x, (count, 7))) for x in poses]
        start = np.ascontiguousarray(np.broadcast_to(start, (count, 3)))
        self._check(rows, poses, start)
        return rows, poses, start, single

    def _check(self, rows: list[np.ndarray], poses: list[np.ndarray], start: np.ndarray) -> None:
        for row in rows:
            if row.min(initial=0) < 0 or row.max(initial=0) >= len(self.kind):
                raise ValueError(f"shapes are numbered 0 to {len(self.kind) - 1}")
            for g in np.unique(row):
                if self.kind[g] not in CONVEX.values() or (self.kind[g] == MESH and not self.hull[g, 1]):
                    raise ModelError(f"shape {g} is not convex, or a mesh without a hull; accepted: {list(CONVEX)}")
        for values in (*poses, start):
            if not np.all(np.isfinite(values)):
                raise ValueError("poses and normals must be finite")


def _hull_of(model: Any, mesh: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and graph of the hull of a mesh of a Model; empty if it has none."""
    address = int(model.mesh_graphadr[mesh])
    if address < 0:
        return np.zeros((0, 3)), np.zeros(0, np.int64)
    graph = np.asarray(model.mesh_graph[address:], np.int64)
    first = int(model.mesh_vertadr[mesh])
    return np.asarray(model.mesh_vert[first + graph[2 + graph[0] : 2 + 2 * graph[0]]], float), graph


def _hull_from(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ValueError(f"vertices (n, 3) are accepted, of shape {vertices.shape} were read")
    faces = hull_faces(vertices, -1)
    if isinstance(faces, str):
        raise ModelError(faces)
    graph = hull_graph(faces)
    return vertices[graph[2 + graph[0] : 2 + 2 * graph[0]]], graph


def _joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[Hulls, list[tuple[int, int]]]:
    """All hulls concatenated, and (first vertex, number of vertices) of each."""
    corners, starts, neighbours, ranges = [np.zeros((0, 3))], [np.zeros(1, np.int64)], [np.zeros(0, np.int64)], []
    total, edges = 0, 0
    for corner, graph in parts:
        count = len(corner)
        ranges.append((total, count))
        if count:
            listed = graph[2 + 2 * count : 2 + 3 * count + 3 * graph[1]]
            number = np.diff(np.append(np.flatnonzero(np.append(True, listed[:-1] < 0)), len(listed))) - 1
            own = listed[listed >= 0]
            corners.append(corner)
            starts.append(edges + np.cumsum(number))
            neighbours.append(own + total)
            total, edges = total + count, edges + len(own)
    return Hulls(np.concatenate(corners), np.concatenate(starts), np.concatenate(neighbours)), ranges


@kernel
def _shape(kind, size, hull, g):
    return kind[g], (size[g, 0], size[g, 1], size[g, 2]), hull[g, 0], hull[g, 1]


@kernel
def pose_of(pose, i):
    """(position, matrix) of row i of poses (n, 7)."""
    w, x, y, z = pose[i, 3], pose[i, 4], pose[i, 5], pose[i, 6]
    s = 1.0 / (w * w + x * x + y * y + z * z)
    return (pose[i, 0], pose[i, 1], pose[i, 2]), (
        s * (w * w + x * x - y * y - z * z), 2.0 * s * (x * y - w * z), 2.0 * s * (x * z + w * y),
        2.0 * s * (x * y + w * z), s * (w * w - x * x + y * y - z * z), 2.0 * s * (y * z - w * x),
        2.0 * s * (x * z - w * y), 2.0 * s * (y * z + w * x), s * (w * w - x * x - y * y + z * z),
    )  # fmt: skip


@entry
def nearest_of_many(kind, size, hull, hulls, a, b, pose_a, pose_b, guess, work, out):
    """Rows of `out` (n, 11): gap, normal 3, point of A 3, point of B 3, rounds.

    a, b (n,): rows of kind (g,), size (g, 3), hull (g, 2); pose_a, pose_b (n, 7): positions, quaternions; guess (n, 3): initial
    normals.
    """
    for i in range(len(a)):
        A, B = _shape(kind, size, hull, a[i]), _shape(kind, size, hull, b[i])
        n = (guess[i, 0], guess[i, 1], guess[i, 2])
        gap, n, p, q, _, rounds = nearest(A, pose_of(pose_a, i), B, pose_of(pose_b, i), n, hulls, work, math.inf)
        out[i, 0], out[i, 10] = gap, rounds
        for k in range(3):
            out[i, 1 + k], out[i, 4 + k], out[i, 7 + k] = n[k], p[k], q[k]


@entry
def derivatives_of_many(kind, size, hull, hulls, a, b, pose_a, pose_b, guess, work, out, good):
    """Rows of `out` (n, 10, 12): of gap, normal, point of A, point of B; good (n): whether all are determined.

    The other arguments as in `nearest_of_many`.
    """
    for i in range(len(a)):
        A, B = _shape(kind, size, hull, a[i]), _shape(kind, size, hull, b[i])
        P, Q = pose_of(pose_a, i), pose_of(pose_b, i)
        gap, n, p, q, features, _ = nearest(A, P, B, Q, (guess[i, 0], guess[i, 1], guess[i, 2]), hulls, work, math.inf)
        good[i] = determined(features)
        for k in range(COLUMNS):
            dg, dn, dp, dq = column(A, P, B, Q, (gap, n, p, q, features), k)
            out[i, 0, k] = dg
            for m in range(3):
                out[i, 1 + m, k], out[i, 4 + m, k], out[i, 7 + m, k] = dn[m], dp[m], dq[m]
