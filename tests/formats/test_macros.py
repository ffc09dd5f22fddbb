"""replicate, attach, frames: every array of the expanded model is the wheel's. Measured: 3e-15 by hand, 2e-12 on generated ones."""

import mujoco
import numpy as np
import pytest
from lxml import etree
from random_mjcf import random_mjcf
from wheel_oracle import assert_equal

from dojo_py import ModelError, load_mechanism, load_model
from dojo_py.formats import check
from dojo_py.formats.save import differing_arrays, mjcf

WORLD = """<mujoco>{before}<worldbody><body name="o"><joint name="x"/><geom size=".1" name="og"/></body>{macro}
  <body name="last"><joint name="y"/><geom size=".1"/></body></worldbody>{after}</mujoco>"""
BODY = """<body name="a" pos="0 0 1"><joint name="j" axis="1 2 3" pos=".1 0 0"/><geom name="g" size=".1"/>
  <geom size=".1" pos="1 0 0"/><site name="s"/></body>"""
THREE = f'<replicate count="3" offset="1 .1 0" euler="10 20 30">{BODY}</replicate>'


@pytest.fixture(autouse=True)
def wheel_log_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


REPLICAS = {
    "bodies": (THREE, ""),
    "actuators": (THREE, '<actuator><motor name="m" joint="x"/><motor joint="j"/><motor name="n" site="s"/></actuator>'),
    "equality": (THREE, '<equality><joint name="e" joint1="j"/><connect body1="a" anchor="1 2 3"/></equality>'),
    "contacts": (
        THREE,
        """<contact><exclude name="e" body1="a" body2="o"/><pair name="p" geom1="g" geom2="og"/>
        <exclude body1="o" body2="last"/></contact>""",
    ),
    "keyframes": (THREE, '<keyframe><key name="K" qpos="1 2 3 4 5"/></keyframe>'),
    "tendons": (
        THREE,
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator><motor tendon="t"/></actuator>',
    ),
    "geoms in a frame": (
        """<frame pos="0 0 1" euler="90 0 0"><replicate count="13" sep="_" offset="1 0 0" euler="0 90 0">
        <geom name="g" type="capsule" size=".1" fromto="0 0 0 1 2 3"/><geom type="box" size="1 2 3" quat="1 2 3 4"/><site name="s"/>
        </replicate></frame>""",
        "",
    ),
    "sites between points": (
        """<frame pos="0 0 1" euler="90 0 0"><replicate count="2" offset="1 0 0" euler="0 90 0">
        <site name="s" type="capsule" fromto="0 0 0 1 2 3"/><site name="b" type="box" fromto="0 0 0 1 2 3" size=".1"/>
        </replicate><site type="cylinder" fromto="0 1 0 1 2 3"/></frame>""",
        "",
    ),
    "nested": (
        f'<replicate count="2" offset="1 0 0" sep="-"><replicate count="2" offset="0 1 0">{BODY}</replicate></replicate>',
        '<actuator><motor name="m" joint="j"/></actuator>',
    ),
    "one": (f'<replicate count="1">{BODY}</replicate>', ""),
    "classes": (f'<replicate count="2" childclass="big">{BODY}</replicate>', ""),
}


@pytest.mark.parametrize("case", REPLICAS)
def test_replicate(case):
    macro, after = REPLICAS[case]
    before = '<compiler eulerseq="zyx"/><default><default class="big"><geom density="7"/></default></default>'
    text = WORLD.format(before=before, macro=macro, after=after)
    assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))


def test_closures_to_what_is_outside_are_replicated_too():
    """As contact pairs are; the wheel drops them without a word."""
    after = '<equality><connect name="c" body1="a" body2="o" anchor="1 2 3"/><joint name="e" joint1="j" joint2="x"/></equality>'
    model = load_model(WORLD.format(before="", macro=THREE, after=after))
    assert model.equality_names == ("c0", "e0", "c1", "e1", "c2", "e2")
    assert model.eq_obj1id.tolist() == [2, 1, 3, 2, 4, 3] and model.eq_obj2id.tolist() == [1, 0] * 3


CHILD = """<mujoco model="kid"><compiler angle="radian" eulerseq="zyx"/>
  <default><geom size=".2"/><default class="d"><geom size=".4"/></default></default>
  <asset><material name="mat"/><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody><geom name="floor" size="1"/><body name="a" pos="0 0 1"><joint name="j" range="-1 1"/><geom name="g" material="mat"/>
    <geom class="d"/><body name="aa"><geom name="gg" type="mesh" mesh="t" contype="0" conaffinity="0"/>
    <joint name="jj"/></body></body>
    <frame name="F" pos="1 0 0" euler="1 2 3"><body name="z" pos="3 4 5"><freejoint name="jz"/><geom name="gz"/></body>
    <geom name="fg" size=".1"/></frame></worldbody>
  <equality><connect name="c" body1="z" body2="world" anchor="0 0 0"/><connect name="c2" body1="z" anchor="0 0 0"/></equality>
  <actuator><motor name="m" joint="j"/><intvelocity name="mz" joint="jj"/></actuator>
  <keyframe><key name="K" qpos="1 2 3 4 5 1 0 0 0" ctrl="4 5" act="6"/></keyframe></mujoco>"""
ATTACHED = {
    "a body": '<attach model="kid" body="a" prefix="p_"/>',
    "all": '<attach model="kid" prefix="p_"/>',
    "a frame": '<attach model="kid" frame="F" prefix="p_"/>',
    "a body of a frame": '<attach model="kid" body="z" prefix="p_"/>',
    "twice": '<attach model="kid" body="a" prefix="p_"/><attach model="kid" body="a" prefix="q_"/>',
    "in a frame": '<frame pos="0 0 3" euler="0 0 90"><attach model="kid" body="a" prefix="p_"/></frame>',
    "in replicas": '<replicate count="2" offset="1 0 0"><attach model="kid" body="a" prefix="p_"/></replicate>',
}
PARENT = """<mujoco model="m"><asset><model name="kid" file="parts/child.xml"/></asset><worldbody>{free}
  <body name="base" pos="0 0 5"><joint name="b"/><geom size=".1"/>{held}</body></worldbody>
  <actuator><motor name="mb" joint="b"/></actuator>
  <keyframe><key name="O" qpos="7" ctrl="9"/></keyframe></mujoco>"""


@pytest.mark.parametrize("case", ATTACHED)
def test_attach(case, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "child.xml").write_text(CHILD)
    free = case not in ("a body", "in a frame", "twice", "in replicas")  # free joints stand in the world only
    place = {"free": ATTACHED[case] if free else "", "held": "" if free else ATTACHED[case]}
    (tmp_path / "main.xml").write_text(PARENT.format(**place))
    path = str(tmp_path / "main.xml")
    assert_equal(load_model(path), mujoco.MjModel.from_xml_path(path))


@pytest.mark.parametrize("seed", range(12))
def test_generated_models_attached_and_replicated(seed, tmp_path):
    """A generated model with all it has, attached twice to a rail, once within replicas. Compiler settings are the child's own."""
    root = etree.fromstring(random_mjcf(2 * seed))
    for number, node in enumerate([*root.iter("key"), *root.iter("exclude")]):
        node.set("name", f"{node.tag}{number}")  # the wheel calls the unnamed ones "p_", which repeats
    # the wheel makes copies of what refers to nothing first with every replicate: names pile up
    free = [node for node in root.find("sensor").iter("contact") if not {"body1", "subtree1"} & set(node.keys())]
    for node in [*root.iter("clock"), *free]:
        node.getparent().remove(node)
    text = etree.tostring(root).decode()
    (tmp_path / "child.xml").write_text(text)
    (tmp_path / "main.xml").write_text("""<mujoco><compiler angle="radian"/><asset><model name="kid" file="child.xml"/></asset>
      <worldbody><geom name="floor" type="plane" size="1 1 1"/><frame pos="1 2 3" euler=".1 .2 .3"><attach model="kid" prefix="p_"/>
      </frame><replicate count="2" offset="0 0 9" sep="-"><attach model="kid" prefix="q_"/></replicate></worldbody></mujoco>""")
    path = str(tmp_path / "main.xml")
    try:
        wheel = mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        pytest.skip(f"the wheel does not attach this one: {error}")
    assert_equal(load_model(path), wheel)


def test_sensors_of_an_attached_models_world_stay_behind(tmp_path):
    """As in the wheel; those that are only seen from the world, and those that refer to nothing, come."""
    (tmp_path / "child.xml").write_text("""<mujoco><worldbody><site name="ws"/><body name="b"><joint name="j"/><geom size=".1"/>
      <site name="s"/></body></worldbody><sensor><clock name="t"/><subtreecom body="world"/><jointpos joint="j"/>
      <framepos objtype="site" objname="s" reftype="body" refname="world"/><framepos objtype="body" objname="world"/>
      <framepos objtype="site" objname="s" reftype="site" refname="ws"/><e_kinetic/></sensor></mujoco>""")
    for part in ("", 'body="b"'):
        (tmp_path / "main.xml").write_text(f"""<mujoco><asset><model name="kid" file="child.xml"/></asset><worldbody>
          <body><joint/><geom size=".1"/><attach model="kid" {part} prefix="p_"/></body></worldbody></mujoco>""")
        path = str(tmp_path / "main.xml")
        model = load_model(path)
        assert_equal(model, mujoco.MjModel.from_xml_path(path))
        assert model.nsensor == (5 if not part else 4)


FAULTY = {
    "no count": (WORLD.format(before="", macro=f"<replicate>{BODY}</replicate>", after=""), "replicate, count: is required"),
    "no copies": (WORLD.format(before="", macro=f'<replicate count="0">{BODY}</replicate>', after=""), "at least 1 is accepted"),
    "too many": (WORLD.format(before="", macro=f'<replicate count="2000000000">{BODY}</replicate>', after=""), "more than 200000"),
    "powers": (
        WORLD.format(before="", macro='<replicate count="1000">' * 5 + BODY + "</replicate>" * 5, after=""),
        "more than 200000 elements",
    ),
    "what refers to them": (
        WORLD.format(
            before="",
            macro=f'<replicate count="2000">{BODY}</replicate>',
            after="<sensor>" + 500 * '<framepos objtype="site" objname="s"/>' + "</sensor>",
        ),
        "makes, with what refers to it, more than 200000 elements",
    ),
    "a joint": (WORLD.format(before="", macro='<replicate count="2"><joint/></replicate>', after=""), "not accepted directly"),
    "unknown attribute": (WORLD.format(before="", macro='<replicate cuont="2"/>', after=""), "did you mean 'count'"),
    "no model": (WORLD.format(before="", macro='<attach model="kid" prefix="p"/>', after=""), "no model of asset is named 'kid'"),
    "no prefix": (WORLD.format(before="", macro='<attach model="kid"/>', after=""), "attach, prefix: is required"),
    "text": (
        WORLD.format(before='<asset><model name="k" file="a.xml"/></asset>', macro='<attach model="k" prefix="p"/>', after=""),
        "load the model from a path",
    ),
}


@pytest.mark.parametrize("case", FAULTY)
def test_faulty_macros_are_named_in_bounded_time(case):
    text, message = FAULTY[case]
    with pytest.raises(ModelError, match=message):
        load_model(text)


@pytest.mark.parametrize(
    "attach, message",
    [
        ('<attach model="kid" body="aaa" prefix="p_"/>', "no body is named 'aaa' in the model 'kid'; did you mean 'aa'"),
        ('<attach model="kid" frame="G" prefix="p_"/>', "no frame is named 'G'"),
        ('<attach model="kid" body="a" frame="F" prefix="p_"/>', "give body or frame, not both"),
        ('<attach model="kdi" prefix="p_"/>', "did you mean 'kid'"),
        ('<attach model="kid" prefix="p_"/><attach model="kid" prefix="p_"/>', "already the name of another"),
        ('<attach model="self" prefix="p_"/>', "attaches itself"),
        ('<attach model="gone" prefix="p_"/>', "cannot be read: .*model of .*main.xml"),
    ],
)
def test_faulty_attachments(attach, message, tmp_path):
    (tmp_path / "child.xml").write_text(CHILD)
    (tmp_path / "main.xml").write_text(
        f"""<mujoco><asset><model name="kid" file="child.xml"/><model name="self" file="main.xml"/>
        <model name="gone" file="no.xml"/></asset>
        <worldbody>{attach}</worldbody></mujoco>"""
    )
    with pytest.raises(ModelError, match=message):
        load_model(tmp_path / "main.xml")


def test_what_an_attached_model_loses_is_named(tmp_path):
    """Its options, and what refers to more than was attached; nothing is dropped silently."""
    child = CHILD.replace("<default>", '<option timestep=".1"/><default>', 1)
    contact = '<contact><exclude name="ex" body1="a" body2="z"/></contact>'
    (tmp_path / "child.xml").write_text(child.replace("<equality>", contact + "<equality>"))
    (tmp_path / "main.xml").write_text(PARENT.format(free="", held=ATTACHED["a body"]).replace("parts/", ""))
    told = "\n".join(str(record) for record in load_model(tmp_path / "main.xml").left_out)
    assert "option timestep of the attached model 'kid' is not used" in told
    assert "exclude 'ex' refers to something that is not attached" in told


def test_shapes_that_are_lost_in_replicas_are_refused():
    macro = '<replicate count="3" offset="1 0 0"><body><joint/><geom type="sdf" mesh="m"/></body></replicate>'
    report = check(WORLD.format(before="", macro=macro, after=""))
    assert not report.ok and "is not simulated" in str(report)
    held = '<replicate count="3" offset="1 0 0"><geom type="sdf" mesh="m"/></replicate>'
    assert not check(WORLD.format(before="", macro=f"<body><joint/>{held}</body>", after="")).ok


def test_frames_keep_their_names():
    frames = load_mechanism(CHILD).frames
    assert [frame.name for frame in frames] == ["F"] and [e.name for e in frames[0].elements] == ["fg", "z"]
    assert np.allclose(frames[0].pos, (1, 0, 0))


INERTIAL = '<inertial pos="0 0 0" mass=".3" diaginertia=".1 .1 .1"/>'
SHAPES = '<geom size=".1"/><geom group="1" size=".2"/>'
OWN_SETTINGS = ["", 'boundmass="1"', 'boundinertia="1"', 'inertiafromgeom="true"', 'inertiagrouprange="1 2"']


@pytest.mark.parametrize("parent", OWN_SETTINGS)
def test_inertias_of_attached_bodies_are_completed_by_their_own_model(parent, tmp_path):
    """And those around them by the parent's; the written file has one compiler, and the same inertias."""
    bodies = f'<body name="a"><joint/>{INERTIAL}{SHAPES}</body><body name="b"><joint/>{SHAPES}</body>'
    for child in OWN_SETTINGS:
        (tmp_path / "child.xml").write_text(f"<mujoco><compiler {child}/><worldbody>{bodies}</worldbody></mujoco>")
        (tmp_path / "main.xml").write_text(f"""<mujoco><compiler {parent}/><asset><model name="c" file="child.xml"/></asset>
          <worldbody>{bodies}<frame pos="0 0 9"><attach model="c" prefix="p_"/></frame></worldbody></mujoco>""")
        path = str(tmp_path / "main.xml")
        model, wheel = load_model(path), mujoco.MjModel.from_xml_path(path)
        assert_equal(model, wheel)
        written = mjcf(model)
        assert differing_arrays(load_model(written), model) == []
        assert_equal(model, mujoco.MjModel.from_xml_string(written))


@pytest.mark.parametrize(
    "frames",
    [
        ['pos="1 2 3" euler="0 0 90"'],
        ['name="f" pos="1 2 3" euler="0 40 90"'],
        ['pos="0 0 5" euler="0 30 0"', 'name="f" pos="1 2 3"'],
        ['name="f" pos="0 0 5" euler="0 30 0"', 'pos="1 2 3"'],
        ['name="f" pos="0 0 5" euler="0 30 0"', 'name="g" pos="1 2 3" euler="0 0 90"'],
    ],
)
def test_a_body_is_attached_without_the_frames_around_it(frames, tmp_path):
    inner = '<body name="b" pos=".1 0 0" euler="10 20 30"><joint/><geom size=".1"/></body>'
    held = "".join(f"<frame {frame}>" for frame in frames) + inner + "</frame>" * len(frames)
    (tmp_path / "child.xml").write_text(f"<mujoco><worldbody>{held}</worldbody></mujoco>")
    for part in ('body="b"', 'frame="f"', ""):
        if 'name="f"' not in held and "frame" in part:
            continue
        (tmp_path / "main.xml").write_text(f"""<mujoco><asset><model name="c" file="child.xml"/></asset><worldbody>
          <frame pos="0 0 9" euler="0 90 0"><attach model="c" {part} prefix="p_"/></frame></worldbody></mujoco>""")
        path = str(tmp_path / "main.xml")
        assert_equal(load_model(path), mujoco.MjModel.from_xml_path(path))


def test_every_file_is_read_once(tmp_path, monkeypatch):
    """Twelve models, each of which attaches the next one twice under two names. Before: 4095 reads."""
    from dojo_py.formats import load

    for n in range(12):
        (tmp_path / f"{n}.xml").write_text(f"""<mujoco model="m{n}"><asset><model name="a" file="{n + 1}.xml"/>
          <model name="b" file="./{n + 1}.xml"/></asset><worldbody><attach model="a" prefix="a"/><attach model="b" prefix="b"/>
          </worldbody></mujoco>""")
    (tmp_path / "12.xml").write_text('<mujoco><worldbody><site name="s"/></worldbody></mujoco>')
    read, original = [], load.parse_file
    monkeypatch.setattr(load, "parse_file", lambda path, *more: read.append(path) or original(path, *more))
    assert load_model(tmp_path / "0.xml").nsite == 4096 and len(read) == 13


@pytest.mark.parametrize(
    "inside, message",
    [
        ('<asset><model name="c" file="loop.xml"/></asset><worldbody><attach model="c" prefix="p"/></worldbody>', "cannot be read"),
        ('<asset><texture name="t" type="2d" file="loop.xml"/></asset><worldbody/>', ""),
        ('<include file="loop.xml"/>', "cannot be read"),
    ],
)
def test_links_to_themselves(inside, message, tmp_path):
    (tmp_path / "loop.xml").symlink_to(tmp_path / "loop.xml")
    (tmp_path / "main.xml").write_text(f"<mujoco>{inside}</mujoco>")
    if message:
        with pytest.raises(ModelError, match=message):
            load_model(tmp_path / "main.xml")
    else:  # a picture that is missing stops no model
        assert load_model(tmp_path / "main.xml").nbody == 1


@pytest.mark.parametrize("settings", ["", 'boundmass=".1" boundinertia=".1"', 'boundmass=".1" boundinertia=".1" fusestatic="true"'])
def test_bodies_without_mass_have_their_inertial_frame_at_their_own_pose(settings):
    """The wheel puts it at the numbers of the pose in the innermost frame; where masses are bounded, motion depends on it."""
    bare = '<body pos="1 2 3" euler="0 0 30"><geom size=".1" mass="0"/><body pos="0 1 0"><joint/><geom size=".2"/></body></body>'
    joint = bare.replace("<geom", "<joint/><geom", 1) if settings else bare
    framed = f'<frame pos="10 0 0" euler="0 90 0"><frame pos="0 9 0">{joint}</frame></frame>'
    copied = f'<replicate count="2" offset="10 0 0">{joint}</replicate>'
    fixed = f'<body><joint/><geom size=".1"/><body pos="4 0 0">{bare}</body></body>'
    text = f"<mujoco><compiler {settings}/><worldbody>{framed}{copied}{fixed}</worldbody></mujoco>"
    model = load_model(text)
    assert_equal(model, mujoco.MjModel.from_xml_string(text))
    written = mjcf(model)
    assert differing_arrays(load_model(written), model) == []
    assert_equal(model, mujoco.MjModel.from_xml_string(written))
