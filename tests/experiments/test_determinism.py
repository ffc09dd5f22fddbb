"""The same run twice, a batch and a loop, one thread and two: the same bits."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.reproduce.scenes import random_controls, start_of

FIELDS = ("time", "qpos", "qvel", "act", "status", "iterations", "residual", "complementarity", "min_gap")
NAMES = ("box", "quadruped", "humanoid", "raibert_hopper")


def same(one, two):
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in FIELDS)


@pytest.mark.parametrize("name", NAMES)
def test_same_bits(name):
    model = load_model(name)
    sim = HardSimulator(model, timestep=0.01)
    state = sim.initial_state(*start_of(model))
    controls = np.array([random_controls(model, 40, seed) for seed in range(5)])
    loop = [sim.rollout(state, u) for u in controls]
    again = [HardSimulator(model, timestep=0.01).rollout(state, u) for u in controls]
    one, two = (sim.rollout_batch([state] * 5, controls, threads=n) for n in (1, 2))
    for a, b, c, d in zip(loop, again, one, two, strict=True):
        assert same(a, b) and same(a, c) and same(a, d)


def test_steps_follow_each_other_as_a_rollout_does():
    model = load_model("quadruped")
    sim = HardSimulator(model, timestep=0.01)
    state = sim.initial_state(*start_of(model))
    controls = random_controls(model, 30, 2)
    whole = sim.rollout(state, controls)
    for k, u in enumerate(controls):
        step = sim.step(state, u)
        state = step.state
        assert np.array_equal(state.qpos, whole.qpos[k + 1]) and np.array_equal(state.qvel, whole.qvel[k + 1]), k
        assert step.iterations == whole.iterations[k]


def test_a_failed_step_leaves_nothing_behind():
    """The same rollout before and after a step that overflows. Measured: bit-identical."""
    model = load_model("hopper")
    sim = HardSimulator(model, timestep=0.01)
    state, controls = sim.initial_state(*start_of(model)), random_controls(model, 30)
    before = sim.rollout(state, controls)
    wrench = np.zeros((model.nbody, 6))
    wrench[-1, [0, 4]] = 1e200
    assert not sim.step(state, controls[0], wrenches=wrench).solved
    assert same(before, sim.rollout(state, controls))
