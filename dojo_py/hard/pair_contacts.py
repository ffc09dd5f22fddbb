"""Rows of one contact between two bodies: gap, relative tangential velocity, their Jacobians and the impulse maps.

    gap, n, c      from the shapes at the next poses; n points from body B to body A
    T              the tangents of the start of the step, turned with n by the smallest rotation
    v_t = T (v_A + ω_A × (c - x_A) - v_B - ω_B × (c - x_B))     world axes, next poses
    impulse: F = γ n + Tᵀ ξ on A and -F on B, at one common point seen from the poses at the start of the step,
             c* - x = c - x₊ ± h (v_A - v_B)/2,                so that both momenta are conserved exactly

World rotation vectors δθ = R₊ δφ are used inside: `pair_motion` gives all derivatives by the displacements (δx, δθ) of the two
next poses, at fixed v and body-frame ω, and `pair_rows` turns them to (v, ω). Derivatives by the state start from the same rows
(gradients/contact_change.py).
"""

import math

from dojo_py.collision.candidates import BALL_FEATURE
from dojo_py.collision.rounded_box import ball_against_box
from dojo_py.collision.segments import closest_parameters
from dojo_py.jit import kernel


@kernel
def _minus_cross(a, out, sign):
    """out (3, 3) += sign * (-[a]x), the derivative of δθ × a by δθ."""
    out[0, 1] += sign * a[2]
    out[0, 2] -= sign * a[1]
    out[1, 0] -= sign * a[2]
    out[1, 2] += sign * a[0]
    out[2, 0] += sign * a[1]
    out[2, 1] -= sign * a[0]


@kernel
def smallest(n):
    """Index of the entry of n (3,) that is smallest in size."""
    i = 0
    if abs(n[1]) < abs(n[i]):
        i = 1
    if abs(n[2]) < abs(n[i]):
        i = 2
    return i


@kernel
def tangents(n, T):
    """T (2, 3): two unit vectors that complete the unit vector n to a right-handed frame."""
    i = smallest(n)
    e0, e1, e2 = 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2)
    t0, t1, t2 = n[1] * e2 - n[2] * e1, n[2] * e0 - n[0] * e2, n[0] * e1 - n[1] * e0
    s = 1.0 / math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    T[0, 0], T[0, 1], T[0, 2] = s * t0, s * t1, s * t2
    T[1, 0] = n[1] * T[0, 2] - n[2] * T[0, 1]
    T[1, 1] = n[2] * T[0, 0] - n[0] * T[0, 2]
    T[1, 2] = n[0] * T[0, 1] - n[1] * T[0, 0]


@kernel
def pair_geometry(kind, xa, Ra, xb, Rb, centre, axes, half, radius, n, c, dgap, dn, dc, s):
    """Gap [m], normal n (3,), point c (3,) and their derivatives by (δx_A, δθ_A, δx_B, δθ_B): dgap (12,), dn, dc (3, 12).

    centre (2, 3), axes (2, 3, 3), half (2, 3), radius (2,): the features in the bodies' frames. s: work (40, 12).
    """
    ra, rb = s[0, 0:3], s[1, 0:3]  # arms to the two closest points (before rounding)
    oa, ob = s[2, 0:3], s[3, 0:3]
    for i in range(3):
        ra[i] = Ra[i, 0] * centre[0, 0] + Ra[i, 1] * centre[0, 1] + Ra[i, 2] * centre[0, 2]
        rb[i] = Rb[i, 0] * centre[1, 0] + Rb[i, 1] * centre[1, 1] + Rb[i, 2] * centre[1, 2]
        oa[i] = xa[i] + ra[i]
        ob[i] = xb[i] + rb[i]
    de = s[4:7]  # derivative of the vector between the closest points, material part
    for i in range(3):
        for j in range(12):
            de[i, j] = 0.0
            dn[i, j] = 0.0
    rounding = radius[0] + radius[1]
    if kind == BALL_FEATURE:
        Q, y, m, dm = s[7:10, 0:3], s[10, 0:3], s[11, 0:3], s[12:15, 0:3]
        arm = s[15, 0:3]
        for i in range(3):
            arm[i] = oa[i] - xb[i]
            for j in range(3):
                Q[i, j] = Rb[i, 0] * axes[1, 0, j] + Rb[i, 1] * axes[1, 1, j] + Rb[i, 2] * axes[1, 2, j]
        for j in range(3):
            y[j] = 0.0
            for i in range(3):
                y[j] += Q[i, j] * (oa[i] - ob[i])
        distance = ball_against_box(y, half[1], m, dm)
        # δ(c_A seen from the turning box) = δx_A + δθ_A × r_A - δx_B - δθ_B × (c_A - x_B)
        _relative_motion(ra, arm, de)
        QdQ, tmp = s[16:19, 0:3], s[19:22, 0:3]
        for i in range(3):
            for j in range(3):
                tmp[i, j] = Q[i, 0] * dm[0, j] + Q[i, 1] * dm[1, j] + Q[i, 2] * dm[2, j]
            n[i] = Q[i, 0] * m[0] + Q[i, 1] * m[1] + Q[i, 2] * m[2]
        for i in range(3):
            for j in range(3):
                QdQ[i, j] = tmp[i, 0] * Q[j, 0] + tmp[i, 1] * Q[j, 1] + tmp[i, 2] * Q[j, 2]
        for i in range(3):
            for j in range(12):
                dn[i, j] = QdQ[i, 0] * de[0, j] + QdQ[i, 1] * de[1, j] + QdQ[i, 2] * de[2, j]
        _minus_cross(n, dn[:, 9:12], 1.0)
        gap = distance - rounding
        touch, dtouch = ra, 0
    else:
        ua, ub, e = s[7, 0:3], s[8, 0:3], s[9, 0:3]
        for i in range(3):
            ua[i] = half[0, 2] * (Ra[i, 0] * axes[0, 0, 2] + Ra[i, 1] * axes[0, 1, 2] + Ra[i, 2] * axes[0, 2, 2])
            ub[i] = half[1, 2] * (Rb[i, 0] * axes[1, 0, 2] + Rb[i, 1] * axes[1, 1, 2] + Rb[i, 2] * axes[1, 2, 2])
            e[i] = oa[i] - ob[i]
        p, t, free_p, free_t = closest_parameters(e, ua, ub)
        distance = 0.0
        for i in range(3):
            ra[i] += p * ua[i]
            rb[i] += t * ub[i]
            e[i] = xa[i] + ra[i] - xb[i] - rb[i]
            distance += e[i] * e[i]
        distance = math.sqrt(distance)
        if distance > 1e-9:
            for i in range(3):
                n[i] = e[i] / distance
        else:
            n[0] = ua[1] * ub[2] - ua[2] * ub[1]
            n[1] = ua[2] * ub[0] - ua[0] * ub[2]
            n[2] = ua[0] * ub[1] - ua[1] * ub[0]
            size = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            for i in range(3):
                n[i] = n[i] / size if size > 0.0 else 1.0 * (i == 2)
        _relative_motion(ra, rb, de)
        inv = 1.0 / max(distance, 1e-9)
        ds = s[10:12]  # δs, δt
        for j in range(12):
            ds[0, j] = 0.0
            ds[1, j] = 0.0
        if free_p or free_t:
            aa = ua[0] * ua[0] + ua[1] * ua[1] + ua[2] * ua[2]
            bb = ub[0] * ub[0] + ub[1] * ub[1] + ub[2] * ub[2]
            ab = ua[0] * ub[0] + ua[1] * ub[1] + ua[2] * ub[2]
            det = aa * bb - ab * ab
            for j in range(12):
                ya = ua[0] * de[0, j] + ua[1] * de[1, j] + ua[2] * de[2, j]
                yb = ub[0] * de[0, j] + ub[1] * de[1, j] + ub[2] * de[2, j]
                if 3 <= j < 6:  # e · (δθ_A × u_A) = δθ_A · (u_A × e)
                    k = j - 3
                    ya += ua[(k + 1) % 3] * e[(k + 2) % 3] - ua[(k + 2) % 3] * e[(k + 1) % 3]
                if j >= 9:
                    k = j - 9
                    yb += ub[(k + 1) % 3] * e[(k + 2) % 3] - ub[(k + 2) % 3] * e[(k + 1) % 3]
                if free_p and free_t:
                    ds[0, j] = (ab * yb - bb * ya) / det
                    ds[1, j] = (aa * yb - ab * ya) / det
                elif free_p:
                    ds[0, j] = -ya / aa
                else:
                    ds[1, j] = yb / bb
        for j in range(12):
            v0 = de[0, j] + ua[0] * ds[0, j] - ub[0] * ds[1, j]
            v1 = de[1, j] + ua[1] * ds[0, j] - ub[1] * ds[1, j]
            v2 = de[2, j] + ua[2] * ds[0, j] - ub[2] * ds[1, j]
            along = n[0] * v0 + n[1] * v1 + n[2] * v2
            dn[0, j] = (v0 - n[0] * along) * inv
            dn[1, j] = (v1 - n[1] * along) * inv
            dn[2, j] = (v2 - n[2] * along) * inv
        gap = distance - rounding
        touch, dtouch = ra, 1
    for j in range(12):
        dgap[j] = n[0] * de[0, j] + n[1] * de[1, j] + n[2] * de[2, j]
    # contact point: half way between the two surfaces
    back = radius[0] + 0.5 * gap
    for i in range(3):
        c[i] = xa[i] + touch[i] - back * n[i]
        for j in range(12):
            dc[i, j] = -back * dn[i, j] - 0.5 * n[i] * dgap[j]
            if dtouch:
                dc[i, j] += s[7, i] * s[10, j]
        dc[i, i] += 1.0
    _minus_cross(touch, dc[:, 3:6], 1.0)
    return gap


@kernel
def _relative_motion(ra, rb, de):
    """de (3, 12) = δx_A + δθ_A × r_A - δx_B - δθ_B × r_B."""
    for i in range(3):
        de[i, i] += 1.0
        de[i, 6 + i] -= 1.0
    _minus_cross(ra, de[:, 3:6], 1.0)
    _minus_cross(rb, de[:, 9:12], -1.0)


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
def pair_motion(
    kind, centre, axes, half, radius, n0, T0, xa, Ra, va, wa, R0a, xb, Rb, vb, wb, R0b, h, impulse, value, B, rows, wrench, s
):
    """One contact. x, R: next poses; w: world-frame ω; R0: orientation at the start; h [s].

    impulse (3,): (γ, ξ₂, ξ₃) [N s]; n0 (3,), T0 (2, 3): frame at the start of the step.
    Out: value (3,) = (gap, v_t); B (2, 3, 6) for bodies A, B; by the displacements (δx_A, δθ_A, δx_B, δθ_B) of the next poses,
    where velocities stay what they are in the bodies' frames (ω) and in the world's (v): rows (3, 12) of the value,
    wrench (2, 6, 12) of the impulse on A and B at fixed (γ, ξ). s: work (80, 12); it keeps
    n [40], c [41], dn [42:45], dc [45:48], dgap [48], T [49:51], the arms of c* [51, 52], dT [53:59], u [62],
    F [64], dF [65:68].
    """
    n, c, dn, dc = s[40, 0:3], s[41, 0:3], s[42:45], s[45:48]
    dgap, T, arm_a, arm_b = s[48], s[49:51, 0:3], s[51, 0:3], s[52, 0:3]
    dT = s[53:59].reshape((2, 3, 12))
    du, u = s[59:62], s[62, 0:3]
    value[0] = pair_geometry(kind, xa, Ra, xb, Rb, centre, axes, half, radius, n, c, dgap, dn, dc, s)
    turned_tangents(n0, T0, n, dn, T, dT)
    # relative velocity u of the two bodies at c, and its derivative by the poses
    for i in range(3):
        arm_a[i] = c[i] - xa[i]
        arm_b[i] = c[i] - xb[i]
    u[0] = va[0] + wa[1] * arm_a[2] - wa[2] * arm_a[1] - vb[0] - wb[1] * arm_b[2] + wb[2] * arm_b[1]
    u[1] = va[1] + wa[2] * arm_a[0] - wa[0] * arm_a[2] - vb[1] - wb[2] * arm_b[0] + wb[0] * arm_b[2]
    u[2] = va[2] + wa[0] * arm_a[1] - wa[1] * arm_a[0] - vb[2] - wb[0] * arm_b[1] + wb[1] * arm_b[0]
    r0, r1, r2 = wa[0] - wb[0], wa[1] - wb[1], wa[2] - wb[2]
    for j in range(12):
        du[0, j] = r1 * dc[2, j] - r2 * dc[1, j]
        du[1, j] = r2 * dc[0, j] - r0 * dc[2, j]
        du[2, j] = r0 * dc[1, j] - r1 * dc[0, j]
    # - ω × δx, and the world angular velocity R₊ ω turns with the body: δω = δθ × ω, δu += (δθ × ω) × arm
    _minus_cross(wa, du[:, 0:3], 1.0)
    _minus_cross(wb, du[:, 6:9], -1.0)
    for k in range(3):
        for side in range(2):
            w, arm, sign = (wa, arm_a, 1.0) if side == 0 else (wb, arm_b, -1.0)
            # (e_k × w) × arm = w (e_k·arm) - e_k (w·arm)
            dot = w[0] * arm[0] + w[1] * arm[1] + w[2] * arm[2]
            col = 3 + k + 6 * side
            for i in range(3):
                du[i, col] += sign * w[i] * arm[k]
            du[k, col] -= sign * dot
    # the application point c*, seen from the two bodies at the start of the step
    for i in range(3):
        shift = 0.5 * h * (va[i] - vb[i])
        arm_a[i] += shift
        arm_b[i] -= shift
    for t in range(2):
        value[1 + t] = T[t, 0] * u[0] + T[t, 1] * u[1] + T[t, 2] * u[2]
    for f in range(3):
        row = rows[f]
        if f == 0:
            d = n
            for j in range(12):
                row[j] = dgap[j]
        else:
            d = T[f - 1]
            for j in range(12):
                row[j] = d[0] * du[0, j] + d[1] * du[1, j] + d[2] * du[2, j]
                for i in range(3):
                    row[j] += dT[f - 1, i, j] * u[i]
        for side in range(2):
            R0, arm, sign = (R0a, arm_a, 1.0) if side == 0 else (R0b, arm_b, -1.0)
            m0 = sign * (arm[1] * d[2] - arm[2] * d[1])
            m1 = sign * (arm[2] * d[0] - arm[0] * d[2])
            m2 = sign * (arm[0] * d[1] - arm[1] * d[0])
            for i in range(3):
                B[side, f, i] = sign * d[i]
                B[side, f, 3 + i] = R0[0, i] * m0 + R0[1, i] * m1 + R0[2, i] * m2
    _wrench_motion(n, T, dn, dT, dc, arm_a, arm_b, R0a, R0b, impulse, wrench, s)


@kernel
def _wrench_motion(n, T, dn, dT, dc, arm_a, arm_b, R0a, R0b, impulse, wrench, s):
    """wrench (2, 6, 12), see `pair_motion`; F = γ n + Tᵀ ξ turns with the shapes, and so do its arms."""
    F, dF, darm = s[64, 0:3], s[65:68], s[68:71]
    for i in range(3):
        F[i] = impulse[0] * n[i] + impulse[1] * T[0, i] + impulse[2] * T[1, i]
        for j in range(12):
            dF[i, j] = impulse[0] * dn[i, j] + impulse[1] * dT[0, i, j] + impulse[2] * dT[1, i, j]
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
def pair_rows(
    kind, centre, axes, half, radius, n0, T0, xa, Ra, va, wa, R0a, hGa, xb, Rb, vb, wb, R0b, hGb, h, impulse, value, C, B, H, s
):
    """`pair_motion` by the velocities: C (2, 3, 6) of the value, H (2, 6, 12) of the impulse, by (v_A, ω_A) and (v_B, ω_B).

    hG (3, 3): δθ by δω, R₊ hΓ. s: work (80, 12).
    """
    rows, wrench = s[77:80], s[22:34].reshape((2, 6, 12))
    pair_motion(
        kind, centre, axes, half, radius, n0, T0, xa, Ra, va, wa, R0a, xb, Rb, vb, wb, R0b, h, impulse, value, B, rows, wrench, s
    )
    c, T, F = s[41, 0:3], s[49:51, 0:3], s[64, 0:3]
    for side in range(2):
        hG = hGa if side == 0 else hGb
        for f in range(3):
            _by_velocity(rows[f, 6 * side : 6 * side + 6], hG, h, C[side, f])
        for m in range(2):
            for i in range(6):
                _by_velocity(wrench[m, i, 6 * side : 6 * side + 6], hG, h, H[m, i, 6 * side : 6 * side + 6])
    # direct dependence of v_t on (v, ω):  T (δv + δω_w × arm), with the true arms and ω_w = R₊ ω
    for t in range(2):
        for side in range(2):
            R, x, sign = (Ra, xa, 1.0) if side == 0 else (Rb, xb, -1.0)
            m0 = (c[1] - x[1]) * T[t, 2] - (c[2] - x[2]) * T[t, 1]
            m1 = (c[2] - x[2]) * T[t, 0] - (c[0] - x[0]) * T[t, 2]
            m2 = (c[0] - x[0]) * T[t, 1] - (c[1] - x[1]) * T[t, 0]
            for i in range(3):
                C[side, 1 + t, i] += sign * T[t, i]
                C[side, 1 + t, 3 + i] += sign * (R[0, i] * m0 + R[1, i] * m1 + R[2, i] * m2)
    # the shift ± h (v_A - v_B)/2 of the arm by the velocities themselves: side A +shift and F, side B -shift and -F, one torque
    for side in range(2):
        R0 = R0a if side == 0 else R0b
        for j in range(3):
            e0, e1, e2 = 0.5 * h * (j == 0), 0.5 * h * (j == 1), 0.5 * h * (j == 2)
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
