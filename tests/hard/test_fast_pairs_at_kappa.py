"""On the central path a pair whose impulse has faded away where the step starts does not pass into the other within it."""

import itertools

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model

SHAPES = {
    "sphere": 'type="sphere" size=".05"',
    "capsule": 'type="capsule" size=".03 .05"',
    "box": 'type="box" size=".05 .04 .03"',
    "cylinder": 'type="cylinder" size=".04 .05"',
    "ellipsoid": 'type="ellipsoid" size=".05 .03 .04"',
}


def scene(one, two, distance):
    return f"""<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
        <body><freejoint/><geom {SHAPES[one]} mass="1"/></body>
        <body pos="{distance} 0.01 0.005"><freejoint/><geom {SHAPES[two]} mass="1"/></body></worldbody></mujoco>"""


NOT_UNIQUE = "parallel, side by side: the nearest points are not unique, and the step is STALLED or INEXACT where they touch"


def cases():
    """Every pair of shapes at every κ."""
    for (one, two), kappa in itertools.product(itertools.combinations_with_replacement(SHAPES, 2), (1e-4, 1e-6, 1e-8)):
        fails = (one, two) == ("capsule", "cylinder") and kappa < 1e-4
        yield pytest.param(one, two, kappa, marks=[pytest.mark.xfail(reason=NOT_UNIQUE, strict=True)] if fails else [])


@pytest.mark.parametrize(("one", "two", "kappa"), list(cases()))
def test_what_flies_together_stays_apart(one, two, kappa):
    """At 1 m/s: pairs that are farther apart than d₂ where a step starts, and would overlap where it ends.

    The wheel's distance is above zero at the end of every step. Before: the steps were SOLVED with up to 1 cm of overlap at κ 1e-6.
    """
    xml = scene(one, two, 0.2037)
    sim, wheel = HardSimulator(load_model(xml)), mujoco.MjModel.from_xml_string(xml)
    wheel.opt.ccd_tolerance = 1e-12
    data, velocity = mujoco.MjData(wheel), np.zeros(12)
    velocity[6] = -1.0
    state = sim.initial_state(qvel=velocity)
    for _ in range(18):
        step = sim.step(state, kappa=kappa)
        state = step.state
        data.qpos[:] = state.qpos
        mujoco.mj_kinematics(wheel, data)
        assert step.status is Status.SOLVED
        assert mujoco.mj_geomDistance(wheel, data, 0, 1, 9.0, None) > -1e-9
    assert state.qvel[6] > -0.9  # (they have met)


@pytest.mark.parametrize("kappa", [1e-6, 1e-8])
@pytest.mark.parametrize(("one", "two"), [("sphere", "sphere"), ("sphere", "box"), ("capsule", "box"), ("box", "box")])
def test_derivatives_of_a_step_with_such_a_pair(one, two, kappa):
    """By velocities, against central differences: 1e-11 to 6e-7 of the largest, the differences' own error."""
    sim = HardSimulator(load_model(scene(one, two, 0.13)))
    velocity = np.zeros(12)
    velocity[3:7] = 0.1, 0.2, 0.3, -8.0
    state = sim.initial_state(qvel=velocity)
    assert sim.step(state, kappa=kappa).state.qvel[6] > -7.9
    A = sim.linearize(state, np.zeros(0), kappa=kappa).A[12:, 12:]
    errors = []
    for size in (1e-4, 3e-5, 1e-5, 3e-6, 1e-6):
        columns = []
        for unit in np.eye(12):
            ends = [sim.step(sim.initial_state(qvel=velocity + s * size * unit), kappa=kappa).state.qvel for s in (1, -1)]
            columns.append((ends[0] - ends[1]) / (2 * size))
        errors.append(np.abs(np.array(columns).T - A).max(axis=0))
    assert np.min(errors, axis=0).max() < 2e-6 * np.abs(A).max()
