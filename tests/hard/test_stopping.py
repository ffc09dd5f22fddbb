"""What fails twice in a row stops, and goes on from there."""

import numpy as np

from dojo_py import HardSimulator, Status, load_model
from dojo_py.reproduce.gauntlet import bodies


def test_a_heap_that_fails_twice_in_a_row_stops_and_goes_on():
    """24 bodies of half a millimetre that start in one another. They stood still for good, at 4000 rad/s: in the first round of
    every step, without the contacts that it then misses, some of them were solved, and counted as not having failed in the step
    before.
    """
    case = bodies.generate(0)
    sim = HardSimulator(load_model(case.xml), timestep=case.timestep)
    state, found = sim.initial_state(case.qpos, case.qvel), []
    for control in case.controls[:8]:
        step = sim.step(state, control)
        state = step.state
        found.append(step.status)
    print(found)
    usable = [status in (Status.SOLVED, Status.INEXACT) for status in found]
    assert all(one or two for one, two in zip(usable, usable[1:], strict=False))
    assert found[-1] is Status.SOLVED and np.abs(state.qvel).max() < 100.0
