"""Smooth gaps between features of two convex shapes: what a manifold of contact points is made of.

    POINT_PLANE   a point of one shape, rounded, over the plane of a face of the other
    EDGE_EDGE     two lines that cross, rounded; which of the two normals across them points from B to A is told by `sign`
    EDGE_OVER     where an edge of one shape, seen along the normal of a face of the other, crosses an edge of that face
    RIM_PLANE     the lowest point of a cylinder's rim over the plane of a face
    NEAREST       the nearest points of two whole shapes (convex_pair.py), where one of them is curved
    RIM_EDGE      a cylinder's rim against an edge, or against the side of a capsule or cylinder (rims.py)
    RIM_RIM       two rims that cross (rims.py)

Each kind has `…_value` -> (gap, n, c): n from B to A, c half way between the surfaces, and `…_change`: their change
(δgap, δn, δc) when the two bodies move by (δx_A, δθ_A), (δx_B, δθ_B) in world axes. With a, b the two reference points,
r their rounding, and u = δx + δθ × (p - x) the motion of a point p of a body,

    POINT_PLANE   n = ±m,  m the plane's normal       gap = n · (a - b) - r       δn = δθ × n of the plane's body
    EDGE_EDGE     n = ± N / |N|,  N = u_A × u_B       gap = n · (a - b) - r       p = a + t u_A,  t = -((a - b) × u_B) · N / |N|²
    EDGE_OVER     p = a + t u,  t = -((a - b) · k) / (u · k),  k in the face, across its edge       gap = m · (p - b) - r
    RIM_PLANE     p = a - k y / ρ,  y = n - (n·z) z,  ρ = sqrt(y·y + ε²),  z the axis, k the radius
"""

import math

from dojo_py.collision.vectors import along, cross, dot, minus, plus, times
from dojo_py.jit import kernel

BALL_FEATURE, CROSSING, POINT_PLANE, EDGE_EDGE, EDGE_OVER, RIM_PLANE, NEAREST, RIM_EDGE, RIM_RIM = range(9)
"""Kinds of features of two bodies; the first two, of round shapes, are never chosen anew (pair_contacts.py)."""


@kernel
def moved(u, turn, arm):
    """How the point at `arm` from a body's centre moves: u + δθ × arm."""
    return plus(u, cross(turn, arm))


@kernel
def point_plane(a, b, n, r, from_a):
    """(gap, n, c) of a point over a plane with unit normal n from B to A. a, b (3): point and a point of the plane, or the reverse.

    r: rounding of the point [m]; from_a: the point is A's.
    """
    gap = dot(n, minus(a, b)) - r
    back = r + 0.5 * gap
    return gap, n, along(a, -back, n) if from_a else along(b, back, n)


@kernel
def point_plane_change(a, b, n, r, from_a, gap, da, db, turn):
    """Change of `point_plane` when a, b move by da, db and the plane's body turns by `turn`."""
    dn = cross(turn, n)
    dgap = dot(n, minus(da, db)) + dot(dn, minus(a, b))
    back, dback = r + 0.5 * gap, 0.5 * dgap
    if from_a:
        return dgap, dn, along(along(da, -back, dn), -dback, n)
    return dgap, dn, along(along(db, back, dn), dback, n)


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
def edge_edge_change(a, u, b, w, r_a, sign, gap, da, turn_a, db, turn_b):
    """Change of `edge_edge` when a, b move by da, db and the lines turn with their bodies."""
    N = cross(u, w)
    square = dot(N, N)
    size = math.sqrt(square)
    n, e, de = times(sign / size, N), minus(a, b), minus(da, db)
    du, dw = cross(turn_a, u), cross(turn_b, w)
    dN = plus(cross(du, w), cross(u, dw))
    change = times(sign / size, dN)
    dn = along(change, -dot(n, change), n)
    dgap = dot(n, de) + dot(dn, e)
    x = cross(e, w)
    t = -dot(x, N) / square
    dx = plus(cross(de, w), cross(e, dw))
    dt = -(dot(dx, N) + dot(x, dN) + 2.0 * t * dot(N, dN)) / square
    dp = along(along(da, dt, u), t, du)
    back = r_a + 0.5 * gap
    return dgap, dn, along(along(dp, -back, dn), -0.5 * dgap, n)


@kernel
def edge_over(a, u, b, m, k, r, sign):
    """(gap, n, c) of the edge a + t u, rounded by r, over the edge of a face through b with outward normal m.

    k: in the face, across its edge. sign: 1 when the first edge is A's, so that n = m; -1 when it is B's.
    """
    t = -dot(minus(a, b), k) / dot(u, k)
    p = along(a, t, u)
    gap = dot(m, minus(p, b)) - r
    return gap, times(sign, m), along(p, -(r + 0.5 * gap), m)


@kernel
def edge_over_change(a, u, b, m, k, r, sign, gap, da, turn_edge, db, turn_face):
    """Change of `edge_over` when a, b move by da, db and both shapes turn."""
    e, de, du = minus(a, b), minus(da, db), cross(turn_edge, u)
    dm, dk = cross(turn_face, m), cross(turn_face, k)
    across = dot(u, k)
    t = -dot(e, k) / across
    dt = -(dot(de, k) + dot(e, dk) + t * (dot(du, k) + dot(u, dk))) / across
    p, dp = along(a, t, u), along(along(da, dt, u), t, du)
    dgap = dot(m, minus(dp, db)) + dot(dm, minus(p, b))
    return dgap, times(sign, dm), along(along(dp, -(r + 0.5 * gap), dm), -0.5 * dgap, m)


@kernel
def rim_plane(a, z, k, soft, b, n, sign):
    """(gap, n, c) of the lowest rim point of a disc, centre a, axis z, radius k, over the plane through b; soft: ε².

    sign: 1 when the disc is A's, so that n (from B to A) points to it; -1 when it is B's.
    """
    m = times(sign, n)  # out of the plane, towards the disc
    tilt = dot(m, z)
    y = along(m, -tilt, z)
    rho = math.sqrt(dot(y, y) + soft)
    p = along(a, -k / rho, y)
    gap = dot(m, minus(p, b))
    return gap, n, along(p, -0.5 * gap, m)


@kernel
def rim_plane_change(a, z, k, soft, b, n, sign, gap, da, turn_disc, db, turn_plane):
    """Change of `rim_plane` when a, b move by da, db; the axis turns with the disc's body, n with the plane's."""
    m = times(sign, n)
    dm, dz = cross(turn_plane, m), cross(turn_disc, z)
    tilt = dot(m, z)
    y = along(m, -tilt, z)
    dy = along(along(dm, -(dot(dm, z) + dot(m, dz)), z), -tilt, dz)
    rho = math.sqrt(dot(y, y) + soft)
    p = along(a, -k / rho, y)
    dp = along(along(da, -k / rho, dy), k * dot(y, dy) / (rho * rho * rho), y)
    dgap = dot(m, minus(dp, db)) + dot(dm, minus(p, b))
    return dgap, times(sign, dm), along(along(dp, -0.5 * dgap, m), -0.5 * gap, dm)
