"""How the facing of a pair's features (facing.py) changes with both poses, where a step on the central path starts.

A shows what it has along ν = R_Aᵀ n, B along ν = -R_Bᵀ n, n the normal of the pair from A to B. With G = R ∂(1/σ)/∂ν in the world,

    ∂(1/σ_A + 1/σ_B) = G_A · (δn - ω_A × n) - G_B · (δn - ω_B × n)

δn: n turns with a face that holds a point of the other shape; else as convex_derivatives.py says.
"""

import math

from dojo_py.collision.convex_derivatives import motion_change
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import PLANE
from dojo_py.collision.facing import WHOLE, ZERO, facing, has_faces
from dojo_py.collision.pair_gap import gap_of
from dojo_py.collision.shown_polygons import pose_of, shape_of
from dojo_py.collision.vectors import cross, dot, minus, plus, row, times, turned, turned_back
from dojo_py.jit import kernel

FLUSH = 1e-13
"""1 - cosine of the angle between the normals of a pair and of a face below which they are one."""


@kernel
def has_normal(Q, g, pose, n):
    """Whether n is the normal of a plane, or of a face of a box or mesh."""
    v = turned_back(pose[1], n)
    if Q.shape_kind[g] == PLANE:
        return v[2] > 0.0
    if has_faces(Q, g):
        for f in range(Q.shape_faces[g, 0], Q.shape_faces[g, 0] + Q.shape_faces[g, 1]):
            if dot(v, row(Q.face_normal, f)) > 1.0 - FLUSH:
                return True
    return False


@kernel
def _less(Q, part, pose, n):
    """(1/σ, its derivative G by ν, world) of a part seen along n, world. (0 where it is shown wholly)."""
    sigma, by = facing(Q, part, turned_back(pose[1], n))
    if sigma == math.inf:
        return 0.0, ZERO
    return 1.0 / sigma, turned(pose[1], times(-1.0 / (sigma * sigma), by))


@kernel
def turned_away(Q, W, f, reach, x, R, by):
    """d₂ (1/σ_A + 1/σ_B) of feature f [m]; its derivative by (δx_A, δθ_A, δx_B, δθ_B) is added to by (12,). reach: d₂ [m].

    x (nb + 1, 3), R (nb + 1, 3, 3): poses where the step starts.
    """
    a, b = W.fshape[f, 0], W.fshape[f, 1]
    i, j = W.fbody[f, 0], W.fbody[f, 1]
    pose_a, pose_b = pose_of(Q, a, x[i], R[i]), pose_of(Q, b, x[j], R[j])
    n = gap_of(Q, W, a, pose_a, b, pose_b)[1]
    less_a, by_a = _less(Q, (W.fpart[f, 0, 0], W.fpart[f, 0, 1], W.fpart[f, 0, 2]), pose_a, n)
    less_b, by_b = _less(Q, (W.fpart[f, 1, 0], W.fpart[f, 1, 1], W.fpart[f, 1, 2]), pose_b, times(-1.0, n))
    both, turn_a, turn_b = minus(by_a, by_b), cross(n, by_a), cross(n, by_b)  # (e × n) · G = e · (n × G)
    for r in range(3):
        by[3 + r] -= reach * turn_a[r]
        by[9 + r] += reach * turn_b[r]
    on_a = has_normal(Q, a, pose_a, n)
    if on_a or has_normal(Q, b, pose_b, times(-1.0, n)):
        with_face = cross(n, both)
        for r in range(3):
            by[(3 if on_a else 9) + r] += reach * with_face[r]
    else:
        _follow(Q, W, (a, i, pose_a), (b, j, pose_b), x, times(reach, both), by)
    return reach * (less_a + less_b)


@kernel
def _follow(Q, W, first, second, x, G, by):
    """by (12,) += G · δn where n belongs to no face; first, second: geom, body and pose of both."""
    (a, i, pose_a), (b, j, pose_b) = first, second
    A, B = shape_of(Q, a), shape_of(Q, b)
    gap, n, p, q, features, _ = nearest(A, pose_a, B, pose_b, minus(pose_b[0], pose_a[0]), Q, W.polytope)
    arm_a, arm_b = minus(pose_a[0], (x[i, 0], x[i, 1], x[i, 2])), minus(pose_b[0], (x[j, 0], x[j, 1], x[j, 2]))
    for k in range(12):
        e = ((k % 3 == 0) * 1.0, (k % 3 == 1) * 1.0, (k % 3 == 2) * 1.0)
        ua, ta = e if k < 3 else ZERO, e if 3 <= k < 6 else ZERO
        ub, tb = e if 6 <= k < 9 else ZERO, e if k >= 9 else ZERO
        change = motion_change(
            A, pose_a, B, pose_b, (gap, n, p, q, features), plus(ua, cross(ta, arm_a)), ta, plus(ub, cross(tb, arm_b)), tb
        )
        by[k] += dot(G, change[1])


@kernel
def is_turned_away(W, f):
    """Whether feature f has a part that is not shown wholly."""
    return W.fpart[f, 0, 0] != WHOLE or W.fpart[f, 1, 0] != WHOLE
