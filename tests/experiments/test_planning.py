"""Table III's bounds, and a trot that survives a push."""

import numpy as np
import pytest

from dojo_py.reproduce import push, table3

pytestmark = pytest.mark.slow  # minutes


SLOWER = pytest.mark.xfail(
    strict=True,
    reason="bound 20 iterations: 54, of which 23 in the relaxed motion; its plan misses the goal by 4.5e-2 in the hard motion",
)


@pytest.mark.parametrize("name", ["box right", "box up", "hopper", pytest.param("quadruped", marks=SLOWER)])
def test_hard_mode_meets_the_papers_violations_and_iterations(name):
    """At most the paper's 3e-3, 3e-3, 1e-3, 3e-4, to that digit, in 30, 106, 96, 20 iterations.

    Measured: 3.3e-3, 3.3e-3, 6.1e-4, 1.3e-4 in 16, 21, 71, 54, at costs of 14.46, 14.54, 7.66, 0.028 (the paper: 14.5, 14.5, 8.9,
    0.02). The hopper's iterations depend on round-off.
    """
    plan, seconds = table3.solve(name)
    print(f"{name}: cost {plan.cost:.4g}, violation {plan.violation:.1e}, {plan.iterations} iterations, {seconds:.1f} s")
    assert table3.within_bounds(name, plan)


SLIDES = pytest.mark.xfail(
    strict=True, reason="bound 3e-3: 0.098; where the box hovers at the ground, differences straddle contact"
)


@pytest.mark.parametrize("name", ["box up, soft", pytest.param("box right, soft", marks=SLIDES)])
def test_soft_mode_meets_the_papers_violations(name):
    """Box up 4.2e-4, where the paper's MuJoCo fails. Box right, differences of 1e-3 in place of 1e-6: 4.6e-3 in 220 iterations."""
    plan, _ = table3.solve(name)
    assert plan.hard_violation <= min(3e-3, table3.PAPER[name][1])


FALLS = pytest.mark.xfail(strict=False, reason="falls: of 15 pushes of 18 to 22 N s 13 survive (14 with plans of other round-off)")


def test_a_walk_of_less_than_a_second_has_a_report():
    report = push.run(duration=0.2, impulse=0.0, push_start=0.0)
    assert {row[0]: row[1] for row in report.rows}["upright for [s]"] == pytest.approx(0.2)


@pytest.mark.parametrize(("impulse", "start"), [(20.0, 1.0), (-20.0, 1.1), pytest.param(22.0, 1.2, marks=FALLS)])  # [N s], [s]
def test_trot_keeps_walking_after_a_push(impulse, start):
    """20 N s sideways, then upright and on for 5 s; from the other side, at another time and by a tenth more too.

    Measured over 24 pushes of 18 to 22 N s: 23 survive.
    """
    report = push.run(impulse=impulse, push_start=start)
    shown, trunk = report.replays["the walk"].qpos, report.curves["trunk"]
    assert np.array_equal(shown[:, :3], np.stack([trunk["x"], trunk["y"], trunk["z"]], axis=1))  # bit for bit
    print(report)
    figures = {row[0]: row[1] for row in report.rows}
    assert report.holds and figures["upright for [s]"] == pytest.approx(5.0)
    assert figures["speed after the push [m/s]"] > 0.5 * figures["speed of the gait [m/s]"]
