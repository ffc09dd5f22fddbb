"""Momentum and energy of mechanisms on their own."""

import pytest

from dojo_py.reproduce.conservation import (
    BOUND,
    COARSE,
    ENERGY_CASES,
    TOLERANCE,
    drifters,
    energy_order,
    momentum_drift,
)

DRIFTERS = drifters()
ROBOTS = [name for name, model in DRIFTERS.items() if model.nv >= 12]


def drift(name, tolerance):
    """Largest relative drift in 10 s after 1 s of random control; every step must be solved."""
    linear, angular, unsolved = momentum_drift(DRIFTERS[name], tolerance=tolerance)
    print(
        f"{name}, tolerance {tolerance:g}: relative momentum drift, linear {linear:.1e}, angular {angular:.1e}"
        f" (bound {BOUND:g}), {unsolved} unsolved in the first block that fails"
    )
    assert unsolved == 0
    return max(linear, angular)


@pytest.mark.parametrize("name", DRIFTERS)
def test_momentum(name):
    """At the tightest tolerance, which rows meet up to the round-off of poses and impulses. Measured: at most 3e-12."""
    assert drift(name, TOLERANCE) <= BOUND


@pytest.mark.parametrize("name", ROBOTS)
def test_momentum_of_robots_at_the_default_tolerance(name):
    """Measured: at most 3e-12."""
    assert drift(name, COARSE) <= BOUND


@pytest.mark.parametrize(("name", "key", "duration"), ENERGY_CASES)
def test_energy_error_is_second_order_without_trend(name, key, duration):
    """E mid-step, where v lives, oscillates by O(h²) and never trends."""
    found = energy_order(name, key, duration)
    print(
        f"{name}, {key}: energy order {found.order:.3f} (bound 2 ± 0.1), relative error {found.error:.1e} at 0.005 s,"
        f" trend {found.trend:.1e}"
    )
    assert found.holds
    assert found.error <= 1e-3
    assert found.trend <= 0.1 or found.error <= 1e-11
