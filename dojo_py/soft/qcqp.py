"""min 1/2 y^T A y + b^T y subject to sum (y_j / mu_j)^2 <= r^2, up to five unknowns: the friction of one elliptic contact.

With z = y / mu the constraint is a ball; the multiplier of the active constraint is found by Newton's method on |z| = r.
Arguments: A (5, 5), b, mu, y (5,), of which n numbers count.
Source: computation chapter, "Algorithms" (PGS with elliptic cones).
"""

import numpy as np

from dojo_py.jit import kernel

SINGULAR = 1e-10
"""Determinant, pivot or step below which `friction_of_singular` ends."""


@kernel
def solve_shifted(A, shift, b, n, L, x):
    """x (n,) = -(A + shift)^-1 b by Cholesky; L (5, 5) scratch. Returns False if not positive definite."""
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j] + (shift if i == j else 0.0)
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                if s < 1e-14:
                    return False
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    substitute(L, b, n, x)
    return True


@kernel
def substitute(L, b, n, x):
    """x (n,) = -(L L^T)^-1 b."""
    for i in range(n):
        s = -b[i]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= L[k, i] * x[k]
        x[i] = s / L[i, i]


@kernel
def scale(A, b, mu, n, S, c):
    """The problem of z = y / mu: S (n, n) and c (n,), whose bound is a ball."""
    for i in range(n):
        c[i] = b[i] * mu[i]
        for j in range(n):
            S[i, j] = A[i, j] * mu[i] * mu[j]


@kernel
def squared_slope(L, z, n, d):
    """|L^-1 z|^2: -1/2 of the derivative of |z|^2 by the shift; z, d (n,), d: scratch."""
    slope = 0.0
    for i in range(n):
        s = z[i]
        for k in range(i):
            s -= L[i, k] * d[k]
        d[i] = s / L[i, i]
        slope += d[i] * d[i]
    return slope


@kernel
def friction_step(A, b, mu, r, n, work, y):
    """y (n,) = the minimiser; A (n, n), b (n,), mu (n,), work (3, 5, 5) scratch."""
    S, L = work[0], work[1]
    c, d = work[2, 0], work[2, 1]
    scale(A, b, mu, n, S, c)
    shift = 0.0
    for _ in range(50):
        if not solve_shifted(S, shift, c, n, L, y):
            for i in range(n):
                y[i] = 0.0
            return
        norm2 = 0.0
        for i in range(n):
            norm2 += y[i] * y[i]
        excess = norm2 - r * r
        if excess <= 1e-14 * r * r:  # inside (shift 0), or on the boundary
            break
        # d|z|^2/dshift = -2 z^T (S + shift)^-1 z = -2 |L^-1 z|^2; Newton on 1/|z| - 1/r, which is nearly linear
        slope = squared_slope(L, y, n, d)
        norm = np.sqrt(norm2)
        step = (norm - r) / r * norm2 / slope
        if step < 1e-15 * shift:
            break
        shift += step
    for i in range(n):
        y[i] *= mu[i]


@kernel
def friction_of_singular(A, b, mu, r, n, work, y):
    """As `friction_step`, for A that may be singular: then y = 0. Returns whether the constraint is active.

    Newton's method on |z|^2 = r^2 for the multiplier, at most 20 steps, ended where the wheel ends it: by the determinant for two
    and three unknowns, by the least pivot for more, by absolute changes of 1e-10.
    """
    S, L = work[0], work[1]
    c, d = work[2, 0], work[2, 1]
    scale(A, b, mu, n, S, c)
    shift = 0.0
    for _ in range(20):
        if not is_regular(S, shift, n, L):
            for i in range(n):
                y[i] = 0.0
            return False
        substitute(L, c, n, y)
        excess = -r * r
        for i in range(n):
            excess += y[i] * y[i]
        if excess < SINGULAR:
            break
        slope = squared_slope(L, y, n, d)
        step = excess / (2.0 * slope)
        if step < SINGULAR:
            break
        shift += step
    for i in range(n):
        y[i] *= mu[i]
    return shift != 0.0


@kernel
def is_regular(S, shift, n, L):
    """Whether S + shift (n, n) counts as positive definite. L (5, 5): scratch."""
    determinant = 1.0
    for j in range(n):
        pivot = S[j, j] + shift
        for k in range(j):
            pivot -= L[j, k] * L[j, k]
        if pivot <= 0.0 or (n > 3 and pivot < SINGULAR):
            return False
        determinant *= pivot
        L[j, j] = np.sqrt(pivot)
        for i in range(j + 1, n):
            s = S[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    return n > 3 or determinant >= SINGULAR
