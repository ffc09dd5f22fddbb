"""Functions that kernels call by their address, compiled apart from them."""

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from dojo_py.by_address import ADDRESSES, Apart, call_apart
from dojo_py.compiler import compiling
from dojo_py.handles import handle
from dojo_py.jit import entry, kernel

NUMBER = len(ADDRESSES) - 1


class Group(NamedTuple):
    table: np.ndarray
    factor: float


def scaled_sum(G, row, i, x):
    """factor · (Σ row + i) + x; the last entry of the table is written."""
    total = 0.0
    for k in range(row.shape[0]):
        total += row[k]
    G.table[-1, -1] = total
    return G.factor * (total + i) + x


APART = Apart(NUMBER, scaled_sum, "sums")


@kernel
def _ask(addresses, G, t, i, x):
    return call_apart(addresses, NUMBER, (G, G.table[t], i, x))


@entry
def ask(addresses, G, t, i, x):
    return _ask(addresses, G, t, i, x)


def test_a_function_compiled_apart_gets_structs_rows_and_numbers():
    G = Group(np.arange(6.0).reshape(2, 3), 2.0)
    APART.load(handle(G), G.table[0], 0, 0.0)
    assert ask(ADDRESSES, handle(G), 1, 7, 0.25) == 2.0 * (3.0 + 4.0 + 5.0 + 7.0) + 0.25
    assert G.table[1, 2] == 12.0
    assert (ADDRESSES[NUMBER] != 0) == compiling()


@pytest.mark.skipif(not compiling(), reason="nothing is compiled: NUMBA_DISABLE_JIT")
def test_a_number_that_another_function_has_is_refused():
    """It would be called in that one's place."""
    Apart(NUMBER, scaled_sum, "tests")
    with pytest.raises(ValueError, match=f"number {NUMBER} of another is that of scaled_sum"):
        Apart(NUMBER, another, "tests")


def another(x):
    return x


def test_other_types_than_it_was_compiled_for_are_refused():
    G = Group(np.arange(6.0).reshape(2, 3), 2.0)
    APART.load(handle(G), G.table[0], 0, 0.0)
    with pytest.raises(TypeError, match="compiled for"):
        APART.load(handle(G), G.table, 0, 0.0)


NEEDED = """
import dojo_py
from dojo_py.by_address import Apart
from dojo_py.hard.compiled_apart import DERIVATIVES, PAIRS

needed = set()
Apart.load = lambda self, *arguments: needed.add(self.number)


def use(model, gradients):
    needed.clear()
    sim = dojo_py.HardSimulator(dojo_py.load_model(model))
    state, control = sim.initial_state(), [0.0] * sim.model.nu
    sim.step(state, control)
    if gradients:
        sim.linearize(state, control)
    return needed


assert use("box", False) == set()
assert use("box", True) == {DERIVATIVES}
assert use("half_cheetah", False) == {PAIRS}
"""


def test_only_what_a_model_and_a_task_need_is_loaded():
    """In plain Python, where it compiles nothing."""
    subprocess.run([sys.executable, "-c", NEEDED], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
