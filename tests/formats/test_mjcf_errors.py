"""MJCF: every error names file, line, element, name and attribute, what was read and what is accepted; all at once."""

import re

import pytest

from dojo_py import ModelError, UnsupportedWarning, load_model

BODY = '<body name="b"><joint name="knee"/><geom name="g" size=".1"/><site name="s"/></body>'


def model(body="", before="", after=""):
    """One model; the body is on line 3."""
    return f"<mujoco>{before}\n<worldbody>\n{body}\n</worldbody>{after}</mujoco>"


def errors(text, **options):
    with pytest.raises(ModelError) as caught:
        load_model(text, **options)
    return caught.value.errors


TERM = '<joint joint="knee" coef="1"/>'


def tendon(path, bodies="", of="", more=""):
    """One model with a fixed tendon 't' on line 5."""
    return model(BODY + bodies, "", f'<tendon>\n<fixed name="t" {of}>{path}</fixed>{more}</tendon>')


CASES = {
    "unknown attribute": (
        model('<body><joint nmae="x"/><geom size="1"/></body>'),
        *(3, "joint", "nmae", "did you mean 'name'"),
    ),
    "unknown element": (model("<body><gem/></body>"), 3, "gem", "", "did you mean 'geom'"),
    "unknown section": ("<mujoco>\n<worldbdy/></mujoco>", 2, "worldbdy", "", "did you mean 'worldbody'"),
    "wrong word": (
        model('<body><joint type="hing"/><geom size="1"/></body>'),
        *(3, "joint", "type", "did you mean 'hinge'"),
    ),
    "not a number": (model('<body pos="0 0 a"/>'), 3, "body", "pos", "'a'"),
    "too few numbers": (model('<body pos="0 0"/>'), 3, "body", "pos", "2 numbers were read, 3 are accepted"),
    "nan": (model('<body pos="0 0 nan"/>'), 3, "body", "pos", "finite"),
    "infinity": (model('<body pos="0 0 1e400"/>'), 3, "body", "pos", "finite"),
    "huge": (model('<geom size="1e11"/>'), 3, "geom", "size", "1e\\+10"),
    "fraction for integer": (model('<geom size="1" condim="1.5"/>'), 3, "geom", "condim", "integer"),
    "condim": (model('<geom size="1" condim="2"/>'), 3, "geom", "condim", "not one of \\[1, 3, 4, 6\\]"),
    "bool": (
        model('<body><joint limited="yes"/><geom size="1"/></body>'),
        *(3, "joint", "limited", "'yes' is not one of"),
    ),
    "no size": (model("<geom/>"), 3, "geom", "size", "needs 1 positive"),
    "negative size": (model('<geom type="box" size="1 1 -1"/>'), 3, "geom", "size", "needs 3 positive"),
    "fromto of a sphere": (
        model('<geom size="1" fromto="0 0 0 1 1 1"/>'),
        *(3, "geom", "fromto", "not accepted for a sphere"),
    ),
    "fromto of no length": (model('<geom type="box" size="1" fromto="0 0 0 0 0 0"/>'), 3, "geom", "fromto", "same"),
    "two orientations": (model('<body quat="1 0 0 0" euler="0 0 0"/>'), 3, "body", "euler", "quat and euler"),
    "zero quaternion": (model('<body quat="0 0 0 0"/>'), 3, "body", "quat", "zero length"),
    "parallel axes": (model('<body xyaxes="1 0 0 2 0 0"/>'), 3, "body", "xyaxes", "zero length"),
    "zero axis": (model('<body><joint axis="0 0 0"/><geom size="1"/></body>'), 3, "joint", "axis", "zero length"),
    "range": (
        model('<body><joint range="1 -1"/><geom size="1"/></body>'),
        *(3, "joint", "range", "1 -1|0.01.*: the lower"),
    ),
    "ball range": (
        model('<body><joint type="ball" range="1 2"/><geom size="1"/></body>'),
        *(3, "joint", "range", "must be 0"),
    ),
    "negative mass": (model('<geom size="1" mass="-1"/>'), 3, "geom", "mass", "less than 0"),
    "negative inertia": (
        model('<body><inertial pos="0 0 0" mass="1" diaginertia="-1 1 1"/></body>'),
        *(3, "inertial", "diaginertia", "less than 0"),
    ),
    "triangle": (
        model('<body name="arm"><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'),
        *(3, "inertial", "", "body 'arm' .*A \\+ B >= C"),
    ),
    "fullinertia": (
        model('<body name="arm"><inertial pos="0 0 0" mass="1" fullinertia="1 1 -1 0 0 0"/></body>'),
        *(3, "inertial", "fullinertia", "'arm' is not positive definite"),
    ),
    "massless": (model('<body name="arm"><joint/></body>'), 3, "body", "", "'arm' has no mass"),
    "massless child": (
        model('<body name="arm"><joint/><body name="leg"><joint/><geom size="1"/></body></body>'),
        *(3, "body", "", "'arm' has no mass"),
    ),
    "same motion twice": (
        model('<body><joint/><joint name="two"/><geom size="1"/></body>'),
        *(3, "joint", "", "singular"),
    ),
    "free below": (
        model('<body><geom size="1"/><body><freejoint/><geom size="1"/></body></body>'),
        *(3, "freejoint", "type", ""),
    ),
    "free and hinge": (
        model('<body><freejoint/><joint/><geom size="1"/></body>'),
        *(3, "freejoint", "type", "only joint"),
    ),
    "ball and hinge": (
        model('<body><joint type="ball"/><joint/><geom size="1"/></body>'),
        *(3, "joint", "type", "after a ball"),
    ),
    "joint of the world": (model("<joint/>"), 3, "joint", "type", "world"),
    "moving plane": (model('<body><joint/><geom type="plane" size="1 1 1"/></body>'), 3, "geom", "type", "cannot move"),
    "name twice": (model('<body name="x"/>\n<body name="x"/>'), 4, "body", "name", "already the name .*:3\\)"),
    "name of the world": (model('<body name="world"/>'), 3, "body", "name", "already"),
    "class": (
        model('<geom class="fot"/>', '<default><default class="foot"/></default>'),
        *(3, "geom", "class", "'foot'\\?"),
    ),
    "another name of the outer class": (model(before='<default\nclass="foo"/>'), 2, "default", "class", "called 'main'"),
    "pos and fromto": (model('<geom type="capsule" size="1" pos="1 0 0" fromto="0 0 0 0 0 1"/>'), 3, "geom", "fromto", "with pos"),
    "pos of a class and fromto": (
        model('<site type="capsule" fromto="0 0 0 0 0 1"/>', '<default><site pos="1 0 0"/></default>'),
        *(3, "site", "fromto", "with pos"),
    ),
    "pos and fromto in a frame that moves to zero": (
        model('<frame pos="-1 0 0"><geom type="capsule" size="1" pos="1 0 0" fromto="0 0 0 0 0 1"/></frame>'),
        *(3, "geom", "fromto", "with pos"),
    ),
    "class twice": (
        "<mujoco><default><default class='a'/>\n<default class='a'/></default></mujoco>",
        *(2, "default", "class", ""),
    ),
    "class without name": ("<mujoco><default>\n<default/></default></mujoco>", 2, "default", "class", "name"),
    "childclass": (model('<body childclass="no"/>'), 3, "body", "childclass", "accepted: \\['main'\\]"),
    "target": (
        model(BODY, "", "<actuator>\n<motor joint='kne'/></actuator>"),
        *(5, "motor", "joint", "did you mean 'knee'"),
    ),
    "no target": (model(BODY, "", "<actuator>\n<motor/></actuator>"), 5, "motor", "", "none was given"),
    "two targets": (
        model(BODY, "", "<actuator>\n<motor joint='knee' site='s'/></actuator>"),
        *(5, "motor", "", "exactly one"),
    ),
    "kv and dampratio": (
        model(BODY, "", "<actuator>\n<position joint='knee' kv='1' dampratio='1'/></actuator>"),
        *(5, "position", "dampratio", "not both"),
    ),
    "damper range": (
        model(BODY, "", "<actuator>\n<damper joint='knee'/></actuator>"),
        *(5, "damper", "ctrlrange", "negative"),
    ),
    "inheritrange": (
        model(BODY, "", "<actuator>\n<position joint='knee' inheritrange='1'/></actuator>"),
        *(5, "position", "inheritrange", "no range"),
    ),
    "pair": (model(BODY, "", "<contact>\n<pair geom1='g' geom2='h'/></contact>"), 5, "pair", "geom2", "'h'"),
    "exclude": (model(BODY, "", "<contact>\n<exclude body1='b' body2='c'/></contact>"), 5, "exclude", "body2", "'c'"),
    "connect": (model(BODY, "", "<equality>\n<connect body1='b'/></equality>"), 5, "connect", "anchor", "required"),
    "weld": (model(BODY, "", "<equality>\n<weld body1='b' site2='s'/></equality>"), 5, "weld", "", "must be given"),
    "joint": (
        model(BODY, "", "<equality>\n<joint joint1='kne'/></equality>"),
        *(5, "joint", "joint1", "did you mean 'knee'"),
    ),
    "tendon of nothing": (tendon(""), 5, "fixed", "", "needs a path"),
    "tendon of a ball": (
        tendon('<joint joint="ball" coef="1"/>', '<body><joint name="ball" type="ball"/><geom size=".1"/></body>'),
        *(5, "joint", "joint", "'ball' is not a hinge or a slide"),
    ),
    "tendon of no joint": (tendon('<joint joint="kne" coef="1"/>'), 5, "joint", "joint", "did you mean 'knee'"),
    "joint twice": (tendon('<joint joint="knee" coef="1"/>' * 2), 5, "joint", "joint", "in the tendon already"),
    "no coefficient": (tendon('<joint joint="knee"/>'), 5, "joint", "coef", "required"),
    "not a number of a term": (tendon('<joint joint="knee" coef="nan"/>'), 5, "joint", "coef", "'nan'"),
    "site in a fixed tendon": (tendon('<site site="s"/>'), 5, "site", "", "not an element of fixed"),
    "tendon range": (tendon(TERM, of='range="1 -1"'), 5, "fixed", "range", "lower bound"),
    "tendon force range": (tendon(TERM, of='actuatorfrcrange="1 2"'), 5, "fixed", "actuatorfrcrange", "include zero"),
    "springlength": (tendon(TERM, of='springlength="2 1"'), 5, "fixed", "springlength", "above"),
    "tendon armature": (tendon(TERM, of='armature="-1"'), 5, "fixed", "armature", "less than 0"),
    "two tendons of a name": (tendon(TERM, more=f'<fixed name="t">{TERM}</fixed>'), 5, "fixed", "name", "already the name"),
    "actuator of no tendon": (
        model(BODY, "", "<actuator>\n<motor tendon='u'/></actuator>"),
        *(5, "motor", "tendon", "no tendon is named 'u'"),
    ),
    "coupling of no tendon": (
        model(BODY, "", "<equality>\n<tendon tendon1='u'/></equality>"),
        *(5, "tendon", "tendon1", "no tendon is named 'u'"),
    ),
    "key": (model(BODY, "", "<keyframe>\n<key qpos='1 2'/></keyframe>"), 5, "key", "qpos", "2 numbers were read, 1 "),
    "timestep": ('<mujoco>\n<option timestep="0"/></mujoco>', 2, "option", "timestep", "not positive"),
    "flag": ('<mujoco><option>\n<flag contacts="disable"/></option></mujoco>', 2, "flag", "contacts", "'contact'\\?"),
    "solver": ('<mujoco>\n<option solver="newton"/></mujoco>', 2, "option", "solver", "did you mean 'Newton'"),
    "eulerseq": ('<mujoco>\n<compiler eulerseq="xyw"/></mujoco>', 2, "compiler", "eulerseq", "'xyw'"),
    "coordinate": ('<mujoco>\n<compiler coordinate="global"/></mujoco>', 2, "compiler", "coordinate", "only 'local'"),
    "autolimits": (
        model('<body><joint range="0 1"/><geom size="1"/></body>', '<compiler autolimits="false"/>'),
        *(3, "joint", "range", "autolimits is off"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_error_names_place_and_cure(case):
    text, line, element, attribute, pattern = CASES[case]
    found, expected = errors(text), (line, element, attribute)
    matching = [record for record in found if (record.line, record.element, record.attribute) == expected]
    assert matching, [str(record) for record in found]
    assert any(re.search(pattern, record.message) for record in matching), [str(record) for record in matching]


def test_all_errors_at_once():
    """Syntax of attributes, names, classes, and physics: reading does not stop at the first problem of a stage."""
    body = '<body quat="0 0 0 0" childclass="x"/>\n<geom size="a"/>\n<bdy/>\n<geom size="-1"/>\n'
    body += '<body><joint axis="0 0 0"/></body>'
    after = "\n<actuator><motr/></actuator><contact><pair geom1='a' geom2='b'/></contact>"
    lines = sorted(record.line for record in errors(model(body, after=after)))
    assert lines == [3, 3, 4, 5, 6, 7, 7, 9, 9, 9]  # line 7: axis, and a moving body without mass; line 9: two geoms


def test_message_format(tmp_path):
    """`file:line: element 'name', attribute: message`, with the path as the user gave it."""
    file = tmp_path / "arm.xml"
    file.write_text(model('<body><joint name="elbow" type="hing"/><geom size="1"/></body>'))
    (record,) = errors(file)
    expected = "'hing' is not one of ['free', 'ball', 'slide', 'hinge']; did you mean 'hinge'?"
    assert str(record) == f"{file}:3: joint 'elbow', type: {expected}"


UNSUPPORTED = {
    "mesh": (model('<geom name="m" type="mesh" mesh="x"/>'), "m"),
    "hfield": (model('<geom name="m" type="hfield" hfield="x"/>'), "m"),
    "mesh that gives mass": (
        model('<body><geom name="m" type="mesh" mesh="x" contype="0" conaffinity="0"/></body>'),
        "m",
    ),
    "plastic tendon": (tendon(TERM, of='springyield="1"'), "t"),
    "flex": (model(BODY, "", '<equality><flex name="m" flex="f"/></equality>'), "m"),
    "composite": (model('<body><flexcomp name="m"/></body>'), "m"),
    "shell": (model('<geom name="m" size="1" shellinertia="true"/>'), "m"),
    "pair of a mesh": (
        model(BODY + '<geom name="m" type="mesh"/>', "", '<contact><pair geom1="m" geom2="g"/></contact>'),
        "m",
    ),
}


@pytest.mark.parametrize("case", UNSUPPORTED)
def test_unsupported(case):
    """Refused by name; with "warn" and "skip" left out, and what is left compiles."""
    text, name = UNSUPPORTED[case]
    found = errors(text)
    assert found[0].unsupported and found[0].name == name
    with pytest.warns(UnsupportedWarning, match=f"'{name}'"):
        warned = load_model(text, unsupported="warn")
    skipped = load_model(text, unsupported="skip")
    assert repr(warned) == repr(skipped) and "m" not in skipped.actuator_names and skipped.npair == 0


def test_skipped_actuators_leave_the_keyframe_in_step():
    actuators = '<actuator><plugin plugin="p" joint="knee"/><motor joint="knee"/></actuator>'
    text = model(BODY, "", actuators + '<keyframe><key ctrl="1 2"/></keyframe>')
    loaded = load_model(text, unsupported="skip")
    assert loaded.nu == 1 and loaded.key_ctrl.tolist() == [[2.0]]


def test_what_only_draws_is_ignored():
    """Assets, lights, cameras, sensors, and meshes that neither touch nor weigh anything."""
    drawn = """<light/><camera/><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="mesh" mesh="x" contype="0" conaffinity="0"/></body>
      <body><geom size="1"/><geom type="mesh" mesh="x" contype="0" conaffinity="0" mass="0"/></body>
      <body><geom size="1"/><geom type="mesh" mesh="x" contype="0" conaffinity="0" group="7"/></body>"""
    before = "<asset><mesh file='x.stl'/></asset><visual><map/></visual><sensor><gyro site='no'/></sensor>"
    assert load_model(model(drawn, before + "<custom/><size nkey='3'/><statistic extent='2'/>")).ngeom == 2


def test_depth_is_bounded():
    """As deep as the wheel accepts, and no deeper."""
    text = model("<body>" * 497 + "</body>" * 497)
    assert "nested deeper than 497" in errors(text)[0].message
    assert load_model(model("<body>" * 496 + "</body>" * 496)).nbody == 497


def test_unknown_policy():
    with pytest.raises(ValueError, match="ignore"):
        load_model("<mujoco/>", unsupported="ignore")
