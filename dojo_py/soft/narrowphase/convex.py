"""Any two convex shapes: the points that are nearest, or deepest in one another; several where faces or edges lie on one another.

The wheel finds these by GJK and an expanding polytope, stopped at `ccd_tolerance` or after `ccd_iterations`: of curved shapes its
default leaves errors of millimetres. Here they are exact (docs/contact.md); both options have no effect.
"""

from typing import Any

import numpy as np

from dojo_py.algebra.vectors import along, minus, unit
from dojo_py.collision.convex import Shapes
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import ELLIPSOID, SPHERE, Hulls
from dojo_py.collision.hull_polygons import hull_polygons
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DisableBit
from dojo_py.soft.narrowphase import HFIELD, PLANE
from dojo_py.soft.narrowphase.features import CAP_CORNERS, Polygons
from dojo_py.soft.narrowphase.manifold import manifold
from dojo_py.soft.narrowphase.plane_mesh import plane_mesh
from dojo_py.soft.narrowphase.points import write

DISABLE_MULTICCD = int(DisableBit.MULTICCD)


@kernel
def convex(a, geom_a, b, geom_b, reach, hulls, polygons, several, polytope, clipping, out):
    """Contacts of two geoms (records) at the frames a, b. several: 1: faces and edges make more than one contact.

    polytope, clipping: scratch. Returns the number of contacts.
    """
    A, B = _shape(geom_a), _shape(geom_b)
    pose_a, pose_b = _pose(a), _pose(b)
    if A[0] == PLANE:
        return plane_mesh(pose_a, (pose_b, B), hulls, polygons, reach, clipping[0], out)
    across = unit(minus(pose_b[0], pose_a[0]))
    gap, n, p, q, _, _ = nearest(A, pose_a, B, pose_b, across, hulls, polytope, reach)
    if not gap < reach:
        return 0
    if several and not _is_smooth(A[0]) and not _is_smooth(B[0]):
        found = manifold(A, pose_a, B, pose_b, n, reach, hulls, polygons, clipping, out)
        if found > 0:
            return found
    middle = along(p, 0.5, minus(q, p))
    write(out, 0, gap, middle[0], middle[1], middle[2], n[0], n[1], n[2])
    return 1


@kernel
def _is_smooth(kind):
    return kind == SPHERE or kind == ELLIPSOID


@kernel
def _shape(geom):
    s = geom.sizes
    return np.int64(geom.type), (s[0], s[1], s[2]), np.int64(geom.hull[0]), np.int64(geom.hull[1])


@kernel
def _pose(frame):
    x, R = frame.xpos, frame.xmat
    return (x[0], x[1], x[2]), (R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2])


def hulls_of(model: Any) -> tuple[Hulls, np.ndarray]:
    """The hulls of all meshes, and (ngeom, 2) first corner and number of corners of each geom's; of a height field its number."""
    shapes, rows = Shapes.of_model(model), np.asarray(model.geom_type) == HFIELD
    shapes.hull[rows, 0] = np.asarray(model.geom_dataid)[rows]
    return shapes.hulls, shapes.hull


def polygons_of(model: Any, hulls: Hulls) -> Polygons:
    """The faces of all hulls: of a mujoco.MjModel its own (and in their order), else from the hulls' triangles."""
    faces, normals, start = [], [np.zeros((0, 3))], 0
    for mesh in range(int(model.nmesh)):
        address = int(model.mesh_graphadr[mesh])
        if address < 0:
            continue
        graph = np.asarray(model.mesh_graph[address:], np.int64)
        count = int(graph[0])
        number = {int(v): start + k for k, v in enumerate(graph[2 + count : 2 + 2 * count])}  # of the mesh -> of all hulls
        corners, directions = _faces_of(model, mesh, graph)
        faces += [[number[v] for v in face] for face in corners]
        normals.append(directions)
        start += count
    return _joined(faces, np.concatenate(normals), len(hulls.corner))


def _faces_of(model: Any, mesh: int, graph: np.ndarray) -> tuple[list[list[int]], np.ndarray]:
    """Corners of each face of a hull, by their number in the mesh, and the normals."""
    if hasattr(model, "mesh_polyvert"):
        rows = range(int(model.mesh_polyadr[mesh]), int(model.mesh_polyadr[mesh] + model.mesh_polynum[mesh]))
        first, length = model.mesh_polyvertadr, model.mesh_polyvertnum
        faces = [[int(v) for v in model.mesh_polyvert[first[i] : first[i] + length[i]]] for i in rows]
        return faces, np.array([model.mesh_polynormal[i] for i in rows], float).reshape(-1, 3)
    count, triangles = int(graph[0]), int(graph[1])
    first = 2 + 3 * count + 3 * triangles
    begin = int(model.mesh_vertadr[mesh])
    vertices = np.asarray(model.mesh_vert[begin : begin + int(model.mesh_vertnum[mesh])], float)
    return hull_polygons(vertices, graph[first : first + 3 * triangles].reshape(-1, 3))


def _joined(faces: list[list[int]], normals: np.ndarray, corners: int) -> Polygons:
    at: list[list[int]] = [[] for _ in range(corners)]
    for i, face in enumerate(faces):
        for corner in face:
            at[corner].append(i)

    def flat(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
        starts = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
        return starts, np.array([v for x in lists for v in x], np.int64)

    starts, corner_of = flat(faces)
    return Polygons(starts, corner_of, np.ascontiguousarray(normals), *flat(at))


def clipping_space(polygons: Polygons) -> np.ndarray:
    """Scratch of the manifold: three lists of corners, each as long as a face that is cut by another can become."""
    most = max(CAP_CORNERS, int(np.diff(polygons.first).max(initial=0)))
    return np.zeros((3, 2 * most + 8, 3))
