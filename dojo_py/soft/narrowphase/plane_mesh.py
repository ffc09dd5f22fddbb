"""Plane and convex mesh: corners of one face of the hull, the one at the lowest corner that faces the plane most.

From the lowest corner on, round the face; of more than four corners a quadrilateral of large area with the lowest one is kept.
Corners above the centre of the mesh are left out. Source: contacts of the wheel.
"""

from dojo_py.algebra.vectors import cross, dot, length, minus, plus, put, row, times, turned
from dojo_py.collision.convex_shapes import support
from dojo_py.jit import kernel
from dojo_py.soft.narrowphase.points import write

MOST = 4


@kernel
def plane_mesh(plane, mesh, hulls, polygons, reach, work, out):
    """plane, mesh: ((position, matrix), shape); work (corners, 3): scratch. Returns the number of contacts, 0 to 4."""
    at, R = plane[0], plane[1]
    n = (R[2], R[5], R[8])
    pose, shape = mesh
    lowest, corner = support(shape, pose, times(-1.0, n), hulls, -1)
    if dot(minus(lowest, at), n) > reach:
        return 0
    top = dot(minus(pose[0], at), n)
    if reach < top:
        top = reach
    face, most = -1, -2.0
    for k in range(polygons.at[corner], polygons.at[corner + 1]):
        facing = -dot(turned(pose[1], row(polygons.normal, polygons.face[k])), n)
        if facing > most:
            face, most = polygons.face[k], facing
    if face < 0:
        return _contact(lowest, at, n, top, out, 0)
    first, count = polygons.first[face], polygons.first[face + 1] - polygons.first[face]
    start = 0
    while polygons.corner[first + start] != corner:
        start += 1
    for k in range(count):
        p = row(hulls.corner, polygons.corner[first + (start + k) % count])
        put(work, k, plus(pose[0], turned(pose[1], p)))
    chosen = _quadrilateral(work, count) if count > MOST else (0, 1, 2, 3)
    found = 0
    for k in range(min(count, MOST)):
        found = _contact(row(work, chosen[k]), at, n, top, out, found)
    return found


@kernel
def _contact(p, at, n, top, out, found):
    away = dot(minus(p, at), n)
    if away > top:
        return found
    write(out, found, away, p[0] - 0.5 * away * n[0], p[1] - 0.5 * away * n[1], p[2] - 0.5 * away * n[2], n[0], n[1], n[2])
    return found + 1


@kernel
def _area(points, b, c, d):
    return length(cross(minus(row(points, c), row(points, 0)), minus(row(points, d), row(points, b))))


@kernel
def _quadrilateral(points, n):
    """The first corner and three others, each of which moves on while the area grows."""
    b, c, d = 1, 2, 3
    most = _area(points, b, c, d)
    while d + 1 < n and _area(points, b, c, d + 1) > most:
        d += 1
        most = _area(points, b, c, d)
        while c + 1 < d and _area(points, b, c + 1, d) > most:
            c += 1
            most = _area(points, b, c, d)
        while b + 1 < c and _area(points, b + 1, c, d) > most:
            b += 1
            most = _area(points, b, c, d)
    return (0, b, c, d)
