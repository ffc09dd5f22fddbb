"""Spatial tendons in the hard mode: lengths, derivatives, limits, equalities, energy, and the soft mode's motion at small steps."""

import mujoco
import numpy as np
import pytest
from differences import compare, tight
from test_parameters import differences

from dojo_py import HardSimulator, SoftSimulator, load_model
from dojo_py.hard.parameters.registry import directions

PATHS = {
    "straight": '<site site="o"/><site site="i"/><site site="k"/>',
    "pulleys": '<site site="o"/><site site="i"/><pulley divisor="2"/><site site="i"/><site site="k"/><pulley divisor="3"/>'
    '<site site="o"/><site site="f"/>',
    "cylinder": '<site site="o"/><geom geom="w" sidesite="side"/><site site="i"/>',
    "sphere": '<site site="o"/><geom geom="b" sidesite="bs"/><site site="k"/>',
    "inside": '<site site="o"/><geom geom="ring" sidesite="rs"/><site site="k"/>',
}
TEXT = """<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
 <geom type="cylinder" name="w" size=".06 .1" pos=".02 0 .05" zaxis="0 1 .1"/><site name="o" pos="-.15 .02 .25"/>
 <site name="side" pos=".02 0 .3"/>
 <body><joint name="s" axis="0 1 0"/><joint axis="1 0 .2"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
  <site name="i" pos=".2 0 .03"/><geom name="b" size=".05" pos=".15 0 0"/><site name="bs" pos=".15 0 .2"/>
  <geom name="ring" type="sphere" size=".08" pos=".15 0 .1"/><site name="rs" pos=".15 .0 .1"/>
  <body pos=".3 0 0"><joint type="ball"/><geom type="capsule" size=".025" fromto="0 0 0 .25 0 0"/><site name="k" pos=".08 0 .03"/>
  </body></body>
 <body pos=".2 .5 .5"><freejoint/><geom type="box" size=".05 .06 .07"/><site name="f" pos=".05 .05 0"/></body></worldbody>
 <tendon><spatial name="t" {law}>{path}</spatial><spatial name="u"><site site="i"/><site site="f"/></spatial>
 <fixed name="v"><joint joint="s" coef=".3"/></fixed></tendon>{equality}<actuator>{actuators}</actuator>
 <sensor><tendonpos tendon="t"/><tendonvel tendon="t"/>{sensor}</sensor></mujoco>"""
ACTUATORS = '<motor name="m" tendon="t" gear="2"/><position tendon="u" kp="9" kv=".5"/>'
ACTUATORS += '<muscle tendon="t" lengthrange=".2 .6" force="9"/>'
SPRING = 'stiffness="30" springlength="0.1 0.2" damping="2"'


def text(path="straight", law=SPRING, equality="", actuators=ACTUATORS):
    sensor = '<actuatorpos actuator="m"/>' * ('name="m"' in actuators)
    return TEXT.format(path=PATHS[path], law=law, equality=equality, actuators=actuators, sensor=sensor)


CASES = {path: text(path) for path in PATHS} | {
    "limits": text(law='range=".1 .36"'),
    "friction": text(law='frictionloss=".8"'),
    "rotor": text(law='armature=".3"', actuators=ACTUATORS),
    "equality": text(law="", equality='<equality><tendon tendon1="t" tendon2="u" polycoef="0 .5 .3 0 0"/></equality>'),
    "equality with a fixed tendon": text(
        "cylinder", equality='<equality><tendon tendon1="t" tendon2="v" polycoef="0 .5 .3 0 0"/></equality>'
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_differences(name):
    """After two steps from a random state. Measured: 8e-10."""
    model = load_model(CASES[name])
    sim, rng = tight(model, 0.01), np.random.default_rng(0)
    near = 0.01 if "equality" in name else 0.15
    state = sim.initial_state(model.integrate(model.qpos0, near * rng.normal(size=model.nv)), 7 * near * rng.normal(size=model.nv))
    control = rng.uniform(-1, 1, model.nu)
    for _ in range(2):
        step = sim.step(state, control, kappa=1e-4)
        state = step.state
    found = compare(sim, state, control, 1e-4)
    assert step.status == 0 and found.estimate < 1e-8 and max(found.A, found.B) < 1e-7, found


@pytest.mark.parametrize("path", PATHS)
def test_lengths_are_the_wheels(path):
    """As sensors tell them, at 20 random poses. Measured: 3e-15; rates inside 2e-9, where the wheel stops its search at 1e-7.

    The old rate of a step is a mean over the last interval: 2e-6 from the present one at h = 1e-6.
    """
    model, wheel = load_model(text(path)), mujoco.MjModel.from_xml_string(text(path))
    sim, data, rng = HardSimulator(model, timestep=1e-6), mujoco.MjData(wheel), np.random.default_rng(0)
    for _ in range(20):
        data.qpos[:], data.qvel[:] = model.integrate(model.qpos0, 0.5 * rng.normal(size=model.nv)), rng.normal(size=model.nv)
        mujoco.mj_forward(wheel, data)
        state = sim.initial_state(data.qpos, data.qvel)
        assert np.abs(sim.step(state).sensordata - data.sensordata).max() < (1e-6 if path == "inside" else 1e-9)
        length, rate = sim._engine.tendon_lengths(state.exact.bodies)[0]
        assert abs(length - data.ten_length[0]) < 1e-12 and abs(rate - data.ten_velocity[0]) < 1e-4


def test_limits_hold_in_a_swing():
    """A rope from which two links hang. Measured: 1e-10 m beyond its limit, and it gets there; every step is solved."""
    model = load_model(text(law='range="0 .6"', actuators=""))
    for h in (0.002, 0.01):
        sim = HardSimulator(model, timestep=h)
        state, lengths = sim.initial_state(), []
        for _ in range(200):
            step = sim.step(state)
            assert step.status == 0
            state = step.state
            lengths.append(sim._engine.tendon_lengths(state.exact.bodies)[0, 0])
        assert max(lengths) < 0.6 + 1e-9 and max(lengths) > 0.5999


def test_energy_is_kept():
    """A spring around a cylinder, no gravity: the energy mid-step oscillates by O(h²). Measured: 2e-4, 6e-5 at half the step."""
    source = text("cylinder", law='stiffness="60" springlength=".1"', actuators="")
    model, errors = load_model(source.replace("<mujoco>", '<mujoco><option gravity="0 0 0"/>')), []
    for h in (0.004, 0.002):
        sim, values = HardSimulator(model, timestep=h), []
        state = sim.initial_state(qvel=0.5 * np.ones(model.nv))
        for _ in range(int(1.0 / h)):
            state = sim.step(state).state
            values.append(sim.energy(state))
        errors.append(np.ptp(values) / np.mean(values))
    assert errors[0] < 1e-2 and errors[1] < 0.35 * errors[0], errors


@pytest.mark.parametrize("path", PATHS)
def test_hard_and_soft_tend_to_the_same_motion(path):
    """Springs, servos and muscles on tendons at small steps: the modes differ by O(h)."""
    model, gaps = load_model(text(path)), []
    for h in (2e-3, 1e-3):
        ends = []
        for kind in (HardSimulator, SoftSimulator):
            sim = kind(model, timestep=h)
            run = sim.rollout(sim.initial_state(), np.tile([0.5, 0.1, 0.6], (int(0.2 / h), 1)))
            ends.append(run.qpos[-1])
        gaps.append(np.abs(ends[0] - ends[1]).max())
    assert gaps[0] < 2e-2 and gaps[1] < 0.7 * gaps[0], gaps


BY_PARAMETERS = {name: CASES[name] for name in CASES if name not in ("friction", "pulleys")} | {"limits": text(law='range=".1 .6"')}


@pytest.mark.parametrize("name", BY_PARAMETERS)
def test_derivatives_by_parameters_are_those_of_differences(name):
    """Centres of mass, anchors, axes, the time step and masses, at a state that moves; two numbers of each.

    Measured: 1.1e-7 (an anchor beside a rotor), most below 1e-9.
    """
    model = load_model(BY_PARAMETERS[name])
    sim, rng = tight(model, 0.01), np.random.default_rng(0)
    near = 0.01 if "equality" in name else 0.15
    state = sim.initial_state(model.integrate(model.qpos0, near * rng.normal(size=model.nv)), 7 * near * rng.normal(size=model.nv))
    control = rng.uniform(-1, 1, model.nu)
    for _ in range(2):
        state = sim.step(state, control, kappa=1e-4).state
    state = sim.initial_state(state.qpos, state.qvel)
    kinds = ("com", "joint_anchor", "joint_axis", "timestep", "mass")
    found = sim.linearize(state, control, kappa=1e-4, parameters=kinds).parameters
    for kind in kinds:
        scale = directions(sim.world, model, sim.timestep, (kind,)).scale
        columns = found[kind] * scale
        for k in rng.permutation(len(scale))[:2]:
            exact = differences(sim, state.qpos, state.qvel, control, kind, k, scale[k], 1e-4)
            worst = np.abs(columns[:, k] - exact).max() / max(np.abs(columns).max(), 1e-3)
            print(f"{name} {kind} {k}: {worst:.1e}")
            assert worst <= 1e-6, f"{kind} {k}: {worst:.1e}"


def test_derivatives_that_are_not_there_are_named():
    both = text(law='actuatorfrcrange="-1 1"', actuators=ACTUATORS.replace(' gear="2"', ""))
    sim = HardSimulator(load_model(both))
    with pytest.raises(ValueError, match="gears must stay equal"):
        sim.linearize(sim.initial_state(), np.zeros(3), parameters=["gear"])


def test_a_bound_of_a_tendons_force_counts_in_the_derivative_by_the_gear():
    """One motor beyond the bound: the force along the tendon is gear times it. Measured: 3e-9."""
    model = load_model(text(law='actuatorfrcrange="-1 1"', actuators='<motor name="m" tendon="t" gear="2"/>'))
    sim = HardSimulator(model, timestep=0.01)
    state, control = sim.initial_state(), np.array([7.0])
    found = sim.linearize(state, control, kappa=1e-4, parameters=["gear:m"]).parameters["gear:m"][:, 0]
    ends = []
    for sign in (1, -1):
        other = sim.with_parameters({"gear:m": 2.0 + sign * 1e-4})
        end = other.step(other.initial_state(), control, kappa=1e-4).state
        ends.append(np.concatenate([model.difference(end.qpos, state.qpos), end.qvel]))
    numeric = (ends[0] - ends[1]) / 2e-4
    assert np.abs(numeric).max() > 1e-3 and np.abs(found - numeric).max() < 1e-5 * np.abs(numeric).max()
