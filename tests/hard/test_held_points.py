"""Cylinders that lie, settle and stand on planes and faces; corners that meet corners: contacts whose points wander in a step."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dojo_py

PLANE = '<geom type="plane" size="0 0 1" {} friction="{} 0 0"/>'


def _coin(radius, half, friction, timestep, plane=""):
    return dojo_py.load_model(
        f'<mujoco><option timestep="{timestep}"/><worldbody>{PLANE.format(plane, friction)}<body><freejoint/>'
        f'<geom type="cylinder" size="{radius} {half}" friction="{friction} 0 0"/></body></worldbody></mujoco>'
    )


def _lowest(qpos, radius, half, normal):
    """Distance [m] of a cylinder from the plane through the origin, in closed form: n · x - half |n · z| - radius |n × z|."""
    z = Rotation.from_quat(qpos[:, 3:], scalar_first=True).as_matrix()[:, :, 2]
    return qpos[:, :3] @ normal - half * np.abs(z @ normal) - radius * np.linalg.norm(np.cross(z, normal), axis=1)


@pytest.mark.parametrize("timestep", [0.01, 0.002])
@pytest.mark.parametrize("friction", [0.0, 0.8])
def test_coins_settle_without_sinking(friction, timestep):
    """Six coins and rods that fall with random turns. Measured: smallest gap -4.5e-10 m (3e-4 of the radius before)."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        radius, half = rng.uniform(0.02, 0.3), rng.uniform(0.01, 0.3)
        model = _coin(radius, half, friction, timestep)
        sim = dojo_py.HardSimulator(model)
        turn = Rotation.from_rotvec(rng.normal(scale=rng.choice([0.01, 0.5]), size=3)).as_quat(scalar_first=True)
        qpos = np.concatenate([[0.0, 0.0, 1.2 * (radius + half)], turn])
        run = sim.rollout(sim.initial_state(qpos=qpos, qvel=rng.normal(scale=0.5, size=6)), np.zeros((int(1.5 / timestep), 0)))
        gap = _lowest(run.qpos, radius, half, np.array([0.0, 0.0, 1.0]))
        assert run.unsolved == 0
        assert gap.min() > -1e-9
        assert np.abs(gap[1:] - run.min_gap).max() < 1e-9


def test_a_coin_lies_on_a_slope():
    """Tilted by 20 degrees at friction 0.5, flat on it: at rest, nothing slips. Measured: 5e-11 m/s."""
    slope = np.deg2rad(20.0)
    model = _coin(0.1, 0.02, 0.5, 0.01, 'euler="0 20 0"')
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    turn = Rotation.from_euler("y", slope).as_quat(scalar_first=True)
    sim = dojo_py.HardSimulator(model)
    run = sim.rollout(sim.initial_state(qpos=np.concatenate([0.02 * normal, turn])), np.zeros((200, 0)))
    assert run.unsolved == 0
    assert np.abs(_lowest(run.qpos, 0.1, 0.02, normal)).max() < 1e-9
    assert np.abs(run.qvel[-1]).max() < 1e-8


def test_a_cylinder_stands_on_a_box_that_it_nearly_covers():
    """Its rim crosses all four edges at flat angles. Measured: at most 6 iterations a step (510, INEXACT, before)."""
    model = dojo_py.load_model(
        '<mujoco><option timestep="0.002"/><worldbody><geom type="box" size="0.2 0.217 0.1" pos="0 0 -0.1" euler="0 0 6.7"/>'
        '<body pos="0.003 0.01 0.169"><freejoint/><geom type="cylinder" size="0.227 0.169" friction="0 0 0" mass="79"/></body>'
        "</worldbody></mujoco>"
    )
    sim = dojo_py.HardSimulator(model)
    run = sim.rollout(sim.initial_state(), np.zeros((100, 0)))
    assert run.unsolved == 0
    assert run.min_gap.min() > -1e-9
    assert run.iterations.max() < 20


@pytest.mark.parametrize("kind", ["box", "cylinder"])
@pytest.mark.parametrize("angle", [0.2, 0.6, 1.0])
def test_corners_that_meet_corners(kind, angle):
    """Two bodies fly at each other, symmetric about a plane, corner at corner: any normal between them is one."""
    shape = 'type="cylinder" size="0.06 0.187"' if kind == "cylinder" else 'type="box" size="0.06 0.05 0.187"'
    model = dojo_py.load_model(
        '<mujoco><option timestep="0.008" gravity="0 0 0"/><worldbody>'
        f'<body pos="-0.3 0 0"><freejoint/><geom {shape} friction="0.4 0 0"/></body>'
        f'<body pos="0.3 0 0"><freejoint/><geom {shape} friction="0.4 0 0"/></body></worldbody></mujoco>'
    )
    sim = dojo_py.HardSimulator(model)
    qpos, qvel = model.qpos0.copy(), np.zeros(12)
    for b, sign in enumerate((1.0, -1.0)):
        qpos[7 * b + 3 : 7 * b + 7] = [np.cos(angle / 2), 0.0, sign * np.sin(angle / 2), 0.0]
        qvel[6 * b] = sign
    run = sim.rollout(sim.initial_state(qpos=qpos, qvel=qvel), np.zeros((60, 0)))
    assert run.unsolved == 0
    assert run.min_gap.min() > -1e-9
    assert np.abs(run.qvel[:, 0] + run.qvel[:, 6]).max() < 1e-12
    assert run.min_gap.min() < 1e-6
