"""Aᵀ X = B for many right-hand sides at once, on the factors of block_ldu.py:  A = (I + L D⁻¹) D (I + E).

    forward    x_j ← x_j - E_ijᵀ x_i               for the later neighbours j of i
    backward   x_i ← D_i⁻ᵀ (x_i - Σ_j L_jiᵀ x_j)
"""

from dojo_py.jit import kernel


@kernel
def _subtract_transposed(A, y, x):
    """x (6, m) -= Aᵀ y. A (6, 8), y (6, m)."""
    for r in range(6):
        a0, a1, a2, a3, a4, a5 = A[0, r], A[1, r], A[2, r], A[3, r], A[4, r], A[5, r]
        for c in range(x.shape[1]):
            x[r, c] -= a0 * y[0, c] + a1 * y[1, c] + a2 * y[2, c] + a3 * y[3, c] + a4 * y[4, c] + a5 * y[5, c]


@kernel
def _apply_pivot_transposed(A, swap, x):
    """x (6, m) becomes A⁻ᵀ x, A and swap from the factorisation; column 6 of A holds the inverse pivots."""
    m = x.shape[1]
    for i in range(6):
        for k in range(i):
            f = A[k, i]
            for c in range(m):
                x[i, c] -= f * x[k, c]
        f = A[i, 6]
        for c in range(m):
            x[i, c] *= f
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            f = A[k, i]
            for c in range(m):
                x[i, c] -= f * x[k, c]
    for k in range(5, -1, -1):
        row = swap[k]
        if row != k:
            for c in range(m):
                x[k, c], x[row, c] = x[row, c], x[k, c]


@kernel
def solve_transposed_rows(pattern, blocks, x):
    """Solve Aᵀ X = B with the factors; x (N, 6, m) holds B on entry."""
    start, column = pattern.start, pattern.column
    n = x.shape[0]
    for i in range(n):
        for b in range(start[i], start[i + 1]):
            _subtract_transposed(blocks.E[b], x[i], x[column[b]])
    for i in range(n - 1, -1, -1):
        for b in range(start[i], start[i + 1]):
            _subtract_transposed(blocks.L[b], x[column[b]], x[i])
        _apply_pivot_transposed(blocks.D[i], blocks.swap[i], x[i])
