"""Scenes whose steps fail one after the other do not stand still for good."""

import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model
from dojo_py.reproduce.gauntlet import bodies, scenes, shapes


def heap_that_starts_in_itself():
    """(statuses of 8 steps, the fastest of all rates at their end)"""
    case = bodies.generate(0)
    sim = HardSimulator(load_model(case.xml), timestep=case.timestep)
    run = sim.rollout(sim.initial_state(case.qpos, case.qvel), case.controls[:8])
    print(run.status, np.abs(run.qvel[-1]).max())
    return run.status, np.abs(run.qvel[-1]).max()


def test_a_heap_that_starts_in_itself_goes_on():
    """24 bodies of half a millimetre that start in one another. They stood still for good, at 4000 rad/s: in the first round of
    every step, without the contacts that it then misses, some of them were solved, and counted as not having failed in the step
    before. Then they stopped at first; with parts in which friction's bounds are held no step is without a usable end.
    """
    status, _ = heap_that_starts_in_itself()
    assert np.isin(status, (Status.SOLVED, Status.INEXACT)).all()  # INEXACT, then SOLVED 7 times
    assert status[-1] == Status.SOLVED


@pytest.mark.xfail(strict=False, reason="bound 100 rad/s: 93 to 107 over six time steps that differ by 1e-13")
def test_the_heap_is_slow_after_eight_steps():
    assert heap_that_starts_in_itself()[1] < 100.0


@pytest.mark.parametrize(("family", "seed", "steps"), [(shapes, 996283, 24), (scenes, 998090, 60)])
def test_scenes_whose_steps_fail_do_not_stand_still_for_good(family, seed, steps):
    """Bodies of 3 mm, masses from 0.8 mg to 0.9 g, in a heap: from the 14th step on every step failed alike. Plates of 25 to 42 mg
    on balls of 14 to 22 micrograms, which a step moves by sixty times their size: from the 16th on nothing moved.

    How many steps are solved is chance, 0 to 33 of 60 of the latter over five time steps that differ by 1e-13.
    """
    case = family.generate(seed)
    sim = HardSimulator(load_model(case.xml), timestep=case.timestep)
    run = sim.rollout(sim.initial_state(case.qpos, case.qvel), case.controls[:steps])
    stood, longest = 0, 0
    for before, after in zip(run.qpos, run.qpos[1:], strict=False):
        stood = stood + 1 if np.array_equal(before, after) else 0
        longest = max(longest, stood)
    print(f"{np.count_nonzero(run.status)} of {steps} not solved, {longest} in a row stood still")
    assert longest < 3  # 0 or 1; 44 of the tower before
