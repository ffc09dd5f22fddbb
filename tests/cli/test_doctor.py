"""`dojo_py doctor`: what it says of packages is what pyproject.toml says; a failure is named and gives status 1."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dojo_py.cli import compile_all, doctor, main

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements):
    return {re.split(r"[<>=\[ ]", line)[0] for line in requirements}


def test_packages_are_those_of_the_project():
    assert set(doctor.CORE.values()) == names(PROJECT["dependencies"])
    extras = PROJECT["optional-dependencies"]
    assert set(doctor.EXTRAS) == set(extras) - {"test", "all"}
    for name, extra in doctor.EXTRAS.items():
        assert set(extra.modules.values()) == names(extras[name]), name


def test_the_report_and_the_self_test(capsys):
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "all is well" in said and "hard mode" in said and "kept in" in said and said.count("ok      ") >= 5
    assert "a tower of boxes stands" in said
    assert main(["doctor", "--no-test"]) == 0  # what the self-test has compiled is all there is
    pieces = "hard mode|  contacts between bodies|  derivatives|  derivatives by parameters|soft mode"
    kept = re.findall(rf"^({pieces})  +(.*)$", capsys.readouterr().out, re.M)
    assert len(kept) == 5 and {state for _, state in kept} == {"compiled"}


def test_what_is_missing_is_named(capsys, monkeypatch):
    here = doctor.importlib.util.find_spec
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda module: None if module in ("jax", "viser") else here(module))
    assert main(["doctor", "--no-test"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"jax +missing +dojo_py.jax.* jax", said) and re.search(r'pip install "dojo-sim\[view,.*jax', said)
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda module: None if module == "scipy" else here(module))
    assert main(["doctor"]) == 1 and "needed and missing: scipy" in capsys.readouterr().out


@pytest.mark.parametrize("spoilt", [lambda: (False, "sinks in"), lambda: 1 / 0])
def test_a_failure_is_named_and_gives_status_1(capsys, monkeypatch, spoilt):
    monkeypatch.setattr(doctor, "_files", spoilt)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert re.search(r"FAILED  files: (sinks in|ZeroDivisionError: division by zero)", said) and "1 of the tests failed" in said


def test_compile_names_every_piece_and_what_failed(capsys, monkeypatch):
    monkeypatch.setattr(compile_all, "PROCESSES", 1)  # (others would not know of these pieces)
    monkeypatch.setattr(compile_all, "pieces", lambda: {"steps": lambda: None, "pictures": lambda: 1 / 0, "more": lambda: None})
    assert main(["doctor", "--compile", "--no-test"]) == 1
    said = capsys.readouterr().out
    for line in (
        "1 of 3  steps ...\n        steps: there already",
        "2 of 3  pictures ...",
        "pictures: ZeroDivisionError",
        "3 of 3  more",
    ):
        assert line in said, line
    assert "not compiled: pictures" in said
    monkeypatch.setattr(compile_all, "pieces", lambda: {"steps": lambda: None})
    assert main(["doctor", "--compile", "--no-test"]) == 0 and "all are compiled and kept" in capsys.readouterr().out
    monkeypatch.setattr(compile_all, "kept", lambda: False)
    assert main(["doctor", "--compile", "--no-test"]) == 1 and "set NUMBA_CACHE_DIR" in capsys.readouterr().out
    monkeypatch.setattr("dojo_py.compiler.compiling", lambda: False)
    assert main(["doctor", "--compile"]) == 2 and "NUMBA_DISABLE_JIT is set" in capsys.readouterr().err


USES = """
import numpy as np, dojo_py, dojo_py.view
from dojo_py.announce import ANNOUNCEMENT
for name, parameters in (("quadruped", ["mass", "friction"]), ("tower", ["mass"]), ("fourbar", ["damping"])):
    for kind in (dojo_py.HardSimulator, dojo_py.SoftSimulator):
        sim = kind(name)
        run = sim.rollout(sim.initial_state(), np.zeros((5, sim.model.nu)), linearize=True)
        sim.poses(run.final_state), sim.energy(run.final_state), sim.momentum(run.final_state)
    sim = dojo_py.HardSimulator(name)
    sim.linearize(sim.initial_state(), np.zeros(sim.model.nu), kappa=1e-3, parameters=parameters)
    dojo_py.view.picture(sim.model, sim.rollout(sim.initial_state(), np.zeros((2, sim.model.nu))), "picture.png")
assert ANNOUNCEMENT.functions == 0, ANNOUNCEMENT.functions
"""


@pytest.mark.slow  # three minutes, alone
def test_after_compile_nothing_is_compiled(tmp_path):
    """Measured: 1354 functions in seven pieces, 150 s of processor time."""
    where = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    compiled = subprocess.run(
        [sys.executable, "-m", "dojo_py", "doctor", "--compile", "--no-test"], env=where, capture_output=True, text=True
    )
    assert compiled.returncode == 0 and "all are compiled and kept" in compiled.stdout, compiled.stdout + compiled.stderr
    used = subprocess.run([sys.executable, "-c", USES], env=where, cwd=tmp_path, capture_output=True, text=True)
    assert used.returncode == 0, used.stderr
