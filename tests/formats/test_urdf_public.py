"""What public URDFs have and strict readers stop at: undeclared namespaces, huge limits, attributes of other programs."""

import mujoco
import pytest
from wheel_oracle import assert_equal

from dojo_py import ModelError, load_model

ROBOT = """<robot name="r"{declared}><link name="base"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{arm}</link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/>{joint}</joint>{more}</robot>"""


def robot(**parts):
    return ROBOT.format(**({"declared": "", "arm": "", "joint": "", "more": ""} | parts))


@pytest.mark.parametrize(
    "parts, told",
    [
        ({"more": '<xacro:property name="a"/><controller:x><sensor:y/></controller:x>'}, "the element xacro:property"),
        ({"declared": ' xmlns:xacro="http://ros.org/wiki/xacro"', "more": '<xacro:arg name="a"/>'}, "the element xacro:arg"),
        ({"joint": '<dynamics damping="2" xacro:k="3"/>'}, "xacro:k"),
        ({"arm": '<contact><lateral_friction value="1"/></contact>'}, "the element contact"),
        ({"joint": '<joint_properties damping="1.0"/>'}, "the element joint_properties"),
        ({"joint": '<dynamics damping="2" D="3" mu_coulomb="1"/>'}, "mu_coulomb: is not part of URDF"),
    ],
)
def test_what_belongs_to_other_programs_is_named_and_stops_nothing(parts, told):
    text = robot(**parts)
    model = load_model(text)
    assert_equal(model, mujoco.MjModel.from_xml_string(text))
    assert any(told in str(record) for record in model.left_out) and all(record.notice for record in model.left_out)


@pytest.mark.parametrize("bounds", ['lower="-1e16" upper="1e16"', 'lower="-inf" upper="inf"', 'lower="-Infinity" upper="+inf"'])
@pytest.mark.parametrize("effort", ["1e20", "inf", "0"])
def test_bounds_that_nothing_reaches_bound_nothing(bounds, effort):
    """The wheel keeps the numbers; the motion is that of a joint without limits."""
    model = load_model(robot(joint=f'<limit {bounds} effort="{effort}" velocity="1e30"/>'))
    assert not model.jnt_limited[0] and not model.jnt_actfrclimited[0] and model.left_out == ()


def test_one_reachable_bound_is_kept():
    model = load_model(robot(joint='<limit lower="-0.5" upper="1e18" effort="1e10" velocity="1"/>'))
    assert model.jnt_limited[0] and model.jnt_range[0].tolist() == [-0.5, 1e10]
    assert model.jnt_actfrcrange[0].tolist() == [-1e10, 1e10]


def test_bounds_at_the_largest_number_are_the_wheels():
    text = robot(joint='<limit lower="-1e10" upper="1e10" effort="1e10" velocity="1"/>')
    assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text))


def test_mjcf_prefixes_are_mistakes_and_many_prefixes_end():
    with pytest.raises(ModelError, match="a:body: is not an element of worldbody"):
        load_model("<mujoco><worldbody><a:body/></worldbody></mujoco>")
    with pytest.raises(ModelError, match="not well-formed XML: Namespace prefix p2"):
        load_model("<mujoco>" + "".join(f"<p{k}:x/>" for k in range(40)) + "</mujoco>")
    with pytest.raises(ModelError, match="lower: 'nan' was read"):
        load_model(robot(joint='<limit lower="nan" upper="1"/>'))


@pytest.mark.parametrize("mistake", [{"arm": "<inertail/>"}, {"joint": "<dynamic/>"}, {"arm": "<colision/>"}])
def test_what_is_nearly_an_element_is_still_a_mistake(mistake):
    with pytest.raises(ModelError, match="did you mean"):
        load_model(robot(**mistake))


LATIN = '<?xml version="1.0" encoding="iso-8859-1"?>'


@pytest.mark.parametrize("head", ['<?xml version="0.0" ?>', '\n \n<?xml version="1.0"?>\n', LATIN])
def test_of_the_declaration_only_the_encoding_counts(head):
    """Lines are still those of the file."""
    data = (head + robot(arm="\n<geom/>")).encode("latin-1")
    assert load_model(data).njnt == 1
    data = data.replace(b"<geom/>", b"\n<colision/>")
    line = data[: data.index(b"colision")].count(b"\n") + 1
    with pytest.raises(ModelError, match=f"<text>:{line}: "):
        load_model(data)
    assert load_model(f'{LATIN}<robot name="é"><link name="a"/></robot>'.encode("latin-1")).name == "é"
