"""Damaged files: nothing but `ModelError` comes out, no NaN goes in, and it does not take long."""

import dataclasses
import time

import numpy as np
import pytest
from default_run import some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from public import MJCF, SHARED_MJCF
from random_mjcf import random_mjcf

import dojo_py
from dojo_py.formats import load_model
from dojo_py.formats.mjcf import schema

NASTY = "nan inf -1 0 1e300 1e-320 abc -0.0 true free ball plane mesh 2147483648 -2147483649 1_0 0x10 1,2 world".split()
NASTY += ["", "0 0 0", "1 2", "9" * 60, "0 0 0 0", "1e9 1e9 1e9", "\u0661", "1 1 1 1 1 1 1", "-1 -1"]
ATTRIBUTES = "name class pos quat size mass range limited type fromto childclass euler joint site gear kp".split()
ATTRIBUTES += "coef springlength dampratio inheritrange density springdamper armature axis".split()
TAGS = "body joint geom freejoint frame inertial default worldbody include option key site".split()
ACTIONS = ("value", "value", "add", "rename", "drop", "tag", "delete", "copy", "move")
PIECES = (b'"', b"<", b"/>", b"&x;", b"\x00", b"<!--")
SECONDS = 5.0
"""Longest time one damaged file may take; whole ones take 0.02."""


def outcome(text):
    """Load, and check what came out."""
    start = time.process_time()
    try:
        model = load_model(text, unsupported="skip")
    except dojo_py.ModelError as error:
        assert error.errors and all(record.message for record in error.errors)
    else:
        for item in dataclasses.fields(model):
            if "shape" in item.metadata:
                assert np.all(np.isfinite(getattr(model, item.name))), item.name
    assert time.process_time() - start < SECONDS


FEW = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="session")
def originals():
    """Real files and a random one, as bytes."""
    names = ["gymnasium/humanoid.xml", "gymnasium/pusher_v5.xml", "gymnasium/ant.xml", "gymnasium/swimmer.xml"]
    if SHARED_MJCF:
        names = ["mujoco_humanoid/humanoid.xml", "unitree_a1/a1.xml", "franka_emika_panda/panda.xml", "skydio_x2/x2.xml"]
    real = [MJCF[name].read_bytes() for name in names]
    return [*real, random_mjcf(0).encode(), random_mjcf(3).encode(), b"<mujoco><worldbody/></mujoco>"]


@FEW
@given(data=st.data())
def test_damaged_bytes(originals, data):
    text = bytearray(data.draw(st.sampled_from(originals)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 40))
        new = data.draw(st.one_of(st.binary(max_size=8), st.sampled_from(PIECES)))
        text[at : at + length] = new
    outcome(bytes(text))


@FEW
@given(data=st.data())
def test_damaged_elements(originals, data):
    root = etree.fromstring(data.draw(st.sampled_from(originals)), etree.XMLParser(remove_comments=True))
    for _ in range(data.draw(st.integers(1, 3))):
        nodes = list(root.iter())
        node = data.draw(st.sampled_from(nodes))
        action = data.draw(st.sampled_from(ACTIONS))
        if action == "value" and node.attrib:
            node.set(data.draw(st.sampled_from(sorted(node.attrib))), data.draw(st.sampled_from(NASTY)))
        elif action == "add":
            node.set(data.draw(st.sampled_from(ATTRIBUTES)), data.draw(st.sampled_from(NASTY)))
        elif action == "rename" and node.attrib:
            key = data.draw(st.sampled_from(sorted(node.attrib)))
            value = node.attrib.pop(key)
            node.set(key + "x", value)
        elif action == "drop" and node.attrib:
            node.attrib.pop(data.draw(st.sampled_from(sorted(node.attrib))))
        elif action == "tag":
            node.tag = data.draw(st.sampled_from(TAGS))
        elif action in ("delete", "copy", "move") and node is not root:
            target = data.draw(st.sampled_from(nodes))
            if action == "copy":
                target.append(etree.fromstring(etree.tostring(node)))
            elif action == "delete":
                node.getparent().remove(node)
            elif target not in list(node.iter()):
                target.append(node)
    outcome(etree.tostring(root))


EVERYTHING = """<mujoco><compiler/><option><flag/></option>
  <default><joint/><geom/><site/><pair/><equality/><general/><tendon/><default class="d"><position kp="1"/></default></default>
  <asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 2 3"/></asset>
  <worldbody><geom name="l" type="hfield" hfield="h"/><geom name="p" type="plane" size="1 1 1"/>
    <body name="a" childclass="d"><freejoint name="f"/><geom name="g" size="1"/><site name="s"/>
      <frame><body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j"/><site name="t"/></body>
      </frame></body></worldbody>
  <tendon><fixed name="u"><joint joint="j" coef="1"/></fixed>
    <spatial name="v"><site site="s"/><geom geom="g" sidesite="t"/><site site="t"/><pulley divisor="2"/><site site="s"/>
    <site site="t"/></spatial></tendon>
  <contact><pair geom1="p" geom2="g"/><exclude body1="a" body2="b"/></contact>
  <equality><connect body1="a" anchor="0 0 0"/><weld body1="a" body2="b"/><joint joint1="j"/><tendon tendon1="u"/></equality>
  <actuator><motor joint="j"/><position joint="j"/><velocity joint="j"/><intvelocity joint="j"/><cylinder joint="j"/>
    <damper joint="j" ctrlrange="0 1"/><general site="s" refsite="t"/><motor tendon="u"/>
    <adhesion body="a" ctrlrange="0 1"/><motor cranksite="s" slidersite="t" cranklength="1"/>
    <pid joint="j"/><dcmotor joint="j" motorconst="1" resistance="1"/>
    <orientation site="s" refsite="t"/></actuator>
  <sensor><distance geom1="g" geom2="p"/></sensor>
  <keyframe><key/></keyframe></mujoco>"""


def accepted_attributes(node):
    """The attributes the reader's table gives to an element of `EVERYTHING`."""
    in_default = any(parent.tag == "default" for parent in node.iterancestors())
    if in_default or node.tag in ("geom", "site") or (node.tag == "joint" and node.getparent().tag == "body"):
        table = schema.DEFAULTS.get(node.tag, {})
    elif node.getparent() is not None and node.getparent().tag in ("contact", "equality"):
        table = (schema.CONTACT | schema.EQUALITIES)[node.tag]
    elif node.getparent() is not None and node.getparent().tag in schema.PATHS:
        table = schema.PATHS[node.getparent().tag][node.tag]
    elif node.tag in schema.SHORTCUTS:
        table = schema.actuator_table(node.tag)
    else:
        tables = {"body": schema.BODY, "inertial": schema.INERTIAL, "freejoint": schema.FREEJOINT, "key": schema.KEY}
        tables |= {"frame": schema.MJCF_FRAME, "compiler": schema.COMPILER, "option": schema.OPTION}
        tables |= {"fixed": schema.FIXED, "spatial": schema.TENDON, "hfield": schema.HFIELD}
        table = (tables | {"flag": schema.FLAG}).get(node.tag, {})
    return sorted({*table, "name", "class"})


@pytest.mark.parametrize("part", some(range(4), [0]))
def test_every_attribute_with_every_nasty_value(part):
    """Every attribute of the table, each with one value in turn: all pairs appear over several attributes of a kind.

    By default every fourth attribute.
    """
    count, nodes = 0, list(etree.fromstring(EVERYTHING).iter())
    for index, attribute in ((i, a) for i, node in enumerate(nodes) for a in accepted_attributes(node)):
        if count % 4 == part:
            root = etree.fromstring(EVERYTHING)
            list(root.iter())[index].set(attribute, NASTY[count % len(NASTY)])
            outcome(etree.tostring(root))
        count += 1
    assert count > 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<",
        "<mujoco/>",
        "<mujoco></mujoco><mujoco/>",
        "<mujoco>" * 300 + "</mujoco>" * 300,
        "<mujoco><worldbody>" + "<body>" * 240 + "</body>" * 240 + "</worldbody></mujoco>",
        "<mujoco><worldbody>" + "<body/>" * 25_000 + "</worldbody></mujoco>",
        "<mujoco><default>" + "<default class='a'>" * 100 + "</default>" * 100 + "</default></mujoco>",
        "<mujoco xmlns='http://x'><worldbody/></mujoco>",
        "<?xml version='1.0' encoding='utf-16'?><mujoco/>",
        "<mujoco><worldbody><body name='\ud800'/></worldbody></mujoco>",
        "<mujoco><?pi data?><worldbody/></mujoco>",
        "<mujoco>&lt;<worldbody>text</worldbody></mujoco>",
    ],
)
def test_odd_texts(text):
    outcome(text)


@pytest.mark.parametrize(
    "text",
    [
        "<mujoco><worldbody><geom " + " ".join(f'a{i}="1"' for i in range(50_000)) + "/></worldbody></mujoco>",
        "<mujoco><worldbody>"
        + "".join(f'<geom name="geom{i}" size="1"/>' for i in range(5000))
        + "</worldbody><contact>"
        + "".join(f'<pair geom1="geem{i}" geom2="goom{i}"/>' for i in range(5000))
        + "</contact></mujoco>",
        "<mujoco><worldbody>" + '<geom name="a" size="1"/>' * 20_000 + "</worldbody></mujoco>",
        f"<mujoco><worldbody><geom name='{'a' * 10**6}' size='{'1 ' * 10**6}'/></worldbody></mujoco>",
    ],
)
def test_many_errors_take_little_time_and_room(text):
    start = time.process_time()
    with pytest.raises(dojo_py.ModelError) as caught:
        load_model(text)
    assert time.process_time() - start < SECONDS and len(str(caught.value)) < 100_000


BOMB = "".join(f"<!ENTITY a{i + 1} '{f'&a{i};' * 10}'>" for i in range(9))


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE mujoco [<!ENTITY a0 'x'>" + BOMB + "]><mujoco model='&a9;'><worldbody/></mujoco>",
        "<!DOCTYPE mujoco [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><mujoco>&x;</mujoco>",
        "<!DOCTYPE mujoco SYSTEM 'http://127.0.0.1:9/x.dtd'><mujoco/>",
    ],
)
def test_no_entities_and_no_document_types(text):
    start = time.process_time()
    with pytest.raises(dojo_py.ModelError, match="document type|well-formed"):
        load_model(text)
    assert time.process_time() - start < 1.0
