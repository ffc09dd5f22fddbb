"""A and `rollout_vjp` at κ down to 1e-13 N m s, where a contact with the world is 1e14 times as stiff as its body is heavy."""

import numpy as np
import pytest
from differences import TIGHT, moved, ridders, tangent

from dojo_py import HardSimulator, load_model

BODY = """<mujoco><worldbody>{}<body pos="0 0 .095" quat="0.968 -0.219 -0.121 -0.012"><freejoint/>
  <geom type="capsule" size="0.04 0.065" mass="2"/></body></worldbody></mujoco>"""
GROUNDS = {
    "plane": '<geom type="plane" size="0 0 1" zaxis="-0.04 -0.075 1"/>',
    "box": '<geom type="box" size="1 1 0.5" pos="0 0 -0.5"/>',
}
H = 0.0075


@pytest.mark.parametrize("kappa", [1e-11, 1e-13])
@pytest.mark.parametrize("ground", GROUNDS)
def test_derivatives_by_coordinates(ground, kappa):
    """To 1e-4, scaled as in differences.py. Measured: 6.7e-6 at most; before 5e-15 over kappa.

    Right-hand sides by coordinates are as large as the contact is stiff; what is perpendicular to its rows in them was round-off.
    """
    sim = HardSimulator(load_model(BODY.format(GROUNDS[ground])), timestep=H, options=TIGHT)
    start = sim.initial_state(None, [-0.18, -0.11, -0.3, 0.9, 0.9, -1.4])
    lin = sim.linearize(start, kappa=kappa)
    assert not lin.status and np.abs(lin.next_state.qvel).max() > 0.1

    def end(direction, amount):
        step = sim.step(moved(sim.model, start, direction, amount), kappa=kappa)
        assert not step.status
        return tangent(sim.model, step.state, lin.next_state, H)

    def column(i):
        e = np.eye(12)[i]
        return ridders(lambda step: (end(e, step) - end(e, -step)) / (2.0 * step), 1e-3)[0]

    expected = np.stack([column(i) for i in range(6)], axis=1)
    scale = np.concatenate([np.ones(6), np.full(6, H)])[:, None]
    error = np.abs(scale * lin.A[:, :6] - expected).max()
    weights = np.zeros((2, 12))
    weights[1] = np.random.default_rng(0).normal(size=12)
    back = sim.rollout_vjp(sim.rollout(start, np.zeros((1, 0)), kappa=kappa), weights * scale[:, 0]).state[:6]
    reverse = np.abs(back - weights[1] @ expected).max()
    print(f"{ground}, kappa {kappa:g}: A {error:.1e}, reverse mode {reverse:.1e} (bound 1e-4)")
    assert error < 1e-4 and reverse < 1e-4
