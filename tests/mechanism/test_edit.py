"""Building and editing mechanisms: what comes out compiles like the file that says the same, or like MjSpec's edit of it."""

import mujoco
import numpy as np
import pytest

from dojo_py import Mechanism, ModelError, load_mechanism, load_model
from dojo_py.formats.save import mjcf
from dojo_py.mechanism.spec import Actuator, Body, Equality, Geom, Joint, Keyframe, Material, Mesh, Sensor, Site

ROBOT = """<mujoco model="robot"><worldbody><body name="torso" pos="0 0 1"><freejoint name="root"/><geom name="trunk" size=".2"/>
  <body name="arm" pos=".2 0 0"><joint name="shoulder" axis="0 1 0"/><geom name="upper" type="capsule" size=".02 .1"/>
  <site name="hand" pos="0 0 .1"/></body>
  <body name="leg" pos="0 0 -.2"><joint name="hip" axis="0 1 0"/><geom name="thigh" type="capsule" size=".02 .1"/></body></body>
  </worldbody><contact><exclude name="near" body1="torso" body2="arm"/></contact>
  <tendon><fixed name="both"><joint joint="hip" coef="1"/><joint joint="shoulder" coef="-1"/></fixed></tendon>
  <equality><joint name="follow" joint1="shoulder" joint2="hip"/></equality>
  <actuator><motor name="m_shoulder" joint="shoulder"/><motor name="m_both" tendon="both"/>
  <position name="m_hip" joint="hip" kp="3"/></actuator>
  <keyframe><key name="up" qpos="1 2 3 1 0 0 0 .4 .5" qvel="1 2 3 4 5 6 7 8" ctrl=".1 .2 .3"/></keyframe></mujoco>"""
TOOL = """<mujoco model="tool"><worldbody><body name="grip" pos="0 0 .05"><joint name="turn"/>
  <geom name="jaw" type="box" size=".01 .02 .03"/></body></worldbody><actuator><motor name="close" joint="turn"/></actuator>
  <keyframe><key name="shut" qpos=".7" ctrl=".9"/></keyframe></mujoco>"""


def same(ours, wheel):
    from dataclasses import fields

    for item in fields(ours):
        value = getattr(ours, item.name)
        if isinstance(value, np.ndarray) and hasattr(wheel, item.name):
            theirs = getattr(wheel, item.name)
            assert value.shape == theirs.shape and np.allclose(value, theirs, rtol=1e-12, atol=1e-12), item.name


def test_building_by_calls():
    """The same model as its file."""
    mechanism = Mechanism("tool")
    grip = mechanism.add(Body("grip", pos=(0, 0, 0.05)))
    grip.add(Joint("turn"))
    grip.add(Geom("jaw", type="box", size=(0.01, 0.02, 0.03)))
    mechanism.add(Actuator("close", joint="turn"))
    mechanism.add(Keyframe("shut", qpos=(0.7,), ctrl=(0.9,)))
    same(mechanism.compile(), mujoco.MjModel.from_xml_string(TOOL))
    grip.add(Site("tip"))
    assert mechanism.compile().nsite == 1


def test_changing_what_was_found():
    mechanism = load_mechanism(ROBOT)
    mechanism.body("arm").pos = (0.3, 0, 0)
    mechanism.joint("hip").damping = 0.5
    mechanism.geom("thigh").size = (0.03, 0.1)
    mechanism.actuator("m_hip").gear = (2.0,)
    mechanism.equality("follow").active = False
    spec = mujoco.MjSpec.from_string(ROBOT)
    spec.body("arm").pos = (0.3, 0, 0)
    spec.joint("hip").damping[0] = 0.5
    spec.geom("thigh").size = (0.03, 0.1, 0)
    spec.actuator("m_hip").gear[0] = 2.0
    spec.equality("follow").active = False
    same(mechanism.compile(), spec.compile())
    same(load_model(ROBOT), mujoco.MjModel.from_xml_string(ROBOT))


@pytest.mark.parametrize("kind, name", [("body", "arm"), ("joint", "shoulder"), ("geom", "thigh"), ("actuator", "m_shoulder")])
def test_deleting_takes_what_refers_to_it_and_keyframes_keep_the_rest(kind, name):
    mechanism = load_mechanism(ROBOT)
    if name == "thigh":
        mechanism.body("leg").add(Geom("other", size=(0.1,)))
    mechanism.delete(mechanism.find(kind, name))
    model = mechanism.compile()
    if kind in ("body", "joint"):
        assert model.actuator_names == ("m_hip",) and not model.neq and not model.ntendon and model.joint_names == ("root", "hip")
        assert model.nexclude == (kind == "joint")
        assert model.key_qpos.tolist() == [[1, 2, 3, 1, 0, 0, 0, 0.5]] and model.key_qvel[0].tolist() == [1, 2, 3, 4, 5, 6, 8]
        assert model.key_ctrl.tolist() == [[0.3]]
    else:
        assert model.nq == 9 and model.key_qpos[0, 7:].tolist() == [0.4, 0.5]
        assert model.key_ctrl.tolist() == [[0.1, 0.2, 0.3] if kind == "geom" else [0.2, 0.3]]


@pytest.mark.parametrize("body", ["", "grip"])
def test_attach_as_mjspec_does(body):
    """At a site's place: arrays, names, both models' keyframes."""
    mechanism, tool = load_mechanism(ROBOT), load_mechanism(TOOL)
    bodies = mechanism.attach(tool, "arm", "t_", body=body, pos=(0, 0, 0.1), quat=(1, 1, 0, 0))
    assert [b.name for b in bodies] == ["t_grip"] and mechanism.body("t_grip") is bodies[0] and tool.body("grip").name == "grip"
    parent, child = mujoco.MjSpec.from_string(ROBOT), mujoco.MjSpec.from_string(TOOL)
    frame = parent.body("arm").add_frame(pos=(0, 0, 0.1), quat=np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2))
    if body:
        frame.attach_body(child.body("grip"), "t_", "")
    else:
        parent.attach(child, frame=frame, prefix="t_")
    model, wheel = mechanism.compile(), parent.compile()
    same(model, wheel)
    assert model.key_names == ("up", "t_shut") and model.actuator_names[-1] == "t_close"
    mechanism.attach(tool, mechanism.body("leg"), "u_")
    assert mechanism.compile().nu == 5


def test_attach_names_what_is_lost():
    """What refers to the rest of the child, and options that are not the mechanism's."""
    mechanism, tool = load_mechanism(ROBOT), load_mechanism(TOOL)
    tool.option.timestep = 0.01
    tool.add(Body("other")).add(Joint("slip", type="slide"))
    tool.add(Equality("joint", "turn", "slip", name="tied"))
    mechanism.attach(tool, "arm", "t_", body="grip")
    model = mechanism.compile()
    assert model.equality_names == ("follow",) and all(record.notice for record in model.left_out)
    assert sorted((record.name, record.attribute) for record in model.left_out) == [("", "timestep"), ("tied", "")]


def test_copies_are_independent():
    mechanism = load_mechanism(ROBOT)
    other = mechanism.copy()
    other.delete(other.body("leg"))
    assert mechanism.compile().nbody == 4 and other.compile().nbody == 3


WRONG = [
    (lambda m: m.body("leeg"), ModelError, "no body is named 'leeg'.*did you mean 'leg'"),
    (lambda m: m.find("bodi", "leg"), ModelError, "kind 'bodi' is not one of .*did you mean 'body'"),
    (lambda m: m.joint(3), TypeError, "expected the name of a joint"),
    (lambda m: m.add(3), TypeError, "a int cannot be added to a mechanism; accepted: .*'Actuator'"),
    (lambda m: m.add(Geom("floor")), TypeError, r"a Geom is added to a body: .*as a floor does: `mechanism.world.add"),
    (lambda m: m.add(Joint()), TypeError, r"a Joint is added to a body: `mechanism.body\(name\).add\(...\)`$"),
    (lambda m: m.body("leg").add(Equality()), TypeError, "a Equality cannot be added to body 'leg'; accepted"),
    (lambda m: m.body("leg").add(m.body("torso")), ModelError, "body 'torso' cannot be added to body 'leg', which it holds"),
    (lambda m: m.body("leg").add(m.body("leg")), ModelError, "body 'leg' cannot be added to body 'leg', which it holds"),
    (lambda m: m.delete(Body("other")), ModelError, "the body 'other' is not part of this mechanism"),
    (lambda m: m.delete("leg"), TypeError, "element='leg' is a str, expected an element of the mechanism"),
    (lambda m: m.delete(m.world), ModelError, "the world cannot be deleted"),
    (lambda m: m.attach(3), TypeError, "expected a Mechanism, as load_mechanism"),
    (lambda m: m.attach(load_mechanism(TOOL), "handd"), ModelError, "no body is named 'handd'"),
    (lambda m: m.attach(load_mechanism(TOOL), body="gripp"), ModelError, "no body is named 'gripp' in .*'tool'; did you mean"),
    (lambda m: m.attach(load_mechanism(TOOL), frame="f"), ModelError, "no frame is named 'f'"),
    (lambda m: m.attach(load_mechanism(TOOL), Body("else")), ModelError, "to: body 'else' is not part of this mechanism"),
    (lambda m: m.attach(load_mechanism(TOOL), "arm", 3), TypeError, "prefix=3 is a int, expected a string"),
    (lambda m: m.attach(load_mechanism(TOOL), "arm", body=3), TypeError, "body=3 is a int, expected a string"),
    (lambda m: m.attach(load_mechanism(TOOL), "arm", frame=None), TypeError, "frame=None is a NoneType, expected a string"),
    (lambda m: m.attach(load_mechanism(TOOL), "arm", pos="ab"), ModelError, "pos='ab': 3 finite numbers are accepted"),
    (lambda m: m.attach(load_mechanism(TOOL), "arm", quat=(1, 0, [0], 0)), ModelError, "quat=.*: 4 finite numbers are accepted"),
    (lambda m: m.attach(load_mechanism(TOOL), "arm", quat=(0, 0, 0, 0)), ModelError, "quat=.*zero length"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors_name_the_element(number):
    """And leave the mechanism as it was."""
    call, error, pattern = WRONG[number]
    mechanism = load_mechanism(ROBOT)
    with pytest.raises(error, match=pattern):
        call(mechanism)
    assert mjcf(mechanism) == mjcf(load_mechanism(ROBOT))


BUILT = {
    "joint 'j', type: the world body cannot have joints": lambda m: m.world.add(Joint("j")),
    "body 'b', mocap: a mocap body is a child of the world": lambda m: m.body("leg").add(Body("b", mocap=True)),
    "material 'm', shininess: 'much': one number is accepted": lambda m: m.add(Material("m", {"shininess": "much"})),
}


@pytest.mark.parametrize("message", BUILT)
def test_problems_of_what_was_not_read_name_it(message):
    """It has no place in a file."""
    mechanism = load_mechanism(ROBOT)
    BUILT[message](mechanism)
    with pytest.raises(ModelError, match=message):
        mechanism.compile()


@pytest.mark.parametrize("values", ["1 2", (None, 1.0), np.ones((2, 2)), np.ones(99)])
def test_keyframes_that_do_not_fit_are_for_the_compiler(values):
    """They do not keep the mechanism from being edited, and are reported by name."""
    mechanism = load_mechanism(ROBOT)
    mechanism.add(Keyframe("odd", qpos=values))
    mechanism.delete(mechanism.joint("hip"))
    mechanism.attach(load_mechanism(TOOL), "leg")
    assert mechanism.keyframe("up").qpos is None and mechanism.keyframe("odd").qpos is values
    with pytest.raises(ModelError, match="keyframe 'odd', qpos"):
        mechanism.compile()


LOOKED_THROUGH = {
    "find": lambda m: m.joint("hip"),
    "delete": lambda m: m.delete(m.world.geoms[0]),
    "attach": lambda m: m.attach(load_mechanism(TOOL), "leg"),
    "copy": lambda m: m.copy(),
}


@pytest.mark.parametrize("call", LOOKED_THROUGH)
def test_a_body_that_holds_itself_is_an_error(call):
    """Not a walk without end."""
    mechanism = load_mechanism(ROBOT)
    mechanism.world.add(Geom("stone", size=(0.1,)))
    mechanism.body("leg").bodies.append(mechanism.body("torso"))
    with pytest.raises(ModelError, match="body 'world' holds more than 100000 bodies, or itself"):
        LOOKED_THROUGH[call](mechanism)


MOCAP = """<mujoco><worldbody>{bodies}</worldbody><keyframe><key name="{key}" mpos="{mpos}" mquat="{mquat}"/></keyframe></mujoco>"""


def mocap_bodies(*names):
    return "".join(f'<body name="{name}" mocap="true" pos="0 0 {n}"><geom size=".1"/></body>' for n, name in enumerate(names))


def test_keyframes_keep_the_values_of_mocap_bodies():
    """Through `attach` and `delete`, as MjSpec does."""
    two = MOCAP.format(bodies=mocap_bodies("a", "b"), key="k", mpos="1 1 1 2 2 2", mquat="1 0 0 0 0 1 0 0")
    one = MOCAP.format(bodies=mocap_bodies("c"), key="q", mpos="7 7 7", mquat="0 0 0 1")
    mechanism, spec, other = load_mechanism(two), mujoco.MjSpec.from_string(two), mujoco.MjSpec.from_string(one)
    mechanism.attach(load_mechanism(one), "world", "x_")
    spec.compile()
    other.compile()
    spec.attach(other, prefix="x_", frame=spec.worldbody.add_frame())
    same(mechanism.compile(), spec.compile())
    assert mechanism.compile().key_mpos.tolist() == [[1, 1, 1, 2, 2, 2, 0, 0, 0], [0, 0, 0, 0, 0, 1, 7, 7, 7]]
    mechanism.delete(mechanism.body("a"))
    spec.delete(spec.body("a"))
    same(mechanism.compile(), spec.compile())
    assert mechanism.compile().key_mquat.tolist() == [[0, 1, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 1]]


SHAPES = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  <hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
  <geom name="hg" type="hfield" hfield="h"/><body name="a"><joint/><geom name="mg" type="mesh" mesh="m"/>
  <geom name="s" size=".1"/></body><body><joint/><geom name="t" size=".1"/></body></worldbody>
  <contact><pair name="p" geom1="mg" geom2="t"/><pair name="q" geom1="hg" geom2="s"/><pair name="r" geom1="s" geom2="t"/></contact>
  <sensor><framepos name="f" objtype="geom" objname="mg"/><framepos name="g" objtype="body" objname="a"/></sensor>
  <custom><tuple name="u"><element objtype="geom" objname="hg"/></tuple></custom></mujoco>"""


@pytest.mark.parametrize("kind, name, pairs, sensors, tuples", [("mesh", "m", "qr", "g", "u"), ("hfield", "h", "pr", "fg", "")])
def test_what_refers_to_the_geoms_of_a_deleted_shape_goes_too(kind, name, pairs, sensors, tuples):
    """The geoms go with their mesh or height field."""
    mechanism = load_mechanism(SHAPES)
    mechanism.delete(mechanism.find(kind, name))
    model = mechanism.compile()
    assert model.ngeom == 3 and "".join(pair.name for pair in mechanism.pairs) == pairs
    assert "".join(model.sensor_names) == sensors and "".join(element.name for element in mechanism.tuples) == tuples


LOOKS = """<mujoco><asset><material name="m" rgba="1 0 0 1"/><texture name="t" type="2d" builtin="flat" width="4" height="4"/>
  <material name="n" texture="t"/><material name="o"><layer role="rgb" texture="t"/></material></asset><worldbody>
  <body name="a"><joint name="j"/><geom name="g" size=".1" material="m"/></body><camera name="c" mode="targetbody" target="a"/>
  <body name="b"><geom size=".1" material="n"/><site name="s" material="m"/><light name="l" mode="targetbodycom" target="a"/></body>
  <geom size=".1" material="o"/><camera name="d"/></worldbody></mujoco>"""


@pytest.mark.parametrize("kind, name", [("body", "a"), ("material", "m"), ("texture", "t")])
def test_nothing_refers_to_what_was_deleted(kind, name):
    """Cameras and lights that look at a body go with it, as all that refers to it; shapes stay, and lose their look."""
    mechanism = load_mechanism(LOOKS)
    mechanism.delete(mechanism.find(kind, name))
    model, written = mechanism.compile(), mjcf(mechanism)
    same(model, mujoco.MjModel.from_xml_string(written))
    assert [camera.name for camera in mechanism.world.cameras] == (["d"] if kind == "body" else ["c", "d"])
    assert len(mechanism.body("b").lights) == (kind != "body") and model.ngeom == 3 - (kind == "body")
    assert f'"{name}"' not in written


NAMED = {
    "body": "arm",
    "joint": "hip",
    "geom": "thigh",
    "site": "hand",
    "actuator": "m_hip",
    "equality": "follow",
    "tendon": "both",
}
NAMED |= {"keyframe": "up", "sensor": "angle", "material": "steel", "mesh": "wedge"}


@pytest.mark.parametrize("kind", NAMED)
def test_every_kind_that_has_a_method_is_found_by_it(kind):
    """Tendons, sensors, meshes and materials were found by `find` alone."""
    mechanism = load_mechanism(ROBOT)
    for element in (
        Sensor("jointpos", "angle"),
        Material("steel"),
        Mesh("wedge", np.eye(4)[:, :3]),
    ):
        mechanism.add(element)
    assert getattr(mechanism, kind)(NAMED[kind]) is mechanism.find(kind, NAMED[kind])
    with pytest.raises(ModelError, match=f"no {kind} is named 'nobody'"):
        getattr(mechanism, kind)("nobody")
