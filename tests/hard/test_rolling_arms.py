"""Discs and ellipsoids that roll without slip keep their energy, whatever the time step: closed forms, and derivatives of ρ'."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.hard.elements.rolling_arms import by_square, from_start, rolling_arm
from dojo_py.jit import entry

DISC = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body><freejoint/>
<geom type="cylinder" size=".05 .005" mass=".3" friction="1 0 0" priority="1"/></body></worldbody></mujoco>"""


def wobbling(h, tilt=0.5, g=9.81):
    """A disc on its rim whose centre of mass stays where it is: it rotates about the line from there to the point of contact, and
    that line goes round at the rate Ω with  r × m g = Ω × J ω.  No friction acts. Returns (simulator, state, Ω).
    """
    sim = HardSimulator(load_model(DISC), h)
    R = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    arm = R @ [0, -0.05, -0.005]
    along, J = arm / np.linalg.norm(arm), R @ np.diag(sim.model.body_inertia[1]) @ R.T
    rate = np.linalg.lstsq(np.c_[[0, 0, 1.0], R[:, 2]], along, rcond=None)[0][0]
    change = np.cross([0, 0, rate], J @ along)
    spin = np.sqrt(np.cross(arm, [0, 0, 0.3 * g]) @ change / (change @ change))
    qpos = np.r_[0, 0, -arm[2] + 1e-9, np.cos(tilt / 2), np.sin(tilt / 2), 0, 0]
    return sim, sim.initial_state(qpos=qpos, qvel=np.r_[0, 0, 0, spin * (R.T @ along)]), rate * spin


@pytest.mark.parametrize(("h", "lost"), [(0.002, 2e-4), (0.005, 2e-3), (0.01, 0.05)])
def test_a_disc_wobbles_on(h, lost):
    """Two and a half turns of the point of contact. Measured: 0, 1e-3, 0.03 of the energy; with arms at the end of the step half of
    it was gone after 0.28, 0.125, 0.09 s.
    """
    sim, state, rate = wobbling(h)
    run = sim.rollout(state, np.zeros((int(0.4 / h), 0)))
    rest = 0.3 * 9.81 * 0.005
    first, last = (sim.energy(run.state(k)) - rest for k in (1, -1))
    assert run.unsolved == 0 and abs(rate) == pytest.approx(41.37, abs=0.01)
    assert 1.0 - lost < last / first < 1.0 + 0.002


@pytest.mark.parametrize("h", [0.005, 0.01, 0.02])
def test_a_rattleback_reverses(h):
    """At 3.03 s, as with steps of 0.2 ms; with arms at the end of the step never from 5 ms on."""
    J, cos, sin = (2e-5, 4e-4, 4.1e-4), np.cos(np.radians(15)), np.sin(np.radians(15))
    x, y, xy = J[0] * cos**2 + J[1] * sin**2, J[0] * sin**2 + J[1] * cos**2, (J[0] - J[1]) * cos * sin
    sim = HardSimulator(
        load_model(
            f"""<mujoco><worldbody><geom type="plane" size="0 0 1" friction="1 0 0"/><body pos="0 0 .02"><freejoint/>
            <inertial pos="0 0 -.004" mass=".2" fullinertia="{x} {y} {J[2]} {xy} 0 0"/>
            <geom type="ellipsoid" size=".12 .03 .02" friction="1 0 0"/></body></worldbody></mujoco>"""
        ),
        h,
    )
    run = sim.rollout(sim.initial_state(qvel=[0, 0, 0, 0.05, 0.05, 5.0]), np.zeros((int(4.0 / h), 0)))
    reversed_at = h * int(np.argmax(run.qvel[:, 5] < 0.0))
    assert run.unsolved == 0 and reversed_at == pytest.approx(3.03, abs=0.03)
    assert run.qvel[:, 5].min() < -1.5


@entry
def _numbers(start, end, square, out):
    """out (24,) = ρ', M, 1 - M, ∂ρ'/∂L²."""
    arm, M = rolling_arm((start[0], start[1], start[2]), (end[0], end[1], end[2]), square)
    rest, by = from_start(M), by_square((start[0], start[1], start[2]), (end[0], end[1], end[2]), square)
    for k in range(3):
        out[k], out[21 + k] = arm[k], by[k]
    for k in range(9):
        out[3 + k], out[12 + k] = M[k], rest[k]


def test_derivatives_of_the_arm():
    """At any fraction of L; beyond it the arm is that of the end."""
    rng, out = np.random.default_rng(0), np.zeros(24)
    for size in (0.1, 0.5, 0.9, 1.5):
        start, step = rng.normal(size=3), rng.normal(size=3)
        end, square = start + size * step / np.linalg.norm(step), 1.1

        def arm(start, end, square):
            out = np.zeros(24)
            _numbers(start, end, square, out)
            return out[:3]

        _numbers(start, end, square, out)
        e = 1e-6 * np.eye(3)
        by_end = np.array([arm(start, end + d, square) - arm(start, end - d, square) for d in e]).T / 2e-6
        by_start = np.array([arm(start + d, end, square) - arm(start - d, end, square) for d in e]).T / 2e-6
        by = (arm(start, end, square + 1e-6) - arm(start, end, square - 1e-6)) / 2e-6
        assert np.allclose(out[3:12].reshape(3, 3), by_end, atol=1e-8)
        assert np.allclose(out[12:21].reshape(3, 3), by_start, atol=1e-8)
        assert np.allclose(out[21:], by, atol=1e-8)
        assert (size < 1.04) != np.allclose(out[:3], end)


@pytest.mark.parametrize("h", [0.005, 0.02])
def test_derivatives_of_a_disc_that_wobbles(h):
    """A by central differences of the step at κ, extrapolated, for a point of contact that runs 12 and 47 degrees a step."""
    sim, state, _ = wobbling(h)
    model, kappa = sim.model, 1e-4
    lin, end = sim.linearize(state, kappa=kappa), sim.step(state, kappa=kappa).state

    def move(dx):
        start = sim.initial_state(qpos=model.integrate(state.qpos, dx[:6]), qvel=state.qvel + dx[6:])
        after = sim.step(start, kappa=kappa).state
        return np.concatenate([model.difference(after.qpos, end.qpos), after.qvel - end.qvel])

    def differences(size):
        return np.array([(move(e) - move(-e)) / (2 * size) for e in size * np.eye(12)]).T

    A = (4 * differences(4e-6) - differences(8e-6)) / 3
    assert np.abs(A - lin.A).max() < 1e-6 * np.abs(A).max()
