"""What of a convex shape touches along a normal: its corners, faces and edges there, as the contact manifold needs them.

A feature is the tuple (dimension, signs, corners), seen along an outward normal m in the shape's frame:

    dimension   1: a corner, 2: an edge, 3: a face; of a cylinder 1: a rim, 2: the side
    signs       box: signs of the corner's coordinates, 0 along the feature; capsule and cylinder: the third is the end
    corners     mesh: up to three corners of the hull, -1 where there are fewer

The faces of a feature are all that contain it: three of a box's corner, two of its edge. Corners of faces are listed clockwise,
seen from outside, in the order that the wheel clips them in: it decides on the order of the contacts, and on which four are kept.
"""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.algebra.vectors import along, dot, length, minus, plus, put, row, times, turned, turned_back, unit
from dojo_py.collision.convex_shapes import BOX, CAPSULE, CYLINDER, MESH, support
from dojo_py.jit import kernel

FLAT = 1e-7
"""Cosine between a normal and a flat direction below which the feature extends along it; of meshes: distance over size."""
CAP_CORNERS = 16
"""The polygon that stands for a cylinder's cap: corners on the rim, the first on the x axis."""


class Polygons(NamedTuple):
    """Faces of all hulls; corners are numbered as in `Hulls`."""

    first: np.ndarray
    """(n + 1,) start of the corners of each face in `corner`"""
    corner: np.ndarray
    """(m,) corners of the faces, counterclockwise from outside"""
    normal: np.ndarray
    """(n, 3) outwards, in the frame of the geom"""
    at: np.ndarray
    """(corners + 1,) start of the faces of each corner in `face`"""
    face: np.ndarray
    """(k,) the faces that meet in each corner"""


@kernel
def feature(shape, pose, n, hulls):
    """The feature of a shape along the outward unit normal n (world)."""
    none = (-1, -1, -1)
    m = turned_back(pose[1], n)
    if shape[0] == BOX:
        s = (_sign(m[0]), _sign(m[1]), _sign(m[2]))
        return 1 + (s[0] == 0.0) + (s[1] == 0.0) + (s[2] == 0.0), s, none
    if shape[0] == MESH:
        return _mesh_feature(shape, pose, m, n, hulls)
    return (2 if abs(m[2]) < FLAT else 1), (0.0, 0.0, 1.0 if m[2] >= 0.0 else -1.0), none


@kernel
def _sign(x):
    if abs(x) < FLAT:
        return 0.0
    return 1.0 if x > 0.0 else -1.0


@kernel
def _mesh_feature(shape, pose, m, n, hulls):
    _, best = support(shape, pose, n, hulls, -1)
    size = shape[1][0] + shape[1][1] + shape[1][2]
    most = dot(row(hulls.corner, best), m)
    second, third = -1, -1
    # the corners that are as far lie around the farthest one, but on a face with many corners not all are its neighbours
    for k in range(hulls.first[best], hulls.first[best + 1]):
        i = hulls.neighbour[k]
        if dot(row(hulls.corner, i), m) > most - FLAT * size:
            if second < 0:
                second = i
            elif third < 0:
                third = i
    dimension = 1 + (second >= 0) + (third >= 0)
    return dimension, (0.0, 0.0, 0.0), (best, second, third)


@kernel
def face_count(shape, touching, polygons):
    """How many numbers `face_normal` takes; some of them may stand for no face."""
    if shape[0] == BOX:
        return 3
    if shape[0] == CYLINDER:
        return 1
    if shape[0] == MESH:
        c = touching[2][0]
        return polygons.at[c + 1] - polygons.at[c]
    return 0


@kernel
def face_normal(shape, pose, touching, k, polygons):
    """(whether there is a face k at the feature, its outward normal in the world)."""
    R, s = pose[1], touching[1]
    if shape[0] == BOX:
        if s[k] == 0.0:
            return False, (0.0, 0.0, 0.0)
        return True, (s[k] * R[k], s[k] * R[3 + k], s[k] * R[6 + k])
    if shape[0] == CYLINDER:
        return touching[0] == 1, (s[2] * R[2], s[2] * R[5], s[2] * R[8])
    c = touching[2]
    f = polygons.face[polygons.at[c[0]] + k]
    good = _has(polygons, f, c[1]) and _has(polygons, f, c[2])
    return good, turned(R, row(polygons.normal, f))


@kernel
def _has(polygons, f, corner):
    """Whether a face has a corner; -1: any has."""
    if corner < 0:
        return True
    for i in range(polygons.first[f], polygons.first[f + 1]):
        if polygons.corner[i] == corner:
            return True
    return False


@kernel
def put_face(shape, pose, touching, k, hulls, polygons, out):
    """Corners of face k in the world into out (n, 3), clockwise from outside; returns their number."""
    size, s = shape[1], touching[1]
    if shape[0] == BOX:
        sign = s[k]
        turns = _BOX_STARTS[k if sign > 0.0 else 3 + k]
        for i in range(4):
            j = (turns - i) % 4 if sign > 0.0 else (i + turns) % 4
            u, v = 1.0 if j == 0 or j == 3 else -1.0, 1.0 if j < 2 else -1.0
            put(out, i, _world(pose, _box_point(size, k, sign, u, v)))
        return 4
    if shape[0] == CYLINDER:
        for i in range(CAP_CORNERS):
            angle = -s[2] * 2.0 * math.pi * i / CAP_CORNERS
            put(out, i, _world(pose, (size[0] * math.cos(angle), size[0] * math.sin(angle), s[2] * size[1])))
        return CAP_CORNERS
    f = polygons.face[polygons.at[touching[2][0]] + k]
    first, last = polygons.first[f], polygons.first[f + 1]
    for i in range(last - first):
        put(out, i, _world(pose, row(hulls.corner, polygons.corner[last - 1 - i])))
    return last - first


_BOX_STARTS = (0, 2, 1, 3, 3, 0)
"""Where the wheel's lists of a box's faces begin: x, y, z, -x, -y, -z."""


@kernel
def _box_point(size, k, sign, u, v):
    """The point of face `sign` k at the signs u, v of the two axes that follow k."""
    if k == 0:
        return (sign * size[0], u * size[1], v * size[2])
    if k == 1:
        return (v * size[0], sign * size[1], u * size[2])
    return (u * size[0], v * size[1], sign * size[2])


@kernel
def edge_count(shape, touching, polygons):
    """How many numbers `edge` takes."""
    if touching[0] == 3:
        return 0
    if shape[0] == BOX:
        return 3
    if shape[0] == MESH:
        c = touching[2][0]
        return polygons.at[c + 1] - polygons.at[c]
    return 1


@kernel
def edge(shape, pose, touching, k, hulls, polygons):
    """(whether there is an edge k at the feature, its ends in the world, the feature's own corner first).

    Of capsules and cylinders the axis: `side_line` moves it to the surface.
    """
    size, s = shape[1], touching[1]
    if shape[0] == BOX:
        if touching[0] == 2 and s[k] != 0.0:
            return False, pose[0], pose[0]
        a = (s[0] * size[0], s[1] * size[1], s[2] * size[2])
        step = (s[0] * size[0] * (k == 0), s[1] * size[1] * (k == 1), s[2] * size[2] * (k == 2))
        b = along(a, -2.0, step)
        if touching[0] == 2:
            b = plus(a, (size[0] * (k == 0), size[1] * (k == 1), size[2] * (k == 2)))
            a = along(b, -2.0, minus(b, a))
        return True, _world(pose, a), _world(pose, b)
    if shape[0] == MESH:
        c = touching[2]
        f = polygons.face[polygons.at[c[0]] + k]
        other = _next(polygons, f, c[0])
        good = c[1] < 0 or other == c[1]
        return good, _world(pose, row(hulls.corner, c[0])), _world(pose, row(hulls.corner, other))
    h = s[2] * size[1]
    return True, _world(pose, (0.0, 0.0, h)), _world(pose, (0.0, 0.0, -h))


@kernel
def _next(polygons, f, corner):
    first, last = polygons.first[f], polygons.first[f + 1]
    for i in range(first, last):
        if polygons.corner[i] == corner:
            return polygons.corner[i + 1 if i + 1 < last else first]
    return corner


@kernel
def side_line(shape, pose, n, toward, reach):
    """From a cylinder's or capsule's axis to the line of its side that touches along the outward normal n.

    Of a capsule as in MuJoCo 4.0, which blows it up by half the reach d and takes that back along the face's inward normal
    `toward`: (r + d/2) n across the axis - d/2 toward. A cylinder's cap has no such line: then that nearest along `toward`.
    """
    if shape[0] != CYLINDER and shape[0] != CAPSULE:
        return (0.0, 0.0, 0.0)
    R, r = pose[1], shape[1][0]
    axis = (R[2], R[5], R[8])
    across = along(n, -dot(n, axis), axis)
    if shape[0] == CAPSULE:
        return along(times(r + 0.5 * reach, across), -0.5 * reach, toward)
    if length(across) < FLAT:
        across = along(toward, -dot(toward, axis), axis)
    return times(r, unit(across))


@kernel
def _world(pose, p):
    return plus(pose[0], turned(pose[1], p))
