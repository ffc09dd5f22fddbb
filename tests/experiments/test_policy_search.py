"""Table VI: its quick size, and half-cheetah by gradients within a fifth of the evaluations of random search."""

import numpy as np
import pytest

from dojo_py.cli import main
from dojo_py.reproduce import table6

ARS_HALF_CHEETAH = 70.8
"""Mean final reward of five seeds of random search at 28,800 evaluations, the most measured so far."""
ARS_ANT = 148.3
"""The same at 180,000; today 146.8."""


def final_rewards(seeds, robot="HalfCheetah", budget=5760):
    searches = [table6.make_search(robot, "Climb", seed).run(table6.MOST, budget=budget) for seed in seeds]
    assert all(s.evaluations + s.gradients <= budget for s in searches)
    return np.array([s.history[-1][3] for s in searches])


@pytest.mark.slow
def test_the_command_writes_its_quick_size(tmp_path, capsys):
    main(["reproduce", "table6", "--quick", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "Climb ¹" in printed and "¹ not the paper's AGS" in printed
    assert {"table6.csv", "table6.png"} <= {file.name for file in tmp_path.iterdir()}


@pytest.mark.slow
def test_gradients_reach_random_search_with_a_fifth_of_its_evaluations():
    """Measured: 76.0, 73.8, 77.3, 76.8, 75.0, mean 75.8; seeds 5 to 9: 75.7. The paper: 44 at 5e3, best 3 of 5 seeds."""
    assert final_rewards(range(5)).mean() >= ARS_HALF_CHEETAH


@pytest.mark.slow
def test_an_ant_by_gradients_reaches_random_search():
    """Measured: 149.6, 148.4, 149.9, 149.9, 149.8, mean 149.5 of at most 150."""
    assert final_rewards(range(5), "Ant", 36_000).mean() >= ARS_ANT
