"""ARS and AGS on the toy task: they learn, resume bit for bit, and do not depend on who plays the episodes."""

import io
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from toy import Toy

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
    Workers,
    climb,
    run_seeds,
)
from dojo_py.policy.checkpoint import write_checkpoint
from dojo_py.policy.progress import Bar
from dojo_py.policy.rollout import play
from dojo_py.policy.seeds import evaluations_to_reach, summarise
from dojo_py.policy.smoothing import Smoothing

LENGTH = RolloutOptions(50)
OPTIONS = {
    "ars V2": (Ars, ArsOptions(step_size=0.2, noise=0.1)),
    "ars V1-t": (Ars, ArsOptions(step_size=0.2, noise=0.1, top=3, version="V1")),
    "ags": (Ags, AgsOptions(step_size=0.2, normalise=False)),
    "ags V2": (Ags, AgsOptions(step_size=0.2, directions=4, momentum=0.5)),
    "ags mixed": (Ags, AgsOptions(step_size=0.2, directions=3, noise=0.1, alpha=0.5, step_decay=0.99, normalise=False)),
    "ags windows": (Ags, AgsOptions(step_size=0.05, window=10, normalise=False)),
    "ags patient": (Ags, AgsOptions(step_size=0.5, truncation=20, patience=3, normalise=False)),
    "climb": (Climb, ClimbOptions(normalise=False)),
    "randomised": (Ags, AgsOptions(step_size=0.2, smoothing=Smoothing(4), normalise=False)),
}


def search(name, seed=0, workers=None, policy=None, task=None):
    kind, options = OPTIONS[name]
    return kind(task or Toy(), policy or LinearPolicy(2, 1), options, LENGTH, seed, 2, workers)


def same(a, b):
    return np.array_equal(a.parameters, b.parameters) and a.history == b.history and a.evaluations == b.evaluations


@pytest.mark.parametrize("name", OPTIONS)
def test_searches_learn(name):
    found = search(name)
    before = found.test(5).mean()
    found.run(25)
    after = found.test(5).mean()
    # returns are negative: -107 without control, about -6 at best; few whitened episodes leave a biased mean
    assert after > (0.8 if name == "ags V2" else 0.35) * before
    assert found.iteration == 25 and len(found.curve()["reward"]) == 25


@dataclass(frozen=True)
class InCents(Toy):
    """The toy whose rewards have another unit."""

    def reward(self, before, action, after, contacts):
        value, parts = super().reward(before, action, after, contacts)
        return 128.0 * value, parts


@pytest.mark.parametrize("name", ["ars V2", "climb"])
def test_searches_know_no_unit_of_reward(name):
    """The same parameters to the last bit; Climb's patience and margin were numbers in units of return."""
    kind, options = OPTIONS[name]
    plain, cents = (kind(task, LinearPolicy(2, 1), options, LENGTH, 0, 0).run(12) for task in (Toy(), InCents()))
    assert np.array_equal(plain.parameters, cents.parameters) and plain.evaluations == cents.evaluations


def test_an_mlp_learns_too():
    found = search("ags", policy=MlpPolicy(2, 1, (8,)))
    before = found.test(5).mean()
    assert found.run(60).test(5).mean() > 0.5 * before


@pytest.mark.parametrize("name", OPTIONS)
def test_a_resumed_search_is_the_search_that_never_stopped(name, tmp_path):
    whole = search(name, seed=3).run(6)
    search(name, seed=3).run(3, checkpoint=tmp_path / "here.npz")
    again = search(name, seed=3).resume(tmp_path / "here.npz")
    assert again.iteration == 3
    assert same(again.run(6), whole)
    assert not list(tmp_path.glob("*.part"))


def test_a_search_that_went_on_goes_back_to_its_checkpoint(tmp_path):
    """Nothing of what came later stays: Climb kept the episode of its last candidate."""
    found = search("climb", task=Toy(fixed=True)).run(3, checkpoint=tmp_path / "c.npz")
    later = found.run(8).parameters
    assert np.array_equal(found.resume(tmp_path / "c.npz").run(8).parameters, later)


def test_a_checkpoint_without_a_file_name_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("", "."):
        with pytest.raises(ValueError, match="path"):
            write_checkpoint(path, {}, {})
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    file = tmp_path / "here.npz"
    search("ars V2").save(file)
    with pytest.raises(ValueError, match="seed is 0, this search's is 1"):
        search("ars V2", seed=1).resume(file)
    with pytest.raises(ValueError, match="checkpoint's search is 'ars'"):
        search("ags").resume(file)
    file.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="not a checkpoint"):
        search("ars V2").resume(file)


class OneByOne(Executor):
    """The least an executor must offer."""

    def submit(self, function, /, *arguments, **keywords):
        future = Future()
        future.set_result(function(*arguments, **keywords))
        return future


@pytest.mark.parametrize("name", ["ars V2", "ags mixed"])
def test_results_do_not_depend_on_the_workers(name):
    alone = search(name).run(3)
    with Workers(3) as threads, ThreadPoolExecutor(2) as pool:
        for workers in (threads, Workers(executor=pool), Workers(executor=OneByOne())):
            assert same(search(name, workers=workers).run(3), alone)


def test_processes_give_the_same_bits():
    alone = search("ars V2").run(2)
    with Workers(2, "processes") as workers:
        assert same(search("ars V2", workers=workers).run(2), alone)


def test_ags_offers_the_best_policy_it_played():
    found = Ags(Toy(fixed=True), LinearPolicy(2, 1), AgsOptions(step_size=5.0, normalise=False, patience=2), LENGTH, 0)
    earned = []
    for _ in range(12):
        earned.append(play(found.job(found.parameters, (0, found.iteration, 0))).total)
        found.iterate()
        assert found.memory["best"] == max(earned)
    chosen, _ = found.chosen()
    best = int(np.argmax(earned))
    assert play(found.job(chosen, (0, best, 0))).total == earned[best]
    assert found.memory["scale"] < 1.0 and np.array_equal(found.act(np.ones(2)), found.policy.act(chosen, np.ones(2)))


def test_all_seeds_count():
    searches = run_seeds(lambda seed: search("ags", seed), np.arange(3), 10)
    for wrong in (np.arange(3.0), np.array(3), "012"):
        with pytest.raises((TypeError, ValueError), match="seeds="):
            run_seeds(lambda seed: search("ags", seed), wrong, 10)
    summary = summarise(searches)
    assert summary.final.shape == (3,) and summary.mean == pytest.approx(np.mean([s.history[-1][3] for s in searches]))
    trials = 2 * 6 * 50  # before the first iteration, and when learning has cost twice as much
    assert summary.evaluations[0] == 2 * 10 * 50 + trials and "±" in str(summary)
    curves = [s.curve() for s in searches]
    target = float(np.mean([c["reward"][4] for c in curves]))
    assert 0 < evaluations_to_reach(curves, target) <= 500
    assert evaluations_to_reach(curves, 1.0) is None
    with pytest.raises(ValueError, match="number 1 has no iteration"):
        summarise([searches[0], search("ars V2")])
    with pytest.raises(ValueError, match="there are none"):
        summarise([])


def test_climb_stays_within_its_budget_and_offers_its_best():
    found = search("climb", task=Toy(fixed=True)).run(100, budget=990)
    assert 890 < found.evaluations + found.gradients <= 990 and not found.affordable(990)
    chosen, whitening = found.chosen()
    assert play(found.job(chosen, (0, 0), None, whitening)).total == found.memory["best"]
    for budget in (100, 250, 299, 300):  # three episodes to warm up, the first one, its derivatives, a candidate
        short = search("climb", task=Toy(fixed=True)).run(100, budget=budget)
        assert short.evaluations + short.gradients == (300 if budget == 300 else 0)
    with pytest.raises(ValueError, match="patience=0"):
        ClimbOptions(patience=0)
    with pytest.raises(ValueError, match="reaches="):
        ClimbOptions(reaches=())
    with pytest.raises(ValueError, match="dampings="):
        ClimbOptions(dampings=(0.0, 1.0))


@pytest.mark.parametrize("name", ["climb", "ags", "ags patient"])
def test_where_episodes_start_differently_the_best_of_trials_is_offered(name):
    """Of six starts, the same each time, in the hard limit; they are charged, and never worse than the policy it began with."""
    found = search(name)
    begun = found.parameters

    def earned(parameters, whitening):
        return np.mean([play(found.job(parameters, (0, 2**30, i), None, whitening)).total for i in range(6)])

    found.run(1)
    assert found.varied and not search(name, task=Toy(fixed=True)).varied
    first = found.memory["tried"]
    assert first == earned(begun, (found.kept["tried shift"], found.kept["tried gain"]))
    before = found.evaluations
    found.run(8)
    assert found.memory["tried"] == earned(*found.chosen()) >= first and found.evaluations > before + 300
    assert found.memory["trial"] == 300.0


def test_climb_compares_tries_with_the_present_policy_at_one_start(monkeypatch):
    """A start of its own for every iteration, at which the present policy is played first."""
    seeds = []
    monkeypatch.setattr(climb, "play", lambda job, *a: seeds.append((job.seed, job.parameters.copy())) or play(job, *a))
    found = search("climb")
    for k in range(4):
        present = found.parameters
        found.iterate()
        mine = [(seed, parameters) for seed, parameters in seeds if seed == (0, 0, k)][3 if k == 0 else 0 :]  # (after the warm-up)
        assert len(mine) >= 2 and np.array_equal(mine[0][1], present)
    assert {seed for seed, _ in seeds} == {(0, 0, k) for k in range(4)}


def test_climb_charges_abandoned_tries_for_what_they_played(monkeypatch):
    """Tries that fall behind end early; none of them becomes the present policy."""
    played = []
    monkeypatch.setattr(climb, "play", lambda *a: played.append(play(*a)) or played[-1])
    found = Climb(Toy(fixed=True), LinearPolicy(2, 1), ClimbOptions(step_size=2.0, noise=2.0), LENGTH, 0).run(20)
    abandoned = [e for e in played if not e.whole]
    assert any(e.steps < LENGTH.horizon for e in abandoned)
    assert found.evaluations == sum(e.steps for e in played) and found.gradients == 20 * LENGTH.horizon
    assert found.statistics.count == found.evaluations


def test_climb_needs_no_linear_policy():
    found = search("climb", policy=MlpPolicy(2, 1, (8,)))
    before = found.test(5).mean()
    assert found.run(40).test(5).mean() > 0.5 * before


def test_callback_stops_and_progress_shows(capsys):
    assert search("ars V2").run(10, progress=True, callback=lambda s: s.iteration == 2).iteration == 2
    assert "ars seed 0" in capsys.readouterr().err
    stream = io.StringIO()
    with Bar(4, "x", True, stream) as bar:
        bar.show(4, "done")
    assert "4/4 done" in stream.getvalue()


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="maps 3 observations"):
        Ars(Toy(), LinearPolicy(3, 1), ArsOptions(), LENGTH)
    with pytest.raises(ValueError, match="set top below directions"):
        ArsOptions(version="V2-t")
    with pytest.raises(ValueError, match="zeroth-order"):
        AgsOptions(alpha=0.5)
    with pytest.raises(ValueError, match="kind="):
        Workers(2, "fibres")
    with pytest.raises(ValueError, match="horizon=0"):
        RolloutOptions(0)


class Given(LinearPolicy):
    """Gains that were found elsewhere, on plain observations."""

    gains = np.array([-3.0, -2.0])

    def initial(self, rng):
        """(2,)"""
        return self.gains


@pytest.mark.parametrize(
    ("kind", "options"), [(Climb, ClimbOptions()), (Ags, AgsOptions(step_size=1e-6)), (Ars, ArsOptions(step_size=1e-6))]
)
def test_gains_of_ones_own_act_as_given(kind, options):
    """They were taken for gains on normalised observations: a policy that earned -6 began with -40."""
    task, policy = Toy(fixed=True), Given(2, 1)
    found = kind(task, policy, options, LENGTH, 0, 0)
    given = play(found.job(policy.gains, (0, 0), None, (np.zeros(2), np.ones(2)))).total
    found.run(2)
    parameters, (shift, gain) = found.chosen()
    assert not shift.any() and (gain == 1.0).all()
    assert play(found.job(parameters, (0, 0), None, (shift, gain))).total >= given - 1e-3
    for begun in (LinearPolicy(2, 1), LinearPolicy(2, 1, 0.1), MlpPolicy(2, 1, (4,))):
        assert not kind(task, begun, options, LENGTH, 0, 0).begins_with_gains, "zeros, and what is drawn"


@pytest.mark.parametrize(("shift", "clip"), [(0.0, None), (1.0, None), (0.5, 0.1)])
def test_tests_are_returns_of_the_task(shift, clip):
    """They were shifted and clipped as the rewards by which the search learns."""
    rollout = RolloutOptions(20, clip, shift)
    for counted in (False, True):
        found = Ars(Toy(), LinearPolicy(2, 1), ArsOptions(directions=2), rollout, 0, 3, None, counted).run(2)
        totals = []
        for i in range(3):
            state, total = found.task.initial_state(np.random.default_rng((0, 2**31, i))), 0.0
            for _ in range(20):
                action = found.act(found.task.observe(state, None))
                after = found.task.move([state], action[None])[0].state
                reward, state = found.task.reward(state, action, after, None)[0], after
                total += found.rollout.counted(reward) if counted else reward
            totals.append(total)
        assert found.test() == pytest.approx(totals) and found.history[-1][3] == pytest.approx(np.mean(totals))
