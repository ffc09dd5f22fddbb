"""Table VI: its quick size, and half-cheetah by gradients within a fifth of the evaluations of random search."""

import pickle

import numpy as np
import pytest

from dojo_py.cli import main
from dojo_py.reproduce import table6

pytestmark = pytest.mark.filterwarnings("ignore:.*differentiated steps had no derivative.*:RuntimeWarning")
"""Up to 3 % of the half-cheetah's steps have none: searches cut their gradients off there, and say so."""

SEEDS, REPEATS = range(5), range(2)
"""Every seed is run from its start, and from one moved by round-off: another machine is a run of the latter kind."""
ARS_HALF_CHEETAH = 70.8
"""Mean final reward of five seeds of random search at 28,800 evaluations, the most measured so far."""
ARS_ANT = 148.3
"""The same at 180,000; today 146.8."""


def final_rewards(robot="HalfCheetah", budget=5760):
    searches = [
        table6.make_search(robot, "Climb", seed, repeat=repeat).run(table6.MOST, budget=budget)
        for seed in SEEDS
        for repeat in REPEATS
    ]
    assert all(s.evaluations + s.gradients <= budget for s in searches)
    return np.array([s.history[-1][3] for s in searches])


@pytest.mark.slow
def test_the_command_writes_its_quick_size(tmp_path, capsys):
    main(["reproduce", "table6", "--quick", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "Climb ¹" in printed and "¹ gradient search" in printed and "SHAC" in printed and "AGS" in printed
    assert "Climb, no gradients ²" in printed and "reward, median" in printed and "quartiles" in printed
    assert {"table6.csv", "table6.png"} <= {file.name for file in tmp_path.iterdir()}


@pytest.mark.slow
def test_gradients_reach_random_search_with_a_fifth_of_its_evaluations():
    """Measured: 76.0, 73.8, 77.3, 76.8, 75.0, median 76.0; seeds 5 to 9: mean 75.7. The paper: 44 at 5e3, best 3 of 5 seeds."""
    assert np.median(final_rewards()) >= ARS_HALF_CHEETAH


@pytest.mark.slow
def test_an_ant_by_gradients_reaches_random_search():
    """Measured: 149.6, 148.4, 149.9, 149.9, 149.8 of at most 150; on another machine one of five fell to 86.6, another to 135."""
    assert np.median(final_rewards("Ant", 36_000)) >= ARS_ANT


NOTHING = pytest.mark.xfail(
    strict=True, reason="bound 54: 9.6; what relaxed episodes teach is worse than the start in the hard one"
)


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "paper"), [("HalfCheetah", 44.0), pytest.param("Ant", 54.0, marks=NOTHING)])
def test_ags_earns_what_the_paper_says(robot, paper):
    """Mean of the best three of five seeds, one set of options. Measured: 69.6 and 9.6."""
    budget = table6.SETTINGS[robot].gradient_budget
    searches = [table6.make_search(robot, "AGS", seed).run(table6.MOST, budget=budget) for seed in range(5)]
    assert np.sort([s.history[-1][3] for s in searches])[2:].mean() >= paper


def test_a_moved_task_is_the_task_but_for_the_last_bits():
    """Round-off of the start, and nothing else: picklable, with all that a search asks of a task."""
    plain = table6.make_search("HalfCheetah", "Climb", 0).task
    moved = pickle.loads(pickle.dumps(table6.make_search("HalfCheetah", "Climb", 0, repeat=1).task))
    a, b = (task.initial_state(np.random.default_rng(0)) for task in (plain, moved))
    assert 0 < np.abs(a.qpos - b.qpos).max() < 1e-15 * max(1.0, np.abs(a.qpos).max())
    assert moved.action_size == plain.action_size and moved.sim is plain.sim


def test_climb_without_gradients_takes_and_charges_none():
    search = table6.make_search("HalfCheetah", "no gradients", 0).run(2, budget=800)
    assert search.gradients == 0 and 0 < search.evaluations <= 800
