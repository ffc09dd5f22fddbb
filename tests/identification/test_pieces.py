"""Pieces of a fit against what defines them: elimination, losses, intervals, noise, resampled times, tied unknowns, the report."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from dojo_py import HardSimulator, load_model
from dojo_py.identification import (
    Recording,
    Tied,
    Unknown,
    Unknowns,
    fit_restitution,
    identify,
    resample,
    rollout_errors,
    write_report,
)
from dojo_py.identification.elimination import Rows, eliminate, normal_equations
from dojo_py.identification.fit import _by_noise
from dojo_py.identification.intervals import jackknife, parts_of
from dojo_py.identification.least_squares import Objective, cost_of, minimise, set_change
from dojo_py.identification.losses import LOSSES
from dojo_py.identification.noise import noise_of_samples
from dojo_py.identification.problem import Problem

PENDULUM = """<mujoco><option timestep="0.01"/><worldbody><body name="bob"><joint name="pivot" axis="0 1 0" damping="0.02"/>
<geom type="sphere" size="0.05" pos="0 0 -0.5" mass="1" contype="0" conaffinity="0"/></body>
<body name="stone" pos="1 0 3"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="1" contype="0" conaffinity="0"/></body>
</worldbody><actuator><motor joint="pivot"/></actuator></mujoco>"""
FREE = np.full(2, -np.inf), np.full(2, np.inf)
"""Bounds of two parameters that have none."""


def swing(sim, steps=120, seed=0):
    rng = np.random.default_rng(seed)
    control = rng.normal(size=(steps, 1)).cumsum(axis=0) * 0.2
    start = sim.initial_state(qvel=np.array([1.0, 0.3, 0, 1, 2.0, 1.0, 0.5]))
    run = sim.rollout(start, control)
    return Recording("swing", run.qpos, control)


def test_elimination_is_the_whole_system():
    rng, n, b, count = np.random.default_rng(0), 3, 4, 5
    rows, J, r = [], [], []
    for i in range(count):
        for along in ((i,), (i, i + 1)) if i + 1 < count else ((i,),):
            part = Rows("measured", rng.normal(size=7), np.zeros(7, int), rng.normal(size=(7, n)), weight=rng.uniform(0.5, 1, 7))
            wide = np.zeros((7, n + count * b))
            wide[:, :n] = part.by_unknown
            for k in along:
                part.by_state[k] = rng.normal(size=(7, b))
                wide[:, n + k * b : n + (k + 1) * b] = part.by_state[k]
            rows.append(part)
            J.append(np.sqrt(part.weight)[:, None] * wide)
            r.append(np.sqrt(part.weight) * part.residual)
    whole = -np.linalg.lstsq(np.concatenate(J), np.concatenate(r), rcond=None)[0]
    reduced = eliminate(normal_equations(rows, n, count, b))
    step = -np.linalg.solve(reduced.matrix, reduced.gradient)
    assert np.allclose(step, whole[:n], atol=1e-10)
    assert np.allclose(-(reduced.follow @ step + reduced.rest).ravel(), whole[n:], atol=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_scipys(loss):
    r = np.array([0.1, -0.7, 3.0, -20.0])
    rows = [Rows("measured", r, np.zeros(4, int), np.eye(4))]
    theirs = least_squares(lambda x: x, r, loss=loss, f_scale=1.5, max_nfev=1)
    assert np.isclose(cost_of(rows, loss, 1.5), theirs.cost, rtol=1e-12)
    more = [cost_of([Rows("measured", r + e, np.zeros(4, int), np.eye(4))], loss, 1.5) for e in 1e-6 * np.eye(4)]
    assert np.allclose((np.array(more) - theirs.cost) / 1e-6, r * np.broadcast_to(rows[0].weight, 4), atol=1e-4)


def test_rows_have_their_derivatives():
    """By the unknowns and by the states of the stretches, rotations included; worst of all rows, over the largest."""
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    unknowns = Unknowns(sim, [Tied(("mass:stone", "inertia:stone")), Unknown("damping:pivot"), Unknown("com:bob")])
    problem = Problem([swing(sim, 20)], unknowns, 7, True, True, prior=0.1)
    problem.kappa = 1e-4
    rng, n = np.random.default_rng(1), len(unknowns)
    start = problem.start()
    shape = (len(problem.segments), 2 * problem.nv)
    here = problem.move(start, 0.05 * rng.normal(size=n), 0.3 * rng.normal(size=shape))

    def residual(dz, dx):
        return np.concatenate([row.residual for row in problem.rows(problem.move(here, dz, dx))])

    rows, step = problem.rows(here), 1e-6
    exact = np.concatenate([row.by_unknown for row in rows])
    for j, e in enumerate(step * np.eye(n)):
        numeric = (residual(e, np.zeros(shape)) - residual(-e, np.zeros(shape))) / (2 * step)
        assert np.abs(exact[:, j] - numeric).max() < 1e-5 * max(1.0, np.abs(numeric).max())
    for i, j in ((0, 3), (1, 1), (1, 5), (2, 4), (1, 12)):
        change = np.zeros(shape)
        change[i, j] = step
        numeric = (residual(np.zeros(n), change) - residual(np.zeros(n), -change)) / (2 * step)
        mine = np.concatenate([row.by_state[i][:, j] if i in row.by_state else 0 * row.residual for row in rows])
        assert np.abs(mine - numeric).max() < 1e-5 * max(1.0, np.abs(numeric).max())


def test_the_jackknife_is_that_of_left_out_parts():
    """A straight line through 12 groups of points: the estimates without each group, one after another."""
    rng = np.random.default_rng(2)
    x, group = rng.normal(size=60), np.repeat(np.arange(12), 5)
    J = np.stack([np.ones(60), x], axis=1)
    y = J @ [1.0, 2.0] + rng.normal(size=12)[group]
    fit = np.linalg.lstsq(J, y, rcond=None)[0]
    left = np.array([np.linalg.lstsq(J[group != g], y[group != g], rcond=None)[0] for g in range(12)])
    expected = 11 / 12 * (left - fit).T @ (left - fit)
    rows = [Rows("measured", (J @ fit - y)[group == g], np.zeros(5, int), J[group == g], stretch=g) for g in range(12)]
    reduced = eliminate(normal_equations(rows, 2, 0, 1))
    assert np.allclose(jackknife(rows, reduced, np.arange(12)), expected, rtol=1e-9)
    assert parts_of([0] * 100).max() == 19 and parts_of(range(30)).max() == 29
    assert len({tuple(np.flatnonzero(parts_of([0] * 7 + [1] * 3) == c)) for c in range(3)}) == 3


@pytest.mark.parametrize("loss", LOSSES)
def test_robust_deviations_are_those_of_many_fits(loss):
    """A straight line through 300 points with unit noise, 200 times: by the noise and by parts. Measured: within 9 %.

    By the losses' weights arctan's were 0.65 and 0.41 of the truth, huber's 0.9 and 0.75.
    """
    rng, found = np.random.default_rng(5), []
    for _ in range(200):
        J = np.stack([np.ones(300), rng.normal(size=300)], axis=1)
        y = J @ [1.0, 2.0] + rng.normal(size=300)

        def rows(at, J=J, y=y):
            groups = np.arange(300).reshape(20, 15)
            return [Rows("measured", J[g] @ at - y[g], np.zeros(15, int), J[g], stretch=k) for k, g in enumerate(groups)]

        objective = Objective(rows, lambda at, d, _: at + d, lambda at: at, FREE, loss=loss)
        best = minimise(objective, np.array([1.0, 2.0]), 1e-10, 200)
        set_change(best.point.rows, loss, 1.0)
        reduced = eliminate(normal_equations(best.point.rows, 2, 0, 1))
        determined = np.zeros(2, bool)
        both = _by_noise(best.point.rows, reduced, 298, determined), jackknife(best.point.rows, reduced, np.arange(20))
        found.append((best.point.y, *(np.diag(covariance) for covariance in both)))
    estimates, *variances = map(np.array, zip(*found, strict=True))
    for variance in variances:
        assert np.allclose(np.sqrt(variance.mean(axis=0)), estimates.std(axis=0), rtol=0.15)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_pull_of_a_loss_changes_as_it_says(loss):
    r, e, chosen = np.array([0.1, -0.7, 3.0, -20.0]), 1e-6, LOSSES[loss]
    ahead, behind = ((r + s) * chosen.weight((r + s) ** 2) for s in (e, -e))
    assert np.allclose(chosen.change(r**2), (ahead - behind) / (2 * e), atol=1e-8)


def test_noise_by_third_differences():
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    clean, rng = swing(sim, 400), np.random.default_rng(3)
    noisy = np.array([sim.model.integrate(q, 1e-3 * rng.normal(size=7)) for q in clean.qpos])
    assert np.allclose(noise_of_samples(sim.model, [Recording("n", noisy)]), 1e-3, rtol=0.25)  # measured: within 11 %


def test_noise_and_intervals_of_a_fit_that_has_the_right_model():
    """Noise of 1 mm, 1 mrad: found to 10 %, and so is the damping, within its interval."""
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    clean, rng = swing(sim, 300), np.random.default_rng(4)
    noisy = np.array([sim.model.integrate(q, 1e-3 * rng.normal(size=7)) for q in clean.qpos])
    result = identify(sim, [Recording("n", noisy, clean.control)], [Unknown("damping:pivot", 0.1, 0.0, 1.0)], progress=True)
    assert np.allclose(result.noise.samples, 1e-3, rtol=0.15)
    low, high = result.interval()[0]
    assert low < 0.02 < high < 0.1


def test_deviations_by_the_noise_are_those_of_many_fits():
    """Of stretches that are joined, twelve draws of the noise. Measured: 1.22; with joins as if they had errors 6.35."""
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    clean, rng, found = swing(sim, 150), np.random.default_rng(6), []
    for _ in range(12):
        noisy = np.array([sim.model.integrate(q, 1e-2 * rng.normal(size=7)) for q in clean.qpos])
        result = identify(sim, [Recording("n", noisy, clean.control)], [Unknown("damping:pivot", 0.03, 0.0, 1.0)])
        found.append((result.estimates[0], result.noise_covariance[0, 0]))
    estimates, variances = np.array(found).T
    ratio = np.sqrt(variances.mean()) / np.sqrt(np.mean((estimates - 0.02) ** 2))
    print(f"deviation by the noise over that of the estimates: {ratio:.2f}")
    assert 0.6 < ratio < 1.6


def test_irregular_times(tmp_path):
    """A motion sampled at irregular times, resampled: within h² of the true one; the impulse of the controls is kept."""
    sim = HardSimulator(load_model(PENDULUM), 0.001)
    run = swing(sim, 1000)
    rng = np.random.default_rng(5)
    kept = np.unique(np.concatenate([[0, 1000], np.sort(rng.choice(1000, 200, replace=False))]))
    one = resample(sim.model, "r", 0.001 * kept, run.qpos[kept], 0.01, 0.001 * np.arange(1000), run.control, stride=10)
    true = run.qpos[::10]
    worst = max(np.abs(sim.model.difference(a, b)).max() for a, b in zip(one.qpos, true, strict=True))
    assert worst < 2e-3  # measured: 5e-4
    assert np.allclose(one.control, run.control.reshape(100, 10, 1).mean(axis=1))
    with pytest.raises(ValueError, match="increasing times"):
        resample(sim.model, "r", [0.0, 0.2, 0.1], run.qpos[:3], 0.01)


def test_samples_several_steps_apart():
    """Steps of 2 ms, samples every 10 ms."""
    sim = HardSimulator(load_model(PENDULUM), 0.002)
    control = np.repeat(np.sin(0.3 * np.arange(60))[:, None], 5, axis=0)
    run = sim.rollout(sim.initial_state(), control)
    seen = Recording("s", run.qpos[::5], control[::5], stride=5)
    result = identify(sim, [seen], [Tied(("damping:pivot",), 2.0, 0.1, 5)])
    assert abs(result.estimates[0] - 1.0) < 1e-4


def test_mistakes_are_named():
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    run, one = swing(sim, 5), [Unknown("damping:pivot", 0.1, 0.0, 1.0)]
    for wrong, what in (
        ({"kappa": "soft"}, "kappa"), ({"weights": -1.0}, "weights"), ({"weights": "none"}, "weights"), ({"horizon": 0}, "horizon"),
        ({"loss": "l3"}, "loss"), ({"horizon": 1, "continuity": 0.0}, "horizon=1"), ({"progress": "yes"}, "progress"),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=what):
            identify(sim, [run], one, **wrong)
    with pytest.raises(ValueError, match="prior"):
        identify(sim, [run], [Unknown("damping:pivot", 0.1, 0.0, 1.0, prior=-1.0)])


def test_recordings_that_say_nothing_of_a_roll_out_are_named():
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    run = sim.rollout(sim.initial_state(), np.zeros((3, 1)))
    for samples, qvel in ((1, None), (2, None), (1, run.qvel[:1])):
        short = Recording("short", run.qpos[:samples], qvel=qvel)
        for of in (rollout_errors, fit_restitution):
            with pytest.raises(ValueError, match=f"'short' has {samples} samples, none to compare"):
                of(sim, [short])
    assert rollout_errors(sim, [Recording("two", run.qpos[:2], run.control[:1], run.qvel[:2])]).position < 1e-9


@pytest.mark.parametrize("length", [0.0, 0.99])
def test_quaternions_that_are_none_are_named(length):
    """They were "the start is impossible", or no number among the errors."""
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    qpos = swing(sim, 20).qpos.copy()
    qpos[7, 4:8] *= length
    for use in (lambda r: identify(sim, [r], [Unknown("damping:pivot")]), lambda r: rollout_errors(sim, [r])):
        with pytest.raises(ValueError, match=rf"qpos\[7, 4:8\] of 'a', the quaternion of joint '#1', has norm {length:g}"):
            use(Recording("a", qpos))


@pytest.mark.parametrize("part", [Unknown("mass:bob", -1.0), Unknown("damping:pivot", -0.1), Unknown("gravity", np.inf)])
def test_values_of_the_start_that_a_simulator_refuses_are_named(part):
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    with pytest.raises(ValueError, match=part.name.partition(":")[0]):
        identify(sim, [swing(sim, 20)], [part])


def test_the_report_is_one_page_without_links(tmp_path):
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    run = swing(sim, 60)
    result = identify(sim, [run], [Tied(("damping:pivot",), 2.0, 0.1, 5, "<friction> & air"), Unknown("mass:bob", 1.2, 0.1, 5)])
    text = write_report(result, tmp_path / "fit.html", [run]).read_text(encoding="utf-8")
    assert "&lt;friction&gt; &amp; air" in text and "<friction>" not in text
    assert "Held-out roll-outs" in text and "Correlations" in text and "<svg" in text
    assert "http" not in text


def test_why_a_start_is_impossible():
    """Angles in degrees: the recording, the sample and the reason are named."""
    sim = HardSimulator(load_model(PENDULUM), 0.01)
    run = swing(sim, 40)
    degrees = run.qpos.copy()
    degrees[:, 0] *= 1000.0
    with pytest.raises(
        ValueError, match=r"start is impossible.*'swing' from sample \d+ on: qvel: a body turns half a turn"
    ) as caught:
        identify(sim, [Recording("swing", degrees, run.control)], [Unknown("damping:pivot")])
    assert str(caught.value).endswith("are the samples there and their units right?") and "reduce" not in str(caught.value)


def test_a_fit_that_never_moved_does_not_ask_for_more_iterations():
    """The negative of a derivative: no step lowers the cost."""
    target = np.array([1.0, 2.0])

    def rows(at):
        return [Rows("measured", at - target, np.zeros(2, int), -np.eye(2))]

    stuck = minimise(Objective(rows, lambda at, d, _: at + d, lambda at: at, FREE), np.zeros(2), 1e-30, 5)
    assert stuck.message == "no smaller cost was found along the gradient"


def test_the_control_of_the_last_sample_leads_nowhere():
    """T + 1 samples with T controls, or with a control each, of which the last is left out."""
    qpos, control = np.zeros((30, 2)), np.arange(30.0)[:, None]
    for given in (control, control[:-1]):
        np.testing.assert_array_equal(Recording("a", qpos, given).control, control[:29])
    told = r"recording 'a': control has shape \(28, 1\), qpos \(30, 2\); expected 29, or 30 of which the last leads nowhere"
    with pytest.raises(ValueError, match=told):
        Recording("a", qpos, control[:28])
    with pytest.raises(ValueError, match=r"recording 'a': qvel has shape \(29, 2\), qpos \(30, 2\); expected 30 rows of qvel"):
        Recording("a", qpos, control, qpos[:29])
