"""Mesh files that are missing, damaged, open or too large: errors with file and line or byte, in bounded time."""

import time

import mesh_texts
import numpy as np
import pytest
from mesh_texts import GOOD, MISSING, TETRAHEDRON, TOUCHING, WRITERS, mjcf, random_mesh, stl, stl_text, wheel, written
from wheel_oracle import assert_equal

from dojo_py import ModelError, load_model
from dojo_py.formats import check


@pytest.fixture(autouse=True)
def wheel_log_elsewhere(tmp_path, monkeypatch):
    """The wheel writes its warnings into the working folder."""
    monkeypatch.chdir(tmp_path)


def test_missing_files(tmp_path):
    """What only draws is left out and named; what weighs or touches is refused."""
    text = mjcf("a.stl", geom='contype="0" conaffinity="0" mass="0"')
    path = written(tmp_path, text.replace("<geom", '<geom size="1"/><geom'))
    (record,) = load_model(path).left_out
    assert record.notice and str(record) == f"{path}:4: geom 'g', mesh: {MISSING.format(tmp_path / 'a.stl')}"
    path = written(tmp_path, mjcf("a.stl"))
    with pytest.raises(ModelError, match="body 'b' would lose an unknown mass"):
        load_model(path, unsupported="skip")
    path = written(tmp_path, mjcf("a.stl", geom=TOUCHING))
    with pytest.raises(ModelError, match="does not exist; a mesh that can touch something"):
        load_model(path)
    path = written(tmp_path, '<mujoco><asset><mesh file="a.stl"/></asset><worldbody><geom size="1"/></worldbody></mujoco>')
    assert "does not exist" in load_model(path).left_out[0].message
    assert "has no folder: load the model from a path" in load_model(path.read_text()).left_out[0].message


def test_absolute_files_of_a_text(tmp_path):
    """A text has no folder, which absolute names do not need (the wheel's from_xml_string reads them)."""
    (tmp_path / "a.stl").write_bytes(stl(*TETRAHEDRON))
    text = mjcf(tmp_path / "a.stl", geom=TOUCHING)
    whole = load_model(written(tmp_path, text))
    assert np.array_equal(load_model(text).body_inertia, whole.body_inertia)
    (tmp_path / "part.xml").write_text('<mujoco><worldbody><geom name="part" size="1"/></worldbody></mujoco>')
    included = load_model(f'<mujoco><include file="{tmp_path / "part.xml"}"/></mujoco>')
    assert included.geom_names == ("part",)
    named = f'<asset><model name="m" file="{tmp_path / "part.xml"}"/></asset>'
    attached = load_model(f'<mujoco>{named}<worldbody><attach model="m" prefix="x_"/></worldbody></mujoco>')
    assert attached.geom_names == ("x_part",)


NAN = np.array([[np.nan, 0.0, 0.0], *TETRAHEDRON[0][1:]])
FLAT = (np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), np.array([[0, 1, 2], [1, 3, 2]]))
LINES = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
BAD_FILES = {
    "empty stl": ("a.stl", b"", "{}: mesh: the file is empty"),
    "empty obj": ("a.obj", b"", "{}:1: mesh: the file has no vertices"),
    "empty msh": ("a.msh", b"", "begins with 16 bytes of sizes; the file ends at byte 0"),
    "header only": ("a.stl", GOOD[:50], "needs 84 bytes before its triangles; the file ends at byte 50"),
    "truncated stl": ("a.stl", GOOD[:-1], "4 triangles (byte 80) need 284 bytes; the file has 283"),
    "no triangles": ("a.stl", bytes(84), "no triangles: the number at byte 80 is 0"),
    "truncated text": ("a.stl", stl_text(*TETRAHEDRON)[:-14], "{}:30: mesh: the file ends before 'endsolid'"),
    "text with a square": (
        "a.stl",
        stl_text(*TETRAHEDRON).replace(b"endloop", b"vertex 1 2 3", 1),
        "{}:8: mesh: the facet has 4 vertices",
    ),
    "text of nothing": ("a.stl", b"solid x\nendsolid x\n", "{}:3: mesh: the file has no triangles"),
    "text with junk": ("a.stl", b"solid x\nfacet\nvertex 1 2\n", "{}:3: mesh: a vertex is three numbers"),
    "a word in a text": ("a.stl", b"solid x\nfacit\n", "{}:2: mesh: 'facit' is not a word of a text STL file"),
    "truncated msh": ("a.msh", mesh_texts.msh(*TETRAHEDRON)[:-4], "4 faces (byte 0) need 112 bytes; the file has 108"),
    "negative msh": ("a.msh", b"\xff" * 16, "byte 0: -1 vertices"),
    "msh with a bad face": ("a.msh", mesh_texts.msh(TETRAHEDRON[0], [[0, 1, 4]]), "face 0, byte 64: [0, 1, 4] are not"),
    "nan stl": ("a.stl", stl(NAN, TETRAHEDRON[1]), "triangle 0, byte 96: vertex nan 0 0 is not finite"),
    "nan msh": ("a.msh", mesh_texts.msh(NAN, TETRAHEDRON[1]), "vertex 0, byte 16: nan 0 0 is not finite"),
    "nan obj": ("a.obj", b"v 0 0 0\nv nan 0 0\n", "{}:2: mesh: vertex nan 0 0 is not finite"),
    "huge obj": ("a.obj", b"v 0 0 0\nv 1e300 0 0\n", "{}:2: mesh: vertex 1e300 0 0 is not finite or too large"),
    "letters": ("a.obj", b"v 0 0 0\nv a 0 0\n", "{}:2: mesh: 'a 0 0' was read; a vertex is three numbers"),
    "two numbers": ("a.obj", b"v 0 0 0\nv 1 0\n", "{}:2: mesh: '1 0' was read; a vertex is three numbers"),
    "index 0": ("a.obj", LINES + b"f 0 1 2\n", "{}:5: mesh: [0, 1, 2] are not vertices: numbers begin at 1"),
    "index too large": ("a.obj", LINES + b"f 1 2 3\nf 1 2 5\n", "{}:6: mesh: vertex 5 does not exist; the file has 4"),
    "index too small": ("a.obj", LINES + b"f -1 -2 -5\n", "{}:5: mesh: [-1, -2, -5] are not vertices"),
    "face of letters": ("a.obj", LINES + b"f 1 2 x\n", "{}:5: mesh: '1 2 x' is not a face; accepted: vertex numbers"),
    "face of 1100 corners": (
        "a.obj",
        LINES + b"f" + b" 1 2 3 1" * 275 + b"\n",
        "{}:5: mesh: a face of 1100 corners; at most 1024",
    ),
    "flat": ("a.obj", mesh_texts.obj(*FLAT), "mesh 'm': the volume is zero"),
    "flat hull": ("a.obj", mesh_texts.obj(FLAT[0], ()), "mesh 'm': no convex hull: all vertices lie in a plane"),
    "three points": ("a.obj", LINES[:24], "3 vertices; 4 to 1000000 vertices and faces are accepted"),
    "points in one place": ("a.obj", b"v 1 1 1\n" * 8 + b"f 1 2 3\n", "the surface area is zero"),
    "not a mesh": ("a.obj", b"\x89PNG\r\n\x1a\n" + bytes(100), "the file has no vertices"),
    "wrong extension": (
        "a.dae",
        b"<xml/>",
        "{}: mesh: '.dae' is not one of the mesh formats ['.obj', '.stl', '.msh']; convert it",
    ),
    "no extension": ("a", GOOD, "'' is not one of the mesh formats"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("policy", ["error", "skip"])
def test_bad_files(name, policy, tmp_path):
    """ModelError with the mesh file and its line or byte (or the asset's line), under every policy."""
    file, data, message = BAD_FILES[name]
    path = written(tmp_path, mjcf(file))
    (tmp_path / file).write_bytes(data)
    with pytest.raises(ModelError) as caught:
        load_model(path, unsupported=policy)
    assert message.format(tmp_path / file) in str(caught.value)
    assert str(path) in str(caught.value)
    assert not check(path).ok


NOT_CLOSED = (TETRAHEDRON[0], TETRAHEDRON[1][:2])
BAD_ATTRIBUTES = {
    "two faces of one edge": (TETRAHEDRON[0], [[0, 1, 2], [0, 1, 3]], 'inertia="exact"', "the edge of vertices 1 to 2"),
    "inside out": (
        TETRAHEDRON[0],
        TETRAHEDRON[1][:, ::-1],
        'inertia="exact"',
        "the volume is negative (-0.166667 m^3)",
    ),
    "scale 0": (*TETRAHEDRON, 'scale="0 1 1"', "three numbers other than 0"),
    "few vertices": (*TETRAHEDRON, 'maxhullvert="3"', "'3' was read; -1 or a number greater than 3 is accepted"),
    "no direction": (*TETRAHEDRON, 'refquat="0 0 0 0"', "a quaternion of zero length has no direction"),
    "a word": (*TETRAHEDRON, 'inertia="solid"', "'solid' is not one of ['convex', 'exact', 'legacy', 'shell']"),
    "a type": (*TETRAHEDRON, 'content_type="model/dae"', "content_type 'model/dae' is not one of"),
    "vertices twice": (*TETRAHEDRON, 'vertex="0 0 0"', "mesh 'm', vertex: is given by the file, too"),
    "faces twice": (*TETRAHEDRON, 'face="0 1 2"', "mesh 'm', face: is given by the file, too"),
    "unknown": (*TETRAHEDRON, 'skale="1 1 1"', "did you mean 'scale'?"),
}


@pytest.mark.parametrize("name", BAD_ATTRIBUTES)
def test_bad_attributes(name, tmp_path):
    vertices, faces, attributes, message = BAD_ATTRIBUTES[name]
    path = written(tmp_path, mjcf("a.obj", attributes), a__obj=mesh_texts.obj(vertices, faces))
    with pytest.raises(ModelError) as caught:
        load_model(path)
    text = str(caught.value)
    assert message in text and (f"{path}:2: mesh 'm'" in text or f"(mesh 'm' of {path}:2)" in text)


def test_an_open_mesh_has_the_wheels_inertia(tmp_path):
    """MuJoCo's "legacy" takes it as it comes, and so do thousands of files."""
    path = written(tmp_path, mjcf("a.stl"), a__stl=stl(*NOT_CLOSED))
    assert_equal(load_model(path), wheel(path))


INLINE = """<mujoco><asset><mesh name="m" {}/></asset>
  <worldbody><geom type="mesh" mesh="m" contype="0" conaffinity="0"/></worldbody></mujoco>"""
BAD_INLINE = {
    "nothing": ("", "a mesh needs a file, or the attribute vertex"),
    "ten numbers": ('vertex="0 0 0 1 0 0 0 1 0 1"', "multiples of three numbers"),
    "five indices": ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2 0 1"', "multiples of three numbers"),
    "no such vertex": ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 4"', "indices of vertices, 0 to 3, are accepted"),
    "half a vertex": ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 1.5"', "is not an integer"),
    "infinite": ('vertex="0 0 0 1 0 0 0 1 0 0 0 inf"', "not a finite number"),
}


@pytest.mark.parametrize("name", BAD_INLINE)
def test_bad_inline_meshes(name):
    attributes, message = BAD_INLINE[name]
    with pytest.raises(ModelError, match=message):
        load_model(INLINE.format(attributes))


def test_meshes_made_by_others_are_named():
    plugin = '><plugin plugin="x"/></mesh><mesh name="n" file="x.stl"'
    for attributes, word in (('builtin="sphere" params="2"', "builtin"), (plugin, "plugin")):
        with pytest.raises(ModelError, match=f"mesh 'm' is made by a {word}"):
            load_model(INLINE.format(attributes).replace('contype="0"', 'contype="1"'))


def test_no_file_costs_much_time(tmp_path):
    """Ten million faces are refused before they are read; a folder and a device are no files."""
    count = 10_000_000
    sparse = tmp_path / "a.stl"
    with open(sparse, "wb") as file:
        file.write(b" " * 80 + count.to_bytes(4, "little"))
        file.truncate(84 + 50 * count)
    begin = time.perf_counter()
    with pytest.raises(ModelError, match=r"a\.stl: mesh: the file has more than 268435456 bytes"):
        load_model(written(tmp_path, mjcf("a.stl")))
    sparse.write_bytes(b" " * 80 + count.to_bytes(4, "little") + bytes(50))
    with pytest.raises(ModelError, match="10000000 faces are more than the limit of 1000000"):
        load_model(tmp_path / "model.xml")
    (tmp_path / "a.obj").write_bytes(b"v 0 0 0\n" + b"f 1 1 1\n" * 2_000_000)
    with pytest.raises(ModelError, match="2000000 faces are more than the limit"):
        load_model(written(tmp_path, mjcf("a.obj")))
    (tmp_path / "d.obj").mkdir()
    for name in ("d.obj", "/dev/zero"):
        with pytest.raises(ModelError, match="is not a file" if name == "d.obj" else "is not one of the mesh formats"):
            load_model(written(tmp_path, mjcf(name)))
    assert time.perf_counter() - begin < 5.0  # measured: 0.1 s


def test_random_damage_is_an_error_or_a_model(tmp_path):
    """Files with bytes changed, cut and repeated: nothing but a Model or a ModelError, 300 of each kind."""
    rng = np.random.default_rng(0)
    vertices, faces = random_mesh(0, 12)
    texts = {kind: writer(vertices, faces) for kind, writer in WRITERS.items()} | {"txt": stl_text(vertices, faces)}
    outcomes = []
    for kind, good in texts.items():
        name = "a.stl" if kind == "txt" else f"a.{kind}"
        path = written(tmp_path, mjcf(name))
        for _ in range(300):
            data = bytearray(good)
            for _ in range(int(rng.integers(1, 4))):
                place = int(rng.integers(len(data)))
                data[place : place + int(rng.integers(0, 6))] = rng.bytes(int(rng.integers(0, 6)))
            (tmp_path / name).write_bytes(bytes(data))
            try:
                outcomes.append(load_model(path).nmesh)
            except ModelError:
                outcomes.append(-1)
    assert set(outcomes) == {-1, 1}
