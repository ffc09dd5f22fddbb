"""Gap, normal, contact point of a feature of two bodies, with their derivatives by both poses: one place for all kinds.

Inputs are row f of the table of features (workspace.py) and the poses of its bodies; the derivatives are by (δx_A, δθ_A, δx_B,
δθ_B), world axes. Round features have their own file (pair_contacts.py), the others their formulas in collision/features.py.

Each kind gives the derivatives by the motion of A. Those by the motion of B follow from the fact that gap, normal and point move
along when both bodies move together as one rigid body, by δθ about x_B and by δx:

    ∂g/∂x_A + ∂g/∂x_B = 0 (1 for the point);    ∂g/∂θ_A + ∂g/∂θ_B + ∂g/∂x_A [δθ × (x_A - x_B)] = 0 for the gap, δθ × n for the
    normal, δθ × (c - x_B) for the point
"""

import math

from dojo_py.algebra.vectors import ZERO, X, Y, Z, along, cross, dot, length, matrix, minus, plus, times, turned
from dojo_py.arrays import body_row, scratch
from dojo_py.collision.candidates import FELT
from dojo_py.collision.convex_derivatives import motion_change
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import CAPSULE, MESH, SPHERE
from dojo_py.collision.features import (
    CROSSING,
    EDGE_EDGE,
    EDGE_OVER,
    ELLIPSOID_PLANE,
    NEAREST,
    POINT_PLANE,
    RIM_EDGE,
    RIM_PLANE,
    edge_edge,
    edge_edge_rows,
    edge_over,
    edge_over_rows,
    ellipsoid_plane,
    ellipsoid_plane_change,
    moved,
    point_plane,
    point_plane_rows,
    rim_plane,
    rim_plane_change,
)
from dojo_py.collision.height_fields import CORNERS as PRISM
from dojo_py.collision.height_fields import HFIELD
from dojo_py.collision.rims import (
    RIM_SOFTNESS,
    STEADY_LEAN,
    rim_edge,
    rim_edge_angle,
    rim_edge_change,
    rim_rim,
    rim_rim_angles,
    rim_rim_change,
)
from dojo_py.collision.shown_polygons import placed, pose_of, shape_of
from dojo_py.hard.elements.pair_contacts import pair_geometry
from dojo_py.jit import kernel

SMOOTH, SHARP = RIM_SOFTNESS * RIM_SOFTNESS, STEADY_LEAN * STEADY_LEAN
"""Least ε² of a rim over a face on the central path, and that in the hard limit, where gaps are checked to 5e-10 m: there caps that
nearly lie flat have other features (manifold.py)."""
PARALLEL = 1e-12
"""Sine of the angle between edges below which they have no common normal."""
FAR = 1e6
"""The gap of edges that do not cross [m]."""


@kernel
def feature_geometry(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc):
    """Gap [m] of feature f, normal n (3,) from B to A, point c (3,); dgap (12,), dn, dc (3, 12)."""
    gap = _of_first(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, True)
    away = (xa[0] - xb[0], xa[1] - xb[1], xa[2] - xb[2])
    normal, arm = (n[0], n[1], n[2]), (c[0] - xb[0], c[1] - xb[1], c[2] - xb[2])
    _follow(dgap, away, ZERO, ZERO)
    _follow(dn[0], away, ZERO, cross(normal, X))
    _follow(dn[1], away, ZERO, cross(normal, Y))
    _follow(dn[2], away, ZERO, cross(normal, Z))
    _follow(dc[0], away, X, cross(arm, X))
    _follow(dc[1], away, Y, cross(arm, Y))
    _follow(dc[2], away, Z, cross(arm, Z))
    return gap


@kernel
def _follow(row, away, shift, turn):
    """Columns 6 … 11 of a row, by the motion of B, from those by the motion of A.

    away: x_A - x_B; shift, turn (3,): the row's derivative by δx and δθ of both bodies together.
    """
    x = cross(away, (row[0], row[1], row[2]))
    row[6], row[7], row[8] = shift[0] - row[0], shift[1] - row[1], shift[2] - row[2]
    row[9], row[10], row[11] = turn[0] - row[3] - x[0], turn[1] - row[4] - x[1], turn[2] - row[5] - x[2]


@kernel
def _of_first(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    """As `feature_geometry`, with the first six columns of the derivatives, by the motion of A; deep False: without derivatives."""
    kind = W.fkind[f]
    if kind <= CROSSING:
        tau = relaxation(Q, W, f)
        return pair_geometry(
            kind, xa, Ra, xb, Rb, W.fcentre[f], W.faxes[f], W.fhalf[f], W.fradius[f], tau, n, c, dgap, dn, dc, deep
        )  # fmt: skip
    if kind == POINT_PLANE:
        return _point_plane(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)
    if kind == EDGE_EDGE:
        return _edge_edge(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)
    if kind == EDGE_OVER:
        return _edge_over(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)
    if kind == NEAREST:
        return _nearest(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)
    if kind == RIM_PLANE:
        return _rim_plane(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)
    if kind == RIM_EDGE:
        return _rim_edge(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)
    if kind == ELLIPSOID_PLANE:
        return _ellipsoid_plane(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)
    return _rim_rim(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep)


@kernel
def relaxation(Q, W, f):
    """τ [m²] of the relaxed nearest points of two axes (segments.py): h κ/m, an impulse κ/d moves the lighter body by d = √τ."""
    return FELT * Q.fade[W.fpair[f]] ** 2 * W.softness[0] if W.fkind[f] == CROSSING and W.softness[0] > 0.0 else 0.0


@kernel
def _direction(W, f, side, R):
    """The third axis of one side, world."""
    return turned(matrix(R), W.faxes[f, side, :, 2])


@kernel
def _motion(k):
    """(δx_A, δθ_A) of column k."""
    e = (1.0 * (k % 3 == 0), 1.0 * (k % 3 == 1), 1.0 * (k % 3 == 2))
    return (e, ZERO) if k < 3 else (ZERO, e)


@kernel
def _put(value, n, c):
    """Normal and point into arrays; the gap is returned."""
    gap, normal, point = value
    for i in range(3):
        n[i], c[i] = normal[i], point[i]
    return gap


@kernel
def _put_change(change, k, dgap, dn, dc):
    """Column k of the derivatives."""
    gap, normal, point = change
    dgap[k] = gap
    for i in range(3):
        dn[i, k], dc[i, k] = normal[i], point[i]


@kernel
def _point_plane(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    ra, rb = turned(matrix(Ra), W.fcentre[f, 0]), turned(matrix(Rb), W.fcentre[f, 1])
    a, b = plus((xa[0], xa[1], xa[2]), ra), plus((xb[0], xb[1], xb[2]), rb)
    from_a = W.fsign[f] > 0.0
    normal = _direction(W, f, 1, Rb) if from_a else times(-1.0, _direction(W, f, 0, Ra))
    r = W.fradius[f, 0] if from_a else W.fradius[f, 1]
    gap = _put(point_plane(a, b, normal, r, from_a), n, c)
    if deep:
        point_plane_rows(minus(a, b), normal, r, from_a, gap, ra, dgap, dn, dc)
    return gap


@kernel
def _do_not_meet(point, n, c, dgap, dn, dc):
    """FAR, the gap of two edges that are parallel now: they crossed when the feature was found, in another part of the step."""
    dgap[:6] = 0.0
    dn[:, :6] = 0.0
    dc[:, :6] = 0.0
    return _put((FAR, X, point), n, c)


@kernel
def _edge_edge(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    ra, rb = turned(matrix(Ra), W.fcentre[f, 0]), turned(matrix(Rb), W.fcentre[f, 1])
    a, b = plus((xa[0], xa[1], xa[2]), ra), plus((xb[0], xb[1], xb[2]), rb)
    u, w, sign = _direction(W, f, 0, Ra), _direction(W, f, 1, Rb), W.fsign[f]
    if length(cross(u, w)) < PARALLEL:
        return _do_not_meet(a, n, c, dgap, dn, dc)
    gap = _put(edge_edge(a, u, b, w, W.fradius[f, 0], W.fradius[f, 1], sign), n, c)
    if deep:
        edge_edge_rows(minus(a, b), u, w, W.fradius[f, 0], sign, gap, (n[0], n[1], n[2]), ra, dgap, dn, dc)
    return gap


@kernel
def _edge_over(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    a = plus((xa[0], xa[1], xa[2]), turned(matrix(Ra), W.fcentre[f, 0]))
    b = plus((xb[0], xb[1], xb[2]), turned(matrix(Rb), W.fcentre[f, 1]))
    sign = W.fsign[f]
    edge, face = (0, 1) if sign > 0.0 else (1, 0)
    Re, Rf = (Ra, Rb) if sign > 0.0 else (Rb, Ra)
    p, o = (a, b) if sign > 0.0 else (b, a)
    u, m, k, r = (
        _direction(W, f, edge, Re),
        _direction(W, f, face, Rf),
        turned(matrix(Rf), W.faxes[f, face, :, 0]),
        W.fradius[f, edge],
    )
    if abs(dot(u, k)) < PARALLEL:
        return _do_not_meet(p, n, c, dgap, dn, dc)
    gap = _put(edge_over(p, u, o, m, k, r, sign), n, c)
    if deep:  # (the point of the edge is behind the contact point)
        at = along((c[0], c[1], c[2]), r + 0.5 * gap, m)
        edge_over_rows(at, u, m, k, r, sign, gap, (xa[0], xa[1], xa[2]), dgap, dn, dc)
    return gap


@kernel
def rim_softness(Q, W, f, radius):
    """ε² of a rim over a face, feature f: on the central path (ℓ/radius)², ℓ as in collision/overhang.py, or SMOOTH.

    The lowest point of a rim goes round it as the cap tilts through level. Below a tilt of ℓ/radius all points of the rim are as
    low to ℓ, the length by which their impulses move the body. With a smaller ε Newton's method has to find a tilt that counts
    on a scale far below that of its steps: of a cylinder that is lifted off a floor at κ = 0.01 one step in ten was not solved.
    """
    if W.kappa[0] == 0.0:
        return min(SMOOTH, max(SHARP, (W.softness[1] / radius) ** 2))
    return max(SMOOTH, FELT * W.softness[0] * (Q.fade[W.fpair[f]] / radius) ** 2)


@kernel
def _rim_plane(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    ra, rb = turned(matrix(Ra), W.fcentre[f, 0]), turned(matrix(Rb), W.fcentre[f, 1])
    a, b = plus((xa[0], xa[1], xa[2]), ra), plus((xb[0], xb[1], xb[2]), rb)
    sign = W.fsign[f]
    of_a = sign > 0.0
    z = _direction(W, f, 0, Ra) if of_a else _direction(W, f, 1, Rb)
    normal = _direction(W, f, 1, Rb) if of_a else times(-1.0, _direction(W, f, 0, Ra))
    disc, plane, radius = (a, b, W.fradius[f, 0]) if of_a else (b, a, W.fradius[f, 1])
    soft = rim_softness(Q, W, f, radius)
    gap = _put(rim_plane(disc, z, radius, soft, plane, normal, sign), n, c)
    for k in range(6 if deep else 0):
        ua, ta = _motion(k)
        da = moved(ua, ta, ra)
        if of_a:
            change = rim_plane_change(disc, z, radius, soft, plane, normal, sign, gap, da, ta, ZERO, ZERO)
        else:
            change = rim_plane_change(disc, z, radius, soft, plane, normal, sign, gap, ZERO, ZERO, da, ta)
        _put_change(change, k, dgap, dn, dc)
    return gap


@kernel
def _rim(W, f, side, R):
    """(x, y) axes across the rim on one side, world."""
    x = turned(matrix(R), W.faxes[f, side, :, 0])
    return x, cross(_direction(W, f, side, R), x)


@kernel
def _rim_edge(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    ra, rb = turned(matrix(Ra), W.fcentre[f, 0]), turned(matrix(Rb), W.fcentre[f, 1])
    a, b = plus((xa[0], xa[1], xa[2]), ra), plus((xb[0], xb[1], xb[2]), rb)
    side = W.fsign[f]
    of_a = side > 0.0
    rim, line = (0, 1) if of_a else (1, 0)
    x, y = _rim(W, f, rim, Ra if of_a else Rb)
    w = _direction(W, f, line, Rb if of_a else Ra)
    p, q = (a, b) if of_a else (b, a)
    k, r, sign = W.fradius[f, rim], W.fradius[f, line], W.fhalf[f, rim, 1]
    angle, _ = rim_edge_angle(p, x, y, k, q, w, W.fhalf[f, rim, 0])
    value = rim_edge(p, x, y, k, q, w, r, angle, sign, side)
    gap = _put(value, n, c)
    for column in range(6 if deep else 0):
        ua, ta = _motion(column)
        da = moved(ua, ta, ra)
        dp, turn_p, dq, turn_q = (da, ta, ZERO, ZERO) if of_a else (ZERO, ZERO, da, ta)
        change = rim_edge_change(p, x, y, k, q, w, r, angle, sign, side, gap, value[1], dp, turn_p, dq, turn_q)
        _put_change(change, column, dgap, dn, dc)
    return gap


@kernel
def _rim_rim(W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    ra, rb = turned(matrix(Ra), W.fcentre[f, 0]), turned(matrix(Rb), W.fcentre[f, 1])
    a, b = plus((xa[0], xa[1], xa[2]), ra), plus((xb[0], xb[1], xb[2]), rb)
    x, y = _rim(W, f, 0, Ra)
    u, v = _rim(W, f, 1, Rb)
    k, m, sign = W.fradius[f, 0], W.fradius[f, 1], W.fsign[f]
    alpha, beta, _ = rim_rim_angles(a, x, y, k, b, u, v, m, W.fhalf[f, 0, 0], W.fhalf[f, 1, 0])
    value = rim_rim(a, x, y, k, b, u, v, m, alpha, beta, sign)
    gap = _put(value, n, c)
    for column in range(6 if deep else 0):
        ua, ta = _motion(column)
        change = rim_rim_change(a, x, y, k, b, u, v, m, alpha, beta, sign, gap, value[1], moved(ua, ta, ra), ta, ZERO, ZERO)
        _put_change(change, column, dgap, dn, dc)
    return gap


@kernel
def _ellipsoid_plane(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    g = W.fshape[f, 0]
    A, pose, normal = shape_of(Q, g), pose_of(Q, g, xa, Ra), _direction(W, f, 1, Rb)
    b = plus((xb[0], xb[1], xb[2]), turned(matrix(Rb), W.fcentre[f, 1]))
    gap = _put(ellipsoid_plane(A, pose, b, normal), n, c)
    arm = minus(pose[0], (xa[0], xa[1], xa[2]))
    for k in range(6 if deep else 0):
        u, turn = _motion(k)
        _put_change(ellipsoid_plane_change(A, pose, normal, moved(u, turn, arm), turn), k, dgap, dn, dc)
    return gap


@kernel
def _second_shape(Q, W, f, x, R):
    """(shape, pose) of the second side of feature f: its geom; of a height field the edge or point of the terrain, `fhalf` long, or
    a prism, whose number is one less than the first entry of `fhalf`.
    """
    g, half = W.fshape[f, 1], W.fhalf[f, 1, 2]
    if Q.shape_kind[g] == HFIELD:
        place, prism = placed(W.fcentre[f, 1], W.faxes[f, 1], x, R), int(W.fhalf[f, 1, 0])
        if prism > 0:
            return (MESH, (0.0, 0.0, 0.0), Q.shape_hull[g, 0] + PRISM * (prism - 1), PRISM), place
        return (CAPSULE if half > 0.0 else SPHERE, (0.0, half, 0.0), 0, 0), place
    return shape_of(Q, g), pose_of(Q, g, x, R)


@kernel
def _nearest(Q, W, f, xa, Ra, xb, Rb, n, c, dgap, dn, dc, deep):
    i = W.fshape[f, 0]
    A, pose_a = shape_of(Q, i), pose_of(Q, i, xa, Ra)
    B, pose_b = _second_shape(Q, W, f, xb, Rb)
    near = nearest(A, pose_a, B, pose_b, minus(pose_b[0], pose_a[0]), Q, W.polytope, math.inf)
    gap, normal, p, q, features, _ = near
    for r in range(3):
        n[r], c[r] = -normal[r], 0.5 * (p[r] + q[r])
    arm = minus(pose_a[0], (xa[0], xa[1], xa[2]))
    for k in range(6 if deep else 0):
        ua, ta = _motion(k)
        dg, change, dp, dq = motion_change(A, pose_a, B, pose_b, (gap, normal, p, q, features), moved(ua, ta, arm), ta, ZERO, ZERO)
        dgap[k] = dg
        for r in range(3):
            dn[r, k], dc[r, k] = -change[r], 0.5 * (dp[r] + dq[r])
    return gap


@kernel
def feature_point(Q, W, f, x, R, n, c):
    """Gap [m] of feature f at poses x (nb + 1, 3), R (nb + 1, 3, 3); normal n (3,) and point c (3,), written."""
    a, b = body_row(x, W.fbody[f, 0]), body_row(x, W.fbody[f, 1])
    dgap, dn, dc = scratch(12), scratch((3, 12)), scratch((3, 12))
    return _of_first(Q, W, f, x[a], R[a], x[b], R[b], n, c, dgap, dn, dc, False)


@kernel
def feature_gap(Q, W, f, x, R):
    """Gap [m] of feature f at poses x (nb + 1, 3), R (nb + 1, 3, 3)."""
    n, c = scratch(3), scratch(3)
    return feature_point(Q, W, f, x, R, n, c)


@kernel
def round_gap(W, f, x, R):
    """Distance [m] of round feature f at poses x (nb + 1, 3), R (nb + 1, 3, 3), on the central path too."""
    a, b = body_row(x, W.fbody[f, 0]), body_row(x, W.fbody[f, 1])
    n, c, dgap, dn, dc = scratch(3), scratch(3), scratch(12), scratch((3, 12)), scratch((3, 12))
    return pair_geometry(
        W.fkind[f], x[a], R[a], x[b], R[b], W.fcentre[f], W.faxes[f], W.fhalf[f], W.fradius[f], 0.0, n, c, dgap, dn, dc, False
    )
