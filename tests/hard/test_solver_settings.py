"""The constants of the solver: all with a meaning and what switches them off, all read by the kernels, none that means nothing."""

import dataclasses
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import dojo_py.hard
from dojo_py import HardOptions
from dojo_py.solver import settings
from dojo_py.solver.settings import WITHOUT, SolverSettings


def test_every_constant_has_a_meaning_and_what_switches_it_off():
    names, text = SolverSettings._fields, inspect.getsource(settings)
    assert set(WITHOUT) == set(names)
    for name in names:
        assert re.search(rf'    {name}: float = .*\n    """', text), name
        assert WITHOUT[name][name] != getattr(SolverSettings(), name)


def test_every_constant_is_read():
    kernels = "".join(file.read_text(encoding="utf-8") for file in Path(dojo_py.hard.__file__).parent.rglob("*.py"))
    for name in SolverSettings._fields:
        assert f"W.solver.{name}" in kernels, name


def test_numbers_of_any_kind_are_taken_and_nonsense_is_refused():
    options = HardOptions(recovery_speed=np.float32(5), solver=SolverSettings(patience=8))
    assert all(type(x) is float for x in options.constants())
    assert type(options.numbers().recovery_speed) is float
    for wrong in (SolverSettings(patience=-1), SolverSettings(rise=float("nan")), SolverSettings(share="x")):
        with pytest.raises((ValueError, TypeError), match="solver"):
            HardOptions(solver=wrong)
    with pytest.raises(TypeError, match="SolverSettings"):
        dataclasses.replace(options, solver=3)
