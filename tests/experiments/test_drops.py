"""Robots dropped on the floor: nothing sinks in, every step is solved, in few iterations."""

import numpy as np
import pytest

from dojo_py.reproduce.table2 import drop

DROPS = [("atlas", 0.1, 5.0), ("atlas", 0.01, 5.0), ("atlas", 0.001, 0.7)]
"""Robot, time step, duration [s]: at 0.001 the landing only (the feet touch at 0.32 s); the whole is in the slow test."""


@pytest.mark.parametrize(("name", "timestep", "duration"), DROPS)
def test_atlas_never_sinks(name, timestep, duration):
    trajectory = drop(timestep, duration, name)
    gap = trajectory.min_gap.min()
    print(
        f"{name} drop, h {timestep} s, {duration} s: smallest gap {gap:.2e} m (bound 0), {trajectory.unsolved} unsolved"
    )
    assert trajectory.unsolved == 0
    assert gap >= 0.0
    assert trajectory.min_gap[-1] < 1e-3, "the feet must have reached the floor"


@pytest.mark.slow
@pytest.mark.parametrize("timestep", [0.1, 0.01, 0.001])
def test_atlas_never_sinks_whole_table(timestep):
    trajectory = drop(timestep)
    print(f"atlas drop, h {timestep} s, 5 s: smallest gap {trajectory.min_gap.min():.2e} m (bound 0)")
    assert trajectory.unsolved == 0 and trajectory.min_gap.min() >= 0.0


@pytest.mark.parametrize(("name", "key"), [("atlas", "drop"), ("quadruped", "drop"), ("humanoid", "home")])
def test_iterations(name, key):
    """Default tolerances: complementarity 1e-12 in SI units."""
    trajectory = drop(0.01, 3.0, name, key)
    median, worst = np.median(trajectory.iterations), trajectory.iterations.max()
    print(f"{name} drop, h 0.01 s, 3 s: iterations median {median:g} (bound 8), worst {worst} (bound 30)")
    assert trajectory.unsolved == 0
    assert trajectory.complementarity.max() <= 1e-12
    assert median <= 8 and worst <= 30
