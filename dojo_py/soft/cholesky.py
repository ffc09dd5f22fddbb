"""Dense H = L^T L, eliminated from the last dof to the first, so that zeros between branches of the tree stay zeros."""

import numpy as np

from dojo_py.jit import kernel


@kernel
def factorize_dense(H):
    """Factor the lower triangle of H (n, n) in place; returns False if H is not positive definite."""
    for k in range(len(H) - 1, -1, -1):
        d = H[k, k]
        if not d > 1e-300:
            return False
        d = np.sqrt(d)
        H[k, k] = d
        inverse = 1.0 / d
        for j in range(k):
            H[k, j] *= inverse
        for i in range(k):
            s = H[k, i]
            if s != 0.0:
                for j in range(i + 1):
                    H[i, j] -= s * H[k, j]
    return True


@kernel
def solve_dense(L, b, x):
    """X (n,) = (L^T L)^-1 b; b is left as it is."""
    n = len(L)
    for k in range(n):
        x[k] = b[k]
    for k in range(n - 1, -1, -1):
        s = x[k] / L[k, k]
        x[k] = s
        if s != 0.0:
            for j in range(k):
                x[j] -= L[k, j] * s
    for k in range(n):
        s = x[k]
        for j in range(k):
            s -= L[k, j] * x[j]
        x[k] = s / L[k, k]


@kernel
def rank_one(L, x, sign):
    """Factor of L^T L + sign x x^T, in place; x (n,) is used up. Returns False if the result is not positive definite."""
    for k in range(len(L) - 1, -1, -1):
        xk = x[k]
        if xk == 0.0:
            continue
        d = L[k, k]
        r = d * d + sign * xk * xk
        if not r > 1e-14 * d * d:
            return False
        r = np.sqrt(r)
        c, s = r / d, xk / d
        L[k, k] = r
        inverse = 1.0 / c
        for j in range(k):
            L[k, j] = (L[k, j] + sign * s * x[j]) * inverse
            x[j] = c * x[j] - s * L[k, j]
    return True
