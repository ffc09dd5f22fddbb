"""DojoVectorEnv against `gymnasium.vector.SyncVectorEnv` of the same environments: the same numbers, names and kinds of number."""

import copy

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402
from gymnasium.wrappers import vector as wrappers  # noqa: E402

from dojo_py.environments import make_task  # noqa: E402
from dojo_py.environments.single import DojoEnv  # noqa: E402
from dojo_py.environments.vector import DojoVectorEnv  # noqa: E402

WORLDS, HORIZON = 4, 9
TASKS = {
    "Hopper": {"reset_noise_scale": 0.2},
    "Ant": {"reset_noise_scale": 0.3},
    "Pendulum": {"mode": "soft"},
}
"""Hopper: worlds end alone, at different times. Ant: what is seen holds contacts. Pendulum: all are truncated at once."""


def pair(name, mode=AutoresetMode.NEXT_STEP, **keywords):
    """The vector, and Gymnasium's of as many single environments under its own limit of time."""
    task = make_task(name, **TASKS[name])
    mine = DojoVectorEnv(task, WORLDS, max_episode_steps=HORIZON, threads=2, autoreset_mode=mode, **keywords)
    singles = [lambda: gymnasium.wrappers.TimeLimit(DojoEnv(task, **keywords), HORIZON) for _ in range(WORLDS)]
    return mine, SyncVectorEnv(singles, autoreset_mode=mode)


def same(a, b):
    """Bit for bit, kinds of numbers included; through dicts and arrays of objects."""
    assert type(a) is type(b), (type(a), type(b))
    if isinstance(a, (tuple, list)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, dict):
        assert set(a) == set(b), set(a) ^ set(b)
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype == object:
            same(list(a), list(b))
        else:
            assert np.array_equal(a, b)
    else:
        assert a == b


def both(envs, name, *arguments, **keywords):
    """The same call of the two, with options of their own (Gymnasium's takes entries out of them)."""
    mine, theirs = (getattr(env, name)(*copy.deepcopy(arguments), **copy.deepcopy(keywords)) for env in envs)
    same(mine, theirs)
    return mine


def actions_of(env, rng):
    return rng.uniform(env.action_space.low, env.action_space.high).astype(np.float32)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", TASKS)
def test_episodes_are_those_of_gymnasiums_vector(name, mode):
    """Observations, rewards, ends, infos; seeds counted up, one each and none; some worlds reset in the midst of an episode."""
    envs, rng = pair(name, mode), np.random.default_rng(0)
    both(envs, "reset", seed=11)
    ends = 0
    for step in range(40):
        *_, terminated, truncated, infos = both(envs, "step", actions_of(envs[0], rng))
        over = terminated | truncated
        ends += int(over.sum())
        assert ("final_obs" in infos) == (mode is AutoresetMode.SAME_STEP and over.any())
        if mode is AutoresetMode.DISABLED and over.any():
            both(envs, "reset", options={"reset_mask": over})
        elif step == 13:
            both(envs, "reset", seed=[3, None, 5, None], options={"reset_mask": np.array([True, True, False, False])})
        elif step == 27:
            both(envs, "reset", seed=[None, 8, None, 9])
    assert ends >= 2 * WORLDS
    same(envs[0].np_random_seed, envs[1].np_random_seed)
    assert all(a.bit_generator.state == b.bit_generator.state for a, b in zip(*(env.np_random for env in envs), strict=True))


@pytest.mark.parametrize("mode", AutoresetMode)
def test_derivatives_in_infos_are_those_of_gymnasiums_vector(mode):
    envs, rng = pair("Hopper", mode, gradients=True), np.random.default_rng(1)
    both(envs, "reset", seed=2)
    for _ in range(20):
        *_, terminated, truncated, _ = both(envs, "step", actions_of(envs[0], rng))
        if mode is AutoresetMode.DISABLED and (terminated | truncated).any():
            both(envs, "reset", options={"reset_mask": terminated | truncated})


def test_worlds_start_in_a_given_state():
    """One for all as Gymnasium's vector takes it, or one each; random numbers go on as if it had been drawn."""
    envs, rng = pair("Hopper"), np.random.default_rng(2)
    both(envs, "reset", seed=4)
    other = envs[0].task.initial_state(rng)
    options = {"state": other, "reset_mask": np.array([False, True, True, False])}
    seen, _ = envs[0].reset(options=options)
    assert set(options) == {"state", "reset_mask"}  # (a wrapper that reads the mask afterwards still finds it)
    same(seen, envs[1].reset(options=copy.copy(options))[0])
    assert np.array_equal(seen[1], envs[0].task.observe(other, None)) and not np.array_equal(seen[0], seen[1])
    both(envs, "step", actions_of(envs[0], rng))
    both(envs, "reset")
    states = [envs[0].task.initial_state(rng) for _ in range(WORLDS)]
    seen, _ = envs[0].reset(options={"state": states})
    assert np.array_equal(seen, [envs[0].task.observe(state, None) for state in states])


def test_what_is_returned_is_the_callers():
    """Nothing that was returned changes later, and what the caller writes into it changes nothing."""
    envs, rng = pair("Ant", AutoresetMode.SAME_STEP), np.random.default_rng(3)
    seen, _ = both(envs, "reset", seed=1)
    seen[:] = np.nan
    for _ in range(HORIZON):
        found = both(envs, "step", actions_of(envs[0], rng))
        kept = copy.deepcopy(found)
        both(envs, "step", actions_of(envs[0], rng))
        same(found, kept)
        for array in (*found[:4], *(v for k, v in found[4].items() if isinstance(v, np.ndarray) and k != "final_obs")):
            array[:] = 1


def test_spaces_and_metadata():
    for mode in AutoresetMode:
        mine, theirs = pair("Hopper", mode)
        for name in ("action_space", "observation_space", "single_action_space", "single_observation_space", "num_envs"):
            assert getattr(mine, name) == getattr(theirs, name)
        assert mine.metadata == theirs.metadata and mine.metadata["autoreset_mode"] is mode
        for space in ("action_space", "observation_space"):
            first, second = getattr(mine, space), getattr(theirs, space)
            assert first.seed(3) == second.seed(3)
            same(first.sample(), second.sample())
    assert DojoVectorEnv("Hopper", 2, autoreset_mode="SameStep").autoreset_mode is AutoresetMode.SAME_STEP
    made = gymnasium.make_vec("dojo_py/Hopper-v0", num_envs=2, autoreset_mode="Disabled", max_episode_steps=5)
    assert made.metadata["autoreset_mode"] is AutoresetMode.DISABLED and made.spec.kwargs["num_envs"] == 2
    again = gymnasium.make_vec(type(made.spec).from_json(made.spec.to_json()))
    assert again.autoreset_mode is made.autoreset_mode and again.horizon == made.horizon == 5 and again.num_envs == 2


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_wrappers_run_on_it(mode):
    """Statistics of episodes are those of the rewards, also where only some worlds are reset."""

    def wrapped(env):
        env = wrappers.RecordEpisodeStatistics(wrappers.RescaleAction(env, np.float32(0), np.float32(1)))
        if mode is not AutoresetMode.SAME_STEP:  # (Gymnasium's wrappers of observations refuse it)
            env = wrappers.FlattenObservation(env)
        return wrappers.DictInfoToList(env)

    env = wrapped(pair("Hopper", mode)[0])
    env.reset(seed=1)
    totals, lengths, over, rng, seen = np.zeros(WORLDS), np.zeros(WORLDS), np.zeros(WORLDS, bool), np.random.default_rng(0), 0
    for _ in range(30):
        _, rewards, terminated, truncated, infos = env.step(rng.random((WORLDS, 3)).astype(np.float32))
        if mode is AutoresetMode.NEXT_STEP:
            totals[over], lengths[over] = 0.0, -1.0
        totals, lengths = totals + rewards, lengths + 1
        over = terminated | truncated
        for i in np.flatnonzero(over):
            assert infos[i]["episode"]["l"] == lengths[i] and infos[i]["episode"]["r"] == pytest.approx(totals[i], abs=1e-12)
            seen += 1
        if mode is not AutoresetMode.NEXT_STEP:
            totals[over] = lengths[over] = 0.0
        if mode is AutoresetMode.DISABLED and over.any():
            env.reset(options={"reset_mask": over})
    assert seen >= 2 * WORLDS
    env.close()


def test_pictures_of_a_vector(tmp_path):
    mine, theirs = pair("Hopper", render_mode="rgb_array", width=64, height=48)
    both((mine, theirs), "reset", seed=1)
    same(mine.render(), theirs.render())
    env = wrappers.RecordVideo(mine, str(tmp_path), video_length=3, step_trigger=lambda k: k == 0) if _films() else mine
    env.reset(seed=0)
    for _ in range(4):
        env.step(np.zeros((WORLDS, 3), np.float32))
    env.close()
    assert bool(list(tmp_path.glob("*.mp4"))) == _films()


def _films():
    import importlib.util

    return importlib.util.find_spec("moviepy") is not None


def test_closing():
    """Twice, before the first reset and with words for `close_extras`; threads end."""
    env = DojoVectorEnv("Hopper", 2, threads=2)
    env.close()
    env = DojoVectorEnv("Hopper", 2, threads=2)
    env.reset(seed=0)
    env.step(np.zeros((2, 3), np.float32))
    assert env._pool is not None
    env.close(terminate=True)
    env.close()
    assert env.closed and env._pool is None


def test_a_world_that_starts_anew_may_get_any_action():
    envs = pair("Pendulum")
    both(envs, "reset", seed=0)
    for step in range(HORIZON + 1):
        action = np.full((WORLDS, 1), np.nan if step == HORIZON else 0.0, np.float32)
        both(envs, "step", action)


def test_mistakes_in_a_reset_are_named_and_change_nothing():
    env = DojoVectorEnv("Hopper", 3)
    some = np.array([True, False, False])
    with pytest.raises(RuntimeError, match="reset all worlds before"):
        env.reset(options={"reset_mask": some})
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    state = env.states[0]
    for error, match, words in [
        (ValueError, "2 seeds for 3 worlds", {"seed": [1, 2]}),
        (TypeError, "seed='1', expected an integer", {"seed": "1"}),
        (TypeError, "seed=1.5, expected an integer", {"seed": 1.5}),
        (TypeError, r"seed=\[1, 2.0, 3\], expected", {"seed": [1, 2.0, 3]}),
        (gymnasium.error.Error, "greater or equal to zero", {"seed": [1, 2, -3]}),
        (TypeError, "expected a dict", {"options": [1]}),
        (TypeError, "expected an array of bool", {"options": {"reset_mask": [True, False, True]}}),
        (TypeError, "expected an array of bool", {"options": {"reset_mask": np.array([1, 0, 1])}}),
        (ValueError, r"has shape \(2,\), expected \(3,\)", {"options": {"reset_mask": some[:2]}}),
        (ValueError, "False everywhere", {"options": {"reset_mask": np.zeros(3, bool)}}),
        (TypeError, "expected a State, or a list of 3", {"options": {"state": 3.0}}),
        (ValueError, "holds 2 states for 3 worlds", {"options": {"state": [state, state]}}),
        (TypeError, r"options\['state'\]\[1\] is a float", {"options": {"state": [state, 1.0, state]}}),
    ]:
        with pytest.raises(error, match=match):
            env.reset(**words)
    same(env.reset(), twin.reset())
    with pytest.raises(ValueError, match=r"autoreset_mode='same' is not one of \['NextStep', 'SameStep', 'Disabled'\]"):
        DojoVectorEnv("Hopper", autoreset_mode="same")
    off = DojoVectorEnv("Pendulum", 2, max_episode_steps=1, autoreset_mode="Disabled")
    off.reset(seed=[1, np.int64(2)]), off.reset(seed=np.array([1, 2])), off.reset(seed=np.int64(3))
    off.step(np.zeros((2, 1)))
    off.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(RuntimeError, match=r"worlds \[1\] are over"):
        off.step(np.zeros((2, 1)))
