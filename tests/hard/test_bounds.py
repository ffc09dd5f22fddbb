"""Nothing in the hard mode reads or writes beyond an array, or reads what nobody wrote: a bit of everything, indices checked."""

import os
import subprocess
import sys
from pathlib import Path

import everything
import pytest

from dojo_py.compiler import REPLACED, compiling

SCRIPT = Path(__file__).with_name("everything.py")


def said(checked):
    """Lines of everything.py, in a process with or without checks."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": str(int(checked))}
    run = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True)
    assert run.returncode == 0 and "out of bounds" not in run.stderr, run.stderr
    return run.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(not (compiling() and REPLACED), reason="numba compiles its own way, without checks of octets and slices")
def test_with_checked_indices_every_number_is_the_same():
    """The first time it compiles for some minutes; the rest takes two and a half."""
    usual, checked = said(False), said(True)
    assert len(usual) > 300
    assert [line for line in checked if line not in usual] == [] and len(checked) == len(usual)


def test_tables_that_begin_with_little_room_change_no_number(monkeypatch):
    """Tables of contacts and of near pairs grow where a step needs more, and the steps are solved again."""
    usual = [dict(everything.motions("", heap, steps=6)) for heap in everything.HEAPS]
    everything.begin_with_little_room(monkeypatch.setattr)
    assert [dict(everything.motions("", heap, steps=6)) for heap in everything.HEAPS] == usual
