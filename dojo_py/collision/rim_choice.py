"""Features of a cylinder that may touch within a step, in addition to those of the polygons that both shapes show (manifold.py):

    its rims where they cross an edge of the other polygon, or the axis of a capsule or cylinder, seen along the normal    RIM_EDGE
    two rims that cross                                                                                                     RIM_RIM
    corners of the other polygon beside its side (the wall)                                                            BALL_FEATURE

A crossing is a feature if the common normal of both curves is nearly that of the pair and its gap is no smaller than the pair's;
otherwise the curves pass each other where the shapes do not touch.
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, length, minus, put, row, times
from dojo_py.collision.convex_shapes import CYLINDER
from dojo_py.collision.features import BALL_FEATURE, POINT_PLANE, RIM_EDGE, RIM_RIM
from dojo_py.collision.overhang import hangs_less, within_edge
from dojo_py.collision.rims import radial, rim_edge, rim_edge_angle, rim_rim, rim_rim_angles
from dojo_py.collision.shown_polygons import RIM_POINTS, SIDE_COSINE, edge_number, no_ends, put_feature
from dojo_py.jit import kernel

ALONG = 0.998
"""Cosine of the angle between the pair's normal and the common normal of two curves above which their crossing is a feature."""
BESIDE = 0.95
"""Likewise for a corner beside a wall and the normal of the wall there."""
BEHIND = -0.1
"""Cosine of the angle from the normal to the direction to a point of a rim below which it is on the far side of its cylinder."""
GRAZING = 0.02
"""Slope (rims.py) below which a rim runs along a line and does not cross it."""
STEADY = 0.5
"""Sine of the angle between a rim and an edge, or two rims, from which on they count as crossing: at smaller angles they separate
when one moves by an eighth of the radius, within a step, and their common normal then means nothing."""
CLOSE = 0.2
"""Over the radius: largest gap of crossing rims and edges. Beyond, a rotation may separate them in a step and flip their normal."""
LEAN = 0.02
"""Sine of the angle between a cap and a face below which, in the hard limit, points of the rim are treated as corners."""
ROUND = 1 << 20
"""Resolution of the numbers of rim points: so many on half a rim."""
SAME_ANGLE = 1e-6
"""Angle [rad] between two points of a rim below which they are the same."""
DEEPER = 1e-6
"""Over the size: tolerance by which the gap of a feature may be smaller than the pair's."""


@kernel
def flat_number(angle, end):
    """Number, as a corner, of the point of a rim at an angle [rad]."""
    turns = angle / (2.0 * math.pi)
    return 2 * RIM_POINTS + 2 * int((turns - math.floor(turns)) * 2 * ROUND) + end


@kernel
def rim_features(Q, M, a, pose_a, b, pose_b, n, gap, reach, hard):
    """Write the features of the cylinders among geoms a, b with gaps up to reach into M. n from A to B, gap: of the pair [m].

    hard: in the hard limit a rim that crosses an edge at a small angle has a corner there if its cap lies on that edge's face.
    """
    for side in range(2):
        g, pose = (a, pose_a) if side == 0 else (b, pose_b)
        partner = b if side == 0 else a
        if Q.shape_kind[g] != CYLINDER:
            continue
        outwards = n if side == 0 else times(-1.0, n)
        z = _axis(pose, 2)
        tilt = dot(z, outwards)
        for end in range(2):
            sign = 1.0 - 2.0 * end
            if sign * tilt < -SIDE_COSINE:
                continue  # that cap faces away
            centre = along(pose[0], sign * Q.shape_size[g, 1], z)
            _over_edges(Q, M, side, end, centre, pose, Q.shape_size[g, 0], partner, n, gap, reach, hard)
            if side == 0 and Q.shape_kind[partner] == CYLINDER:
                w = _axis(pose_b, 2)
                for other in range(2):
                    sign = 1.0 - 2.0 * other
                    if -sign * dot(w, n) >= -SIDE_COSINE:
                        facing = along(pose_b[0], sign * Q.shape_size[partner, 1], w)
                        _two_rims(Q, M, g, partner, end, other, centre, pose, facing, pose_b, n, gap, reach)
        _beside(Q, M, side, g, pose, partner, outwards, gap, reach)


@kernel
def _axis(pose, k):
    R = pose[1]
    return (R[k], R[3 + k], R[6 + k])


@kernel
def _place(M, p):
    """Coordinates of p projected along the normal."""
    d = minus(p, row(M.seen, 0))
    return dot(d, row(M.seen, 1)), dot(d, row(M.seen, 2))


@kernel
def _put_rim(M, f, side, centre, pose, radius, angle):
    """Make a rim one side of feature f."""
    put(M.at[f], side, centre)
    put(M.along[f], side, _axis(pose, 2))
    put(M.across[f], side, _axis(pose, 0))
    M.rounding[f, side], M.angle[f, side] = radius, angle


@kernel
def _over_edges(Q, M, side, end, centre, pose, radius, partner, n, gap, reach, hard):
    """RIM_EDGE features of a rim of one side and the edges that the other shows, or its axis."""
    other = 1 - side
    count = M.corners[other]
    if count < 2 or (Q.shape_kind[partner] == CYLINDER and count > 2):
        return  # a plane, or a cap, whose rim is not made of edges
    for j in range(count if count > 2 else 1):
        i = (j + 1) % count
        o = row(M.point[other], j)
        w = minus(row(M.point[other], i), o)
        long = length(w)
        w = times(1.0 / max(long, 1e-300), w)
        crosses, middle, half = _seen_crossings(centre, pose, radius, o, cross(n, w))
        if not crosses:
            continue
        for branch in range(2):
            angle = middle + half * (1.0 - 2.0 * branch)
            _over_edge(M, side, end, branch, centre, pose, radius, j, i, o, w, long, angle, n, gap, reach, hard)


@kernel
def _seen_crossings(centre, pose, radius, o, k):
    """Whether a rim crosses the line through o ⟂ k, seen along n; middle and half of the arc between the crossings [rad]."""
    p, q, d = radius * dot(_axis(pose, 0), k), radius * dot(_axis(pose, 1), k), dot(minus(centre, o), k)
    wide = math.sqrt(p * p + q * q)
    if abs(d) >= wide or wide < GRAZING * radius:
        return False, 0.0, 0.0
    return True, math.atan2(q, p), math.acos(-d / wide)


@kernel
def _over_edge(M, side, end, branch, centre, pose, radius, j, i, o, w, long, seen_at, n, gap, reach, hard):
    """RIM_EDGE of a rim of one side where it crosses the edge j, i of the other: from o along w (3,), length `long` [m].

    branch: which of the two crossings; seen_at: its angle seen along the normal [rad].
    """
    other, x, y, rounding = 1 - side, _axis(pose, 0), _axis(pose, 1), M.radius[1 - side]
    outwards, of_a = n if side == 0 else times(-1.0, n), 1.0 if side == 0 else -1.0
    angle, slope = rim_edge_angle(centre, x, y, radius, o, w, seen_at)
    e = radial(x, y, angle)
    at = along(centre, radius, e)
    foot, edge = dot(minus(at, o), w), edge_number(M, other, j, i)
    if slope < GRAZING or dot(e, outwards) < BEHIND or _is_known(M, RIM_EDGE, side, 2 * end, edge, angle, 0.0):
        return
    own = cross(w, cross(cross(x, y), e))
    within = -DEEPER * long <= foot <= (1.0 + DEEPER) * long
    if rounding == 0.0 and length(own) < STEADY:
        if hard and within:
            _flat_corner(M, side, end, pose, at, angle, reach)
        return
    most = min(reach, CLOSE * radius) if rounding == 0.0 else reach
    sign = -1.0 if dot(own, n) > 0.0 else 1.0  # the normal of a contact points from B to A
    near, m, _ = rim_edge(centre, x, y, radius, o, w, rounding, angle, sign, of_a)
    if near > most or near < gap - DEEPER * M.size[0] or -dot(m, n) < ALONG:
        return
    if M.band[0] > 0.0:
        no_ends(M)
        within = within_edge(M, other, at, near, o, along(o, long, w))
    if not within:
        return
    s, t = _place(M, at)
    f = put_feature(M, RIM_EDGE, s, t, near, side, 2 * end + branch, edge, of_a)
    if f >= 0:
        _put_rim(M, f, side, centre, pose, radius, angle)
        put(M.at[f], other, o)
        put(M.along[f], other, w)
        M.rounding[f, other], M.turn[f] = rounding, sign


@kernel
def _is_known(M, kind, side, first, second, angle, other):
    """Whether Newton's method has found this crossing from another guess: two features there would carry the load twice.

    RIM_EDGE: first is 2 end, second the edge, angle the rim's. RIM_RIM: first says which rims; angle and other are A's and B's.
    """
    for f in range(M.found[0]):
        if M.kind[f] != kind or M.side[f] != side or not _is_one_angle(M.angle[f, side], angle):
            continue
        if kind == RIM_RIM:
            if M.corner[f, 0] == first and _is_one_angle(M.angle[f, 1 - side], other):
                return True
        elif M.corner[f, 0] // 2 == first // 2 and M.corner[f, 1] == second:
            return True
    return False


@kernel
def _is_one_angle(a, b):
    return abs(math.sin(0.5 * (a - b))) < 0.5 * SAME_ANGLE


@kernel
def _flat_corner(M, side, end, pose, at, angle, reach):
    """The point of a rim that is now at `at`, as a corner over the other side's face, if the cap is nearly parallel to it."""
    other = 1 - side
    m = row(M.normal, other)
    if not M.has_face[other] or length(cross(m, _axis(pose, 2))) > LEAN:
        return
    o = row(M.origin, other)
    gap = dot(m, minus(at, o))
    if gap > reach:
        return
    s, t = _place(M, at)
    f = put_feature(M, POINT_PLANE, s, t, gap, side, flat_number(angle, end), M.face[other], 1.0 if side == 0 else -1.0)
    if f >= 0:
        put(M.at[f], side, at)
        put(M.at[f], other, o)
        put(M.along[f], other, m)
        M.rounding[f, 0] = M.rounding[f, 1] = 0.0


@kernel
def _two_rims(Q, M, g, partner, end, other, a, pose_a, b, pose_b, n, gap, reach):
    """RIM_RIM of two rims with centres a, b: where they cross, seen along the normal, and where one reaches farthest."""
    k, m = Q.shape_size[g, 0], Q.shape_size[partner, 0]
    d = minus(b, a)
    flat = along(d, -dot(d, n), n)
    apart = length(flat)

    if abs(k - m) < apart < k + m:
        u = times(1.0 / apart, flat)
        v = cross(n, u)
        s = (apart * apart + k * k - m * m) / (2.0 * apart)
        t = math.sqrt(max(k * k - s * s, 0.0))
        for branch in range(2):
            p = along(times(s, u), t * (1.0 - 2.0 * branch), v)
            _one_crossing(M, end, other, branch, a, pose_a, k, p, b, pose_b, m, minus(p, flat), n, gap, reach)
    for branch in range(2):  # each rim's farthest point towards the other shape, and the other rim's point near it
        pose, sign = (pose_a, 1.0) if branch == 0 else (pose_b, -1.0)
        z = _axis(pose, 2)
        e = times(sign, along(n, -dot(n, z), z))
        if length(e) < GRAZING:
            continue
        e = times(1.0 / length(e), e)
        if branch == 0:
            _one_crossing(M, end, other, 2, a, pose_a, k, e, b, pose_b, m, minus(along(a, k, e), b), n, gap, reach)
        else:
            _one_crossing(M, end, other, 3, a, pose_a, k, minus(along(b, m, e), a), b, pose_b, m, e, n, gap, reach)


@kernel
def _one_crossing(M, end, other, branch, a, pose_a, k, towards_a, b, pose_b, m, towards_b, n, gap, reach):
    """A crossing of two rims; initial guess: the directions to it from both centres."""
    xa, ya, xb, yb = _axis(pose_a, 0), _axis(pose_a, 1), _axis(pose_b, 0), _axis(pose_b, 1)
    alpha, beta = math.atan2(dot(towards_a, ya), dot(towards_a, xa)), math.atan2(dot(towards_b, yb), dot(towards_b, xb))
    alpha, beta, good = rim_rim_angles(a, xa, ya, k, b, xb, yb, m, alpha, beta)
    e, f = radial(xa, ya, alpha), radial(xb, yb, beta)
    own = cross(cross(cross(xa, ya), e), cross(cross(xb, yb), f))
    if not good or length(own) < STEADY or dot(e, n) < BEHIND or -dot(f, n) < BEHIND:
        return
    if _is_known(M, RIM_RIM, 0, 2 * end + other, 0, alpha, beta):
        return
    sign = -1.0 if dot(own, n) > 0.0 else 1.0
    near, normal, _ = rim_rim(a, xa, ya, k, b, xb, yb, m, alpha, beta, sign)
    if near > min(reach, CLOSE * min(k, m)) or near < gap - DEEPER * M.size[0] or -dot(normal, n) < ALONG:
        return
    s, t = _place(M, along(a, k, e))
    i = put_feature(M, RIM_RIM, s, t, near, 0, 2 * end + other, branch, sign)
    if i >= 0:
        _put_rim(M, i, 0, a, pose_a, k, alpha)
        _put_rim(M, i, 1, b, pose_b, m, beta)


@kernel
def _beside(Q, M, side, g, pose, partner, outwards, gap, reach):
    """Corners of the other polygon, or the ends of a capsule, beside the wall of a cylinder."""
    other = 1 - side
    if Q.shape_kind[partner] == CYLINDER:
        return
    z = _axis(pose, 2)
    for i in range(M.corners[other]):
        p = row(M.point[other], i)
        f = minus(p, pose[0])
        s = dot(f, z)
        f = along(f, -s, z)
        away = length(f)
        near = away - Q.shape_size[g, 0] - M.radius[other]
        if near > reach or near < gap - DEEPER * M.size[0] or dot(f, outwards) < BESIDE * away:
            continue
        if M.band[0] > 0.0:
            no_ends(M)
            up = 1.0 if s > 0.0 else -1.0
            if not hangs_less(M, side, p, near, along(pose[0], up * Q.shape_size[g, 1], z), times(up, z)):
                continue
        elif abs(s) > Q.shape_size[g, 1]:
            continue
        u, v = _place(M, p)
        k = put_feature(M, BALL_FEATURE, u, v, near, other, M.number[other, i], 0, 1.0)
        if k >= 0:
            put(M.at[k], other, p)
            M.rounding[k, other], M.rounding[k, side] = M.radius[other], Q.shape_size[g, 0]
