"""Convex shapes by their support points: s(n), the point farthest along n, and its derivative W = ∂s/∂n.

    sphere     the centre, rounded by r                     W = 0 (the rounding adds r (1 - n nᵀ))
    capsule    the ends of the axis, rounded by r           W = 0
    box, mesh  a vertex                                     W = 0
    ellipsoid  M n / h,  h = sqrt(nᵀ M n),  M = diag(a²)    W = (M - s sᵀ) / h
    cylinder   a point of a rim, r n_xy / |n_xy| ± half z   W = r / |n_xy| t tᵀ,  t = z × n_xy / |n_xy|

Where the support point is not unique the shape is flat: on edges and faces, on the side of a cylinder (a line), on its caps.
A shape is the tuple (kind, (three sizes), first, count): MuJoCo's geom type and sizes; first and count: a mesh's rows in `Hulls`.
"""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.algebra.vectors import dot, row, turned, turned_back
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import GeomType

PLANE, _, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = map(int, GeomType)

RIM, SIDE, CAP = 0, 1, 2
"""Parts of a cylinder that can touch."""
FEW = 16
"""Hulls of up to this many vertices are searched completely, larger ones by hill climbing along neighbours."""


class Hulls(NamedTuple):
    """Vertices (corners) of the convex hulls of all meshes, and their neighbours."""

    corner: np.ndarray  # (n, 3) [m], in the frame of the geom
    first: np.ndarray  # (n + 1,) start of the neighbours of each vertex
    neighbour: np.ndarray  # (m,)


@kernel
def rounding(shape):
    """Radius [m] of the ball whose Minkowski sum with the core is the shape."""
    return shape[1][0] if shape[0] == SPHERE or shape[0] == CAPSULE else 0.0


@kernel
def is_curved(shape):
    """Whether the support point moves continuously with the normal."""
    return shape[0] == ELLIPSOID or shape[0] == CYLINDER


@kernel
def extent(shape, hulls):
    """Bounding radius [m] of the core about its centre."""
    a, b, c = shape[1]
    if shape[0] == SPHERE:
        return 0.0
    if shape[0] == CAPSULE:
        return b
    if shape[0] == CYLINDER:
        return math.sqrt(a * a + b * b)
    if shape[0] == ELLIPSOID:
        return max(a, b, c)
    return math.sqrt(a * a + b * b + c * c)


@kernel
def local_support(shape, n, hulls, start):
    """(support point of the core along n, shape's frame; number of this vertex, -1 on a curve). start: vertex to climb from."""
    kind, size = shape[0], shape[1]
    if kind == BOX:
        x = size[0] if n[0] >= 0.0 else -size[0]
        y = size[1] if n[1] >= 0.0 else -size[1]
        z = size[2] if n[2] >= 0.0 else -size[2]
        return (x, y, z), (n[0] >= 0.0) + 2 * (n[1] >= 0.0) + 4 * (n[2] >= 0.0)
    if kind == MESH:
        best = _farthest_corner(shape, n, hulls, start)
        return row(hulls.corner, best), best
    if kind == CAPSULE:
        return (0.0, 0.0, size[1] if n[2] >= 0.0 else -size[1]), 1 * (n[2] >= 0.0)
    if kind == ELLIPSOID:
        x, y, z = size[0] * n[0], size[1] * n[1], size[2] * n[2]
        s = 1.0 / max(math.sqrt(x * x + y * y + z * z), 1e-150)
        return (size[0] * x * s, size[1] * y * s, size[2] * z * s), -1
    if kind == CYLINDER:
        z = size[1] if n[2] >= 0.0 else -size[1]
        across = math.sqrt(n[0] * n[0] + n[1] * n[1])
        if across < 1e-150:
            return (0.0, 0.0, z), -1
        return (size[0] * n[0] / across, size[0] * n[1] / across, z), -1
    return (0.0, 0.0, 0.0), 0


@kernel
def _farthest_corner(shape, n, hulls, start):
    first, count = shape[2], shape[3]
    if count <= FEW:
        best, most = first, -math.inf
        for i in range(first, first + count):
            d = dot(row(hulls.corner, i), n)
            if d > most:
                best, most = i, d
        return best
    best = start if first <= start < first + count else first
    most = dot(row(hulls.corner, best), n)
    for _ in range(count):  # a local maximum is the global one: the hull is convex
        here = best
        for k in range(hulls.first[here], hulls.first[here + 1]):
            i = hulls.neighbour[k]
            d = dot(row(hulls.corner, i), n)
            if d > most:
                best, most = i, d
        if best == here:
            break
    return best


@kernel
def support(shape, pose, n, hulls, start):
    """`local_support` with n and the point in the world frame; pose: (position, matrix)."""
    p, corner = local_support(shape, turned_back(pose[1], n), hulls, start)
    q = turned(pose[1], p)
    return (pose[0][0] + q[0], pose[0][1] + q[1], pose[0][2] + q[2]), corner


@kernel
def feature_support(shape, pose, n, part):
    """Support point of a curved shape, world; on the given part of a cylinder: a rim's point, the middle of a side line or cap."""
    m = turned_back(pose[1], n)
    a, b, c = shape[1]
    if shape[0] == ELLIPSOID:
        x, y, z = a * m[0], b * m[1], c * m[2]
        s = 1.0 / max(math.sqrt(x * x + y * y + z * z), 1e-150)
        p = (a * x * s, b * y * s, c * z * s)
    else:
        z = b if m[2] >= 0.0 else -b
        across = max(math.sqrt(m[0] * m[0] + m[1] * m[1]), 1e-150)
        x, y = (0.0, 0.0) if part == CAP else (a * m[0] / across, a * m[1] / across)
        p = (x, y, 0.0 if part == SIDE else z)
    q = turned(pose[1], p)
    return (pose[0][0] + q[0], pose[0][1] + q[1], pose[0][2] + q[2])


@kernel
def follow(shape, pose, n, part, d):
    """W d [m]: displacement of the core's support point in the world when the unit normal n changes by d."""
    if shape[0] != ELLIPSOID and (shape[0] != CYLINDER or part == CAP):
        return (0.0, 0.0, 0.0)
    m, e = turned_back(pose[1], n), turned_back(pose[1], d)
    a, b, c = shape[1]
    if shape[0] == ELLIPSOID:
        x, y, z = a * a * m[0], b * b * m[1], c * c * m[2]
        h = max(math.sqrt(x * m[0] + y * m[1] + z * m[2]), 1e-150)
        f = (x * e[0] + y * e[1] + z * e[2]) / (h * h)
        return turned(pose[1], ((a * a * e[0] - f * x) / h, (b * b * e[1] - f * y) / h, (c * c * e[2] - f * z) / h))
    across = max(math.sqrt(m[0] * m[0] + m[1] * m[1]), 1e-150)
    tx, ty = -m[1] / across, m[0] / across
    f = a / across * (tx * e[0] + ty * e[1])
    return turned(pose[1], (f * tx, f * ty, 0.0))
