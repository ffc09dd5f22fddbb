"""What tells soft from hard contact: creep, penetration, rebound; each figure beside its bound."""

import pytest

from dojo_py.reproduce.soft_vs_hard import bounce, creep, grasp, rebound, settled_speed


@pytest.mark.parametrize(("mode", "low", "high"), [("hard", 0.0, 1e-8), ("soft", 1e-4, 5e-3)])
def test_box_on_a_slope(mode, low, high):
    """Measured: hard 1.2e-11 m/s, soft (elliptic cone, impratio 1) 6.6e-4 m/s."""
    speed = settled_speed(creep(mode, 2.0, "cone" if mode == "hard" else 1))
    print(f"{mode}: creeps at {speed:.1e} m/s (bounds {low:g}, {high:g})")
    assert low <= speed <= high


@pytest.mark.parametrize(("mode", "low", "high"), [("hard", 0.0, 1e-8), ("soft", 1e-3, 1e-2)])
def test_cube_between_two_fingers(mode, low, high):
    """Measured: hard 9e-12 m/s, soft 5e-3 m/s."""
    trajectory = grasp(mode, 1.0)
    speed = settled_speed(trajectory)
    print(f"{mode}: slips at {speed:.1e} m/s (bounds {low:g}, {high:g}), lowest gap {trajectory.min_gap.min():.1e} m")
    assert trajectory.unsolved == 0
    assert low <= speed <= high


@pytest.mark.parametrize(("mode", "low", "high"), [("hard", 0.0, 1e-9), ("soft", 0.99, 1.001)])
def test_ball_bounces_in_the_soft_mode_only(mode, low, high):
    """Contact reference (-1000, 0). Measured: hard 0, soft 1.000."""
    share = rebound(bounce(mode, 1.5))
    print(f"{mode}: rebounds to {share:.4f} of the height (bounds {low:g}, {high:g})")
    assert low <= share <= high
