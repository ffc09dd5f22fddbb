"""The intersection of two shown polygons, projected along the normal: its corners are features of the manifold (manifold.py).

corners of A over the plane of B's face, corners of B over that of A's                 POINT_PLANE
the lowest points of a cylinder's rims over a face                                      RIM_PLANE
crossing edges                                                                          crossing_edges.py
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, length, minus, part_across, perpendicular, put, row
from dojo_py.collision.convex_shapes import CYLINDER
from dojo_py.collision.crossing_edges import STEEP, crossing_edges
from dojo_py.collision.features import POINT_PLANE, RIM_PLANE
from dojo_py.collision.overhang import over_polygon
from dojo_py.collision.rim_choice import LEAN, flat_number
from dojo_py.collision.rims import RIM_SOFTNESS, STEADY_LEAN
from dojo_py.collision.shown_parts import corner_part, face_part, farther_away, note_parts
from dojo_py.collision.shown_polygons import no_ends, put_feature
from dojo_py.jit import kernel

SLIVER = 1e-9
"""Over the size: tolerance within which a point outside of a polygon counts as inside."""
DEEPER = 1e-6
"""Over the size: tolerance by which a feature may be deeper than its pair (numerical errors of both)."""
LEVEL_CAP = 1e-10
"""Sine of the angle between a cap and a face below which the four fixed points of the rim are as low as its lowest point."""


@kernel
def common_corners(Q, W, a, pose_a, b, pose_b, n, gap, reach):
    """Write the features of both polygons with gaps up to reach [m] into M. gap: of the pair [m]."""
    M = W.manifold
    e1 = perpendicular(n)
    e2 = cross(n, e1)
    put(M.seen, 0, pose_a[0])
    put(M.seen, 1, e1)
    put(M.seen, 2, e2)
    _flatten(M, pose_a[0], e1, e2)
    M.least[0] = min(gap, 0.0) - DEEPER * M.size[0]
    for side in range(2):
        if M.has_face[1 - side]:
            for i in range(M.corners[side]):
                _corner(Q, M, side, i, a if side == 0 else b, n, reach)
            if M.disc[side] > 0.0:
                smooth, again = W.kappa[0] > 0.0, W.checks[0] > 1
                _rims(M, side, a if side == 0 else b, pose_a if side == 0 else pose_b, Q, pose_a, e1, e2, reach, smooth, again)
    if _edged(M, 0) and _edged(M, 1):
        last_a = M.corners[0] if M.corners[0] > 2 else 1
        last_b = M.corners[1] if M.corners[1] > 2 else 1
        for i in range(last_a):
            for j in range(last_b):
                crossing_edges(Q, M, i, (i + 1) % M.corners[0], j, (j + 1) % M.corners[1], n, reach)


@kernel
def _flatten(M, origin, e1, e2):
    """Project the corners of both polygons along the normal: coordinates along e1, e2 (3,) from an origin. Sets M.size."""
    size = max(M.size[0], M.disc[0], M.disc[1])
    for side in range(2):
        for i in range(M.corners[side]):
            p = minus(row(M.point[side], i), origin)
            M.flat[side, i, 0], M.flat[side, i, 1] = dot(p, e1), dot(p, e2)
            size = max(size, length(minus(row(M.point[side], i), row(M.point[side], 0))))
    M.size[0] = size


@kernel
def _edged(M, side):
    """Whether a side shows edges or an axis, rather than a plane, a cap or a point of a rim."""
    return M.corners[side] == 2 or (M.corners[side] > 2 and M.disc[side] == 0.0)


@kernel
def _over_face(M, side, p, gap, x, y):
    """Whether a point p, projected to (x, y), is over the face of a side or, on the central path, overhangs it within the band."""
    if M.band[0] > 0.0:
        no_ends(M)
        return over_polygon(M, side, p, gap)
    return _inside(M, side, x, y, SLIVER * M.size[0])


@kernel
def _inside(M, side, x, y, tolerance):
    """Whether a point (x, y), seen along the normal, lies in the polygon of a side; everything lies in a plane's."""
    count = M.corners[side]
    if count == 0:
        return True
    if count < 3:
        return False
    if M.disc[side] > 0.0:
        return _in_disc(M, side, x, y, tolerance)
    sign = 1.0 if side == 0 else -1.0  # B's corners run in the opposite sense
    for i in range(count):
        j = (i + 1) % count
        u0, u1 = M.flat[side, j, 0] - M.flat[side, i, 0], M.flat[side, j, 1] - M.flat[side, i, 1]
        d = u0 * (y - M.flat[side, i, 1]) - u1 * (x - M.flat[side, i, 0])
        if sign * d < -tolerance * math.sqrt(u0 * u0 + u1 * u1):
            return False
    return True


@kernel
def _in_disc(M, side, x, y, tolerance):
    """Whether a point (x, y), seen along the normal, lies in a cap."""
    e1, e2, z = row(M.seen, 1), row(M.seen, 2), row(M.normal, side)
    d = minus(row(M.origin, side), row(M.seen, 0))
    u, v = x - dot(d, e1), y - dot(d, e2)
    back = (u * dot(z, e1) + v * dot(z, e2)) / dot(z, cross(e1, e2))
    return math.sqrt(u * u + v * v + back * back) <= M.disc[side] + tolerance


@kernel
def _corner(Q, M, side, i, g, n, reach):
    """Corner i of one side over the face of the other."""
    if Q.shape_kind[g] == CYLINDER and M.corners[side] < 3:
        return  # the ends of a cylinder's axis, or a point of its rim: `_rims` adds its rims
    p, m, o = row(M.point[side], i), row(M.normal, 1 - side), row(M.origin, 1 - side)
    gap = dot(m, minus(p, o)) - M.radius[side]
    if gap > reach or abs(dot(m, n)) < STEEP:
        return
    farther, own, others = 0.0, corner_part(Q, M, side, i), face_part(M, 1 - side)
    part_a, part_b = (own, others) if side == 0 else (others, own)
    if M.faces[0] + M.faces[1] > 0:
        farther = farther_away(Q, M, part_a, part_b)
        if gap + farther > reach:
            return
    if not _over_face(M, 1 - side, p, gap, M.flat[side, i, 0], M.flat[side, i, 1]):
        return
    if M.band[0] > 0.0:
        note_parts(Q, M, part_a, part_b, farther)
    x, y, sign = M.flat[side, i, 0], M.flat[side, i, 1], 1.0 if side == 0 else -1.0
    f = put_feature(M, POINT_PLANE, x, y, gap, side, M.number[side, i], M.face[1 - side], sign)
    if f >= 0:
        put(M.at[f], side, p)
        put(M.at[f], 1 - side, o)
        put(M.along[f], 1 - side, m)
        M.rounding[f, side], M.rounding[f, 1 - side] = M.radius[side], 0.0


@kernel
def _rims(M, side, g, pose, Q, pose_a, e1, e2, reach, smooth, again):
    """The lowest points of a cylinder's rims over the face of the other side.

    In the hard limit (not `smooth`) the rim of a cap that is nearly parallel to the face has no lowest point that Newton's method
    could follow: the present lowest point takes part as a corner, and the check at the end of the step adds the one that is lowest
    there. In later checks (`again`) the pose is close to the solution, and the lowest point can be followed.
    """
    R = pose[1]
    z, m, o = (R[2], R[5], R[8]), row(M.normal, 1 - side), row(M.origin, 1 - side)
    y = part_across(m, z)
    lean = length(y)
    flat = not smooth and lean < (STEADY_LEAN if again else LEAN)
    if flat and lean < LEVEL_CAP:
        return
    rho = math.sqrt(lean * lean + max(RIM_SOFTNESS, M.band[0] / M.disc[side]) ** 2) if smooth else max(lean, 1e-12)
    angle = math.atan2(-dot(y, (R[1], R[4], R[7])), -dot(y, (R[0], R[3], R[6])))
    for end in range(2):
        sign = 1.0 if end == 0 else -1.0
        centre = along(pose[0], sign * Q.shape_size[g, 1], z)
        p = along(centre, -M.disc[side] / rho, y)
        gap = dot(m, minus(p, o))
        q = minus(p, pose_a[0])
        s, t = dot(q, e1), dot(q, e2)
        if gap > reach or not _over_face(M, 1 - side, p, gap, s, t):
            continue
        from_a = 1.0 if side == 0 else -1.0
        if flat:
            f = put_feature(M, POINT_PLANE, s, t, gap, side, flat_number(angle, end), M.face[1 - side], from_a)
        else:
            f = put_feature(M, RIM_PLANE, s, t, gap, side, end, M.face[1 - side], from_a)
        if f >= 0:
            put(M.at[f], side, p if flat else centre)
            put(M.along[f], side, z)
            put(M.at[f], 1 - side, o)
            put(M.along[f], 1 - side, m)
            M.rounding[f, side], M.rounding[f, 1 - side] = 0.0 if flat else M.disc[side], 0.0
