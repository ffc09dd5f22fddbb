"""Round features of two bodies: a ball against a rounded box (a point, a segment, a box), and two rounded segments that cross.

Gap, normal n from body B to body A and contact point c, half way between the surfaces, from the poses of the bodies.
"""

import math

from dojo_py.algebra.vectors import ZERO, X, Y, Z, along, cross, dot, length, matrix, minus, plus, row, times, turned
from dojo_py.arrays import scratch
from dojo_py.collision.features import BALL_FEATURE, put_row
from dojo_py.collision.rounded_box import ball_against_box
from dojo_py.collision.segments import closest_parameters, relaxed_parameters
from dojo_py.jit import kernel


@kernel
def upright(n):
    """Index of the axis that tangents are taken from: y, or z where the normal n (3,) is near y (MuJoCo's rule)."""
    return 1 if abs(n[1]) < 0.5 else 2


@kernel
def tangents(n, T):
    """T (2, 3): two unit vectors that make a right-handed frame with the unit vector n (3,).

    The first is along the part of a coordinate axis that is across n.
    """
    i = upright(n)
    s = 1.0 / math.sqrt(1.0 - n[i] * n[i])
    for k in range(3):
        T[0, k] = s * (1.0 * (k == i) - n[i] * n[k])
    T[1, 0] = n[1] * T[0, 2] - n[2] * T[0, 1]
    T[1, 1] = n[2] * T[0, 0] - n[0] * T[0, 2]
    T[1, 2] = n[0] * T[0, 1] - n[1] * T[0, 0]


@kernel
def pair_geometry(kind, xa, Ra, xb, Rb, centre, axes, half, radius, tau, n, c, dgap, dn, dc, deep):
    """Gap [m], normal n (3,), point c (3,); if deep the first six columns, by (δx_A, δθ_A), of dgap (12,), dn, dc (3, 12).

    centre (2, 3), axes (2, 3, 3), half (2, 3), radius (2,): the features in the bodies' frames.
    tau [m²]: the nearest points of two axes are relaxed by this (segments.py); 0: they are the nearest.
    """
    if kind == BALL_FEATURE:
        return _ball(xa, Ra, xb, Rb, centre, axes[1], half[1], radius, n, c, dgap, dn, dc, deep)
    return _crossing(xa, Ra, xb, Rb, centre, axes, half, radius, tau, n, c, dgap, dn, dc, deep)


@kernel
def _ball(xa, Ra, xb, Rb, centre, axes, half, radius, n, c, dgap, dn, dc, deep):
    """A ball of A against a rounded box of B: n = Q m(y), y = Qᵀ (c_A - o_B)."""
    A, B = matrix(Ra), matrix(Rb)
    arm, at = turned(A, row(centre, 0)), turned(B, row(centre, 1))
    Q0, Q1, Q2 = turned(B, _column(axes, 0)), turned(B, _column(axes, 1)), turned(B, _column(axes, 2))
    y, m, dm = scratch(3), scratch(3), scratch((3, 3))
    e = minus(plus((xa[0], xa[1], xa[2]), arm), plus((xb[0], xb[1], xb[2]), at))
    y[0], y[1], y[2] = dot(Q0, e), dot(Q1, e), dot(Q2, e)
    gap = ball_against_box(y, half, m, dm) - (radius[0] + radius[1])
    normal, back = along(along(times(m[0], Q0), m[1], Q1), m[2], Q2), radius[0] + 0.5 * gap
    _put_place(xa, arm, normal, back, n, c)
    if deep:
        V0, V1, V2 = _mixed(Q0, Q1, Q2, row(dm, 0)), _mixed(Q0, Q1, Q2, row(dm, 1)), _mixed(Q0, Q1, Q2, row(dm, 2))  # dm Qᵀ
        put_row(dgap, normal, arm, ZERO)
        by_x = along(along(times(Q0[0], V0), Q1[0], V1), Q2[0], V2)
        by_y = along(along(times(Q0[1], V0), Q1[1], V1), Q2[1], V2)
        by_z = along(along(times(Q0[2], V0), Q1[2], V1), Q2[2], V2)
        put_row(dn[0], by_x, arm, ZERO)
        put_row(dn[1], by_y, arm, ZERO)
        put_row(dn[2], by_z, arm, ZERO)
        put_row(dc[0], along(along(X, -back, by_x), -0.5 * normal[0], normal), arm, ZERO)
        put_row(dc[1], along(along(Y, -back, by_y), -0.5 * normal[1], normal), arm, ZERO)
        put_row(dc[2], along(along(Z, -back, by_z), -0.5 * normal[2], normal), arm, ZERO)
    return gap


@kernel
def _column(a, k):
    """Column k of an array (3, 3)."""
    return (a[0, k], a[1, k], a[2, k])


@kernel
def _mixed(Q0, Q1, Q2, w):
    """Σ w_i Q_i."""
    return along(along(times(w[0], Q0), w[1], Q1), w[2], Q2)


@kernel
def _put_place(xa, arm, normal, back, n, c):
    """Normal and point, half way between the two surfaces, `back` from the point at the end of an arm of A."""
    for i in range(3):
        n[i] = normal[i]
        c[i] = xa[i] + arm[i] - back * normal[i]


@kernel
def _crossing(xa, Ra, xb, Rb, centre, axes, half, radius, tau, n, c, dgap, dn, dc, deep):
    """Two rounded segments o + s u: e = o_A + s u_A - o_B - t u_B."""
    A, B = matrix(Ra), matrix(Rb)
    ra, rb = turned(A, row(centre, 0)), turned(B, row(centre, 1))
    ua, ub = times(half[0, 2], turned(A, _column(axes[0], 2))), times(half[1, 2], turned(B, _column(axes[1], 2)))
    e = minus(plus((xa[0], xa[1], xa[2]), ra), plus((xb[0], xb[1], xb[2]), rb))
    kp, kt, free_p, free_t = 0.0, 0.0, True, True
    if tau > 0.0:
        p, t, kp, kt = relaxed_parameters(e, ua, ub, tau)
    else:
        p, t, free_p, free_t = closest_parameters(e, ua, ub)
    arm = along(ra, p, ua)
    e = minus(plus((xa[0], xa[1], xa[2]), arm), plus((xb[0], xb[1], xb[2]), along(rb, t, ub)))
    distance = length(e)
    if distance > 1e-9:
        normal = times(1.0 / distance, e)
    else:
        normal = cross(ua, ub)
        size = length(normal)
        normal = times(1.0 / size, normal) if size > 0.0 else Z
    gap = distance - (radius[0] + radius[1])
    back = radius[0] + 0.5 * gap
    _put_place(xa, arm, normal, back, n, c)
    if not deep:
        return gap
    # δs = by_s · δp + turn_s · δθ, likewise δt, with the motion δp = δx + δθ × arm of the point of A;  e · (δθ × u) = δθ · (u × e)
    by_s, turn_s, by_t, turn_t = ZERO, ZERO, ZERO, ZERO
    aa, bb, ab, turn = dot(ua, ua) + kp, dot(ub, ub) + kt, dot(ua, ub), cross(ua, e)
    if free_p and free_t:
        det = aa * bb - ab * ab
        by_s, turn_s = times(1.0 / det, along(times(ab, ub), -bb, ua)), times(-bb / det, turn)
        by_t, turn_t = times(1.0 / det, along(times(aa, ub), -ab, ua)), times(-ab / det, turn)
    elif free_p:
        by_s, turn_s = times(-1.0 / aa, ua), times(-1.0 / aa, turn)
    elif free_t:
        by_t = times(1.0 / bb, ub)
    by_gap, turn_gap = normal, ZERO
    if tau > 0.0:  # relaxed points slide along the axes, and the line between them is not perpendicular to these
        on_a, on_b = dot(normal, ua), dot(normal, ub)
        by_gap = along(along(normal, on_a, by_s), -on_b, by_t)
        turn_gap = minus(times(on_a, turn_s), times(on_b, turn_t))
    put_row(dgap, by_gap, arm, turn_gap)
    inv = 1.0 / max(distance, 1e-9)
    slides = (by_s, turn_s, by_t, turn_t)
    _crossing_row(X, normal[0], ua[0], normal, ua, ub, slides, inv, back, by_gap, turn_gap, arm, dn[0], dc[0])
    _crossing_row(Y, normal[1], ua[1], normal, ua, ub, slides, inv, back, by_gap, turn_gap, arm, dn[1], dc[1])
    _crossing_row(Z, normal[2], ua[2], normal, ua, ub, slides, inv, back, by_gap, turn_gap, arm, dn[2], dc[2])
    return gap


@kernel
def _crossing_row(axis, along_n, along_u, normal, ua, ub, slides, inv, back, by_gap, turn_gap, arm, dn, dc):
    """Rows of the normal and the point along one axis."""
    by_s, turn_s, by_t, turn_t = slides
    y = times(inv, along(axis, -along_n, normal))
    on_a, on_b = dot(y, ua), dot(y, ub)
    by_n, turn_n = along(along(y, on_a, by_s), -on_b, by_t), minus(times(on_a, turn_s), times(on_b, turn_t))
    put_row(dn, by_n, arm, turn_n)
    by_c = along(along(along(axis, along_u, by_s), -back, by_n), -0.5 * along_n, by_gap)
    put_row(dc, by_c, arm, along(along(times(along_u, turn_s), -back, turn_n), -0.5 * along_n, turn_gap))


@kernel
def crossing_by_length(xa, Ra, xb, Rb, centre, axes, half, radius, tau, side):
    """Change of (gap, n, c) of `_crossing` for each metre of half the length of one side, the bodies held; tau > 0.

    With d, the unit vector of that axis, e changes by s d, or -t d, at fixed parameters; these follow from e · u_A + ∂ barrier = 0,
    e · u_B - ∂ barrier = 0.
    """
    A, B = matrix(Ra), matrix(Rb)
    ra, rb = turned(A, row(centre, 0)), turned(B, row(centre, 1))
    d_a, d_b = turned(A, _column(axes[0], 2)), turned(B, _column(axes[1], 2))
    ua, ub = times(half[0, 2], d_a), times(half[1, 2], d_b)
    e = minus(plus((xa[0], xa[1], xa[2]), ra), plus((xb[0], xb[1], xb[2]), rb))
    s, t, ks, kt = relaxed_parameters(e, ua, ub, tau)
    e = along(along(e, s, ua), -t, ub)
    distance = max(length(e), 1e-9)
    n = times(1.0 / distance, e)
    moved = times(s, d_a) if side == 0 else times(-t, d_b)
    slope_s, slope_t = dot(moved, ua), -dot(moved, ub)
    if side == 0:
        slope_s += dot(e, d_a)
    else:
        slope_t -= dot(e, d_b)
    aa, bb, ab = dot(ua, ua) + ks, dot(ub, ub) + kt, dot(ua, ub)
    det = aa * bb - ab * ab
    ds, dt = -(bb * slope_s + ab * slope_t) / det, -(ab * slope_s + aa * slope_t) / det
    moved = along(along(moved, ds, ua), -dt, ub)
    dgap = dot(n, moved)
    dn = times(1.0 / distance, along(moved, -dgap, n))
    back = radius[0] + 0.5 * (distance - radius[0] - radius[1])
    dc = along(times(ds, ua), s if side == 0 else 0.0, d_a)
    return dgap, dn, along(along(dc, -0.5 * dgap, n), -back, dn)
