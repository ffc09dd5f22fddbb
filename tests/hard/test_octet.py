"""Eight doubles at a time against numpy, compiled and in plain Python."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core.errors import TypingError

from dojo_py.jit import entry
from dojo_py.solver.octet import WIDTH, beyond, combine, load, minus, most, plus, store, times, whole


@entry
def apply(A, w, out):
    """One row of out for each operation."""
    a, b = load(A, 0, 1), load(A, 1, 2)
    store(minus(a, w[0], b), out, 0, 0)
    store(plus(a, w[1], b), out, 1, 0)
    store(times(a, w[2]), out, 2, 0)
    store(beyond(a, b, 2), out, 3, 0)
    store(most(a, b), out, 4, 0)
    store(combine(A, w), out, 5, 0)


def operands():
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, WIDTH + 2)), rng.normal(size=6), np.zeros((6, WIDTH))


def test_operations():
    A, w, out = operands()
    apply(A, w, out)
    a, b = A[0, 1:9], A[1, 2:10]
    assert np.array_equal(out[0], a - w[0] * b)
    assert np.array_equal(out[1], a + w[1] * b)
    assert np.array_equal(out[2], w[2] * a)
    assert np.array_equal(out[3], np.concatenate([a[:3], b[3:]]))
    assert np.array_equal(out[4], np.maximum(a, np.abs(b)))
    assert np.abs(out[5] - w @ A[:, :8]).max() < 1e-14


def test_plain_python_gives_the_same_bits():
    A, w, out = operands()
    apply(A, w, out)
    code = "import test_octet as t; x = t.operands(); t.apply(*x); print(x[2].tobytes().hex())"
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=os.path.dirname(__file__), env=env, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == out.tobytes().hex()


def test_rows_that_are_not_contiguous_are_refused():
    A, w, out = operands()
    with pytest.raises(TypingError, match="C order"):
        apply(A[:, ::-1], w, out)


@pytest.mark.parametrize(("columns", "rounded"), [(0, 8), (1, 8), (8, 8), (9, 16)])
def test_whole_octets(columns, rounded):
    assert whole(columns) == rounded
