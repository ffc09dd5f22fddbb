"""dm_control's suite with our simulators: what its tasks read is MuJoCo's, and episodes run in both modes."""

import os

import numpy as np
import pytest

os.environ.setdefault("MUJOCO_GL", "disable")
pytest.importorskip("dm_control")
mujoco = pytest.importorskip("mujoco")

from dojo_py import save_mjcf  # noqa: E402
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
    assert env.physics.render(48, 64).shape == (48, 64, 3)


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="mode='firm'"):
        load("cheetah", "run", "firm")
    with pytest.raises(ValueError, match="Level|does not exist|task"):
        load("cheetah", "fly")
