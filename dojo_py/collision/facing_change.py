"""Derivative of the facing term of a pair's features (facing.py) by both poses, at the start of a step on the central path.

A is seen along ν = R_Aᵀ n, B along ν = -R_Bᵀ n. n is the direction from A to B between the relaxed nearest points of the pair
(relaxed_points.py), or the normal of a plane. With G = R ∂(1/σ)/∂ν in the world frame,

    ∂(1/σ_A + 1/σ_B) = G_A · (δn - ω_A × n) - G_B · (δn - ω_B × n)
"""

import math

from dojo_py.algebra.vectors import cross, minus, times, turned, turned_back
from dojo_py.arrays import body_row
from dojo_py.collision.convex_shapes import PLANE
from dojo_py.collision.facing import WHOLE, ZERO, facing, listed_side
from dojo_py.collision.relaxed_points import follow_normal, normal_by_size, relax, relaxed_normal, smaller_radius
from dojo_py.collision.shown_polygons import pose_of
from dojo_py.jit import kernel

NOT_SHOWN = 100.0
"""Upper bound of 1/σ: the gap then grows by this many d₂, while impulses are zero beyond one. It is reached by parts that are not
shown at all, which occur within a divided step: its features are those of the start of the whole step."""


@kernel
def direction(Q, W, k, a, pose_a, b, pose_b):
    """n of pair k, from geom a to geom b, world."""
    if Q.shape_kind[a] == PLANE:
        R = pose_a[1]
        return (R[2], R[5], R[8])
    if Q.shape_kind[b] == PLANE:
        R = pose_b[1]
        return (-R[2], -R[5], -R[8])
    relax(Q, k, a, pose_a, b, pose_b, W.relaxed)
    return relaxed_normal(W.relaxed)


@kernel
def _less(Q, M, g, part, pose, n):
    """(1/σ, its derivative G by ν in the world frame) of a part of geom g seen along n, world; at most NOT_SHOWN."""
    v = turned_back(pose[1], n)
    sigma, by = facing(Q, M, listed_side(M, g, v), part, v)
    if sigma == math.inf:
        return 0.0, ZERO
    if sigma < 1.0 / NOT_SHOWN:
        return NOT_SHOWN, ZERO
    return 1.0 / sigma, turned(pose[1], times(-1.0 / (sigma * sigma), by))


@kernel
def turned_away(Q, W, f, reach, x, R, by):
    """d₂ (1/σ_A + 1/σ_B) of feature f [m]; its derivative by (δx_A, δθ_A, δx_B, δθ_B) is added to `by` (12,). reach: d₂ [m].

    x (nb + 1, 3), R (nb + 1, 3, 3): poses where the step starts.
    """
    a, b = W.fshape[f, 0], W.fshape[f, 1]
    i, j = body_row(x, W.fbody[f, 0]), body_row(x, W.fbody[f, 1])
    less_a, by_a, less_b, by_b, n = _both(Q, W, f, x, R)
    G = times(reach, minus(by_a, by_b))
    turn_a, turn_b, with_n = cross(n, by_a), cross(n, by_b), cross(n, G)  # (e × n) · G = e · (n × G)
    plane_a, plane_b = Q.shape_kind[a] == PLANE, Q.shape_kind[b] == PLANE
    for r in range(3):
        by[3 + r] += plane_a * with_n[r] - reach * turn_a[r]
        by[9 + r] += plane_b * with_n[r] + reach * turn_b[r]
    if not (plane_a or plane_b):
        follow_normal(W.relaxed, G, (x[i, 0], x[i, 1], x[i, 2]), (x[j, 0], x[j, 1], x[j, 2]), by)
    return reach * (less_a + less_b)


@kernel
def _both(Q, W, f, x, R):
    """`_less` of both sides of feature f, and n; where neither shape is a plane W.relaxed has their relaxed nearest points."""
    a, b = W.fshape[f, 0], W.fshape[f, 1]
    i, j = body_row(x, W.fbody[f, 0]), body_row(x, W.fbody[f, 1])
    pose_a, pose_b = pose_of(Q, a, x[i], R[i]), pose_of(Q, b, x[j], R[j])
    n = direction(Q, W, W.fpair[f], a, pose_a, b, pose_b)
    part_a, part_b = (W.fpart[f, 0, 0], W.fpart[f, 0, 1], W.fpart[f, 0, 2]), (W.fpart[f, 1, 0], W.fpart[f, 1, 1], W.fpart[f, 1, 2])
    less_a, by_a = _less(Q, W.manifold, a, part_a, pose_a, n)
    less_b, by_b = _less(Q, W.manifold, b, part_b, pose_b, times(-1.0, n))
    return less_a, by_a, less_b, by_b, n


@kernel
def turned_away_by_size(Q, W, f, side, k, reach, x, R):
    """Derivative of `turned_away` by size k of the shape on one side of feature f: n moves with it."""
    a, b = W.fshape[f, 0], W.fshape[f, 1]
    if Q.shape_kind[a] == PLANE or Q.shape_kind[b] == PLANE:
        return 0.0
    _, by_a, _, by_b, _ = _both(Q, W, f, x, R)
    return normal_by_size(Q, W.relaxed, times(reach, minus(by_a, by_b)), side, a if side == 0 else b, k, smaller_radius(Q, a, b))


@kernel
def is_turned_away(W, f):
    """Whether feature f has a part that is not shown in full."""
    return W.fpart[f, 0, 0] != WHOLE or W.fpart[f, 1, 0] != WHOLE
