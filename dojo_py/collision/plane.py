"""A point of a body against a fixed plane: gap and contact point, as functions of the body's pose.

    gap = n · (x + R p) - r - offset,      contact point  x + R (p - r n_b),  n_b = Rᵀ n
    p fixed (ball of radius r about p), or  p = p_c - M n_b / sqrt(n_bᵀ M n_b)  (lowest point of an ellipsoid, r = 0)

M = A diag(a², b², c²) Aᵀ for an ellipsoid with axes A (columns, body frame) and half axes a, b, c.
"""

import math

from dojo_py.jit import kernel


@kernel
def touching_point(nb, centre, curved, M, p, P):
    """Write p (3,) and its derivative P (3, 3) with respect to n_b; nb, centre (3,): body frame [m]."""
    if not curved:
        for i in range(3):
            p[i] = centre[i]
            for j in range(3):
                P[i, j] = 0.0
        return
    m0 = M[0, 0] * nb[0] + M[0, 1] * nb[1] + M[0, 2] * nb[2]
    m1 = M[1, 0] * nb[0] + M[1, 1] * nb[1] + M[1, 2] * nb[2]
    m2 = M[2, 0] * nb[0] + M[2, 1] * nb[1] + M[2, 2] * nb[2]
    s = 1.0 / math.sqrt(m0 * nb[0] + m1 * nb[1] + m2 * nb[2])
    p[0] = centre[0] - m0 * s
    p[1] = centre[1] - m1 * s
    p[2] = centre[2] - m2 * s
    c = s * s * s
    P[0, 0] = c * m0 * m0 - s * M[0, 0]
    P[1, 1] = c * m1 * m1 - s * M[1, 1]
    P[2, 2] = c * m2 * m2 - s * M[2, 2]
    P[0, 1] = P[1, 0] = c * m0 * m1 - s * M[0, 1]
    P[0, 2] = P[2, 0] = c * m0 * m2 - s * M[0, 2]
    P[1, 2] = P[2, 1] = c * m1 * m2 - s * M[1, 2]


@kernel
def reach_of(M):
    """Upper bound of the distance of p from the centre [m]: no half axis is longer than sqrt(trace M)."""
    return math.sqrt(M[0, 0] + M[1, 1] + M[2, 2])
