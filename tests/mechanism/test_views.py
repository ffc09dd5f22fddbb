"""Rows of a model by name, and what `Model.replace` recomputes: against the wheel's mj_setConst."""

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest

from dojo_py import ModelError, load_model
from dojo_py.mechanism.replaced import TREE, refuse_by_rules, refuse_values
from dojo_py.mechanism.unit_directions import DIRECTIONS, unit_rows
from dojo_py.mechanism.views import KINDS

TEXT = """<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint name="root"/><geom name="trunk" type="box" size=".2 .1 .1"/>
  <body name="leg" pos=".1 0 0"><joint name="hip" axis="0 1 0" range="-60 60" damping=".3" armature=".01"/>
  <site name="toe" pos="0 0 -.3"/>
  <geom name="shank" type="capsule" size=".02" fromto="0 0 0 0 0 -.3"/></body></body>
  <body name="post"><joint name="spin" ref="20"/><geom name="cap" size=".1" pos=".2 0 0"/></body></worldbody>
  <equality><connect name="pin" body1="leg" body2="post" anchor="0 0 -.3"/><weld name="glue" body1="base" body2="post"/>
  <weld name="given" body1="base" body2="post" relpose="1 2 3 1 0 0 0"/></equality>
  <actuator><motor name="drive" joint="hip" gear="2"/><general name="pull" site="toe" gear="0 0 1"/></actuator>
  <tendon><fixed name="rope" armature=".1"><joint joint="hip" coef="2"/><joint joint="spin" coef="-1"/></fixed></tendon>
  <keyframe><key name="start" time="2"/></keyframe></mujoco>"""


def test_views_give_rows_of_the_arrays():
    model = load_model(TEXT)
    assert model.body("leg").mass == model.body_mass[2] and model.body(2).name == "leg" and model.body(-1).name == "post"
    assert model.joint("hip").range.tolist() == model.jnt_range[1].tolist()
    assert model.joint("hip").damping == 0.3 and model.joint("root").damping.shape == (6,)
    assert model.joint("root").dof_solref.shape == (6, 2) and model.joint("spin").qpos0 == np.deg2rad(20)
    assert model.geom("trunk").size.tolist() == [0.2, 0.1, 0.1] and model.site("toe").bodyid == 2
    assert model.actuator("drive").gear[0] == 2.0 and model.equality("pin").data[2] == -0.3
    assert model.keyframe("start").time == 2.0 and model.keyframe(0).qpos.shape == (9,)
    assert model.joint("hip").rows == (slice(7, 8), slice(6, 7)) and "damping" in dir(model.joint("hip"))
    for kind, (names, _, _) in KINDS.items():
        for index in range(len(getattr(model, names))):
            view = getattr(model, kind)(index)
            assert all(getattr(view, attribute) is not None for attribute in dir(view))


@pytest.mark.parametrize(
    "wrong, error, pattern",
    [
        (lambda m: m.body("leeg"), ModelError, "no body is named 'leeg'.*did you mean 'leg'"),
        (lambda m: m.geom(7), ModelError, "geom 7 does not exist: the model has 3, 0 … 2"),
        (lambda m: m.joint(1.0), TypeError, "expected the name or number of a joint"),
        (lambda m: m.joint("hip").dampng, AttributeError, "a view of a joint has no 'dampng'; did you mean 'damping'"),
        (lambda m: setattr(m.body("leg"), "mass", 3.0), AttributeError, "read-only; model.replace"),
        (lambda m: m.body("leg").rows, AttributeError, "a view of a body has no 'rows'"),
    ],
)
def test_wrong_names(wrong, error, pattern):
    with pytest.raises(error, match=pattern):
        wrong(load_model(TEXT))


CHANGES = {
    "body_mass": lambda v: v * 3.0,
    "body_inertia": lambda v: v * 2.0,
    "body_ipos": lambda v: v + 0.01,
    "body_pos": lambda v: v + np.arange(3) * 0.1 * (v != 0),
    "dof_armature": lambda v: v + 0.2,
    "jnt_pos": lambda v: v + np.array([[0.0], [0.1], [0.0]]),
    "actuator_gear": lambda v: v * 1.5,
    "site_pos": lambda v: v * 2.0,
    "tendon_armature": lambda v: v * 3.0,
    "wrap_prm": lambda v: v * 1.5,
}
DERIVED = ("body_subtreemass", "dof_M0", "dof_invweight0", "body_invweight0", "actuator_acc0", "actuator_length0", "eq_data")
DERIVED += ("tendon_length0", "tendon_invweight0")


@pytest.mark.parametrize("name", CHANGES)
def test_replace_recomputes_as_the_wheel_does(name):
    """Measured: 3e-16 relative to max(1, |value|)."""
    model, wheel = load_model(TEXT), mujoco.MjModel.from_xml_string(TEXT)
    value = CHANGES[name](np.array(getattr(model, name)))
    changed = model.replace(**{name: value})
    getattr(wheel, name)[:] = value
    if name == "body_pos":
        wheel.qpos0[:3] = wheel.body_pos[1]
    wheel.eq_data[0, 3:6] = 0.0
    mujoco.mj_setConst(wheel, mujoco.MjData(wheel))
    moved = False
    for derived in DERIVED if name != "body_pos" else (*DERIVED, "qpos0"):
        ours, theirs = getattr(changed, derived), getattr(wheel, derived)
        if derived == "eq_data":  # the wheel recomputes these only when it compiles
            ours, theirs = ours[:0], theirs[:0]
        assert np.allclose(ours, theirs, rtol=0, atol=1e-12 * max(1.0, np.abs(theirs).max(initial=0))), derived
        moved |= not np.array_equal(getattr(model, derived), getattr(changed, derived))
    # the wheel leaves its statistics as they were compiled; ours are those of the changed model compiled anew
    J, armature = np.array([0, 0, 0, 0, 0, 0, *changed.wrap_prm]), changed.tendon_armature[0]
    assert moved and abs(changed.stat.meaninertia - (changed.dof_M0 + armature * J**2).mean()) < 1e-12


def test_replace_of_poses_moves_the_anchors_of_closures():
    """As compiling the file with the other pose does. Measured: 2e-16."""
    model, other = load_model(TEXT), load_model(TEXT.replace('pos="0 0 1"', 'pos="1 2 3"'))
    changed = model.replace(body_pos=other.body_pos)
    for name in ("eq_data", "qpos0", "qpos_spring", "actuator_length0"):
        assert np.allclose(getattr(changed, name), getattr(other, name), rtol=0, atol=1e-14), name
    assert not np.allclose(model.eq_data, changed.eq_data)


def test_replace_of_sizes_and_what_is_given():
    model = load_model(TEXT)
    bigger = model.replace(geom_size=2.0 * model.geom_size)
    assert np.allclose(bigger.geom_rbound, 2.0 * model.geom_rbound) and np.allclose(bigger.geom_aabb, 2.0 * model.geom_aabb)
    kept = model.replace(body_mass=2.0 * model.body_mass, dof_M0=model.dof_M0)
    assert np.array_equal(kept.dof_M0, model.dof_M0) and not np.array_equal(kept.dof_invweight0, model.dof_invweight0)
    same = model.replace(geom_friction=0.5 * model.geom_friction)
    assert all(np.array_equal(getattr(same, name), getattr(model, name)) for name in DERIVED)


REFUSED = [
    (lambda m: {"opt": 3}, TypeError, "opt=3 is a int, expected Option: dataclasses.replace"),
    (lambda m: {"name": 5}, TypeError, "name=5 is a int, expected a string"),
    (lambda m: {"body_names": ("a",)}, ValueError, "body_names has 1 strings, expected 4"),
    (lambda m: {"body_names": (1, 2, 3, 4)}, TypeError, "a tuple of strings is expected"),
    (lambda m: {"body_parentid": m.body_parentid + 5}, ValueError, "body_parentid lays out the tree"),
    (lambda m: {"jnt_type": m.jnt_type + 9}, ValueError, "jnt_type lays out the tree"),
    (lambda m: {"geom_type": m.geom_type + 100}, ValueError, r"geom_type\[0\] is 106; a GeomType is needed"),
    (lambda m: {"body_mass": -m.body_mass}, ValueError, r"body_mass\[1\] is -.*at least 0"),
    (lambda m: {"body_mass": "x"}, ValueError, "body_mass is no array of float64"),
    (lambda m: {"body_masss": m.body_mass}, TypeError, "a Model has no field 'body_masss'; did you mean 'body_mass'"),
    (lambda m: {"gravity": (0, 0, 0)}, TypeError, "no field 'gravity'; use opt=dataclasses.replace.model.opt, gravity=..."),
    (lambda m: {"actuator_trnid": m.actuator_trnid + 99}, ValueError, "actuator_trnid has numbers beyond what the model holds"),
    (lambda m: {"body_weldid": m.body_weldid + 99}, ValueError, "body_weldid has numbers beyond what the model holds"),
    (lambda m: {"geom_condim": m.geom_condim + 4}, ValueError, "geom_condim has numbers that are none of"),
    (lambda m: {"body_quat": 0 * m.body_quat}, ValueError, r"body_quat\[0, 0\] is 0.0; a direction"),
    (
        lambda m: {name: 0 * getattr(m, name) for name in ("body_mass", "body_inertia", "dof_armature", "tendon_armature")},
        ModelError,
        "singular at joint 'root'",
    ),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_replace_refuses_what_means_nothing(number):
    changes, error, pattern = REFUSED[number]
    model = load_model(TEXT)
    with pytest.raises(error, match=pattern):
        model.replace(**changes(model))


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_replace_refuses_what_is_not_finite(number):
    """A geom at NaN never touched anything, SOLVED."""
    model = load_model(TEXT)
    for name in ("geom_pos", "geom_friction", "jnt_range", "qpos0"):
        value = np.array(getattr(model, name))
        value.flat[-1] = number
        with pytest.raises(ValueError, match=rf"{name}\[.*\] is {number}; finite numbers are accepted"):
            model.replace(**{name: value})


def test_replace_of_sizes_renews_the_ellipsoids_of_the_medium():
    """As mj_setConst and a fresh compilation do."""
    text = """<mujoco><worldbody><body><freejoint/>
      <geom type="ellipsoid" size=".1 .2 .3" fluidshape="ellipsoid" fluidcoef="1 2 3 4 5"/>
      <geom type="capsule" size=".1 .2"/></body></worldbody></mujoco>"""
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    changed = model.replace(geom_size=2.0 * model.geom_size)
    wheel.geom_size *= 2.0
    mujoco.mj_setConst(wheel, mujoco.MjData(wheel))
    again = load_model(text.replace(".1 .2 .3", ".2 .4 .6").replace(".1 .2", ".2 .4"))
    for other in (wheel, again):
        assert np.allclose(changed.geom_fluid, other.geom_fluid, rtol=1e-12, atol=0)
    assert not np.allclose(changed.geom_fluid, model.geom_fluid)


ALL_KINDS = """<mujoco><compiler angle="radian"/>
  <asset><hfield name="hill" nrow="2" ncol="2" elevation="0 1 2 3" size="1 1 .5 .1"/></asset><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/><geom name="hill" type="hfield" hfield="hill"/>
  <body name="arm" pos="0 0 1"><joint name="swing" axis="0 1 0" limited="true" range="-1 1" actuatorfrcrange="-3 3"/>
    <geom name="rod" type="capsule" size=".02 .2" pos=".2 0 0" quat=".8 .6 0 0"/><site name="tip" pos=".4 0 0"/>
    <body name="hand" pos=".4 0 0"><joint name="wrist" type="ball" range="0 1"/>
      <geom name="palm" type="box" size=".05 .06 .07"/></body></body>
  <body name="free" pos="2 0 1" quat=".8 .6 0 0"><freejoint name="free"/><geom name="ball" size=".1"/></body>
  <body name="carried" mocap="true"/></worldbody>
  <contact><pair name="p" geom1="ball" geom2="palm"/></contact>
  <equality><weld name="held" body1="free" body2="hand"/></equality>
  <tendon><fixed name="string" limited="true" range="-1 1" springlength=".1 .2"><joint joint="swing" coef="1"/></fixed></tendon>
  <actuator><motor name="push" joint="swing" ctrlrange="-1 1" forcerange="-2 2"/><motor name="pull" site="tip"/>
    <muscle name="muscle" joint="swing" lengthrange=".5 1"/></actuator>
  <sensor><jointpos name="angle" joint="swing"/></sensor>
  <keyframe><key name="k"/></keyframe></mujoco>"""
QUATERNIONS = {
    "body_quat": slice(None), "body_iquat": slice(None), "geom_quat": slice(None), "site_quat": slice(None),
    "jnt_axis": slice(None),
    "qpos0": [1, 2, 3, 4, 8, 9, 10, 11], "qpos_spring": [1, 2, 3, 4, 8, 9, 10, 11],
    "key_qpos": (slice(None), [1, 2, 3, 4, 8, 9, 10, 11]), "key_mquat": slice(None),
    "eq_data": (slice(None), slice(6, 10)),
}  # fmt: skip


@pytest.mark.parametrize("name", QUATERNIONS)
def test_replace_brings_directions_to_length_1(name):
    """As a file's. Before: they stayed as they were given, and the motion was another one, SOLVED."""
    model = load_model(ALL_KINDS)
    value = np.array(getattr(model, name))
    value[QUATERNIONS[name]] *= 2.0
    changed = model.replace(**{name: value})
    for field in dataclasses.fields(model):
        if "shape" in field.metadata:
            assert np.allclose(getattr(changed, field.name), getattr(model, field.name), rtol=1e-12, atol=1e-12), field.name


def put(name, place, number):
    """The change that puts a number into an array."""

    def change(m):
        value = np.array(getattr(m, name))
        value[place] = number
        return {name: value}

    return change


NO_FILE_HAS = [
    (put("geom_friction", (2, 0), -1.0), r"geom_friction\[2, 0\] is -1.0; numbers of at least 0 are accepted \(geom 'rod'\)"),
    (put("geom_solmix", 0, -1.0), r"geom_solmix\[0\] .*\(geom 'floor'\)"),
    (put("geom_size", (3, 1), 0.0), r"geom_size\[3\] is \[0.05, 0.0, 0.07\]; the sizes .* positive.*\(geom 'palm'\)"),
    (put("geom_size", (0, 2), 0.0), r"geom_size\[0\] .* of a plane the third number \(geom 'floor'\)"),
    (put("geom_type", 2, 0), r"geom_type\[2\] is 0; a plane is only accepted in a body that cannot move \(geom 'rod'\)"),
    (put("site_size", (0, 0), 0.0), r"site_size\[0\] .*\(site 'tip'\)"),
    (put("site_type", 0, 0), r"site_type\[0\] is 0; sphere, .* are accepted \(site 'tip'\)"),
    (put("pair_friction", (0, 0), -0.1), r"pair_friction\[0, 0\] is -0.1; numbers of at least 0"),
    (put("dof_damping", 0, -0.2), r"dof_damping\[0\] is -0.2; numbers of at least 0 are accepted \(joint 'swing'\)"),
    (put("dof_armature", 1, -0.2), r"dof_armature\[1\] is -0.2; .*\(joint 'wrist'\)"),
    (put("dof_frictionloss", 4, -0.2), r"dof_frictionloss\[4\] .*\(joint 'free'\)"),
    (put("jnt_range", 0, (1, -1)), r"jnt_range\[0\] is \[1.0, -1.0\]; where jnt_limited the lower .*\(joint 'swing'\)"),
    (put("jnt_range", 1, (0.1, 1)), r"jnt_range\[1\] .* of a ball joint must be 0 \(joint 'wrist'\)"),
    (put("jnt_limited", 2, True), r"jnt_range\[2\] is \[0.0, 0.0\]; where jnt_limited .*\(joint 'free'\)"),
    (put("jnt_actfrcrange", 0, (1, -1)), r"jnt_actfrcrange\[0\] .* where jnt_actfrclimited .*\(joint 'swing'\)"),
    (put("tendon_range", 0, (1, -1)), r"tendon_range\[0\] .*\(tendon 'string'\)"),
    (lambda m: {"tendon_actfrclimited": [True], "tendon_actfrcrange": [[1, 2]]}, r"tendon_actfrcrange\[0\] .* must include zero"),
    (put("tendon_lengthspring", 0, (0.3, 0.2)), r"tendon_lengthspring\[0\] .*must not be above the upper"),
    (put("tendon_armature", 0, -1.0), r"tendon_armature\[0\] is -1.0"),
    (put("tendon_frictionloss", 0, -1.0), r"tendon_frictionloss\[0\] is -1.0"),
    (put("tendon_width", 0, 0.0), r"tendon_width\[0\] is 0.0; positive"),
    (put("hfield_size", (0, 3), 0.0), r"hfield_size\[0\] .* positive numbers are accepted \(hfield 'hill'\)"),
    (put("hfield_data", 3, 2.0), r"hfield_data\[3\] is 2.0; fractions from 0 to 1 are accepted$"),
    (put("eq_data", (0, 10), -1.0), r"eq_data\[0\] .* torque scale .*\(equality 'held'\)"),
    (put("eq_data", (0, slice(6, 10)), 0.0), r"eq_data\[0, 6\] is 0.0; a direction is needed"),
    (put("qpos0", slice(1, 5), 0.0), r"qpos0\[1\] is 0.0; a direction is needed, .*\(joint 'wrist'\)"),
    (put("eq_obj2id", 0, 3), r"eq_obj1id\[0\] is 3; nothing is constrained to itself \(equality 'held'\)"),
    (put("actuator_ctrlrange", 0, (1, -1)), r"actuator_ctrlrange\[0\] .*\(actuator 'push'\)"),
    (put("actuator_forcerange", 0, (1, -1)), r"actuator_forcerange\[0\] .*\(actuator 'push'\)"),
    (put("actuator_armature", 1, 0.1), r"actuator_armature\[1\] is 0.1; 0 is accepted: .*\(actuator 'pull'\)"),
    (put("actuator_damping", 0, -0.1), r"actuator_damping\[0\] is -0.1"),
    (put("actuator_gainprm", (2, 5), 0.5), r"actuator_gainprm\[2\] .* lmin < 1 < lmax.*\(actuator 'muscle'\)"),
    (put("actuator_dyntype", 0, 1), r"actuator_dyntype\[0\] is 1; as many activations .*\(actuator 'push'\)"),
    (put("actuator_delay", 0, 0.1), r"actuator_delay\[0\] is 0.1; a delay needs samples"),
    (put("sensor_noise", 0, -1.0), r"sensor_noise\[0\] is -1.0; .*\(sensor 'angle'\)"),
    (put("sensor_interval", 0, (-1.0, 0.0)), r"sensor_interval\[0\] is \[-1.0, 0.0\]; a time"),
    (put("body_pos", (1, 0), 1e200), r"body_pos\[1, 0\] is 1e\+200; numbers up to 1e\+15 are accepted \(body 'arm'\)"),
    (lambda m: {"opt": dataclasses.replace(m.opt, timestep=-0.1)}, "opt.timestep is -0.1; positive numbers"),
    (lambda m: {"opt": dataclasses.replace(m.opt, gravity=(0, 0, np.nan))}, r"opt.gravity is \[0.0, 0.0, nan\]; finite"),
    (lambda m: {"opt": dataclasses.replace(m.opt, cone=7)}, r"opt.cone is 7; accepted: 0 \(PYRAMIDAL\), 1 \(ELLIPTIC\)"),
    (lambda m: {"opt": dataclasses.replace(m.opt, iterations=-1)}, "opt.iterations is -1; numbers of at least 0"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(NO_FILE_HAS)))
def test_replace_refuses_what_no_file_may_have(number):
    """The reader's rules. Before: accepted, e.g. a reversed range held its joint fast, SOLVED."""
    change, pattern = NO_FILE_HAS[number]
    model = load_model(ALL_KINDS)
    with pytest.raises(ValueError, match=pattern):
        model.replace(**change(model))


def test_replace_accepts_what_a_file_may_have():
    """Negative stiffness, ranges that do not count, a tendon's negative damping; a direction of length 1 stays bit by bit."""
    model = load_model(ALL_KINDS)
    for change in (put("jnt_stiffness", 0, -1.0), put("tendon_damping", 0, -1.0), put("jnt_range", 2, (1.0, -1.0))):
        ((name, value),) = change(model).items()
        assert np.array_equal(getattr(model.replace(**{name: value}), name), value)
    turned = put("body_quat", 1, (0.0, 1.0, 0.0, 0.0))(model)
    assert np.array_equal(model.replace(**turned).body_quat, turned["body_quat"])


@pytest.mark.parametrize("file", sorted((Path(__file__).parents[2] / "models").glob("**/*.xml")), ids=lambda file: file.stem)
def test_what_replace_accepts_is_what_shipped_files_have(file):
    """No rule refuses a number of theirs, and directions stay (within 1e-15 measured)."""
    model = load_model(file)
    names = {item.name for item in dataclasses.fields(model) if "shape" in item.metadata}
    refuse_values(model, names - TREE)
    refuse_by_rules(model, names)
    for name in DIRECTIONS:
        assert np.abs(unit_rows(model, name) - getattr(model, name)).max(initial=0.0) <= 1e-15, name
