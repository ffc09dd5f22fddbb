"""Transposed solves with many right-hand sides against numpy on the dense matrix."""

import numpy as np

from dojo_py.jit import entry
from dojo_py.solver.block_ldu import Blocks, Pattern, allocate, analyse, factorise
from dojo_py.solver.transposed_rows import solve_transposed_rows


@entry
def solve(pattern, blocks, x):
    pattern, blocks = Pattern(*pattern), Blocks(*blocks)
    regular = factorise(pattern, blocks) < 0
    solve_transposed_rows(pattern, blocks, x)
    return regular


def test_transposed_rows():
    """A random graph of nine nodes with fill-in. Measured 1e-13."""
    rng, n = np.random.default_rng(0), 9
    edges = np.array([(i, j) for i in range(n) for j in range(i + 1, n) if j == n - 1 or rng.random() < 0.3])
    pattern, blocks = allocate(n, n * n)
    analyse(edges, len(edges), pattern)
    dense = np.zeros((n, 6, n, 6))
    for i in range(n):
        blocks.D[i, :, :6] = dense[i, :, i] = rng.normal(size=(6, 6)) + 3.0 * np.eye(6)
    for i, j in edges:
        b = pattern.block_of[i, j]
        blocks.U[b, :, :6] = dense[i, :, j] = rng.normal(size=(6, 6))
        blocks.L[b, :, :6] = dense[j, :, i] = rng.normal(size=(6, 6))
    x = rng.normal(size=(n, 6, 16))
    expected = np.linalg.solve(dense.reshape(6 * n, 6 * n).T, x.reshape(6 * n, 16))
    assert solve(tuple(pattern), tuple(blocks), x)
    assert np.abs(x.reshape(6 * n, 16) - expected).max() < 1e-10 * np.abs(expected).max()
