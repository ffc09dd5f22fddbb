"""Arrays in kernels that count no references: small ones on the stack, matrices within others; compiled and interpreted."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from dojo_py.arrays import clear, clear_rows, inner, scratch, square, zeros
from dojo_py.compiler import compiling
from dojo_py.jit import entry, kernel


@kernel
def sums(x, out):
    total, table, row = zeros(3), zeros((2, 3)), scratch(3)
    for i in range(x.shape[0]):
        for k in range(3):
            row[k] = x[i, k] + 1.0
            total[k] += row[k]
            table[1, k] += 2.0 * row[k]
    for k in range(3):
        out[0, k], out[1, k], out[2, k] = total[k], table[0, k], table[1, k]


@entry
def run_sums(x, out):
    for _ in range(2):  # (zero again the second time)
        sums(x, out)


@entry
def run_square(memory, start, n):
    A = square(memory, start, n)
    A[n - 1, 0] = 7.0
    return A[0, n - 1], A.shape[0] * A.shape[1]


@entry
def run_clear(a, b):
    found = inner(a, a)
    clear(a)
    clear_rows(b)
    return found


def test_small_arrays_begin_at_zero_each_time():
    x, out = np.arange(12.0).reshape(4, 3), np.full((3, 3), np.nan)
    run_sums(x, out)
    assert np.array_equal(out[0], (x + 1).sum(axis=0)) and not out[1].any() and np.array_equal(out[2], 2 * out[0])


def test_a_matrix_within_an_array_is_a_view():
    memory = np.arange(25.0).reshape(5, 5)
    assert run_square(memory, 4, 3) == (6.0, 9)
    assert memory.reshape(-1)[10] == 7.0


def test_cleared_and_multiplied():
    a, b = np.arange(4.0), np.ones((2, 2))
    assert run_clear(a, b) == 14.0 and not a.any() and not b.any()


@pytest.mark.skipif(not compiling(), reason="nothing is compiled: NUMBA_DISABLE_JIT")
def test_a_size_that_only_the_run_knows_is_refused():
    @entry
    def unknown(n):
        return scratch(n)[0]

    with pytest.raises(TypingError, match="written out"):
        unknown(3)
