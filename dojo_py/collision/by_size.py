"""How the surface of a shape moves with one of its sizes, at a fixed normal: w, per metre of size k, in the frame of the geom.

    box        size k    a point on the faces ± e_k moves by ± e_k                  (corners by all three sizes, faces by their own)
    capsule    radius    outwards                      half length    an end of the axis by ± z
    cylinder   radius    away from the axis            half length    a cap by ± z
    ellipsoid  s_k       the support point p_i = s_i² n_i / h, h² = Σ s_i² n_i²:
                         w = 2 s_k n_k / h e_k - s_k n_k² / h² p

Gap, normal and witness points of two surfaces are those of their common normal. To first order a surface that changes does to them
what its support point does that moves by w: its curvature may change too, which the normal does not feel until it turns. So a size
acts like a translation of its shape by w.
"""

import math

from dojo_py.algebra.vectors import ZERO, matrix, minus, row, turned, turned_back
from dojo_py.collision.convex_shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID
from dojo_py.jit import kernel

ON_FACE = 1e-6
"""Of a size: how far from a face or rim a point may be that counts as on it. Points of edges that are as near to the end of their
edge move along it, which changes nothing."""


@kernel
def point_by_size(kind, size, k, y):
    """w of a point y (3,) of the surface of a box, a capsule's axis or a cylinder; size (3,) [m]."""
    if kind == BOX:
        return _along_axis(k, _which_end(y[k], size[k]))
    if k == 1 and (kind == CAPSULE or kind == CYLINDER):
        return _along_axis(2, _which_end(y[2], size[1]))
    if k == 0 and kind == CYLINDER:
        away = math.sqrt(y[0] * y[0] + y[1] * y[1])
        if abs(away - size[0]) <= ON_FACE * size[0]:
            return (y[0] / away, y[1] / away, 0.0)
    return ZERO


@kernel
def at_by_size(Q, g, k, at):
    """`point_by_size` of a point of geom g `at` (3,) in the frame of its body, and in that frame."""
    A, d = matrix(Q.shape_axes[g]), minus((at[0], at[1], at[2]), row(Q.shape_centre, g))
    return turned(A, point_by_size(Q.shape_kind[g], row(Q.shape_size, g), k, turned_back(A, d)))


@kernel
def support_by_size(kind, size, k, y, n):
    """w of the support point y (3,) along the outward unit normal n (3,); y of a sphere or capsule: the centre of its rounding."""
    if kind == ELLIPSOID:
        h = max(math.sqrt((size[0] * n[0]) ** 2 + (size[1] * n[1]) ** 2 + (size[2] * n[2]) ** 2), 1e-150)
        s, m = size[k], n[k]
        less, more = s * m * m / (h * h * h), 2.0 * s * m / h
        x, y, z = size[0] ** 2 * n[0], size[1] ** 2 * n[1], size[2] ** 2 * n[2]
        return (more * (k == 0) - less * x, more * (k == 1) - less * y, more * (k == 2) - less * z)
    if k == 0 and kind != BOX and kind != CYLINDER:
        return (n[0], n[1], n[2])
    return point_by_size(kind, size, k, y)


@kernel
def _which_end(y, half):
    """1 or -1 where a coordinate is at an end of ± half, 0 between."""
    if abs(abs(y) - half) > ON_FACE * half:
        return 0.0
    return 1.0 if y > 0.0 else -1.0


@kernel
def _along_axis(k, amount):
    """amount e_k."""
    return (amount * (k == 0), amount * (k == 1), amount * (k == 2))
