"""What does not move anything is kept: user data, custom elements, cameras, lights, materials, textures, settings of viewers.

And the wheel's schema is held: each of its elements and attributes is read, or refused by its name.
"""

import re

import mujoco
import pytest
from lxml import etree
from wheel_oracle import assert_equal

from dojo_py import ModelError, load_mechanism, load_model
from dojo_py.formats import check
from dojo_py.formats.save import mjcf
from dojo_py.mechanism.compile_user import OBJECTS

TEXT = """<mujoco><size nuserdata="3" nuser_geom="4"/>
  <custom><numeric name="a" data="1 2" size="4"/><numeric name="b" size="2"/><text name="t" data="hé"/>
  <tuple name="u"><element objtype="geom" objname="g" prm="3"/><element objtype="text" objname="t"/>
  <element objtype="xbody" objname="b"/><element objtype="key" objname="k"/>
  <element objtype="camera" objname="c2"/></tuple></custom>
  <statistic extent="2" center="1 2 3"/><visual><global fovy="40"/><map znear=".1"/><rgba haze="1 1 1 1"/></visual>
  <default><geom user="4 5 6"/><camera fovy="30"/><light castshadow="false"/><material shininess=".5"/>
  <default class="d"/></default>
  <asset><texture name="sky" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0"/>
  <material name="m" texture="sky" specular=".3"/><material name="o"><layer role="rgb" texture="sky"/></material>
  <material name="n" rgba="1 0 0 1"/></asset>
  <worldbody><light name="sun" pos="0 0 3" dir="1 0 -1"/><camera name="c1" pos="1 2 3" xyaxes="1 0 0 0 0 1"/>
  <geom size="1" material="n"/>
  <frame pos="1 1 1" euler="0 90 0"><body name="b"><joint name="j" user="7"/><geom name="g" size="1" user="1 2" material="m"/>
  <camera name="c2" mode="targetbody" target="b" fovy="20"/><site material="n" user="3"/></body></frame></worldbody>
  <actuator><motor site="s" user="1 2 3 4"/></actuator>
  <sensor><jointpos joint="j" user="1 5"/></sensor><keyframe><key name="k"/></keyframe></mujoco>""".replace(
    '<site material="n" user="3"/>', '<site name="s" material="n" user="3"/>'
)


def test_user_data_and_custom_elements_are_the_wheels():
    model, wheel = load_model(TEXT), mujoco.MjModel.from_xml_string(TEXT)
    assert model.left_out == () and check(TEXT).ok
    assert_equal(model, wheel)
    assert model.numeric("a").tolist() == [1, 2, 0, 0] and model.text("t") == "hé" and model.geom("g").user.tolist() == [1, 2, 0, 0]
    assert wheel.text_data.decode().rstrip("\0") == model.text("t")
    with pytest.raises(ModelError, match="no numeric is named 'c'"):
        model.numeric("c")


def test_numbers_of_kinds_are_the_wheels():
    assert {word: int(getattr(mujoco.mjtObj, f"mjOBJ_{word.upper()}")) for word in OBJECTS} == OBJECTS


def test_what_is_drawn_is_kept_and_written():
    """The written file has the same cameras, lights, materials, textures and settings in the wheel."""
    mechanism = load_mechanism(TEXT)
    assert [m.name for m in mechanism.materials] == ["m", "o", "n"] and mechanism.materials[0].attributes["shininess"] == ".5"
    assert mechanism.body("b").cameras[0].attributes == {"mode": "targetbody", "fovy": "20"}
    assert mechanism.visual["global"] == {"fovy": "40"} and mechanism.statistic["extent"] == 2.0
    first, second = mujoco.MjModel.from_xml_string(TEXT), mujoco.MjModel.from_xml_string(mjcf(mechanism))
    names = [name for name in dir(first) if name.startswith(("cam_", "light_", "mat_", "tex_", "geom_mat", "site_mat"))]
    assert len(names) > 40
    for name in names:
        ours, theirs = getattr(second, name), getattr(first, name)
        assert ours.shape == theirs.shape and abs(ours.astype(float) - theirs.astype(float)).max(initial=0.0) < 1e-6, name
    assert second.stat.extent == 2.0 and second.vis.global_.fovy == 40.0 and abs(second.vis.map.znear - 0.1) < 1e-6


FAULTY = {
    '<custom><numeric name="a" data="1 2 3" size="2"/></custom>': "numeric 'a', size: 2 numbers with 3 in data",
    '<custom><numeric data="1"/></custom>': "a numeric needs a name",
    '<custom><numeric name="a"/></custom>': "1 to 500000",
    '<custom><numeric name="a" size="600000"/></custom>': "1 to 500000",
    '<custom><text name="a" data=""/></custom>': "a text needs a name and data",
    '<custom><tuple name="a"/></custom>': "at least one element",
    '<custom><tuple name="a"><element objtype="geom" objname="h"/></tuple></custom>': "no geom is named 'h'",
    '<custom><tuple name="a"><element objtype="goem" objname="h"/></tuple></custom>': "did you mean 'geom'",
    '<custom><tuple name="a"><elment/></tuple></custom>': "did you mean 'element'",
    "<custom><numerics/></custom>": "did you mean 'numeric'",
    "<visual><globl/></visual>": "did you mean 'global'",
    '<visual><global fov="3"/></visual>': "did you mean 'fovy'",
    '<asset><material name="m" shinines="1"/></asset>': "did you mean 'shininess'",
    '<worldbody><camera fov="3"/></worldbody>': "fov: is not an attribute of camera",
    '<size nuser_geom="1"/><worldbody><geom size="1" user="1 2"/></worldbody>': "nuser_geom of size allows 1",
    '<size nuser_geom="900000"/><worldbody><geom size="1"/></worldbody>': "more than 500000 numbers",
}


@pytest.mark.parametrize("text", FAULTY)
def test_faulty_data_is_named(text):
    with pytest.raises(ModelError, match=FAULTY[text]):
        load_model(f"<mujoco>{text}</mujoco>")


def schema():
    """(path of tags, attribute names) of every element of the wheel's schema."""
    lines = [line for line in mujoco.mj_printSchema(False, False).splitlines() if line.strip()]
    out, stack = [], []
    for line in lines:
        head = re.match(r"^( *)(\S.*?) \((.)\)(.*)$", line)
        if head and len(head.group(1)) < 27 and len(head.group(1)) % 3 == 0:
            depth = len(head.group(1)) // 3
            stack = [*stack[:depth], head.group(2).replace("(world)", "")]
            out.append((tuple(stack), head.group(4).split()))
        else:
            out[-1][1].extend(line.split())
    return out


ELEMENTS = schema()
PLACES = {"body": ("worldbody", "body")}


def document(path, attribute, value):
    root = node = etree.Element("mujoco")
    for tag in path[1:]:
        for inner in PLACES.get(tag, (tag,)):
            node = etree.SubElement(node, inner)
    node.set(attribute, value)
    return etree.tostring(root).decode()


def test_the_schema_is_read_whole():
    paths = [path for path, _ in ELEMENTS]
    assert ("mujoco", "body", "geom", "plugin", "config") in paths and ("mujoco", "visual", "rgba") in paths and len(paths) > 150
    assert sum(len(attributes) for _, attributes in ELEMENTS) > 1500


@pytest.mark.parametrize("path", [path for path, _ in ELEMENTS if len(path) > 1], ids="/".join)
def test_every_element_and_attribute_is_known(path):
    """None is taken for a mistake of spelling: it is read, kept, or refused by its name."""
    for attribute in dict(ELEMENTS)[path] or ["name"]:
        report = check(document(path, attribute, "1"))
        known = [r for r in report.errors if "is not an element of" in r.message or "is not an attribute of" in r.message]
        known = [r for r in known if attribute in dict(ELEMENTS)[path] or r.attribute != attribute]
        assert not known, f"{attribute}: {known[0]}"


@pytest.mark.parametrize(("kind", "sensor"), [("joint", "jointlimitpos"), ("joint", "jointlimitfrc"), ("tendon", "tendonlimitvel")])
def test_limits_that_are_not_there_have_no_sensors(kind, sensor):
    """As in the wheel."""
    text = """<mujoco><worldbody><body><joint name="x"{}/><geom size="1"/></body></worldbody>
      <tendon><fixed name="x"{}><joint joint="x" coef="1"/></fixed></tendon><sensor><{} {}="x"/></sensor></mujoco>"""
    limited = ' range="-1 1"'
    assert load_model(text.format(limited, limited, sensor, kind)).nsensor == 1
    with pytest.raises(ModelError, match=f"{sensor}, {kind}: {kind} 'x' has no limits"):
        load_model(text.format("", "", sensor, kind))
