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


BEYOND = """
import numpy as np

from dojo_py.arrays import scratch, square
from dojo_py.by_address import ADDRESSES, Apart, call_apart
from dojo_py.jit import entry, kernel
from dojo_py.solver.octet import load, store, zeros

FAR = len(ADDRESSES) - 1


def in_a_room(function):
    function.__module__ = "dojo_py.hard.odd"
    return kernel(function)


@in_a_room
def part(x, i, j):
    return x[i:j].sum()


def far(x, i):
    return x[i]


APART = Apart(FAR, far, "tests")


@entry
def slices(x, i, j):
    return part(x, i, j)


@entry
def octets(x, i, j):
    store(load(x, i, j), x, i, j)
    return x[i, j]


@entry
def squares(x, i, n):
    return square(x, i, n).shape[0]


@entry
def called(addresses, x, i, _):
    return call_apart(addresses, FAR, (x, i))


@entry
def nobody_wrote(x, i, j):
    return scratch(3)[i]


row, table = np.arange(5.0), np.zeros((2, 16))
APART.load(row, 0)
for name, function, arguments, places in (
    ("slices", slices, (row,), ((0, 5), (5, 5), (3, 2), (-1, 3), (0, 6))),
    ("octets", octets, (table,), ((0, 0), (1, 8), (2, 0), (-1, 0), (0, 9), (0, -1))),
    ("squares", squares, (row,), ((1, 2), (2, 2), (-1, 2))),
    ("called", called, (ADDRESSES, row), ((4, 0), (5, 0))),
    ("nobody_wrote", nobody_wrote, (row,), ((0, 0),)),
):
    for i, j in places:
        try:
            print(name, i, j, float(function(*arguments, i, j)))
        except IndexError as error:
            print(name, i, j, error)
"""


@pytest.fixture(scope="module")
def beyond(tmp_path_factory):
    """(what, i, j) -> the value or the message of the error, with checked indices."""
    folder = tmp_path_factory.mktemp("beyond")
    (folder / "beyond.py").write_text(BEYOND)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "NUMBA_BOUNDSCHECK": "1"}
    run = subprocess.run([sys.executable, "beyond.py"], cwd=folder, capture_output=True, text=True, env=environment, check=True)
    said = [line for line in run.stderr.splitlines() if not line.startswith("dojo_py: ")]
    assert not said, said
    lines = [line.split(" ", 3) for line in run.stdout.splitlines()]
    return {(what, int(i), int(j)): text for what, i, j, text in lines}


WITHIN = {
    ("slices", 0, 5): 10.0, ("slices", 5, 5): 0.0, ("slices", 3, 2): 0.0, ("octets", 0, 0): 0.0, ("octets", 1, 8): 0.0,
    ("squares", 1, 2): 2.0, ("called", 4, 0): 4.0,
}  # fmt: skip
OUTSIDE = [
    ("slices", -1, 3), ("slices", 0, 6), ("octets", 2, 0), ("octets", -1, 0), ("octets", 0, 9), ("octets", 0, -1),
    ("squares", 2, 2), ("squares", -1, 2), ("called", 5, 0),
]  # fmt: skip


@pytest.mark.parametrize("place", WITHIN)
def test_with_checks_what_lies_within_is_as_without(beyond, place):
    assert float(beyond[place]) == WITHIN[place]


@pytest.mark.parametrize("place", OUTSIDE)
def test_what_lies_outside_is_an_error_that_names_the_line(beyond, place):
    """Also in a function that is called by its address, whose C wrapper would print the error and go on."""
    words = {"slices": "x[i:j]", "octets": "load(x", "squares": "square(x", "called": "return x[i]"}[place[0]]
    line = 1 + next(k for k, text in enumerate(BEYOND.splitlines()) if words in text)
    assert beyond[place].endswith(f"beyond.py:{line}") and "out of bounds" in beyond[place]


def test_with_checks_small_arrays_that_nobody_wrote_are_no_numbers(beyond):
    assert beyond["nobody_wrote", 0, 0] == "nan"
