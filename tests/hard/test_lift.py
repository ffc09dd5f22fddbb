"""Gravity compensation through actuators and off the centre of mass: the wheel's motion, closed forms, derivatives."""

import mujoco
import numpy as np
import pytest
from default_run import some
from differences import compare, ridders, tight

from dojo_py import HardSimulator, load_model

HEAD = (
    '<mujoco><option timestep="1e-3" gravity="1 .5 -9">{}</option><default><geom contype="0" conaffinity="0"/></default><worldbody>'
)
MERGED = (
    HEAD
    + """<body><joint name="j" axis="0 1 0"/><geom size=".1" mass="1" pos=".1 0 0"/>
  <body pos=".5 0 .1" gravcomp="1"><geom size=".1" mass="1"/></body></body></worldbody>{}</mujoco>"""
)
BOUNDED = (
    HEAD
    + """<body gravcomp=".7"><joint name="s" type="slide" axis="0 0 1" actuatorgravcomp="true" actuatorfrcrange="{}" damping="1"/>
  <joint name="j" axis="0 1 0" pos=".02 .1 0" actuatorgravcomp="true" actuatorfrcrange="-2 1"/>
  <geom size=".1" mass="1" pos=".1 0 0"/>
  <body pos=".5 0 .1" gravcomp="1"><geom size=".1" mass="1"/><body pos=".1 .2 .3" gravcomp=".4">
  <joint name="b" type="ball" actuatorgravcomp="true" damping=".1"/><geom type="box" size=".1 .2 .05" pos=".1 .1 .05" mass=".7"/>
  </body></body></body></worldbody>{}<sensor><jointactuatorfrc joint="s"/><jointactuatorfrc joint="j"/></sensor></mujoco>"""
)
ACTUATOR = (
    '<actuator><motor name="s" joint="s"/><position name="j" joint="j" kp="5" kv=".3"/>'
    '<motor name="b" joint="b" gear="1 .3 .2"/></actuator>'
)
FREE = (
    HEAD
    + """<body gravcomp=".7"><joint type="free" actuatorgravcomp="true" damping=".1"/><geom size=".1" mass="1" pos=".1 0 0"/>
  <body pos=".5 0 .1" gravcomp="1"><geom size=".1" mass="1"/><body pos=".1 .2 .3" gravcomp=".4"><joint axis="0 1 0" pos="0 0 .2"/>
  <geom type="box" size=".1 .2 .05" pos=".1 .1 .05" mass=".7"/></body></body></body></worldbody>{}</mujoco>"""
)
BESIDE = (
    HEAD
    + """<body gravcomp=".7"><joint name="s" type="slide" axis="0 .2 1" actuatorgravcomp="true" actuatorfrcrange="-6 9"/>
  <joint name="b" type="ball" pos="-.1 0 .2" actuatorgravcomp="true" damping=".1"/><geom size=".1" mass="1" pos=".1 0 0"/>
  <body pos=".5 0 .1" gravcomp="1"><geom size=".1" mass="1"/></body></body></worldbody>{}</mujoco>"""
)
OFF = '<flag actuation="disable"/>'
SCENES = {
    "off the centre": MERGED.format("", ""),
    "bounded": BOUNDED.format("", "-6 9", ACTUATOR),
    "half bounded": BOUNDED.format("", "-60 60", ACTUATOR),
    "no actuators": BOUNDED.format("", "-60 60", ""),
    "actuation off": BOUNDED.format(OFF, "-60 60", ACTUATOR),
    "slide and ball": BESIDE.format("", '<actuator><motor joint="s"/><motor joint="b" gear="1 .3 .2"/></actuator>'),
    "slide and ball, off": BESIDE.format(OFF, ""),
    "free": FREE.format("", ""),
    "free, driven": FREE.format("", '<actuator><motor site="m"/></actuator>').replace("<joint axis", '<site name="m"/><joint axis'),
    "none is lifted": MERGED.format("", "").replace('gravcomp="1"', 'gravcomp="-.3"'),
}


def start(model):
    """A state away from rest: (qpos, qvel)."""
    rng = np.random.default_rng(3)
    return model.integrate(model.qpos0, 0.3 * rng.standard_normal(model.nv)), 0.5 * rng.standard_normal(model.nv)


@pytest.mark.parametrize("scene", SCENES)
def test_motion_tends_to_the_wheels(scene):
    """Over 0.1 s, the hard mode's steps of h and h/2 extrapolated. Measured: 1.7e-6 of 6e-4."""
    text, model = SCENES[scene], load_model(SCENES[scene])
    wheel = mujoco.MjModel.from_xml_string(text)
    wheel.opt.timestep, wheel.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(wheel)
    data.qpos, data.qvel = start(model)
    data.ctrl[:] = 0.5
    mujoco.mj_step(wheel, data, 1000)
    found = []
    for h in (1e-3, 5e-4):
        sim = HardSimulator(model, timestep=h)
        run = sim.rollout(sim.initial_state(*start(model)), np.full((round(0.1 / h), model.nu), 0.5))
        assert run.unsolved == 0
        found.append(model.difference(run.final_state.qpos, data.qpos))
        if model.nsensor:
            mujoco.mj_forward(wheel, data)
            assert np.abs(run.sensordata[-1] - data.sensordata).max() < 0.05  # the forces that actuators hold, compensation too
    print(f"{scene}: {np.abs(found[1]).max():.1e} {np.abs(2 * found[1] - found[0]).max():.1e}")
    assert np.abs(2 * found[1] - found[0]).max() < 1e-5


def test_a_bounded_joint_holds_what_it_can():
    """At rest, closed form: the weight m g (1 - c) and what of c m g the bound cuts, on a slide."""
    text = """<mujoco><option gravity="0 0 -10"/><worldbody><body gravcomp=".5"><joint name="s" type="slide" axis="0 0 1"
      actuatorgravcomp="true" actuatorfrcrange="-1 {}"/><geom size=".1" mass="2"/></body></worldbody>
      <actuator><motor joint="s"/></actuator></mujoco>"""
    for most, control, force in ((4.0, 0.0, 4.0), (30.0, 0.0, 10.0), (30.0, 7.0, 17.0), (12.0, 7.0, 12.0), (12.0, -20.0, -1.0)):
        sim = HardSimulator(load_model(text.format(most)), timestep=0.01)
        after = sim.step(sim.initial_state(), [control]).state
        assert abs(after.qvel[0] - 0.01 * (force - 20.0) / 2.0) < 1e-14


def test_energy_is_kept_off_the_centre():
    """Over 2 s of swinging the error mid-step falls with the square of the step."""
    errors = []
    for h in (0.01, 0.005):
        sim = HardSimulator(load_model(SCENES["off the centre"]), timestep=h)
        run = sim.rollout(sim.initial_state(qvel=[1.0]), np.zeros((round(2.0 / h), 0)))
        errors.append(np.ptp([sim.energy(run.state(t)) for t in range(1, len(run.time))]))
    print(errors)
    assert errors[1] < 0.3 * errors[0] and errors[0] < 0.02


@pytest.mark.parametrize("scene", SCENES)
def test_derivatives_are_those_of_differences(scene):
    model = load_model(SCENES[scene])
    sim = tight(model, 0.01)
    found = compare(sim, sim.initial_state(*start(model)), np.full(model.nu, 0.5), 1e-4)
    print(scene, found)
    assert found.estimate < 1e-8 and max(found.A, found.B) < 1e-7, found


@pytest.mark.parametrize("part", some(range(4), [0]))
@pytest.mark.parametrize("scene", ["off the centre", "bounded", "actuation off", "slide and ball, off", "free"])
def test_parameters_act_through_it(scene, part):
    """Every number, within 1e-6 of the largest entry of its kind. A part has every fourth number."""
    kappa, names = 1e-4, ["timestep", "mass", "gravity", "com", "joint_anchor", "joint_axis", "damping"]
    model = load_model(SCENES[scene])
    sim = tight(model, 0.01)
    state, control = sim.initial_state(*start(model)), np.full(model.nu, 0.5)
    found = sim.linearize(state, control, kappa=kappa, parameters=names).parameters
    for name in names:
        values = sim.parameter(name).value.ravel()
        size = max(np.abs(found[name]).max(initial=0.0), 1e-3)
        for k in range(part, len(values), 4):
            by = np.eye(len(values))[k] * (1e-3 if name == "timestep" else 1e-2)

            def end(amount, name=name, values=values, by=by):
                other = sim.with_parameters({name: values + amount * by})
                after = other.step(other.initial_state(state.qpos, state.qvel), control, kappa=kappa)
                return np.concatenate([after.state.qpos, after.state.qvel])

            def central(step, end=end):
                above, below = end(step), end(-step)
                nq = sim.model.nq
                turned = sim.model.difference(above[:nq], below[:nq])
                return np.concatenate([turned, above[nq:] - below[nq:]]) / (2 * step)

            room = 0.9 * values[k] / by[k] if name == "damping" else 1.0
            if room <= 0.0:
                continue
            numeric = ridders(central, min(room, 1.0))[0]
            assert np.abs(numeric / by[k] - found[name][:, k]).max() / size < 1e-6, (name, k)
