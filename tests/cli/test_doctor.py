"""`dojo_py doctor`: what it says of packages is what pyproject.toml says; a failure is named and gives status 1."""

import re
import tomllib
from pathlib import Path

import pytest

from dojo_py.cli import doctor, main

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
    kept = re.findall(r"^(hard mode|  contacts between bodies|  derivatives|soft mode) +(.*)$", capsys.readouterr().out, re.M)
    assert len(kept) == 4 and {state for _, state in kept} == {"compiled"}


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
