"""A simulator's own timestep counts, not that of the model's file: also for how far impulses reach on the central path."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model

TWO_CYLINDERS = """<mujoco><option timestep="{}"/><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 .101"><freejoint/><geom type="cylinder" size=".1 .1"/></body>
<body pos=".02 0 .2521"><freejoint/><geom type="cylinder" size=".07 .05"/></body></worldbody></mujoco>"""
TIMESTEP = 0.004


@pytest.mark.parametrize("in_the_file", [0.0005, 0.002, 0.02])
@pytest.mark.parametrize("kappa", [None, 1e-4, 1e-6])
def test_the_files_timestep_does_not_matter(in_the_file, kappa):
    """At κ = 1e-4 velocities differed by 0.1 to 0.3 m/s, and A by 13 to 53, all SOLVED."""
    velocity = 0.3 * np.random.default_rng(0).normal(size=12)
    own, other = (HardSimulator(load_model(TWO_CYLINDERS.format(h)), timestep=TIMESTEP) for h in (TIMESTEP, in_the_file))
    start = own.initial_state(qvel=velocity)
    for sim in (other, HardSimulator(other.to_model(), timestep=TIMESTEP)):
        assert np.array_equal(
            own.step(start, kappa=kappa).state.qvel, sim.step(sim.initial_state(qvel=velocity), kappa=kappa).state.qvel
        )
        if kappa is not None:
            assert np.array_equal(
                own.linearize(start, kappa=kappa).A, sim.linearize(sim.initial_state(qvel=velocity), kappa=kappa).A
            )
