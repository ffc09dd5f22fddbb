"""Solve Aᵀ X = B for many right-hand sides at once, on the factors of block_ldu.py:  A = (I + L D⁻¹) D (I + E).

forward    x_j ← x_j - E_ijᵀ x_i               for the later neighbours j of i
backward   x_i ← D_i⁻ᵀ (x_i - Σ_j L_jiᵀ x_j)
"""

from dojo_py.jit import kernel
from dojo_py.solver.octet import WIDTH, load, minus, store, times


@kernel
def _subtract_transposed(A, y, x, j):
    """Columns j … j + 7 of x -= Aᵀ y. A (6, 8), x, y (6, m)."""
    y0, y1, y2, y3, y4, y5 = load(y, 0, j), load(y, 1, j), load(y, 2, j), load(y, 3, j), load(y, 4, j), load(y, 5, j)
    for r in range(6):
        o = minus(minus(minus(load(x, r, j), A[0, r], y0), A[1, r], y1), A[2, r], y2)
        store(minus(minus(minus(o, A[3, r], y3), A[4, r], y4), A[5, r], y5), x, r, j)


@kernel
def _apply_pivot_transposed(A, swap, x, j):
    """Columns j … j + 7 of x (6, m) become A⁻ᵀ x, A and swap from the factorisation."""
    for i in range(6):
        row = load(x, i, j)
        for k in range(i):
            row = minus(row, A[k, i], load(x, k, j))
        store(row, x, i, j)
    for i in range(5, -1, -1):
        row = times(load(x, i, j), A[i, 6])
        for k in range(i + 1, 6):
            row = minus(row, A[k, i], load(x, k, j))
        store(row, x, i, j)
    for k in range(5, -1, -1):
        other = swap[k]
        if other != k:
            upper, lower = load(x, k, j), load(x, other, j)
            store(lower, x, k, j)
            store(upper, x, other, j)


@kernel
def solve_transposed_rows(pattern, blocks, x):
    """Solve Aᵀ X = B with the factors; x (N, 6, m) holds B on entry, m a multiple of 8."""
    start, stop, column, order = pattern.start, pattern.stop, pattern.column, pattern.order
    n, m = x.shape[0], x.shape[2]
    for p in range(n):
        i = order[p]
        for b in range(start[i], stop[i]):
            for j in range(0, m, WIDTH):
                _subtract_transposed(blocks.E[b], x[i], x[column[b]], j)
    for p in range(n - 1, -1, -1):
        i = order[p]
        for b in range(start[i], stop[i]):
            for j in range(0, m, WIDTH):
                _subtract_transposed(blocks.L[b], x[column[b]], x[i], j)
        for j in range(0, m, WIDTH):
            _apply_pivot_transposed(blocks.D[i], blocks.swap[i], x[i], j)
