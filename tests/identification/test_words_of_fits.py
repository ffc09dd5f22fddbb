"""What a fit may not say: cases a reader of the code named, each wrong before."""

import re

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.identification import (
    PseudoInertia,
    Recording,
    Tied,
    Unknown,
    Unknowns,
    identify,
    read_recording,
    resample,
    rollout_errors,
    write_report,
)
from dojo_py.identification.elimination import Rows
from dojo_py.identification.least_squares import NO_SMALLER, Objective, minimise

TWO = """<mujoco><worldbody><body><joint name="a" axis="0 1 0" damping="0.05"/>
  <geom type="sphere" size="0.05" pos="0 0 -0.4" mass="1"/></body>
  <body name="x" pos="1 0 0"><joint name="b" axis="0 1 0"/><geom type="sphere" size="0.05" pos="0 0 -0.4" mass="2"/></body>
  </worldbody><actuator><motor joint="a"/><motor joint="b"/></actuator></mujoco>"""

CRANE = """<mujoco><worldbody><body><joint type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/>
  <body><joint name="rope" axis="0 1 0" damping="0.05"/><geom size="0.05" pos="0 0 -0.5" mass="2"/></body></body>
  </worldbody></mujoco>"""


def least(residual, slope, start):
    def evaluate(z):
        return [Rows("measured", residual(z), np.zeros(len(residual(z)), int), slope(z))]

    wide = np.array([-1e9]), np.array([1e9])
    return minimise(Objective(evaluate, lambda z, change, _: z + change, lambda z: z, wide), np.array([start]), 1e-6, 60)


def test_a_wrong_derivative_is_not_convergence():
    """Each refused step raised the damping until the damped step promised nothing: 0, "converged"."""
    wrong = least(lambda z: z - 2.0, lambda z: -np.eye(1), 0.0)
    assert wrong.point.y[0] == 0.0 and wrong.message == NO_SMALLER
    right = least(lambda z: z - 2.0, lambda z: np.eye(1), 0.0)
    assert right.point.y[0] == pytest.approx(2.0) and right.message == "converged"


def test_a_kink_is_not_convergence_but_a_minimum_is():
    """|z - 2| with the slope of its other side; and a curve whose steps are refused at first."""
    kink = least(lambda z: 1.0 + np.abs(z - 2.0), lambda z: -np.sign(z - 2.0)[:, None], 1.5)
    assert kink.message == NO_SMALLER
    curve = least(
        lambda z: np.array([np.arctan(20.0 * (z[0] - 1.0)), 0.1]),
        lambda z: np.array([[20.0 / (1 + (20 * (z[0] - 1)) ** 2)], [0.0]]),
        3.0,
    )
    assert curve.point.y[0] == pytest.approx(1.0, abs=1e-3) and curve.message == "converged"


def test_a_prior_far_from_the_data_spoils_no_other_interval():
    """Its cost counted as misfit of the data: all variances by the noise were multiplied by it."""
    sim = HardSimulator(load_model(TWO), timestep=0.01)
    rng = np.random.default_rng(0)
    push = np.cumsum(rng.normal(0.0, 0.2, (80, 2)), axis=0)
    run = sim.rollout(sim.initial_state([0.3, -0.2]), push)
    recording = Recording("two", run.qpos + rng.normal(0.0, 1e-5, run.qpos.shape), push)
    damping = Unknown("damping", lower=1e-3, upper=1.0, start=[0.04, 0.01])
    far = identify(sim, [recording], [damping, Unknown("mass:x", start=1.0, prior=0.02)])
    near = identify(sim, [recording], [damping, Unknown("mass:x", start=2.0, prior=0.02)])
    ratio = far.noise_covariance[0, 0] / near.noise_covariance[0, 0]
    print(f"variance of the damping over that with a prior at the truth: {ratio:.2f}")
    assert ratio < 3.0
    known = near.noise_covariance[2, 2]
    assert known <= 1.01 * 0.02**2  # no larger than the prior's


def test_workers_answer_the_questions_that_a_fit_is_asked():
    """The questions of doubt.py were answered here, however many workers there were."""
    calls = []

    class Counted:
        def map(self, function, jobs):
            calls.append(len(jobs))
            return [function(job) for job in jobs]

    sim = HardSimulator(load_model(TWO), timestep=0.01)
    run = sim.rollout(sim.initial_state([0.3, -0.2]), np.zeros((40, 2)))
    recording = Recording("two", run.qpos, np.zeros((40, 2)))
    unknown = Unknown("damping", lower=1e-3, upper=1.0, start=[0.04, 0.01])
    here = identify(sim, [recording], [unknown])
    there = identify(sim, [recording], [unknown], workers=Counted())
    assert len(calls) == there.evaluations + 4  # shorter stretches once, shorter steps three times
    np.testing.assert_array_equal(there.covariance, here.covariance)


def test_unknowns_of_another_simulator_are_refused():
    """The roll-outs were those of one, the result had the parameters and the options of the other."""
    one, other = (HardSimulator(load_model(TWO), timestep=0.01) for _ in range(2))
    u = np.ones((4, 2))
    recording = Recording("swing", one.rollout(one.initial_state(), u).qpos, u)
    with pytest.raises(ValueError, match="unknowns: they are of another simulator"):
        identify(one, [recording], Unknowns(other, [Unknown("damping:a")]))


@pytest.mark.parametrize(
    ("parts", "entry"),
    [
        ([Unknown("mass"), Unknown("mass:lower")], "mass:lower"),
        ([PseudoInertia("upper"), Unknown("com")], "com:upper"),
        ([Tied(("damping", "damping:elbow"))], "damping:elbow"),
    ],
)
def test_entries_of_parts_are_compared_not_their_names(parts, entry):
    """One mass was two unknowns: neither was determined, and the fit ended at its iteration limit."""
    sim = HardSimulator("double_pendulum", 0.01)
    with pytest.raises(ValueError, match=f"parts: {entry} belongs to several unknowns, '"):
        Unknowns(sim, parts)
    Unknowns(sim, [Unknown("mass:upper"), Unknown("mass:lower")])
    with pytest.raises(ValueError, match="parts: friction_directions:.* belongs to several unknowns, 'friction' and 'friction_dir"):
        Unknowns(HardSimulator("box", 0.01), [Unknown("friction"), Unknown("friction_directions")])


def test_what_holds_a_number_twice_is_named():
    """PseudoInertia was called by the name of its mass: "'mass:upper' and 'mass:upper'"."""
    sim = HardSimulator("double_pendulum", 0.01)
    with pytest.raises(ValueError, match=r"mass:upper belongs .*, 'mass:upper' and 'mass:upper' of PseudoInertia\('upper'\)$"):
        Unknowns(sim, [Unknown("mass:upper"), PseudoInertia("upper")])
    with pytest.raises(ValueError, match=r", 'com:upper' of PseudoInertia\('upper'\) and 'com' of Tied 'legs'$"):
        Unknowns(sim, [PseudoInertia("upper"), Tied(("com",), label="legs")])


def test_a_fit_says_by_how_much_it_misses_the_samples(undamped):
    """Nothing in `print(result)` told of wrong units or time steps."""
    sim, recording = undamped
    right = identify(sim, [recording], [Unknown("damping", 0.1)])
    assert str(right).endswith(" µrad (root mean square)") and 5e-5 < right.missed[0][1] < 2e-4, str(right)
    slow = Recording("slow", recording.qpos[::2], recording.control[::2])
    wrong = identify(sim, [slow], [Unknown("damping", 0.1)])
    missed = dict(wrong.missed)["rad"]
    assert missed > 30 * dict(right.missed)["rad"] and right.missed[0][0] == "rad" and len(right.missed) == 1
    crane = HardSimulator(load_model(CRANE), 0.01)
    run = crane.rollout(crane.initial_state([0.0, 0.5]), np.zeros((60, 0)))
    seen = run.qpos + np.random.default_rng(0).normal(size=run.qpos.shape) * [2e-3, 5e-5]
    told = str(identify(crane, [Recording("a", seen)], [Unknown("damping:rope", 0.1)]))
    assert re.search(r"samples are missed by [12]\.\d mm, [3-6]\d µrad", told), told


@pytest.fixture(scope="module")
def undamped():
    """A double pendulum without damping, and a recording of it."""
    sim, rng = HardSimulator("double_pendulum", 0.01), np.random.default_rng(1)
    run = sim.rollout(sim.initial_state(rng.uniform(-1, 1, 2)), rng.uniform(-2, 2, (120, 2)))
    return sim, Recording("free", run.qpos + 1e-4 * rng.standard_normal(run.qpos.shape), run.control)


@pytest.mark.parametrize("unknown", [Unknown("damping", 0.1, 0.0, 1.0), Unknown("damping", None, 0.0, 1.0)])
def test_what_is_known_to_be_nothing_is_determined(undamped, unknown):
    """No interval is narrower than 100 % of 0: "not determined", by the value alone."""
    sim, recording = undamped
    found = identify(sim, [recording], [unknown])
    assert np.abs(found.estimates).max() < 0.01 and np.diff(found.interval()).max() < 0.1
    assert not found.undetermined and "not determined" not in str(found)


def test_the_size_of_an_unknown_is_in_its_own_unit():
    """Bounds of a transformed unknown counted as free numbers. Bounds that 0 is beyond leave the values alone to compare, each
    number's own: 0.11 ± 0.21 counted as determined where the fit had started from 1, of a light body ± 3 kg beside a heavy one, of
    an inertia ± 1 kg m² beside its mass.
    """
    sim = HardSimulator("double_pendulum", 0.01)
    logarithm = Unknowns(sim, [Unknown("mass", 1.0, 0.1, 1e3, "log")])
    assert logarithm.scale(np.array([0.2, 0.2])) == pytest.approx([0.2, 0.2])
    assert Unknowns(sim, [Unknown("springref", 0.0, -2.0, 4.0)]).scale(np.zeros(2)) == pytest.approx([3.0, 3.0])
    assert Unknowns(sim, [Unknown("mass", 1.0, 0.1, 1e3)]).scale(np.array([5.0, 0.2])) == pytest.approx([5.0, 0.2])
    assert Unknowns(sim, [Unknown("damping", [0.0, 0.3])]).scale(np.array([1e-4, 0.2])) == pytest.approx([0.3, 0.3])
    body = Unknowns(sim, [PseudoInertia("lower")])
    mass, com, inertia = (sim.parameter(f"{name}:lower").value.ravel() for name in ("mass", "com", "inertia"))
    wanted = [*mass, *[max(np.abs(com).max(), np.sqrt(inertia.max() / mass[0]))] * 3, *[inertia.max()] * 6]
    assert body.scale(body.report(body.start)[0]) == pytest.approx(wanted)


@pytest.mark.parametrize(("name", "least"), [("damping", 0.0), ("mass", 1e-6), ("springref", -np.inf), ("inertia", -np.inf)])
def test_bounds_that_a_kind_has_by_nature(name, least):
    sim = HardSimulator("double_pendulum", 0.01)
    start = sim.parameter(name).value + 0.1
    lower = Unknowns(sim, [Unknown(name, start)]).lower
    np.testing.assert_array_equal(lower, (least * start if np.isfinite(least) else np.full_like(start, least)).ravel())
    assert Unknowns(sim, [Unknown("mass", 1.0, transform="log")]).lower[0] == -np.inf
    assert Unknowns(sim, [Tied(("mass", "inertia"))]).lower[0] == 1e-6 and Unknowns(sim, [Tied(("damping",))]).lower[0] == 0.0


def test_fits_end_at_bounds_by_nature(undamped):
    """All steps to negative damping were refused as a whole: the fit ended far from 0 and asked for more iterations."""
    sim, recording = undamped
    found, told = (
        identify(sim, [recording], [unknown]) for unknown in (Unknown("damping", 0.1), Unknown("damping", 0.1, 0.0, 1.0))
    )
    print(found)
    assert found.message == "converged"
    np.testing.assert_allclose(found.estimates, told.estimates, atol=1e-4)
    assert found.at_bounds and found.at_bounds == told.at_bounds


def test_a_fit_says_that_points_on_its_way_were_rejected(undamped, monkeypatch):
    """Before: "2 steps were impossible", with the simulator's advice to reduce its time step."""
    sim, recording = undamped
    allowed = Unknowns.simulator

    def limited(self, z):
        if z.min() < 0.095:
            raise ValueError("damping below what is made; reduce the timestep")
        return allowed(self, z)

    monkeypatch.setattr(Unknowns, "simulator", limited)
    found = identify(sim, [recording], [Unknown("damping", 0.1)], max_iterations=3)
    told = (
        "trial points of the search could not be simulated and were rejected (the last one: damping below what is made); the result"
    )
    assert told in found.message and "reduce" not in found.message, found.message
    assert "bounds or a start nearer to the truth" in found.message and found.estimates.min() >= 0.095


def test_samples_that_are_missing_are_named(undamped, tmp_path):
    """A shape was named, which was right; of no recordings the errors were NaN."""
    sim, recording = undamped
    gap, control, model = recording.qpos.copy(), recording.control.copy(), sim.model
    gap[7, 1], control[3, 0] = np.nan, np.inf
    for name, make in {
        r"recording 'gap': qpos\[7, 1\] is nan": lambda: Recording("gap", gap, recording.control),
        r"recording 'gap': control\[3, 0\] is inf": lambda: Recording("gap", recording.qpos, control),
        r"qpos\[7, 1\] is nan": lambda: resample(model, "gap", 0.01 * np.arange(len(gap)), gap, 0.01),
    }.items():
        with pytest.raises(ValueError, match=f"^{name}.*`resample`"):
            make()
    np.savetxt(tmp_path / "gap.csv", gap, delimiter=",")
    with pytest.raises(ValueError, match=r"gap\.csv: line 8, column 2: qpos is nan.*`resample`"):
        read_recording(tmp_path / "gap.csv", {"qpos": range(2)})
    there = np.isfinite(gap).all(axis=1)
    filled = resample(model, "gap", 0.01 * np.flatnonzero(there), gap[there], 0.01)
    assert len(filled.qpos) == len(gap) and np.abs(filled.qpos - recording.qpos).max() < 0.01
    with pytest.raises(ValueError, match="recordings: none"):
        rollout_errors(sim, [])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"start": 5.0, "lower": 1, "upper": 2}, "mass: the start must lie within .*; start 5, lower 1, upper 2 were read"),
        ({"start": [1.5, 5.0], "lower": 1, "upper": 2}, "start 5, lower 1, upper 2 were read at number 1"),
        ({"lower": 2, "upper": 1}, "mass: .* these apart; lower 2, upper 1 were read"),
        ({"start": 0.0, "transform": "log"}, "mass: transform 'log' needs a positive start, 0 was read"),
        ({"start": "heavy"}, "mass: start is not an array of numbers"),
    ],
)
def test_unknowns_are_refused_where_they_are_made(given, told):
    """Before: by `identify`, without the numbers."""
    with pytest.raises(ValueError, match=told):
        Unknown("mass", **given)


def test_factors_are_refused_where_they_are_made():
    with pytest.raises(ValueError, match="legs: the start must lie within .*; start 5, lower 0, upper 2 were read"):
        Tied(("mass:a", "mass:b"), 5.0, upper=2.0, label="legs")


def test_starts_that_the_simulator_gives_are_told_with_their_number():
    sim = HardSimulator("double_pendulum", 0.01)
    with pytest.raises(ValueError, match="damping: transform 'log' needs a positive start, 0 was read"):
        Unknowns(sim.with_parameters({"damping": 0.0}), [Unknown("damping", transform="log")])


def test_errors_of_coordinates_are_not_said_to_be_metres_and_degrees():
    """Of two hinges: "position 0.13 m, rotation 0 deg"."""
    sim = HardSimulator(load_model(TWO), 0.01)
    run = sim.rollout(sim.initial_state([0.3, 0.2]), np.zeros((20, 2)))
    found = rollout_errors(sim, [Recording("a", run.qpos + 0.1, run.control)])
    assert "deg" not in str(found) and str(found).startswith("coordinates ") and len(found) == 3
    box = HardSimulator("box", 0.01)
    run = box.rollout(box.initial_state(), np.zeros((20, 3)))
    assert str(rollout_errors(box, [Recording("a", run.qpos, run.control)])).endswith("deg")


def test_one_recording_that_is_held_out_is_no_list(tmp_path):
    sim = HardSimulator(load_model(TWO), 0.01)
    run = sim.rollout(sim.initial_state([0.3, 0.2]), np.zeros((20, 2)))
    recording = Recording("a", run.qpos, run.control)
    found = identify(sim, [recording], [Unknown("damping:a")])
    with pytest.raises(TypeError, match=r"held_out=Recording.* expected a list of Recording"):
        write_report(found, tmp_path / "fit.html", held_out=recording)


def test_a_fit_that_stops_on_the_way_says_that_its_intervals_may_not_hold(undamped, tmp_path):
    """A sliding block's friction was 0.329 ± 0.017 for 0.35 after the last iteration, as narrow as at a minimum."""
    sim, recording = undamped
    found = identify(sim, [recording], [Unknown("mass", 3.0)], max_iterations=1)
    assert not found.converged and "did not end at a minimum" in str(found)
    write_report(found, tmp_path / "fit.html")
    assert "Intervals may not hold: it did not end" in (tmp_path / "fit.html").read_text(encoding="utf-8")
    found = identify(sim, [recording], [Unknown("mass")])
    assert found.converged and "minimum" not in str(found)
