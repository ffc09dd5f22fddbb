"""Faces of convex hulls as polygons."""

import numpy as np

from dojo_py.collision.hull_polygons import hull_polygons


def test_three_corners_in_a_line_are_no_face():
    """A triangle without area on an edge of a tetrahedron: it has no normal, and was a face whose normal was not a number."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0]], float)
    triangles = np.array([[0, 2, 1], [0, 4, 3], [4, 1, 3], [0, 3, 2], [1, 2, 3], [0, 1, 4]])
    polygons, normals = hull_polygons(corners, triangles)
    assert len(polygons) == len(normals) == 4
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, rtol=1e-15)
