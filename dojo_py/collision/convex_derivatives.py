"""Derivatives of gap, normal and witness points of two convex shapes by both poses, in closed form.

A pose changes by δx in the world and by a rotation φ in the body frame, in the world ω = R φ. While the features stay the same,

    δa = u_A + W_A (δn - ω_A × n) + flats of A,     u_A = δx_A + ω_A × (a - x_A),     likewise b, with -n for n
    b - a = g n    ⇒    δg = n · (u_B - u_A),    (W_A + W_B + g) δn = u_B - u_A + W_A (ω_A × n) + W_B (ω_B × n)  on the tangents

where a flat direction t has the row  δn · t = t · (ω × n)  instead, and the points slide along it to cancel what remains. g, a and
b are those of the cores; rounding adds r δn to the points. Where both features are flat in one direction (a face on a face,
parallel edges) the points are not determined, nor which body's rotation the normal follows; the gap's derivative at them is.
"""

from dojo_py.algebra.vectors import along, cross, dot, length, minus, perpendicular, plus, times, turned
from dojo_py.collision.convex_pair import INDEPENDENT, shared
from dojo_py.collision.convex_shapes import follow, rounding
from dojo_py.jit import kernel

COLUMNS = 12
"""δx_A (world), φ_A (body), δx_B (world), φ_B (body)."""


@kernel
def independent_flats(features):
    """(number, t1, whether it is A's, t2, whether it is A's): independent directions that span those in which a feature is flat."""
    _, (ka, a1, a2), _, (kb, b1, b2), _ = features
    if ka == 2:
        return 2, a1, True, a2, True
    if ka == 0:
        return kb, b1, False, b2, False
    if kb > 0 and length(cross(a1, b1)) > INDEPENDENT:
        return 2, a1, True, b1, False
    if kb > 1:
        return 2, a1, True, b2, False
    return 1, a1, True, a1, True


@kernel
def determined(features):
    """Whether points and normal are differentiable here: known features, and no direction in which both are flat."""
    number = independent_flats(features)[0]
    return features[4] and number == features[1][0] + features[3][0]


@kernel
def _turn_of_normal(A, pose_a, B, pose_b, g, n, features, turn_a, turn_b, s):
    """δn; turn_a, turn_b: ω × n of each shape; s: relative displacement of the points at a fixed normal."""
    part_a, part_b = features[0], features[2]
    number, t1, own1, t2, own2 = independent_flats(features)
    c1 = dot(t1, turn_a if own1 else turn_b)
    c2 = dot(t2, turn_a if own2 else turn_b)
    if number == 2:
        k = dot(t1, t2)
        det = 1.0 - k * k
        return plus(times((c1 - k * c2) / det, t1), times((c2 - k * c1) / det, t2))
    if number == 1:
        across = cross(n, t1)
        known = times(c1, t1)
        f = plus(follow(A, pose_a, n, part_a, across), follow(B, pose_b, n, part_b, across))
        m = dot(across, f) + g
        return along(known, (dot(across, s) - dot(f, known)) / m if m > 0.0 else 0.0, across)
    e1 = perpendicular(n)
    e2 = cross(n, e1)
    f1 = plus(follow(A, pose_a, n, part_a, e1), follow(B, pose_b, n, part_b, e1))
    f2 = plus(follow(A, pose_a, n, part_a, e2), follow(B, pose_b, n, part_b, e2))
    m11, m12, m22 = dot(e1, f1) + g, dot(e1, f2), dot(e2, f2) + g
    det = m11 * m22 - m12 * m12
    if not det > 0.0:
        return (0.0, 0.0, 0.0)
    r1, r2 = dot(e1, s), dot(e2, s)
    return plus(times((m22 * r1 - m12 * r2) / det, e1), times((m11 * r2 - m12 * r1) / det, e2))


@kernel
def column(A, pose_a, B, pose_b, near, k):
    """(δg, δn, δp, δq) for column k; near: (gap, n, p, q, features) of `convex_pair.nearest`."""
    zero = (0.0, 0.0, 0.0)
    axis = ((k % 3 == 0) * 1.0, (k % 3 == 1) * 1.0, (k % 3 == 2) * 1.0)
    block = k // 3
    w_a = turned(pose_a[1], axis) if block == 1 else zero
    w_b = turned(pose_b[1], axis) if block == 3 else zero
    return motion_change(A, pose_a, B, pose_b, near, axis if block == 0 else zero, w_a, axis if block == 2 else zero, w_b)


@kernel
def motion_change(A, pose_a, B, pose_b, near, x_a, w_a, x_b, w_b):
    """(δg, δn, δp, δq) when the shapes' centres move by x and the shapes rotate by w, world axes; near: as in `column`."""
    gap, n, p, q, features = near
    part_a, part_b = features[0], features[2]
    r_a, r_b = rounding(A), rounding(B)
    g, a, b = gap + r_a + r_b, along(p, -r_a, n), along(q, r_b, n)
    u_a = plus(x_a, cross(w_a, minus(a, pose_a[0])))
    u_b = plus(x_b, cross(w_b, minus(b, pose_b[0])))
    turn_a, turn_b = cross(w_a, n), cross(w_b, n)
    apart = minus(u_b, u_a)
    s = plus(apart, plus(follow(A, pose_a, n, part_a, turn_a), follow(B, pose_b, n, part_b, turn_b)))
    dg = dot(n, apart)
    dn = _turn_of_normal(A, pose_a, B, pose_b, g, n, features, turn_a, turn_b, s)
    da = plus(u_a, follow(A, pose_a, n, part_a, minus(dn, turn_a)))
    db = plus(u_b, follow(B, pose_b, n, part_b, minus(turn_b, dn)))
    left = minus(minus(db, da), along(times(dg, n), g, dn))
    move_a, move_b = shared(left, features)
    return dg, dn, along(plus(da, move_a), r_a, dn), along(plus(db, move_b), -r_b, dn)
