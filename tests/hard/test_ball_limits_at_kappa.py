"""Limits of ball joints on the central path: what the two bounds of a hinge do, without a kink at no rotation."""

import numpy as np
import pytest
from differences import difference_column, moved

from dojo_py import HardSimulator, Status, load_model

ARM = """<mujoco><compiler angle="radian"/><option timestep=".01"/><worldbody><body pos="0 0 1"><joint {} damping=".05"/>
  <geom type="capsule" size=".04" fromto="0 0 0 0 0 -.3" mass=".6"/></body></worldbody></mujoco>"""
BALL = HardSimulator(load_model(ARM.format('type="ball" range="0 1.2"')))
HINGE = HardSimulator(load_model(ARM.format('axis="0 1 0" range="-1.2 1.2"')))


@pytest.mark.parametrize("kappa", [None, 1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize(("angle", "rate"), [(0.0, 0.0), (1e-5, 0.0), (0.4, -2.0), (1.1, 9.0), (1.19, 30.0), (-1.1, -9.0)])
def test_a_ball_about_one_axis_moves_as_a_hinge(kappa, angle, rate):
    """The distance θ - |r| gave no hinge's impulses, and had a kink at r = 0."""
    quat = [np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]
    ball = BALL.step(BALL.initial_state(quat, [0.0, rate, 0.0]), kappa=kappa)
    hinge = HINGE.step(HINGE.initial_state([angle], [rate]), kappa=kappa)
    print(ball.state.qvel, hinge.state.qvel, ball.iterations)
    assert ball.status == hinge.status == Status.SOLVED
    assert np.allclose(ball.state.qvel, [0.0, hinge.state.qvel[0], 0.0], atol=1e-8)


@pytest.mark.parametrize("kappa", [1e-6, 3e-5, 3e-4, 3e-3])
def test_steps_near_the_reference_are_solved(kappa):
    """0.02 rad/s from rest: STALLED at 3e-4 and 3e-3, INEXACT at 3e-5."""
    for seed in range(10):
        velocity = 10 ** np.random.default_rng(seed).uniform(-4, 1) * np.random.default_rng(seed).normal(size=3)
        start = BALL.initial_state(qvel=velocity)
        step, line = BALL.step(start, kappa=kappa), BALL.linearize(start, kappa=kappa)
        assert step.status == line.status == Status.SOLVED and step.iterations <= 12
        for column in range(3):
            direction = np.eye(6)[3 + column]

            def after(amount, direction=direction, start=start):
                return BALL.step(moved(BALL.model, start, direction, amount), kappa=kappa).state

            expected, error = difference_column(after, BALL, step.state, 1e-3)
            expected[3:] /= BALL.timestep
            assert np.abs(line.A[:, 3 + column] - expected).max() < 1e-6 * max(np.abs(expected).max(), 1.0) + 100 * error


def test_the_bound_has_a_derivative():
    start, kappa = BALL.initial_state([np.cos(0.5), 0.0, np.sin(0.5), 0.0], [0.3, 2.0, -0.5]), 1e-3
    column = BALL.linearize(start, kappa=kappa, parameters=["joint_range"]).parameters["joint_range"][:, 0]
    ends = []
    for sign in (1, -1):
        sim = BALL.with_parameters({"joint_range": [1.2 + sign * 1e-5]})
        ends.append(sim.step(sim.initial_state(start.qpos, start.qvel), kappa=kappa).state.qvel)
    assert np.allclose(column[3:], (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-7)
