"""Several contacts of two convex shapes: a face on a face, or an edge on a face, that are nearly parallel.

One face is clipped by the sides of the other (Sutherland and Hodgman 1974); contacts are the corners of what is left, each with
its own distance along the normal of the face. Of more than four corners a quadrilateral of large area is kept.
Source: contacts of the wheel (flag `multiccd`); both angles are measured.
"""

from dojo_py.algebra.vectors import along, cross, dot, length, minus, plus, put, row, times
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.features import edge, edge_count, face_count, face_normal, feature, put_face, side_line
from dojo_py.soft.narrowphase.points import write

OPPOSITE = 0.996
"""Cosine of the angle between two faces above which they are on one another."""
LEVEL = 0.0888
"""Sine of the angle between an edge and a face below which the edge lies on the face."""
MOST = 4
"""Contacts that are kept."""
SAME = 1e-9
"""Distance over length of an edge below which two corners are one."""


@kernel
def manifold(A, pose_a, B, pose_b, n, reach, hulls, polygons, work, out):
    """Contacts closer than reach into out; returns their number, 0 where no face is involved.

    n: normal from A to B; work (3, corners, 3): scratch.
    """
    on_a, on_b = feature(A, pose_a, n, hulls), feature(B, pose_b, times(-1.0, n), hulls)
    for i in range(face_count(A, on_a, polygons)):
        good, na = face_normal(A, pose_a, on_a, i, polygons)
        for j in range(face_count(B, on_b, polygons) if good else 0):
            there, nb = face_normal(B, pose_b, on_b, j, polygons)
            if there and dot(na, nb) < -OPPOSITE:
                return _face_on_face(A, pose_a, on_a, i, na, B, pose_b, on_b, j, nb, reach, hulls, polygons, work, out)
    found, touching = _edge_on_face(A, pose_a, on_a, n, B, pose_b, on_b, 1.0, reach, hulls, polygons, work, out)
    if touching:
        return found
    return _edge_on_face(B, pose_b, on_b, times(-1.0, n), A, pose_a, on_a, -1.0, reach, hulls, polygons, work, out)[0]


@kernel
def _face_on_face(A, pose_a, on_a, i, na, B, pose_b, on_b, j, nb, reach, hulls, polygons, work, out):
    """Contacts of face i of A and face j of B, along the normal of B's."""
    corners = put_face(A, pose_a, on_a, i, hulls, polygons, work[2])
    base = row(work[2], 0)
    count = put_face(B, pose_b, on_b, j, hulls, polygons, work[0])
    origin = row(work[0], 0)
    count, side = _clipped(work, count, corners, na)
    points = work[side]
    for k in range(count):  # onto the face of A, along its own normal
        p = row(points, k)
        put(points, k, along(p, dot(minus(base, p), na), na))
    return _written(points, count, origin, times(-1.0, nb), 0.5, reach, False, out)


@kernel
def _edge_on_face(A, pose_a, on_a, n, B, pose_b, on_b, sign, reach, hulls, polygons, work, out):
    """(number of contacts, whether an edge of A lies on a face of B); sign: 1 where A is the first of the pair, else -1."""
    for i in range(edge_count(A, on_a, polygons)):
        good, a, b = edge(A, pose_a, on_a, i, hulls, polygons)
        if not good:
            continue
        e = minus(b, a)
        for j in range(face_count(B, on_b, polygons)):
            there, nb = face_normal(B, pose_b, on_b, j, polygons)
            if there and abs(dot(e, nb)) < LEVEL * length(e):
                shift = side_line(A, pose_a, n, times(-1.0, nb), reach)
                put(work[0], 0, plus(a, shift))
                put(work[0], 1, plus(b, shift))
                corners = put_face(B, pose_b, on_b, j, hulls, polygons, work[2])
                count, side = _clipped(work, 2, corners, nb)
                normal = times(-sign, nb)
                return _written(work[side], count, row(work[2], 0), normal, 0.5 * sign, reach, True, out), True
    return 0, False


@kernel
def _clipped(work, count, corners, n):
    """(number of corners, which of work[0], work[1] has them): work[0] cut by the sides of work[2], which stand along its normal n.

    Each cut starts at the second corner, as the wheel's does.
    """
    side = 0
    for k in range(corners):
        a, b = row(work[2], k), row(work[2], k + 1 if k + 1 < corners else 0)
        outwards = cross(n, minus(b, a))
        source, target = work[side], work[1 - side]
        kept = 0
        for i in range(count):
            p, q = row(source, i), row(source, i + 1 if i + 1 < count else 0)
            hp, hq = dot(minus(p, a), outwards), dot(minus(q, a), outwards)
            if (hp <= 0.0) != (hq <= 0.0):
                put(target, kept, along(p, hp / (hp - hq), minus(q, p)))
                kept += 1
            if hq <= 0.0:
                put(target, kept, q)
                kept += 1
        count, side = kept, 1 - side
    return count, side


@kernel
def _written(points, count, base, normal, half, reach, of_edge, out):
    """Writes the contacts at points (n, 3) on one shape, closer than reach to the face of the other through base."""
    kept = 0
    for k in range(count):
        p = row(points, k)
        if 2.0 * half * dot(minus(base, p), normal) < reach:
            put(points, kept, p)
            kept += 1
    if of_edge and kept > 2:
        kept = _without_repeats(points, kept)
    if kept > MOST:
        chosen = _quadrilateral(points, kept)
        for k in range(MOST):
            _put_contact(out, k, row(points, chosen[k]), base, normal, half)
        return MOST
    for k in range(kept):
        _put_contact(out, k, row(points, k), base, normal, half)
    return kept


@kernel
def _put_contact(out, k, p, base, normal, half):
    """half: 0.5 where p is on the first shape, -0.5 where it is on the second."""
    away = dot(minus(base, p), normal)
    middle = along(p, 0.5 * away, normal)
    write(out, k, 2.0 * half * away, middle[0], middle[1], middle[2], normal[0], normal[1], normal[2])


@kernel
def _without_repeats(points, count):
    """Drops corners that occur before; returns the number left."""
    size = 0.0
    for k in range(1, count):
        size = max(size, length(minus(row(points, k), row(points, 0))))
    kept = 1
    for k in range(1, count):
        new = True
        for i in range(kept):
            new = new and length(minus(row(points, k), row(points, i))) > SAME * size
        if new:
            put(points, kept, row(points, k))
            kept += 1
    return kept


@kernel
def _area(points, a, b, c, d):
    return length(cross(minus(row(points, c), row(points, a)), minus(row(points, d), row(points, b))))


@kernel
def _quadrilateral(points, n):
    """Four corners of a convex polygon: each in turn moves on while the area grows, for every first corner."""
    b, c, d = 1, 2, 3
    chosen = (0, 1, 2, 3)
    most = _area(points, 0, 1, 2, 3)
    for a in range(n):
        area = _area(points, a, b, c, (d + 1) % n)
        while area > most:
            most, d = area, (d + 1) % n
            chosen = (a, b, c, d)
            area = _area(points, a, b, (c + 1) % n, d)
            while area > most:
                most, c = area, (c + 1) % n
                chosen = (a, b, c, d)
                area = _area(points, a, b, (c + 1) % n, d)
            area = _area(points, a, (b + 1) % n, c, d)
            while area > most:
                most, b = area, (b + 1) % n
                chosen = (a, b, c, d)
                area = _area(points, a, (b + 1) % n, c, d)
            area = _area(points, a, b, c, (d + 1) % n)
        if b == a:
            b = (b + 1) % n
            if c == b:
                c = (c + 1) % n
                if d == c:
                    d = (d + 1) % n
    return chosen
