"""PPO of a public library learns on the environments. Minutes: deselected by default."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
stable_baselines3 = pytest.importorskip("stable_baselines3")

import dojo_py.environments  # noqa: E402, F401  registers the names

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def mean_return(model, name, episodes=10, **keywords):
    """Mean return of the deterministic policy over fixed seeds."""
    env = gymnasium.make(name, **keywords)
    totals = []
    for seed in range(episodes):
        observation, _ = env.reset(seed=1000 + seed)
        total, over = 0.0, False
        while not over:
            action, _ = model.predict(observation, deterministic=True)
            observation, reward, terminated, truncated, _ = env.step(action)
            total, over = total + reward, terminated or truncated
        totals.append(total)
    return float(np.mean(totals))


SETTINGS = {
    "Pendulum": (60_000, {"n_steps": 256, "gamma": 0.9, "learning_rate": 1e-3, "use_sde": True, "sde_sample_freq": 4}),
    "Hopper": (60_000, {"n_steps": 256, "gamma": 0.99, "learning_rate": 3e-4}),
}
"""Steps, and PPO's settings; four worlds."""


@pytest.mark.parametrize("name", SETTINGS)
def test_ppo_improves(name):
    import torch
    from stable_baselines3.common.env_util import make_vec_env

    torch.set_num_threads(1)
    steps, settings = SETTINGS[name]
    full = f"dojo_py/{name}-v0"
    worlds = make_vec_env(full, n_envs=4, seed=0)
    model = stable_baselines3.PPO("MlpPolicy", worlds, seed=0, batch_size=64, device="cpu", **settings)
    before = mean_return(model, full)
    model.learn(steps)
    after = mean_return(model, full)
    print(f"{name}: {before:.1f} -> {after:.1f} after {steps} steps")
    if name == "Pendulum":
        assert after > before + 400
    else:
        assert after > 2 * before and after > 150
