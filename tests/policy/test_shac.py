"""SHAC: its value function by itself, that it learns, and that a resumed search is the one that never stopped."""

import numpy as np
import pytest
from toy import Toy

from dojo_py.environments import make_task
from dojo_py.policy import (
    Ags,
    AgsOptions,
    Ars,
    ArsOptions,
    Climb,
    ClimbOptions,
    LinearPolicy,
    MlpPolicy,
    RolloutOptions,
    Shac,
    ShacOptions,
    Workers,
)
from dojo_py.policy.shac import together
from dojo_py.policy.value import Adam, ValueFunction, lambda_returns, trace_weights


def test_targets_are_those_of_the_sum_over_n_step_returns():
    """G = (1 - λ) Σ λⁿ⁻¹ (n-step return) + λᴺ⁻¹ (the longest), Sutton and Barto (2018), equation 12.3."""
    rng, discount, trace, n = np.random.default_rng(0), 0.9, 0.7, 5
    rewards, values = rng.standard_normal(n), rng.standard_normal(n + 1)
    for ended in (False, True):
        values_after = np.append(values[:-1], 0.0) if ended else values
        for k in range(n):
            steps = [discount ** np.arange(m) @ rewards[k : k + m] + discount**m * values_after[k + m] for m in range(1, n - k + 1)]
            share = (1 - trace) * trace ** np.arange(len(steps))
            share[-1] = trace ** (len(steps) - 1)
            assert lambda_returns(rewards, values, ended, discount, trace)[k] == pytest.approx(share @ steps)
        of_rewards, of_values = trace_weights(n, discount, trace)
        assert of_rewards @ rewards + of_values @ values_after == pytest.approx(
            lambda_returns(rewards, values, ended, discount, trace)[0]
        )


def test_a_value_function_learns_whatever_its_units():
    """Largest error over the spread of the targets, after 200 passes. Measured: 0.15 and 0.13."""
    rng = np.random.default_rng(0)
    seen = rng.uniform(-1, 1, (200, 3))
    for unit in (1e-3, 1e4):
        value = ValueFunction.fresh(3, (16,), np.random.default_rng(1))
        targets = unit * (5.0 + np.sin(2 * seen[:, 0]) - seen[:, 1])
        value.fit(seen, targets, 5e-3, 200, np.random.default_rng(2))
        assert np.abs(value(seen) - targets).max() < 0.2 * targets.std()
        d = rng.standard_normal(3)
        slope = (value((seen[0] + 1e-5 * d)[None]) - value((seen[0] - 1e-5 * d)[None]))[0] / 2e-5
        assert value.slopes(seen)[0] @ d == pytest.approx(slope, rel=1e-6)
    before = value(seen)
    value._rescale(targets + 3 * unit)
    assert np.allclose(value(seen), before)


def test_steps_and_means_know_no_units():
    rng = np.random.default_rng(0)
    rows = list(rng.standard_normal((4, 6)))
    assert np.allclose(together([1e6 * r for r in rows], 6), 1e6 * together(rows, 6))
    assert np.allclose(together([*rows[:3], 1e9 * rows[3]], 6), together([*rows[:3], 1e3 * rows[3]], 6))
    assert np.array_equal(together([*rows, np.full(6, np.nan)], 6), together(rows, 6))
    assert np.array_equal(together([np.full(6, np.nan)], 6), np.zeros(6))
    a, b = Adam(np.zeros((2, 6))), Adam(np.zeros((2, 6)))
    for r in rows:
        assert np.allclose(a.step(r, 0.1), b.step(1e5 * r, 0.1))


def search(seed=0, workers=None, **options):
    task = make_task("BlockPush")
    return Shac(task, LinearPolicy(15, 2, 0.01), ShacOptions(**options), RolloutOptions(30), seed, 1, workers)


@pytest.mark.filterwarnings("ignore:.*differentiated steps had no derivative")  # (4 of 4785 at κ 1e-2: steps in parts)
@pytest.mark.parametrize("kappa, normalise", [
    (1e-2, True), (None, False),
    pytest.param(None, True, marks=pytest.mark.xfail(
        strict=True, reason="stays at -22.7: whitening multiplies what friction holds still by up to 1e4"
    )),
])  # fmt: skip
def test_shac_pushes_a_block(kappa, normalise):
    """Mean return of 8 fresh episodes of 30 actions, -22.7 at first; measured -10.1 at κ 1e-2, 0.7 at its own κ, 5.3e-5, without
    whitening. A block that friction holds shows velocities of 2e-3: whitened, they take most of each step of the policy, and
    answer a block that slides with forces that throw it away.
    """
    found = search(kappa=kappa, normalise=normalise)
    before = found.test(8).mean()
    found.run(80)
    assert found.test(8).mean() > 0.8 * before
    assert found.evaluations > found.gradients >= 60 * 4 * 16


@pytest.mark.slow
def test_shac_beats_random_search_on_tasks_it_was_not_made_on():
    """Mean return of 10 fresh episodes of 100 actions after 4,000 evaluations, mean of seeds 0 to 2; bound: 4 of 5 tasks.

    Measured: CartPole 38.1 (ARS 24.5), BlockPush -55.4 (-79.0), Hopper 131.8 (79.7), Walker2d 161.7 (83.8), Quadruped 77.8 (54.5).
    """
    better = 0
    for name in ("CartPole", "BlockPush", "Hopper", "Walker2d", "Quadruped"):
        task, found = make_task(name), {Ars: [], Shac: []}
        policy = LinearPolicy(task.observation_size, task.action_size, 0.01)
        for kind, options in ((Ars, ArsOptions()), (Shac, ShacOptions())):
            for seed in range(3):
                trained = kind(task, policy, options, RolloutOptions(100), seed, 0).run(10**6, budget=4000)
                found[kind].append(trained.test(10).mean())
        better += np.mean(found[Shac]) > np.mean(found[Ars])
    assert better >= 4


@pytest.mark.slow
@pytest.mark.parametrize("kind, options", [(Climb, ClimbOptions()), (Ags, AgsOptions())])
def test_no_search_ends_far_below_its_start_on_fresh_episodes(kind, options):
    """Mean of seeds 0 to 2, 4,000 evaluations, 10 fresh episodes. Bound: 2 % below.

    Measured, start, Climb, AGS: CartPole 23.7, 25.8, 23.3; BlockPush -79.0, -79.0, -79.3; Hopper 80.7, 111.8, 102.4; Walker2d 62.4,
    133.4, 128.2; Quadruped 52.1, 62.3, 82.4. Before there were trials: CartPole 17.8 by Climb, BlockPush -108.5 and -155.3.
    """
    for name in ("CartPole", "BlockPush", "Hopper", "Walker2d", "Quadruped"):
        task, ends = make_task(name), []
        policy = LinearPolicy(task.observation_size, task.action_size, 0.01)
        for seed in range(3):
            search = kind(task, policy, options, RolloutOptions(100), seed, 0)
            before = search.test(10).mean()
            ends.append((before, search.run(10**6, budget=4000).test(10).mean()))
        before, after = np.mean(ends, axis=0)
        assert after >= before - 0.02 * abs(before), (name, before, after)


def test_a_world_that_gets_lost_starts_anew():
    """A trunk that soon turns too fast for a step at κ: what came before teaches, the world begins again."""
    found = Shac(make_task("HalfCheetah"), LinearPolicy(17, 6, 0.3), ShacOptions(starts=1), RolloutOptions(60), 3, 0)
    found.run(4)
    assert found.memory["episodes"] > 4 and np.isfinite(found.parameters).all() and found.history[-1][4] > 0


def test_steps_and_noise_are_told_by_the_actions():
    """In halves of their range, whatever the units of the actions and the number of parameters."""
    for task in (make_task("Pendulum", max_torque=2.0), make_task("Pendulum", max_torque=2e3)):
        for policy in (LinearPolicy(3, 1, 0.1), MlpPolicy(3, 1, (8,))):
            found, rng = Shac(task, policy, ShacOptions(), RolloutOptions(5)), np.random.default_rng(0)
            found.memory["steps"], found.kept["seen"] = 0.0, rng.standard_normal((50, 3))
            change = found._step(rng.standard_normal(policy.size), np.zeros(3), np.ones(3))
            assert found._effect(change, found.kept["seen"]) == pytest.approx(0.1, rel=1e-3)


def test_a_resumed_search_is_the_search_that_never_stopped(tmp_path):
    small = {"worlds": 2, "window": 7, "interval": 2, "starts": 1}
    whole = search(3, **small).run(5)
    search(3, **small).run(3, checkpoint=tmp_path / "here.npz")
    again = search(3, **small).resume(tmp_path / "here.npz").run(5)
    assert np.array_equal(again.parameters, whole.parameters) and again.history == whole.history
    with Workers(2) as workers:
        assert np.array_equal(search(3, workers, **small).run(5).parameters, whole.parameters)


def test_it_stays_within_its_budget():
    found = search(worlds=2, window=10, starts=1).run(100, budget=400)
    assert 300 < found.evaluations + found.gradients <= 400


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="window=0"):
        ShacOptions(window=0)
    with pytest.raises(ValueError, match="discount=0.0"):
        ShacOptions(discount=0.0)
    with pytest.raises(ValueError, match="Shac needs a task in the hard mode without a `move`"):
        Shac(Toy(), LinearPolicy(2, 1), ShacOptions(), RolloutOptions(5))
