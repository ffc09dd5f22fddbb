"""Materials and colours of geoms against the wheel, and which colour is drawn."""

import itertools
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from dojo_py import ModelError, load_model, save_mjcf
from dojo_py.drawing.surfaces import colour_of

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
    names = (*MATERIALS, "geom_rgba", "geom_matid")
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
