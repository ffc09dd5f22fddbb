"""Derivatives of observations and rewards in closed form against differences; a step's at kappa."""

import numpy as np
import pytest

from dojo_py.environments import make_task
from dojo_py.policy.derivatives import differenced_observation, differenced_reward


@pytest.mark.parametrize("robot", ["HalfCheetah", "Ant"])
def test_closed_forms_are_the_differences(robot):
    """Measured: 7e-10."""
    task, rng = make_task(robot, "paper"), np.random.default_rng(0)
    state = task.initial_state(rng)
    for _ in range(3):
        action = rng.uniform(-1, 1, task.action_size)
        moved = task.move([state], action[None])[0]
        before, state = state, moved.state
    assert np.allclose(task.observation_jacobian(state), differenced_observation(task, state, moved.contacts), atol=1e-8)
    expected = differenced_reward(task, before, action, state, moved.contacts)
    for known, differenced in zip(task.reward_gradient(before, action, state), expected, strict=True):
        assert np.allclose(known, differenced, atol=1e-8)
    A, B, _ = task.differentiate(before, action, 1e-2)
    lin = task.sim.linearize(before, task.control(action), kappa=1e-2)
    assert np.array_equal(A, lin.A) and np.array_equal(B, lin.B @ task.control_jacobian(action))
