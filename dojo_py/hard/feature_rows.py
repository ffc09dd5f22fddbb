"""Rows of one contact between two bodies: gap, relative tangential velocity, their Jacobians and the impulse maps.

    gap, n, c      from the feature at the next poses (feature_geometry.py); n points from body B to body A
    T              the tangents of the start of the step, turned with n by the smallest rotation
    v_t = T (u_A - u_B),   u = v + (m - Q m)/h + ω × ρ,   m + ρ = c - x₊      world axes, next poses; Q = R R₊ᵀ
    spinning n · (ω_A - ω_B), rolling T (ω_A - ω_B); their impulses are torques on A, and opposite ones on B
    impulse: F = w (γ n + Tᵀ ξ) on A and -F on B, at one common point seen from the poses at the start of the step,
             c* - x_A = c - x₊_A + α_A h (v_A - v_B),   c* - x_B = c - x₊_B - α_B h (v_A - v_B),   α_A + α_B = 1

             so that both momenta are conserved exactly. The shift is a torque that is not there: what rolls is braked by the weight
             that acts α h v before its point of contact. Bodies share it as they resist turning, α_A = I_A / (I_A + I_B), I the
             trace of the inertia, which makes the error of their spins the least in energy; the world takes it all.

m is the arm of the point of the body behind the contact, ρ what is round about it: -r n on A, r n on B for points, edges and
axes that are rounded by r, the whole arm for rims and curved shapes (`rolls`). How far m has moved in the step counts as slip, ρ
rolls: see plane_contacts.py. Q turns what is fixed in a body back to where the step starts.

w: 1, but for far pairs on the central path (far_pairs.py). World rotation vectors δθ = R₊ δφ are used inside: `pair_motion` gives
all derivatives by the displacements (δx, δθ) of the two next poses, at fixed v and body-frame ω, and `pair_rows` turns them to
(v, ω). Derivatives by the state start from the same rows (gradients/contact_change.py).
"""

from dojo_py.collision.features import NEAREST, RIM_EDGE, RIM_PLANE, RIM_RIM
from dojo_py.collision.vectors import along, cross, dot, minus, plus, row, times, turned
from dojo_py.hard.feature_geometry import feature_geometry
from dojo_py.jit import kernel


@kernel
def shift_share(Q, a, b):
    """α of body a against body b, -1 the world."""
    return Q.ease[b] / (Q.ease[a] + Q.ease[b])


@kernel
def rolls(W, f, side):
    """Whether the whole arm of one side of feature f is round: a rim's, or of a pair's nearest points."""
    kind = W.fkind[f]
    if kind == RIM_PLANE or kind == RIM_EDGE:  # (fsign tells whether the rim is A's)
        return (W.fsign[f] > 0.0) == (side == 0)
    return kind == NEAREST or kind == RIM_RIM


@kernel
def turned_to_start(R0, R):
    """R₀ Rᵀ, nine numbers: vectors that are fixed in a body, from axes R where a step ends to R₀ where it starts."""
    a, b, c = row(R, 0), row(R, 1), row(R, 2)
    x, y, z = row(R0, 0), row(R0, 1), row(R0, 2)
    return dot(x, a), dot(x, b), dot(x, c), dot(y, a), dot(y, b), dot(y, c), dot(z, a), dot(z, b), dot(z, c)


@kernel
def slip_change(whole, r, back, w, h, dn, darm):
    """Change of u = v + (m - Q m)/h + ω × ρ by that of the arm m + ρ and, with ρ = -r n, of the normal; bodies stay.

    whole: the arm rolls, m = 0. back: Q, w: ω.
    """
    drho = darm if whole else times(-r, dn)
    dm = minus(darm, drho)
    return plus(times(1.0 / h, minus(dm, turned(back, dm))), cross(w, drho))


@kernel
def turned_tangents(n0, T0, n, dn, T, dT):
    """T (2, 3): T0 turned by the smallest rotation from n0 to n, and dT (2, 3, 12) from dn (3, 12)."""
    b = 1.0 + n[0] * n0[0] + n[1] * n0[1] + n[2] * n0[2]
    b = max(b, 1e-6)  # a normal that flips within a step: any continuation is as good
    for t in range(2):
        a = n[0] * T0[t, 0] + n[1] * T0[t, 1] + n[2] * T0[t, 2]
        f = a / b
        for i in range(3):
            T[t, i] = T0[t, i] - f * (n[i] + n0[i])
        for j in range(12):
            da = dn[0, j] * T0[t, 0] + dn[1, j] * T0[t, 1] + dn[2, j] * T0[t, 2]
            db = dn[0, j] * n0[0] + dn[1, j] * n0[1] + dn[2, j] * n0[2]
            df = (da - f * db) / b
            for i in range(3):
                dT[t, i, j] = -df * (n[i] + n0[i]) - f * dn[i, j]


@kernel
def pair_motion(count, Q, W, f, weight, n0, T0, xa, Ra, va, wa, R0a, xb, Rb, vb, wb, R0b, h, impulse, value, B, rows, wrench, s):
    """One contact of `count` rows, feature f of the table. x, R: next poses; w: world ω; R0: orientation at the start; h [s].

    impulse (count,): γ and those along the other rows [N s, N m s]; weight: share of it that acts; n0 (3,), T0 (2, 3): frame at the
    start of the step.
    Out: value = (gap, v_t, …); B (2, count, 6) for bodies A, B; by the displacements (δx_A, δθ_A, δx_B, δθ_B) of the next poses,
    where velocities stay what they are in the bodies' frames (ω) and in the world's (v): rows (count, 12) of the value,
    wrench (2, 6, 12) of the impulse on A and B at fixed (γ, ξ). s: work (90, 12); it keeps
    n [40], c [41], dn [42:45], dc [45:48], dgap [48], T [49:51], the arms of c* [51, 52], dT [53:59], u [62],
    F [64], dF [65:68], ρ of A and B [84, 85], Q m of both [86, 87].
    """
    n, c, dn, dc = s[40, 0:3], s[41, 0:3], s[42:45], s[45:48]
    dgap, T, arm_a, arm_b = s[48], s[49:51, 0:3], s[51, 0:3], s[52, 0:3]
    dT = s[53:59].reshape((2, 3, 12))
    du, u = s[59:62], s[62, 0:3]
    value[0] = feature_geometry(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, s)
    r0, r1, r2 = wa[0] - wb[0], wa[1] - wb[1], wa[2] - wb[2]
    turned_tangents(n0, T0, n, dn, T, dT)
    # relative velocity u at c, and its derivative by the poses
    for i in range(3):
        arm_a[i], arm_b[i], u[i] = c[i] - xa[i], c[i] - xb[i], 0.0
        for j in range(12):
            du[i, j] = 0.0
    _add_slip(W, f, 0, va, wa, R0a, Ra, arm_a, h, n, dn, dc, u, du, s)
    _add_slip(W, f, 1, vb, wb, R0b, Rb, arm_b, h, n, dn, dc, u, du, s)
    # the application point c*, seen from the two bodies at the start of the step
    share = shift_share(Q, W.fbody[f, 0], W.fbody[f, 1])
    for i in range(3):
        shift = h * (va[i] - vb[i])
        arm_a[i] += share * shift
        arm_b[i] -= (1.0 - share) * shift
    for t in range(2):
        value[1 + t] = T[t, 0] * u[0] + T[t, 1] * u[1] + T[t, 2] * u[2]
    for r in range(3):
        row = rows[r]
        if r == 0:
            d = n
            for j in range(12):
                row[j] = dgap[j]
        else:
            d = T[r - 1]
            for j in range(12):
                row[j] = d[0] * du[0, j] + d[1] * du[1, j] + d[2] * du[2, j]
                for i in range(3):
                    row[j] += dT[r - 1, i, j] * u[i]
        for side in range(2):
            R0, arm, sign = (R0a, arm_a, 1.0) if side == 0 else (R0b, arm_b, -1.0)
            m0 = sign * (arm[1] * d[2] - arm[2] * d[1])
            m1 = sign * (arm[2] * d[0] - arm[0] * d[2])
            m2 = sign * (arm[0] * d[1] - arm[1] * d[0])
            for i in range(3):
                B[side, r, i] = weight * sign * d[i]
                B[side, r, 3 + i] = weight * (R0[0, i] * m0 + R0[1, i] * m1 + R0[2, i] * m2)
    _wrench_motion(n, T, dn, dT, dc, arm_a, arm_b, R0a, R0b, weight, impulse, wrench, s)
    for r in range(3, count):
        if r == 3:
            d, dd = n, dn
        else:
            d, dd = T[r - 4], dT[r - 4]
        value[r] = d[0] * r0 + d[1] * r1 + d[2] * r2
        _spin_row(d, dd, (r0, r1, r2), wa, wb, R0a, R0b, weight, impulse[r], rows[r], B[:, r], wrench)


@kernel
def _add_slip(W, f, side, v, w, R0, R, arm, h, n, dn, dc, u, du, s):
    """u (3,) += u_A or -= u_B at the end of `arm` from the body's centre, du (3, 12) their derivative by the displacements."""
    whole, sign = rolls(W, f, side), 1.0 if side == 0 else -1.0
    r, back = sign * W.fradius[f, side], turned_to_start(R0, R)
    total, rate = (arm[0], arm[1], arm[2]), (w[0], w[1], w[2])
    rolling = total if whole else (-r * n[0], -r * n[1], -r * n[2])
    behind = minus(total, rolling)
    before = turned(back, behind)
    slip = plus(along((v[0], v[1], v[2]), 1.0 / h, minus(behind, before)), cross(rate, rolling))
    for i in range(3):
        u[i] += sign * slip[i]
        s[84 + side, i], s[86 + side, i] = rolling[i], before[i]
    for j in range(12):
        k = j - 6 * side
        darm = (dc[0, j] - 1.0 * (k == 0), dc[1, j] - 1.0 * (k == 1), dc[2, j] - 1.0 * (k == 2))
        change = slip_change(whole, r, back, rate, h, (dn[0, j], dn[1, j], dn[2, j]), darm)
        if 3 <= k < 6:  # R₊ turns by δθ: Q m by Q (-δθ × m), ω by δθ × ω
            turn = (1.0 * (k == 3), 1.0 * (k == 4), 1.0 * (k == 5))
            change = along(change, 1.0 / h, turned(back, cross(turn, behind)))
            change = plus(change, cross(cross(turn, rate), rolling))
        for i in range(3):
            du[i, j] += sign * change[i]


@kernel
def _spin_row(d, dd, rate, wa, wb, R0a, R0b, weight, impulse, row, B, wrench):
    """A row of spinning or rolling, d · (ω_A - ω_B), as `pair_motion` has them: row (12,), B (2, 6), and its share of the wrench.

    dd (3, 12): derivative of d; ω turns with its body, δω = δθ × ω.
    """
    for j in range(12):
        row[j] = dd[0, j] * rate[0] + dd[1, j] * rate[1] + dd[2, j] * rate[2]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        row[3 + k] += wa[i] * d[j] - wa[j] * d[i]
        row[9 + k] -= wb[i] * d[j] - wb[j] * d[i]
    for side in range(2):
        R0, sign = (R0a, weight) if side == 0 else (R0b, -weight)
        for i in range(3):
            B[side, i] = 0.0
            B[side, 3 + i] = sign * (R0[0, i] * d[0] + R0[1, i] * d[1] + R0[2, i] * d[2])
            for j in range(12):
                wrench[side, 3 + i, j] += sign * impulse * (R0[0, i] * dd[0, j] + R0[1, i] * dd[1, j] + R0[2, i] * dd[2, j])


@kernel
def _wrench_motion(n, T, dn, dT, dc, arm_a, arm_b, R0a, R0b, weight, impulse, wrench, s):
    """wrench (2, 6, 12), see `pair_motion`; F = weight (γ n + Tᵀ ξ) turns with the shapes, and so do its arms."""
    F, dF, darm = s[64, 0:3], s[65:68], s[68:71]
    y0, y1, y2 = weight * impulse[0], weight * impulse[1], weight * impulse[2]
    for i in range(3):
        F[i] = y0 * n[i] + y1 * T[0, i] + y2 * T[1, i]
        for j in range(12):
            dF[i, j] = y0 * dn[i, j] + y1 * dT[0, i, j] + y2 * dT[1, i, j]
    for side in range(2):
        arm, R0, sign = (arm_a, R0a, 1.0) if side == 0 else (arm_b, R0b, -1.0)
        for i in range(3):
            for j in range(12):
                darm[i, j] = dc[i, j]
            darm[i, 6 * side + i] -= 1.0
        for j in range(12):
            # torque = arm × F
            m0 = darm[1, j] * F[2] - darm[2, j] * F[1] + arm[1] * dF[2, j] - arm[2] * dF[1, j]
            m1 = darm[2, j] * F[0] - darm[0, j] * F[2] + arm[2] * dF[0, j] - arm[0] * dF[2, j]
            m2 = darm[0, j] * F[1] - darm[1, j] * F[0] + arm[0] * dF[1, j] - arm[1] * dF[0, j]
            for i in range(3):
                wrench[side, i, j] = sign * dF[i, j]
                wrench[side, 3 + i, j] = sign * (R0[0, i] * m0 + R0[1, i] * m1 + R0[2, i] * m2)


@kernel
def pair_rows(count, Q, W, f, weight, n0, T0, xa, Ra, va, wa, R0a, hGa, xb, Rb, vb, wb, R0b, hGb, h, impulse, value, C, B, H, s):
    """`pair_motion` by the velocities: C (2, count, 6) of the value, H (2, 6, 12) of the impulse, by (v_A, ω_A) and (v_B, ω_B).

    hG (3, 3): δθ by δω, R₊ hΓ. s: work (90, 12).
    """
    rows, wrench = s[77:83], s[22:34].reshape((2, 6, 12))
    pair_motion(count, Q, W, f, weight, n0, T0, xa, Ra, va, wa, R0a, xb, Rb, vb, wb, R0b, h, impulse, value, B, rows, wrench, s)
    n, T, F = s[40, 0:3], s[49:51, 0:3], s[64, 0:3]
    for side in range(2):
        hG = hGa if side == 0 else hGb
        for r in range(count):
            _by_velocity(rows[r, 6 * side : 6 * side + 6], hG, h, C[side, r])
        for m in range(2):
            for i in range(6):
                _by_velocity(wrench[m, i, 6 * side : 6 * side + 6], hG, h, H[m, i, 6 * side : 6 * side + 6])
    # direct dependence of v_t on (v, ω):  T (δv + δω_w × ρ), with ω_w = R₊ ω
    for t in range(2):
        for side in range(2):
            R, rolling, sign = (Ra, s[84], 1.0) if side == 0 else (Rb, s[85], -1.0)
            m0 = rolling[1] * T[t, 2] - rolling[2] * T[t, 1]
            m1 = rolling[2] * T[t, 0] - rolling[0] * T[t, 2]
            m2 = rolling[0] * T[t, 1] - rolling[1] * T[t, 0]
            for i in range(3):
                C[side, 1 + t, i] += sign * T[t, i]
                C[side, 1 + t, 3 + i] += sign * (R[0, i] * m0 + R[1, i] * m1 + R[2, i] * m2)
    for r in range(3, count):
        if r == 3:
            d = n
        else:
            d = T[r - 4]
        for side in range(2):
            R, sign = (Ra, 1.0) if side == 0 else (Rb, -1.0)
            for i in range(3):
                C[side, r, 3 + i] += sign * (R[0, i] * d[0] + R[1, i] * d[1] + R[2, i] * d[2])
    share = shift_share(Q, W.fbody[f, 0], W.fbody[f, 1])
    # the shift of the arms by the velocities themselves: side A +α_A and F, side B -α_B and -F
    for side in range(2):
        R0, shift = (R0a, share * h) if side == 0 else (R0b, (1.0 - share) * h)
        for j in range(3):
            e0, e1, e2 = shift * (j == 0), shift * (j == 1), shift * (j == 2)
            m0, m1, m2 = e1 * F[2] - e2 * F[1], e2 * F[0] - e0 * F[2], e0 * F[1] - e1 * F[0]
            for i in range(3):
                t = R0[0, i] * m0 + R0[1, i] * m1 + R0[2, i] * m2
                H[side, 3 + i, j] += t
                H[side, 3 + i, 6 + j] -= t


@kernel
def _by_velocity(row, hG, h, out):
    """out (6,) by (v, ω) from row (6,) by the displacement and turn of the next pose: δx₊ = h δv, δθ = hG δω."""
    for i in range(3):
        out[i] = h * row[i]
        out[3 + i] = row[3] * hG[0, i] + row[4] * hG[1, i] + row[5] * hG[2, i]
