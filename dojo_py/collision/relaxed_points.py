"""Relaxed nearest points of two boxes, meshes or capsules: unique, and analytic in both poses.

The exact nearest points jump from end to end of parallel edges and faces, and the direction between them has a kink there. What
shapes show to one another on the central path (facing.py) is therefore determined by the direction between

    p, q = argmin |p - q|²/2 - τ (Σ ln s_i(p) + Σ ln s_j(q)),      τ = (0.05 r)²

s: distances from the planes of the faces, or from the ends of an axis; r: the smaller radius of the balls inside both shapes as
they were built. With gradients g and inverse Hessians C of both barriers, e = p - q, and residuals r_A, r_B, Newton's method solves

    e/τ + g_A = 0,   -e/τ + g_B = 0:      K de = -C_A r_A + C_B r_B,   dp = -C_A (r_A + de/τ),   dq = -C_B (r_B - de/τ),
    K = 1 + (C_A + C_B)/τ

while τ decreases from a large value. When the bodies move, with displacements u of p, q as points of their bodies and rotations ω,

    K ∂e = u_A - u_B + C_A (ω_A × e)/τ + C_B (ω_B × e)/τ
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, length, minus, plus, row, times, turned, turned_back
from dojo_py.collision.convex_shapes import CAPSULE
from dojo_py.jit import kernel

SOFTNESS = 0.05
"""√τ over r: how far the points stay from faces and ends, as a fraction of the shapes' radius."""
FASTER = 0.03
"""Factor of τ from one stage of the path to the next; a stage has two Newton steps."""
LONG_STEPS = 60
"""So many Newton steps may go most of the way to the nearest face. That suffices for most shapes, but among thousands of faces such
steps can cycle. Later ones are damped by 1/(1 + λ), λ Newton's decrement, which converges from everywhere (Boyd and Vandenberghe,
Convex Optimization, 9.6: the function is self-concordant)."""
DAMPED = 0.25
"""λ from which later steps are damped."""
MOST_STEPS = 400
EXACT = 1e-14
"""Change of the points in a step, over r, below which the iteration has converged."""
NEARLY = 1e-6
"""Likewise for steps that do not become shorter: their change is round-off."""
BACK = 0.9
"""Fraction of the way to the nearest face that a step may take."""
P, Q_POINT, INVERSE, OF_A, OF_B, PAIR, POSES, NUMBERS = 0, 3, 6, 15, 24, 33, 34, 58
"""First column in the row of results of: p, q, K⁻¹, C_A/τ, C_B/τ, number of the pair, poses of both geoms. NUMBERS: its length."""


@kernel
def _inverse(a):
    """Inverse of a symmetric positive definite matrix of nine numbers, by a = L D Lᵀ.

    Cofactors would lose twice as many digits: all, for a capsule a hundred times as long as the other shape is wide.
    """
    l10, l20 = a[3] / a[0], a[6] / a[0]
    d1, m = a[4] - l10 * a[3], a[7] - l20 * a[3]
    l21 = m / d1
    d0, d1, d2 = 1.0 / a[0], 1.0 / d1, 1.0 / (a[8] - l20 * a[6] - l21 * m)
    w = l10 * l21 - l20
    b10, b20, b21 = -l10 * d1 - w * l21 * d2, w * d2, -l21 * d2
    return (d0 + l10 * l10 * d1 + w * w * d2, b10, b20, b10, d1 + l21 * l21 * d2, b21, b20, b21, d2)


@kernel
def _compliance(a, b, scale):
    """K = 1 + scale (a + b)."""
    return (
        1.0 + scale * (a[0] + b[0]), scale * (a[1] + b[1]), scale * (a[2] + b[2]),
        scale * (a[3] + b[3]), 1.0 + scale * (a[4] + b[4]), scale * (a[5] + b[5]),
        scale * (a[6] + b[6]), scale * (a[7] + b[7]), 1.0 + scale * (a[8] + b[8]),
    )  # fmt: skip


@kernel
def _outer(a, s, m):
    """a + s m mᵀ of nine numbers a."""
    return (
        a[0] + s * m[0] * m[0], a[1] + s * m[0] * m[1], a[2] + s * m[0] * m[2],
        a[3] + s * m[1] * m[0], a[4] + s * m[1] * m[1], a[5] + s * m[1] * m[2],
        a[6] + s * m[2] * m[0], a[7] + s * m[2] * m[1], a[8] + s * m[2] * m[2],
    )  # fmt: skip


@kernel
def _barrier(Q, g, p):
    """(gradient, inverse Hessian) of -Σ ln s of geom g at a point p in its frame."""
    total, H = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if Q.shape_kind[g] == CAPSULE:
        h, z = Q.shape_size[g, 1], (0.0, 0.0, 1.0)
        s, t = 1.0 / (h - p[2]), 1.0 / (h + p[2])
        return times(s - t, z), _outer(H, 1.0 / (s * s + t * t), z)
    for f in range(Q.shape_faces[g, 0], Q.shape_faces[g, 0] + Q.shape_faces[g, 1]):
        m = row(Q.face_normal, f)
        s = 1.0 / dot(m, minus(row(Q.corner, Q.ring_corner[Q.ring[f]]), p))
        total, H = along(total, s, m), _outer(H, s * s, m)
    return total, _inverse(H)


@kernel
def _longest(Q, g, p, dp):
    """Fraction of a step dp from p, in the frame of geom g, that stays inside; at most 1."""
    if Q.shape_kind[g] == CAPSULE:
        room = Q.shape_size[g, 1] - p[2] if dp[2] > 0.0 else Q.shape_size[g, 1] + p[2]
        return min(1.0, BACK * room / max(abs(dp[2]), 1e-300))
    share = 1.0
    for f in range(Q.shape_faces[g, 0], Q.shape_faces[g, 0] + Q.shape_faces[g, 1]):
        m = row(Q.face_normal, f)
        closing = dot(m, dp)
        if closing > 0.0:
            share = min(share, BACK * dot(m, minus(row(Q.corner, Q.ring_corner[Q.ring[f]]), p)) / closing)
    return share


@kernel
def _turned_matrix(R, a):
    """R a Rᵀ of nine numbers each."""
    x, y, z = turned(R, (a[0], a[3], a[6])), turned(R, (a[1], a[4], a[7])), turned(R, (a[2], a[5], a[8]))  # columns of R a
    u, v, w = turned(R, (x[0], y[0], z[0])), turned(R, (x[1], y[1], z[1])), turned(R, (x[2], y[2], z[2]))  # rows of R a Rᵀ
    return (u[0], u[1], u[2], v[0], v[1], v[2], w[0], w[1], w[2])


@kernel
def smaller_radius(Q, a, b):
    """r [m] of two geoms."""
    return max(min(Q.shape_scale[a], Q.shape_scale[b]), 1e-9)


@kernel
def relax(Q, k, a, pose_a, b, pose_b, out):
    """Write the relaxed nearest points of geoms a, b, pair k, and what their derivatives need, into a row of results (NUMBERS,)."""
    if out[PAIR] == k and _is_pose(out, POSES, pose_a) and _is_pose(out, POSES + 12, pose_b):
        return
    r = smaller_radius(Q, a, b)
    tau, least = Q.shape_reach[a] ** 2 + Q.shape_reach[b] ** 2, (SOFTNESS * r) ** 2
    p, q, before = pose_a[0], pose_b[0], 0.0
    for step in range(MOST_STEPS):
        if step % 2 == 0:
            tau = max(FASTER * tau, least)
        own_p, own_q = turned_back(pose_a[1], minus(p, pose_a[0])), turned_back(pose_b[1], minus(q, pose_b[0]))
        g_a, C_a = _barrier(Q, a, own_p)
        g_b, C_b = _barrier(Q, b, own_q)
        C_a, C_b = _turned_matrix(pose_a[1], C_a), _turned_matrix(pose_b[1], C_b)
        e = minus(p, q)
        r_a, r_b = along(turned(pose_a[1], g_a), 1.0 / tau, e), along(turned(pose_b[1], g_b), -1.0 / tau, e)
        K = _inverse(_compliance(C_a, C_b, 1.0 / tau))
        de = turned(K, minus(turned(C_b, r_b), turned(C_a, r_a)))
        dp, dq = times(-1.0, turned(C_a, along(r_a, 1.0 / tau, de))), times(-1.0, turned(C_b, along(r_b, -1.0 / tau, de)))
        decrement = math.sqrt(max(-dot(r_a, dp) - dot(r_b, dq), 0.0))
        if step < LONG_STEPS or decrement < DAMPED:
            share = min(_longest(Q, a, own_p, turned_back(pose_a[1], dp)), _longest(Q, b, own_q, turned_back(pose_b[1], dq)))
        else:
            share = 1.0 / (1.0 + decrement)
        p, q = along(p, share, dp), along(q, share, dq)
        moved = length(dp) + length(dq)
        if tau == least and (moved < EXACT * r or before <= moved < NEARLY * r):
            break
        before = moved
    for i in range(3):
        out[P + i], out[Q_POINT + i] = p[i], q[i]
    for i in range(9):
        out[INVERSE + i], out[OF_A + i], out[OF_B + i] = K[i], C_a[i] / tau, C_b[i] / tau
    out[PAIR] = k
    _put_pose(out, POSES, pose_a)
    _put_pose(out, POSES + 12, pose_b)


@kernel
def _put_pose(out, at, pose):
    """Write a pose (position, matrix) into a row of results."""
    for i in range(3):
        out[at + i] = pose[0][i]
    for i in range(9):
        out[at + 3 + i] = pose[1][i]


@kernel
def _is_pose(out, at, pose):
    """Whether a row of results has this pose."""
    for i in range(3):
        if out[at + i] != pose[0][i]:
            return False
    for i in range(9):
        if out[at + 3 + i] != pose[1][i]:
            return False
    return True


@kernel
def relaxed_normal(out):
    """Unit vector from p to q of a row of results (NUMBERS,)."""
    e = (out[Q_POINT] - out[P], out[Q_POINT + 1] - out[P + 1], out[Q_POINT + 2] - out[P + 2])
    return times(1.0 / max(length(e), 1e-300), e)


@kernel
def _nine(out, at):
    """Nine numbers of a row of results."""
    return (
        out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4], out[at + 5], out[at + 6], out[at + 7], out[at + 8],
    )  # fmt: skip


@kernel
def follow_normal(out, G, x_a, x_b, by):
    """by (12,) += G · ∂n by (δx_A, δθ_A, δx_B, δθ_B), n: `relaxed_normal` of a row of results, out.

    x_a, x_b (3,): centres of the bodies [m].
    """
    p, q = (out[P], out[P + 1], out[P + 2]), (out[Q_POINT], out[Q_POINT + 1], out[Q_POINT + 2])
    e, n = minus(p, q), relaxed_normal(out)
    back = turned(_nine(out, INVERSE), times(-1.0 / max(length(e), 1e-300), along(G, -dot(n, G), n)))  # K is symmetric
    turn_a = plus(cross(minus(p, x_a), back), cross(e, turned(_nine(out, OF_A), back)))
    turn_b = minus(cross(e, turned(_nine(out, OF_B), back)), cross(minus(q, x_b), back))
    for r in range(3):
        by[r] += back[r]
        by[3 + r] += turn_a[r]
        by[6 + r] -= back[r]
        by[9 + r] += turn_b[r]


@kernel
def normal_by_size(Q, out, G, side, g, k, r):
    """G · ∂n by size k of geom g, that of A (side 0) or B, a box or a capsule, with both bodies and r held.

    A size moves the planes of the two faces ± m across its axis, so that the barrier's gradient changes by m (1/s₋² - 1/s₊²):
    K δe = -C_A δg_A + C_B δg_B.
    """
    axis, sign = (k, -1.0 if side == 0 else 1.0)
    if Q.shape_kind[g] == CAPSULE:
        if k != 1:
            return 0.0
        axis = 2
    at, own = P if side == 0 else Q_POINT, POSES + 12 * side
    e, n = minus((out[P], out[P + 1], out[P + 2]), (out[Q_POINT], out[Q_POINT + 1], out[Q_POINT + 2])), relaxed_normal(out)
    back = turned(_nine(out, INVERSE), times(-1.0 / max(length(e), 1e-300), along(G, -dot(n, G), n)))
    m = (out[own + 3 + axis], out[own + 6 + axis], out[own + 9 + axis])
    y = dot(m, (out[at] - out[own], out[at + 1] - out[own + 1], out[at + 2] - out[own + 2]))
    above, below = 1.0 / (Q.shape_size[g, k] - y), 1.0 / (Q.shape_size[g, k] + y)
    C = _nine(out, OF_A if side == 0 else OF_B)
    return sign * (SOFTNESS * r) ** 2 * (below * below - above * above) * dot(back, turned(C, m))
