"""Momentum and energy of mechanisms on their own."""

import pytest

from dojo_py.reproduce.conservation import BOUND, ENERGY_CASES, drifters, energy_order, momentum_drift

DRIFTERS = drifters()


@pytest.mark.parametrize("name", DRIFTERS)
def test_momentum(name):
    """After 1 s of random control, 10 s (robots: 3 s here, 10 s in `dojo_py reproduce conservation`)."""
    model = DRIFTERS[name]
    linear, angular, unsolved = momentum_drift(model, duration=10.0 if model.nv < 12 else 3.0)
    print(f"{name}: relative momentum drift, linear {linear:.1e}, angular {angular:.1e} (bound {BOUND:g})")
    assert unsolved == 0
    assert linear <= BOUND and angular <= BOUND


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, model in DRIFTERS.items() if model.nv >= 12])
def test_momentum_of_robots_whole(name):
    linear, angular, unsolved = momentum_drift(DRIFTERS[name])
    assert unsolved == 0 and max(linear, angular) <= BOUND


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
