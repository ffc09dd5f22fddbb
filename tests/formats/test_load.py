"""`load_model` and `check`: where a model may come from, includes, and the report of everything at once."""

import mujoco
import numpy as np
import pytest

import dojo_py
from dojo_py import ModelError, load_model
from dojo_py.formats import check
from dojo_py.formats.load import model_names

TEXT = '<mujoco model="one"><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
URDF = """<robot name="two"><link name="base"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


def message(source, **options):
    with pytest.raises(ModelError) as caught:
        load_model(source, **options)
    return str(caught.value)


def test_path_text_bytes_and_name(tmp_path):
    file = tmp_path / "one.xml"
    file.write_text(TEXT)
    models = [load_model(source) for source in (file, str(file), TEXT, TEXT.encode(), "\n" + TEXT)]
    assert {repr(model) for model in models} == {repr(models[0])} and models[0].name == "one"
    assert load_model(URDF).joint_names == ("j",)
    assert load_model("pendulum").nv == 1


def test_every_shipped_model_has_a_name_to_load_it_by():
    assert {"pendulum", "quadruped", "humanoid"} <= set(model_names())


def test_unknown_names_get_the_nearest(tmp_path):
    assert "did you mean 'quadruped'?" in message("quadrupd")
    (tmp_path / "walker_big.xml").write_text(TEXT)
    assert f"did you mean '{tmp_path / 'walker_big.xml'}'?" in message(tmp_path / "walker_bgi.xml")
    deep = tmp_path / ("a" * 120)
    deep.mkdir()
    (deep / "walker_big.xml").write_text(TEXT)
    assert f"did you mean '{deep / 'walker_big.xml'}'?" in message(deep / "walker_bgi.xml")
    assert "is a folder, a file is wanted" in message(tmp_path)


def test_other_roots_are_refused():
    assert "<text>:1: mujco: " in message("<mujco/>") and "did you mean 'mujoco'" in message("<mujco/>")


def test_include_and_the_place_of_errors(tmp_path):
    """Included children replace the element; errors name the included file; there is one tree of defaults."""
    (tmp_path / "parts").mkdir()
    tree = '<worldbody><body><include file="leg.xml"/></body></worldbody>'
    (tmp_path / "main.xml").write_text(f'<mujoco><include file="parts/d.xml"/>\n{tree}</mujoco>')
    (tmp_path / "parts" / "d.xml").write_text('<mujocoinclude><default><geom size="2"/></default></mujocoinclude>')
    (tmp_path / "leg.xml").write_text('<any>\n<joint name="hip"/>\n<geom/>\n<site name="toe"/></any>')
    model = load_model(tmp_path / "main.xml")
    assert (model.joint_names, model.geom_size[0, 0], model.site_names) == (("hip",), 2.0, ("toe",))
    (tmp_path / "leg.xml").write_text('<any>\n<joint name="hip" axes="1 0 0"/>\n<geom name="leg"/></any>')
    assert message(tmp_path / "main.xml").startswith(f"{tmp_path / 'leg.xml'}:2: joint 'hip', axes: ")


def test_files_lie_beside_the_main_file_or_beside_the_one_that_names_them(tmp_path):
    """Includes, meshes and height fields of included files, as the wheel finds them: first beside the main file."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.xml").write_text('<mujoco><include file="parts/robot.xml"/></mujoco>')
    (tmp_path / "parts" / "robot.xml").write_text(
        '<any><include file="leg.xml"/><asset><mesh name="m" file="m.obj"/></asset>'
        '<worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></any>'
    )
    for place, size in ((tmp_path / "parts", 1.0), (tmp_path, 2.0)):
        points = size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
        lines = [f"v {x} {y} {z}" for x, y, z in points] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
        (place / "m.obj").write_text("\n".join(lines))
        (place / "leg.xml").write_text(f'<any><worldbody><site name="toe" size="{size}"/></worldbody></any>')
        ours = load_model(tmp_path / "main.xml")
        theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml"))
        assert ours.site_size[0, 0] == theirs.site_size[0, 0] == size
        assert ours.body_mass[1] == pytest.approx(1000.0 * size**3 / 6) == pytest.approx(theirs.body_mass[1])


@pytest.mark.parametrize(
    "first, second, pattern",
    [
        ('<mujoco><include file="main.xml"/></mujoco>', "<a/>", "main.xml' is included more than once"),
        ('<mujoco><include file="b.xml"/></mujoco>', '<a><include file="./b.xml"/></a>', "b.xml:1: .* more than once"),
        ('<mujoco><include file="b.xml"/><include file="b.xml"/></mujoco>', "<a/>", "more than once"),
        ('<mujoco>\n<include file="c.xml"/></mujoco>', "<a/>", r"c.xml: cannot be read.*included at .*main.xml:2"),
        ("<mujoco><include/></mujoco>", "<a/>", "missing"),
        ('<mujoco>\n<include file="b.xml"/></mujoco>', "<a>\n<b></a>", "^[^ ]*b.xml:2: not well-formed.*main.xml:2"),
        ('<mujoco><include file="http://127.0.0.1:9/x.xml"/></mujoco>', "<a/>", "cannot be read"),
    ],
)
def test_faulty_includes(tmp_path, first, second, pattern):
    (tmp_path / "main.xml").write_text(first)
    (tmp_path / "b.xml").write_text(second)
    with pytest.raises(ModelError, match=pattern):
        load_model(tmp_path / "main.xml")


def test_a_chain_of_includes_as_deep_as_elements_may_be(tmp_path):
    """Before: RecursionError."""
    for n in range(490):
        (tmp_path / f"{n}.xml").write_text(f'<mujocoinclude><include file="{n + 1}.xml"/></mujocoinclude>')
    (tmp_path / "490.xml").write_text("<mujocoinclude><worldbody><geom size='1'/></worldbody></mujocoinclude>")
    (tmp_path / "main.xml").write_text('<mujoco><include file="0.xml"/></mujoco>')
    assert load_model(tmp_path / "main.xml").ngeom == 1


def test_text_has_no_folder_to_include_from():
    assert "load the model from a path" in message('<mujoco><include file="x.xml"/></mujoco>')


def test_check_reports_everything_at_once():
    text = """<mujoco><worldbody><body><joint name="j"/><geom size="1"/><geom type="mesh" mesh="m"/></body></worldbody>
      <actuator><motor joint="j"/><plugin joint="j"/></actuator></mujoco>"""
    report = check(text)
    assert not report.ok and len(report.unsupported) == 2 and not report.errors
    assert report.contents()["bodies"] == 2 and report.contents()["controls"] == 1
    assert "not simulated: <text>:2: plugin: is not simulated" in str(report)
    faulty = check(text.replace('size="1"', 'size="-1"'))
    assert faulty.model is None and len(faulty.errors) == 1 and len(faulty.unsupported) == 2
    assert check(TEXT).ok and str(check(TEXT)).endswith("ok")
    assert check("no such model").errors and check("<mujoco").errors


def test_a_robot_whose_meshes_are_missing_checks(tmp_path):
    """As in collections of models that come without their meshes."""
    (tmp_path / "arm.xml").write_text(
        """<mujoco><asset><mesh name="hand" file="hand.obj"/></asset><worldbody><body name="arm"><joint/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="hand"/><geom type="capsule" size="0.1 0.2"/></body></worldbody></mujoco>"""
    )
    report = check(tmp_path / "arm.xml")
    assert report.model is not None and not report.errors and report.unsupported
    assert {record.element for record in report.unsupported} == {"geom"}


def test_lazy_names():
    assert dojo_py.load_model is load_model and "load_model" in dir(dojo_py)
    with pytest.raises(AttributeError, match="load_modle"):
        dojo_py.load_modle  # noqa: B018
