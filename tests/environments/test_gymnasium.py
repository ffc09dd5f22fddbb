"""The environments against Gymnasium's own checks, and the promises about seeds, vectors and gradients."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from dojo_py.environments import TASKS, environment_ids, make_task, register_environments  # noqa: E402
from dojo_py.environments.single import DojoEnv  # noqa: E402
from dojo_py.environments.vector import DojoVectorEnv  # noqa: E402

register_environments()
pytestmark = pytest.mark.filterwarnings("ignore:.*(infinity|render modes|symmetric and normalized):UserWarning")
MODES = ("hard", "soft")


def episode(env, seed, steps=25):
    """Everything an episode with random actions returns, as one list of arrays."""
    actions = np.random.default_rng(seed)
    found = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        space = env.action_space
        action = actions.uniform(space.low, space.high).astype(np.float32)
        observation, reward, terminated, truncated, _ = env.step(action)
        found += [observation, np.array([reward, terminated, truncated])]
        if terminated or truncated:
            break
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", environment_ids())
def test_gymnasium_finds_nothing_wrong(name, mode):
    env = gymnasium.make(name, mode=mode, render_mode="rgb_array", width=32, height=24)
    check_env(env.unwrapped)
    assert env.spec.max_episode_steps == env.unwrapped.task.horizon


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", environment_ids())
def test_same_seed_same_episode_bit_for_bit(name, mode):
    first, second = (episode(gymnasium.make(name, mode=mode), 7) for _ in range(2))
    assert len(first) == len(second) and all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["Hopper", "Ant", "Quadrotor"])
def test_world_i_of_a_vector_lives_the_episode_of_seed_plus_i(name, mode):
    worlds = gymnasium.make_vec(f"dojo_py/{name}-v0", num_envs=3, mode=mode)
    singles = [gymnasium.make(f"dojo_py/{name}-v0", mode=mode) for _ in range(3)]
    observations, _ = worlds.reset(seed=5)
    over = np.zeros(3, bool)
    for i, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=5 + i)[0], observations[i])
    actions = np.random.default_rng(0)
    for _ in range(30):
        action = actions.uniform(-1, 1, worlds.action_space.shape).astype(np.float32)
        observations, rewards, terminated, truncated, infos = worlds.step(action)
        for i, env in enumerate(singles):
            if over[i]:  # starts anew and ignores the action
                found, reward, t, c = env.reset()[0], 0.0, False, False
            else:
                found, reward, t, c, info = env.step(action[i])
                assert infos["status"][i] == info["status"] and infos["_status"][i]
            assert np.array_equal(found, observations[i]) and reward == rewards[i]
            assert (t, c) == (terminated[i], truncated[i])
            over[i] = t or c


def test_a_vector_truncates_at_the_horizon():
    worlds = gymnasium.make_vec("dojo_py/Pendulum-v0", num_envs=2)
    worlds.reset(seed=0)
    for k in range(201):
        _, _, terminated, truncated, _ = worlds.step(np.zeros((2, 1), np.float32))
        assert not terminated.any() and truncated.all() == (k == 199)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["HalfCheetah", "BlockPush", "Quadrotor"])
def test_info_carries_the_gradient_of_the_step(name, mode):
    """B's columns against central differences of the environment itself."""
    env = gymnasium.make(f"dojo_py/{name}-v0", mode=mode, gradients=True, kappa=1e-3).unwrapped
    task = env.task
    env.reset(seed=1)
    action = np.full(task.action_size, 0.2, np.float32)
    env.step(action)
    before = env.state
    info = env.step(action)[4]
    size = 2 * task.sim.model.nv
    assert info["A"].shape == (size, size) and info["B"].shape == (size, task.action_size)
    u, eps = action.astype(float), 1e-5
    for j in range(task.action_size):
        step = eps * np.eye(task.action_size)[j]
        plus, minus = (task.move([before], (u + s)[None], kappa=1e-3)[0].state for s in (step, -step))
        dq = task.sim.model.difference(plus.qpos, minus.qpos)
        expected = np.concatenate([dq, plus.qvel - minus.qvel]) / (2 * eps)
        assert np.abs(info["B"][:, j] - expected).max() <= 1e-4 * max(1.0, np.abs(expected).max())


def test_vector_infos_carry_gradients():
    worlds = gymnasium.make_vec("dojo_py/Pendulum-v0", num_envs=2, mode="soft", gradients=True)
    worlds.reset(seed=0)
    infos = worlds.step(np.zeros((2, 1), np.float32))[4]
    assert infos["A"].shape == (2, 2, 2) and infos["B"].shape == (2, 2, 1)


@pytest.mark.parametrize("name", TASKS)
def test_tasks_are_values(name):
    """Equal settings are one task, which goes through a pickle; no simulator travels with it."""
    task = make_task(name)
    again = pickle.loads(pickle.dumps(task))
    assert again == task and hash(again) == hash(task) and again.sim is task.sim
    assert len(pickle.dumps(task)) < 2000


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="did you mean 'Hopper'"):
        make_task("Hoper")
    with pytest.raises(ValueError, match="mode='hart'"):
        make_task("Hopper", mode="hart")
    with pytest.raises(ValueError, match="contact_form='impulse' is not one of"):
        make_task("Ant", contact_form="impulse")
    with pytest.raises(ValueError, match=r"target_speed=0\.0 must not be 0"):
        make_task("Quadruped", target_speed=0.0)
    with pytest.raises(ValueError, match="paper states no settings"):
        make_task("Hopper", "paper")
    with pytest.raises(ValueError, match="action has shape"):
        env = gymnasium.make("dojo_py/Hopper-v0").unwrapped
        env.reset(seed=0)
        env.step(np.zeros(2))
    with pytest.raises(ValueError, match="render_mode"):
        DojoEnv("Hopper", render_mode="ansi")


def test_names_are_known_without_compiling_anything():
    code = """import sys, gymnasium
env = gymnasium.make("dojo_py.environments:dojo_py/HalfCheetah-v0", mode="hard", timestep=0.05, disable_env_checker=True)
assert env.spec.id == "dojo_py/HalfCheetah-v0"
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    light = "import sys, dojo_py.environments; assert 'numba' not in sys.modules and 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", light], check=True)


def test_without_gymnasium_the_remedy_is_named():
    code = """import sys; sys.modules["gymnasium"] = None
from dojo_py.environments import make_task, register_environments
assert make_task("Hopper").horizon == 1000
try:
    from dojo_py.environments.single import DojoEnv
except ImportError as error:
    assert 'pip install "dojo-sim[envs]"' in str(error)
else:
    raise SystemExit(1)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_entry_point_is_declared():
    import tomllib
    from pathlib import Path

    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    target = tomllib.loads(text)["project"]["entry-points"]["gymnasium.envs"]["dojo_py"]
    module, function = target.split(":")
    assert callable(getattr(__import__(module, fromlist=[function]), function))


def test_timestep_and_frame_skip():
    assert make_task("HalfCheetah", timestep=0.05).frame_skip == 1
    assert make_task("HalfCheetah", timestep=0.01).frame_skip == 5
    soft = make_task("HalfCheetah", mode="soft")
    assert soft.frame_skip == 5 and soft.dt == pytest.approx(0.05)


def test_options_that_do_not_exist_are_refused():
    """They were not read: a start in another state by a mistyped name was a random one."""
    for env, known in ((DojoEnv("Pendulum"), r"\['state'\]"), (DojoVectorEnv("Pendulum", 2), r"\['state', 'reset_mask'\]")):
        with pytest.raises(ValueError, match=rf"options: 'stat', 3 is not one of {known}"):
            env.reset(options={"stat": None, 3: 1})
        with pytest.raises(TypeError, match="expected a dict"):
            env.reset(options=[])
        env.reset(seed=0, options={})
        state = env.task.initial_state(np.random.default_rng(7))
        seen, _ = env.reset(options={"state": state})
        assert np.array_equal(np.atleast_2d(seen)[0], env.task.observe(state, None))
