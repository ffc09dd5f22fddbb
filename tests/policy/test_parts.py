"""Policies, statistics, gradients: each against differences or the formula it stands for."""

import numpy as np
import pytest
from toy import A, B, Toy

from dojo_py.policy import Ars, ArsOptions, LinearPolicy, MlpPolicy, RolloutOptions
from dojo_py.policy.ags import unit
from dojo_py.policy.ars import ars_direction
from dojo_py.policy.climb import gauss_newton
from dojo_py.policy.gradient import GradientJob, accumulate, jacobian_ahead, links_along, play_and_differentiate
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.rollout import Job, play
from dojo_py.policy.smoothing import Smoothing, randomised_linearisation

POLICIES = [LinearPolicy(3, 2), MlpPolicy(3, 2, (5,)), MlpPolicy(3, 2, (4, 3))]


def differences(function, x, eps=1e-6):
    """Gradient of a number by central differences."""
    return np.array([(function(x + eps * e) - function(x - eps * e)) / (2 * eps) for e in np.eye(len(x))])


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.describe()["kind"])
def test_backward_is_the_transposed_jacobian(policy):
    rng = np.random.default_rng(0)
    theta, x, c = rng.standard_normal(policy.size), rng.standard_normal(3), rng.standard_normal(2)
    by_theta, by_x = policy.backward(theta, x, c)
    assert np.allclose(by_theta, differences(lambda p: policy.act(p, x) @ c, theta), atol=1e-8)
    assert np.allclose(by_x, differences(lambda y: policy.act(theta, y) @ c, x), atol=1e-8)
    assert policy.initial(rng).shape == (policy.size,)


def test_many_observations_are_pulled_back_as_each():
    policy, rng = MlpPolicy(3, 2, (4, 3)), np.random.default_rng(1)
    theta, x, c = rng.standard_normal(policy.size), rng.standard_normal((5, 4, 3)), rng.standard_normal((5, 4, 2))
    by_theta, by_x = policy.pull_back(theta, policy.forward(theta, x), c)
    each = [[policy.backward(theta, *pair) for pair in zip(*rows, strict=True)] for rows in zip(x, c, strict=True)]
    assert np.allclose(by_theta, sum(found[0] for row in each for found in row))
    assert np.allclose(by_x, [[found[1] for found in row] for row in each])


def test_statistics_merge_to_those_of_all_rows():
    rows = np.random.default_rng(0).standard_normal((50, 4)) * [1, 10, 0, 1e-3] + 5
    merged = Statistics.empty(4)
    for part in (rows[:7], rows[7:8], rows[8:]):
        merged = merged.merged(Statistics.of(part))
    mean, gain = merged.scale()
    assert merged.count == 50 and np.allclose(mean, rows.mean(axis=0))
    assert np.allclose(gain[[0, 1, 3]], 1 / rows.std(axis=0, ddof=1)[[0, 1, 3]]) and gain[2] == 0.0
    assert np.array_equal(Statistics.empty(2).scale()[1], np.ones(2))


def test_ars_direction_is_algorithm_1():
    """Mania et al. (2018), algorithm 1, line by line."""
    rng = np.random.default_rng(1)
    returns, deltas = rng.standard_normal((5, 2)), rng.standard_normal((5, 3))
    order = sorted(range(5), key=lambda k: max(returns[k]), reverse=True)[:3]
    sigma = np.std([r for k in order for r in returns[k]])
    expected = sum((returns[k, 0] - returns[k, 1]) * deltas[k] for k in order) / (3 * sigma)
    assert np.allclose(ars_direction(returns, deltas, 3), expected)
    assert not ars_direction(np.ones((5, 2)), deltas, 5).any()


def gradient_of(policy, theta, options, **keywords):
    job = Job(Toy(), policy, theta, np.array([0.1, -0.2]), np.array([2.0, 0.5]), (3,), options)
    return job, play_and_differentiate(GradientJob(job, **keywords))


@pytest.mark.parametrize("policy", [LinearPolicy(2, 1), MlpPolicy(2, 1, (4,))], ids=["linear", "mlp"])
@pytest.mark.parametrize("clip", [None, 0.5])
def test_gradient_of_the_return(policy, clip):
    theta = 0.3 * np.random.default_rng(0).standard_normal(policy.size)
    job, found = gradient_of(policy, theta, RolloutOptions(30, clip))
    expected = differences(lambda p: play(job._replace(parameters=p)).total, theta)
    assert found.episode.total == pytest.approx(play(job).total, rel=1e-12) and found.gradients == found.evaluations == 30
    assert np.allclose(found.gradient, expected, rtol=1e-5, atol=1e-7)


def test_a_played_episode_is_differentiated_without_playing_it_again(monkeypatch):
    """The states are those of `play`; a step that has no derivative is cut off from those before it."""
    policy, theta = LinearPolicy(2, 1), np.array([-0.3, -0.4])
    job, expected = gradient_of(policy, theta, RolloutOptions(20))
    path = []
    episode = play(job, path)
    assert len(path) == episode.steps == 20 and all(a.after is b.before for a, b in zip(path, path[1:], strict=False))
    differentiate, count = Toy.differentiate, []
    monkeypatch.setattr(Toy, "differentiate", lambda *a: count.append(a) or (A, B, None))
    links = links_along(job, path)
    assert len(count) == 20 and np.allclose(accumulate(policy, theta, links, None, 1.0), expected.gradient, rtol=1e-12)

    def failing(self, state, action, kappa):
        if state is path[7].before:
            raise FloatingPointError
        return differentiate(self, state, action, kappa)

    monkeypatch.setattr(Toy, "differentiate", failing)
    cut = links_along(job, path)
    assert not cut[7].A.any() and not cut[7].B.any() and np.array_equal(cut[8].A, A)


def test_gradient_ends_with_the_episode():
    job = Job(Toy(limit=0.1), LinearPolicy(2, 1), np.zeros(2), np.zeros(2), np.ones(2), (0,), RolloutOptions(30))
    found = play_and_differentiate(GradientJob(job))
    assert found.evaluations == 1 == play(job).steps


def test_truncation_cuts_the_chain():
    policy, options = LinearPolicy(2, 1), RolloutOptions(20)
    theta = np.array([-0.5, -0.5])
    whole, cut, one = (gradient_of(policy, theta, options, truncation=n)[1].gradient for n in (None, 20, 1))
    assert np.array_equal(whole, cut) and not np.allclose(whole, one)


@pytest.mark.parametrize("policy", [LinearPolicy(2, 1), MlpPolicy(2, 1, (4,))], ids=["linear", "mlp"])
def test_a_reward_reaches_back_through_a_chain(policy):
    """Row by row: the gradient of one reward through the last `reach` actions; at full reach the rows add up to the return's."""
    theta = 0.3 * np.random.default_rng(0).standard_normal(policy.size)
    job, _ = gradient_of(policy, theta, RolloutOptions(20))
    path = []
    play(job, path)
    links = links_along(job, path)
    whole = accumulate(policy, theta, links, None, 1.0)
    assert np.allclose(jacobian_ahead(policy, theta, links, 20).sum(axis=0), whole, rtol=1e-12)
    chains = [[k.scaled(float(k is links[i])) for k in links[max(i - 3, 0) : i + 1]] for i in range(20)]
    apart = [accumulate(policy, theta, chain, None, 1.0) for chain in chains]
    assert np.allclose(jacobian_ahead(policy, theta, links, 4), apart, rtol=1e-12)
    links[10] = links[10]._replace(by_after=np.full(2, np.inf))
    with np.errstate(invalid="ignore"):
        found = jacobian_ahead(policy, theta, links, 4)
    assert not found[10].any() and np.allclose(np.delete(found, 10, 0), np.delete(apart, 10, 0), rtol=1e-12)


def test_gauss_newton_adds_what_rewards_lack():
    """Few rewards, many parameters: exact at no damping, along the gradient at much; rewards at their clipping do not count."""
    rng = np.random.default_rng(0)
    J, lacking = rng.standard_normal((4, 9)), np.array([1.0, 0.2, 0.0, 2.0])
    rows = lacking > 0
    assert np.allclose((J @ gauss_newton(J, lacking, 1e-12))[rows], lacking[rows])
    assert np.allclose(unit(gauss_newton(J, lacking, 1e9)), unit(J.T @ lacking))
    assert not gauss_newton(np.zeros((4, 9)), lacking, 1.0).any() and not gauss_newton(J, np.zeros(4), 1.0).any()


def test_an_episode_stops_when_told():
    job = Job(Toy(), LinearPolicy(2, 1), np.zeros(2), np.zeros(2), np.ones(2), (3,), RolloutOptions(20))
    path = []
    episode = play(job, path, np.array([-np.inf] * 6 + [np.inf]))
    assert not episode.whole and episode.steps == len(path) == 7 and episode.total < 0
    assert play(job).whole and play(job, None, np.array([-np.inf]))[:2] == play(job)[:2]


def test_randomised_linearisation_finds_a_linear_system_exactly():
    task = Toy()
    state = task.initial_state(np.random.default_rng(0))
    found = randomised_linearisation(task, state, np.array([0.3]), Smoothing(4), np.random.default_rng(1))
    assert np.allclose(found[0], A) and np.allclose(found[1], B)
    job = Job(task, LinearPolicy(2, 1), np.array([-0.5, -0.5]), np.zeros(2), np.ones(2), (3,), RolloutOptions(20))
    exact, random = (play_and_differentiate(GradientJob(job, smoothing=s)) for s in (None, Smoothing(4)))
    assert np.allclose(exact.gradient, random.gradient) and random.evaluations == 20 * 9


def test_an_observation_of_another_size_is_refused_by_name():
    """An error of numpy's about shapes that cannot be broadcast."""
    search = Ars(
        Toy(), LinearPolicy(Toy().observation_size, Toy().action_size), ArsOptions(directions=2), RolloutOptions(horizon=3), seed=0
    )
    with pytest.raises(ValueError, match="observation has shape"):
        search.run(1).act(np.zeros(Toy().observation_size + 1))
