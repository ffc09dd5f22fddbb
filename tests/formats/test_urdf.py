"""URDF beyond the wheel: Dojo's joints and loops, what is left out on request, and messages that name the place."""

import re
import warnings

import numpy as np
import pytest
from public import OWN_URDF, SHARED_URDF
from urdf_texts import EVERYTHING, collision, inertial, joint, link, mass_link, origin, robot

from dojo_py import ModelError, UnsupportedWarning
from dojo_py.formats import check, load_mechanism, load_model
from dojo_py.mechanism.enums import EqualityType, JointType

PAIR = (mass_link("a"), mass_link("b"))


def errors(text: str, unsupported: str = "error") -> list[str]:
    with pytest.raises(ModelError) as caught:
        load_model(text, unsupported)
    return [str(record) for record in caught.value.errors]


def test_everything_is_read():
    model = load_model(EVERYTHING)
    assert model.joint_names == ("j1", "j2", "j3", "j5_TX", "j5_TY", "j5_RZ")
    assert model.opt.timestep == 0.005
    assert model.equality_names == ("", "loop", "loop_axis") and model.nu == 0


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("ball", [("j", "BALL", None)]),
        ("planaraxis", [("j_TX", "SLIDE", (1, 0, 0)), ("j_TY", "SLIDE", (0, 1, 0)), ("j_RZ", "HINGE", (0, 0, 1))]),
        ("cylindrical", [("j_TX", "SLIDE", (0, 0, 1)), ("j_RX", "HINGE", (0, 0, 1))]),
        (
            "fixedorientation",
            [("j_TX", "SLIDE", (1, 0, 0)), ("j_TY", "SLIDE", (0, 1, 0)), ("j_TZ", "SLIDE", (0, 0, 1))],
        ),
        ("cylindricalfree", [("j_TX", "SLIDE", (0, 0, 1)), ("j_R", "BALL", None)]),
        ("planarfree", [("j_TX", "SLIDE", (1, 0, 0)), ("j_TY", "SLIDE", (0, 1, 0)), ("j_R", "BALL", None)]),
    ],
)
def test_joint_types_of_dojo(kind, expected):
    damping = '<dynamics damping="0.5"/>'
    model = load_model(robot(*PAIR, joint("j", kind, "a", "b", '<axis xyz="0 0 1"/>', damping)))
    assert model.joint_names == tuple(name for name, _, _ in expected)
    assert [JointType(kind).name for kind in model.jnt_type] == [type_ for _, type_, _ in expected]
    for number, (_, _, axis) in enumerate(expected):
        if axis is not None:
            np.testing.assert_allclose(model.jnt_axis[number], axis, atol=1e-15)
    assert (np.asarray(model.dof_damping).reshape(model.nv, -1)[:, 0] == 0.5).all()


def test_mimic_is_an_equality():
    mimic = '<mimic joint="j" multiplier="-2" offset="0.3"/>'
    chain = (*PAIR, mass_link("c"), joint("j", "revolute", "a", "b"), joint("k", "prismatic", "b", "c", mimic))
    model = load_model(robot(*chain))
    assert list(model.eq_type) == [EqualityType.JOINT]
    assert (model.joint_names[model.eq_obj1id[0]], model.joint_names[model.eq_obj2id[0]]) == ("k", "j")
    np.testing.assert_array_equal(model.eq_data[0, :5], [0.3, -2, 0, 0, 0])


def loop(kind: str) -> str:
    ends = '<link1 link="b" xyz="0 0 -1" rpy="0 0 1.5707963267948966"/><link2 link="c" xyz="0 0.2 -1"/>'
    return f'<loop_joint name="loop" type="{kind}"><axis xyz="2 0 0"/>{ends}</loop_joint>'


LEGS = (*PAIR, mass_link("c"), joint("j", "revolute", "a", "b"), joint("k", "revolute", "a", "c"))


@pytest.mark.parametrize("kind, types", [("ball", ["CONNECT"]), ("continuous", ["CONNECT"] * 2), ("fixed", ["WELD"])])
def test_loop_joints_are_equalities_between_sites(kind, types):
    model = load_model(robot(*LEGS, loop(kind)))
    assert [EqualityType(type_).name for type_ in model.eq_type] == types
    b, c = (model.body_names.index(name) for name in "bc")
    for row in range(model.neq):
        sites = [model.eq_obj1id[row], model.eq_obj2id[row]]
        assert [model.site_bodyid[site] for site in sites] == [b, c]
    points = model.site_pos[np.stack([model.eq_obj1id, model.eq_obj2id], axis=1)]
    np.testing.assert_allclose(points[0], [[0, 0, -1], [0, 0.2, -1]], atol=1e-15)
    if kind == "continuous":  # 0.1 m along the axis, which is given in the frame of the joint
        np.testing.assert_allclose(points[1], [[0, 0.1, -1], [0.1, 0.2, -1]], atol=1e-15)


def test_loop_joint_between_fused_links():
    text = robot(*LEGS, mass_link("d"), joint("f", "fixed", "b", "d", origin((0, 0, -0.5))), loop("ball"))
    model = load_model(text.replace('<link1 link="b" xyz="0 0 -1"', '<link1 link="d" xyz="0 0 -1"'))
    assert "d" not in model.body_names
    np.testing.assert_allclose(model.site_pos[0], [0, 0, -1.5], atol=1e-15)


ORBITAL = robot(
    *PAIR,
    mass_link("c"),
    mass_link("d"),
    joint("j", "revolute", "a", "b"),
    joint("k", "orbital", "b", "c"),
    joint("l", "revolute", "c", "d"),
)


def test_what_is_not_simulated_is_refused_by_name():
    assert any("orbital" in message and "joint 'k', type" in message for message in errors(ORBITAL))
    pyramid = link("b", inertial(), collision('<pyramid base="1" height="1"/>'))
    messages = errors(robot(mass_link("a"), pyramid, joint("j", "revolute", "a", "b")))
    assert len(messages) == 1 and "pyramid 'b'" in messages[0] and "'capsule'" in messages[0]
    mesh = link("b", inertial(), collision('<mesh filename="x.stl"/>'))
    assert "mesh 'b'" in errors(robot(mass_link("a"), mesh, joint("j", "revolute", "a", "b")))[0]
    assert "cannot follow 'jj'" in errors(robot(*PAIR, joint("j", "revolute", "a", "b", '<mimic joint="jj"/>')))[0]


def test_left_out_with_what_hangs_on_it():
    model = load_model(ORBITAL, unsupported="skip")
    assert model.body_names == ("world", "b")
    with pytest.warns(UnsupportedWarning, match="orbital"):
        load_model(ORBITAL, unsupported="warn")
    follower = ORBITAL.replace("</robot>", joint("m", "revolute", "a", "e", '<mimic joint="l"/>') + mass_link("e") + "</robot>")
    assert load_model(follower, "skip").neq == 0
    closed = ORBITAL.replace("</robot>", '<loop_joint name="x" type="ball"><link1 link="b"/><link2 link="d"/></loop_joint></robot>')
    assert load_model(closed, "skip").neq == 0


def test_repeated_elements_the_first_is_read():
    text = robot(*PAIR, joint("j", "revolute", "a", "b", '<dynamics damping="1"/>', '<dynamics damping="2"/>'))
    assert "repeats the element of line" in errors(text)[0]
    assert np.asarray(load_model(text, "skip").dof_damping).flat[0] == 1.0


def lines(*parts: str) -> str:
    """A robot with one part a line, the first in line 2."""
    return "\n".join(["<robot name='r'>", *parts, "</robot>"])


A, B = mass_link("a"), mass_link("b")
HINGE = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{}</joint>'
MISTAKES = {
    "no link name": (lines("<link/>"), "<text>:2: link, name: is missing"),
    "type": (
        lines(A, B, HINGE.format("").replace("revolute", "revolut")),
        ":4: joint 'j', type: 'revolut' is not one of",
    ),
    "type guess": (lines(A, B, HINGE.format("").replace("revolute", "revolut")), "did you mean 'revolute'?"),
    "unknown link": (
        lines(A, B, HINGE.format("").replace('"b"', '"bb"')),
        ":4: child 'j', link: no link is named 'bb'; did you",
    ),
    "no child": (
        lines(A, B, HINGE.format("").replace('<child link="b"/>', "")),
        ":4: joint 'j': needs an element 'child'",
    ),
    "numbers": (
        lines(A, B, HINGE.format('<axis xyz="0 1"/>')),
        ":4: axis 'j', xyz: '0 1' was read; 3 numbers are accepted",
    ),
    "not a number": (
        lines(A, B, HINGE.format('<origin xyz="0 one 0"/>')),
        ":4: origin 'j', xyz: '0 one 0' was read; 3 numbers",
    ),
    "grouped digits": (lines(A, B, HINGE.format('<origin xyz="0 1_0 0"/>')), "'0 1_0 0' was read; 3 numbers"),
    "nan": (lines(A, B, HINGE.format('<origin xyz="0 nan 0"/>')), ":4: origin 'j', xyz: '0 nan 0' was read; 3 numbers"),
    "zero axis": (lines(A, B, HINGE.format('<axis xyz="0 0 0"/>')), "an axis of non-zero length is accepted"),
    "attribute": (
        lines(A, B, HINGE.format('<limit uper="1"/>')),
        ":4: limit 'j', uper: is not read; accepted: ['lower', 'upper'",
    ),
    "attribute guess": (lines(A, B, HINGE.format('<limit uper="1"/>')), "did you mean 'upper'?"),
    "element": (lines(A, B, HINGE.format("<dynamic/>")), ":4: dynamic 'j': not accepted in joint"),
    "element guess": (lines(A, B, HINGE.format("<dynamic/>")), "did you mean 'dynamics'?"),
    "damping": (lines(A, B, HINGE.format('<dynamics damping="-1"/>')), "a number of at least 0 is accepted"),
    "size": (lines(A, link("b", collision('<sphere radius="0"/>'))), ":3: sphere 'b', radius: '0' was read"),
    "no shape": (lines(link("b", collision(""))), ":2: geometry 'b': 0 shapes were read"),
    "inertia": (
        lines('<link name="b"><inertial><mass value="1"/></inertial></link>'),
        "inertial 'b': needs an element 'inertia'",
    ),
    "mass": (lines(A, B, HINGE.format("")).replace('value="1.0"', 'value="-1.0"'), "a mass of at least 0 is accepted"),
    "link twice": (lines(A, A), ":3: link 'a', name: 'a' is already the name of the link of line 2"),
    "joint twice": (lines(A, B, HINGE.format(""), HINGE.format("")), "link 'b' already has a parent by the joint of line 4"),
    "two parents": (lines(A, B, HINGE.format(""), HINGE.format("").replace("'j'", "'k'")), "already has a parent"),
    "cycle": (
        lines(A, B, HINGE.format(""), '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'),
        "the links ['a', 'b'] hang on each other in a loop",
    ),
    "world below": (
        lines(A, '<link name="world"/>', HINGE.format("").replace('"b"', '"world"')),
        "link 'world' is the world",
    ),
    "setting": (
        lines('<mujoco><compiler fusestatic="yes"/></mujoco>'),
        ":2: compiler, fusestatic: 'yes' is not one of",
    ),
    "setting name": (lines('<mujoco><compiler fusestatc="true"/></mujoco>'), "did you mean 'fusestatic'?"),
    "option": (
        lines('<mujoco><option timestep="fast"/></mujoco>'),
        "option, timestep: 'fast' is not a finite number",
    ),
    "option name": (lines('<mujoco><option timestp="1"/></mujoco>'), "did you mean 'timestep'?"),
    "massless": (lines(A, '<link name="b"/>', HINGE.format("")), "body 'b' has no mass"),
    "triangle": (lines(A, link("b", inertial(1.0, np.diag([1, 1, 3]))), HINGE.format("")), "must satisfy A + B >= C"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    text, expected = MISTAKES[name]
    messages = errors(text)
    assert any(expected in message for message in messages), messages
    assert all(message.startswith("<text>:") for message in messages)


WHOLE = lines(
    A.replace("<link ", "<link known='' "),
    """<link name="b"><inertial known=""><origin known="" xyz="0 0 0"/><mass known="" value="1"/>
    <inertia known="" ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision known=""><geometry known=""><capsule known="" radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><mesh known="" filename="x.stl"/></geometry></collision></link>""",
    B.replace('"b"', '"c"'),
    """<joint known="" name="j" type="revolute"><parent known="" link="a"/><child known="" link="b"/><axis known="" xyz="1 0 0"/>
    <dynamics known="" damping="1"/><limit known="" lower="0" upper="1"/></joint>""",
    """<joint name="k" type="revolute"><parent link="a"/><child link="c"/><mimic known="" joint="j"/></joint>""",
    """<loop_joint known="" name="l" type="continuous"><link1 known="" link="b"/><link2 known="" link="c"/>
    <axis known="" xyz="1 0 0"/><dynamics known="" damping="0"/><limit known="" lower="0"/></loop_joint>""",
    '<mujoco known=""><compiler known=""/><option known=""/><size known=""/></mujoco>',
).replace("<robot ", "<robot known='' ")


def test_unknown_attributes_are_refused_in_all_elements():
    """Before: accepted in dynamics, in geometry, and in the axis and the dynamics of a loop."""
    messages = [message for message in errors(WHOLE) if ", known:" in message]
    found = [message.partition(": ")[2].partition(",")[0].split(" ")[0] for message in messages]
    asked = [part.split(" ")[0] for part in re.findall(r"<([^<>]*)known=", WHOLE)]
    assert len(asked) == 27 and sorted(found) == sorted(asked)
    assert load_model(WHOLE, "skip").njnt == 2


def test_a_misspelt_damper_is_refused():
    """Before: accepted, with no damping."""
    text = lines(A, B, HINGE.format('<dynamics dampng="0.5" friction="0.1"/>'))
    assert ":4: dynamics 'j', dampng: is not read; accepted: ['damping', 'friction']; did you mean 'damping'?" in errors(text)[0]


def test_all_mistakes_at_once():
    text = lines(
        link("a", collision('<sphere radius="-1"/>')),
        B,
        HINGE.format('<axis xyz="0"/><limit lower="x"/>').replace("link='a'", ""),
    )
    found = {re.match(r"<text>:(\d+)", message).group(1) for message in errors(text)}
    assert found == {"2", "4"} and len(errors(text)) == 3


def test_nothing_is_warned_about_in_a_good_file():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_model(robot(*LEGS), "warn")


@pytest.mark.parametrize("name", OWN_URDF)
def test_own_files_are_read_whole(name):
    model = load_model(OWN_URDF[name])
    assert model.nbody > 7 and not model.left_out


@pytest.mark.skipif(not SHARED_URDF, reason="no DOJO_SHARED; own files, and mistakes by their names, are tested beside this")
def test_dojo_files_are_read_or_refused_by_name():
    """Every robot of the original package loads once what is not simulated is left out, but for one real mistake."""
    wrong = {}
    for path in SHARED_URDF.values():
        try:
            model = load_model(path, "skip")
            # all of the humanoid hangs on orbital joints
            assert (model.nbody > 1) == (path.stem != "humanoid")
        except ModelError as error:
            wrong[path.stem] = str(error)
    assert list(wrong) == ["halfcheetah"] and "must satisfy A + B >= C" in wrong["halfcheetah"]


XACRO = {
    "a macro and its call": (
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n<link name="base"/>\n'
        '<xacro:macro name="leg" params="side"><link name="${side}"/></xacro:macro>\n<xacro:leg side="left"/></robot>',
        "<text>:3: xacro:macro 'leg': this is xacro",
    ),
    "a call alone": ('<robot name="r">\n<link name="base"/>\n<xacro:leg side="left"/></robot>', ":3: xacro:leg: this is xacro"),
    "an include": ('<robot name="r">\n<xacro:include filename="a.xacro"/></robot>', "<text>:2: xacro:include: this is xacro"),
    "an expression": (
        lines('<xacro:property name="l" value="0.5"/>', link("b", collision('<sphere radius="${l}"/>'))),
        "<text>:3: sphere, radius: '${l}' was read; this is xacro",
    ),
    "a substitution": (lines('<xacro:arg name="n"/>', '<link name="$(arg n)"/>'), ":3: link '$(arg n)', name: '$(arg n)' was read"),
}


@pytest.mark.parametrize("case", XACRO)
@pytest.mark.parametrize("unsupported", ["error", "skip"])
def test_xacro_is_refused_by_name(case, unsupported):
    """Before: a robot without the links of its macros, and `check` said ok."""
    text, told = XACRO[case]
    for read in (load_model, load_mechanism):
        with pytest.raises(ModelError) as caught:
            read(text, unsupported)
        assert told in str(caught.value) and "expand it first: `xacro in.xacro > out.urdf`" in str(caught.value)
        assert len(caught.value.errors) == 1
    report = check(text)
    assert not report.ok and told in str(report)


def test_what_xacro_leaves_behind_is_read():
    text = lines('<xacro:property name="l" value="${2 * k}"/>', '<link name="costs $$(5)"/>').replace(
        "<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'
    )
    assert load_model(text).nbody == 1
