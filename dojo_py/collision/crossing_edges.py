"""Crossing edges of two shown polygons, seen along the normal of the pair: features of the manifold (manifold.py).

distance of both edges along their common normal                                        EDGE_EDGE
nearly parallel, or in a face: height of one edge over the face of the other            EDGE_OVER
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, length, minus, plus, put, row, unit
from dojo_py.collision.crossing import STEEP_EDGE, over_fade
from dojo_py.collision.facing import WHOLE
from dojo_py.collision.features import EDGE_EDGE, EDGE_OVER
from dojo_py.collision.overhang import STEEPNESS, within_edge
from dojo_py.collision.shown_parts import edge_part, face_part, fade_of_crossing, farther_away, note_normals, note_parts
from dojo_py.collision.shown_polygons import FOUND, border_number, edge_number, no_ends, put_feature
from dojo_py.jit import kernel

ALIGNED = 0.999
"""Cosine of the angle from the pair's normal to the edges' common normal above which they are EDGE_EDGE (STEEP if faces fade)."""
STEEP = 0.3
"""Cosine of the angle between the pair's normal and that of a face below which the face is not what the other shape touches."""
BLUNT = 0.02
"""Sine of the angle between two edges below which their crossing is not used as a corner of the intersection: its place would be
round-off, and without it the area is only a sliver smaller. An axis that crosses an edge ends there: a tenth of this."""
NO_CROSSING = 0.05
"""Likewise for two axes, which may become parallel in a step. Their ends are features too; the check at the end adds the rest."""
LEVEL = 0.5
"""Largest slope of an edge over a face, where it crosses the face's edge, for EDGE_OVER: on a steeper edge motion changes the place
of the crossing rather than its height, and an impulse along the face's normal would do work."""


@kernel
def crossing_edges(Q, M, i, i2, j, j2, n, reach):
    """Write the features of edge i, i2 of A and edge j, j2 of B into M.

    In the hard limit if they cross seen along the normal n (3,); on the central path the ends of edges decide (`within_edge`), as
    each feature sees them: along n, a steep edge has no length.
    """
    axes = (M.corners[0] == 2) + (M.corners[1] == 2)
    least = BLUNT if axes == 0 else 0.1 * BLUNT if axes == 1 else NO_CROSSING
    crosses, t, s, smooth = True, 0.5, 0.5, M.band[0] > 0.0
    if not smooth:
        crosses, t, s = _seen_crossing(M, i, i2, j, j2, least)
    if not crosses:
        return
    a, b = row(M.point[0], i), row(M.point[1], j)
    u, w = minus(row(M.point[0], i2), a), minus(row(M.point[1], j2), b)
    F = M.flat
    x, y = F[0, i, 0] + t * (F[0, i2, 0] - F[0, i, 0]), F[0, i, 1] + t * (F[0, i2, 1] - F[0, i, 1])
    first, second = edge_number(M, 0, i, i2), edge_number(M, 1, j, j2)
    many, both = M.faces[0] + M.faces[1] > 0, M.faces[0] > 0 and M.faces[1] > 0
    parts = ((WHOLE, 0, 0), (WHOLE, 0, 0), 0.0)
    p, q = along(a, t, u), along(b, s, w)
    N = cross(u, w)
    size = length(N)
    cosine = dot(N, n) / size if size > 0.0 else 0.0
    part_a, part_b = parts[0], parts[1]
    if many:
        part_a, part_b = edge_part(Q, M, 0, i, i2), edge_part(Q, M, 1, j, j2)
        parts = part_a, part_b, farther_away(Q, M, part_a, part_b)
    if abs(cosine) > (STEEP if many else ALIGNED):
        _edge_edge(Q, M, a, u, p, b, w, q, N, cosine, least, x, y, first, second, reach, parts)
        if not smooth:
            return
    # the common normal is of no use: one over the other's face
    if M.has_face[1] and abs(dot(row(M.normal, 1), n)) >= STEEP:
        over, border = parts, second
        if many:
            part, border = face_part(M, 1), border_number(M, 1, j, j2)
            over = part_a, part, farther_away(Q, M, part_a, part)
        _edge_over(Q, M, 0, a, u, p, b, w, q, least, x, y, first, border, reach, over)
    if (both or not M.has_face[1]) and M.has_face[0] and abs(dot(row(M.normal, 0), n)) >= STEEP:
        over, border = parts, first
        if many:
            part, border = face_part(M, 0), border_number(M, 0, i, i2)
            over = part, part_b, farther_away(Q, M, part, part_b)
        _edge_over(Q, M, 1, b, w, q, a, u, p, least, x, y, border, second, reach, over)


@kernel
def _seen_crossing(M, i, i2, j, j2, least):
    """Whether two edges cross, seen along the normal, and where: fractions (t of the edge of A, s of that of B).

    least: sine of the angle between them below which they count as parallel.
    """
    F = M.flat
    u0, u1 = F[0, i2, 0] - F[0, i, 0], F[0, i2, 1] - F[0, i, 1]
    w0, w1 = F[1, j2, 0] - F[1, j, 0], F[1, j2, 1] - F[1, j, 1]
    det, long, wide = u0 * w1 - u1 * w0, math.sqrt(u0 * u0 + u1 * u1), math.sqrt(w0 * w0 + w1 * w1)
    if abs(det) <= least * long * wide:
        return False, 0.0, 0.0
    d0, d1 = F[1, j, 0] - F[0, i, 0], F[1, j, 1] - F[0, i, 1]
    t, s = (d0 * w1 - d1 * w0) / det, (d0 * u1 - d1 * u0) / det
    return 0.0 <= t <= 1.0 and 0.0 <= s <= 1.0, t, s


@kernel
def _edge_edge(Q, M, a, u, p, b, w, q, N, cosine, least, x, y, first, second, reach, parts):
    """EDGE_EDGE: edges a + t u of A and b + s w of B, common normal N; p, q: where they cross seen along the pair's normal."""
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
    """EDGE_OVER: an edge of one side over the face of the other, where it crosses the face's edge seen along that face's normal.

    start, end: first points of both edges; own, far: points of both, where they cross seen along the pair's normal.
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
