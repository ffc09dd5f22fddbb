"""The parameter `wrench`: a constant load on a body, the same as `wrenches` of steps; found by fits; seen by sensors."""

import numpy as np
import pytest
from drawn_mechanisms import drawn

from dojo_py import HardSimulator, load_model
from dojo_py.hard.parameters.kind import moving_bodies
from dojo_py.identification import Recording, Unknown, identify


def as_given(model, loads):
    """(nbody, 6) what `wrenches` are for loads (nb, 6) on the moving bodies of a model without merged bodies."""
    out = np.zeros((model.nbody, 6))
    out[moving_bodies(model)] = loads
    return out


ARM = """<mujoco><option gravity="0 0 -9.81"/><worldbody><geom type="plane" size="2 2 .1"/>
  <body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1"/>
    <geom type="capsule" size=".04" fromto="0 0 0 .4 0 0" mass="1"/>
    <body name="lower" pos=".4 0 0"><joint name="b" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" mass=".5"/><site name="tip" pos=".3 0 0"/></body></body>
  <body name="box" pos="0 1 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/><site name="middle"/></body></worldbody>
  <sensor><force site="tip"/><accelerometer site="tip"/><torque site="middle"/><accelerometer site="middle"/></sensor></mujoco>"""


def test_steps_and_sensors_are_those_with_the_same_wrenches():
    """A roll-out with contact, in the hard limit and on the central path; A, and the derivative by the box's mass."""
    sim, loads = HardSimulator(load_model(ARM), timestep=0.01), np.random.default_rng(0).normal(size=(3, 6))
    changed, given = sim.with_parameters({"wrench": loads}), as_given(sim.model, loads)
    for kappa in (None, 1e-4):
        one = changed.rollout(changed.initial_state(), np.zeros((60, 0)), kappa=kappa, linearize=kappa is not None)
        other = sim.rollout(sim.initial_state(), np.zeros((60, 0)), kappa=kappa, wrenches=given, linearize=kappa is not None)
        still = sim.rollout(sim.initial_state(), np.zeros((60, 0)), kappa=kappa)
        assert one.unsolved == other.unsolved == 0 and np.abs(one.qpos - still.qpos).max() > 1e-2
        assert np.abs(one.qpos - other.qpos).max() < 1e-12 and np.abs(one.sensordata - other.sensordata).max() < 1e-9
        if kappa is not None:
            assert np.abs(one.A - other.A).max() < 1e-9
    state = other.state(40)
    mine = changed.linearize(state, kappa=1e-4, parameters=["mass"]).parameters["mass"]
    theirs = sim.linearize(state, kappa=1e-4, parameters=["mass"], wrenches=given).parameters["mass"]
    assert np.abs(mine - theirs).max() < 1e-9


def test_both_add_up_on_merged_bodies():
    model, qpos, qvel, control = drawn(2)
    sim, rng = HardSimulator(model, timestep=0.01), np.random.default_rng(1)
    given, more = rng.normal(size=(model.nbody, 6)), rng.normal(size=sim.parameter("wrench").value.shape)
    state, changed = sim.initial_state(qpos, qvel), sim.with_parameters({"wrench": more})
    assert np.array_equal(changed.parameter("wrench").value, more)
    ends = [s.step(state, control, kappa=1e-4, wrenches=w).state.qvel for s in (sim, changed) for w in (None, given)]
    none, one, two, both = ends
    assert (
        np.abs(both - one - two + none).max() < 0.05 * np.abs(both - none).max()
    )  # (not exactly: velocities turn with the bodies)
    assert np.abs(both - one).max() > 1e-4


def test_a_fit_finds_a_load_that_is_not_in_the_file():
    """A force on the hand and the arm's damping, from two swings."""
    sim, rng = HardSimulator(load_model(ARM), timestep=0.01), np.random.default_rng(0)
    true = sim.with_parameters({"wrench:lower": [0.7, 0.0, -1.5, 0.0, 0.2, 0.0], "damping:a": 0.25})
    runs = [true.rollout(true.initial_state(qvel=np.pad(rng.normal(size=2), (0, 6))), np.zeros((80, 0))) for _ in range(2)]
    recordings = [Recording(str(i), run.qpos + rng.normal(0, 1e-4, run.qpos.shape), run.control) for i, run in enumerate(runs)]
    found = identify(sim, recordings, [Unknown("wrench:lower"), Unknown("damping:a", lower=0.0, upper=2.0)], kappa=1e-5)
    load = found.simulator.parameter("wrench:lower").value[0]
    print(load, found.simulator.parameter("damping:a").value)
    assert np.abs(load[[0, 2]] - [0.7, -1.5]).max() < 0.05
    assert found.simulator.parameter("damping:a").value[0] == pytest.approx(0.25, abs=0.02)


def test_no_model_holds_one():
    sim = HardSimulator("box").with_parameters({"wrench": [[1.0, 0, 0, 0, 0, 0]]})
    with pytest.raises(ValueError, match="wrench"):
        sim.to_model()
