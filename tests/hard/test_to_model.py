"""Models with a simulator's parameter values: read again, they step alike; what no model can hold is refused."""

import dataclasses
import re

import mujoco
import numpy as np
import pytest
from default_run import some
from differences import ridders
from drawn_mechanisms import Mechanism

from dojo_py import HardSimulator, SoftSimulator, load_model, save_mjcf
from dojo_py.hard.parameters.registry import KINDS
from dojo_py.hard.parameters.to_model import SENSED

SEEDS = range(6)
MIXED = ("contact_point", "friction_directions", "restitution", "wrench")
"""Kinds that not every model can hold whatever their values are."""
POSITIVE = {
    "mass", "friction", "damping", "armature", "frictionloss", "stiffness", "gear", "gainprm", "biasprm", "dynprm",
    "contact_radius", "size", "tendon_damping", "tendon_armature", "tendon_frictionloss", "tendon_stiffness", "tendon_slack",
}  # fmt: skip
"""Kinds that are changed by a factor."""


def varied(sim, names, seed):
    """Other values of kinds, by up to a tenth or 4 mm."""
    rng, values = np.random.default_rng(seed), {}
    for name in names:
        old = sim.parameter(name)
        if not old.size:
            continue
        if name == "inertia":
            values[name] = old.value * rng.uniform(0.97, 1.03, (len(old.value), 1))
        elif name in POSITIVE:
            values[name] = old.value * rng.uniform(0.9, 1.1, old.value.shape)
        else:
            values[name] = old.value + 0.004 * rng.normal(size=old.value.shape)
    return values


def same_steps(one, other, model, controls):
    """Largest difference of two simulators' states after some steps."""
    qvel = 0.3 * np.random.default_rng(0).normal(size=model.nv)
    ends = []
    for sim in (one, other):
        run = sim.rollout(sim.initial_state(qvel=qvel), controls)
        assert run.unsolved == 0
        ends.append(run.qpos[-1])
    return np.abs(ends[0] - ends[1]).max()


@pytest.mark.parametrize("seed", some(SEEDS, range(3)))
def test_a_drawn_mechanism_with_other_values_of_everything(seed, tmp_path):
    """The simulator of the new model moves like the one with the values, that of its file does, too; the wheel reads the file."""
    model = load_model(re.sub(' gravcomp="[^"]*"', ' gravcomp="0.4"', Mechanism(seed).text))
    sim = HardSimulator(model, timestep=0.005)
    changed = sim.with_parameters(varied(sim, [name for name in KINDS if name not in MIXED], seed))
    new = changed.to_model()
    assert not np.array_equal(new.body_mass, model.body_mass)
    controls = np.random.default_rng(seed).uniform(-1, 1, (10, model.nu))
    assert same_steps(changed, HardSimulator(new, timestep=0.005), model, controls) < 1e-9
    save_mjcf(new, tmp_path / "new.xml")
    again = load_model(tmp_path / "new.xml")
    assert same_steps(changed, HardSimulator(again, timestep=0.005), model, controls) < 1e-9
    wheel = mujoco.MjModel.from_xml_path(str(tmp_path / "new.xml"))
    assert np.allclose(wheel.body_mass, new.body_mass) and np.allclose(wheel.jnt_axis, new.jnt_axis)


@pytest.mark.parametrize("name", some(["box", "quadruped", "panda", "humanoid", "quadrotor"], ["box", "panda"]))
def test_a_shipped_model_with_other_values_of_one_kind_after_another(name):
    sim = HardSimulator(load_model(name))
    kinds = [kind for kind in KINDS if kind not in (*MIXED, "gravcomp", "friction")]
    for kind in [*kinds, kinds]:
        changed = sim.with_parameters(varied(sim, [kind] if isinstance(kind, str) else kind, 1))
        found = HardSimulator(changed.to_model())
        for known in KINDS:
            assert np.allclose(found.parameter(known).value, changed.parameter(known).value, atol=1e-9)


def test_a_simulator_with_the_file_s_values_has_the_file_s_model():
    sim = HardSimulator(load_model("box"))
    assert sim.to_model() is sim.model
    assert np.array_equal(sim.with_parameters({"mass": sim.parameter("mass").value}).to_model().body_mass, sim.model.body_mass)


def test_poses_and_jacobians_are_those_of_the_changed_frames():
    """With other anchors, axes, sites and frames; the model itself stays."""
    sim = HardSimulator(load_model(re.sub(' gravcomp="[^"]*"', "", Mechanism(1).text)))
    kinds = ("com", "body_pos", "body_quat", "joint_anchor", "joint_axis", "site_pos")
    changed = sim.with_parameters(varied(sim, kinds, 1))
    other = HardSimulator(changed.to_model())
    states = [s.initial_state(qvel=np.linspace(-0.2, 0.2, sim.model.nv)) for s in (changed, other)]
    mine, theirs = changed.poses(states[0]), other.poses(states[1])
    for kind in ("bodies", "inertial", "geoms", "sites"):
        for field in ("position", "quat", "velocity", "angular"):
            assert np.allclose(getattr(getattr(mine, kind), field), getattr(getattr(theirs, kind), field), atol=1e-12)
    assert np.allclose(changed.jacobian(states[0], body="bb").linear, other.jacobian(states[1], body="bb").linear, atol=1e-12)
    assert np.abs(mine.bodies.position - sim.poses(sim.initial_state()).bodies.position).max() > 1e-3
    assert np.array_equal(changed.model.jnt_pos, sim.model.jnt_pos)
    assert changed.energy(states[0]) == pytest.approx(other.energy(states[1]), rel=1e-9)


JOINED = """<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".1" mass="1"/><body name="w" pos=".3 .1 0">
  <geom size=".05" mass=".5"/></body><body name="b" pos="0 0 -.3"><joint axis="0 1 .2"/><geom size=".06" pos=".1 0 0" mass=".3"/>
  <body name="v" pos="0 .2 0"><geom size=".05" mass=".2"/></body></body></body></worldbody></mujoco>"""
"""Two bodies with parts that are joined to them rigidly."""


@pytest.mark.parametrize("kinds", [["mass"], ["com"], ["com", "mass"]])
def test_wrenches_act_at_the_new_model_s_centres_of_mass(kinds):
    """What is joined rigidly keeps its mass, so that the body's own centre moves: there wrenches act, and states and poses tell it.

    They acted where the file has it: of twice the mass the first body spun two and a half times as fast as the new model's.
    """
    sim = HardSimulator(load_model(JOINED), timestep=0.01)
    values = {"mass": [3.0, 0.8], "com": [[0.11, 0.03, 0.01], [0.065, 0.085, 0.004]]}
    changed = sim.with_parameters({kind: values[kind] for kind in kinds})
    other = HardSimulator(changed.to_model(), timestep=0.01)
    wrenches = 5.0 * np.random.default_rng(0).normal(size=(sim.model.nbody, 6))
    for _ in range(2):
        one, two = (s.rollout(s.initial_state(), np.zeros((5, 0)), wrenches=wrenches).final_state for s in (changed, other))
        assert np.allclose(one.qpos, two.qpos, atol=1e-10)
        assert np.allclose(one.maximal, two.maximal, atol=1e-8)
        assert np.allclose(changed.poses(one).inertial.position, one.maximal[:, :3], atol=1e-10)
    exact = changed.linearize(changed.initial_state(), wrenches=wrenches, parameters=kinds).parameters
    for kind in kinds:
        value, direction = values[kind] * np.ones(1), np.random.default_rng(1).normal(size=np.shape(values[kind]))

        def slope(amount, kind=kind, value=value, direction=direction):
            rates = []
            for side in (amount, -amount):
                there = changed.with_parameters({kind: value + side * direction})
                rates.append(there.step(there.initial_state(), wrenches=wrenches, kappa=3e-4).state.qvel)
            return (rates[0] - rates[1]) / (2.0 * amount)

        found, _ = ridders(slope, 1e-2)
        assert np.allclose(exact[kind][sim.model.nv :] @ direction.ravel(), found, rtol=1e-8, atol=1e-8)


SENSING = """<mujoco><option timestep=".005"/><worldbody><geom name="floor" type="plane" size="2 2 1"/>
  <site name="o" pos="-.3 0 1.2"/>
  <body name="a" pos="0 0 1"><joint name="a" axis="0 1 0" range="-10 0" stiffness="3"/><joint name="s" type="slide" axis="1 0 0"/>
    <geom name="a" type="capsule" size=".03" fromto="0 0 0 .3 0 0" mass="1"/><site name="i" pos=".1 0 .05" euler="10 20 30"/>
    <body name="b" pos=".3 0 0"><joint name="b" type="ball" stiffness="1"/><geom name="b" size=".05" pos=".2 0 0" mass=".5"/>
      <site name="tip" pos=".25 0 0" euler="0 30 0"/></body></body>
  <body name="c" pos=".3 1 .3"><freejoint/><geom name="c" type="box" size=".1 .1 .1" mass="1"/>
    <site name="c" pos="0 0 -.15" zaxis="0 0 -1"/></body>
  <body name="m" mocap="true" pos="0 3 1"><geom name="m" size=".1"/></body></worldbody>
  <tendon><spatial name="t" stiffness="5" springlength=".2 .3" range="0 .9"><site site="o"/><site site="i"/></spatial></tendon>
  <actuator><motor name="m" joint="a" gear="2"/><motor name="n" site="tip" refsite="i" gear="1 0 1 0 0 0"/></actuator>
  <sensor><accelerometer site="tip"/><gyro site="i"/><force site="tip"/><torque site="tip"/>
  <framepos objtype="site" objname="tip"/><framequat objtype="site" objname="i"/><framelinvel objtype="body" objname="b"/>
  <framepos objtype="geom" objname="b" reftype="site" refname="i"/>
  <subtreecom body="a"/><subtreelinvel body="a"/><subtreeangmom body="a"/>
  <jointpos joint="a"/><jointlimitpos joint="a"/><jointlimitfrc joint="a"/>
  <tendonpos tendon="t"/><tendonvel tendon="t"/><tendonlimitpos tendon="t"/>
  <actuatorpos actuator="m"/><actuatorvel actuator="m"/><actuatorfrc actuator="m"/>
  <distance geom1="b" geom2="c" cutoff="9"/><distance geom1="c" geom2="m" cutoff="9"/><rangefinder site="c"/><touch site="c"/>
  <e_potential/><e_kinetic/></sensor></mujoco>"""


@pytest.mark.parametrize("placed", some([False, True], [True]))
def test_sensors_are_those_of_the_new_model(placed):
    """All kinds that sensors see, one by one and together; beside a simulator of the model that has the values, built anew.

    Measured: 1.2e-7 (forces, which are changes of velocity over h), else 2e-8.
    """
    sim = HardSimulator(load_model(SENSING), friction="cone")
    state = sim.initial_state(qvel=np.linspace(-0.3, 0.3, sim.model.nv))
    if placed:
        state = dataclasses.replace(state, mocap_pos=np.array([[0.5, 2.0, 1.5]]))
    kinds = [kind for kind in sorted(SENSED) if sim.parameter(kind).size]
    unlike = sim.rollout(state, np.ones((20, 2))).sensordata
    together = [kind for kind in kinds if kind != "contact_radius"]  # (which is one number with `size`)
    for these in (*([kind] for kind in kinds), together):
        changed = sim.with_parameters(varied(sim, [kind for kind in KINDS if kind in these], 3))
        other = HardSimulator(changed.to_model())
        runs = [s.rollout(dataclasses.replace(state, exact=None, maximal=None), np.ones((20, 2))) for s in (changed, other)]
        assert np.abs(runs[0].qpos - runs[1].qpos).max() < 1e-9
        scale = np.maximum(1.0, np.abs(runs[1].sensordata))
        off = (np.abs(runs[0].sensordata - runs[1].sensordata) / scale).max()
        print(these if len(these) == 1 else "all", f"{off:.1e}")
        assert off < 1e-6
        assert np.abs(runs[0].sensordata - unlike).max() > 1e-6 or these == ["tendon_range"]  # (too far to act)


def test_sensors_warn_where_no_model_has_the_masses():
    """A body lighter than what is joined to it: its sensors are read all the same, of the frames that there are."""
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".1" mass="1"/><site name="s"/>
      <body pos=".1 0 0"><geom size=".05" mass=".5"/></body></body></worldbody><sensor><framepos objtype="site" objname="s"/>
      </sensor></mujoco>"""
    changed = HardSimulator(load_model(text)).with_parameters({"mass:a": 0.4})
    step = changed.step(changed.initial_state())
    with pytest.warns(UserWarning, match="sensors know of other frames and sizes only.*joined to it rigidly"):
        assert np.allclose(step.sensordata, 0.0, atol=1e-2)


TWO = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction=".9"/>
<body name="a" pos="0 0 .2"><freejoint/><geom name="a" size=".1" mass="1" friction=".2"/>
  <body pos=".1 0 0"><geom size=".02" mass=".5" contype="0" conaffinity="0"/></body></body>
<body name="b" pos="1 0 .2"><freejoint/><geom name="b" type="box" size=".1 .1 .1" friction=".3"/></body>
<body name="c" pos="3 0 3"><joint name="j"/><geom size=".1" contype="0" conaffinity="0"/></body>
</worldbody>{more}</mujoco>"""
PAIR = """<contact><pair geom1="floor" geom2="a" condim="3" friction=".4 .5 .005 .0001 .0001"/></contact>"""


def test_friction_goes_to_the_geoms_or_to_a_listed_pair(tmp_path):
    sim = HardSimulator(load_model(TWO.format(more="")))
    new = sim.with_parameters({"friction": 0.6}).to_model()
    assert np.allclose(new.geom_friction[[0, 1, 3], 0], [0.6, 0.6, 0.3])
    new = sim.with_parameters({"friction:b": 1.2, "friction:floor/a": 0.9}).to_model()
    assert np.allclose(new.geom_friction[[0, 1, 3], 0], [0.9, 0.2, 1.2])
    sim = HardSimulator(load_model(TWO.format(more=PAIR)))
    new = sim.with_parameters({"friction_directions:floor/a": [0.7, 0.8]}).to_model()
    assert np.allclose(new.pair_friction[0, :2], [0.7, 0.8]) and np.array_equal(new.geom_friction, sim.model.geom_friction)
    save_mjcf(new, tmp_path / "pair.xml")
    assert np.allclose(load_model(tmp_path / "pair.xml").pair_friction, new.pair_friction)


def test_a_box_keeps_its_shape_when_all_its_corners_say_so():
    sim = HardSimulator(load_model(TWO.format(more='<contact><exclude body1="a" body2="b"/></contact>')))
    corners = sim.parameter("contact_point:b").value
    new = sim.with_parameters({"contact_point:b": 1.5 * corners + [0.01, 0, 0]}).to_model()
    assert np.allclose(new.geom_size[3], 0.15) and np.allclose(new.geom_pos[3], [0.01, 0, 0])
    assert np.array_equal(new.geom_quat, sim.model.geom_quat)


def test_planes_and_welds_are_written_as_they_are(tmp_path):
    """A floor that cylinders touch, tilted and shifted; a weld whose relative pose the file leaves to the reference pose."""
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="2 2 .1" pos=".5 0 -.1"/>
      <body name="a" pos="0 0 .2"><freejoint/><geom type="cylinder" size=".05 .05"/></body>
      <body name="b" pos=".5 0 1" euler="0 30 0"><freejoint/><geom size=".1"/></body></worldbody>
      <equality><weld name="w" body1="a" body2="b"/></equality></mujoco>"""
    values = {"plane_normal": [0.1, 0.0, 1.0], "plane_offset": 0.03, "equality_quat:w": [0.9, 0.1, -0.2, 0.3]}
    changed = HardSimulator(load_model(text)).with_parameters(values)
    model = changed.to_model()
    assert same_steps(changed, HardSimulator(model), model, np.zeros((40, 0))) < 1e-9
    save_mjcf(model, tmp_path / "new.xml")
    again = load_model(tmp_path / "new.xml")
    assert np.allclose(again.eq_data, model.eq_data, atol=1e-12) and np.allclose(again.geom_quat, model.geom_quat, atol=1e-12)


def test_no_numbers_of_a_kind_are_an_empty_column():
    sim, none = HardSimulator("box"), np.zeros((2, 3))
    assert sim.linearize(sim.initial_state(), none[0], kappa=1e-3, parameters=["tendon_range"]).parameters[
        "tendon_range"
    ].shape == (12, 0)
    run = sim.rollout(sim.initial_state(), none, kappa=1e-3, parameters=["tendon_range"])
    assert run.parameters["tendon_range"].shape == (2, 12, 0)


def test_the_soft_mode_takes_the_model():
    sim = HardSimulator(load_model(TWO.format(more="")))
    soft = SoftSimulator(sim.with_parameters({"mass:a": 4.0, "gravity": [0, 0, -1.62]}).to_model())
    assert soft.model.body_mass[1:3].sum() == pytest.approx(4.0)
    end = soft.rollout(soft.initial_state(), np.zeros((1, 0)))
    assert end.qvel[-1, 2] == pytest.approx(-1.62 * soft.timestep, rel=1e-9)


def test_compensation_that_differs_between_parts_is_refused():
    sim = HardSimulator(load_model(Mechanism(0).text))
    with pytest.raises(ValueError, match="same gravcomp"):
        sim.with_parameters({"com": sim.parameter("com").value + 0.01}).to_model()


REFUSED = {
    "less damping than the actuator has": ({"damping:j": 0.2}, "damping:j"),
    "a corner of its own": ({"contact_point:b.0": [-0.2, -0.1, -0.1]}, "contact_point:b.0"),
    "restitution": ({"restitution:floor/a": 0.5}, "restitution:floor/a"),
    "two directions": ({"friction_directions:a": [0.5, 0.6]}, "friction"),
    "lighter than its part": ({"mass:a": 0.4}, "mass:a"),
    "inertia of a rod": ({"inertia:a": [1e-4, 1e-4, 1e-4, 0, 0, 0]}, "inertia:a"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_model_can_hold_is_refused_by_name(case):
    values, named = REFUSED[case]
    sim = HardSimulator(load_model(TWO.format(more='<actuator><motor joint="j" damping=".5"/></actuator>')))
    with pytest.raises(ValueError, match=named):
        sim.with_parameters(values).to_model()


FLUID = """<mujoco><option density="1000"/><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 1"><freejoint/>
<inertial pos="0 0 0" mass="5" diaginertia=".1 .1 .1"/><geom name="g" size=".1" {shape}/></body></worldbody></mujoco>"""
STACK = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .1"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/><geom name="g" type="box" size=".1 .1 .1"/></body>
<body pos="0 0 .31"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
ROPES = """<mujoco><worldbody><site name="w0" pos="0 0 1.5"/><site name="w1" pos=".2 0 1.5"/>
<body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom size=".05" pos=".2 0 0" mass="1"/><site name="sa" pos=".2 0 .1"/></body>
<body pos="0 1 1"><joint axis="0 1 0"/><geom size=".05" pos=".2 0 0" mass="1"/><site name="sb" pos=".2 0 .1"/></body></worldbody>
<tendon><spatial name="t1"><site site="w0"/><site site="sa"/></spatial>
<spatial name="t2"><site site="w1"/><site site="sb"/></spatial></tendon>
<equality><tendon tendon1="t1" tendon2="t2" polycoef="0 1 0 0 0"/></equality></mujoco>"""
ROUND = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><site name="w0" pos="-.3 .01 1.05"/>
<body pos="0 0 1"><joint type="slide"/><inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/><geom name="g" size=".1"/></body>
<body pos=".3 0 1.05"><joint type="slide" axis="1 0 0"/><site name="s"/>
<geom size=".05" mass="1" contype="0" conaffinity="0"/></body></worldbody>
<tendon><spatial stiffness="50" springlength="0.2"><site site="w0"/><geom geom="g"/><site site="s"/></spatial></tendon>
</mujoco>"""
FLAT = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.06)]
ELSEWHERE = {
    "corners of a box that others touch": (STACK, {"contact_point:g": FLAT}, "other bodies"),
    "site of a tendon in an equality": (ROPES, {"site_pos:sa": [0.21, 0, 0.13]}, "equalities of tendons"),
    "body of a tendon in an equality": (ROPES, {"body_pos:a": [0, 0, 1.05]}, "equalities of tendons"),
    "mass in a medium": (FLUID.format(shape=""), {"mass:a": 8.0}, "medium"),
    "radius in a medium": (FLUID.format(shape='fluidshape="ellipsoid"'), {"contact_radius:g": 0.15}, "medium"),
    "radius that a tendon wraps around": (ROUND, {"contact_radius:g": 0.12}, "wrap around"),
}
"""A simulator with the values keeps what the new model would derive from them anew."""


@pytest.mark.parametrize("case", ELSEWHERE)
def test_what_would_act_elsewhere_too_is_refused(case):
    text, values, named = ELSEWHERE[case]
    with pytest.raises(ValueError, match=named):
        HardSimulator(load_model(text)).with_parameters(values).to_model()


def test_the_time_step_of_the_simulator_is_the_models():
    sim = HardSimulator(load_model("box"), timestep=0.01)
    assert sim.to_model().opt.timestep == sim.with_parameters({"mass": 2.0}).to_model().opt.timestep == 0.01


SAVED = {
    "a radius, inertia from geoms": ('<body><freejoint/><geom name="g" size=".1"/></body>', "", {"contact_radius:g": 0.12}),
    "a spring, tendons of automatic length": (
        '<body><joint name="j" stiffness="3"/><geom size=".1"/></body>',
        '<tendon><fixed stiffness="2"><joint joint="j" coef="2"/></fixed></tendon>', {"springref:j": 0.3},
    ),
    "a range that controls inherit": (
        '<body><joint name="j" range="-60 70"/><geom size=".1"/></body>',
        '<actuator><position joint="j" inheritrange="1"/></actuator>', {"joint_range:j.1": 1.0},
    ),
    "a weld without a pose": (
        '<body name="a"><freejoint/><geom size=".1"/></body><body name="b" pos="0 1 0"><freejoint/><geom size=".1"/></body>',
        '<equality><weld name="w" body1="a" body2="b" anchor="0 0 0"/></equality>', {"equality_anchor:w.1": [0, 0.01, 0]},
    ),
    "the anchor of a slide": ('<body><joint name="j" type="slide"/><geom size=".1"/></body>', "", {"joint_anchor:j": [0.1, 0, 0]}),
}  # fmt: skip


@pytest.mark.parametrize("case", SAVED)
def test_what_a_file_infers_is_written_out(case, tmp_path):
    bodies, more, values = SAVED[case]
    sim = HardSimulator(
        load_model(f'<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 -3"/>{bodies}</worldbody>{more}</mujoco>')
    )
    new = sim.with_parameters(values).to_model()
    save_mjcf(new, tmp_path / "new.xml")
    wheel = mujoco.MjModel.from_xml_path(str(tmp_path / "new.xml"))
    for name in ("body_mass", "body_inertia", "jnt_range", "tendon_lengthspring", "actuator_ctrlrange", "body_invweight0"):
        assert np.allclose(getattr(wheel, name), getattr(new, name), rtol=1e-9), name
