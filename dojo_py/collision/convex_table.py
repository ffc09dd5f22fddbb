"""The convex shapes of a model as arrays: kinds, sizes, hull vertices (corners), faces and edges, each in the geom's frame.

GJK, EPA (convex_pair.py) and the manifold (manifold.py) read them. Planes are included as shapes of kind PLANE, whose outside is
along their z axis.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.collision.convex_shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, PLANE, SPHERE
from dojo_py.collision.height_fields import HFIELD, height_fields, prism_corners
from dojo_py.mechanism.quaternion import matrix

Array = np.ndarray

COPLANAR = 1e-7
"""Adjacent triangles of a hull are one face if their heights over a common plane are below this, over the size of the hull."""
FLAT = 1e-12
"""If the heights of a face's corners over its plane exceed this, over the size, all of them are made neighbours of each other:
meshes in single precision have such faces, around which hill climbing for the support point could stop at a local maximum."""


class ShapeTable(NamedTuple):
    """One row a geom, and the corners and faces of all hulls, concatenated. Frames: the geom's."""

    kind: Array  # (g,) MuJoCo's geom type
    size: Array  # (g, 3) half sizes [m]
    hull: Array  # (g, 2) first corner and number of corners
    faces: Array  # (g, 2) first face and number of faces
    reach: Array  # (g,) bounding radius about the geom's centre [m]
    corner: Array  # (n, 3) [m]
    first: Array  # (n + 1,) start of a corner's neighbours
    neighbour: Array  # (…,)
    around: Array  # (n + 1,) start of a corner's faces
    around_face: Array  # (…,)
    normal: Array  # (f, 3) of a face, outwards
    ring: Array  # (f + 1,) start of a face's corners
    ring_corner: Array  # (…,) counterclockwise from outside


def shape_table(model: Any, wanted: Any) -> ShapeTable:
    """The ShapeTable of a Model; hulls of the geoms in `wanted` only: one of each mesh, one of each box, whose size can change."""
    number = model.ngeom
    kind, size = np.array(model.geom_type, np.int64), np.array(model.geom_size, float).reshape(-1, 3)
    hull, faces, reach = np.zeros((number, 2), np.int64), np.zeros((number, 2), np.int64), np.zeros(number)
    known: dict[int, tuple[tuple[int, int], tuple[int, int]]] = {}
    boxes: dict[tuple[float, ...], Any] = {}  # size -> `flat_faces`
    parts = _Parts()
    for g in sorted({int(g) for g in wanted}):
        reach[g] = _reach(kind[g], size[g])
        if kind[g] == HFIELD:
            field = int(model.geom_dataid[g])
            hull[g], faces[g, 0] = parts.add_points(prism_corners(height_fields(model), field).reshape(-1, 3)), field
            reach[g] = model.geom_rbound[g]
        if kind[g] == BOX:
            corners, name = _box_corners(size[g]), tuple(size[g].tolist())
            if name not in boxes:
                boxes[name] = flat_faces(corners)
            hull[g], faces[g] = parts.add(corners, boxes[name])
        if kind[g] == MESH:
            mesh = int(model.geom_dataid[g])
            if mesh not in known:
                known[mesh] = parts.add(_mesh_corners(model, mesh))
            hull[g], faces[g] = known[mesh]
            reach[g] = np.linalg.norm(parts.corners[hull[g, 0] : hull[g].sum()], axis=1).max(initial=0.0)
    return ShapeTable(kind, size, hull, faces, reach, *parts.arrays())


def has_hull(model: Any, g: int) -> bool:
    """Whether geom g is a mesh with a convex hull."""
    return int(model.geom_dataid[g]) >= 0 and int(model.mesh_graphadr[int(model.geom_dataid[g])]) >= 0


def _reach(kind: int, size: Array) -> float:
    if kind == SPHERE:
        return float(size[0])
    if kind == CAPSULE:
        return float(size[0] + size[1])
    if kind == CYLINDER:
        return float(np.hypot(size[0], size[1]))
    if kind == ELLIPSOID:
        return float(size.max())
    if kind == PLANE:
        return np.inf
    return float(np.linalg.norm(size))


def _box_corners(size: Array) -> Array:
    return np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * size


def _mesh_corners(model: Any, mesh: int) -> Array:
    """(n, 3) corners of the hull of a mesh of a Model."""
    address, first = int(model.mesh_graphadr[mesh]), int(model.mesh_vertadr[mesh])
    graph = np.asarray(model.mesh_graph[address:], np.int64)
    return np.array(model.mesh_vert[first + graph[2 + graph[0] : 2 + 2 * graph[0]]], float)


class _Parts:
    """Hulls, concatenated."""

    def __init__(self) -> None:
        self._corners: list[Array] = [np.zeros((0, 3))]
        self._neighbours: list[list[int]] = []
        self._around: list[list[int]] = []
        self._normals: list[Array] = []
        self._rings: list[list[int]] = []
        self._total = 0

    @property
    def corners(self) -> Array:
        return np.concatenate(self._corners)

    def add(self, corners: Array, faces: Any = None) -> tuple[tuple[int, int], tuple[int, int]]:
        """((first corner, number), (first face, number)) of a new hull with these corners. faces: its `flat_faces`, if known.

        Vertices inside a face or an edge are left out: a search that begins at one (`support`) has no neighbour to go on to.
        """
        first, first_face = self._total, len(self._rings)
        rings, normals = flat_faces(corners) if faces is None else faces
        used, numbers = np.unique(np.concatenate([np.asarray(ring, int) for ring in rings]), return_inverse=True)
        if len(used) < len(corners):
            corners = corners[used]
            ends = np.cumsum([len(ring) for ring in rings])[:-1]
            rings = [ring.tolist() for ring in np.split(numbers, ends)]
        neighbours: list[set[int]] = [set() for _ in corners]
        around: list[list[int]] = [[] for _ in corners]
        flat = FLAT * np.ptp(corners, axis=0).max()
        for face, ring in enumerate(rings):
            heights = (corners[ring] - corners[ring].mean(axis=0)) @ normals[face]
            bulges = len(ring) > 3 and np.abs(heights).max() > flat
            for i, k in zip(ring, [*ring[1:], ring[0]], strict=True):
                neighbours[i].add(k)
                neighbours[k].add(i)
                around[i].append(first_face + face)
                if bulges:
                    neighbours[i].update(other for other in ring if other != i)
        self._corners.append(corners)
        self._neighbours += [sorted(first + k for k in near) for near in neighbours]
        self._around += around
        self._normals += list(normals)
        self._rings += [[first + i for i in ring] for ring in rings]
        self._total += len(corners)
        return (first, len(corners)), (first_face, len(rings))

    def add_points(self, corners: Array) -> tuple[int, int]:
        """(first corner, number) of points without faces."""
        first = self._total
        self._corners.append(corners)
        self._neighbours += [[]] * len(corners)
        self._around += [[]] * len(corners)
        self._total += len(corners)
        return first, len(corners)

    def arrays(self) -> tuple[Array, ...]:
        """The last eight fields of a ShapeTable."""
        normals = np.array(self._normals, float).reshape(-1, 3)
        return (self.corners, *_ragged(self._neighbours), *_ragged(self._around), normals, *_ragged(self._rings))


def _ragged(rows: list[list[int]]) -> tuple[Array, Array]:
    """(start of each row, all entries)."""
    starts = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    return starts, np.array([i for r in rows for i in r], np.int64)


def flat_faces(corners: Array) -> tuple[list[list[int]], Array]:
    """Faces of a convex hull as polygons: corners of each counterclockwise from outside, and (f, 3) normals.

    Only triangles that are coplanar up to round-off are merged, because contacts rest on the plane of the polygon (the soft mode
    merges more, as MuJoCo does: hull_polygons.py). A vertex inside a face or an edge is a corner of none.
    """
    from scipy.spatial import ConvexHull  # not on import: most models have no such pairs

    hull = ConvexHull(corners, qhull_options="Qt")
    size = np.ptp(corners, axis=0).max()
    planes, owner = hull.equations, np.full(len(hull.simplices), -1)
    normals: list[Array] = []
    for start in np.argsort(-_areas(corners, hull.simplices)):  # the largest triangle defines the plane of a face
        if owner[start] >= 0:
            continue
        owner[start], stack = len(normals), [start]
        while stack:
            for other in hull.neighbors[stack.pop()]:
                if owner[other] < 0:
                    heights = corners[hull.simplices[other]] @ planes[start, :3] + planes[start, 3]
                    if np.abs(heights).max() < COPLANAR * size and planes[other, :3] @ planes[start, :3] > 0.0:
                        owner[other] = len(normals)
                        stack.append(other)
        normals.append(planes[start, :3])
    order, number = np.argsort(owner, kind="stable"), np.bincount(owner)
    first = np.cumsum(number) - number
    alone = np.flatnonzero(number == 1)  # (thousands in a curved mesh)
    found = _triangle_rings(corners, hull.simplices[order[first[alone]]], np.array(normals)[alone])
    triangles = dict(zip(alone.tolist(), found, strict=True))
    rings = [
        triangles[f] if n == 1 else _ring(corners, np.unique(hull.simplices[order[first[f] : first[f] + n]]), normals[f])
        for f, n in enumerate(number)
    ]
    return rings, np.array(normals)


def _areas(corners: Array, triangles: Array) -> Array:
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1)


def _triangle_rings(corners: Array, triangles: Array, normals: Array) -> list[list[int]]:
    """`_ring` of each triangle, vectorised."""
    members = np.sort(triangles, axis=1)
    x = np.cross(np.eye(3)[np.argmin(np.abs(normals), axis=1)], normals)
    away = corners[members] - corners[members].mean(axis=1, keepdims=True)
    angles = np.arctan2(np.einsum("fki,fi->fk", away, np.cross(normals, x)), np.einsum("fki,fi->fk", away, x))
    rings: list[list[int]] = np.take_along_axis(members, np.argsort(angles, axis=1), axis=1).tolist()
    return rings


def _ring(corners: Array, members: Array, normal: Array) -> list[int]:
    """The members that are corners of their polygon, counterclockwise about the normal."""
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    x = np.cross(axis, normal)
    x /= np.linalg.norm(x)
    flat = (corners[members] - corners[members].mean(axis=0)) @ np.stack([x, np.cross(normal, x)], axis=1)
    order = np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))
    kept = list(order)
    scale = np.ptp(flat, axis=0).max() ** 2
    for i in order:  # drop vertices collinear with their neighbours
        at = kept.index(i)
        a, b = flat[kept[at - 1]], flat[kept[(at + 1) % len(kept)]]
        turn = (flat[i, 0] - a[0]) * (b[1] - flat[i, 1]) - (flat[i, 1] - a[1]) * (b[0] - flat[i, 0])
        if len(kept) > 3 and turn < 1e-12 * scale:
            kept.pop(at)
    return [int(members[i]) for i in kept]


def frames(where: Any, model: Any, com: Array) -> tuple[Array, Array, Array]:
    """Node (-1: the world), centre (3,) and axes (3, 3) of every geom in the frame of its node at the centre of mass."""
    node, centre, axes = np.zeros(model.ngeom, np.int64), np.zeros((model.ngeom, 3)), np.zeros((model.ngeom, 3, 3))
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        node[g] = where.node[b]
        R = matrix(where.quat[b])
        centre[g] = where.pos[b] + R @ model.geom_pos[g] - (com[node[g]] if node[g] >= 0 else 0.0)
        axes[g] = R @ matrix(model.geom_quat[g])
    return node, centre, axes
