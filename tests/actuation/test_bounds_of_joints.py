"""A joint's actuatorfrcrange bounds what all actuators do along it: its own, and those of sites, slider-cranks and tendons."""

import mujoco
import numpy as np
import pytest

from dojo_py import HardSimulator, Status, load_model

ARM = """<mujoco><worldbody><site name="w" pos="0 .3 1"/>
<body name="a"><joint name="j" axis="0 1 0" actuatorfrcrange="-.7 .5" actuatorgravcomp="{compensated}"/>
<inertial pos=".1 0 .1" mass="1" diaginertia=".3 .2 .1"/><site name="mid" pos=".5 0 .1" euler="20 30 0"/>
<body name="b" pos=".5 0 0" gravcomp=".7"><joint name="k" axis="0 1 1" actuatorfrcrange="-.6 .9"/>
<joint name="s" type="slide" axis="1 0 0" actuatorfrcrange="-.3 2"/><inertial pos=".2 0 0" mass="1" diaginertia=".1 .2 .1"/>
<site name="tip" pos=".3 .1 0" euler="10 0 50"/></body></body></worldbody>
<tendon><fixed name="f"><joint joint="j" coef="1"/><joint joint="k" coef="-.7"/></fixed>
<spatial name="p"><site site="w"/><site site="mid"/><site site="tip"/></spatial></tendon>
<actuator><motor tendon="f"/><position tendon="f" kp="5" kv=".3"/><motor tendon="p"/><position tendon="p" kp="2"/>
<motor site="tip" gear="1 .5 0 0 1 .3"/><position site="tip" refsite="mid" kp="1.5" gear="1 0 0 0 0 1"/>
<motor cranksite="mid" slidersite="w" cranklength="2"/><motor joint="j"/><position joint="k" kp="3" kv=".1"/></actuator>
<sensor><jointactuatorfrc joint="j"/><jointactuatorfrc joint="k"/><jointactuatorfrc joint="s"/></sensor></mujoco>"""
KAPPA = 1e-4


def drawn(rng):
    """Coordinates, rates and controls: the sums are within some bounds and beyond others."""
    return 0.5 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=9) * rng.choice([0.1, 1.0, 5.0])


@pytest.mark.parametrize("compensated", ["false", "true"])
def test_forces_along_joints_are_the_wheels(compensated):
    """In a step of 1e-6 s. Measured: accelerations 4e-3 rad/s² (round-off of velocities over h), forces 7e-6."""
    text, h = ARM.format(compensated=compensated), 1e-6
    wheel = mujoco.MjModel.from_xml_string(text)
    data, sim = mujoco.MjData(wheel), HardSimulator(load_model(text), timestep=h)
    rng, bounded = np.random.default_rng(0), 0
    for _ in range(20):
        data.qpos[:], data.qvel[:], data.ctrl[:] = drawn(rng)
        mujoco.mj_forward(wheel, data)
        step = sim.step(sim.initial_state(qpos=data.qpos, qvel=data.qvel), data.ctrl)
        assert np.abs((step.state.qvel - data.qvel) / h - data.qacc).max() < 0.02
        assert np.abs(step.sensordata - data.sensordata).max() < 1e-4
        bounded += int(np.isin(data.qfrc_actuator, [-0.7, 0.5, -0.6, 0.9, -0.3, 2.0]).sum())
    assert bounded > 10


@pytest.mark.parametrize("compensated", ["false", "true"])
def test_derivatives_where_sums_are_bounded(compensated):
    """A, B and columns of parameters beside central differences. Measured: 3e-9."""
    sim = HardSimulator(load_model(ARM.format(compensated=compensated)), timestep=0.01)
    rng, kinds = (
        np.random.default_rng(1),
        [
            "gear",
            "site_pos",
            "joint_anchor",
            "actuatorfrcrange",
            "gainprm",
            "com",
            "gravity",
            "mass",
            "joint_axis",
            "timestep",
            "gravcomp",
        ],
    )
    off = 0.0
    for trial in range(22):
        qpos, qvel, control = drawn(rng)
        found = sim.linearize(sim.initial_state(qpos=qpos, qvel=qvel), control, kappa=KAPPA, parameters=kinds)
        assert found.status is Status.SOLVED

        def end(inputs, sim=sim):
            state = sim.initial_state(qpos=inputs[:3], qvel=inputs[3:6])
            state = sim.step(state, inputs[6:], kappa=KAPPA).state
            return np.concatenate([state.qpos, state.qvel])

        inputs = np.concatenate([qpos, qvel, control])
        off = max(off, _difference(end, inputs, np.hstack([found.A, found.B])))
        kind = kinds[trial % len(kinds)]
        value = np.asarray(sim.parameter(kind).value, float)
        changed = lambda numbers, kind=kind: end(inputs, sim.with_parameters({kind: numbers}))  # noqa: E731
        off = max(off, _difference(changed, value.ravel(), found.parameters[kind]))
    print(f"{off:.1e}")
    assert off < 1e-6


def _difference(function, at, ours):
    """Largest error of the columns of `ours`, relative to their size: the best of central differences of three lengths."""
    worst = 0.0
    for k in range(len(at)):
        errors = []
        for delta in (1e-4, 1e-5, 1e-6):
            there = (function(at + delta * np.eye(len(at))[k]) - function(at - delta * np.eye(len(at))[k])) / (2.0 * delta)
            errors.append(np.abs(there - ours[:, k]).max() / max(1.0, np.abs(there).max()))
        worst = max(worst, min(errors))
    return worst


def test_small_bounds_have_their_derivatives():
    """A control of 1e-10 N within a bound of the same size: a difference step of 1e-5 N would leave it. Measured: 1e-9."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" actuatorfrcrange="-1e-10 7e-11"/>
    <geom size="1e-3" mass="1e-7" pos="1e-3 0 0"/><site name="s" pos="1e-3 0 0"/></body></worldbody>
    <actuator><motor site="s" gear="0 1 0 0 0 0"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(text), timestep=1e-3)
    for control, acts in ((2e-8, True), (9e-8, False)):
        found = sim.linearize(sim.initial_state(), [control], kappa=1e-12).B[1, 0]
        ends = [sim.step(sim.initial_state(), [control + s * 1e-9], kappa=1e-12).state.qvel[0] for s in (1, -1)]
        expected = (ends[0] - ends[1]) / 2e-9
        assert (abs(expected) > 1.0) == acts
        assert found == pytest.approx(expected, rel=1e-5, abs=1.0)
