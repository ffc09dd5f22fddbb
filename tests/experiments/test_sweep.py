"""Every shipped model under random controls at time steps from 0.001 to 0.1 s."""

import pytest

from dojo_py import models
from dojo_py.reproduce.sweep import DEEPEST, TIMESTEPS, sweep

SHORT = 100
"""Steps a model and time step here; 1000 in the slow test and in `dojo_py reproduce sweep`, which make 100 000."""


def check(name, steps):
    for timestep in TIMESTEPS:
        outcome = sweep(name, timestep, steps)
        print(f"{name}, h {timestep}: {outcome} (bounds: 0 unsolved, 0 not finite, gap >= {DEEPEST:g} m)")
        assert outcome.unsolved == 0, (timestep, outcome)
        assert outcome.not_finite == 0, (timestep, outcome)
        assert outcome.smallest_gap >= DEEPEST, (timestep, outcome)


@pytest.mark.parametrize("name", models.names())
def test_random_controls(name, request):
    if name == "walker":
        request.applymarker(pytest.mark.xfail(reason="bound: 0 unsolved; 2 of 100 steps at h 0.1 stall", strict=False))
    check(name, SHORT)


FAILING = {
    "hopper": "bound: 0 unsolved; 402 of 5000 at h 0.1: one overflow, and the simulator's later runs inherit it",
    "npendulum": "bound: 0 unsolved; 56 of 5000, h 0.1, links turn faster than 4/h: stalled",
    "walker": "bound: 0 unsolved; 1 of 5000 at h 0.03 and 240 at h 0.1: stalled at residuals 1e-5, then inherited overflows",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", models.names())
def test_random_controls_whole(name, request):
    if name in FAILING:
        request.applymarker(pytest.mark.xfail(reason=FAILING[name]))
    check(name, 1000)
