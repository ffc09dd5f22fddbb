"""Structs that kernels take in place of groups of arrays: written word by word as numba lays them out."""

import gc
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from dojo_py.compiler import compiling
from dojo_py.handles import handle
from dojo_py.jit import entry

pytestmark = pytest.mark.skipif(not compiling(), reason="nothing is compiled: NUMBA_DISABLE_JIT")


class Inner(NamedTuple):
    table: np.ndarray
    count: int


class Outer(NamedTuple):
    x: np.ndarray
    index: int
    number: float
    inner: Inner
    records: np.ndarray
    empty: np.ndarray


@entry
def _read_and_write(group):
    group.x[1] += group.number
    group.inner.table[0, 1] = group.index
    sizes = group.inner.count, group.x.shape[0], group.inner.table.shape[1], group.empty.shape[1]
    return sizes, group.inner.table.sum(), group.records[2].mass


def _group():
    records = np.zeros(3, [("name", np.int64), ("mass", float)])
    records["mass"] = 1, 2, 3
    return Outer(np.zeros(3), -4, 2.5, Inner(np.zeros((2, 5)), 7), records, np.zeros((0, 6)))


def test_kernels_share_memory_with_the_arrays():
    group = _group()
    made = handle(group)
    gc.collect()
    assert _read_and_write(made) == ((7, 3, 5, 6), -4.0, 3.0)
    assert group.x.tolist() == [0, 2.5, 0] and group.inner.table[0, 1] == -4


def test_arrays_live_as_long_as_the_struct_and_no_longer():
    import weakref

    group = _group()
    gone = weakref.ref(group.inner.table)
    made = handle(group)
    del group
    gc.collect()
    for _ in range(100):
        _read_and_write(made)
    assert made._meminfo.refcount == 1 and gone() is not None
    del made
    gc.collect()
    assert gone() is None


def test_a_handle_can_be_a_field_of_another():
    group = _group()
    inner = handle(group.inner)
    assert _read_and_write(handle(group._replace(inner=inner)))[0][0] == 7


def test_truth_values_are_refused():
    with pytest.raises(TypeError, match="integer"):
        handle(Inner(np.zeros((1, 1)), True))


def test_the_plain_way_of_compiling_gives_the_same(tmp_path):
    """With versions of numba that CI does not try, its own passes compile the kernels."""
    program = """
import numpy as np
from typing import NamedTuple
from dojo_py.compiler import REPLACED
from dojo_py.handles import handle
from dojo_py.jit import entry, kernel

class Group(NamedTuple):
    x: np.ndarray
    scale: float

@kernel
def scaled(group, i):
    return group.scale * group.x[i]

@entry
def total(group):
    found = 0.0
    for i in range(len(group.x)):
        found += scaled(group, i)
    return found

print(REPLACED, total(handle(Group(np.arange(4.0), 0.5))))
"""
    (tmp_path / "plain.py").write_text(program)
    said = [
        subprocess.run(
            [sys.executable, str(tmp_path / "plain.py")],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / plain), "DOJO_PY_PLAIN_NUMBA": plain},
        ).stdout  # fmt: skip
        for plain in ("", "1")
    ]
    assert said[0].endswith(" 3.0\n") and said[1] == "False 3.0\n"
