"""Edges: no dofs, deep penetration, ties of geometry, null quaternions, extreme masses and speeds, many contacts, bad input."""

import mujoco
import numpy as np
import pytest

from dojo_py import State, Status
from dojo_py.soft import SoftOptions, SoftSimulator, workspace

FLOOR = '<geom type="plane" size="5 5 1"/>'
OPTIONS = SoftOptions(tolerance=1e-12)


def model(bodies, option=""):
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{FLOOR}{bodies}</worldbody></mujoco>")


def ball(z, words=""):
    return f'<body pos="0 0 {z}"><freejoint/><geom size="0.1" {words}/></body>'


def box(x, z, words=""):
    return f'<body pos="{x} 0 {z}"><freejoint/><geom type="box" size="0.1 0.1 0.1" {words}/></body>'


def difference(wheel, steps, qpos=None, qvel=None):
    """Largest difference of qpos after some steps, and our last status."""
    wheel.opt.tolerance = 1e-12
    simulator = SoftSimulator(wheel, options=OPTIONS)
    state = simulator.initial_state(qpos, qvel)
    data = mujoco.MjData(wheel)
    data.qpos[:], data.qvel[:] = state.qpos, state.qvel
    for _ in range(steps):
        mujoco.mj_step(wheel, data)
    trajectory = simulator.rollout(state, np.zeros((steps, wheel.nu)))
    assert not trajectory.status.any()
    return float(np.abs(trajectory.qpos[-1] - data.qpos).max(initial=0.0))


LIGHT = '<inertial pos="0 0 0" mass="1e-9" diaginertia="1e-13 1e-13 1e-13"/>'
HINGED = '<body pos="0 0 1"><joint type="ball" limited="true" range="0 30"/><geom size="0.1" pos="0.1 0 0"/></body>'
CASES = {
    "ball 100 m under the floor": (ball(-100), 3, None, None),
    "ball touching exactly": (ball(0.1), 20, None, None),
    "box wholly under the floor": (box(0, -3), 5, None, None),
    "two balls in one place": (ball(1) + ball(1), 5, None, None),
    "stack of five boxes": ("".join(box(0, 0.1 + 0.2 * i) for i in range(5)), 100, None, None),
    "null quaternion of a free joint": (ball(0.3), 20, [0, 0, 0.1, 0, 0, 0, 0], None),
    "null quaternion of a ball joint": (HINGED, 20, [0, 0, 0, 0], None),
    "quaternion of length 2": (ball(0.3), 50, [0, 0, 0.1, 2, 0.3, 0.1, 0], None),
    "body of 1e-9 kg": (f'<body pos="0 0 0.09"><freejoint/>{LIGHT}<geom size="0.1"/></body>', 20, None, None),
    "body of 1e12 kg": (ball(0.09, 'mass="1e12"'), 50, None, None),
    "masses of ratio 1e6 on each other": (ball(0.1, 'mass="1e-3"') + ball(0.29, 'mass="1e3"'), 50, None, None),
    "10 km/s into the floor": (ball(0.3), 5, None, [0, 0, -1e4, 0, 0, 0]),
    "1e5 rad/s": (ball(0.1), 50, None, [0, 0, 0, 1e5, 1e5, 0]),
    "10000 km from the origin": (ball(0.1), 20, [1e7, 0, 0.1, 1, 0, 0, 0], None),
    "contact stiffer than the step": (ball(0.09, 'solref="1e-9 1"'), 20, None, None),
    "impedance at its bounds": (ball(0.09, 'solimp="0 1 0 1 6"'), 20, None, None),
    "no friction in six directions": (ball(0.09, 'friction="0 0 0" condim="6"'), 20, None, [1, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_the_wheel(name):
    """Measured: 3e-11 at worst (1e5 rad/s), 1e-15 otherwise."""
    bodies, steps, qpos, qvel = CASES[name]
    largest = difference(model(bodies), steps, qpos, qvel)
    print(f"{name}: {largest:.1e} (bound 1e-9)")
    assert largest < 1e-9


@pytest.mark.parametrize("bodies", ["", '<geom size="0.1"/>', '<body><geom size="0.1"/></body>'])
def test_world_without_dofs(bodies):
    simulator = SoftSimulator(model(bodies))
    state = simulator.initial_state()
    step = simulator.step(state)
    assert step.status is Status.SOLVED and step.state.time == pytest.approx(simulator.timestep)
    assert simulator.linearize(state).A.shape == (0, 0)
    assert simulator.energy(state) == 0.0 and not simulator.momentum(state)[0].any()
    assert simulator.inverse(state, np.zeros(0)).shape == (0,)
    assert len(simulator.rollout(state, np.zeros((3, 0)))) == 3


def test_more_contacts_than_there_is_room_for_is_a_status(monkeypatch):
    bodies = "".join(box(0.19 * i, 0.1) for i in range(20))
    simulator = SoftSimulator(model(bodies))
    step = simulator.step(simulator.initial_state())
    assert step.status is Status.SOLVED and len(step.contacts) == 20 * 4 + 19 * 4
    monkeypatch.setattr(workspace, "MAX_TOTAL", 30)
    step = SoftSimulator(model(bodies)).step(simulator.initial_state())
    assert step.status is Status.TOO_MANY_CONTACTS and len(step.contacts) == 30


def test_a_thousand_pairs_of_boxes():
    """Grid of 125 cubes that touch: about 3000 contacts, once 512 was the limit."""
    bodies = "".join(
        f'<body pos="{0.199 * (i % 5)} {0.199 * (i // 5 % 5)} {0.1 + 0.199 * (i // 25)}"><freejoint/>'
        '<geom type="box" size="0.1 0.1 0.1" condim="1"/></body>'
        for i in range(125)
    )
    simulator = SoftSimulator(model(bodies))
    step = simulator.step(simulator.initial_state())
    print(f"{len(step.contacts)} contacts, {step.iterations} iterations")
    assert step.status is Status.SOLVED and len(step.contacts) > 1000


def test_no_iterations_is_not_a_solution():
    simulator = SoftSimulator(model(ball(0.09)), options=SoftOptions(iterations=0))
    assert simulator.step(simulator.initial_state()).status is Status.INEXACT


def test_bad_input_is_refused_before_anything_runs():
    simulator = SoftSimulator(model(ball(0.3)))
    state = simulator.initial_state()
    for wrong, message in (
        (lambda: simulator.step(State(np.full(7, np.nan), np.zeros(6), np.zeros(0))), "qpos has entries that are not finite"),
        (lambda: simulator.step(State(state.qpos, state.qvel, state.act, float("nan"))), "time has entries"),
        (lambda: simulator.inverse(state, np.full(6, np.inf)), "qacc has entries that are not finite"),
        (lambda: simulator.rollout(state, None), "controls has shape"),
        (lambda: simulator.rollout(state, "abc"), "controls is not an array of numbers"),
        (lambda: simulator.linearize(state, parameters=["mass"]), "parameters: it has no meaning in the soft mode"),
        (lambda: simulator.linearize(state, epsilon=0.0), "epsilon"),
        (lambda: simulator.rollout_batch(state, np.zeros((2, 3, 0)), threads=0), "threads"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
