"""Penetration depth and its normal for two overlapping cores: the expanding polytope algorithm, EPA (van den Bergen 2001).

A polytope inside D = {b - a} grows around the origin: the support point beyond the face nearest to the origin is added, until that
face lies on the boundary of D. This face gives depth and normal, and its three vertices the pairs of points of both shapes. The
order of its vertices says which side of a face is outside, so that an origin on the boundary, or outside by round-off, does no
harm. The support function of D along the normal of a face is an upper bound of the depth. Where the search ends early (a ball in
the middle of a ball has the same depth in all directions), the least upper bound and its face are the result.
"""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.algebra.vectors import cross, dot, length, minus, perpendicular, put, row, times, unit
from dojo_py.collision.convex_shapes import is_curved
from dojo_py.collision.gjk import Simplex, add_support, core_size, keep, triangle_point
from dojo_py.jit import kernel

MOST_POINTS, MOST_FACES, MOST_EDGES = 160, 1200, 400


class Polytope(NamedTuple):
    """Work space, modified in place."""

    simplex: Simplex  # its vertices, MOST_POINTS at most
    face: np.ndarray  # (MOST_FACES, 3) vertices, counterclockwise from outside
    normal: np.ndarray  # (MOST_FACES, 3) unit; zero: a degenerate face
    offset: np.ndarray  # (MOST_FACES,) distance of its plane from the origin; infinite: a degenerate face
    slack: np.ndarray  # (MOST_FACES,) round-off of the height of a point over the face [m]
    mark: np.ndarray  # (MOST_FACES,) 1: visible from the new point, 2: and connected with the nearest face
    edge: np.ndarray  # (MOST_EDGES, 2) border of the visible faces (horizon)


def polytope() -> Polytope:
    """Work space for one pair at a time."""
    points = Simplex(
        np.zeros((MOST_POINTS, 3)), np.zeros((MOST_POINTS, 3)), np.zeros((MOST_POINTS, 3)),
        np.zeros((MOST_POINTS, 2), np.int64), np.zeros(MOST_POINTS),
    )  # fmt: skip
    faces = np.zeros((MOST_FACES, 3), np.int64), np.zeros((MOST_FACES, 3)), np.zeros(MOST_FACES), np.zeros(MOST_FACES)
    return Polytope(points, *faces, np.zeros(MOST_FACES, np.int64), np.zeros((MOST_EDGES, 2), np.int64))


@kernel
def epa(hull, count, A, pose_a, B, pose_b, hulls, level):
    """(normal from A to B, number of simplex points that span the point nearest to the origin, rounds).

    level: 0, or more for a tighter tolerance. Starts from the first `count` points of hull.simplex; at the end the first places
    hold the vertices of the resulting face, with barycentric weights.
    """
    size = core_size(A, B, hulls)
    curved = is_curved(A) or is_curved(B)
    tolerance = size * (3e-7 * 0.01**level if curved else 1e-13)
    points = hull.simplex
    dimension = _spread(points, count, size, A, pose_a, B, pose_b, hulls)
    if dimension < 3:
        return _flat_normal(points, dimension), _weigh(points, dimension + 1), 1
    count, faces = 4, _first_faces(hull, size)
    best, least, tight = 0, math.inf, False
    answer = (1.0, 0.0, 0.0)
    rounds = 0
    while rounds < MOST_POINTS - 8:
        rounds += 1
        best = _nearest_face(hull, faces)
        n = row(hull.normal, best)
        d = add_support(points, count, A, pose_a, B, pose_b, times(-1.0, n), hulls)
        reach = dot(n, d)
        if reach <= least:
            answer, least = n, reach
            _set_aside(points, hull.face[best, 0], hull.face[best, 1], hull.face[best, 2])
        tight = not reach - hull.offset[best] > tolerance  # on the boundary of D
        if tight or (curved and not least - hull.offset[best] > tolerance):
            break
        grown = _grow(hull, faces, best, count, d, size)
        if grown < 0:
            break
        count, faces = count + 1, grown
    if tight:
        answer = row(hull.normal, best)  # (not that of a coplanar face, which may be narrow: its normal is round-off)
        below = _face_below(hull, faces, best, 1e-10 * size)
        _set_aside(points, hull.face[below, 0], hull.face[below, 1], hull.face[below, 2])
    last = points.point.shape[0]
    for k in range(3):
        keep(points, k, last - 3 + k)
    return times(-1.0, answer), _weigh(points, 3), rounds


@kernel
def _spread(points, count, size, A, pose_a, B, pose_b, hulls):
    """Complete the first points to a tetrahedron in D; returns the dimension reached: 3, or less if D is flat."""
    count = _independent(points, count, size)
    while count < 4:
        best, most = 0, 1e-9 * size
        for k in range(6):
            n = _search(points, count, k)
            d = add_support(points, 4 + k, A, pose_a, B, pose_b, n, hulls)
            away = _distance_from(points, count, d)
            if away > most:
                best, most = 4 + k, away
        if best == 0:
            return count - 1
        keep(points, count, best)
        count += 1
    return 3


@kernel
def _independent(points, count, size):
    """Drop points that lie in the point, line or plane spanned by those before; returns how many are left."""
    kept = 1
    for i in range(1, count):
        if _distance_from(points, kept, row(points.point, i)) > 1e-9 * size:
            keep(points, kept, i)
            kept += 1
    return kept


@kernel
def _search(points, count, k):
    """The k-th of six directions in which a further point is searched for."""
    sign = 1.0 if k % 2 == 0 else -1.0
    if count == 1:
        axis = k // 2
        return (sign * (axis == 0), sign * (axis == 1), sign * (axis == 2))
    a = row(points.point, 0)
    e = minus(row(points.point, 1), a)
    if count == 3:
        n = unit(cross(e, minus(row(points.point, 2), a)))
        return times(sign, n)
    e = unit(e)
    t = perpendicular(e)
    angle = math.pi / 3.0 * k
    u = cross(e, t)
    c, s = math.cos(angle), math.sin(angle)
    return (c * t[0] + s * u[0], c * t[1] + s * u[1], c * t[2] + s * u[2])


@kernel
def _distance_from(points, count, d):
    """Distance of d from the point, line or plane through the first one, two or three points."""
    a = row(points.point, 0)
    f = minus(d, a)
    if count == 1:
        return length(f)
    e = unit(minus(row(points.point, 1), a))
    if count == 2:
        return length(cross(e, f))
    return abs(dot(unit(cross(e, minus(row(points.point, 2), a))), f))


@kernel
def _flat_normal(points, dimension):
    """A normal of D where it is a point, a segment or planar."""
    if dimension == 0:
        return (0.0, 0.0, 1.0)
    a = row(points.point, 0)
    e = minus(row(points.point, 1), a)
    if dimension == 1:
        return perpendicular(unit(e))
    return unit(cross(e, minus(row(points.point, 2), a)))


@kernel
def _weigh(points, count):
    """Set the barycentric weights of the point nearest to the origin on the first `count` points; returns count."""
    if count == 1:
        points.weight[0] = 1.0
    elif count == 2:
        a, b = row(points.point, 0), row(points.point, 1)
        e = minus(b, a)
        t = min(max(-dot(a, e) / dot(e, e), 0.0), 1.0)
        points.weight[0], points.weight[1] = 1.0 - t, t
    else:
        _, u, v, w = triangle_point(row(points.point, 0), row(points.point, 1), row(points.point, 2))
        points.weight[0], points.weight[1], points.weight[2] = u, v, w
    return count


@kernel
def _set_aside(points, i, j, k):
    """Copy points i, j, k to the last three places."""
    last = points.point.shape[0]
    keep(points, last - 3, i)
    keep(points, last - 2, j)
    keep(points, last - 1, k)


@kernel
def _first_faces(hull, size):
    """Write the faces of the tetrahedron, oriented outwards; returns their number."""
    point = hull.simplex.point
    a, b, c, d = row(point, 0), row(point, 1), row(point, 2), row(point, 3)
    outwards = dot(cross(minus(b, a), minus(c, a)), minus(d, a)) < 0.0
    number = 0
    for i, j, k in ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)):
        if outwards:
            _put_face(hull, number, i, j, k, size)
        else:
            _put_face(hull, number, i, k, j, size)
        number += 1
    return number


@kernel
def _put_face(hull, f, i, j, k, size):
    point = hull.simplex.point
    a = row(point, i)
    e, g = minus(row(point, j), a), minus(row(point, k), a)
    n = cross(e, g)
    area = length(n)
    hull.face[f, 0], hull.face[f, 1], hull.face[f, 2] = i, j, k
    # vertices are accurate to 1e-16 of the size: in a narrow face that rotates the normal, and shifts heights far from the face
    hull.slack[f] = 1e-15 * size * (1.0 + size * (length(e) + length(g)) / max(area, 1e-300))
    if not hull.slack[f] < 1e-4 * size:
        put(hull.normal, f, (0.0, 0.0, 0.0))
        hull.offset[f] = math.inf
        return
    n = times(1.0 / area, n)
    put(hull.normal, f, n)
    hull.offset[f] = dot(n, a)


@kernel
def _nearest_face(hull, faces):
    best = 0
    for f in range(1, faces):
        if hull.offset[f] < hull.offset[best]:
            best = f
    return best


@kernel
def _face_below(hull, faces, best, tolerance):
    """Among the faces coplanar with the best one, the one that contains the point nearest to the origin."""
    least = math.inf
    found = best
    n, h = row(hull.normal, best), hull.offset[best]
    for f in range(faces):
        a, b = row(hull.simplex.point, hull.face[f, 0]), row(hull.simplex.point, hull.face[f, 1])
        c = row(hull.simplex.point, hull.face[f, 2])
        if not math.isfinite(hull.offset[f]):  # collinear vertices: no normal
            continue
        if abs(dot(n, a) - h) <= tolerance and abs(dot(n, b) - h) <= tolerance and abs(dot(n, c) - h) <= tolerance:
            p = triangle_point(a, b, c)[0]
            square = dot(p, p)
            if square < least:
                found, least = f, square
    return found


@kernel
def _see(hull, faces, best, d):
    """Mark with 2 the faces that are visible from d and connected with the face `best`."""
    for f in range(faces):
        height = dot(row(hull.normal, f), d) - hull.offset[f]
        hull.mark[f] = 1 if height > hull.slack[f] else 0
    hull.mark[best] = 2
    found = True
    while found:
        found = False
        for f in range(faces):
            if hull.mark[f] == 1 and _touches_marked(hull, faces, f):
                hull.mark[f] = 2
                found = True
    left = 0
    for f in range(faces):
        left += hull.mark[f] != 2
    if left == 0:  # round-off in a thin first tetrahedron: only the nearest face is removed
        for f in range(faces):
            hull.mark[f] = 2 if f == best else 0


@kernel
def _touches_marked(hull, faces, f):
    for k in range(3):
        p, q = hull.face[f, k], hull.face[f, (k + 1) % 3]
        for g in range(faces):
            if hull.mark[g] == 2:
                for m in range(3):
                    if hull.face[g, m] == q and hull.face[g, (m + 1) % 3] == p:
                        return True
    return False


@kernel
def _grow(hull, faces, best, new, d, size):
    """Replace the faces visible from d by a cone to d; returns the number of faces, -1 if the work space or the accuracy ends."""
    edges, kept = 0, 0
    _see(hull, faces, best, d)
    for f in range(faces):
        i, j, k = hull.face[f, 0], hull.face[f, 1], hull.face[f, 2]
        if hull.mark[f] == 2:
            for p, q in ((i, j), (j, k), (k, i)):
                edges = _toggle(hull, edges, p, q)
                if edges < 0:
                    return -1
        else:
            hull.face[kept, 0], hull.face[kept, 1], hull.face[kept, 2] = i, j, k
            put(hull.normal, kept, row(hull.normal, f))
            hull.offset[kept], hull.slack[kept] = hull.offset[f], hull.slack[f]
            kept += 1
    if edges < 3 or kept + edges > hull.face.shape[0]:
        return -1
    for e in range(edges):
        _put_face(hull, kept + e, hull.edge[e, 0], hull.edge[e, 1], new, size)
    return kept + edges


@kernel
def _toggle(hull, edges, p, q):
    """Add the edge p q of a removed face to the horizon, or remove its twin; returns the number of edges, -1 if too many."""
    for e in range(edges):
        if hull.edge[e, 0] == q and hull.edge[e, 1] == p:
            hull.edge[e, 0], hull.edge[e, 1] = hull.edge[edges - 1, 0], hull.edge[edges - 1, 1]
            return edges - 1
    if edges == hull.edge.shape[0]:
        return -1
    hull.edge[edges, 0], hull.edge[edges, 1] = p, q
    return edges + 1
