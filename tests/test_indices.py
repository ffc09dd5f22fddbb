"""Indices in kernels: from the end in most rooms, as in numba; checked or as they are in those of indices.ROOMS."""

import os
import subprocess
import sys

import pytest

from dojo_py.compiler import REPLACED, compiling
from dojo_py.indices import ROOMS

pytestmark = pytest.mark.skipif(not (compiling() and REPLACED), reason="numba compiles its own way")

PROGRAM = """
import sys

import numpy as np

from dojo_py.jit import entry, kernel


def at(x, i):
    return x[i]


def last(x):
    return x[-1]


def rooms_kernel(function, room):
    function.__module__ = room
    return kernel(function)


at_run_time, written = rooms_kernel(at, sys.argv[1]), rooms_kernel(last, sys.argv[1])


@entry
def ask(x, i):
    return at_run_time(x, i), written(x)


print(ask(np.arange(5.0)[1:], int(sys.argv[2])))
"""


def said(tmp_path, room, index, checked):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / f"{room}{checked}"), "NUMBA_BOUNDSCHECK": str(int(checked))}
    command = [sys.executable, str(tmp_path / "program.py"), room, str(index)]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("room", [f"dojo_py.{name}.odd" for name in ROOMS])
def test_what_is_known_at_run_time_counts_from_the_start(tmp_path, room):
    """The number before the view (1, 2, 3, 4) of (0, 1, 2, 3, 4) is 0; a written -1 is the last one."""
    assert said(tmp_path, room, -1, False).stdout == "(0.0, 4.0)\n"
    assert said(tmp_path, room, 2, True).stdout == "(3.0, 4.0)\n"
    assert "IndexError" in said(tmp_path, room, -1, True).stderr


def test_other_rooms_count_from_the_end(tmp_path):
    assert said(tmp_path, "dojo_py.planning.odd", -1, True).stdout == "(4.0, 4.0)\n"
