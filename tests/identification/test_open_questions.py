"""What data do not say: unknowns without effect, more unknowns than data, bounds in the way; and that these spoil nothing else."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model, save_mjcf
from dojo_py.identification import Recording, Tied, Unknown, identify, write_report

PAIR = """<mujoco><worldbody><body name="upper"><joint name="a" axis="0 1 0" damping="0.02"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.4" mass="0.4"/><body name="lower" pos="0 0 -0.4">
  <joint name="b" axis="0 1 0" damping="0.02"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="{mass}"/>
  </body></body>
  <body name="ball" pos="2 0 0"><joint type="slide"/><geom type="sphere" size="0.1" mass="1"/></body>
  </worldbody><actuator><motor joint="a"/><motor joint="b"/></actuator>
  <contact><exclude body1="upper" body2="lower"/></contact></mujoco>"""
LOWER = Tied(("mass:lower", "inertia:lower"), lower=0.3, upper=3)


@pytest.fixture(scope="module")
def sim():
    return HardSimulator(load_model(PAIR.format(mass=0.2)), 0.01)


@pytest.fixture(scope="module")
def recording(sim):
    """Of a lower link of 1.5 times the mass."""
    rng = np.random.default_rng(0)
    true = sim.with_parameters(
        {"mass:lower": 1.5 * sim.parameter("mass:lower").value, "inertia:lower": 1.5 * sim.parameter("inertia:lower").value}
    )
    push = np.cumsum(rng.normal(0.0, 0.1, (120, 2)), axis=0)
    run = true.rollout(true.initial_state(np.array([0.5, -0.4, 0.0])), push)
    return Recording("a", run.qpos + rng.normal(0.0, 1e-4, run.qpos.shape), push)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_an_unknown_without_effect_is_named_and_spoils_no_other(sim, recording, tmp_path):
    """Friction where nothing touches. The interval of the mass beside it was NaN."""
    alone, both = (
        identify(sim, [recording], unknowns) for unknowns in ([LOWER], [LOWER, Unknown("friction:#0/#2", 1.0, 0.1, 3.0)])
    )
    assert both.undetermined == ("friction:#0/#2",) and np.isinf(both.interval()[1]).all()
    np.testing.assert_allclose(both.interval()[0], alone.interval()[0], rtol=1e-6)
    low, high = both.interval()[0]
    assert low < 1.5 < high and high - low < 0.1
    np.testing.assert_allclose(both.correlation, np.eye(2))
    write_report(both, tmp_path / "fit.html")
    assert "friction:#0/#2: the data do not determine it" in (tmp_path / "fit.html").read_text()


def test_states_that_explain_everything_leave_the_parameters_open(sim, recording):
    """Two samples, whose states are unknown: the mass came out as 3 ± 6e-6, its bound."""
    few = identify(sim, [Recording("few", recording.qpos[:2], recording.control[:1])], [LOWER])
    assert few.undetermined == tuple(few.unknowns.labels) and np.isinf(few.interval()).all()
    assert "(not determined)" in str(few) and "intervals by the noise alone" in str(few)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_what_stands_still_says_nothing(sim, tmp_path):
    still = identify(sim, [Recording("still", np.zeros((60, 3)), np.zeros((59, 2)))], [LOWER])
    assert still.undetermined == tuple(still.unknowns.labels) and np.isinf(still.interval()).all()
    write_report(still, tmp_path / "fit.html")
    assert "No unknown has an effect" in (tmp_path / "fit.html").read_text()


def test_an_estimate_at_its_bound_is_named(sim, recording, tmp_path):
    """The truth, 1.5, lies beyond it: the interval about the bound does not know of that."""
    found = identify(sim, [recording], [Tied(LOWER.names, lower=0.5, upper=1.2)])
    assert found.estimates[0] == pytest.approx(1.2, abs=1e-4) and found.at_bounds == tuple(found.unknowns.labels)
    assert "(at its bound)" in str(found)
    write_report(found, tmp_path / "fit.html")
    assert "at its bound" in (tmp_path / "fit.html").read_text()
    assert not identify(sim, [recording], [LOWER]).at_bounds


def test_what_was_found_is_a_model_file(sim, recording, tmp_path):
    found = identify(sim, [recording], [LOWER])
    save_mjcf(found.model, tmp_path / "found.xml")
    mass = load_model(tmp_path / "found.xml").body_mass[2]
    assert mass == pytest.approx(found.values["mass:lower"][0], rel=1e-12) and mass == pytest.approx(
        1.5 * sim.model.body_mass[2], rel=0.01
    )


BOX = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" friction="0.6 0 0"/>
    <body name="box" pos="0 0 0.1"><freejoint name="j"/>
    <geom name="box" type="box" size=".1 .1 .1" mass="2" friction="0.6 0 0"/></body></worldbody>
    <actuator><motor joint="j" gear="1 0 0 0 0 0"/></actuator></mujoco>"""
"""It slides from 11.8 N on."""


def fitted_box(forces, noise):
    """A fit of mass and friction to positions with noise and exact rotations."""
    sim, rng = HardSimulator(BOX, timestep=0.02), np.random.default_rng(0)
    controls = np.repeat(rng.uniform(-forces, forces, (20, 1)), 5, axis=0)
    qpos = sim.rollout(sim.initial_state(), controls).qpos.copy()
    qpos[:, :3] += rng.normal(0.0, noise, (len(qpos), 3))
    return identify(sim, [Recording("a", qpos, controls)], [Unknown("mass", 1.5, 0.1, 20.0), Unknown("friction", 0.4, 0.01, 2.0)])


def test_rotations_without_noise_do_not_outweigh_the_error_of_kappa():
    """Of a box that slides: the tilt at κ was all that was fitted, mass 3.0 and friction 0.2. Measured: 2.001, 0.600."""
    found = fitted_box(25.0, 1e-4)
    assert found.estimates == pytest.approx([2.0, 0.6], rel=0.01) and not found.undetermined


def test_a_box_that_never_slides_says_nothing_of_its_friction():
    """What it creeps at κ says friction 0.01 ± 0.03 for 0.6, if it counts."""
    assert set(fitted_box(5.0, 1e-5).undetermined) == {"mass:box", "friction:floor/box"}


SLED = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
    <body name="sled" pos="0 0 0.05"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
    <geom type="box" size=".05 .05 .05" mass="1.3" friction="0.3"/></body></worldbody>
    <actuator><motor joint="x"/></actuator></mujoco>"""


def test_an_unknown_that_is_felt_by_round_off_alone_spoils_nothing_else():
    """Gravity along y, across the slide: its derivative is 1e-32. The step that this asked for was 1e31 m/s², so that the fit ended
    where it began, mass 1 ± 0.8 of 1.3 kg.
    """
    sim, rng = HardSimulator(SLED, timestep=0.01), np.random.default_rng(0)
    controls = np.repeat(rng.uniform(-12, 12, (8, 1)), 10, axis=0)
    qpos = sim.rollout(sim.initial_state(), controls).qpos + rng.normal(0.0, 1e-4, (81, 2))
    found = identify(sim, [Recording("a", qpos, controls)], [Unknown("mass:sled", 1.0), Unknown("gravity")], kappa=1e-6)
    assert found.estimates[0] == pytest.approx(1.3, rel=0.05)
    assert "gravity:world[1]" in found.undetermined and not np.isfinite(found.interval()[2]).any()
    assert found.estimates[2] == 0.0
