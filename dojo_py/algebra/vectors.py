"""Vectors of three numbers and 3 x 3 matrices (nine numbers, by rows) as tuples, for kernels that look like their formulas."""

import math

from dojo_py.jit import kernel

ZERO, X, Y, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
"""The null vector and the unit vectors of the axes."""


@kernel
def dot(a, b):
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def plus(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def times(s, a):
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def along(a, s, b):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def part_across(a, z):
    """The part of a that is perpendicular to the unit vector z. Projected twice: where it is small, round-off along z stays."""
    once = along(a, -dot(a, z), z)
    return along(once, -dot(once, z), z)


@kernel
def length(a):
    """|a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def unit(a):
    """a / |a|; the x axis if |a| is not within 1e-150 … 1e150."""
    s = length(a)
    if not 1e-150 < s < 1e150:
        return (1.0, 0.0, 0.0)
    return (a[0] / s, a[1] / s, a[2] / s)


@kernel
def perpendicular(a):
    """A unit vector perpendicular to the unit vector a."""
    x, y, z = abs(a[0]), abs(a[1]), abs(a[2])
    if x <= y and x <= z:
        return unit((0.0, -a[2], a[1]))
    if y <= z:
        return unit((a[2], 0.0, -a[0]))
    return unit((-a[1], a[0], 0.0))


@kernel
def turned(R, a):
    """R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@kernel
def turned_back(R, a):
    """Rᵀ a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@kernel
def to_world(R, x, p):
    """x + R p: the point p of a body at x (3,), R (3, 3)."""
    return (
        x[0] + R[0, 0] * p[0] + R[0, 1] * p[1] + R[0, 2] * p[2],
        x[1] + R[1, 0] * p[0] + R[1, 1] * p[1] + R[1, 2] * p[2],
        x[2] + R[2, 0] * p[0] + R[2, 1] * p[1] + R[2, 2] * p[2],
    )


@kernel
def dot_six(a, b):
    """a · b of six numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def three(a):
    """An array (3,) as a vector."""
    return (a[0], a[1], a[2])


@kernel
def row(array, i):
    """Row i of an array (n, 3)."""
    return (array[i, 0], array[i, 1], array[i, 2])


@kernel
def matrix(array):
    """An array (3, 3) as nine numbers."""
    return (
        array[0, 0], array[0, 1], array[0, 2],
        array[1, 0], array[1, 1], array[1, 2],
        array[2, 0], array[2, 1], array[2, 2],
    )  # fmt: skip


@kernel
def put(array, i, a):
    """Set row i of an array (n, 3) to a."""
    array[i, 0], array[i, 1], array[i, 2] = a[0], a[1], a[2]


@kernel
def put_vector(array, a):
    """Set an array (3,) to a."""
    array[0], array[1], array[2] = a[0], a[1], a[2]


@kernel
def put_matrix(array, a):
    """Set an array (3, 3) to nine numbers."""
    for r in range(3):
        array[r, 0], array[r, 1], array[r, 2] = a[3 * r], a[3 * r + 1], a[3 * r + 2]
