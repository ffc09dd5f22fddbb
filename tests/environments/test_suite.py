"""dm_control's suite with our simulators: what its tasks read is MuJoCo's, and episodes run in both modes."""

import os

import numpy as np
import pytest

os.environ.setdefault("MUJOCO_GL", "disable")
pytest.importorskip("dm_control")
mujoco = pytest.importorskip("mujoco")

from dojo_py import Status, save_mjcf  # noqa: E402
from dojo_py.environments.suite import load  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of dm_control
FIELDS = ("xpos", "xmat", "xipos", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat", "subtree_com", "xanchor", "xaxis")


@pytest.mark.parametrize("domain, task", [("cheetah", "run"), ("walker", "walk"), ("humanoid", "stand"), ("fish", "swim")])
def test_what_tasks_read_is_what_mujoco_has(domain, task, tmp_path):
    """Poses to 1e-9, sensors of positions and velocities to 1e-7, in a state on the way."""
    env = load(domain, task, "soft", task_kwargs={"random": 0})
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(5):
        env.step(rng.uniform(-1, 1, env.action_spec().shape))
    physics = env.physics
    model = mujoco.MjModel.from_xml_path(str(save_mjcf(physics.simulator.model, tmp_path / "it.xml") or tmp_path / "it.xml"))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = physics.data.qpos, physics.data.qvel, physics.data.ctrl
    mujoco.mj_forward(model, data)
    for name in FIELDS:
        mine = getattr(physics.data, name)
        np.testing.assert_allclose(mine, np.reshape(getattr(data, name), mine.shape), atol=1e-9, err_msg=name)
    early = np.repeat(model.sensor_needstage < 3, model.sensor_dim)
    np.testing.assert_allclose(physics.data.sensordata[early], data.sensordata[early], atol=1e-7)
    body = model.body(model.nbody - 1).name
    assert physics.named.data.xmat[body, "zz"] == physics.data.xmat[-1, 8]
    joint = model.joint(model.njnt - 1)
    assert np.array_equal(physics.named.data.qpos[joint.name], physics.data.qpos[joint.qposadr[0] :][: len(joint.qpos0)])


def wheel_of(physics, tmp_path):
    """(MjModel, MjData) of the wheel in the physics' state."""
    save_mjcf(physics.simulator.model, tmp_path / "it.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "it.xml"))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.act[:], data.ctrl[:] = (getattr(physics.data, k) for k in ("qpos", "qvel", "act", "ctrl"))
    return model, data


def test_after_an_action_forces_are_those_of_its_last_step(tmp_path):
    """And everything else that is sensed is of the state it ends in, as in dm_control."""
    env = load("quadruped", "walk", "soft", task_kwargs={"random": 0})
    env.reset()
    physics, actions = env.physics, np.random.default_rng(0).uniform(-1, 1, (2, env.action_spec().shape[0]))
    env.step(actions[0])
    model, data = wheel_of(physics, tmp_path)
    data.ctrl[:] = actions[1]
    for _ in range(round(env.control_timestep() / physics.timestep())):
        mujoco.mj_step(model, data)
    acting, of_last_step = np.repeat(model.sensor_needstage == 3, model.sensor_dim), data.sensordata.copy()
    mujoco.mj_forward(model, data)
    assert np.abs(of_last_step - data.sensordata)[acting].max() > 1.0
    env.step(actions[1])
    np.testing.assert_allclose(physics.data.sensordata, np.where(acting, of_last_step, data.sensordata), rtol=1e-7, atol=1e-7)
    assert physics.status is Status.SOLVED


@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_the_quadruped_stands_on_the_bowl_that_its_task_writes(mode):
    env = load("quadruped", "escape", mode, task_kwargs={"random": 0})
    env.reset()
    step, heights = env.step(np.zeros(env.action_spec().shape)), env.physics.simulator.model.hfield_data
    assert np.ptp(heights) > 0.5 and np.array_equal(heights, env.physics.model.hfield_data)
    assert np.ptp(step.observation["rangefinder"]) > 0.1 and env.physics.status is Status.SOLVED


def test_the_dog_finds_its_bones_and_feels_no_muscles_at_the_start(tmp_path):
    """Meshes are found by their names, wherever the file looks for them; velocities are asked for by object, too."""
    env = load("dog", "fetch", "soft", task_kwargs={"random": 0})
    env.reset()
    model, data = wheel_of(env.physics, tmp_path)
    assert np.abs(data.act).max() > 0.1
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(env.physics.data.sensordata, data.sensordata, rtol=1e-3, atol=1e-4)
    for kind, name in (("body", "torso"), ("xbody", "torso"), ("geom", "ball"), ("site", "head")):
        for local in (False, True):
            theirs, number = np.zeros(6), mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name)
            number = model.body(name).id if kind == "xbody" else number
            mujoco.mj_objectVelocity(model, data, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), number, theirs, local)
            ours = env.physics.data.object_velocity(name, kind, local)
            np.testing.assert_allclose(ours, theirs.reshape(2, 3)[::-1], atol=1e-9, err_msg=kind)


@pytest.mark.parametrize("mode", ["hard", "soft"])
@pytest.mark.parametrize("domain, task", [
    ("cartpole", "swingup"), ("cheetah", "run"), ("finger", "turn_easy"), ("hopper", "stand"), ("point_mass", "hard"),
    ("reacher", "easy"), ("swimmer", "swimmer6"), ("walker", "walk"),
])  # fmt: skip
def test_episodes_run(domain, task, mode):
    """Ten random actions: observations as the suite says, rewards of 0 to 1; the same seed gives the same episode."""
    seen = []
    for _ in range(2):
        env = load(domain, task, mode, task_kwargs={"random": 1})
        step, spec, rng, rewards = env.reset(), env.action_spec(), np.random.default_rng(0), []
        for _ in range(10):
            step = env.step(rng.uniform(spec.minimum, spec.maximum))
            rewards.append(step.reward)
        assert {k: v.shape for k, v in env.observation_spec().items()} == {k: np.shape(v) for k, v in step.observation.items()}
        seen.append((rewards, np.concatenate([np.ravel(v) for v in step.observation.values()])))
    assert np.all(np.isfinite(seen[0][1])) and 0.0 <= min(seen[0][0]) <= max(seen[0][0]) <= 1.0
    assert seen[0][0] == seen[1][0] and np.array_equal(seen[0][1], seen[1][1])


def test_what_a_task_writes_into_the_model_is_simulated():
    """The reacher's target is put elsewhere at every start; another time step is another number of steps an action."""
    env = load("reacher", "hard", "hard", timestep=0.01, task_kwargs={"random": 0})
    env.reset()
    first = env.physics.named.data.geom_xpos["target"].copy()
    env.reset()
    assert not np.allclose(first, env.physics.named.data.geom_xpos["target"])
    assert np.array_equal(env.physics.simulator.model.geom("target").pos, env.physics.named.model.geom_pos["target"])
    env.step(np.ones(2))
    assert env.physics.time() == pytest.approx(env.control_timestep()) and env.physics.timestep() == 0.01
    assert env.physics.render(48, 64).shape == env.physics.render(48, 64, 0).shape == (48, 64, 3)
    for other in ("depth", "segmentation"):
        with pytest.raises(ValueError, match="depth and segmentation are not drawn"):
            env.physics.render(48, 64, **{other: True})


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="mode='firm'"):
        load("cheetah", "run", "firm")
    with pytest.raises(ValueError, match="Level|does not exist|task"):
        load("cheetah", "fly")
