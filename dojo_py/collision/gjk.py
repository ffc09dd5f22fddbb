"""Distance of two convex cores (Gilbert, Johnson and Keerthi 1988): the point of their Minkowski difference nearest to the origin.

    D = {b - a},   v = argmin |d|, d ∈ D,   distance |v|, normal v / |v| from A to B

The algorithm keeps a simplex of support points. Each round adds the support point of D along -v and drops the points that the
nearest point of the simplex does not need (Ericson 2005, ch. 5). It ends when |v|² - v · w, w the new support point, is at most
1e-14 |v|² for polytopes and 1e-9 |v|² for curved shapes, whose normal Newton's method completes (convex_pair.py).
"""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.algebra.vectors import along, cross, dot, length, minus, plus, put, row, times
from dojo_py.collision.convex_shapes import extent, is_curved, support
from dojo_py.jit import kernel

MOST_ROUNDS = 128
BEYOND = 1e-9
"""Over the size: the search ends early once a lower bound of the distance exceeds `reach` by more than this."""
FLAT = 1e-7
"""Distance over size below which the cores count as touching: the direction of v would be round-off."""


class Simplex(NamedTuple):
    """Points of the Minkowski difference and the support points of both shapes; work space, modified in place."""

    point: np.ndarray  # (n, 3) b - a
    a: np.ndarray  # (n, 3)
    b: np.ndarray  # (n, 3)
    corner: np.ndarray  # (n, 2) numbers of these vertices; -1 on a curved surface
    weight: np.ndarray  # (n,) barycentric coordinates of the nearest point


@kernel
def add_support(simplex, i, A, pose_a, B, pose_b, n, hulls):
    """Set point i to the support point of D along -n (n of any length), and return it."""
    start_a = simplex.corner[0, 0]
    start_b = simplex.corner[0, 1]
    a, corner_a = support(A, pose_a, n, hulls, start_a)
    b, corner_b = support(B, pose_b, times(-1.0, n), hulls, start_b)
    put(simplex.a, i, a)
    put(simplex.b, i, b)
    d = minus(b, a)
    put(simplex.point, i, d)
    simplex.corner[i, 0], simplex.corner[i, 1] = corner_a, corner_b
    return d


@kernel
def keep(simplex, to, i):
    """Copy point i to place `to`."""
    put(simplex.point, to, row(simplex.point, i))
    put(simplex.a, to, row(simplex.a, i))
    put(simplex.b, to, row(simplex.b, i))
    simplex.corner[to, 0], simplex.corner[to, 1] = simplex.corner[i, 0], simplex.corner[i, 1]


@kernel
def core_size(A, B, hulls):
    """Sum of the bounding radii of both cores [m]."""
    return max(extent(A, hulls) + extent(B, hulls), 1e-300)


@kernel
def gjk(simplex, A, pose_a, B, pose_b, n, hulls, level, reach):
    """(v, number of simplex points, rounds).

    A negative number: the cores overlap or touch, and these four (or fewer) points contain the origin. 0: they are farther apart
    than `reach` [m] by more than round-off, and |v| is a lower bound of their distance.

    n: initial direction from A to B; level: 0, or more for a tighter tolerance. At the end `weight` holds the barycentric
    coordinates of the nearest point. For every v, with w the support point of D along -v, w · v/|v| is a lower bound of the
    distance (van den Bergen 2003, 4.3.8).
    """
    size = core_size(A, B, hulls)
    limit = reach + BEYOND * size
    relative = 1e-9 * 0.001**level if is_curved(A) or is_curved(B) else 1e-14
    simplex.corner[0, 0], simplex.corner[0, 1] = -1, -1
    v = add_support(simplex, 0, A, pose_a, B, pose_b, n, hulls)
    if dot(n, v) > limit * length(n):
        return times(dot(n, v) / dot(n, n), n), 0, 0
    count, rounds = 1, 0
    simplex.weight[0] = 1.0
    while rounds < MOST_ROUNDS:
        rounds += 1
        square = dot(v, v)
        if square <= (FLAT * size) ** 2:
            return v, -count, rounds
        w = add_support(simplex, count, A, pose_a, B, pose_b, v, hulls)
        if dot(v, w) > limit * math.sqrt(square):
            return times(dot(v, w) / square, v), 0, rounds
        if square - dot(v, w) <= relative * square or _known(simplex, count):
            return v, count, rounds
        before = count
        count = _nearest(simplex, count + 1)
        if count == 4:
            return v, -4, rounds
        closer = _combined(simplex, count)
        if not dot(closer, closer) < square:  # round-off: no progress is possible
            return (closer if before == count else v), count, rounds
        v = closer
    return v, count, rounds


@kernel
def _known(simplex, i):
    for k in range(i):
        if (
            simplex.point[k, 0] == simplex.point[i, 0]
            and simplex.point[k, 1] == simplex.point[i, 1]
            and simplex.point[k, 2] == simplex.point[i, 2]
        ):
            return True
    return False


@kernel
def _combined(simplex, count):
    v = (0.0, 0.0, 0.0)
    for i in range(count):
        v = along(v, simplex.weight[i], row(simplex.point, i))
    return v


@kernel
def _nearest(simplex, count):
    """Keep the points that span the simplex's point nearest to the origin, set their weights; their number, 4: it is inside."""
    if count == 2:
        return _keep_two(simplex, 0, 1)
    if count == 3:
        return _keep_three(simplex, 0, 1, 2)
    best, least = 0, math.inf
    inside = True
    for face in range(4):
        i, j, k, other = _FACES[face]
        a, b, c, d = row(simplex.point, i), row(simplex.point, j), row(simplex.point, k), row(simplex.point, other)
        n = cross(minus(b, a), minus(c, a))
        here, there = -dot(n, a), dot(n, minus(d, a))
        if here * there < 0.0 or abs(there) <= 1e-14 * length(n) * (length(a) + length(d)):  # outside, or a degenerate tetrahedron
            inside = False
            p = triangle_point(a, b, c)[0]
            square = dot(p, p)
            if square < least:
                best, least = face, square
    if inside:
        return 4
    i, j, k, _ = _FACES[best]
    return _keep_three(simplex, i, j, k)


_FACES = ((0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1), (1, 2, 3, 0))


@kernel
def _keep_two(simplex, i, j):
    a, b = row(simplex.point, i), row(simplex.point, j)
    e = minus(b, a)
    square = dot(e, e)
    t = -dot(a, e) / square if square > 0.0 else 0.0
    if t <= 0.0 or t >= 1.0:
        keep(simplex, 0, i if t <= 0.0 else j)
        simplex.weight[0] = 1.0
        return 1
    keep(simplex, 0, i)
    keep(simplex, 1, j)
    simplex.weight[0], simplex.weight[1] = 1.0 - t, t
    return 2


@kernel
def _keep_three(simplex, i, j, k):
    _, u, v, w = triangle_point(row(simplex.point, i), row(simplex.point, j), row(simplex.point, k))
    count = 0
    for index, weight in ((i, u), (j, v), (k, w)):
        if weight > 0.0:
            keep(simplex, count, index)  # count never exceeds the index that is read
            simplex.weight[count] = weight
            count += 1
    return count


@kernel
def triangle_point(a, b, c):
    """The point of a triangle nearest to the origin, and its barycentric coordinates (Ericson 2005, 5.1.5)."""
    ab, ac = minus(b, a), minus(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return a, 1.0, 0.0, 0.0
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return b, 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3) if d1 - d3 > 0.0 else 0.0
        return along(a, t, ab), 1.0 - t, t, 0.0
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return c, 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6) if d2 - d6 > 0.0 else 0.0
        return along(a, t, ac), 1.0 - t, 0.0, t
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        s = (d4 - d3) + (d5 - d6)
        t = (d4 - d3) / s if s > 0.0 else 0.0
        return along(b, t, minus(c, b)), 0.0, 1.0 - t, t
    s = 1.0 / (va + vb + vc)
    v, w = vb * s, vc * s
    p = plus(a, plus(times(v, ab), times(w, ac)))
    # once more from p: in a narrow triangle the products above lose half of the digits or more
    r, q, bb, bc, cc = -dot(ab, p), -dot(ac, p), dot(ab, ab), dot(ab, ac), dot(ac, ac)
    v2, w2 = v + (cc * r - bc * q) * s, w + (bb * q - bc * r) * s
    better = plus(a, plus(times(v2, ab), times(w2, ac)))
    if v2 >= 0.0 and w2 >= 0.0 and v2 + w2 <= 1.0 and dot(better, better) < dot(p, p):
        p, v, w = better, v2, w2
    return p, 1.0 - v - w, v, w
