"""The scenes of `reproduce contact`, short: they stand, hold and close their loops, every step SOLVED, by MuJoCo's geometry."""

import numpy as np
import pytest

from dojo_py.reproduce.contact import GRADIENT, run
from dojo_py.reproduce.contact_gradients import direction_error
from dojo_py.reproduce.contact_piles import pile_xml
from dojo_py.reproduce.contact_scenes import OVERLAP, SCENES, scene_controls, simulate, smallest_gap
from dojo_py.reproduce.report import drawings

SHORT = {"pyramid": 1.0, "hand": 12.0, "slope": 4.0, "stewart": 4.0, "two_arms_box": 6.0, "parallel_cranks": 6.0, "stairs": 3.0}
"""Scene -> seconds. The others have tests in test_bodies.py, or are slow."""


@pytest.mark.parametrize("scene", [s for s in SCENES if s.name in SHORT], ids=lambda s: s.name)
def test_a_scene_holds(scene):
    ours, _, wheel = simulate(scene, SHORT[scene.name])
    assert np.count_nonzero(ours.status) == 0
    assert min(ours.min_gap.min(), smallest_gap(ours, wheel, 20)) > -OVERLAP
    assert scene.measure(ours, wheel) <= scene.bound


BOUND = "{} by the judge's lower bound, whose normal is that of points 1e-10 m apart; {} by ours, {} by mj_geomDistance"
LEFT = {
    "arch": pytest.mark.xfail(strict=False, reason="no gap below -1e-9 m: " + BOUND.format("-4.1e-8", "6e-11", "9e-11")),
    "pyramid": pytest.mark.xfail(strict=False, reason="no gap below -1e-9 m: " + BOUND.format("-9.4e-9", "5e-11", "not looked at")),
    "pile": pytest.mark.xfail(strict=True, reason="every step SOLVED: one of the first 300 is INEXACT"),
}


@pytest.mark.slow
@pytest.mark.parametrize("scene", [pytest.param(s, id=f"{s.name}, {s.what}", marks=LEFT.get(s.name, ())) for s in SCENES])
def test_a_scene_holds_for_its_whole_time(scene):
    ours, _, wheel = simulate(scene)
    assert np.count_nonzero(ours.status) == 0
    assert min(ours.min_gap.min(), smallest_gap(ours, wheel)) > -OVERLAP
    assert scene.measure(ours, wheel) <= scene.bound


def test_the_report_says_what_holds_beside_mujoco():
    found = run(("slope",), 20.0, (1e-6,))
    assert found.holds and len(found.rows) == 1
    assert float(found.rows[0][5]) > 100.0  # MuJoCo's blocks creep: measured 2.6e4 nm/s


@pytest.mark.parametrize("names", [("slop",), ("slope", "atlas"), ()])
def test_scenes_that_are_none_are_refused_and_do_not_all_hold(names):
    with pytest.raises(ValueError, match="is neither a scene nor a robot"):
        run(names, 20.0, (1e-6,))


def test_robots_alone_have_no_curves_to_draw():
    found = run(("hopper",), steps=20)
    assert len(found.rows) == 1 and found.figure is None and drawings(found) == {}


def test_a_pile_of_unknown_shapes_is_refused():
    with pytest.raises(ValueError, match="kind='snow' is not one of spheres, boxes, pile"):
        pile_xml(3, "snow")


FACES = ["tower", "slope", "card_house", "dominoes", "arch", "pinch", "pyramid", "gripper"]


@pytest.mark.parametrize(
    "name, kappa",
    [(name, kappa) for name in FACES for kappa in (1e-3, 1e-4, 1e-6)] + [("gripper", 1e-2), ("gripper", 1e-5)],
)
def test_derivatives_where_faces_lie_on_faces(name, kappa):
    """After 30 steps, exact ties and all. Largest measured: 3e-7 (arch). Corners that came and went made it 1e2.

    So did, in pinch and pyramid, crossings of a capsule's axis beyond its ends where shapes overlap by round-off, and a bound on
    how far apart a crossing is seen along two normals. In gripper an edge of the mug points at a finger, and one of the sides
    beside it was shown: 8e2 at κ 1e-2, 1.9 at 1e-4, 1e-10 since both are.
    """
    scene = next(s for s in SCENES if s.name == name)
    ours, _, _ = simulate(scene, 30 * scene.timestep)
    nu = ours.sim.model.nu
    error, estimate = direction_error(ours.sim, ours.end, scene_controls(scene, nu, 30 * scene.timestep)[-1], kappa)
    print(f"{name}, κ {kappa:g}: {error:.1e} (the differences' own error {estimate:.0e})")
    assert error <= GRADIENT


JUMPS = pytest.mark.xfail(
    strict=False, reason="the row falls to a state where the smooth problem jumps at κ 1e-2, by 1e5 in steps of 1e-5"
)


@pytest.mark.parametrize("kappa", [pytest.param(1e-2, marks=JUMPS), 1e-4])
def test_derivatives_of_a_falling_row(kappa):
    """Dominoes at 1 s, many pairs with parallel edges. Measured 3e-9 (in another state: one now in which steps of κ 1e-2 take 70 to
    490 iterations or end STALLED), 6e-9.

    The direction of the nearest points has a kink there: what was shown along it had A wrong by 5e-3, 9e-4.
    """
    scene = next(s for s in SCENES if s.name == "dominoes")
    ours, _, _ = simulate(scene, 1.0)
    error, estimate = direction_error(ours.sim, ours.end, scene_controls(scene, ours.sim.model.nu, 1.0)[-1], kappa)
    print(f"κ {kappa:g}: {error:.1e} (the differences' own error {estimate:.0e})")
    assert error <= GRADIENT
