"""Bodies that are deep in one another where a step starts: their own features open them, no others are added."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dojo_py import HardSimulator, Status, load_model

DEEP = 0.02
"""Of two capsules with radii that add up to 0.09 [m]."""


@pytest.mark.parametrize("seed", [0, 4, 12, 20, 52, 60, 84, 92])
def test_parallel_capsules_that_start_deep(seed):
    """Thrown against each other at 2 cm depth: at most 5 contacts, all SOLVED.

    Before: seeds 4, 52, 84 INEXACT with 19 to 21 contacts: each round of the step found a passing and added a feature for it.
    """
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    R = Rotation.from_quat(q, scalar_first=True).as_matrix()
    rng.normal(size=4)  # (kept from the generator that found these)
    p = R @ np.array([0.09 - DEEP, 0.0, rng.uniform(0, 0.2)])
    masses = 10 ** rng.uniform(-1, 1, 2)
    turn, place = " ".join(map(str, q)), " ".join(map(str, p))
    model = load_model(f"""<mujoco><option timestep="0.01"/><worldbody>
        <body quat="{turn}"><freejoint/><geom type="capsule" size=".05 .1" mass="{masses[0]}"/></body>
        <body pos="{place}" quat="{turn}"><freejoint/><geom type="capsule" size=".04 .15" mass="{masses[1]}"/></body>
        </worldbody></mujoco>""")
    sim = HardSimulator(model)
    state = sim.initial_state(qvel=rng.normal(size=12))
    for _ in range(4):
        step = sim.step(state)
        assert step.status is Status.SOLVED
        assert len(step.contacts) <= 6
        state = step.state
