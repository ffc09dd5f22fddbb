"""On the central path, too, a free body that a torque sets spinning within a step is solved, in parts (least_halvings.py)."""

import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model

CUBE = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("kappa", [0.0, 1e-4])
@pytest.mark.parametrize("torque", [10.0, 50.0, 100.0, 300.0])
def test_a_torque_sets_a_cube_spinning(torque, kappa):
    """1 kg, 0.2 m, 6 steps of 10 ms: |ω| h of 0.8 to 23. On the path it was STALLED from 50 N m on, and never moved from 100 on."""
    sim = HardSimulator(load_model(CUBE), timestep=0.01)
    state, wrench = sim.initial_state(), np.zeros((2, 6))
    wrench[1, 5] = torque
    for _ in range(6):
        step = sim.step(state, None, wrenches=wrench, kappa=kappa)
        assert step.status == Status.SOLVED
        state = step.state
    assert step.substeps > 1 or torque == 10.0


@pytest.mark.parametrize("kappa", [0.0, 1e-4])
def test_its_spin_is_that_of_the_closed_form(kappa):
    """Nothing touches the cube: after 30 ms |ω| = τ t / I, 270.5 rad/s; 6 % less in the hard limit, 1.5 % more on the path.

    (Velocities of a step in parts are means over parts of different lengths.)
    """
    sim, wrench = HardSimulator(load_model(CUBE), timestep=0.01), np.zeros((2, 6))
    wrench[1, 3:] = 3.0, 2.0, 60.0
    state = sim.initial_state()
    for _ in range(3):
        state = sim.step(state, None, wrenches=wrench, kappa=kappa).state
    due = np.linalg.norm(wrench[1]) * 0.03 / (0.2**2 / 6)
    assert abs(np.linalg.norm(state.qvel[3:]) / due - 1) < 0.1
