"""The manifold of two convex shapes: which features of them may touch within a step.

Both shapes show a polygon to each other: of a box or mesh the face that looks most along the normal, of a capsule its axis, of a
cylinder its cap (4 points of the rim), a point of its rim or its axis. Seen along the normal n, the corners of the area that both
cover are

    corners of A over the plane of B's face, corners of B over that of A's                 POINT_PLANE
    edges that cross                                                                        EDGE_EDGE

(features.py), and for cylinders the lowest point of a rim and what rim_choice.py finds. Each is a smooth function of the poses, so
that a face that comes down on a face meets four of them, not one whose place jumps. Where none of them is as near as the pair, and
for shapes without faces, the nearest points take part: in the hard limit, where they are nearest over a face, the one of the other
shape over the plane of that face (POINT_PLANE), else both as they move (NEAREST).

On the central path features may hang over the ends of what they touch by a band, in which they fade (overhang.py), and boxes and
meshes that are seen from between the normals of their faces show more than one, of which those that face away fade (facing.py).
"""

import math

from dojo_py.arrays import body_row
from dojo_py.collision.candidates import AROUND, FELT
from dojo_py.collision.convex_shapes import CYLINDER, MESH, PLANE
from dojo_py.collision.crossing import STEEP_EDGE, over_fade
from dojo_py.collision.facing import WHOLE
from dojo_py.collision.features import BALL_FEATURE, EDGE_EDGE, EDGE_OVER, NEAREST, POINT_PLANE, RIM_PLANE
from dojo_py.collision.overhang import APART, STEEPNESS, keep_ends, over_polygon, within_edge
from dojo_py.collision.pair_gap import gap_of
from dojo_py.collision.rim_choice import LEAN, flat_number, rim_features
from dojo_py.collision.rims import RIM_SOFTNESS, STEADY_LEAN
from dojo_py.collision.shown_parts import (
    corner_part,
    edge_part,
    face_part,
    fade_of_crossing,
    farther_away,
    list_shown,
    note_normals,
    note_parts,
    show_part,
)
from dojo_py.collision.shown_polygons import (
    CORNERS,
    FOUND,
    border_number,
    edge_number,
    no_ends,
    pose_of,
    put_feature,
    shows_polygon,
)
from dojo_py.collision.vectors import (
    along,
    cross,
    dot,
    length,
    minus,
    perpendicular,
    plus,
    put,
    row,
    times,
    unit,
)
from dojo_py.jit import kernel

MOST = 8
"""Features of a pair that are kept, those that span most."""
MISSED = 1e-3
"""Of the size: how much smaller than the gaps of all features the pair's must be for its nearest points to take part too."""
ASLANT = 0.25
"""Likewise of its gap where features fade in and out: the height of an edge over a face is larger than its distance."""
ENDLESS = 1e6
"""Half the length of a wall [m]."""
ALIGNED = 0.999
"""Cosine from the normal up to which two crossing edges are told by their own normal; beyond they are nearly parallel."""
SLIVER = 1e-9
"""Of the size: how far outside of a polygon a point still counts as inside."""
STEEP = 0.3
"""Cosine of the angle between the normal and that of a face below which the face is not what the other shape touches."""
BLUNT = 0.02
"""Sine of the angle between two edges below which their crossing is no corner of the common area: round-off would tell its place,
and without it the area is smaller by a sliver. An axis that crosses an edge ends there: a tenth of this."""
NO_CROSSING = 0.05
"""Likewise of two axes, which may pass through parallel within a step; their ends touch too, the check at the end adds the rest."""
LEVEL = 0.5
"""Slope of an edge along its crossing with another, seen along a face's normal, up to which its height over the face is its gap: on
a steeper one the place of the crossing, not the height, is what motion changes, and an impulse along the normal would do work."""
DEEPER = 1e-6
"""Of the size: how much deeper than its pair a feature may be: errors of both."""
LEVEL_CAP = 1e-10
"""Sine of the angle between a cap and a face below which no point of the rim is lower than the four that are always looked at."""
NUMBERS = CORNERS * CORNERS


@kernel
def find_convex(Q, W, k, x, R, reach):
    """Append the features of convex pair k with gaps up to reach [m] to the table; those that it holds already are not added again.

    x (nb + 1, 3), R (nb + 1, 3, 3): poses. Returns (its gap, how many were added).
    """
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    i, j = body_row(x, Q.shape_node[a]), body_row(x, Q.shape_node[b])
    pose_a, pose_b = pose_of(Q, a, x[i], R[i]), pose_of(Q, b, x[j], R[j])
    gap, n, p, q = gap_of(Q, W, a, pose_a, b, pose_b)
    if gap > (AROUND if W.kappa[0] > 0.0 else 1.0) * reach:
        return gap, 0
    before = W.n_features[0]
    M = W.manifold
    M.found[0] = 0
    missed, hard, at_end = True, W.kappa[0] == 0.0, reach == 0.0
    M.has_face[0] = M.has_face[1] = False
    M.band[0] = 0.0 if hard or at_end else math.sqrt(FELT * W.kappa[0]) * Q.fade[k]
    no_ends(M)
    held, looked_at = at_end and _is_held(W, k), not at_end and _has_features(W, k)
    if not held and shows_polygon(Q, a) and shows_polygon(Q, b):
        M.size[0], M.geom[0], M.geom[1] = 0.0, a, b
        list_shown(Q, W, k, pose_a, pose_b)
        for i in range(max(M.faces[0], 1)):
            show_part(Q, M, 0, i, pose_a, n)
            for j in range(max(M.faces[1], 1)):
                show_part(Q, M, 1, j, pose_b, times(-1.0, n))
                common_corners(Q, W, a, pose_a, b, pose_b, n, gap, reach)
        no_ends(M)
        if gap > -MISSED * M.size[0]:  # in one another, crossings mean nothing
            rim_features(Q, M, a, pose_a, b, pose_b, n, gap, reach, hard)
        keep_spread(M, MOST if hard else FOUND)
        near = (1.0 + ASLANT * (M.faces[0] + M.faces[1] > 0)) * gap + MISSED * M.size[0]
        for f in range(M.found[0]):
            missed = missed and (M.gap[f] > near or M.gap[f] < M.least[0])
            if M.kept[f]:
                add_feature(Q, W, k, M, f, x, R)
    missed = missed and gap <= reach
    if not looked_at and (missed or (gap < 0.0 and W.n_features[0] == before)):  # (once is enough from where the step starts)
        if not (hard and _point_over_face(Q, M, p, q, n, W.n_features[0], held)):
            M.kind[0], M.corner[0, 0], M.corner[0, 1], M.side[0], M.sign[0] = NEAREST, 0, 0, 0, 1.0
        if M.kind[0] != NEAREST or not (Q.shape_kind[a] == PLANE or Q.shape_kind[b] == PLANE):
            add_feature(Q, W, k, M, 0, x, R)
    return gap, W.n_features[0] - before


@kernel
def _is_held(W, k):
    """Whether features of pair k are held (hard/held_points.py)."""
    for f in range(W.n_features[0]):
        if W.fpair[f] == k and W.free_kind[f] > 0:
            return True
    return False


@kernel
def _has_features(W, k):
    """Whether pair k has features in this step."""
    for f in range(W.n_features[0]):
        if W.fpair[f] == k and W.fwanted[f] >= 0:
            return True
    return False


@kernel
def _point_over_face(Q, M, p, q, n, number, any_plane):
    """Into M's first row: of the pair's nearest points, p of A and q of B, one over the other's face. False where n is of no face.

    Which point of a face is nearest jumps when it is nearly parallel to what it touches; the point of the other shape that is
    nearest now, over the plane of that face, does not. any_plane: else over the plane through q that separates them.
    The corners of a mesh's face lie in one plane only to single precision, in which files have them: its plane goes through the
    nearest point of the face, or pairs would stay as deep as the face bulges.
    """
    for face in range(2):
        m = row(M.normal, face)
        if M.has_face[face] and abs(dot(m, n)) > ALIGNED:
            side = 1 - face
            M.kind[0], M.side[0], M.sign[0] = POINT_PLANE, side, 1.0 if side == 0 else -1.0
            M.corner[0, 0], M.corner[0, 1] = NUMBERS - 1 - number, M.face[face]
            put(M.at[0], side, p if side == 0 else q)
            on_face, corner = q if side == 0 else p, row(M.origin, face)
            bulges = Q.shape_kind[M.geom[face]] == MESH and abs(dot(m, minus(on_face, corner))) < DEEPER * M.size[0]
            put(M.at[0], face, on_face if bulges else corner)
            put(M.along[0], face, m)
            M.rounding[0, 0] = M.rounding[0, 1] = 0.0
            return True
    if any_plane:
        M.kind[0], M.side[0], M.sign[0] = POINT_PLANE, 0, 1.0
        M.corner[0, 0], M.corner[0, 1] = NUMBERS - 1 - number, 0
        put(M.at[0], 0, p)
        put(M.at[0], 1, q)
        put(M.along[0], 1, times(-1.0, n))
        M.rounding[0, 0] = M.rounding[0, 1] = 0.0
    return any_plane


@kernel
def common_corners(Q, W, a, pose_a, b, pose_b, n, gap, reach):
    """The features of both polygons with gaps up to reach, into M. gap: of the pair [m]."""
    M = W.manifold
    e1 = perpendicular(n)
    e2 = cross(n, e1)
    put(M.seen, 0, pose_a[0])
    put(M.seen, 1, e1)
    put(M.seen, 2, e2)
    size = max(M.size[0], M.disc[0], M.disc[1])
    for side in range(2):
        for i in range(M.corners[side]):
            p = minus(row(M.point[side], i), pose_a[0])
            M.flat[side, i, 0], M.flat[side, i, 1] = dot(p, e1), dot(p, e2)
            size = max(size, length(minus(row(M.point[side], i), row(M.point[side], 0))))
    M.size[0] = size
    M.least[0] = min(gap, 0.0) - DEEPER * size
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
                _crossing(Q, M, i, (i + 1) % M.corners[0], j, (j + 1) % M.corners[1], n, reach)


@kernel
def _edged(M, side):
    """Whether a side shows edges or an axis, not a plane or what a rim goes round."""
    return M.corners[side] == 2 or (M.corners[side] > 2 and M.disc[side] == 0.0)


@kernel
def _over_face(M, side, p, gap, x, y):
    """Whether a point p, seen along the normal at (x, y), is over the face of a side, or hangs over it on the central path."""
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
    sign = 1.0 if side == 0 else -1.0  # B's corners go round the other way
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
        return  # the ends of a cylinder's axis, or a point of its rim: its rims stand for them
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

    In the hard limit, not `smooth`, the rim of a cap that nearly lies flat has no lowest point that a step could follow: the point
    that is lowest now takes part as a corner, and the check at the end of the step adds the one that is lowest there. Where that is
    not enough (`again`) the end is near, and the lowest point can be followed from there on.
    """
    R = pose[1]
    z, m, o = (R[2], R[5], R[8]), row(M.normal, 1 - side), row(M.origin, 1 - side)
    tilt = dot(m, z)
    y = along(m, -tilt, z)
    lean = length(y)
    flat = not smooth and lean < (STEADY_LEAN if again else LEAN)
    if flat and lean < LEVEL_CAP:
        return
    rho = math.sqrt(lean * lean + RIM_SOFTNESS * RIM_SOFTNESS) if smooth else max(lean, 1e-12)
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


@kernel
def _crossing(Q, M, i, i2, j, j2, n, reach):
    """Edge i, i2 of A and edge j, j2 of B, where they cross seen along the normal."""
    F = M.flat
    u0, u1 = F[0, i2, 0] - F[0, i, 0], F[0, i2, 1] - F[0, i, 1]
    w0, w1 = F[1, j2, 0] - F[1, j, 0], F[1, j2, 1] - F[1, j, 1]
    det = u0 * w1 - u1 * w0
    axes = (M.corners[0] == 2) + (M.corners[1] == 2)
    least = BLUNT if axes == 0 else 0.1 * BLUNT if axes == 1 else NO_CROSSING
    smooth, long = M.band[0] > 0.0, math.sqrt(u0 * u0 + u1 * u1)
    wide = math.sqrt(w0 * w0 + w1 * w1)
    if abs(det) <= (0.5 if smooth else 1.0) * least * long * wide:
        return
    d0, d1 = F[1, j, 0] - F[0, i, 0], F[1, j, 1] - F[0, i, 1]
    t, s = (d0 * w1 - d1 * w0) / det, (d0 * u1 - d1 * u0) / det
    if smooth:  # (more than the band: how far beyond their ends they cross is told below)
        more = 2.0 * (M.band[0] + APART * max(reach, 0.0))
        t_more, s_more = more / long + 0.1, more / wide + 0.1
        if not (-t_more <= t <= 1.0 + t_more and -s_more <= s <= 1.0 + s_more):
            return
    elif not (0.0 <= t <= 1.0 and 0.0 <= s <= 1.0):
        return
    a, b = row(M.point[0], i), row(M.point[1], j)
    u, w = minus(row(M.point[0], i2), a), minus(row(M.point[1], j2), b)
    x, y = F[0, i, 0] + t * u0, F[0, i, 1] + t * u1
    face = 1 if M.has_face[1] else 0
    first, second = edge_number(M, 0, i, i2), edge_number(M, 1, j, j2)
    many, parts = M.faces[0] + M.faces[1] > 0, ((WHOLE, 0, 0), (WHOLE, 0, 0), 0.0)
    p, q = along(a, t, u), along(b, s, w)
    N = cross(u, w)
    size = length(N)
    cosine = dot(N, n) / size if size > 0.0 else 0.0
    if many:
        part_a, part_b = edge_part(Q, M, 0, i, i2), edge_part(Q, M, 1, j, j2)
        parts = part_a, part_b, farther_away(Q, M, part_a, part_b)
    if abs(cosine) > (STEEP if many else ALIGNED):
        _edge_edge(Q, M, a, u, p, b, w, q, N, cosine, least, x, y, first, second, reach, parts)
        if not smooth:
            return
    if many and face == 1:
        part_b, second = face_part(M, 1), border_number(M, 1, j, j2)
        parts = part_a, part_b, farther_away(Q, M, part_a, part_b)
    elif many:
        part_a, first = face_part(M, 0), border_number(M, 0, i, i2)
        parts = part_a, part_b, farther_away(Q, M, part_a, part_b)
    if M.has_face[face] and abs(dot(row(M.normal, face), n)) >= STEEP:  # their normal says nothing: one over the face of the other
        if face == 1:
            _edge_over(Q, M, 0, a, u, p, b, w, q, least, x, y, first, second, reach, parts)
        else:
            _edge_over(Q, M, 1, b, w, q, a, u, p, least, x, y, first, second, reach, parts)


@kernel
def _edge_edge(Q, M, a, u, p, b, w, q, N, cosine, least, x, y, first, second, reach, parts):
    """Edges a + t u of A and b + s w of B by the distance along their normal N, at p and q seen along the pair's normal."""
    size = length(N)
    sign = -1.0 if cosine > 0.0 else 1.0  # the normal of a contact points from B to A
    gap = sign * dot(N, minus(a, b)) / size - M.radius[0] - M.radius[1]
    face = 1 if M.has_face[1] else 0
    if gap + parts[2] > reach:
        return
    if M.band[0] > 0.0:
        no_ends(M)
        if M.faces[0] + M.faces[1] > 0:
            if size <= least * length(u) * length(w):
                return
            note_normals(Q, M, 0, parts[0])
            note_normals(Q, M, 1, parts[1])
            more = STEEPNESS * M.band[0] * fade_of_crossing(M, unit(u), unit(w), sign)
            M.farther[FOUND] += more
            if gap + parts[2] + more > reach:
                return
        elif M.has_face[face]:
            if abs(dot(row(M.normal, face), unit(u if face == 1 else w))) <= 0.5 * STEEP_EDGE:
                return
        elif size <= least * length(u) * length(w):
            return
        e = minus(a, b)
        p, q = along(a, -dot(cross(e, w), N) / (size * size), u), along(b, -dot(cross(e, u), N) / (size * size), w)
        if not (within_edge(M, 0, p, gap, a, plus(a, u)) and within_edge(M, 1, q, gap, b, plus(b, w))):
            return
        M.least_sine[FOUND] = least
        note_parts(Q, M, parts[0], parts[1], parts[2])
    f = put_feature(M, EDGE_EDGE, x, y, gap, 0, first, second, sign)
    if f >= 0:
        put(M.at[f], 0, p)
        put(M.at[f], 1, q)
        put(M.along[f], 0, unit(u))
        put(M.along[f], 1, unit(w))
        put(M.across[f], 1 - face, (0.0, 0.0, 0.0))
        put(M.across[f], face, row(M.normal, face) if M.has_face[face] and M.faces[face] == 0 else (0.0, 0.0, 0.0))
        M.rounding[f, 0], M.rounding[f, 1] = M.radius[0], M.radius[1]


@kernel
def _edge_over(Q, M, side, start, edge, own, end, other, far, least, x, y, first, second, reach, parts):
    """An edge of one side over the face of the other, where it crosses the face's edge seen along that face's normal.

    start, end: where both edges start; own, far: points of both, where they cross seen along the pair's normal.
    """
    m = row(M.normal, 1 - side)
    k = cross(other, m)
    across = dot(edge, k)
    if abs(across) <= least * length(edge) * length(k):
        return
    if abs(dot(m, edge)) * length(k) > LEVEL * abs(across):
        return
    slide = -dot(minus(own, far), k) / across
    if abs(slide) > 0.1 and M.band[0] == 0.0:  # seen along that face's normal they cross elsewhere
        return
    point = along(own, slide, edge)
    gap = dot(m, minus(point, far)) - M.radius[side]
    if gap + parts[2] > reach:
        return
    sign = 1.0 if side == 0 else -1.0
    if M.band[0] > 0.0:
        no_ends(M)
        M.farther[FOUND] += STEEPNESS * M.band[0] * over_fade(unit(edge), unit(k), m)[0]
        if not within_edge(M, side, point, gap, start, plus(start, edge)):
            return
        if not within_edge(M, 1 - side, point, gap, end, plus(end, other)):
            return
        M.lift[FOUND], M.least_sine[FOUND] = sign, least
        note_parts(Q, M, parts[0], parts[1], parts[2])
    f = put_feature(M, EDGE_OVER, x, y, gap, side, first, second, sign)
    if f >= 0:
        put(M.at[f], side, point)
        put(M.at[f], 1 - side, far)
        put(M.along[f], side, unit(edge))
        put(M.along[f], 1 - side, m)
        put(M.across[f], 1 - side, unit(k))
        M.rounding[f, side], M.rounding[f, 1 - side] = M.radius[side], 0.0


@kernel
def keep_spread(M, most):
    """Mark the features that are kept: all, or of more than `most` the deepest, then always the farthest from those.

    No feature is deeper than its pair: bodies moved apart by their depth overlap nowhere. One that is deeper (`M.least`) has its
    point outside of what it stands over. As a constraint it would push apart what does not touch, and give it energy: it is not
    kept, nor is another at its place.
    """
    count, real = M.found[0], 0
    for f in range(count):
        M.kept[f] = M.gap[f] + M.farther[f] >= M.least[0]
        real += M.kept[f]
    if real <= most:
        return
    best = -1
    for f in range(count):
        M.far[f] = math.inf if M.kept[f] else -1.0
        if M.kept[f] and (best < 0 or M.gap[f] < M.gap[best]):
            best = f
        M.kept[f] = False
    for _ in range(most):
        M.kept[best] = True
        last = best
        for f in range(count):
            d = (M.place[f, 0] - M.place[last, 0]) ** 2 + (M.place[f, 1] - M.place[last, 1]) ** 2
            M.far[f] = min(M.far[f], d)
            if not M.kept[f] and M.far[f] >= 0.0 and (M.kept[best] or M.far[f] > M.far[best]):
                best = f


@kernel
def add_feature(Q, W, k, M, f, x, R):
    """Feature f of M into W's table of features, in the frames of the bodies."""
    key = ((2 * M.kind[f] + M.side[f]) * NUMBERS + M.corner[f, 0]) * NUMBERS + M.corner[f, 1]
    s = W.n_features[0]
    for i in range(s):
        if W.fpair[i] == k and W.fkey[i] == key and W.fwanted[i] >= 0:
            return
    if s + 1 >= W.fpair.shape[0]:
        W.n_features[1] += 1  # no room: the caller is told
        return
    W.n_features[0] = s + 1
    i = s
    W.fpair[i], W.fkey[i], W.fkind[i], W.fsign[i] = k, key, M.kind[f], M.sign[f]
    W.ffriction[i], W.flaw[i] = Q.friction[k], Q.law[k]
    first_side = M.side[f] if M.kind[f] == BALL_FEATURE else 0  # the ball comes first
    W.fends[i], W.fleast_sine[i] = 0, 0.0
    W.fpart[i, 0, 0] = W.fpart[i, 1, 0] = WHOLE
    for place in range(2):
        side = place if first_side == 0 else 1 - place
        g = Q.geom[k, side]
        W.fshape[i, place], W.fbody[i, place] = g, Q.shape_node[g]
        W.fradius[i, place] = M.rounding[f, side]
        if M.kind[f] == NEAREST or (M.kind[f] == BALL_FEATURE and place == 1):
            _whole(Q, W, i, place, g)
            continue
        b = body_row(x, Q.shape_node[g])
        for r in range(3):
            at, direction, across = 0.0, 0.0, 0.0
            for c in range(3):
                at += R[b, c, r] * (M.at[f, side, c] - x[b, c])
                direction += R[b, c, r] * M.along[f, side, c]
                across += R[b, c, r] * M.across[f, side, c]
            W.fcentre[i, place, r], W.faxes[i, place, r, 2], W.faxes[i, place, r, 0] = at, direction, across
        W.fhalf[i, place, 0], W.fhalf[i, place, 1] = M.angle[f, side], M.turn[f]
    if M.band[0] > 0.0 and M.kind[f] != NEAREST:
        keep_ends(M, f, W, i, first_side, x, R)
        for side in range(2):
            for r in range(3):
                W.fpart[i, side, r] = M.part[f, side, r]


@kernel
def _whole(Q, W, i, place, g):
    """The geom itself as one side of feature i: its centre and axes, and half the length of its axis."""
    for r in range(3):
        W.fcentre[i, place, r] = Q.shape_centre[g, r]
        for c in range(3):
            W.faxes[i, place, r, c] = Q.shape_axes[g, r, c]
    W.fhalf[i, place, 0] = W.fhalf[i, place, 1] = 0.0
    W.fhalf[i, place, 2] = ENDLESS if Q.shape_kind[g] == CYLINDER else Q.shape_size[g, 1]
