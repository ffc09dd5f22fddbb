"""The kinematics of pictures and observations against the wheel."""

import numpy as np
import pytest

from dojo_py import load_model, models
from dojo_py.environments import make_task
from dojo_py.environments.kinematics import (
    body_poses,
    centre_of_mass,
    composite_inertia,
    contact_wrenches,
    poses_of,
    twists_at,
)

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", ["humanoid", "ant", "half_cheetah", "quadruped", "cartpole", "quadrotor"])
def test_poses_inertias_and_twists_are_those_of_the_wheel(name):
    model = load_model(name)
    theirs = mujoco.MjModel.from_xml_path(str(models.path(name)))
    data = mujoco.MjData(theirs)
    rng = np.random.default_rng(0)
    data.qpos[:] = model.integrate(model.qpos0, 0.4 * rng.standard_normal(model.nv))
    data.qvel[:] = rng.standard_normal(model.nv)
    mujoco.mj_forward(theirs, data)
    poses = body_poses(model, data.qpos, data.qvel)
    assert np.allclose(poses.position, data.xpos, atol=1e-12)
    assert np.allclose(poses.rotation.reshape(-1, 9), data.xmat, atol=1e-12)
    if model.jnt_type[0] != 0:
        return  # a free tree's quantities refer to its own centre of mass, which is then everything's
    centre = centre_of_mass(model, poses)
    assert np.allclose(centre, data.subtree_com[1], atol=1e-12)
    assert np.allclose(composite_inertia(model, poses, centre), data.cinert, atol=1e-12)
    assert np.allclose(twists_at(poses, centre), data.cvel, atol=1e-12)


def test_contact_wrenches_are_the_wheels_cfrc_ext():
    task = make_task("Ant", mode="soft", frame_skip=25)
    model = task.sim.model
    state = task.initial_state(np.random.default_rng(3))
    state = task.move([state], np.zeros((1, 8)))[0].state
    step = task.sim.step(state, np.zeros(8))
    theirs = mujoco.MjModel.from_xml_path(str(models.path("ant")))
    theirs.opt.timestep = task.timestep
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    mujoco.mj_forward(theirs, data)
    mujoco.mj_rnePostConstraint(theirs, data)
    assert np.abs(data.cfrc_ext).max() > 0.1
    centre = centre_of_mass(model, body_poses(model, state.qpos))
    found = contact_wrenches(model, step.contacts, centre, task.timestep)
    assert np.allclose(found[1:], data.cfrc_ext[1:], rtol=1e-5, atol=1e-5 * np.abs(data.cfrc_ext).max())


def test_poses_are_kept_for_a_state_until_it_changes():
    task = make_task("Humanoid")
    model, state = task.sim.model, task.initial_state(np.random.default_rng(0))
    first = poses_of(model, state)
    assert poses_of(model, state)[0] is first[0]
    assert np.array_equal(first[1], centre_of_mass(model, body_poses(model, state.qpos)))
    state.qpos[0] += 1.0
    assert np.allclose(poses_of(model, state)[1], first[1] + [1.0, 0, 0])
