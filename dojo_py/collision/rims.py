"""Features of a cylinder's rim, a circle with centre a, axes x, y in its plane, z along the cylinder's axis, and radius k:

    RIM_EDGE   against the line b + t w, rounded by r (0: an edge; else the axis of a capsule or cylinder of radius r)
    RIM_RIM    against another rim, where both cross seen along the normal

A point of the rim is p = a + k e(φ), e = cos φ x + sin φ y, with tangent τ = z × e. At nearest points the difference D is
perpendicular to both curves. Newton's method finds their angles from those of the start of the step, so that each crossing of a rim
keeps its identity:

    RIM_EDGE   D = p - b - w (w · (p - b)),    D · τ = 0                       RIM_RIM   D = p_A - p_B,   D · τ_A = D · τ_B = 0

Normal n from B to A: ± D/|D| against a rounded line, else perpendicular to both tangents, along ± w × τ or ± τ_A × τ_B, with the
sign chosen at the start of the step, because D vanishes where edges touch. gap = n · (point of A - point of B) - r. As in
features.py, `…_change` is the change when the two bodies move; the angles change by dφ = -δ(D · τ) / ∂(D · τ)/∂φ.
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, minus, plus, times
from dojo_py.collision.features import moved
from dojo_py.jit import kernel

RIM_SOFTNESS = 1e-3
"""Least ε of RIM_PLANE (features.py) on the central path, where it is ℓ over the radius (feature_geometry.py). Below this tilt the
lowest point of a rim moves to the cap's centre: if the cap is parallel to the face it is undefined, and four fixed points carry the
cylinder. The gap's error is ε²/2 of the radius when the cylinder lies on its side."""
STEADY_LEAN = 1e-7
"""Least ε in the hard limit, and tilt below which the lowest point is never followed. The gap's error is 1e-9 of the radius at a
tilt of 5e-6, and 3e-13 at the tilt from which the first solve follows the lowest point (`rim_choice.LEAN`)."""

MOST_STEPS = 64
"""Largest number of Newton steps. Where a rim and a line are parallel, seen along the normal, one initial guess is the farthest
point of the rim, a stationary point: the first steps only double its error, which may be round-off."""
LONGEST_STEP = 0.5
"""Largest change of an angle [rad] in one Newton step."""
CONVERGED = 1e-14
"""Change of an angle [rad] at which Newton's method has converged."""
NOTHING = 1e-24
"""Lower bound of squares and lengths that are divided by."""
FLAT = 1e-3
"""Over the radius: lower bound of the slope ∂(D · τ)/∂φ that is divided by; it vanishes for a rim along an edge."""


@kernel
def radial(x, y, angle):
    """e(φ)."""
    return along(times(math.cos(angle), x), math.sin(angle), y)


@kernel
def _across(d, w):
    """Part of d perpendicular to the unit vector w."""
    return along(d, -dot(d, w), w)


@kernel
def rim_edge_angle(a, x, y, k, b, w, angle):
    """(φ, ∂(D · τ)/∂φ over k) of the rim's point nearest to the line; angle: initial guess."""
    z, slope = cross(x, y), 1.0
    for _ in range(MOST_STEPS):
        e = radial(x, y, angle)
        t = cross(z, e)
        D, c = _across(minus(along(a, k, e), b), w), dot(w, t)
        slope = k * (1.0 - c * c) - dot(D, e)
        step = -dot(D, t) / max(abs(slope), FLAT * k)
        angle += min(max(step, -LONGEST_STEP), LONGEST_STEP)
        if abs(step) < CONVERGED:
            break
    return angle, slope / k


@kernel
def rim_edge(a, x, y, k, b, w, r, angle, sign, side):
    """(gap, n, c) of a rim and a line at the angle φ; sign: of n = ± w × τ; side: 1 if the rim is A's, else -1."""
    e = radial(x, y, angle)
    p = along(a, k, e)
    D = _across(minus(p, b), w)
    N = D if r > 0.0 else cross(w, cross(cross(x, y), e))
    n = times((side if r > 0.0 else sign) / math.sqrt(max(dot(N, N), NOTHING)), N)
    gap = side * dot(n, D) - r
    return gap, n, along(p, -0.5 * side * gap, n)


@kernel
def rim_edge_change(a, x, y, k, b, w, r, angle, sign, side, gap, n, da, turn_rim, db, turn_line):
    """Change of `rim_edge` when a, b move by da, db and rim and line rotate with their bodies; φ follows."""
    z, e = cross(x, y), radial(x, y, angle)
    t = cross(z, e)
    f = minus(along(a, k, e), b)
    s, c = dot(w, f), dot(w, t)
    D = along(f, -s, w)
    dp, dw, dt = moved(da, turn_rim, times(k, e)), cross(turn_line, w), cross(turn_rim, t)
    u = minus(dp, db)
    dD = along(along(u, -(dot(dw, f) + dot(w, u)), w), -s, dw)
    slope = k * (1.0 - c * c) - dot(D, e)
    dangle = -(dot(dD, t) + dot(D, dt)) / (math.copysign(max(abs(slope), FLAT * k), slope))
    dp, dt = along(dp, k * dangle, t), along(dt, -dangle, e)
    dgap = side * dot(n, along(u, -s, dw))
    if r > 0.0:
        N, dN, size = D, along(dD, k * dangle, along(t, -c, w)), side * max(gap + r, NOTHING)
    else:
        N = cross(w, t)
        dN, size = plus(cross(dw, t), cross(w, dt)), sign * math.sqrt(max(dot(N, N), NOTHING))
    dn = times(1.0 / size, along(dN, -dot(n, dN), n))
    return dgap, dn, along(along(dp, -0.5 * side * dgap, n), -0.5 * side * gap, dn)


@kernel
def rim_rim_angles(a, xa, ya, ka, b, xb, yb, kb, alpha, beta):
    """(α, β, whether they converged) of the points of two rims whose difference is ⟂ to both; alpha, beta: initial guess."""
    za, zb, good = cross(xa, ya), cross(xb, yb), False
    for _ in range(MOST_STEPS):
        e, f = radial(xa, ya, alpha), radial(xb, yb, beta)
        t, u = cross(za, e), cross(zb, f)
        D, c = minus(along(a, ka, e), along(b, kb, f)), dot(t, u)
        dalpha, dbeta = _angles_follow(ka - dot(D, e), kb + dot(D, f), ka, kb, c, dot(D, t), dot(D, u))
        dalpha, dbeta = min(max(dalpha, -LONGEST_STEP), LONGEST_STEP), min(max(dbeta, -LONGEST_STEP), LONGEST_STEP)
        alpha, beta = alpha + dalpha, beta + dbeta
        if abs(dalpha) + abs(dbeta) < CONVERGED * 4.0:
            good = True
            break
    return alpha, beta, good


@kernel
def _angles_follow(slope_a, slope_b, ka, kb, c, Ft, Fu):
    """(δα, δβ) that take D · τ_A = Ft and D · τ_B = Fu to zero; c: τ_A · τ_B."""
    det = -slope_a * slope_b + ka * kb * c * c
    least = FLAT * ka * kb
    if abs(det) < least:
        det = math.copysign(least, det)
    # [slope_a, -kb c; ka c, -slope_b] (δα, δβ) = -(Ft, Fu)
    return (slope_b * Ft - kb * c * Fu) / det, (ka * c * Ft - slope_a * Fu) / det


@kernel
def rim_rim(a, xa, ya, ka, b, xb, yb, kb, alpha, beta, sign):
    """(gap, n, c) of two rims at the angles α, β; sign: of n = ± τ_A × τ_B."""
    e, f = radial(xa, ya, alpha), radial(xb, yb, beta)
    N = cross(cross(cross(xa, ya), e), cross(cross(xb, yb), f))
    n = times(sign / math.sqrt(max(dot(N, N), NOTHING)), N)
    p = along(a, ka, e)
    gap = dot(n, minus(p, along(b, kb, f)))
    return gap, n, along(p, -0.5 * gap, n)


@kernel
def rim_rim_change(a, xa, ya, ka, b, xb, yb, kb, alpha, beta, sign, gap, n, da, turn_a, db, turn_b):
    """Change of `rim_rim` when a, b move by da, db and both rims rotate; the angles follow."""
    e, f = radial(xa, ya, alpha), radial(xb, yb, beta)
    t, u = cross(cross(xa, ya), e), cross(cross(xb, yb), f)
    D, c = minus(along(a, ka, e), along(b, kb, f)), dot(t, u)
    dp, dq = moved(da, turn_a, times(ka, e)), moved(db, turn_b, times(kb, f))
    dt, du, dD = cross(turn_a, t), cross(turn_b, u), minus(dp, dq)
    dalpha, dbeta = _angles_follow(
        ka - dot(D, e), kb + dot(D, f), ka, kb, c, dot(dD, t) + dot(D, dt), dot(dD, u) + dot(D, du)
    )  # fmt: skip
    dgap = dot(n, dD)
    dt, du = along(dt, -dalpha, e), along(du, -dbeta, f)
    N = cross(t, u)
    dn = times(sign / math.sqrt(max(dot(N, N), NOTHING)), plus(cross(dt, u), cross(t, du)))
    dn = along(dn, -dot(n, dn), n)
    dp = along(dp, ka * dalpha, t)
    return dgap, dn, along(along(dp, -0.5 * dgap, n), -0.5 * gap, dn)
