"""What the turn and displacement of a body do to its rows through its contacts, the multipliers held and the contacts condensed.

Planes: in closed form, by the same row functions as the step with another tangent. Pairs of bodies: by central differences of their
rows, six a pair; the motion of the other body follows, because a rigid motion of both changes nothing but directions. Only the
tangents of the start, chosen beside the world's axes, do not turn along: they twist about the normal, which a pyramid feels.
"""

import math

from dojo_py.collision.plane import touching_point
from dojo_py.hard.contact_rows import evaluate_contact, pair_gap
from dojo_py.hard.pair_contacts import smallest, tangents
from dojo_py.hard.plane_contacts import plane_rows
from dojo_py.hard.terms import PYRAMID
from dojo_py.jit import kernel
from dojo_py.rotation import quat_to_matrix
from dojo_py.solver.cones import impulse_of


@kernel
def plane_changes(L, P, W, G, h):
    """G.contact[b] (6, 6): right-hand side of body b by (u, ψ), the rigid displacement of both its poses about its centre at the
    start; velocities turn along. G.force gets the impulses, which do not turn with the body.
    """
    s = W.scratch
    F, value, C, B, H, y, T = s[20, 0:3], s[21, 0:3], s[22:25, 0:6], s[25:28, 0:6], s[28:31, 0:3], s[31:34, 0:6], s[34:37, 0:3]
    for c in range(W.n_active[1]):
        i, b = W.active[c], W.cbody[c, 0]
        impulse_of(W.claw[c], W.con[c], F)
        R = W.Rn[b]
        for r in range(3):
            for k in range(3):
                T[r, k] = R[k, r]  # δφ₊ = R₊ᵀ ψ
        plane_rows(
            P.normal[i], P.tangent[i], P.offset[i], P.point[i], P.radius[i], P.curved[i], P.shape[i], P.size[i], P.soft[i],
            W.xn[b], R, W.v[b, 3:6], W.turn[b], T, h, F, value, C, B, H, s[0:16, 0:3],
        )  # fmt: skip
        n, t, v, S, K = P.normal[i], P.tangent[i], W.v[b], W.turn[b], W.cK[c]
        d0, d1, d2 = W.xn[b, 0] - W.x[b, 0], W.xn[b, 1] - W.x[b, 1], W.xn[b, 2] - W.x[b, 2]
        for r in range(3):
            G.force[b, r] += n[r] * F[0] + t[0, r] * F[1] + t[1, r] * F[2]
            y[0, r], y[1, r], y[2, r] = n[r], 0.0, 0.0
            y[0, 3 + r] = C[0, 3 + r]
            for k in range(2):  # without what turns ω directly: arm × t = Sᵀ B
                direct = S[0, r] * B[1 + k, 3] + S[1, r] * B[1 + k, 4] + S[2, r] * B[1 + k, 5]
                y[1 + k, 3 + r] = C[1 + k, 3 + r] - direct
        if W.cgrace[c] > 0.0:  # an overlap that is let be moves along: less the gap where the step starts
            _less_start_gap(P, i, W.R[b], y[0], s)
        # n · (ψ × d) = ψ · (d × n),  t · (ψ × v) = ψ · (v × t)
        y[0, 3] += d1 * n[2] - d2 * n[1]
        y[0, 4] += d2 * n[0] - d0 * n[2]
        y[0, 5] += d0 * n[1] - d1 * n[0]
        for k in range(2):
            y[1 + k, 3] += v[1] * t[k, 2] - v[2] * t[k, 1]
            y[1 + k, 4] += v[2] * t[k, 0] - v[0] * t[k, 2]
            y[1 + k, 5] += v[0] * t[k, 1] - v[1] * t[k, 0]
        out = G.contact[b]
        for k in range(6):
            f0 = K[0, 0] * y[0, k]
            f1 = K[1, 0] * y[0, k] + K[1, 1] * y[1, k] + K[1, 2] * y[2, k]
            f2 = K[2, 0] * y[0, k] + K[2, 1] * y[1, k] + K[2, 2] * y[2, k]
            for r in range(6):
                out[r, k] -= W.cB[c, 0, 0, r] * f0 + W.cB[c, 0, 1, r] * f1 + W.cB[c, 0, 2, r] * f2
        # H holds the start's frame still; here it turns along, which takes (Rᵀ ψ) × torque off
        R0, A = W.R[b], W.cB[c, 0]
        t0 = A[0, 3] * F[0] + A[1, 3] * F[1] + A[2, 3] * F[2]
        t1 = A[0, 4] * F[0] + A[1, 4] * F[1] + A[2, 4] * F[2]
        t2 = A[0, 5] * F[0] + A[1, 5] * F[1] + A[2, 5] * F[2]
        for k in range(3):
            out[3, 3 + k] += H[0, k] + t1 * R0[k, 2] - t2 * R0[k, 1]
            out[4, 3 + k] += H[1, k] + t2 * R0[k, 0] - t0 * R0[k, 2]
            out[5, 3 + k] += H[2, k] + t0 * R0[k, 1] - t1 * R0[k, 0]


@kernel
def _less_start_gap(P, i, R, row, s):
    """row (6,) -= derivative of the gap of plane candidate i by (u, ψ) at the start. s: work (48, …)."""
    nb, p, D, n = s[38, 0:3], s[39, 0:3], s[40:43, 0:3], P.normal[i]
    for r in range(3):
        nb[r] = R[0, r] * n[0] + R[1, r] * n[1] + R[2, r] * n[2]
    touching_point(nb, P.point[i], P.curved[i], P.shape[i], P.size[i], P.soft[i], p, D)
    a0 = R[0, 0] * p[0] + R[0, 1] * p[1] + R[0, 2] * p[2]
    a1 = R[1, 0] * p[0] + R[1, 1] * p[1] + R[1, 2] * p[2]
    a2 = R[2, 0] * p[0] + R[2, 1] * p[1] + R[2, 2] * p[2]
    for r in range(3):
        row[r] -= n[r]
    row[3] -= a1 * n[2] - a2 * n[1]
    row[4] -= a2 * n[0] - a0 * n[2]
    row[5] -= a0 * n[1] - a1 * n[0]


@kernel
def turn_world(q, axis, angle, out):
    """out (4,) = exp(angle e_axis) ⊗ q (4,), world axes."""
    half = 0.5 * angle
    c, s = math.cos(half), math.sin(half)
    w, x, y, z = q[0], q[1], q[2], q[3]
    if axis == 0:
        out[0], out[1], out[2], out[3] = c * w - s * x, c * x + s * w, c * y - s * z, c * z + s * y
    elif axis == 1:
        out[0], out[1], out[2], out[3] = c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x
    else:
        out[0], out[1], out[2], out[3] = c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w


@kernel
def _displace(W, b, axis, delta, saved):
    """Move both poses of body b rigidly by delta along (axis < 3) or about (axis - 3) a world axis through its centre."""
    for i in range(3):
        saved[0, i], saved[1, i], saved[2, i] = W.x[b, i], W.xn[b, i], W.v[b, i]
    for i in range(4):
        saved[3, i], saved[4, i] = W.q[b, i], W.qn[b, i]
    if axis < 3:
        W.x[b, axis] += delta
        W.xn[b, axis] += delta
        return
    k = axis - 3
    turn_world(saved[3], k, delta, W.q[b])
    turn_world(saved[4], k, delta, W.qn[b])
    quat_to_matrix(W.q[b], W.R[b])
    quat_to_matrix(W.qn[b], W.Rn[b])
    c, s = math.cos(delta), math.sin(delta)
    i, j = (k + 1) % 3, (k + 2) % 3
    d, e = saved[1, i] - saved[0, i], saved[1, j] - saved[0, j]
    W.xn[b, i], W.xn[b, j] = saved[0, i] + c * d - s * e, saved[0, j] + s * d + c * e
    W.v[b, i], W.v[b, j] = c * saved[2, i] - s * saved[2, j], s * saved[2, i] + c * saved[2, j]


@kernel
def _put_back(W, b, saved):
    for i in range(3):
        W.x[b, i], W.xn[b, i], W.v[b, i] = saved[0, i], saved[1, i], saved[2, i]
    for i in range(4):
        W.q[b, i], W.qn[b, i] = saved[3, i], saved[4, i]
    quat_to_matrix(W.q[b], W.R[b])
    quat_to_matrix(W.qn[b], W.Rn[b])


@kernel
def pair_changes(P, Q, W, G, h, epsilon):
    """G.pair_rows[c] (12, 6): right-hand sides of both bodies by (u, ψ) of the second (of the first when the second is fixed)."""
    s = W.scratch
    F, saved, B, y, f = s[90, 0:3], s[91:96], s[104:110, 0:6], s[97, 0:3], s[98:100, 0:6]
    for c in range(W.n_active[1], W.n_active[0]):
        impulse_of(W.claw[c], W.con[c], F)
        grace = W.cgrace[c]
        whole = grace + pair_gap(Q, W.active[c] - P.body.shape[0], W.x, W.R, W.cframe[c, 0], s) if grace > 0.0 else 0.0
        side = 1 if W.cbody[c, 1] >= 0 else 0
        b, K = W.cbody[c, side], W.cK[c]
        for m in range(2):
            for r in range(3):
                for i in range(6):
                    B[3 * m + r, i] = W.cB[c, m, r, i]
        for i in range(3):
            G.pair_force[c, i] = B[3 * side, i] * F[0] + B[3 * side + 1, i] * F[1] + B[3 * side + 2, i] * F[2]
        for axis in range(6):
            y[0], y[1], y[2] = 0.0, 0.0, 0.0
            f[:, :] = 0.0
            for turn in range(2):
                delta = epsilon if turn == 0 else -epsilon
                scale = 0.5 / delta
                _displace(W, b, axis, delta, saved)
                evaluate_pair(P, Q, W, c, F, whole, h, s)
                for i in range(3):
                    y[i] += scale * W.cval[c, i]
                for m in range(2):
                    for i in range(6):
                        f[m, i] += scale * (W.cB[c, m, 0, i] * F[0] + W.cB[c, m, 1, i] * F[1] + W.cB[c, m, 2, i] * F[2])
                _put_back(W, b, saved)
            f0 = K[0, 0] * y[0]
            f1 = K[1, 0] * y[0] + K[1, 1] * y[1] + K[1, 2] * y[2]
            f2 = K[2, 0] * y[0] + K[2, 1] * y[1] + K[2, 2] * y[2]
            for m in range(2):
                for i in range(6):
                    rows = B[3 * m, i] * f0 + B[3 * m + 1, i] * f1 + B[3 * m + 2, i] * f2
                    G.pair_rows[c, 6 * m + i, axis] = f[m, i] - rows
        evaluate_pair(P, Q, W, c, F, whole, h, s)
        W.cgrace[c] = grace
        if W.claw[c] == PYRAMID:
            _tangent_spin(W.cframe[c, 0], W.cframe[c, 2], G.pair_spin[c])
            _twist_rows(W, c, F, G.pair_twist[c])


@kernel
def _tangent_spin(n, t2, out):
    """out (3,): turn about n (3,) by which `tangents` lag behind when n turns by ψ, per unit of ψ.

    t₁ = n × e / abs(n × e):   t₂ · (δt₁ - ψ × t₁) = -(n·e) t₂·ψ / abs(n × e) - n·ψ
    """
    i = smallest(n)
    share = n[i] / math.sqrt(1.0 - n[i] * n[i])
    for k in range(3):
        out[k] = -share * t2[k] - n[k]


@kernel
def _twist_rows(W, c, F, out):
    """out (12,): right-hand sides of both bodies of pair c when its tangents turn about the normal, δt₁ = t₂, δt₂ = -t₁."""
    K, v = W.cK[c], W.cval[c]
    f1 = K[1, 1] * v[2] - K[1, 2] * v[1] + F[2]
    f2 = K[2, 1] * v[2] - K[2, 2] * v[1] - F[1]
    for m in range(2):
        B = W.cB[c, m]
        for i in range(6):
            out[6 * m + i] = -(B[1, i] * f1 + B[2, i] * f2)


@kernel
def evaluate_pair(P, Q, W, c, F, whole, h, s):
    """Rows of a pair where its bodies are; whole > 0: the sum of its gap at the start and its grace, which stays [m]."""
    n = W.cframe[c, 0]
    gap = pair_gap(Q, W.active[c] - P.body.shape[0], W.x, W.R, n, s)
    if whole != 0.0:
        W.cgrace[c] = whole - gap
    tangents(n, W.cframe[c, 1:3])
    evaluate_contact(P, Q, W, c, F, h, s)
