"""How steps ended is told: by steps, trajectories, their files, and the command line."""

import numpy as np
import pytest

from dojo_py import Ending, HardSimulator, SoftSimulator, Status, load_model
from dojo_py.simulate.ending import counted
from dojo_py.simulate.trajectory import load_trajectory

ARM = """<mujoco><worldbody><body name="arm"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".02"/>
  <site name="tip" pos=".4 0 0"/></body><site name="target" pos="{x} 0 0"/></worldbody>
  <equality><connect site1="tip" site2="target"/></equality></mujoco>"""


@pytest.mark.parametrize(("x", "status", "ending"), [(0.4, Status.SOLVED, Ending.WHOLE), (0.6, Status.INEXACT, Ending.GAVE_WAY)])
def test_a_step_tells_how_it_ended(tmp_path, x, status, ending):
    sim = HardSimulator(load_model(ARM.format(x=x)))
    step = sim.step(sim.initial_state())
    assert (step.status, step.ending) == (status, ending)
    run = sim.rollout(sim.initial_state(), np.zeros((5, 0)))
    assert set(run.ending) == {ending}
    run.save(tmp_path / "run.npz")
    assert np.array_equal(load_trajectory(tmp_path / "run.npz").ending, run.ending)


@pytest.mark.parametrize("first", [True, False])
def test_of_several_islands_the_worst_is_told(first):
    """Beside a loop that gives way a ball rests, SOLVED: in either order."""
    ball = '<body pos="0 3 1"><freejoint/><geom size=".1"/></body>'
    xml = ARM.format(x=0.6)
    xml = (
        xml.replace("<worldbody>", "<worldbody>" + ball)
        if first
        else xml.replace('<site name="target"', ball + '<site name="target"')
    )
    sim = HardSimulator(load_model(xml))
    assert sim.step(sim.initial_state()).ending is Ending.GAVE_WAY


def test_a_fast_spin_is_solved_in_parts():
    sim = HardSimulator(
        load_model('<mujoco><worldbody><body><freejoint/><geom size=".1 .2 .3" type="box"/></body></worldbody></mujoco>')
    )
    step = sim.step(sim.initial_state(qvel=np.array([0.0, 0, 0, 600.0, 0, 0])))
    assert step.status is Status.SOLVED and step.ending is Ending.PARTS and step.substeps > 1


def test_the_soft_mode_does_not_tell():
    sim = SoftSimulator(load_model("pendulum"))
    assert set(sim.rollout(sim.initial_state(), np.zeros((3, sim.model.nu))).ending) == {Ending.UNKNOWN}


def test_endings_are_counted_for_people():
    assert counted([2, 3, 3]) == "2 GAVE_WAY, 1 BEST_POINT"
    assert all(ending.message for ending in Ending)
    assert counted([]) == ""
