"""Hinges that turn by more than half a revolution in a step: momenta go on from step to step, angles count revolutions."""

import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model

WHEEL = """<mujoco><option timestep="{h}" gravity="0 0 0"/><worldbody>{before}
  <body pos=".1 0 .02"><joint name="axle" axis="0 0 1"/>
    <inertial pos="0 0 0" mass="0.02" diaginertia="1e-5 1e-5 2e-5"/><geom size=".01" contype="0" conaffinity="0"/></body>
  {after}</worldbody><actuator><motor joint="axle"/></actuator></mujoco>"""
HULL = """<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.02"/>
  <geom size=".05" contype="0" conaffinity="0"/>"""
INERTIA = 2e-5


def test_a_wheel_under_a_torque_goes_on_speeding_up():
    """From 0 to 400 rad/s, up to four radians a step; closed form: p = τ t, and an interval k turns by asin(p k / J).

    Before, momenta were dropped beyond two radians a step and rates were those of the nearest revolution: 91 rad/s was the end.
    """
    sim = HardSimulator(load_model(WHEEL.format(h=0.01, before="", after="")))
    run = sim.rollout(sim.initial_state(), np.full((40, 1), 0.02))
    assert run.unsolved == 0
    speed = 0.02 / INERTIA * 0.01 * np.arange(1, 41)
    rate = run.qvel[1:, 0]
    assert np.all(np.diff(run.qpos[:, 0]) > 0.0)
    assert np.all(rate > 0.98 * speed) and np.all(rate < 1.45 * speed)  # a part turns by at most 1.4 rad: asin(x) < 1.42 x
    equal = np.isin(run.substeps, (1, 2, 4, 8))  # (of others the last part is longer or shorter)
    part = 0.01 / run.substeps[equal]
    assert np.allclose(np.sin(rate[equal] * part) / part, speed[equal], rtol=1e-6)  # measured 2e-9


def test_momentum_of_a_rotor_and_its_body_is_conserved():
    """Spun up to 200 rad/s against a free body, then left alone: momenta to 1e-12 (measured 5e-14 after 60 steps)."""
    sim = HardSimulator(load_model(WHEEL.format(h=0.01, before=HULL, after="</body>")))
    controls = np.zeros((60, 1))
    controls[:40] = 1e-2
    run = sim.rollout(sim.initial_state(), controls)
    assert run.unsolved == 0
    assert run.substeps.max() > 1
    momentum = np.concatenate([np.ravel(p) for p in sim.momentum(run.final_state)])
    assert np.abs(momentum).max() < 1e-12
    assert np.ptp(run.qvel[45:, -1]) < 1e-6  # (nothing brakes it)
    assert run.qvel[-1, -1] == pytest.approx(200.0, rel=0.06)


def test_derivative_of_a_step_that_goes_on_from_a_momentum():
    """B of the third step of a damped pendulum under 3 N m, 2 rad in a step of 50 ms, beside central differences."""
    text = """<mujoco><option timestep="0.05" gravity="0 0 0"/><worldbody><body>
      <joint name="axle" axis="0 1 0" damping="1e-3"/><inertial pos="0.1 0 0" mass="1" diaginertia="0.0035 0.0035 0.0035"/>
      <geom size=".05" contype="0" conaffinity="0"/></body></worldbody><actuator><motor joint="axle"/></actuator></mujoco>"""
    sim, control, e = HardSimulator(load_model(text)), np.array([3.0]), 1e-5
    state = sim.rollout(sim.initial_state(), np.tile(control, (2, 1))).final_state
    found = sim.linearize(state, control, kappa=3e-4)
    assert found.status is Status.SOLVED
    ends = [sim.step(state, control + d, kappa=3e-4) for d in (e, -e)]
    assert all(end.status is Status.SOLVED and end.substeps > 1 for end in ends)
    both = [np.concatenate([end.state.qpos, end.state.qvel]) for end in ends]
    assert np.allclose(found.B[:, 0], (both[0] - both[1]) / (2 * e), rtol=1e-6)  # measured 3e-9


def test_velocities_and_energy_of_a_rod_that_turns_fast():
    """Spun up to 3.5 rad a step: a part turns by at most 1.4 rad, its chord is above 0.92 of its arc. Before, chords of the whole
    step, 0.56 of the arc, and 0.45 of the energy."""
    text = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body pos="0 0 .2" quat="1 1 0 0">
      <joint name="pin" axis="0 1 0"/><inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.1 0.1"/>
      <body pos=".7 0 0"><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.02 0.02"/></body></body></worldbody>
      <actuator><motor joint="pin"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(text))
    inertia = 0.1 + 2 * 0.25 + 0.02 + 0.49
    run = sim.rollout(sim.initial_state(), np.full((35, 1), inertia * 1000.0))
    assert run.unsolved == 0 and run.substeps.max() > 1
    for t in range(1, 36):
        state = run.state(t)
        rate, (v, w), (end, _) = state.qvel[0], (state.maximal[1, 3:6], state.maximal[1, 10:13]), (state.maximal[2, 3:6], 0)
        assert np.linalg.norm(v) == pytest.approx(0.5 * np.linalg.norm(w), rel=1e-9)
        assert 0.92 * rate < w[1] < 1.001 * rate
        assert np.linalg.norm(end) == pytest.approx(0.7 * np.linalg.norm(w), rel=1e-9)
        assert 0.8 < sim.energy(state) / (0.5 * inertia * rate**2) < 1.001
        assert np.array_equal(state.maximal, run.maximal[t])


@pytest.mark.parametrize("turn", [1.5, 2.0, 3.0])
def test_a_rod_keeps_the_rate_that_it_starts_with(turn):
    """A uniform rod on a pin, nothing else: rates and energy stay. Before, 2 rad a step became 1.19 and 3 rad 0.71, SOLVED: parts
    started with the chord of its centre's way over the whole step."""
    text = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -1" size=".05" mass="1"/></body></worldbody></mujoco>"""
    sim = HardSimulator(load_model(text))
    start = sim.initial_state(qvel=[100.0 * turn])
    run = sim.rollout(start, np.zeros((10, 0)))
    assert run.unsolved == 0
    assert np.allclose(run.qvel, 100.0 * turn, rtol=1e-9)
    assert sim.energy(run.final_state) == pytest.approx(sim.energy(start), rel=1e-9)


def test_a_tree_that_starts_fast_keeps_its_momentum_and_energy():
    """Two boxes on a ball joint in space at 2.9 rad a step: what the state says it has. Before, the first step changed both."""
    box = '<geom type="box" size=".1 .2 .3"/>'
    text = f"""<mujoco><option timestep="0.1" gravity="0 0 0"/><worldbody><body><freejoint/>{box}
      <body pos=".1 .2 .3"><joint type="ball"/>{box}</body></body></worldbody></mujoco>"""
    sim = HardSimulator(load_model(text))
    state = sim.initial_state(None, np.array([1.0, 0, 0, 18, 18, 14, 0, 0, 0]))
    energy, momentum = sim.energy(state), np.concatenate(sim.momentum(state))
    for _ in range(5):
        step = sim.step(state)
        assert step.solved
        state = step.state
        assert np.allclose(np.concatenate(sim.momentum(state)), momentum, rtol=1e-9)
        assert sim.energy(state) == pytest.approx(energy, rel=1e-9)
