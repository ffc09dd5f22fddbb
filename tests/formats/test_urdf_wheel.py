"""URDF: the compiled model equals that of the MuJoCo wheel, field by field, on random robots and special cases."""

import mujoco
import numpy as np
import pytest
from lxml import etree
from public import URDF
from urdf_texts import collision, inertial, joint, link, mass_link, origin, random_robot, robot

from dojo_py.formats import load_model

BODY = "body_parentid body_pos body_quat body_ipos body_mass body_inertia"
JOINT = "jnt_type jnt_bodyid jnt_pos jnt_axis jnt_range jnt_limited jnt_actfrcrange jnt_actfrclimited qpos0"
DOF = "dof_damping dof_frictionloss dof_armature body_invweight0 dof_invweight0"
GEOM = "geom_type geom_bodyid geom_pos geom_quat geom_size geom_contype geom_conaffinity geom_group geom_friction"
EQUALITY = "eq_type eq_obj1id eq_obj2id eq_data eq_solref eq_solimp eq_active0"
FIELDS = f"{BODY} {JOINT} {DOF} {GEOM}".split()
TOLERANCE = 1e-10


@pytest.fixture(autouse=True)
def in_a_temporary_folder(tmp_path, monkeypatch):
    """The wheel writes its warnings into the working folder."""
    monkeypatch.chdir(tmp_path)


def assert_same(text: str, fields: list[str], unsupported: str = "error") -> None:
    wheel, model = mujoco.MjModel.from_xml_string(text), load_model(text, unsupported)
    assert model.body_names == tuple(wheel.body(i).name for i in range(wheel.nbody))
    assert model.joint_names == tuple(wheel.joint(i).name for i in range(wheel.njnt))
    assert model.geom_names == tuple(wheel.geom(i).name for i in range(wheel.ngeom))
    for field in fields:
        expected, actual = getattr(wheel, field), getattr(model, field)
        np.testing.assert_allclose(actual, expected, atol=TOLERANCE, rtol=TOLERANCE, err_msg=field)
    np.testing.assert_allclose(inertia_tensors(model), inertia_tensors(wheel), atol=TOLERANCE)


def inertia_tensors(model) -> np.ndarray:
    """In the body frame: principal axes of equal moments are a matter of taste."""
    out = np.zeros((model.nbody, 3, 3))
    for body in range(model.nbody):
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, np.array(model.body_iquat[body]))
        axes = axes.reshape(3, 3)
        out[body] = axes @ np.diag(model.body_inertia[body]) @ axes.T
    return out


@pytest.mark.parametrize("seed", range(60))
def test_random_robots(seed):
    """Measured: largest difference 3e-15 to 2e-13."""
    assert_same(random_robot(seed), FIELDS + EQUALITY.split())


BOX = collision('<box size="0.1 0.2 0.3"/>', origin((0.3, 0, 0), (0.1, 0.2, 0.3)))
CASES = {
    "root with geoms becomes the world": robot(link("a", inertial(), BOX), mass_link("b"), joint("j", "revolute", "a", "b")),
    "link called world": robot(
        link("world", BOX),
        mass_link("a"),
        mass_link("b"),
        joint("f", "fixed", "world", "a"),
        joint("j", "revolute", "a", "b"),
    ),
    "two roots": robot(link("a", BOX), mass_link("c"), mass_link("b"), joint("j", "revolute", "a", "b")),
    "one link": robot(mass_link("a")),
    "nothing": robot(),
    "floating base": robot(link("a"), mass_link("b"), joint("j", "floating", "a", "b", origin((1, 2, 3), (0.1, 0, 0)))),
    "children of a fused link take its place": robot(
        *[mass_link(name) for name in "abcdef"],
        joint("jb", "revolute", "a", "b"),
        joint("je", "revolute", "b", "e"),
        joint("jc", "fixed", "b", "c", origin((0, 1, 0), (0, 0, 1))),
        joint("jd", "revolute", "c", "d", origin((0, 0, 1))),
        joint("jf", "revolute", "b", "f"),
    ),
    "geom names given twice": robot(
        link("a"),
        link("b", inertial(), *[collision('<sphere radius="0.1"/>', name="g")] * 2),
        joint("j", "revolute", "a", "b"),
    ),
    "limits": robot(
        mass_link("a"),
        *[mass_link(f"b{i}") for i in range(7)],
        joint("both", "revolute", "a", "b0", '<limit lower="-1" upper="1" effort="4" velocity="3"/>'),
        joint("continuous", "continuous", "a", "b1", '<limit lower="-1" upper="1" effort="-4"/>'),
        joint("upper only", "revolute", "a", "b2", '<limit upper="2"/>'),
        joint("swapped", "revolute", "a", "b3", '<limit lower="2" upper="1"/>'),
        joint("none", "revolute", "a", "b4"),
        joint("effort only", "prismatic", "a", "b5", '<limit effort="2"/>'),
        joint("zeros", "prismatic", "a", "b6", '<limit lower="0" upper="0"/>'),
    ),
    "inertiafromgeom": robot(
        mass_link("a"),
        link("b", inertial(7.0), BOX),
        mass_link("c", 3.0),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", origin((1, 0, 0))),
        compiler='inertiafromgeom="true"',
    ),
    "inertiafromgeom without geoms keeps the inertial of the body, not of what is fixed to it": robot(
        mass_link("a"),
        mass_link("b", 7.0),
        mass_link("c", 3.0),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", origin((1, 0, 0))),
        compiler='inertiafromgeom="true"',
    ),
    "limits of a spherical joint": robot(
        mass_link("a"),
        mass_link("b"),
        joint("j", "spherical", "a", "b", '<limit lower="0" upper="1" effort="5"/>', '<dynamics damping="2"/>'),
    ),
    "no inertia from geoms": robot(
        mass_link("a"),
        link("b", inertial(7.0), BOX),
        link("c", BOX),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", origin((1, 0, 0))),
        compiler='inertiafromgeom="false"',
    ),
    "bounds and balance": robot(
        mass_link("a"),
        link("b", inertial(0.1, np.diag([0.1, 1, 3]))),
        mass_link("c", 0.0),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", origin((1, 0, 0))),
        compiler='balanceinertia="true" boundmass="0.5" boundinertia="0.3"',
    ),
    "angle and eulerseq have no effect": robot(
        mass_link("a"),
        mass_link("b"),
        joint("j", "revolute", "a", "b", origin((1, 0, 0), (0.1, 0.2, 0.3)), '<limit lower="-1" upper="1"/>'),
        compiler='angle="degree" eulerseq="zyx"',
    ),
}


@pytest.mark.filterwarnings("ignore:.*deprecated")
@pytest.mark.parametrize("name", CASES)
def test_special_cases(name):
    assert_same(CASES[name], FIELDS + EQUALITY.split())


def test_visuals_on_request():
    visual = BOX.replace("collision", "visual")
    text = robot(link("a"), link("b", inertial(), visual, BOX), joint("j", "revolute", "a", "b"))
    assert load_model(text).ngeom == 1
    with_visuals = text.replace("<mujoco", "<mujoco", 1).replace("\n\n", '<mujoco><compiler discardvisual="false"/></mujoco>', 1)
    assert load_model(with_visuals).ngeom == 2
    assert_same(with_visuals, FIELDS)


def test_options_of_the_extension():
    text = robot(mass_link("a"), mass_link("b"), joint("j", "revolute", "a", "b")).replace(
        "</robot>",
        '<mujoco><option timestep="0.005" gravity="1 2 3" integrator="implicitfast" iterations="7" cone="elliptic">'
        '<flag contact="disable" energy="enable"/></option></mujoco></robot>',
    )
    wheel, model = mujoco.MjModel.from_xml_string(text).opt, load_model(text).opt
    for field in ("timestep", "integrator", "iterations", "cone", "disableflags", "enableflags", "tolerance"):
        assert getattr(model, field) == getattr(wheel, field), field
    np.testing.assert_array_equal(model.gravity, wheel.gravity)


UNREAD = ("hopper", "halfcheetah", "humanoid", "fourbar")


@pytest.mark.parametrize("name", [name for name in URDF if not name.endswith(tuple(f"/{stem}.urdf" for stem in UNREAD))])
def test_real_files(name):
    """Two of ours, and Dojo's robots as far as the wheel reads them. Measured: largest difference 3e-11."""
    tree = etree.parse(URDF[name], etree.XMLParser(remove_comments=True)).getroot()
    for mesh in list(tree.iter("mesh")):
        shape = mesh.getparent().getparent()
        shape.getparent().remove(shape)
    text = etree.tostring(tree).decode()
    assert_same(text, FIELDS, "skip")


def test_a_joints_name_that_is_given_twice_names_the_first():
    """As a geom's."""
    text = """<robot name="r">{}<joint name="j" type="continuous"><parent link="a"/><child link="b"/><dynamics damping="1"/></joint>
      <joint name="j" type="prismatic"><parent link="b"/><child link="c"/><dynamics damping="2"/></joint>
      <joint name="j" type="planar"><parent link="a"/><child link="d"/></joint></robot>"""
    text = text.format("".join(mass_link(name) for name in "abcd"))
    model = load_model(text)
    assert_same(text, FIELDS)
    assert model.joint_names[:2] == ("j", "") and "this one has none" in str(model.left_out[0])


def test_a_mesh_is_read_once_for_each_file_and_scale(tmp_path):
    """In any order. Before, only where the last one of that name was the same: four meshes instead of two."""
    wedge = "v 0 0 0\nv .1 0 0\nv 0 .2 0\nv 0 0 .3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "wedge.obj").write_text(wedge)
    shapes = "".join(
        f'<collision><geometry><mesh filename="wedge.obj" scale="{scale}"/></geometry></collision>'
        for scale in ("1 1 1", "1 2 1", "1 1 1", "1 2 1")
    )
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a"/><link name="b">{shapes}</link>{joint}</robot>')
    model = load_model(tmp_path / "r.urdf")
    wheel = mujoco.MjModel.from_xml_path(str(tmp_path / "r.urdf"))
    assert model.mesh_names == tuple(wheel.mesh(k).name for k in range(wheel.nmesh)) == ("wedge", "wedge1")
    assert np.array_equal(model.geom_dataid, wheel.geom_dataid)
