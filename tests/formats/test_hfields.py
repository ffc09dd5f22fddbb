"""Height fields: arrays against the wheel, files, what is refused, editing, writing, pictures, rays."""

import io

import mujoco
import numpy as np
import pytest
from wheel_oracle import assert_equal

import dojo_py
from dojo_py import ModelError, load_mechanism, load_model, save_mjcf
from dojo_py.drawing.surfaces import surface_of
from dojo_py.mechanism.archive import pack_model, unpack_model
from dojo_py.mechanism.spec import Geom, HField, Mechanism
from dojo_py.sensors.rays import _distance

TEXT = """<mujoco><compiler meshdir="land"/><asset>
  <hfield {}/></asset><worldbody>
  <geom name="g" type="hfield" hfield="h" pos="1 2 3" euler="10 20 30"/>
  <body><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
GOOD = 'name="h" nrow="3" ncol="4" size="1 2 .5 .1" elevation="{}"'
HEIGHTS = np.random.default_rng(3).normal(size=(3, 4))
NUMBERS = " ".join(repr(float(h)) for h in HEIGHTS.ravel())


@pytest.fixture(autouse=True)
def wheel_log_elsewhere(tmp_path, monkeypatch):
    """The wheel writes its warnings into the working folder."""
    monkeypatch.chdir(tmp_path)


def binary(heights, nrow=None, ncol=None):
    """MuJoCo's format; rows with ascending y."""
    counts = (nrow or np.shape(heights)[0], ncol or np.shape(heights)[1])
    return np.array(counts, "<i4").tobytes() + np.asarray(heights, "<f4").tobytes()


def written(folder, attributes, name="", data=b""):
    """The path of a model whose height field has these attributes, beside a file in its meshdir."""
    (folder / "land").mkdir(exist_ok=True)
    if name:
        (folder / "land" / name).write_bytes(data)
    path = folder / "model.xml"
    path.write_text(TEXT.format(attributes))
    return path


@pytest.mark.parametrize("elevation", [NUMBERS, "", "3 " * 12, "1e-50 " * 12, "-1 2 -3 " * 4])
def test_arrays_are_the_wheels(elevation):
    """To 1e-12; measured: 3e-16. The heights are equal bit by bit."""
    text = TEXT.format(GOOD.format(elevation))
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    assert_equal(model, wheel, 1e-12)
    assert np.array_equal(model.hfield_data, wheel.hfield_data)


@pytest.mark.parametrize("name, kind", [("a.bin", ""), ("a", ""), ("a.hf", 'content_type="image/vnd.mujoco.hfield"')])
def test_binary_files(tmp_path, name, kind):
    """Whatever else the element says, the file counts; it is looked for in meshdir, and gives the name where none is given."""
    for attributes in (f'name="h" file="{name}" {kind}', f'name="h" file="{name}" nrow="9" ncol="2" elevation="1 2 3" {kind}'):
        path = written(tmp_path, f'{attributes} size="1 1 2 .1"', name, binary(HEIGHTS))
        assert_equal(load_model(path), mujoco.MjModel.from_xml_path(str(path)), 1e-12)
    path.write_text(path.read_text().replace('name="h" file', "file").replace('hfield="h"', 'hfield="a"'))
    assert load_model(path).hfield_names == ("a",)


PICTURES = {
    "L": (3, 4), "LA": (3, 4, 2), "RGB": (5, 2, 3), "RGBA": (2, 2, 4), "1": (4, 4), "I;16": (3, 5), "P": (4, 4, 3),
}  # fmt: skip


@pytest.mark.parametrize("mode", PICTURES)
def test_pictures(tmp_path, mode):
    image = pytest.importorskip("PIL.Image")
    values = np.random.default_rng(1).integers(0, 65536 if mode == "I;16" else 256, PICTURES[mode])
    picture = image.fromarray(values.astype({"I;16": np.uint16, "1": bool}.get(mode, np.uint8)))
    stream = io.BytesIO()
    (picture.convert("P") if mode == "P" else picture).save(stream, "PNG")
    path = written(tmp_path, 'name="h" file="a.PNG" size="1 1 2 .1"', "a.PNG", stream.getvalue())
    model, wheel = load_model(path), mujoco.MjModel.from_xml_path(str(path))
    assert_equal(model, wheel, 1e-12)
    assert np.array_equal(model.hfield_data, wheel.hfield_data)


SIZE = 'size="1 1 2 .1"'
BAD = {
    "elevation too short": (GOOD.format("1 2 3"), "model.xml:2: hfield 'h', elevation: 3 numbers were read; nrow times ncol, 12"),
    "not finite": (GOOD.format("1 2 nan" + " 0" * 9), "elevation"),
    "no points": (f'name="h" {SIZE}', "hfield 'h', nrow: 0 was read; at least 2 points are accepted, or a file"),
    "one row": (f'name="h" nrow="1" ncol="4" {SIZE}', "hfield 'h', nrow: 1 was read; at least 2"),
    "one column": (f'name="h" nrow="4" ncol="-4" {SIZE}', "hfield 'h', ncol: -4 was read; at least 2"),
    "huge": (f'name="h" nrow="100000" ncol="100000" {SIZE}', "at most 16000000 are accepted"),
    "no size": ('name="h" nrow="2" ncol="2"', "hfield 'h', size: 0 numbers were read, 4 numbers are accepted"),
    "flat size": ('name="h" nrow="2" ncol="2" size="1 1 0 1"', "hfield 'h', size: four positive numbers are accepted"),
    "no name": (f'nrow="2" ncol="2" {SIZE}', "hfield, name: a height field needs a name or a file"),
    "word": (f'name="h" nrow="2.5" ncol="2" {SIZE}', "nrow"),
    "unknown attribute": (f'name="h" row="2" ncol="2" {SIZE}', "row"),
    "no file": (f'name="h" file="b.bin" {SIZE}', "b.bin' does not exist; a hfield that can touch something is needed"),
}
FILES = {
    "empty": (b"", "a.bin: hfield: 0 bytes; two int32 numbers"),
    "short": (binary(HEIGHTS)[:-1], "3 rows of 4 float32 heights need 56 bytes; 55 were read (height field 'h' of "),
    "long": (binary(HEIGHTS) + b"1", "need 56 bytes; 57 were read"),
    "negative": (binary(HEIGHTS, -3), "-3 rows and 4 columns; at least 2"),
    "one row": (binary(HEIGHTS[:1]), "1 rows and 4 columns; at least 2"),
    "huge": (binary(HEIGHTS, 2**30, 2**30), "at most 16000000 points"),
    "nan": (binary([[0, np.nan], [1, 2]]), "hfield 'h', elevation: number 4 is nan: not finite"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_elements(tmp_path, case):
    attributes, message = BAD[case]
    with pytest.raises(ModelError) as caught:
        load_model(written(tmp_path, attributes))
    assert message in str(caught.value)


@pytest.mark.parametrize("case", FILES)
def test_bad_files(tmp_path, case):
    data, message = FILES[case]
    with pytest.raises(ModelError) as caught:
        load_model(written(tmp_path, f'name="h" file="a.bin" {SIZE}', "a.bin", data))
    assert message in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", binary(HEIGHTS)])
def test_bad_pictures(tmp_path, data):
    pytest.importorskip("PIL.Image")
    with pytest.raises(ModelError, match="is not a PNG picture that can be read"):
        load_model(written(tmp_path, f'name="h" file="a.bin" content_type="image/png" {SIZE}', "a.bin", data))


def test_without_pillow(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(ModelError, match="a.png: hfield: PNG files need Pillow: pip install 'dojo-sim.view.'"):
        load_model(written(tmp_path, f'name="h" file="a.png" {SIZE}', "a.png", b"x"))


GEOMS = {
    "no name": ('type="hfield"', "geom, hfield: a geom of type 'hfield' needs the name of a height field"),
    "other type": ('size="1" hfield="h"', "is only accepted for a geom of type 'hfield', not 'sphere'"),
    "unknown": ('type="hfield" hfield="hh"', "no height field is named 'hh'"),
    "ends": ('type="hfield" hfield="h" fromto="0 0 0 1 1 1"', "fromto: is not accepted for a height field"),
}


@pytest.mark.parametrize("case", GEOMS)
def test_bad_geoms(case):
    geom, message = GEOMS[case]
    text = TEXT.format(GOOD.format(NUMBERS)).replace('name="g" type="hfield" hfield="h"', geom)
    with pytest.raises(ModelError) as caught:
        load_model(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", ["geom", "body"])
def test_no_sensor_measures_the_distance_of_a_height_field(kind):
    """The wheel refuses geoms, too."""
    text = TEXT.format(GOOD.format(NUMBERS)).replace("<geom size", '<geom name="b" size').replace("<body>", '<body name="b">')
    text = text.replace("<geom name", '<body name="g"><geom name', 1).replace('euler="10 20 30"/>', 'euler="10 20 30"/></body>')
    with pytest.raises(ModelError, match="distance of a height field is not measured"):
        load_model(text.replace("</mujoco>", f'<sensor><distance {kind}1="b" {kind}2="g"/></sensor></mujoco>'))


def test_a_body_of_a_height_field_weighs_what_the_wheel_says():
    text = TEXT.format(GOOD.format(NUMBERS)).replace("<freejoint/>", '<freejoint/><geom type="hfield" hfield="h" conaffinity="0"/>')
    assert_equal(load_model(text), mujoco.MjModel.from_xml_string(text), 1e-12)


def test_built_by_hand_written_and_kept(tmp_path):
    mechanism = Mechanism()
    mechanism.add(HField("hill", size=(1, 2, 0.5, 0.1), elevation=HEIGHTS))
    mechanism.world.add(Geom("t", type="hfield", hfield="hill"))
    model = mechanism.compile()
    assert model.hfield("hill").nrow == 3 and model.hfield_id("hill") == 0
    save_mjcf(model, tmp_path / "out.xml")
    assert np.array_equal(load_model(tmp_path / "out.xml").hfield_data, model.hfield_data)
    assert_equal(model, mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml")))
    again = unpack_model(*pack_model(model))
    assert np.array_equal(again.hfield_data, model.hfield_data)
    moved = model.replace(geom_pos=np.array([[1.0, 0, 0]]))
    save_mjcf(moved, tmp_path / "moved.xml")
    assert load_model(tmp_path / "moved.xml").geom_pos[0, 0] == 1.0
    whole = Mechanism()
    whole.attach(mechanism, prefix="a_")
    assert whole.compile().hfield_names == ("a_hill",)
    mechanism.delete(mechanism.find("hfield", "hill"))
    assert mechanism.compile().ngeom == 0
    with pytest.raises(ModelError, match="hfield 'hill', elevation: numbers are accepted"):
        Mechanism(hfields=[HField("hill", 2, 2, (1, 1, 1, 1), [[1, 2], [3]])]).compile()


def test_a_damaged_archive_is_refused():
    arrays, values = pack_model(load_model(TEXT.format(GOOD.format(NUMBERS))))
    for name, wrong in (
        ("hfield_nrow", [4]),
        ("hfield_adr", [1]),
        ("geom_dataid", [1, -1]),
        ("hfield_ncol", [-4]),
        ("body_mocapid", [0, -1]),
    ):
        with pytest.raises(ModelError, match="not one of this version"):
            unpack_model(arrays | {name: np.array(wrong, np.int32)}, values)


def test_the_surface_that_is_drawn():
    """The volume under the triangles: the mean of each triangle's heights times its area, and the base."""
    model = load_model(TEXT.format(GOOD.format(NUMBERS)))
    surface = surface_of(model, 0)
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    z = model.hfield_data.reshape(3, 4).astype(float) * 0.5
    halves = z[:-1, :-1] + z[1:, 1:] + 0.5 * (z[1:, :-1] + z[:-1, 1:])
    expected = np.sum(halves) / 3.0 * (2.0 / 3.0) * 2.0 + 0.1 * 8.0
    assert abs(np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 - expected) < 1e-12
    assert dojo_py.load_mechanism(TEXT.format(GOOD.format(NUMBERS))).hfields[0].nrow == 3


def test_rays_are_the_wheels():
    """Also of rays that start inside."""
    text = TEXT.format(GOOD.format(NUMBERS))
    model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(wheel), np.random.default_rng(0)
    mujoco.mj_forward(wheel, data)
    turn, hits = data.geom_xmat[0].reshape(3, 3), 0
    for _ in range(500):
        point, along = 1.5 * rng.normal(size=3), rng.normal(size=3)
        along /= np.linalg.norm(along)
        theirs = mujoco.mj_rayHfield(wheel, data, 0, data.geom_xpos[0] + turn @ point, turn @ along, None)
        ours = _distance(model, 0, point[None], along[None])[0]
        assert ours == np.inf if theirs < 0.0 else abs(ours - theirs) < 1e-12  # measured: 5e-15
        hits += theirs >= 0.0
    assert hits > 50


def test_copies_share_the_heights():
    mechanism = load_mechanism(TEXT.format(GOOD.format(NUMBERS)))
    assert mechanism.copy().hfields[0].elevation is mechanism.hfields[0].elevation
