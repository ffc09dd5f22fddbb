"""Signed distance of a pair of convex geoms, and a quick test of their bounding spheres."""

import math

from dojo_py.algebra.vectors import along, dot, length, minus, times, unit
from dojo_py.arrays import body_row
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import PLANE, SPHERE, rounding, support
from dojo_py.collision.gjk import gjk
from dojo_py.collision.shown_polygons import pose_of, shape_of
from dojo_py.jit import kernel


@kernel
def gap_of(Q, W, a, pose_a, b, pose_b, reach):
    """(gap, n from A to B, witness point of A, of B) of two geoms; reach: see `nearest`. W.polytope: work."""
    A, B = shape_of(Q, a), shape_of(Q, b)
    if A[0] == PLANE or B[0] == PLANE:
        return _over_plane(A, pose_a, B, pose_b, Q)
    near = nearest(A, pose_a, B, pose_b, minus(pose_b[0], pose_a[0]), Q, W.polytope, reach)
    return near[0], near[1], near[2], near[3]


@kernel
def _over_plane(A, pose_a, B, pose_b, hulls):
    """`gap_of` if one is a plane, whose outside is along its z axis."""
    of_a = A[0] == PLANE
    plane, pose, shape = (pose_a, pose_b, B) if of_a else (pose_b, pose_a, A)
    m = (plane[1][2], plane[1][5], plane[1][8])
    p, _ = support(shape, pose, times(-1.0, m), hulls, -1)
    gap = dot(m, minus(p, plane[0]))
    q = along(p, -gap, m)
    if of_a:
        return gap, m, q, p
    return gap, times(-1.0, m), p, q


@kernel
def convex_distance(Q, W, k, x, R, reach):
    """Gap [m] of convex pair k at poses x (nb + 1, 3), R (nb + 1, 3, 3); if above reach [m], a lower bound that is above reach."""
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    i, j = body_row(x, Q.shape_node[a]), body_row(x, Q.shape_node[b])
    return gap_of(Q, W, a, pose_of(Q, a, x[i], R[i]), b, pose_of(Q, b, x[j], R[j]), reach)[0]


@kernel
def distance_of_point(Q, W, g, x, R, point):
    """Distance [m] of a point from convex geom g, its body at x (3,), R (3, 3); 0 inside. From a plane, on either side."""
    shape, pose = shape_of(Q, g), pose_of(Q, g, x, R)
    if shape[0] == PLANE:
        m = (pose[1][2], pose[1][5], pose[1][8])
        return abs(dot(m, minus(point, pose[0])))
    ball = (SPHERE, (0.0, 0.0, 0.0), 0, 0)
    v, count, _ = gjk(W.polytope.simplex, shape, pose, ball, (point, pose[1]), unit(minus(point, pose[0])), Q, 0, math.inf)
    return max(length(v) - rounding(shape), 0.0) if count > 0 else 0.0


@kernel
def distance_apart(Q, W, k, x, R):
    """Distance [m] of the geoms of convex pair k; 0 if they overlap, since the penetration depth takes far longer to compute."""
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    i, j = body_row(x, Q.shape_node[a]), body_row(x, Q.shape_node[b])
    A, B, pose_a, pose_b = shape_of(Q, a), shape_of(Q, b), pose_of(Q, a, x[i], R[i]), pose_of(Q, b, x[j], R[j])
    if A[0] == PLANE or B[0] == PLANE:
        return max(_over_plane(A, pose_a, B, pose_b, Q)[0], 0.0)
    v, count, _ = gjk(W.polytope.simplex, A, pose_a, B, pose_b, unit(minus(pose_b[0], pose_a[0])), Q, 0, math.inf)
    return max(length(v) - rounding(A) - rounding(B), 0.0) if count > 0 else 0.0


@kernel
def pair_far(Q, k, x, R, reach):
    """True when the bounding spheres of pair k are more than reach [m] apart; a plane has none."""
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    far = Q.shape_reach[a] + Q.shape_reach[b] + reach
    if not far < 1e150:
        return False
    i, j = body_row(x, Q.shape_node[a]), body_row(x, Q.shape_node[b])
    p, q, A, B = Q.shape_centre[a], Q.shape_centre[b], R[i], R[j]
    square = 0.0
    for r in range(3):
        d = x[i, r] + A[r, 0] * p[0] + A[r, 1] * p[1] + A[r, 2] * p[2]
        d -= x[j, r] + B[r, 0] * q[0] + B[r, 1] * q[1] + B[r, 2] * q[2]
        square += d * d
    return square > far * far
