"""What was solved is not lost by what is tried after it, and what impulses cannot resolve is no reason to go on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dojo_py.hard.solve.start_impulses import HERE


@pytest.fixture(scope="module")
def found():
    """What kept_solutions.py prints."""
    script = Path(__file__).with_name("kept_solutions.py")
    run = subprocess.run(
        [sys.executable, str(script)], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


def test_a_solution_survives_a_failed_solve_without_ghosts(found):
    """Before, the step was solved once more from where that one had got stuck, and then in parts: this one in 2."""
    assert found["ghosts"]["solves"] == 2
    assert found["ghosts"]["status"] == 0 and found["ghosts"]["substeps"] == 1
    assert found["ghosts"]["residual"] < 1e-10


def test_a_rejected_solution_is_no_best_point(found):
    """A whole step that creates energy is not where the step ends after its parts failed, too. Before it was, as the best point."""
    assert found["rejected"] == {"ending": "STOOD_STILL", "status": "INEXACT"}


def test_points_held_anew_are_solved_from_the_last_solution_alone(found):
    """Before, from nothing, by all attempts: six such solves took what parts of the step would have needed."""
    assert found["holds"] == [[HERE, True], [HERE, True]]


def test_a_joint_is_held_as_well_as_its_impulses_resolve(found):
    """1e-9 m/s of 1e6 N s, where a solve is stuck. Before, never. But no joint opens by a millimetre."""
    usual, stuck, wide = found["joints"]
    assert usual > 5e-10
    assert stuck < 1e-12
    assert wide > 0.09
