"""Table VI: its quick size, and half-cheetah by gradients within a fifth of the evaluations of random search."""

import numpy as np
import pytest

from dojo_py.cli import main
from dojo_py.reproduce import table6

ARS_HALF_CHEETAH = 70.3
"""Mean final reward of five seeds of random search at 28,800 evaluations; today 67.3 (seeds 0 to 4), 69.4 (5 to 9)."""


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
def test_gradients_reach_the_papers_reward():
    """Paper: 44 at 5e3 evaluations, best 3 of 5 seeds. Measured, all: 75.2, 33.8, 75.4, 53.0, 74.8; mean 62.4."""
    assert final_rewards(range(5)).mean() >= 44.0


@pytest.mark.slow
@pytest.mark.xfail(reason="62.4 of 70.3 with seeds 0 to 4, 73.1 with seeds 5 to 9", strict=True)
def test_gradients_reach_random_search_with_a_fifth_of_its_evaluations():
    assert final_rewards(range(5)).mean() >= ARS_HALF_CHEETAH


@pytest.mark.slow
@pytest.mark.xfail(reason="139.2 of 148 (random search today: 147.5) with seeds 0 to 4", strict=True)
def test_an_ant_by_gradients_reaches_random_search():
    assert final_rewards(range(5), "Ant", 36_000).mean() >= 148.0
