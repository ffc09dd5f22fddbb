"""Indices in kernels: from the end in most rooms, as in numba; checked or as they are in those of indices.ROOMS."""

import os
import subprocess
import sys

import pytest

from dojo_py.compiler import REPLACED, compiling
from dojo_py.indices import ROOMS

pytestmark = pytest.mark.skipif(not (compiling() and REPLACED), reason="numba compiles its own way")

ROOM = """
import numpy as np

from dojo_py.jit import entry, kernel


def at(x, i):
    return x[i]


def last(x):
    return x[-1]


def room_kernel(function):
    function.__module__ = "{room}"
    return kernel(function)


at_run_time, written = room_kernel(at), room_kernel(last)


@entry
def ask(x, i):
    return at_run_time(x, i), written(x)


for i in {indices}:
    try:
        print("{room}", i, *ask(np.arange(5.0)[1:], i))
    except IndexError:
        print("{room}", i, "IndexError")
"""
ODD = [f"dojo_py.{name}.odd" for name in ROOMS]
ELSEWHERE = "dojo_py.planning.odd"


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """(room, index, checked) -> what is found at the index and at -1, by a process without checks and one with them."""
    found = {}
    for checked, indices in ((False, [-1]), (True, [2, -1])):
        folder = tmp_path_factory.mktemp("rooms")
        for k, room in enumerate([*ODD, ELSEWHERE] if checked else ODD):
            (folder / f"room{k}.py").write_text(ROOM.format(room=room, indices=indices))
        code = "import pathlib\nfor file in sorted(pathlib.Path('.').glob('room*.py')):\n    __import__(file.stem)"
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "NUMBA_BOUNDSCHECK": str(int(checked))}
        run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment, check=True)
        for line in run.stdout.splitlines():
            room, index, values = line.split(" ", 2)
            found[room, int(index), checked] = values
    return found


@pytest.mark.parametrize("room", ODD)
def test_what_is_known_at_run_time_counts_from_the_start(said, room):
    """The number before the view (1, 2, 3, 4) of (0, 1, 2, 3, 4) is 0; a written -1 is the last one."""
    assert said[room, -1, False] == "0.0 4.0"
    assert said[room, 2, True] == "3.0 4.0"
    assert said[room, -1, True] == "IndexError"


def test_other_rooms_count_from_the_end(said):
    assert said[ELSEWHERE, -1, True] == "4.0 4.0"
