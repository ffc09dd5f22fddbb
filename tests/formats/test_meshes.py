"""Mesh assets: files and inline vertices against the wheel's arrays; which folder they come from; what is left out and named.

Measured: 2e-15 relative to max(1, |value|) on the generated meshes; mesh_vert, which rounds to float32, within one unit in the
last place. By hand, on 164 public models with meshes (dm_control, gymnasium-robotics, metaworld, robosuite, ...): 1e-10.
"""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from mesh_texts import GOOD, MISSING, TETRAHEDRON, TOUCHING, WRITERS, mjcf, random_mesh, stl, stl_text, wheel, written
from wheel_oracle import assert_equal

import dojo_py
from dojo_py import HardSimulator, ModelError, SoftSimulator, load_model
from dojo_py.formats import check
from dojo_py.mechanism.compile import compile_model
from dojo_py.mechanism.spec import Body, Geom, Joint, Mechanism, Mesh


@pytest.fixture(autouse=True)
def wheel_log_elsewhere(tmp_path, monkeypatch):
    """The wheel writes its warnings into the working folder."""
    monkeypatch.chdir(tmp_path)


ATTRIBUTES = [
    "",
    'scale="1 2 -0.5"',
    'refpos="1 2 3" refquat="1 2 3 4" scale="-1 -2 0.1"',
    'inertia="exact"',
    'inertia="convex" scale="0.001 0.001 0.001"',
    'inertia="shell" refquat="0 1 1 0"',
    'maxhullvert="9" inertia="convex"',
]


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("attributes", ATTRIBUTES)
def test_files_become_the_wheels_arrays(kind, attributes, tmp_path):
    for seed in range(3):
        data, name = WRITERS[kind](*random_mesh(seed)), f"a{seed}"  # the wheel keeps the files that it read by their name
        text = mjcf(f"{name}.{kind}", attributes, 'contype="0" conaffinity="0" pos="1 2 3"')
        path = written(tmp_path, text, **{f"{name}__{kind}": data})
        if "0.001" in attributes:
            path.write_text(path.read_text().replace("<compiler ", '<compiler boundmass="1" boundinertia="1" '))
        assert_equal(load_model(path), wheel(path))


def test_a_text_stl_is_the_binary_one(tmp_path):
    """MuJoCo refuses text."""
    vertices, faces = random_mesh(4)
    path = written(tmp_path, mjcf("a.stl"), a__stl=stl(vertices, faces))
    reference = wheel(path)
    written(tmp_path, mjcf("a.stl"), a__stl=stl_text(vertices, faces))
    assert_equal(load_model(path), reference)
    (tmp_path / "a.stl").write_bytes(b"solid but binary".ljust(80) + stl(vertices, faces)[80:])
    assert_equal(load_model(path), reference)


OBJ_TEXTS = {
    "quads": b"v 0 0 0\nv 2 0 0\nv 2.1 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2.1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\n"
    b"f 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
    "a polygon": b"".join(b"v %d %d %d\n" % (x, y, z) for z in (0, 1) for x, y in ((2, 0), (1, 2), (-1, 2), (-2, 0), (0, -2)))
    + b"f 5 4 3 2 1\nf 6 7 8 9 10\nf 1 2 7 6\nf 2 3 8 7\nf 3 4 9 8\nf 4 5 10 9\nf 5 1 6 10\n",
    "a bent polygon": b"".join(b"v %d %d %d\n" % (x, y, z) for z in (0, 1) for x, y in ((0, 0), (4, 0), (4, 4), (2, 1), (0, 4)))
    + b"f 5 4 3 2 1\nf 6 7 8 9 10\nf 1 2 7 6\nf 2 3 8 7\nf 3 4 9 8\nf 4 5 10 9\nf 5 1 6 10\n",
    "negative indices": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n",
    "slashes": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\ns off\nusemtl x\nf 1/1/1 3/1/1 2/1/1\nf 1/1/1 2/1/1 4/1/1\n"
    b"f 1/1/1 4/1/1 3/1/1\nf 2/1/1 3/1/1 4/1/1\n",
    "no faces": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1 # the top\nv .1 .1 .1\n",
    "colours, tabs and returns": b"v\t0 0 0 1 1 1\r\nv 1 0 0 1 1 1\r\nv 0 1 0 1 1 1\r\n  v 0 0 1 1 1 1\r\n"
    b"f 1 3 2\r\nf 1 2 4\r\nf 1 4 3\r\nf 2 3 4\r\n",
    "two of them": b"o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\no b\nv 5 5 5\nf 1 2 5\n",
    "faces of two corners": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 1 2\nl 1 2\n",
    "faces before vertices": b"f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n",
}


@pytest.mark.parametrize("name", OBJ_TEXTS)
def test_forms_of_obj(name, tmp_path):
    path = written(tmp_path, mjcf("a.obj", 'inertia="exact"' if "bent" in name else ""), a__obj=OBJ_TEXTS[name])
    model = load_model(path)
    if "bent" in name:  # the wheel cuts ears that overlap, and finds 11.4 m^3
        assert abs(model.body_mass[1] - 1000 * 10.0) < 1e-9
        return
    assert_equal(model, wheel(path))
    assert [str(record.message) for record in model.left_out] == (
        ["only the first of the file's 2 objects is used (MuJoCo's rule)"] if name == "two of them" else []
    )


@pytest.mark.parametrize("shape", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
@pytest.mark.parametrize("compiler", ["", 'fitaabb="true"'])
def test_primitives_fitted_to_a_mesh(shape, compiler, tmp_path):
    text = mjcf("a.stl", geom='size="3 4 5" fitscale="1.2" euler="10 20 30"', compiler=compiler)
    path = written(tmp_path, text.replace('type="mesh"', f'type="{shape}"'), a__stl=stl(*random_mesh(1)))
    model = load_model(path)
    assert_equal(model, wheel(path))
    assert model.nmesh == 1 and model.geom_dataid[0] == -1 and model.left_out == ()


FOLDERS = {
    "beside": ("a.stl", "", "a__stl"),
    "by meshdir": ("a.stl", 'meshdir="x"', "a__stl_of_x"),
    "by assetdir": ("a.stl", 'assetdir="x"', "a__stl_of_x"),
    "meshdir first": ("a.stl", 'assetdir="y" meshdir="x/y/.."', "a__stl_of_x"),
    "inside": ("x/y/a.stl", "", "a__stl_of_x/y"),
    "stripped": ("/home/me/a.stl", 'strippath="true" meshdir="x"', "a__stl_of_x"),
    "above": ("../a.stl", 'meshdir="x/y"', "a__stl_of_x"),
    "content type": ("a.bin", 'meshdir="x"', "a__bin_of_x"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_folders(name, tmp_path):
    file, compiler, place = FOLDERS[name]
    attributes = 'content_type="model/stl"' if name == "content type" else ""
    path = written(tmp_path, mjcf(file, attributes, compiler=compiler), **{place: stl(*TETRAHEDRON)})
    (tmp_path / "x" / "y").mkdir(parents=True, exist_ok=True)
    model = load_model(path)
    if name == "content type":  # of this wheel, only the file's name counts
        path = written(tmp_path, mjcf("b.stl"), b__stl=stl(*TETRAHEDRON))
    assert_equal(model, wheel(path))


def test_unnamed_meshes_and_defaults_classes(tmp_path):
    text = """<mujoco><default><mesh scale="2 2 2"/><default class="k"><mesh inertia="shell" maxhullvert="4"/></default></default>
      <asset><mesh file="a.stl"/><mesh class="k" name="b" file="a.stl"/>
        <mesh class="k" name="c" file="a.stl" scale="1 1 1"/></asset>
      <worldbody><geom type="mesh" mesh="a" contype="0" conaffinity="0"/><geom type="box" mesh="b"/></worldbody></mujoco>"""
    path = written(tmp_path, text, a__stl=stl(*random_mesh(3)))
    model = load_model(path)
    assert_equal(model, wheel(path))
    assert model.mesh_names == ("a", "b", "c") and model.mesh_id("b") == 1


def test_a_msh_file_of_the_wheel():
    path = Path(mujoco.__file__).parent / "testdata" / "msh.xml"
    if not path.exists():
        pytest.skip("this wheel has no test data")
    model = load_model(path)
    assert_equal(model, wheel(path))
    assert model.nmeshvert == 4374


def test_meshes_of_a_described_mechanism():
    """The same arrays as from a file; faces may be left to the hull."""
    vertices, faces = TETRAHEDRON
    models = []
    for given in (faces, None):
        mechanism = Mechanism(meshes=[Mesh("m", vertices, given)])
        body = mechanism.world.add(Body("b", joints=[Joint(type="free")]))
        body.geoms.append(Geom(type="mesh", mesh="m", contype=0, conaffinity=0))
        models.append(compile_model(mechanism))
    assert np.allclose(models[0].body_mass, [0.0, 1000.0 / 6.0], atol=1e-12)
    assert np.allclose(models[0].body_ipos[1], 0.25) and np.allclose(models[1].body_ipos[1], 0.25)
    with pytest.raises(ModelError, match="mesh 'm', vertices: 2 vertices"):
        compile_model(Mechanism(meshes=[Mesh("m", vertices[:2])]))
    for wrong in ([[0, 1, 9]], [[0.5, 1, 2]], [[0, 1, -1]]):
        with pytest.raises(ModelError, match="mesh 'm', faces: indices of vertices, 0 to 3, are accepted"):
            compile_model(Mechanism(meshes=[Mesh("m", vertices, wrong)]))
    with pytest.raises(ModelError, match="did you mean 'mesh'"):
        compile_model(Mechanism(meshes=[Mesh("mesh", vertices)], world=Body(geoms=[Geom(type="mesh", mesh="mosh")])))


@pytest.mark.parametrize("mode", [HardSimulator, SoftSimulator])
def test_meshes_that_only_draw_load_whole_in_both_modes(mode, tmp_path):
    """And weigh what they weigh: a fall is a fall."""
    path = written(tmp_path, mjcf("a.stl"), a__stl=stl(*random_mesh(2)))
    model = load_model(path)
    assert model.left_out == () and model.body_mass[1] > 0.0
    simulator = mode(model, timestep=0.01)
    step = simulator.step(simulator.initial_state(), np.zeros(0))
    assert step.status == 0 and abs(step.state.qvel[2] + 0.0981) < 1e-12
    assert check(path).ok


def test_meshes_that_can_touch_something(tmp_path):
    """They load whole, and both modes simulate them."""
    path = written(tmp_path, mjcf("a.stl", geom=TOUCHING), a__stl=stl(*TETRAHEDRON))
    model = load_model(path)
    assert model.left_out == () and model.mesh_graphadr[0] == 0
    assert_equal(model, wheel(path))
    SoftSimulator(model)


def test_both_modes_have_a_mesh_on_a_plane(tmp_path):
    floor = '<worldbody><geom name="f" type="plane" size="1 1 1"/></worldbody></mujoco>'
    text = mjcf("a.stl", geom=TOUCHING).replace("</mujoco>", floor)
    model = load_model(written(tmp_path, text, a__stl=stl(*TETRAHEDRON)))
    assert len(HardSimulator(model).world.pairs.geom) == 1
    assert len(SoftSimulator(model)._packed.pairs) == 1


def test_pairs_of_a_mesh(tmp_path):
    text = mjcf("a.stl", geom='contype="0" conaffinity="0"').replace(
        "</mujoco>",
        '<worldbody><geom name="f" type="plane" size="1 1 1"/></worldbody><contact><pair geom1="f" geom2="g"/></contact></mujoco>',
    )
    path = written(tmp_path, text, a__stl=stl(*TETRAHEDRON))
    model = load_model(path)
    assert model.npair == 1
    assert_equal(model, wheel(path))


# -- URDF

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{}</link>'
ROBOT = """<robot name="r">{}<link name="base"/>{}
  <joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>"""
SWITCH = '<mujoco><compiler discardvisual="false" {}/></mujoco>'


def urdf(shapes, compiler="", inertial=True):
    link = LINK.format("a", shapes)
    link = link if inertial else link[: link.index("<inertial>")] + link[link.index("</inertial>") + len("</inertial>") :]
    return ROBOT.format(SWITCH.format(compiler), link)


def shown(name, scale="", tag="visual"):
    return f'<{tag}><origin xyz="1 2 3" rpy="1 2 3"/><geometry><mesh filename="{name}" {scale}/></geometry></{tag}>'


@pytest.mark.parametrize(
    ("name", "compiler", "folder"),
    [
        ("a.stl", "", ""),
        ("a.stl", 'meshdir="m"', "m"),
        ("x/a.stl", 'meshdir="m"', "m/x"),
        ("x/a.stl", 'assetdir="m"', "m/x"),
        ("package://pkg/x/a.stl", 'strippath="true" meshdir="m"', "m"),
        ("/home/me/a.stl", 'strippath="true"', ""),
    ],
)
def test_urdf_meshes_as_the_wheel_finds_them(name, compiler, folder, tmp_path):
    """One mesh for every file and scale."""
    shapes = shown(name) + shown(name, 'scale="2 2 2"') + shown(name, 'scale="2 2 2"') + shown(name, 'scale="1 -1 3"')
    path = written(tmp_path, urdf(shapes, compiler), "r.urdf", **{f"a__stl_of_{folder}": stl(*random_mesh(5))})
    model = load_model(path)
    assert_equal(model, wheel(path))
    assert model.mesh_names == ("a", "a1", "a2") and model.left_out == ()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("meshes/a.stl", "robot/urdf/meshes"),
        ("../meshes/a.stl", "robot/meshes"),
        ("package://robot/meshes/a.stl", "robot/meshes"),
        ("package://renamed/meshes/a.stl", "robot/meshes"),
        ("package://other/meshes/a.stl", "other/meshes"),
        ("package://other/meshes/a.stl", "robot/urdf"),
    ],
)
def test_urdf_meshes_in_their_folders(name, place, tmp_path):
    """Relative to the file, or in a package: a folder of that name above the file, or the one the file lies in."""
    folder = tmp_path / "robot" / "urdf"
    folder.mkdir(parents=True)
    written(tmp_path, "", "x", **{f"a__stl_of_{place}": stl(*random_mesh(5))})
    (folder / "r.urdf").write_text(urdf(shown(name)))
    model = load_model(folder / "r.urdf")
    assert model.nmesh == 1 and model.left_out == ()


def test_urdf_collision_meshes(tmp_path):
    """They give their mass, and touch."""
    path = written(tmp_path, urdf(shown("a.stl", tag="collision"), inertial=False), "r.urdf", a__stl=stl(*random_mesh(6)))
    assert_equal(load_model(path), wheel(path))


def test_urdf_meshes_that_are_missing_or_bad(tmp_path):
    path = written(tmp_path, urdf(shown("a.stl")), "r.urdf")
    (record,) = load_model(path).left_out
    assert record.notice and MISSING.format(tmp_path / "a.stl") in record.message
    path = written(tmp_path, urdf(shown("a.stl")), "r.urdf", a__stl=GOOD[:-3])
    with pytest.raises(ModelError, match=r"a\.stl: mesh: 4 triangles .* \(mesh of .*r\.urdf:1\)"):
        load_model(path)
    path = written(tmp_path, urdf(shown("b.dae")), "r.urdf", b__dae=b"<xml/>")
    with pytest.raises(ModelError, match="'.dae' is not one of the mesh formats"):
        load_model(path)
    path = written(tmp_path, urdf(shown("a.stl", 'scale="2"')), "r.urdf", a__stl=GOOD)
    with pytest.raises(ModelError, match="3 numbers are accepted"):
        load_model(path)


def test_a_simulation_is_the_same_with_and_without_what_only_draws(tmp_path):
    """Bit for bit, in both modes."""
    plain = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 .3"><freejoint/><geom type="sphere" size=".1"/>{}</body></worldbody>{}</mujoco>"""
    mesh = '<geom type="mesh" mesh="m" mass="0" contype="0" conaffinity="0"/>'
    asset = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    for mode in (dojo_py.HardSimulator, dojo_py.SoftSimulator):
        runs = []
        for text in (plain.format("", ""), plain.format(mesh, asset)):
            simulator = mode(load_model(text), timestep=0.01)
            runs.append(simulator.rollout(simulator.initial_state(), np.zeros((50, 0))).qpos)
        assert np.array_equal(*runs)
