"""Islands in which nothing touches move as if there were no contacts: to round-off, and without impulses."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

BALL = '<body pos="{} {} {}"><freejoint/><geom type="sphere" size="0.0145" mass="0.0061"/></body>'
WALLS = "".join(f'<geom type="plane" size="0 0 1" zaxis="{axis}"/>' for axis in ("0 0 1", "1 0 0", "0 1 0"))


def simulator(bodies: str, gravity: str = "0 0 0", friction: str = "cone", timestep: float = 0.003) -> HardSimulator:
    xml = f'<mujoco><option gravity="{gravity}"/><worldbody>{bodies}</worldbody></mujoco>'
    return HardSimulator(load_model(xml), timestep=timestep, friction=friction)


@pytest.mark.parametrize("friction", ["cone", "pyramid", "none"])
def test_a_ball_that_touches_three_walls_without_a_load_stays(friction):
    """Nothing moves. Before: 1.2e-5 m/s away from each wall, the end of the central path at a tolerance of 1e-12 N s m."""
    sim = simulator(WALLS + BALL.format(0.0145, 0.0145, 0.0145), friction=friction)
    run = sim.rollout(sim.initial_state(), np.zeros((20, 0)))
    assert run.unsolved == 0
    assert np.all(run.qvel == 0.0)


def test_bodies_that_touch_fall_side_by_side():
    """Measured: 0. Before: 1e-5 m/s apart."""
    sim = simulator(BALL.format(0, 0, 0) + BALL.format(0.029, 0, 0) + BALL.format(0, 0, 0.029), "0 0 -9.81")
    run = sim.rollout(sim.initial_state(), np.zeros((20, 0)))
    assert run.unsolved == 0
    fall = run.qvel.reshape(len(run.qvel), 3, 6)
    assert np.abs(fall - fall[:, :1]).max() < 1e-14
    np.testing.assert_allclose(fall[-1, 0, 2], -9.81 * 20 * 0.003, rtol=1e-12)


@pytest.mark.parametrize("friction", ["cone", "pyramid", "none"])
def test_flight_near_a_floor_takes_no_iterations_and_then_lands(friction):
    """Contacts within reach have no impulse until one is needed: no iterations in flight, before 4."""
    sim = simulator(WALLS + BALL.format(1, 1, 0.05), "0 0 -9.81", friction)
    state = sim.initial_state(np.array([1, 1, 0.05, 1, 0, 0, 0.0]), np.array([0.3, 0, 0, 0, 0, 0.0]))
    run = sim.rollout(state, np.zeros((60, 0)))
    assert run.unsolved == 0
    height = run.qpos[:, 2] - 0.0145
    flying = np.flatnonzero(height[1:] > 1e-6)
    assert len(flying) > 10 and run.iterations[flying].max() == 0
    assert run.complementarity[flying].max() == 0.0
    assert height[-1] < 1e-8 and run.min_gap.min() > 0.0


def test_a_hinge_at_its_limit_without_a_load_stays():
    """A limit is a contact of coordinates."""
    link = '<body><joint type="hinge" axis="0 0 1" range="0 60"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/></body>'
    sim = simulator(link, "0 0 -9.81")
    run = sim.rollout(sim.initial_state(np.zeros(1)), np.zeros((20, 0)))
    assert run.unsolved == 0 and np.all(run.qvel == 0.0)
