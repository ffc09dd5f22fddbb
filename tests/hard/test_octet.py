"""Eight doubles at a time against numpy, compiled and in plain Python."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba.core.errors import TypingError

from dojo_py.jit import compiling, entry
from dojo_py.solver.octet import WIDTH, aligned, clear_block, combine, factors, load, minus, most, plus, store, times, whole


@entry
def apply(A, w, out):
    """One row of out for each operation."""
    a, b = load(A, 0, 1), load(A, 1, 2)
    store(minus(a, w[0], b), out, 0, 0)
    store(plus(a, w[1], b), out, 1, 0)
    store(times(a, w[2]), out, 2, 0)
    store(most(a, b), out, 3, 0)
    store(combine(A, w), out, 4, 0)


@entry
def lu(A, swap):
    """`factors` for Python."""
    return factors(A, swap)


@entry
def clear(A):
    """As kernels do."""
    clear_block(A)


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
    assert np.array_equal(out[3], np.maximum(a, np.abs(b)))
    assert np.abs(out[4] - w @ A[:, :8]).max() < 1e-14


@pytest.mark.parametrize("shape, kind", [((3, 6, WIDTH), float), (5, np.int64), ((2, 3), np.int8)])
def test_arrays_that_begin_with_a_cache_line(shape, kind):
    x = aligned(shape, kind)
    assert x.ctypes.data % 64 == 0 and x.flags.c_contiguous and x.flags.writeable
    assert x.dtype == kind and np.array_equal(x, np.zeros(shape, kind))
    assert aligned((0, 6, WIDTH), kind).shape == (0, 6, WIDTH)


def test_factors():
    rng = np.random.default_rng(3)
    for case in range(50):
        A, swap = np.zeros((6, WIDTH)), np.zeros(6, np.int64)
        A[:, :6] = rng.normal(size=(6, 6)) * 10.0 ** rng.uniform(-4, 4, (6, 1))
        F = A.copy()
        smallest, rows = lu(F, swap), A[:, :6].copy()
        for k in range(6):
            rows[[k, swap[k]]] = rows[[swap[k], k]]
        L, pivots, U = np.tril(F[:, :6], -1) + np.eye(6), np.diag(F), np.triu(F[:, :6], 1) + np.eye(6)
        assert np.abs(L @ np.diag(pivots) @ U - rows).max() < 1e-13 * np.abs(rows).max(), case
        assert smallest == np.abs(pivots).min() and np.array_equal(F[:, 6], 1.0 / pivots) and not F[:, 7].any()
        assert np.abs(L).max() <= 1.0


def test_a_singular_block_has_no_factors():
    A = np.zeros((6, WIDTH))
    A[:, :6] = np.outer(np.arange(1.0, 7.0), np.ones(6))
    assert lu(A, np.zeros(6, np.int64)) == 0.0
    assert lu(np.full((6, WIDTH), np.nan), np.zeros(6, np.int64)) == 0.0


def test_blocks_are_cleared():
    A = np.full((3, 2 * WIDTH), np.nan)
    clear(A)
    assert not A.any()


def test_plain_python_gives_the_same_bits():
    A, w, out = operands()
    apply(A, w, out)
    F, swap = A[:, 1:9].copy(), np.zeros(6, np.int64)
    lu(F, swap)
    code = """import numpy as np, test_octet as t; A, w, out = t.operands(); t.apply(A, w, out)
F, swap = A[:, 1:9].copy(), np.zeros(6, np.int64); t.lu(F, swap); print(out.tobytes().hex(), F.tobytes().hex(), *swap)"""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=os.path.dirname(__file__), env=env, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == [out.tobytes().hex(), F.tobytes().hex(), *map(str, swap)]


def test_infinities_stay_in_their_entries():
    A, w, out = operands()
    A[0, 1], A[1, 9] = np.inf, np.nan
    apply(A, w, out)
    assert np.isfinite(out[:4, 1:7]).all()
    assert out[3, 7] == A[0, 8], "what is no number is not the larger of two"


@pytest.mark.skipif(not compiling(), reason="plain Python takes any array")
def test_rows_that_are_not_contiguous_are_refused():
    A, w, out = operands()
    with pytest.raises(TypingError, match="C order"):
        apply(A[:, ::-1], w, out)


PLAIN = """
import numpy as np, dojo_py
model = dojo_py.load_model("humanoid")
sim = dojo_py.HardSimulator(model, timestep=0.01)
end = sim.step(sim.initial_state(keyframe="home"), np.full(model.nu, 0.1), kappa=KAPPA)
print(int(end.status), end.iterations, end.state.qvel.tobytes().hex())
"""


@pytest.mark.parametrize("kappa", [pytest.param("None", marks=pytest.mark.slow), "3e-4"])
def test_a_hard_step_in_plain_python(kappa):
    """A humanoid, several hinges a body: as many iterations and the same motion. Measured: the same bits."""
    found = []
    for disabled in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        run = subprocess.run(
            [sys.executable, "-c", PLAIN.replace("KAPPA", kappa)], env=env, capture_output=True, text=True, check=True
        )
        status, iterations, velocities = run.stdout.split()
        found.append((int(status), float(iterations), np.frombuffer(bytes.fromhex(velocities))))
    (status, iterations, compiled), plain = found
    print(f"κ {kappa}: {iterations:g} iterations, {np.abs(compiled - plain[2]).max():.1e} rad/s apart")
    assert status == plain[0] == 0 and iterations == plain[1]
    assert np.abs(compiled - plain[2]).max() < 1e-10


@pytest.mark.parametrize(("columns", "rounded"), [(0, 8), (1, 8), (8, 8), (9, 16)])
def test_whole_octets(columns, rounded):
    assert whole(columns) == rounded
