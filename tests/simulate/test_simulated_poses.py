"""Poses, velocities and Jacobians of points of both simulators, against the wheel's kinematics."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, State, load_model

NAMES = ("quadruped", "atlas", "dzhanibekov", "fourbar", "panda")


MODELS = Path(__file__).resolve().parents[2] / "models"


def wheel_of(name):
    return mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))


def state_of(model, rng):
    return model.integrate(model.qpos0, rng.normal(size=model.nv)), rng.normal(size=model.nv)


@pytest.mark.parametrize("name", NAMES)
def test_poses_velocities_and_jacobians_are_the_wheels(name):
    """Measured: 4e-15."""
    rng = np.random.default_rng(1)
    sim, wheel = SoftSimulator(load_model(name)), wheel_of(name)
    qpos, qvel = state_of(sim.model, rng)
    data = mujoco.MjData(wheel)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(wheel, data)
    state = sim.initial_state(qpos, qvel)
    poses = sim.poses(state)
    groups = ((poses.bodies, data.xpos, data.xmat, "XBODY"), (poses.inertial, data.xipos, data.ximat, "BODY"))
    groups += ((poses.geoms, data.geom_xpos, data.geom_xmat, "GEOM"), (poses.sites, data.site_xpos, data.site_xmat, "SITE"))
    for frames, position, rotation, kind in groups:
        assert np.allclose(frames.position, position, rtol=0, atol=1e-13)
        assert np.allclose(frames.rotation.reshape(-1, 9), rotation, rtol=0, atol=1e-13)
        twist, local = np.zeros(6), np.zeros(6)
        for i in range(len(position)):
            mujoco.mj_objectVelocity(wheel, data, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), i, twist, 0)
            mujoco.mj_objectVelocity(wheel, data, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), i, local, 1)
            assert np.allclose(frames.velocity[i], twist[3:], rtol=0, atol=1e-12)
            assert np.allclose(frames.world_angular[i], twist[:3], rtol=0, atol=1e-12)
            assert np.allclose(frames.angular[i], local[:3], rtol=0, atol=1e-12)
    body, point, jacp, jacr = sim.model.nbody - 1, rng.normal(size=3), *np.zeros((2, 3, wheel.nv))
    there = sim.jacobian(state, body=body, point=point)
    mujoco.mj_jac(wheel, data, jacp, jacr, there.position, body)
    assert np.allclose(there.position, data.xpos[body] + data.xmat[body].reshape(3, 3) @ point, rtol=0, atol=1e-13)
    assert np.allclose(there.linear, jacp, rtol=0, atol=1e-13) and np.allclose(there.angular, jacr, rtol=0, atol=1e-13)
    geom = sim.jacobian(state, geom=int(wheel.ngeom) - 1)
    assert np.allclose(geom.linear @ qvel, poses.geoms.velocity[-1], rtol=0, atol=1e-12)
    of_wheel = SoftSimulator(wheel)
    assert np.array_equal(of_wheel.poses(of_wheel.initial_state(qpos, qvel)).bodies.position, poses.bodies.position)


@pytest.mark.parametrize("mode", [HardSimulator, SoftSimulator])
def test_states_know_their_joints(mode):
    sim = mode(load_model("quadruped"))
    state = sim.initial_state(keyframe="drop")
    name = sim.model.joint_names[-1]
    assert np.array_equal(state.joint(name).qpos, state.qpos[-1:]) and np.array_equal(state.joint(name).qvel, state.qvel[-1:])
    assert state.joint(0).qpos.shape == (7,) and state.joint(0).qvel.shape == (6,)
    for other in (sim.step(state).state, sim.rollout(state, np.zeros((2, sim.model.nu))).final_state):
        assert np.array_equal(other.joint(name).qpos, other.qpos[-1:])
    torso = sim.poses(state).body(sim.model.body_names[1])
    assert np.array_equal(torso.position, state.qpos[:3])
    with pytest.raises(ValueError, match="exactly one of body, geom, site"):
        sim.jacobian(state)
    with pytest.raises(ValueError, match="no site is named 'x'"):
        sim.jacobian(state, site="x")
    for number in (1.5, True, np.inf, -1):
        with pytest.raises(ValueError, match=f"body={number} must be an integer, at least 0"):
            sim.jacobian(state, body=number)
    with pytest.raises(ValueError, match="knows no model"):
        State(state.qpos, state.qvel, state.act).joint(name)
