"""Discs thrown onto hills: no gap below 0 at the end of a solved step, where a rim meets one triangle's edges more than once."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

HILLS = """<mujoco><option timestep=".01"/><asset><hfield name="h" nrow="9" ncol="9" size="3 3 .05 .2" elevation="{}"/></asset>
<worldbody><geom type="hfield" hfield="h" friction=".8 0 0"/><body pos="0 0 .6"><freejoint/>
<geom type="cylinder" size=".06 .025" mass=".4" friction=".8 0 0"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_no_gap_is_below_zero(seed):
    """25 throws of 80 steps a seed. Measured: all SOLVED, -4.9e-10 m at least; 7 of 6000 steps were 0.03 to 2 mm deep, SOLVED."""
    rng = np.random.default_rng(seed)
    heights = " ".join(f"{z:.3f}" for z in rng.uniform(0, 1, 81))
    sim, least, unsolved = HardSimulator(load_model(HILLS.format(heights))), np.inf, 0
    for _ in range(25):
        q = rng.normal(size=4)
        qvel = [*rng.normal(size=2), -rng.uniform(0, 5), *(4.0 * rng.normal(size=3))]
        traj = sim.rollout(sim.initial_state([0, 0, 0.6, *(q / np.linalg.norm(q))], qvel), np.zeros((80, 0)))
        least, unsolved = min(least, traj.min_gap.min()), unsolved + traj.unsolved
    print(f"{seed}: {least:.1e} m, {unsolved} unsolved")
    assert least > -1e-9 and unsolved == 0
