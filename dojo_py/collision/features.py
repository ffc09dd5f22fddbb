"""Smooth gaps between features of two convex shapes: the elements of a contact manifold.

    POINT_PLANE   a point of one shape, rounded, over the plane of a face of the other
    EDGE_EDGE     two skew lines, rounded; `sign` says which of the two common normals points from B to A
    EDGE_OVER     where an edge of one shape, seen along the normal of a face of the other, crosses an edge of that face
    RIM_PLANE     the lowest point of a cylinder's rim over the plane of a face
    NEAREST       the witness points of two whole shapes (convex_pair.py)
    RIM_EDGE      a cylinder's rim against an edge, or against the side of a capsule or cylinder (rims.py)
    RIM_RIM       two rims that cross (rims.py)
    ELLIPSOID_PLANE   the lowest point of an ellipsoid, A's, over a plane of B

Vectors are tuples of three numbers. Each kind has a function of its value (gap, n, c): n the normal from B to A, c the contact
point half way between the surfaces. `…_rows` writes the derivatives dgap (6 or more,), dn and dc (3, 6 or more) by a motion (δx,
δθ) of body A in world axes while B is fixed; `…_change` returns the change for one motion at a time. With a, b the two reference
points, r their rounding, and u = δx + δθ × (p - x) the displacement of a point p of a body,

    POINT_PLANE   n = ±m,  m the plane's normal       gap = n · (a - b) - r       δn = δθ × n of the plane's body
    EDGE_EDGE     n = ± N / |N|,  N = u_A × u_B       gap = n · (a - b) - r       p = a + t u_A,  t = -((a - b) × u_B) · N / |N|²
    EDGE_OVER     p = a + t u,  t = -((a - b) · k) / (u · k),  k in the face, ⟂ its edge       gap = m · (p - b) - r
    RIM_PLANE     p = a - k y / ρ,  y = m - (m·z) z,  ρ = sqrt(y·y + ε²),  m = ±n out of the plane, z the axis, k the radius
    ELLIPSOID_PLANE   p = s(-n),   δp = u + W (δθ × n),   s the support point, W = ∂s/∂n (convex_shapes.py)
"""

import math

from dojo_py.algebra.vectors import ZERO, X, Y, Z, along, cross, dot, minus, part_across, plus, times
from dojo_py.collision.convex_shapes import RIM, feature_support, follow
from dojo_py.jit import kernel

BALL_FEATURE, CROSSING, POINT_PLANE, EDGE_EDGE, EDGE_OVER, RIM_PLANE, NEAREST, RIM_EDGE, RIM_RIM, ELLIPSOID_PLANE = range(10)
"""Kinds of features of two bodies. Round pairs have only the first two, always the same ones (hard/elements/pair_contacts.py)."""


@kernel
def put_row(row, g, arm, turn):
    """First six entries of a row = derivative by (δx, δθ) of a body of what changes by g · (δx + δθ × arm) + turn · δθ."""
    t = cross(arm, g)
    row[0], row[1], row[2] = g[0], g[1], g[2]
    row[3], row[4], row[5] = t[0] + turn[0], t[1] + turn[1], t[2] + turn[2]


@kernel
def moved(u, turn, arm):
    """Displacement of the point at `arm` from a body's centre: u + δθ × arm (turn: δθ)."""
    return plus(u, cross(turn, arm))


@kernel
def point_plane(a, b, n, r, from_a):
    """(gap, n, c) of a point over a plane, unit normal n from B to A. a, b (3): point and a point of the plane, that of A first.

    r: rounding of the point [m]; from_a: the point is A's.
    """
    gap = dot(n, minus(a, b)) - r
    back = r + 0.5 * gap
    return gap, n, along(a, -back, n) if from_a else along(b, back, n)


@kernel
def point_plane_rows(e, n, r, from_a, gap, arm, dgap, dn, dc):
    """Rows of `point_plane`, see `put_row`; e = a - b; arm: from A's centre to a."""
    back, turn = r + 0.5 * gap, ZERO
    if not from_a:
        turn = cross(n, e)
    put_row(dgap, n, arm, turn)
    _point_plane_row(X, n[0], n, from_a, back, arm, turn, dn[0], dc[0])
    _point_plane_row(Y, n[1], n, from_a, back, arm, turn, dn[1], dc[1])
    _point_plane_row(Z, n[2], n, from_a, back, arm, turn, dn[2], dc[2])


@kernel
def _point_plane_row(axis, along_n, n, from_a, back, arm, turn, dn, dc):
    """Rows of one component of normal and contact point."""
    if from_a:  # (the plane is fixed)
        put_row(dn, ZERO, arm, ZERO)
        put_row(dc, along(axis, -0.5 * along_n, n), arm, ZERO)
    else:
        follows = cross(n, axis)
        put_row(dn, ZERO, arm, follows)
        put_row(dc, times(0.5 * along_n, n), arm, along(times(0.5 * along_n, turn), back, follows))


@kernel
def edge_edge(a, u, b, w, r_a, r_b, sign):
    """(gap, n, c) of lines a + t u of A and b + t w of B, u and w not parallel; r: rounding; sign: of n = ± u × w / |u × w|."""
    N = cross(u, w)
    size = math.sqrt(dot(N, N))
    n = times(sign / size, N)
    e = minus(a, b)
    gap = dot(n, e) - r_a - r_b
    t = -dot(cross(e, w), N) / (size * size)
    return gap, n, along(along(a, t, u), -(r_a + 0.5 * gap), n)


@kernel
def edge_edge_rows(e, u, w, r_a, sign, gap, n, arm, dgap, dn, dc):
    """Rows of `edge_edge`, see `put_row`; e = a - b; arm: from A's centre to a. y · ((δθ × u) × w) = δθ · (u × (w × y))."""
    N = cross(u, w)
    square, x = dot(N, N), cross(e, w)
    s, t, back = sign / math.sqrt(square), -dot(x, N) / square, r_a + 0.5 * gap
    by_a, by_N = times(-1.0 / square, cross(w, N)), times(-1.0 / square, along(x, 2.0 * t, N))  # δt
    across = times(s, along(e, -dot(n, e), n))
    put_row(dgap, n, arm, cross(u, cross(w, across)))
    _edge_edge_row(X, n[0], u[0], u, w, s, t, back, n, by_a, by_N, across, arm, dn[0], dc[0])
    _edge_edge_row(Y, n[1], u[1], u, w, s, t, back, n, by_a, by_N, across, arm, dn[1], dc[1])
    _edge_edge_row(Z, n[2], u[2], u, w, s, t, back, n, by_a, by_N, across, arm, dn[2], dc[2])


@kernel
def _edge_edge_row(axis, along_n, along_u, u, w, s, t, back, n, by_a, by_N, across, arm, dn, dc):
    """Rows of one component of normal and contact point."""
    y = times(s, along(axis, -along_n, n))
    put_row(dn, ZERO, arm, cross(u, cross(w, y)))
    z = along(along(times(along_u, by_N), -back, y), -0.5 * along_n, across)
    turn = along(cross(u, cross(w, z)), t, cross(u, axis))
    put_row(dc, along(along(axis, along_u, by_a), -0.5 * along_n, n), arm, turn)


@kernel
def edge_over(a, u, b, m, k, r, sign):
    """(gap, n, c) of the edge a + t u, rounded by r, over the edge of a face through b with outward normal m.

    k: in the face, perpendicular to its edge. sign: 1 when the first edge is A's, so that n = m; -1 when it is B's.
    """
    t = -dot(minus(a, b), k) / dot(u, k)
    p = along(a, t, u)
    gap = dot(m, minus(p, b)) - r
    return gap, times(sign, m), along(p, -(r + 0.5 * gap), m)


@kernel
def edge_over_rows(p, u, m, k, r, sign, gap, centre, dgap, dn, dc):
    """Rows of `edge_over`, see `put_row`; p: a + t u; centre: of A. If A has the edge, p slides along it, δp = V - u (k·V)/(u·k),
    with V = δx + δθ × (p - x_A); if A has the face, δp = u (k·V)/(u·k).
    """
    across, arm, back = dot(u, k), minus(p, centre), r + 0.5 * gap
    share = dot(m, u) / across
    by_gap = along(m, -share, k) if sign > 0.0 else along(times(-1.0, m), share, k)
    put_row(dgap, by_gap, arm, ZERO)
    _edge_over_row(X, m[0], u[0] / across, m, k, sign, back, by_gap, arm, dn[0], dc[0])
    _edge_over_row(Y, m[1], u[1] / across, m, k, sign, back, by_gap, arm, dn[1], dc[1])
    _edge_over_row(Z, m[2], u[2] / across, m, k, sign, back, by_gap, arm, dn[2], dc[2])


@kernel
def _edge_over_row(axis, along_m, slide, m, k, sign, back, by_gap, arm, dn, dc):
    """Rows of one component of normal and contact point."""
    if sign > 0.0:
        put_row(dn, ZERO, arm, ZERO)
        put_row(dc, along(along(axis, -slide, k), -0.5 * along_m, by_gap), arm, ZERO)
    else:
        follows = cross(m, axis)
        put_row(dn, ZERO, arm, times(sign, follows))
        put_row(dc, along(times(slide, k), -0.5 * along_m, by_gap), arm, times(-back, follows))


@kernel
def rim_plane(a, z, k, soft, b, n, sign):
    """(gap, n, c) of the lowest rim point of a disc, centre a, axis z, radius k, over the plane through b; soft: ε².

    sign: 1 when the disc is A's, so that n (from B to A) points to it; -1 when it is B's.
    """
    m = times(sign, n)  # out of the plane, towards the disc
    y = part_across(m, z)
    rho = math.sqrt(dot(y, y) + soft)
    p = along(a, -k / rho, y)
    gap = dot(m, minus(p, b))
    return gap, n, along(p, -0.5 * gap, m)


@kernel
def rim_plane_change(a, z, k, soft, b, n, sign, gap, da, turn_disc, db, turn_plane):
    """Change of `rim_plane` when a, b move by da, db; the axis rotates with the disc's body, n with the plane's."""
    m = times(sign, n)
    dm, dz = cross(turn_plane, m), cross(turn_disc, z)
    tilt, y = dot(m, z), part_across(m, z)
    dy = along(along(dm, -(dot(dm, z) + dot(m, dz)), z), -tilt, dz)
    rho = math.sqrt(dot(y, y) + soft)
    p = along(a, -k / rho, y)
    dp = along(along(da, -k / rho, dy), k * dot(y, dy) / (rho * rho * rho), y)
    dgap = dot(m, minus(dp, db)) + dot(dm, minus(p, b))
    return dgap, times(sign, dm), along(along(dp, -0.5 * dgap, m), -0.5 * gap, dm)


@kernel
def ellipsoid_plane(shape, pose, b, n):
    """(gap, n, c) of the lowest point of an ellipsoid (convex_shapes.py) over the plane through b with unit normal n."""
    p = feature_support(shape, pose, times(-1.0, n), RIM)
    gap = dot(n, minus(p, b))
    return gap, n, along(p, -0.5 * gap, n)


@kernel
def ellipsoid_plane_change(shape, pose, n, shift, turn):
    """Change of `ellipsoid_plane` when the ellipsoid's centre moves by `shift` and it rotates by `turn`; the plane is fixed."""
    down = times(-1.0, n)
    arm = minus(feature_support(shape, pose, down, RIM), pose[0])
    dp = plus(moved(shift, turn, arm), follow(shape, pose, down, RIM, cross(turn, n)))
    dgap = dot(n, dp)
    return dgap, ZERO, along(dp, -0.5 * dgap, n)
