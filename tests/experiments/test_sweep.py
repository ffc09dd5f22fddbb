"""Every shipped model under random controls at time steps from 0.001 to 0.1 s."""

import pytest

from dojo_py import models
from dojo_py.reproduce.sweep import DEEPEST, TIMESTEPS, sweep

SHORT = 100
"""Steps a model and time step here; 1000 in the slow test and in `dojo_py reproduce sweep`, which make 100 000."""


def check(name, steps):
    """No NaN, no penetration, every step solved."""
    for timestep in TIMESTEPS:
        outcome = sweep(name, timestep, steps)
        print(f"{name}, h {timestep}: {outcome} (bounds: 0 unsolved, 0 not finite, gap >= {DEEPEST:g} m)")
        assert outcome.holds, (timestep, outcome)


@pytest.mark.parametrize("name", models.names())
def test_random_controls(name):
    check(name, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("name", models.names())
def test_random_controls_whole(name):
    """Measured: 0 of 100 000, with the seeds 0, 1 and 2 of `sweep` (the walker at h 0.1 needs up to 1024 parts)."""
    check(name, 1000)
