"""Every shipped model under random controls at time steps from 0.001 to 0.1 s."""

import pytest

from dojo_py import models
from dojo_py.reproduce.sweep import DEEPEST, TIMESTEPS, sweep

SHORT = 100
"""Steps a model and time step here; 1000 in the slow test and in `dojo_py reproduce sweep`, which make 100 000."""


def check(name, steps, outer=None):
    """No NaN, no penetration, every step solved. outer: time step [s] -> so many may fail; if some do, the test xfails."""
    missed = {}
    for timestep in TIMESTEPS:
        outcome = sweep(name, timestep, steps)
        print(f"{name}, h {timestep}: {outcome} (bounds: 0 unsolved, 0 not finite, gap >= {DEEPEST:g} m)")
        assert outcome.not_finite == 0, (timestep, outcome)
        assert outcome.smallest_gap >= DEEPEST, (timestep, outcome)
        assert outcome.unsolved <= (outer or {}).get(timestep, 0), (timestep, outcome)
        if outcome.unsolved:
            missed[timestep] = outcome.unsolved
    if missed:
        pytest.xfail(f"bound: 0 unsolved; of {steps} steps each, h [s]: unsolved {missed}")


@pytest.mark.parametrize("name", models.names())
def test_random_controls(name):
    """Measured: 1 of the walker's at h 0.1."""
    check(name, SHORT, {0.1: 5} if name == "walker" else None)


OUTER = {"walker": {0.03: 12, 0.1: 30}}
"""Unsolved at most. Measured: 3 and 16 of 1000, stalled at residuals of 1e-5."""


@pytest.mark.slow
@pytest.mark.parametrize("name", models.names())
def test_random_controls_whole(name):
    check(name, 1000, OUTER.get(name))
