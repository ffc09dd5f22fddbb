"""Dense H = L^T L, eliminated from the last dof to the first, so that zeros between branches of the tree stay zeros.

So do those before a row's first number, at begin[k]: no loop reaches them (an envelope: George and Liu 1981, ch. 4).
Arguments: H or its factor L (n, n), begin, b, x (n,).
"""

import numpy as np

from dojo_py.jit import kernel


@kernel
def first_number(row):
    """Where a row (n,) that is not zero begins."""
    j = 0
    while row[j] == 0.0:
        j += 1
    return j


@kernel
def factorize_dense(H, begin):
    """Factor the lower triangle of H (n, n) in place, fill begin (n,); returns False if H is not positive definite."""
    for k in range(len(H) - 1, -1, -1):
        d = H[k, k]
        if not d > 1e-300:
            return False
        d = np.sqrt(d)
        H[k, k] = d
        inverse = 1.0 / d
        first = first_number(H[k])
        begin[k] = first
        for j in range(first, k):
            H[k, j] *= inverse
        for i in range(first, k):
            s = H[k, i]
            if s != 0.0:
                for j in range(first, i + 1):
                    H[i, j] -= s * H[k, j]
    return True


@kernel
def row_product(L, k, first, x):
    """Σ L[k, j] x[j], first <= j < k, as four sums: an addition waits for the one before it."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    j = first
    while j + 3 < k:
        a += L[k, j] * x[j]
        b += L[k, j + 1] * x[j + 1]
        c += L[k, j + 2] * x[j + 2]
        d += L[k, j + 3] * x[j + 3]
        j += 4
    while j < k:
        a += L[k, j] * x[j]
        j += 1
    return (a + b) + (c + d)


@kernel
def solve_dense(L, begin, b, x):
    """X (n,) = (L^T L)^-1 b; b is left as it is."""
    n = len(L)
    for k in range(n):
        x[k] = b[k]
    for k in range(n - 1, -1, -1):
        s = x[k] / L[k, k]
        x[k] = s
        if s != 0.0:
            for j in range(begin[k], k):
                x[j] -= L[k, j] * s
    for k in range(n):
        x[k] = (x[k] - row_product(L, k, begin[k], x)) / L[k, k]


@kernel
def rank_one(L, begin, x, sign):
    """Factor of L^T L + sign x x^T, in place; x (n,) is used up. Returns False if the result is not positive definite."""
    first = len(L)
    for k in range(len(L) - 1, -1, -1):
        if x[k] != 0.0:
            first = k
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
        first = min(first, begin[k])
        begin[k] = first
        for j in range(first, k):
            L[k, j] = (L[k, j] + sign * s * x[j]) * inverse
            x[j] = c * x[j] - s * L[k, j]
    return True
