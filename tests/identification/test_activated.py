"""Recordings of models with activations: these are not measured, and stretches start from what the controls have made of them."""

import dataclasses

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.identification import Recording, Unknown, identify, rollout_errors, with_estimated_starts

ARM = """<mujoco><worldbody><body><joint name="a" axis="0 1 0" damping="0.05"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="0.5" contype="0" conaffinity="0"/></body></worldbody>
  <actuator>{actuator}</actuator></mujoco>"""
FILTER = '<general name="m" joint="a" dyntype="filter" dynprm="0.3" gainprm="2" ctrlrange="-1 1"/>'
MUSCLE = '<muscle name="m" joint="a" lengthrange="-0.5 0.5" force="20" timeconst="0.1 0.3"/>'


def recorded(actuator, steps=80, stride=1):
    sim = HardSimulator(load_model(ARM.format(actuator=actuator)), timestep=0.01)
    control = np.repeat(np.random.default_rng(1).uniform(0.0, 1.0, (steps // 8, 1)), 8, axis=0)
    run = sim.rollout(sim.initial_state([0.2]), np.repeat(control, stride, axis=0))
    return sim, Recording("arm", run.qpos[::stride], control, stride=stride), run


@pytest.mark.parametrize("actuator", [FILTER, MUSCLE])
@pytest.mark.parametrize("free_states", [True, False])
def test_damping_of_an_activated_arm(actuator, free_states):
    """Exact samples. Activations began at 0 in every stretch: 0.001, the bound, and "converged"."""
    sim, recording, _ = recorded(actuator)
    guess = sim.with_parameters({"damping": np.array([0.1])})
    found = identify(guess, [recording], [Unknown("damping", lower=0.001, upper=1.0)], free_states=free_states)
    print(found)
    assert found.estimates == pytest.approx([0.05], rel=1e-4) and found.message == "converged"


def test_a_time_constant_is_found_through_the_activations_at_the_starts():
    """Columns of activations at later samples by the time constant are part of the derivative."""
    sim, recording, _ = recorded(FILTER)
    guess = sim.with_parameters({"dynprm": np.where(sim.parameter("dynprm").value == 0.3, 0.45, sim.parameter("dynprm").value)})
    found = identify(guess, [recording], [Unknown("dynprm", lower=0.05, upper=2.0)])
    print(found)
    assert found.estimates.ravel()[0] == pytest.approx(0.3, rel=1e-4)


def test_rollouts_and_estimated_starts_go_on_from_the_activations():
    sim, recording, run = recorded(FILTER)
    assert rollout_errors(sim, [recording]).position[0] < 1e-9
    (cut,) = with_estimated_starts(sim, [recording], 10)
    assert cut.act == pytest.approx(run.act[9], rel=1e-9)
    assert rollout_errors(sim, [cut]).position[0] < 1e-7
    (again,) = with_estimated_starts(sim, [cut], 8)  # (a recording with a known start has a velocity at its first sample)
    assert again.act == pytest.approx(run.act[16], rel=1e-9) and np.abs(again.start[1] - run.qvel[16]).max() < 1e-5


def test_activations_of_the_wrong_number_are_named():
    sim, recording, _ = recorded(FILTER)
    with pytest.raises(ValueError, match=r"act of 'arm' has shape \(2,\), expected \(1,\)"):
        rollout_errors(sim, [dataclasses.replace(recording, act=np.zeros(2))])


def test_velocities_of_several_steps_a_sample():
    """Of the last step, as in the hard mode, not of the interval between samples, which is (stride - 1) h / 2 earlier."""
    sim, recording, run = recorded(MUSCLE, stride=4)
    k = np.arange(1, len(recording.qpos))
    found = np.array([recording.velocity(sim.model, sim.timestep, i) for i in k])
    mean = np.diff(recording.qpos, axis=0) / 0.04
    off, before = (np.abs(v - run.qvel[4 * k]).mean() for v in (found, mean))
    print(f"{off:.2e} rad/s, {before:.2e} by the mean")
    assert off < 0.2 * before
