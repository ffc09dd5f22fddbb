"""Loops of capsules: where the loop closes, the first and the last overlap as much as they can, and nothing can separate them."""

import numpy as np
import pytest
from differences import difference_column, moved

from dojo_py import HardSimulator, load_model


def four_bar(free: bool, radius: float = 0.02) -> str:
    """Four capsules of 20 cm in a square, hinged to one another; the last one is connected to the first, fixed or free."""
    link = f'<geom type="capsule" size="{radius}" fromto="0 0 0 .2 0 0" mass=".1"/>'
    hinged = f'<body name="l%d" pos=".2 0 0" euler="0 -90 0"><joint axis="0 1 0"/>{link}'
    chain = "".join(hinged % i for i in (1, 2, 3)) + "</body>" * 3
    joint = "<freejoint/>" if free else ""
    return f"""<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="5 5 .1"/>
<body name="l0" pos="0 0 .5">{joint}{link}{chain}</body></worldbody>
<equality><connect body1="l3" body2="l0" anchor=".2 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize("kappa", [None, 1e-4, 1e-6])
@pytest.mark.parametrize("free", [True, False])
def test_steps_are_solved(free, kappa):
    """On the central path the impulse κ/gap of that overlap pushed against the loop, at a gap below zero: no step was solved."""
    model = load_model(four_bar(free))
    sim = HardSimulator(model)
    velocity = np.zeros(model.nv)
    velocity[-3:] = 1.0, -1.0, 1.0
    run = sim.rollout(sim.initial_state(qvel=velocity), np.zeros((60, 0)), kappa=kappa)
    print(free, kappa, run.status, run.iterations.max())
    assert (run.status == 0).all()


def test_derivatives_agree_with_differences():
    """Measured: 2e-8 of the largest entry."""
    model = load_model(four_bar(free=True))
    sim, kappa = HardSimulator(model), 1e-4
    velocity = np.array([0.1, 0.0, 0.0, 0.0, 0.3, 0.0, 1.0, -1.0, 1.0])
    start = sim.initial_state(qvel=velocity)
    A = sim.linearize(start, kappa=kappa).A
    end = sim.step(start, kappa=kappa).state
    for column, direction in enumerate(np.eye(2 * model.nv)[model.nv :]):
        expected, _ = difference_column(
            lambda amount, direction=direction: sim.step(moved(model, start, direction, amount), kappa=kappa).state, sim, end, 1e-3
        )
        expected[model.nv :] /= sim.timestep
        error = np.abs(A[:, model.nv + column] - expected).max() / np.abs(expected).max()
        print(column, error)
        assert error < 1e-6
