"""What is read and not simulated: named by `check`, by warnings, in errors and on the model; masses of meshes are not lost."""

import warnings

import pytest

from dojo_py import ModelError, UnsupportedWarning, load_model
from dojo_py.formats import check

BODY = '<body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/></body>'


def model(body=BODY, before="", after=""):
    return f"<mujoco>{before}\n<worldbody>\n{body}\n</worldbody>{after}</mujoco>"


NOTICES = {
    "sensor": (model(after='<sensor><tactile name="n" geom="g" mesh="m"/></sensor>'), "tactile 'n': sensor"),
    "sensor of a camera": (
        model(after='<sensor><framepos name="n" objtype="camera" objname="c"/></sensor>'),
        "framepos 'n': sensor: cameras",
    ),
    "extension": (model(before='<extension><plugin plugin="n"/></extension>'), "plugin 'n': extension"),
    "material": (model('<geom name="n" size="1" material="red"/>'), "geom 'n', material: no material is named 'red'"),
    "material of a site": (model('<site name="n" material="red"/>'), "site 'n', material"),
    "material of a class": (
        model('<geom name="n" size="1"/>', '<default><geom material="red"/></default>'),
        "geom 'n', material",
    ),
    "discardvisual": (model(before='<compiler discardvisual="true"/>'), "compiler, discardvisual"),
}


@pytest.mark.parametrize("case", NOTICES)
def test_notices_stop_nothing_and_are_named(case):
    """Without a warning by default; in the list of an error when something else stops the file."""
    text, named = NOTICES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = load_model(text)
    (record,) = loaded.left_out
    assert named in str(record) and record.notice
    report = check(text)
    assert report.ok and report.notices == [record] and named in str(report) and str(report).endswith(str(record)) is False
    with pytest.warns(UnsupportedWarning, match="the motion does not depend on it"):
        assert load_model(text, unsupported="warn").left_out == (record,)
    with pytest.raises(ModelError) as caught:
        load_model(text.replace("<worldbody>", '<worldbody><geom type="mesh"/>'))
    assert caught.value.errors[-1].notice and not caught.value.errors[0].notice


def test_known_materials_and_plain_files_give_no_notice():
    before = '<asset><material name="red"/><texture name="t"/></asset><visual><map/></visual><statistic extent="2"/>'
    assert load_model(model('<light/><camera/><geom size="1" material="red"/>', before)).left_out == ()


UNKNOWN = {
    "in a geom": model('<geom size="1">\n<foo/></geom>'),
    "in a joint": model('<body><joint>\n<foo/></joint><geom size="1"/></body>'),
    "in a sensor": model(after="<sensor>\n<gyroo/></sensor>"),
    "in a key": model(after="<keyframe><key>\n<foo/></key></keyframe>"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_unknown_children_are_errors(case):
    with pytest.raises(ModelError, match="is not a"):
        load_model(UNKNOWN[case], unsupported="skip")


def test_plugins_of_elements_are_refused():
    text = model('<geom name="g" size="1"><plugin plugin="mujoco.sdf.nut"/></geom>')
    with pytest.raises(ModelError, match="plugin 'g': is not simulated"):
        load_model(text)
    assert len(load_model(text, unsupported="skip").left_out) == 1


MESH = '<geom name="m" type="mesh" mesh="x"{}/>'
LOSSES = {
    "known": ("", ' mass="0.3"', "body 'b' would lose 0.3 kg"),
    "unknown": ("", "", "body 'b' would lose an unknown mass"),
    "that only draws": ("", ' contype="0" conaffinity="0"', "would lose an unknown mass"),
    "from geoms always": ('<compiler inertiafromgeom="true"/>', "", "would lose"),
    "shell": ("", None, "would lose an unknown mass, which this geom with its mass on the surface gives it"),
}
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


@pytest.mark.parametrize("case", LOSSES)
@pytest.mark.parametrize("policy", ["error", "warn", "skip"])
def test_the_mass_of_a_mesh_is_never_lost(case, policy):
    """Under every policy, for every body that moves; `check` names it and goes on."""
    before, attributes, named = LOSSES[case]
    mesh = '<geom size=".1" shellinertia="true"/>' if attributes is None else MESH.format(attributes)
    text = model(f'<body><joint/><geom size=".1"/><body name="b"><geom size=".1"/>{mesh}</body></body>', before)
    with pytest.raises(ModelError, match=named):
        load_model(text, unsupported=policy)
    report = check(text)
    assert report.model is not None and not report.ok and any(named in str(record) for record in report.unsupported)


@pytest.mark.parametrize("attributes", [' mass="0"', ' density="0"', ' group="7"'])
def test_weightless_meshes_and_explicit_inertials_lose_nothing(attributes):
    free = ' contype="0" conaffinity="0"'
    mesh = MESH.format(attributes + free)
    for body in (f'<body><joint/><geom size=".1"/>{mesh}</body>', f"<body><joint/>{MESH.format(free)}{INERTIAL}</body>"):
        (record,) = load_model(model(body)).left_out
        assert record.notice and str(record) == "<text>:3: geom 'm', mesh: no mesh is named 'x'"


def test_bodies_that_cannot_move_may_lose_theirs_unless_masses_are_scaled():
    body = f'<body name="b">{MESH.format("")}</body><body><joint/><geom size=".1"/></body>'
    (record,) = load_model(model(body), unsupported="skip").left_out
    assert "would lose an unknown mass" in record.message and "can touch something" in record.message
    with pytest.raises(ModelError, match="would lose"):
        load_model(model(body, '<compiler settotalmass="3"/>'), unsupported="skip")


URDF = """<robot name="r"><link name="base"/><link name="arm">{}<collision><geometry><mesh filename="x"/></geometry>
  </collision></link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>{}</robot>"""
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def test_urdf_meshes():
    with pytest.raises(ModelError, match="body 'arm' would lose an unknown mass"):
        load_model(URDF.format("", ""), unsupported="skip")
    assert "would lose" not in str(load_model(URDF.format(MASS, ""), unsupported="skip").left_out[0])


def test_urdf_sections_that_mujoco_passes_over_too():
    extension = '<mujoco><default><joint damping="3"/></default><worldbody><geom size="1"/></worldbody></mujoco><sensor name="x"/>'
    text = URDF.format(MASS, extension).replace('mesh filename="x"', 'sphere radius=".1"')
    loaded = load_model(text)
    assert [record.element for record in loaded.left_out] == ["sensor", "default", "worldbody"]
    assert loaded.ngeom == 1 and loaded.dof_damping.tolist() == [0.0]
