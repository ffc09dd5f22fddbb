"""Valid short and odd forms: accepted, and every array as the wheel compiles it."""

import re

import mujoco
import numpy as np
import pytest
from wheel_oracle import assert_equal

from dojo_py import HardSimulator, ModelError, load_model
from dojo_py.planning.problem import limits_of
from dojo_py.reproduce.scenes import random_controls

BODY = """<body name="b"><joint name="j" range="-30 30"/><joint name="k" type="slide" ref="2"/><geom name="g" size=".1"/></body>
  <body name="f"><freejoint/><geom name="h" size=".1"/></body>"""


def model(before="", body=BODY, after=""):
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"


def of_key(attributes):
    actuators = '<actuator><motor joint="j"/><intvelocity joint="j"/><cylinder joint="k"/></actuator>'
    return model(after=f"{actuators}<keyframe><key/><key {attributes}/></keyframe>")


def of_joint(attributes, before="", after=""):
    return model(before, f'<body><joint name="j" {attributes}/><geom size=".1"/></body>', after)


SERVO = '<actuator><position joint="j" inheritrange=".5"/></actuator>'
FORMS = {
    "solref of a geom": model(body='<geom size="1" solref=".1"/>'),
    "solref of a class": model('<default><geom solref="-100 -3"/></default>', '<geom size="1" solref="-50"/>'),
    "solref of a joint": of_joint('solreflimit=".1" solreffriction=".3" range="0 1"'),
    "solref of a pair": model(after='<contact><pair geom1="g" geom2="h" solref=".1" solreffriction=".2"/></contact>'),
    "solref of an equality": model(after='<equality><joint joint1="j" solref=".1"/></equality>'),
    "option": model('<option o_solref=".1" gravity="0 0 0"/>'),
    "short qpos": of_key('qpos="1"'),
    "qpos that ends within a quaternion": of_key('qpos="1 2 3 4 5 6"'),
    "qpos with a quaternion of zeros": of_key('qpos="1 2 3 4 5 0 0 0 0"'),
    "short qvel": of_key('qvel="1 2"'),
    "short ctrl": of_key('ctrl="1 2"'),
    "empty lists": of_key('qpos="" qvel="" ctrl="" act=""'),
    "nkey": model('<size nkey="3" njmax="5"/>', after='<keyframe><key name="a" qpos="1"/></keyframe>'),
    "limited class on a free joint": model(
        '<default><joint limited="true" range="0 1"/></default>',
        '<body><joint type="free"/><geom size="1"/></body>',
    ),
    "limited free joint": of_joint('type="free" limited="true"'),
    "range of a free joint": of_joint('type="free" range="0 30"'),
    "range of an unlimited hinge": of_joint('limited="false" range="-30 30"'),
    "range of an unlimited ball": of_joint('type="ball" limited="false" range="0 30"'),
    "range of a limited hinge": of_joint('limited="true" range="-30 30"', '<compiler autolimits="false"/>'),
    "inherited range": of_joint('range="-30 60"', after=SERVO),
    "inherited range of an unlimited joint": of_joint('limited="false" range="-30 60"', after=SERVO),
    "lengthrange": model(after='<actuator><motor joint="j" lengthrange="1 2"/></actuator>'),
    "planes that are ellipsoids to a medium": model(
        body='<geom type="plane" size="1 2 1" fluidshape="ellipsoid"/><body><geom size="1"/></body>'
    ),
    "pos of zero beside fromto": model(body='<geom type="capsule" size=".1" pos="0 0 0" quat="1 1 0 0" fromto="0 0 0 1 1 1"/>'),
    "the outer class by its name": model('<default class="main"><geom rgba="1 0 0 1"/></default><default class="main"/>'),
    "blank numbers": model(body='<body pos=""><geom size=".1" mass="" pos=" "/></body>'),
    "nested bodies": model(body="<body>" * 400 + "</body>" * 400),
    "nested frames": model(body='<frame pos="1 0 0">' * 400 + '<geom size="1"/>' + "</frame>" * 400),
}


@pytest.mark.parametrize("form", FORMS)
def test_form(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the wheel writes its warnings into the working folder
    assert_equal(load_model(FORMS[form]), mujoco.MjModel.from_xml_string(FORMS[form]))


URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint><mujoco>{}</mujoco></robot>"""


@pytest.mark.parametrize(
    "sections",
    [
        '<default><joint damping="3"/></default><worldbody><geom size="1"/></worldbody>',
        '<size nkey="2"/><sensor/>',
        '<size nuser_body="3" nuser_jnt="2" nuserdata="4" memory="1M" nuser_cam="2"/>',
        '<compiler boundmass="" angle="degree" eulerseq="zyx" convexhull="true"><lengthrange mode="none"/></compiler>',
        '<option o_solref=".1" o_friction="2" gravity="1 2 3"><flag contact="disable" energy="enable"/></option>',
    ],
)
def test_sections_in_a_urdf(sections):
    text = URDF.format(sections)
    assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))


WRONG = {
    '<size nkey="0.5"/>': "size, nkey: '0.5' is not an integer",
    '<size nkey="1e300"/>': "size, nkey: '1e300' is not a finite number",
    '<compiler boundmass="1_0"/>': "compiler, boundmass: '1_0' is not a finite number",
    '<compiler inertiagrouprange="1"/>': "compiler, inertiagrouprange: 1 numbers were read, 2 are accepted",
    '<compiler eulerseq="zz"/>': "compiler, eulerseq: 'zz' is not three letters",
    '<option iterations="1_0"/>': "option, iterations: '1_0' is not a finite number",
    '<option gravity="1 2"/>': "option, gravity: 2 numbers were read, 3 are accepted",
    '<option o_solref="1 2 3"/>': "option, o_solref: 3 numbers were read",
    '<option><flag contact="true"/></option>': "flag, contact: 'true' is not one of",
}


@pytest.mark.parametrize("section", WRONG)
def test_faulty_settings_of_a_urdf_are_named_with_their_line(section):
    """The wheel refuses them, too."""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(URDF.format(section))
    with pytest.raises(ModelError, match="<text>:3: " + re.escape(WRONG[section])):
        load_model(URDF.format(section))


def test_a_urdf_names_settings_that_mujoco_passes_over():
    with pytest.raises(ModelError, match="compiler 'r', lengthrange: '1' is not read"):
        load_model(URDF.format('<compiler lengthrange="1"/>'))


@pytest.mark.parametrize("count", [10_000, 10_001])
def test_many_keyframes(count):
    """None is cut off silently."""
    text = model(f'<size nkey="{count}"/>', "<body><joint/><geom size='1'/></body>")
    if count == 10_000:
        assert load_model(text).nkey == mujoco.MjModel.from_xml_string(text).nkey == count
    else:
        with pytest.raises(ModelError, match="10001 keyframes .* more than the limit of 10000"):
            load_model(text)


def test_infinite_bounds_bound_nothing():
    """As the wheel reads them; here they are the largest numbers, 1e10 (degrees, of angles), so that arrays hold finite numbers."""
    loose = load_model(
        """<mujoco><worldbody><body><joint name="j" axis="0 1 0" range="-inf inf"/><geom size=".1"/></body></worldbody>
        <actuator><motor joint="j" ctrlrange="0 inf" forcerange="-Infinity +inf"/></actuator></mujoco>"""
    )
    assert np.array_equal(loose.jnt_range, np.deg2rad([[-1e10, 1e10]])) and loose.jnt_limited[0]
    assert np.array_equal(loose.actuator_ctrlrange, [[0.0, 1e10]]) and np.array_equal(loose.actuator_forcerange, [[-1e15, 1e15]])
    sim = HardSimulator(loose)
    assert sim.rollout(sim.initial_state(qvel=[3.0]), np.full((5, 1), 0.1)).unsolved == 0
    with pytest.raises(ModelError, match="'inf' is not a finite number"):
        load_model('<mujoco><worldbody><body pos="0 0 inf"><geom size=".1"/></body></worldbody></mujoco>')
    with pytest.raises(ModelError, match="'nan' is not a finite number"):
        load_model('<mujoco><worldbody><body><joint range="nan 1"/><geom size=".1"/></body></worldbody></mujoco>')


def test_bounds_that_bound_nothing_draw_no_huge_controls():
    """Random controls, limits of plans and sliders take such a control for one without a range."""
    loose = load_model(
        """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1"/></body></worldbody>
        <actuator><motor joint="j" ctrlrange="0 inf"/><motor joint="j" ctrlrange="-inf inf"/></actuator></mujoco>"""
    )
    assert np.abs(random_controls(loose, 100)).max() < 10.0
    low, high = limits_of(HardSimulator(loose), "model")
    assert low.tolist() == [0.0, -np.inf] and high.tolist() == [np.inf, np.inf]
