"""Round features of two bodies: a ball against a rounded box (a point, a segment, a box), and two rounded segments that cross.

Gap, normal n from body B to body A and contact point c, half way between the surfaces, from the poses of the bodies.
"""

import math

from dojo_py.collision.features import BALL_FEATURE
from dojo_py.collision.rounded_box import ball_against_box
from dojo_py.collision.segments import closest_parameters, relaxed_parameters
from dojo_py.jit import kernel


@kernel
def minus_cross(a, out, sign):
    """out (3, 3) += sign * (-[a]x), the derivative of δθ × a by δθ."""
    out[0, 1] += sign * a[2]
    out[0, 2] -= sign * a[1]
    out[1, 0] -= sign * a[2]
    out[1, 2] += sign * a[0]
    out[2, 0] += sign * a[1]
    out[2, 1] -= sign * a[0]


@kernel
def upright(n):
    """Index of the axis that tangents are taken from: y, or z where the normal n (3,) is near y (MuJoCo's rule)."""
    return 1 if abs(n[1]) < 0.5 else 2


@kernel
def tangents(n, T):
    """T (2, 3): two unit vectors that complete the unit vector n to a right-handed frame; the first along an axis, across n."""
    i = upright(n)
    s = 1.0 / math.sqrt(1.0 - n[i] * n[i])
    for k in range(3):
        T[0, k] = s * (1.0 * (k == i) - n[i] * n[k])
    T[1, 0] = n[1] * T[0, 2] - n[2] * T[0, 1]
    T[1, 1] = n[2] * T[0, 0] - n[0] * T[0, 2]
    T[1, 2] = n[0] * T[0, 1] - n[1] * T[0, 0]


@kernel
def pair_geometry(kind, xa, Ra, xb, Rb, centre, axes, half, radius, tau, n, c, dgap, dn, dc, s):
    """Gap [m], normal n (3,), point c (3,) and their derivatives by (δx_A, δθ_A, δx_B, δθ_B): dgap (12,), dn, dc (3, 12).

    centre (2, 3), axes (2, 3, 3), half (2, 3), radius (2,): the features in the bodies' frames. s: work (40, 12).
    tau [m²]: the nearest points of two axes are relaxed by this (segments.py); 0: they are the nearest.
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
        minus_cross(n, dn[:, 9:12], 1.0)
        gap = distance - rounding
        touch, dtouch = ra, 0
    else:
        ua, ub, e = s[7, 0:3], s[8, 0:3], s[9, 0:3]
        for i in range(3):
            ua[i] = half[0, 2] * (Ra[i, 0] * axes[0, 0, 2] + Ra[i, 1] * axes[0, 1, 2] + Ra[i, 2] * axes[0, 2, 2])
            ub[i] = half[1, 2] * (Rb[i, 0] * axes[1, 0, 2] + Rb[i, 1] * axes[1, 1, 2] + Rb[i, 2] * axes[1, 2, 2])
            e[i] = oa[i] - ob[i]
        kp, kt = 0.0, 0.0
        if tau > 0.0:
            p, t, kp, kt = relaxed_parameters(e, ua, ub, tau)
            free_p, free_t = True, True
        else:
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
            aa = ua[0] * ua[0] + ua[1] * ua[1] + ua[2] * ua[2] + kp
            bb = ub[0] * ub[0] + ub[1] * ub[1] + ub[2] * ub[2] + kt
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
        if dtouch == 1 and tau > 0.0:  # relaxed points slide, and the line between them is not across the axes
            for i in range(3):
                dgap[j] += n[i] * (s[7, i] * s[10, j] - s[8, i] * s[11, j])
    # contact point: half way between the two surfaces
    back = radius[0] + 0.5 * gap
    for i in range(3):
        c[i] = xa[i] + touch[i] - back * n[i]
        for j in range(12):
            dc[i, j] = -back * dn[i, j] - 0.5 * n[i] * dgap[j]
            if dtouch:
                dc[i, j] += s[7, i] * s[10, j]
        dc[i, i] += 1.0
    minus_cross(touch, dc[:, 3:6], 1.0)
    return gap


@kernel
def _relative_motion(ra, rb, de):
    """de (3, 12) = δx_A + δθ_A × r_A - δx_B - δθ_B × r_B."""
    for i in range(3):
        de[i, i] += 1.0
        de[i, 6 + i] -= 1.0
    minus_cross(ra, de[:, 3:6], 1.0)
    minus_cross(rb, de[:, 9:12], -1.0)
