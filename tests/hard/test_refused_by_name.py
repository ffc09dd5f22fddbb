"""What the hard mode does not simulate of contacts, limits and joints: refused by name, with its place; margins are notices."""

import pytest

from dojo_py import HardSimulator, ModelError, SoftSimulator, UnsupportedWarning, load_model
from dojo_py.hard.support import unsupported_features


def scene(geom="", pair="", option="", joint="<freejoint/>"):
    geom = geom if "size" in geom else f'size=".1" {geom}'
    return f"""<mujoco>{option}<worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body name="b" pos="0 0 1">{joint}<geom name="ball" {geom}/></body></worldbody>{pair}</mujoco>"""


def pair(attributes):
    return f'<contact><pair geom1="floor" geom2="ball" {attributes}/></contact>'


OVERRIDE = '<option o_friction="2 2"><flag override="enable"/></option>'
HINGE = '<joint name="j" range="-1 1" {}/>'
BOUNDED = '<joint name="j" actuatorfrcrange="-1 1"/>'
SERVOS = """<actuator>
  <position name="r" joint="j" kp="1"/><position name="q" forcerange="-1 1" joint="j" kp="2"/></actuator>"""
REFUSED = {
    "anisotropic capsule": (
        scene('type="capsule" size=".1 .1"', pair('friction="1 2"')),
        r"unequal coefficients.*capsule on a plane.*'floor' - 'ball'",
    ),
    "two servos": (scene(joint=BOUNDED, pair=SERVOS), "'r': several servos with a forcerange of their own on joint 'j'"),
}
HARMLESS = {
    "no coefficient": scene('condim="4" friction="1 0 0"', option='<default><geom friction="1 0 0"/></default>'),
    "cannot touch": scene('condim="6" contype="0" conaffinity="0" solref="-100 -1"'),
    "torsional": scene('condim="4"'),
    "rolling": scene('condim="6"'),
    "anisotropic": scene(pair=pair('friction="1 2"')),
    "override": scene(option=OVERRIDE),
    "bouncy": scene('solref="-1000 -1"', option="<default><geom solmix='0'/></default>"),
    "bouncy by ratio": scene(pair=pair('solref=".02 .1"')),
    "equal": scene(pair=pair('friction="2 2"')),
    "one of two has a plain solref": scene('solref=".02 1"'),
    "override of nothing that touches": scene('contype="0" conaffinity="0"', option=OVERRIDE),
    "bouncy limit": scene(joint=HINGE.format('solreflimit="-1000 -1"')),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_changes_the_motion_is_refused(case):
    text, message = REFUSED[case]
    model = load_model(text)
    with pytest.raises(ModelError, match=message):
        HardSimulator(model)
    with pytest.warns(UnsupportedWarning):
        HardSimulator(model, unsupported="warn")
    HardSimulator(model, unsupported="skip")


@pytest.mark.parametrize("mode, message", [(HardSimulator, "do not sleep"), (SoftSimulator, "is not simulated in the soft mode")])
def test_sleep_is_refused_with_its_place(tmp_path, mode, message):
    path = tmp_path / "m.xml"
    path.write_text(scene().replace("<worldbody>", '\n<option><flag sleep="enable"/></option><worldbody>', 1))
    with pytest.raises(ModelError, match=f"m.xml:2: option, flag sleep: .*{message}"):
        mode(load_model(path))


def test_refusals_name_file_and_line_and_what_can_be_done(tmp_path):
    """One record an element's feature, at the first that asks for it; then what the caller can do."""
    path = tmp_path / "m.xml"
    path.write_text(scene('margin=".1"', joint=BOUNDED, pair=SERVOS))
    with pytest.raises(ModelError) as caught:
        HardSimulator(load_model(path))
    servos, margin = sorted(caught.value.errors, key=lambda record: record.notice)
    assert (servos.line, servos.element, servos.name) == (3, "actuator", "r") and "(so for 'q')" in servos.message
    assert margin.notice and margin.line == 1
    assert str(caught.value).startswith(f"{path}:3: actuator 'r': ") and 'unsupported="warn"' in str(caught.value)


@pytest.mark.parametrize("case", HARMLESS)
def test_what_has_no_effect_is_not(case):
    assert unsupported_features(load_model(HARMLESS[case])) == []


@pytest.mark.parametrize("text", [scene('margin=".1"'), scene(joint=HINGE.format('margin=".1"'))])
def test_margins_are_notices(text):
    """Hard shapes touch where they are drawn, and limits act at the ends: a soft margin stops nothing, and is named."""
    model = load_model(text)
    HardSimulator(model)
    with pytest.warns(UnsupportedWarning, match="margin"):
        HardSimulator(model, unsupported="warn")
    arm = "<body>" + BOUNDED.replace('"j"', '"i"') + '<geom size=".1" contype="0"/></body>'
    servos = SERVOS.replace('"j"', '"i"')
    with pytest.raises(ModelError, match="(?s)several servos.*margin"):
        HardSimulator(load_model(text.replace("</worldbody>", f"{arm}</worldbody>{servos}")))


A = 'armature="1"'
STACKS = {
    "parallel hinges": f'<joint name="p"/><joint name="q" {A}/>',
    "antiparallel hinges": f'<joint axis="0 1 0"/><joint name="q" axis="0 -1 0" {A}/>',
    "shifted along the axis": f'<joint axis="0 1 0" pos="1 0 0"/><joint name="q" axis="0 1 0" pos="1 5 0" {A}/>',
    "almost one axis": f'<joint axis="0 1 0"/><joint name="q" axis="0 1 0" pos="1e-5 0 0" {A}/>',
    "parallel slides": f'<joint type="slide"/><joint name="q" type="slide" {A}/>',
    "slides in a plane": '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
    + f'<joint name="q" type="slide" axis="1 1 0" {A}/>',
    "first and third hinge": f'<joint axis="0 0 1"/><joint axis="0 1 0"/><joint name="q" axis="0 0 1" {A}/>',
    "stretched elbow": f'<joint/><joint pos="1 0 0"/><joint name="q" pos="2 0 0" {A}/>',
    "hinge through a ball": f'<joint axis="0 0 1"/><joint name="q" type="ball" pos="0 0 .2" {A}/>',
    "slides around a hinge": f'<joint type="slide"/><joint axis="1 0 0"/><joint name="q" type="slide" {A}/>',
}
FINE = {
    "planar arm": '<joint axis="0 1 0"/><joint axis="0 1 0" pos="1 0 0"/>',
    "close anchors": '<joint axis="0 1 0"/><joint axis="0 1 0" pos=".01 0 0"/>',
    "three axes": '<joint axis="0 0 1"/><joint axis="0 1 0"/><joint axis="1 0 0"/>',
    "planar root": '<joint type="slide" axis="1 0 0"/><joint type="slide"/><joint axis="0 1 0"/>',
    "slide and ball": '<joint type="slide"/><joint type="ball" pos="0 .1 0"/>',
    "arm and ball": '<joint axis="0 1 0" pos="1 0 0"/><joint axis="0 1 0" pos=".5 0 .3"/><joint type="ball"/>',
    "screw": '<joint type="slide"/><joint/>',
    "bent elbow": f'<joint/><joint pos="1 0 0"/><joint name="q" pos="0 1 0" {A}/>',
}


@pytest.mark.parametrize("case", STACKS)
@pytest.mark.parametrize("unsupported", ["error", "skip"])
def test_dependent_joints_of_one_body_are_refused(case, unsupported, tmp_path):
    """File, line, body and joints are named; there is nothing that could be left out."""
    file = tmp_path / "stack.xml"
    file.write_text(scene('pos=".3 .1 .2"', joint=f"\n{STACKS[case]}"))
    with pytest.raises(ModelError) as caught:
        HardSimulator(load_model(file), unsupported=unsupported)
    assert str(caught.value).startswith(f"{file}:3: body 'b': the joints ") and "'q' are dependent" in str(caught.value)


@pytest.mark.parametrize("case", FINE)
def test_independent_joints_are_accepted(case):
    HardSimulator(load_model(scene('pos=".3 .1 .2" contype="0"', joint=FINE[case])))
