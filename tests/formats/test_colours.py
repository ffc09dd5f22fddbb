"""Materials and colours of geoms against the wheel, and which colour is drawn."""

import itertools
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from dojo_py import ModelError, load_model, save_mjcf
from dojo_py.drawing.surfaces import colour_of, picture_of
from dojo_py.mechanism.archive import pack_model, unpack_model
from dojo_py.mechanism.model_arrays import NOT_IN_MUJOCO
from dojo_py.mechanism.textures import MOST

MATERIALS = ("mat_rgba", "mat_emission", "mat_specular", "mat_shininess", "mat_reflectance", "mat_metallic", "mat_roughness")
FILE = """<mujoco><asset>
  <texture name="check" type="2d" builtin="checker" rgb1="0.2 0.4 0.6" rgb2="0.4 0.6 0.8" width="8" height="8"/>
  <texture name="plain" type="2d" builtin="flat" rgb1="0.5 0 0" width="8" height="8"/>
  <material name="floor" texture="check" rgba="1 0.5 1 1" reflectance="0.2"/>
  <material name="red" rgba="1 0 0 0.5" specular="0.1" shininess="0.9" emission="0.3" metallic="0.7" roughness="0.2"/>
  <material name="deep" rgba="0.25 1 1 1"/><material name="wall" texture="plain"/><material name="gone" rgba="0 0 0 0"/></asset>
  <default><default class="painted"><geom material="red"/></default></default>
  <worldbody><geom type="plane" size="0 0 1" material="floor"/><geom size="1" class="painted"/><geom size="1" material="deep"/>
  <geom size="1" material="red" rgba="0 1 0 1"/><geom size="1"/><geom size="1" material="wall"/><geom size="1" material="gone"/>
  </worldbody></mujoco>"""


def same(model, wheel):
    names = (*MATERIALS, "mat_texrepeat", "mat_texuniform", "geom_rgba", "geom_matid")
    return [name for name in names if not np.array_equal(getattr(model, name), getattr(wheel, name))]


def test_materials_are_the_wheels():
    model, wheel = load_model(FILE), mujoco.MjModel.from_xml_string(FILE)
    assert same(model, wheel) == [] and model.nmat == wheel.nmat == 5
    assert model.material_names == ("floor", "red", "deep", "wall", "gone")
    assert model.material("red").rgba[3] == 0.5 and model.geom(1).matid == 1
    again = model.replace(mat_rgba=np.ones((5, 4)))
    assert again.material("red").rgba[3] == 1.0


def test_what_is_drawn_is_the_geoms_colour_else_its_materials():
    model = load_model(FILE)
    drawn = np.array([colour_of(model, g) for g in range(model.ngeom)])
    expected = [
        (0.3, 0.25, 0.7, 1),  # the mean of both squares, times the material's colour
        (1, 0, 0, 0.5), (0.25, 1, 1, 1), (0, 1, 0, 1), (0.5, 0.5, 0.5, 1), (0.5, 0, 0, 1), (0, 0, 0, 0),
    ]  # fmt: skip
    assert np.abs(drawn - expected).max() < 1e-6
    wheel = mujoco.MjModel.from_xml_string(FILE)
    assert np.abs(np.array([colour_of(wheel, g) for g in range(1, 5)]) - expected[1:5]).max() < 1e-6


PICTURES = """<mujoco><asset>
  <texture name="skin" type="2d" file="skin.png"/><texture name="sides" type="cube" fileright="sky.png" fileleft="{away}"/>
  <texture name="away" type="2d" file="{away}"/>
  <material name="a" texture="skin" rgba="1 0.5 1 1"/><material name="b"><layer role="rgb" texture="sides"/></material>
  <material name="c" texture="away"/></asset>
  <worldbody><geom size="1" material="a"/><geom size="1" material="b"/><geom size="1" material="c"/></worldbody></mujoco>"""


def pictures(folder, away):
    """The file of a model with pictures of noise, 200 by 120 pixels and two of 64 by 64."""
    Image = pytest.importorskip("PIL.Image", reason="no Pillow: pip install 'dojo-sim[view]'")
    rng = np.random.default_rng(0)
    skin = rng.integers(0, 256, (120, 200, 3), np.uint8) // np.array([1, 2, 4], np.uint8)
    Image.fromarray(skin).save(folder / "skin.png")
    for name in ("sky.png", away):
        Image.fromarray(rng.integers(0, 100, (64, 64, 3), np.uint8)).save(folder / name)
    (folder / "robot.xml").write_text(PICTURES.format(away=away))
    return folder / "robot.xml"


def mean_of(wheel, texture):
    """Mean red, green, blue of a texture as the wheel has read it."""
    start, channels = wheel.tex_adr[texture], wheel.tex_nchannel[texture]
    data = wheel.tex_data[start : start + wheel.tex_height[texture] * wheel.tex_width[texture] * channels]
    return data.reshape(-1, channels)[:, :3].astype(float).mean(axis=0) / 255.0


def test_pictures_are_drawn_in_their_mean_colour(tmp_path):
    file = pictures(tmp_path, "dark.png")
    model, wheel = load_model(file), mujoco.MjModel.from_xml_path(str(file))
    skin, dark = mean_of(wheel, 0), mean_of(wheel, 2)
    sky = np.asarray(pytest.importorskip("PIL.Image").open(tmp_path / "sky.png"), float).mean(axis=(0, 1)) / 255.0
    drawn = np.array([colour_of(model, g)[:3] for g in range(3)])
    assert np.abs(drawn - [skin * [1, 0.5, 1], 0.5 * (sky + dark), dark]).max() < 1e-3  # measured: 2.5e-4; blocks have 8 bits
    save_mjcf(model, tmp_path / "again.xml")
    assert np.array_equal(load_model(tmp_path / "again.xml").mat_texrgb, model.mat_texrgb)


def pixels_of(model, material):
    rows, columns = model.mat_texsize[material]
    first = model.mat_texeladr[material]
    return model.texel_rgb[first : first + rows * columns].reshape(rows, columns, 3)


@pytest.mark.parametrize("builtin", ["checker", "gradient", "flat"])
@pytest.mark.parametrize("mark", ["none", "edge", "cross"])
def test_flat_built_in_textures_are_the_wheels_pixel_by_pixel(builtin, mark):
    for width, height in ((8, 8), (100, 60), (31, 17)):
        size = f'width="{width}" height="{height}"'
        look = f'builtin="{builtin}" mark="{mark}" markrgb=".8 .1 .3" rgb1=".1 .2 .3" rgb2=".7 .5 .9"'
        text = f"""<mujoco><asset><texture name="t" type="2d" {look} {size}/><material name="m" texture="t" texrepeat="3 5"
        texuniform="true"/></asset><worldbody><geom size="1" material="m"/></worldbody></mujoco>"""
        model, wheel = load_model(text), mujoco.MjModel.from_xml_string(text)
        assert same(model, wheel) == []
        if (builtin, mark) == ("flat", "none"):
            assert model.ntexel == 0  # one colour, which `mat_texrgb` has
        else:
            assert np.array_equal(pixels_of(model, 0).ravel(), wheel.tex_data)


def test_pictures_that_lie_flat_are_kept_and_written(tmp_path):
    file = pictures(tmp_path, "dark.png")
    model, wheel = load_model(file), mujoco.MjModel.from_xml_path(str(file))
    size, start = (wheel.tex_height[0], wheel.tex_width[0], 3), wheel.tex_adr[0]
    assert np.array_equal(pixels_of(model, 0), wheel.tex_data[start : start + np.prod(size)].reshape(size))
    assert model.mat_texsize.tolist() == [[120, 200], [0, 0], [64, 64]]  # no cube
    save_mjcf(model, tmp_path / "again.xml")
    again = load_model(tmp_path / "again.xml")
    assert np.array_equal(again.texel_rgb, model.texel_rgb)
    kept = unpack_model(*pack_model(model))
    assert np.array_equal(kept.texel_rgb, model.texel_rgb) and np.array_equal(kept.mat_texeladr, model.mat_texeladr)
    arrays, values = pack_model(model)
    with pytest.raises(ModelError, match="mat_texeladr has numbers beyond"):
        unpack_model({**arrays, "mat_texeladr": arrays["mat_texeladr"] + 1}, values)


def test_a_model_kept_before_there_were_pictures_still_loads(tmp_path):
    model = load_model(pictures(tmp_path, "dark.png"))
    arrays, values = pack_model(model)
    new = ("mat_texrepeat", "mat_texuniform", *(name for name in NOT_IN_MUJOCO if name != "mat_texrgb"))
    old = unpack_model(*({k: v for k, v in table.items() if k not in new} for table in (arrays, values)))
    assert old.ntexel == 0 and old.mat_texsize.tolist() == 3 * [[0, 0]]
    assert np.array_equal(colour_of(old, 0), colour_of(model, 0)) and picture_of(old, 0) is None


def test_large_pictures_are_kept_smaller(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (1000, 300), (10, 20, 30)).save(tmp_path / "large.png")
    text = f"""<mujoco><asset><texture name="t" type="2d" file="{tmp_path}/large.png"/><material name="m" texture="t"/></asset>
    <worldbody><geom size="1" material="m"/></worldbody></mujoco>"""
    model = load_model(text)
    assert model.mat_texsize.max() <= MOST and np.all(model.texel_rgb == [10, 20, 30])


CUBE = """v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
vt 0 0
vt 1 0
vt 1 1
vt 0 0.75
f 4/1 3/2 2/3 1/4
f 5/1 6/2 7/3 8/4
f 1/1 2/2 6/3
f 1/1 6/3 5/4
f 2/1 3/2 7/3 6/4
f 3/-4 4/-3 8/-2 7/-1
f 4/1 1/2 5/3 8/4
"""


@pytest.mark.parametrize("scale", ["1 1 1", "-1 2 1"])
def test_texture_coordinates_of_meshes_are_the_wheels(scale, tmp_path):
    (tmp_path / "cube.obj").write_text(CUBE)
    file = tmp_path / "robot.xml"
    file.write_text(
        f"""<mujoco><asset><mesh name="c" file="cube.obj" scale="{scale}"/></asset>
        <worldbody><geom type="mesh" mesh="c"/></worldbody></mujoco>"""
    )
    model = load_model(file)
    assert_same_corners(model, mujoco.MjModel.from_xml_path(str(file)))
    save_mjcf(model, tmp_path / "again.xml")
    assert load_model(tmp_path / "again.xml").ncornertex == 0  # the written file has none: docs/view.md says so


def test_texture_coordinates_of_a_binary_mesh_are_the_wheels():
    path = Path(mujoco.__file__).parent / "testdata" / "msh.xml"
    assert_same_corners(load_model(path), mujoco.MjModel.from_xml_path(str(path)))


def assert_same_corners(model, wheel):
    """Corners and their places, triangle by triangle, in whatever order these stand."""
    assert model.mesh_cornertexadr[0] == 0 and model.ncornertex == wheel.nmeshface > 10
    ours = np.concatenate([model.mesh_vert[model.mesh_face].reshape(-1, 9), model.mesh_cornertex], axis=1)
    places = wheel.mesh_texcoord[wheel.mesh_facetexcoord]
    theirs = np.concatenate([wheel.mesh_vert[wheel.mesh_face].reshape(-1, 9), places.reshape(-1, 6)], axis=1)
    assert np.abs(ours - theirs).max() < 1e-6


SPOILT = (("vt 0 0.75", "vt 0 x"), ("f 5/1 6/2", "f 5 6/2"), ("f 5/1 6/2", "f 5/1 6/9"), ("8/-2", "8/-20"))


@pytest.mark.parametrize("spoil", SPOILT)
def test_bad_texture_coordinates_only_draw_otherwise(spoil, tmp_path):
    (tmp_path / "cube.obj").write_text(CUBE.replace(*spoil))
    file = tmp_path / "robot.xml"
    file.write_text(
        """<mujoco><asset><mesh name="c" file="cube.obj"/></asset><worldbody><geom type="mesh" mesh="c"/></worldbody></mujoco>"""
    )
    model = load_model(file)
    assert model.mesh_cornertexadr.tolist() == [-1] and model.ncornertex == 0 and model.nmeshface == 12


@pytest.mark.parametrize("damage", ["missing", "no picture", "a folder", "no Pillow"])
def test_a_picture_that_cannot_be_read_stops_no_model(damage, tmp_path, monkeypatch):
    file, away = pictures(tmp_path, "away.png"), tmp_path / "away.png"
    if damage == "missing":
        away.unlink()
    elif damage == "no picture":
        away.write_text("not a picture")
    elif damage == "a folder":
        away.unlink()
        away.mkdir()
    else:
        monkeypatch.setitem(sys.modules, "PIL", None)
    assert np.array_equal(colour_of(load_model(file), 2), np.ones(4))


def test_public_files_have_the_wheels_materials():
    folder = Path(pytest.importorskip("gymnasium").__file__).parent / "envs" / "mujoco" / "assets"
    seen = 0
    for file in sorted(folder.glob("*.xml")):
        try:
            wheel = mujoco.MjModel.from_xml_path(str(file))
        except ValueError:
            continue  # MuJoCo 4 does not take it
        assert same(load_model(file, unsupported="skip"), wheel) == [], file
        seen += wheel.nmat
    assert seen >= 15  # measured: 18


@pytest.mark.parametrize("said", ["1 0 x 1", "1 0 0 1 1", "1 0 0", "", "nan 0 0 1"])
def test_a_wrong_colour_is_named(said):
    with pytest.raises(ModelError, match="material 'red', attribute rgba|rgba"):
        load_model(FILE.replace("1 0 0 0.5", said))


SHAPE = '<geometry><sphere radius="0.1"/></geometry>'
TOUCH, RED = f"<collision>{SHAPE}</collision>", '<material name="red"/>'
GREEN = '<material name="red"><color rgba="0 1 0 1"/></material>'
BLUE = '<material name="blue"><color rgba="0 0 1 0.5"/></material>'


def seen(material=""):
    return f"<visual>{SHAPE}{material}</visual>"


LINKS = (
    [seen(RED) + TOUCH, TOUCH], [TOUCH + seen(BLUE), seen('<material name="blue"/>') + TOUCH, seen() + TOUCH],
    [seen('<material name="none"/>') + TOUCH], [seen(RED) + seen() + TOUCH, seen(BLUE) + seen(RED) + TOUCH + TOUCH],
    [seen(GREEN) + TOUCH, seen(RED) + TOUCH], [seen(RED) + TOUCH, seen(GREEN) + TOUCH],
)  # fmt: skip
KNOWN = (
    '<material name="red"><color rgba="1 0 0 1"/></material>', "", '<material name="red"><texture filename="x.png"/></material>',
)  # fmt: skip


@pytest.mark.parametrize("keep", ["true", "false"])
def test_colours_of_a_urdf_are_the_wheels(keep):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    for known, shapes in itertools.product(KNOWN, LINKS):
        links = "".join(f'<link name="l{i}">{inertial}{inner}</link>' for i, inner in enumerate(shapes))
        joints = "".join(
            f'<joint name="j{i}" type="continuous"><parent link="l0"/><child link="l{i}"/><axis xyz="0 0 1"/></joint>'
            for i in range(1, len(shapes))
        )
        text = f'<robot name="r"><mujoco><compiler discardvisual="{keep}"/></mujoco>{known}{links}{joints}</robot>'
        assert np.array_equal(load_model(text).geom_rgba, mujoco.MjModel.from_xml_string(text).geom_rgba), text


def test_a_wrong_colour_of_a_urdf_is_said_once():
    with pytest.raises(ModelError, match="rgba") as caught:
        load_model(f'<robot name="r"><link name="a">{seen(BLUE.replace("0.5", "x"))}</link></robot>')
    assert str(caught.value).count("'0 0 1 x'") == 1
