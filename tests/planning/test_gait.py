"""The trot's reference: legs that reach their feet, feet that stay where they stand, torques that hold the weight."""

import numpy as np
import pytest

import dojo_py
from dojo_py.reproduce.gait import LEGS, Trot, foot_position, holding_torques, leg_angles


@pytest.mark.parametrize("seed", range(5))
def test_leg_angles_are_inverse(seed):
    generator = np.random.default_rng(seed)
    for sx, sy in LEGS.values():
        foot = np.array([sx * 0.183, sy * 0.132, -0.27]) + 0.05 * generator.standard_normal(3)
        np.testing.assert_allclose(foot_position(leg_angles(foot, sx, sy), sx, sy), foot, atol=1e-14)
    with pytest.raises(ValueError, match="out of the leg's reach"):
        leg_angles(np.array([0.183, -0.132, -0.5]), 1, -1)


def test_carrying_feet_stand_still_and_the_others_swing():
    gait = Trot()
    for time in np.arange(0.0, 2.0, 0.05):
        carry = gait.in_stance(time)
        now, then = (gait.feet(t) + [gait.speed * t, 0.0, 0.0] for t in (time, time + 0.0499))
        np.testing.assert_allclose(now[carry], then[carry], atol=1e-12)
        assert carry.sum() == 2 and np.all(then[~carry, 0] > now[~carry, 0])
        assert np.all(now[:, 2] + gait.trunk_height >= 0.02 - 1e-12), "no foot below the ground"


def test_reference_velocity_is_the_difference_over_the_step():
    model, gait, h = dojo_py.load_model("quadruped"), Trot(), 0.05
    qpos, qvel = gait.reference(model, h * np.arange(41), h)
    assert qpos[-1, 0] == pytest.approx(0.4) and np.all(qpos[:, 2] == gait.trunk_height)
    np.testing.assert_allclose(model.integrate(qpos[3], h * qvel[4]), qpos[4], atol=1e-12)
    low, high = model.jnt_range[1:].T
    assert np.all((qpos[:, 7:] > low) & (qpos[:, 7:] < high))


def test_holding_torques_hold():
    """Two seconds on four feet without feedback: the trunk stays. Bounds 0.05 m, measured 0.031 m (creep along x)."""
    model = dojo_py.load_model("quadruped")
    model = model.replace(dof_damping=np.where(np.arange(model.nv) < 6, 0.0, 10.0))
    sim = dojo_py.HardSimulator(model, timestep=0.05)
    qpos = Trot().qpos(0.0)
    torques = holding_torques(sim, qpos, np.ones(4))
    trunk = sim.rollout(sim.initial_state(qpos), np.tile(torques, (40, 1))).qpos[:, :3]
    assert np.abs(trunk - qpos[:3]).max() < 0.05
    idle = sim.rollout(sim.initial_state(qpos), np.zeros((40, 12))).qpos[-1, 2]
    assert idle < 0.2, "without torques it sinks down"
