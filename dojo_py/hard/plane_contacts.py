"""Rows of one contact between a body and a fixed plane: gap, tangential velocity, their Jacobians and the impulse maps.

    gap = n · (x₊ + R₊ p) - r - offset                         normal row [m]
    v_t = T (v + R₊ (ω × p')),   p' = p - r n_b                 tangential rows [m/s], n_b = R₊ᵀ n
    impulse on the body: F = γ n + Tᵀ ξ,  torque in the frame at the start of the step: Rᵀ (R₊ p' × F)

    spinning, rolling: d · R ω, d: n, then T          rows 3, then 4 and 5 [rad/s]; R ω = R₊ ω, as a step turns about ω; torque Rᵀ d

Everything is evaluated at the next pose (Dojo, section IV-A); Jacobians are with respect to the velocity (v, ω) of the step.
"""

from dojo_py.collision.plane import touching_point
from dojo_py.jit import kernel


@kernel
def plane_rows(n, T, offset, centre, radius, curved, M, x, R, w, S, hG, h, impulse, value, C, B, H, s):
    """One contact. x (3,), R (3, 3): next pose; w (3,): ω; S (3, 3) = RᵀR₊; hG (3, 3): hΓ; impulse (3,): (γ, ξ₂, ξ₃) [N s].

    Out: value (3,) = (gap, v_t); C (3, 6); B (3, 6); H (3, 3): derivative of the torque at fixed impulse by ω.
    s: work (16, 3).
    """
    nb, p, P, arm, u, tb = s[0], s[1], s[2:5], s[5], s[6], s[7:9]
    for i in range(3):
        nb[i] = R[0, i] * n[0] + R[1, i] * n[1] + R[2, i] * n[2]
        tb[0, i] = R[0, i] * T[0, 0] + R[1, i] * T[0, 1] + R[2, i] * T[0, 2]
        tb[1, i] = R[0, i] * T[1, 0] + R[1, i] * T[1, 1] + R[2, i] * T[1, 2]
    touching_point(nb, centre, curved, M, p, P)
    for i in range(3):
        arm[i] = p[i] - radius * nb[i]
    value[0] = (
        n[0] * x[0] + n[1] * x[1] + n[2] * x[2] + nb[0] * p[0] + nb[1] * p[1] + nb[2] * p[2] - radius - offset
    )
    u[0] = w[1] * arm[2] - w[2] * arm[1]
    u[1] = w[2] * arm[0] - w[0] * arm[2]
    u[2] = w[0] * arm[1] - w[1] * arm[0]
    # normal row: δgap = n·δx + δφ · ((p + Pᵀ n_b) × n_b)
    g0, g1, g2 = p[0], p[1], p[2]
    if curved:
        g0 += P[0, 0] * nb[0] + P[1, 0] * nb[1] + P[2, 0] * nb[2]
        g1 += P[0, 1] * nb[0] + P[1, 1] * nb[1] + P[2, 1] * nb[2]
        g2 += P[0, 2] * nb[0] + P[1, 2] * nb[1] + P[2, 2] * nb[2]
    a0 = g1 * nb[2] - g2 * nb[1]
    a1 = g2 * nb[0] - g0 * nb[2]
    a2 = g0 * nb[1] - g1 * nb[0]
    for i in range(3):
        C[0, i] = h * n[i]
        C[0, 3 + i] = a0 * hG[0, i] + a1 * hG[1, i] + a2 * hG[2, i]
    for t in range(2):
        b0, b1, b2 = tb[t, 0], tb[t, 1], tb[t, 2]
        # q = t_b × ω, the derivative of t_b · (ω × p') by p'
        q0 = b1 * w[2] - b2 * w[1]
        q1 = b2 * w[0] - b0 * w[2]
        q2 = b0 * w[1] - b1 * w[0]
        value[1 + t] = b0 * u[0] + b1 * u[1] + b2 * u[2]
        z0, z1, z2 = -radius * q0, -radius * q1, -radius * q2
        if curved:
            z0 += P[0, 0] * q0 + P[1, 0] * q1 + P[2, 0] * q2
            z1 += P[0, 1] * q0 + P[1, 1] * q1 + P[2, 1] * q2
            z2 += P[0, 2] * q0 + P[1, 2] * q1 + P[2, 2] * q2
        # by δφ: u × t_b + (Qᵀ q) × n_b ;  by δω: p' × t_b
        a0 = u[1] * b2 - u[2] * b1 + z1 * nb[2] - z2 * nb[1]
        a1 = u[2] * b0 - u[0] * b2 + z2 * nb[0] - z0 * nb[2]
        a2 = u[0] * b1 - u[1] * b0 + z0 * nb[1] - z1 * nb[0]
        d0 = arm[1] * b2 - arm[2] * b1
        d1 = arm[2] * b0 - arm[0] * b2
        d2 = arm[0] * b1 - arm[1] * b0
        for i in range(3):
            C[1 + t, i] = T[t, i]
            C[1 + t, 3 + i] = a0 * hG[0, i] + a1 * hG[1, i] + a2 * hG[2, i]
            B[1 + t, i] = T[t, i]
            B[1 + t, 3 + i] = S[i, 0] * d0 + S[i, 1] * d1 + S[i, 2] * d2
        C[1 + t, 3] += d0
        C[1 + t, 4] += d1
        C[1 + t, 5] += d2
    d0 = arm[1] * nb[2] - arm[2] * nb[1]
    d1 = arm[2] * nb[0] - arm[0] * nb[2]
    d2 = arm[0] * nb[1] - arm[1] * nb[0]
    for i in range(3):
        B[0, i] = n[i]
        B[0, 3 + i] = S[i, 0] * d0 + S[i, 1] * d1 + S[i, 2] * d2
    # torque at fixed impulse: δ(p' × F_b) in the next frame = (δφ × p' + Q (n_b × δφ)) × F_b
    f0 = impulse[0] * nb[0] + impulse[1] * tb[0, 0] + impulse[2] * tb[1, 0]
    f1 = impulse[0] * nb[1] + impulse[1] * tb[0, 1] + impulse[2] * tb[1, 1]
    f2 = impulse[0] * nb[2] + impulse[1] * tb[0, 2] + impulse[2] * tb[1, 2]
    X, Y = s[9:12], s[12:15]
    # X = -[p']x + Q [n_b]x,  Q = P - r I
    X[0, 0], X[0, 1], X[0, 2] = 0.0, arm[2] + radius * nb[2], -arm[1] - radius * nb[1]
    X[1, 0], X[1, 1], X[1, 2] = -arm[2] - radius * nb[2], 0.0, arm[0] + radius * nb[0]
    X[2, 0], X[2, 1], X[2, 2] = arm[1] + radius * nb[1], -arm[0] - radius * nb[0], 0.0
    if curved:
        for i in range(3):
            X[i, 0] += P[i, 1] * nb[2] - P[i, 2] * nb[1]
            X[i, 1] += P[i, 2] * nb[0] - P[i, 0] * nb[2]
            X[i, 2] += P[i, 0] * nb[1] - P[i, 1] * nb[0]
    # Y = -[F]x X
    for j in range(3):
        Y[0, j] = f2 * X[1, j] - f1 * X[2, j]
        Y[1, j] = f0 * X[2, j] - f2 * X[0, j]
        Y[2, j] = f1 * X[0, j] - f0 * X[1, j]
    for j in range(3):
        y0 = Y[0, 0] * hG[0, j] + Y[0, 1] * hG[1, j] + Y[0, 2] * hG[2, j]
        y1 = Y[1, 0] * hG[0, j] + Y[1, 1] * hG[1, j] + Y[1, 2] * hG[2, j]
        y2 = Y[2, 0] * hG[0, j] + Y[2, 1] * hG[1, j] + Y[2, 2] * hG[2, j]
        for i in range(3):
            H[i, j] = S[i, 0] * y0 + S[i, 1] * y1 + S[i, 2] * y2


@kernel
def plane_spin_rows(rows, n, T, R, v, value, C, B):
    """Rows 3 … rows - 1 of a contact with a plane. R (3, 3): at the start; v (6,): velocities. C and B are the same."""
    for r in range(3, rows):
        d = n if r == 3 else T[r - 4]
        value[r] = 0.0
        for i in range(3):
            along = R[0, i] * d[0] + R[1, i] * d[1] + R[2, i] * d[2]
            C[r, i] = B[r, i] = 0.0
            C[r, 3 + i] = B[r, 3 + i] = along
            value[r] += along * v[3 + i]
