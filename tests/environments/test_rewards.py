"""Observations and rewards against Gymnasium's v5 formulas, written out; and the paper's ant."""

import numpy as np
import pytest

from dojo_py.environments import make_task


def one_step(task, action, seed=0):
    state = task.initial_state(np.random.default_rng(seed))
    moved = task.move([state], action[None])[0]
    reward, parts = task.reward(state, action, moved.state, moved.contacts)
    return state, moved, reward, parts


def test_half_cheetah_v5():
    task, action = make_task("HalfCheetah"), np.linspace(-0.5, 0.5, 6)
    state, moved, reward, parts = one_step(task, action)
    speed = (moved.state.qpos[0] - state.qpos[0]) / 0.05
    assert reward == pytest.approx(speed - 0.1 * np.sum(action**2)) and parts["x_velocity"] == pytest.approx(speed)
    assert np.array_equal(task.observe(moved.state, None), np.r_[moved.state.qpos[1:], moved.state.qvel])
    assert np.allclose(task.control(np.full(6, 2.0)), [120, 90, 60, 120, 60, 30])


@pytest.mark.parametrize("name", ["Hopper", "Walker2d"])
def test_planar_walkers_v5(name):
    task = make_task(name)
    action = np.full(task.action_size, 0.1)
    state, moved, reward, _ = one_step(task, action)
    speed = (moved.state.qpos[0] - state.qpos[0]) / task.dt
    assert reward == pytest.approx(speed + 1.0 - 1e-3 * np.sum(action**2))
    assert not task.terminated(moved.state)
    fallen = task.sim.initial_state(np.r_[0.0, 0.5, np.zeros(task.sim.model.nq - 2)])
    assert task.terminated(fallen)


def test_ant_v5_and_paper():
    v5, paper, action = make_task("Ant"), make_task("Ant", "paper"), np.full(8, 0.1)
    state, moved, reward, parts = one_step(v5, action)
    speed = (moved.state.qpos[0] - state.qpos[0]) / 0.05
    force = v5.observe(moved.state, moved.contacts)[27:]
    assert force.shape == (54,) and np.abs(force).max() <= 1.0
    assert reward == pytest.approx(speed + 1.0 - 0.5 * np.sum(action**2) - 5e-4 * np.sum(force**2))
    state, moved, reward, _ = one_step(paper, action)
    seen = paper.observe(moved.state, moved.contacts)
    assert paper.observation_size == len(seen) == 36  # the paper counts 37: x and y too, and a rotation as 3 numbers
    speed, gamma = (moved.state.qpos[0] - state.qpos[0]) / 0.05, seen[27:]
    assert gamma.max() > 0 and gamma.min() >= 0
    assert reward == pytest.approx(2 * speed + 0.05 - 0.05 * np.sum(action**2) - 5e-4 * np.sum(gamma**2))
    assert paper.terminated(paper.sim.initial_state(np.r_[0, 0, 1.2, state.qpos[3:]]))


def test_pendulum_as_in_gymnasium():
    task, action = make_task("Pendulum"), np.array([1.5])
    state, _, reward, _ = one_step(task, action)
    angle = (state.qpos[0] - np.pi + np.pi) % (2 * np.pi) - np.pi
    assert reward == pytest.approx(-(angle**2 + 0.1 * state.qvel[0] ** 2 + 0.001 * 1.5**2))
    upright = task.observe(task.sim.initial_state(np.array([np.pi])), None)
    assert np.allclose(upright, [1, 0, 0])


def test_cartpole_as_inverted_pendulum_v5():
    task = make_task("CartPole")
    state = task.initial_state(np.random.default_rng(0))
    assert np.abs(task.observe(state, None)).max() <= 0.01 and not task.terminated(state)
    assert task.terminated(task.sim.initial_state(np.array([0.0, np.pi - 0.25])))


@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_quadrotor_hovers_at_action_zero(mode):
    task = make_task("Quadrotor", mode=mode, reset_noise_scale=0.0)
    state = task.initial_state(np.random.default_rng(0))
    for _ in range(20):
        state = task.move([state], np.zeros((1, 4)))[0].state
    assert np.abs(state.qpos - task.sim.model.key_qpos[1]).max() < 1e-6


def test_block_push_reaches_the_goal_by_pushing_toward_it():
    task = make_task("BlockPush")
    state = task.initial_state(np.random.default_rng(0))
    start = np.hypot(*state.qpos[:2])
    total = 0.0
    for _ in range(100):
        action = np.clip(2.0 * task.observe(state, None)[:2] - 0.6 * state.qvel[:2], -1, 1)
        after = task.move([state], action[None])[0].state
        total += task.reward(state, action, after, None)[0]
        state = after
    assert start > 0.4 and np.hypot(*state.qpos[:2]) < 0.5 * start


def test_quadruped_stands_by_its_hold():
    task = make_task("Quadruped", reset_noise_scale=0.0)
    state = task.initial_state(np.random.default_rng(0))
    for _ in range(50):
        state = task.move([state], np.zeros((1, 12)))[0].state
    assert task.healthy(state) and state.qpos[2] > 0.2
