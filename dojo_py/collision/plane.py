"""A point of a body against a fixed plane: gap and contact point, as functions of the body's pose.

    gap = n · (x + R p) - r - offset,      contact point  x + R (p - r n_b),  n_b = Rᵀ n
    p fixed (ball of radius r about p), or  p = p_c - M n_b / sqrt(n_bᵀ M n_b)  (lowest point of an ellipsoid, r = 0)

M = A diag(a², b², c²) Aᵀ for an ellipsoid with axes A (columns, body frame) and half axes a, b, c.
"""

import math

from dojo_py.algebra.vectors import matrix, turned
from dojo_py.jit import kernel


@kernel
def touching_point(n, centre, M):
    """p [m] of an ellipsoid and its derivative by n = n_b, nine numbers. n, centre: body frame; M (3, 3) [m²].

    ∂p/∂n = (M n) (M n)ᵀ / s³ - M / s,   s = √(nᵀ M n)
    """
    m = turned(matrix(M), n)
    s = 1.0 / math.sqrt(m[0] * n[0] + m[1] * n[1] + m[2] * n[2])
    c = s * s * s
    xy, xz, yz = c * m[0] * m[1] - s * M[0, 1], c * m[0] * m[2] - s * M[0, 2], c * m[1] * m[2] - s * M[1, 2]
    by_n = (
        c * m[0] * m[0] - s * M[0, 0], xy, xz,
        xy, c * m[1] * m[1] - s * M[1, 1], yz,
        xz, yz, c * m[2] * m[2] - s * M[2, 2],
    )  # fmt: skip
    return (centre[0] - m[0] * s, centre[1] - m[1] * s, centre[2] - m[2] * s), by_n


@kernel
def square_of(M):
    """a² + b² + c² [m²]."""
    return M[0, 0] + M[1, 1] + M[2, 2]


@kernel
def reach_of(M):
    """Upper bound of the distance of p from the centre [m]: no half axis is longer."""
    return math.sqrt(square_of(M))
