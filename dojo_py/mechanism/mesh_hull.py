"""The convex hull of a mesh by Qhull (scipy): its triangles, and the graph of its vertices in MuJoCo's layout.

graph: nvert, nface, edge address (nvert), vertex of the mesh (nvert), neighbours by their number in the hull, each list ended
by -1 (nvert + 3 nface), triangles by their number in the mesh (3 nface)
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray

LEAST_HULL_VERTICES = 4


def hull_faces(vertices: Array, most: int) -> Array | str:
    """Triangles (m, 3) of the hull, counterclockwise from outside, in Qhull's order; or what is wrong, as text.

    `most`: of so many vertices at most (-1: all), those that Qhull finds first, farthest first.
    """
    if len(vertices) < LEAST_HULL_VERTICES:
        return f"{len(vertices)} vertices; at least {LEAST_HULL_VERTICES} are needed"
    from scipy.spatial import ConvexHull, QhullError  # not on import: most models have no meshes

    # Q9: the farthest point of all next, so that the first ones span most
    options = "Qt" if most < 0 else f"Qt Q9 TA{most - LEAST_HULL_VERTICES}"
    try:
        hull = ConvexHull(vertices, qhull_options=options)
    except QhullError as error:
        flat = "initial simplex is flat" in str(error) or "coplanar" in str(error)
        reason = "all vertices lie in a plane" if flat else str(error).strip().splitlines()[0]
        return f"no convex hull: {reason}; use a primitive shape"
    faces = hull.simplices.astype(int)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inwards] = faces[inwards][:, [1, 0, 2]]
    return faces


def hull_graph(faces: Array) -> Array:
    """The graph of a hull; its vertices in ascending order of their number in the mesh."""
    vertices, local = np.unique(faces, return_inverse=True)
    local = local.reshape(-1, 3)
    pairs = np.concatenate([local[:, [i, j]] for i in range(3) for j in range(3) if i != j])
    pairs = np.unique(pairs, axis=0)
    count = np.bincount(pairs[:, 0], minlength=len(vertices))
    address = np.concatenate([[0], np.cumsum(count + 1)[:-1]])
    edges = np.full(len(vertices) + len(pairs), -1)
    edges[np.arange(len(pairs)) + pairs[:, 0]] = pairs[:, 1]
    return np.concatenate([[len(vertices), len(faces)], address, vertices, edges, faces.ravel()])
