"""Pictures: each pixel shows what MuJoCo's rays hit, nearer things hide farther ones, light and shadow fall as they must."""

import mujoco
import numpy as np
import pytest

from dojo_py import load_model, models
from dojo_py.drawing.picture import FIELD, SUN, Painter, camera
from dojo_py.drawing.raster import render

SHAPES = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>
<body pos="0 0 0.5" euler="30 20 10"><freejoint/><geom type="sphere" size="0.2" rgba="1 0 0 1"/></body>
<body pos="0.6 0 0.5" euler="30 20 10"><freejoint/><geom type="capsule" size="0.1 0.2"/></body>
<body pos="-0.6 0 0.5" euler="30 20 10"><freejoint/><geom type="ellipsoid" size="0.1 0.3 0.2"/></body>
<body pos="0 0.7 0.5" euler="30 20 10"><freejoint/><geom type="cylinder" size="0.2 0.1"/></body>
<body pos="0 -0.7 0.5" euler="30 20 10"><freejoint/><geom type="box" size="0.2 0.1 0.15"/></body></worldbody></mujoco>"""


def rays(eye, axes, width, height, pixels):
    scale = 2 * np.tan(np.radians(FIELD) / 2) / height
    x, y = (pixels[:, 1] + 0.5 - width / 2) * scale, (height / 2 - 0.5 - pixels[:, 0]) * scale
    return x[:, None] * axes[0] + y[:, None] * axes[1] + axes[2]


def compare(text, qpos, eye, axes, width=240, height=180):
    """Shares of pixels where the geom differs from the one that mj_ray hits, and the largest difference of depth elsewhere [m]."""
    theirs = mujoco.MjModel.from_xml_string(text) if "<" in text else mujoco.MjModel.from_xml_path(text)
    data = mujoco.MjData(theirs)
    data.qpos[:] = qpos
    mujoco.mj_forward(theirs, data)
    painter = Painter(load_model(text))
    painter.picture(qpos, eye, axes, width, height)
    pixels = np.random.default_rng(0).integers(0, (height, width), size=(3000, 2))
    hit, other, apart = np.zeros(1, np.int32), 0, 0.0
    for pixel, ray in zip(pixels, rays(eye, axes, width, height, pixels), strict=True):
        t = mujoco.mj_ray(theirs, data, eye, ray, None, 1, -1, hit, None)
        if painter.geom_at(*pixel) != (int(hit[0]) if t >= 0 else -1):
            other += 1
        elif t >= 0:
            apart = max(apart, abs(painter.depth[tuple(pixel)] - t) / t)
    return other / len(pixels), apart


def test_each_shape_is_where_mujocos_rays_find_it():
    model = load_model(SHAPES)
    other, apart = compare(SHAPES, model.qpos0, *camera(60.0, -25.0, 3.0, np.array([0.0, 0.0, 0.4])))
    assert other < 0.005 and apart < 0.01  # measured: 0.001, at the edges of round shapes, and 0.0022, of the polyhedra for them


@pytest.mark.parametrize("name", ["humanoid", "quadruped", "panda", "atlas"])
def test_robots_are_where_mujocos_rays_find_them(name):
    model = load_model(name)
    qpos = model.integrate(model.qpos0, 0.3 * np.random.default_rng(2).normal(size=model.nv))
    other, apart = compare(str(models.path(name)), qpos, *camera(130.0, -15.0, 3.0, np.array([0.0, 0.0, 0.5])))
    assert other < 0.005 and apart < 0.01, (other, apart)  # measured: 0.0007 (panda), 0.0018 (atlas)


def test_a_box_around_and_behind_the_camera_is_not_lost():
    text = """<mujoco><worldbody><geom type="box" size="50 50 0.5" pos="0 0 -0.5"/><body pos="0 0 1"><freejoint/>
    <geom size="0.1"/></body></worldbody></mujoco>"""
    model = load_model(text)
    other, apart = compare(text, model.qpos0, *camera(20.0, -35.0, 3.0, np.array([0.0, 0.0, 0.5])))
    assert other < 0.005 and apart < 0.01  # measured: 0 and 0.0014


def test_nearer_shapes_hide_farther_ones_and_arrows_are_drawn():
    text = """<mujoco><worldbody><geom type="sphere" size="0.3" pos="0 0 0" rgba="1 0 0 1"/>
    <geom type="sphere" size="0.1" pos="0 -1 0" rgba="0 0 1 1"/></worldbody></mujoco>"""
    painter, at = Painter(load_model(text)), camera(90.0, 0.0, 4.0, np.zeros(3))
    picture = painter.picture(np.zeros(0), *at, 60, 40)
    assert picture[20, 30, 2] > 80 and picture[20, 30, :2].max() == 0
    assert picture[16, 30, 0] > 80 and picture[16, 30, 1:].max() == 0
    pointed = painter.picture(np.zeros(0), *at, 240, 160, arrows=np.array([[[0.6, 0, 0], [0.6, 0, 0.8]]]), paint=(0.0, 1.0, 0.0))
    green = (pointed[..., 1] > 60) & (pointed[..., 0] == 0)
    assert 20 < green.sum() < 400 and np.flatnonzero(green.any(axis=1))[-1] <= 81  # from the height of the middle upwards


def test_shadows_fall_away_from_the_light():
    text = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 1"><freejoint/><geom size="0.2"/></body>
    </worldbody></mujoco>"""
    model = load_model(text)
    painter = Painter(model)
    eye, axes = camera(0.0, -89.9, 8.0, np.zeros(3))
    picture = painter.picture(model.qpos0, eye, axes, 400, 400).astype(int).sum(axis=2)
    bare = Painter(load_model(text.replace('0 0 1"><free', '0 0 90"><free')))
    without = bare.picture(bare.model.qpos0, eye, axes, 400, 400).astype(int).sum(axis=2)
    dark = (without - picture > 60) & (painter.shown < -1)
    rows, columns = np.nonzero(dark)
    middle = rays(eye, axes, 400, 400, np.array([[rows.mean(), columns.mean()]]))[0]
    ground = eye - middle * eye[2] / middle[2]
    assert np.abs(ground[:2] + SUN[:2] / SUN[2]).max() < 0.03  # measured: 0.006


SEEN_THROUGH = {
    "a box before another": (
        '<geom type="box" size="1 0.01 1" rgba="1 0 0 {}"/><geom type="box" size="1 0.01 1" pos="0 1 0" rgba="0 0 1 1"/>',
        0.0, slice(20, 60), 0,
    ),
    "the surface of a lake over its red bed": (
        '<geom type="plane" size="0 0 1" rgba="0 0 1 {}"/><geom type="box" size="9 9 0.1" pos="0 0 -1" rgba="1 0 0 1"/>',
        -80.0, slice(None), 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("scene", SEEN_THROUGH)
def test_see_through_geoms_show_what_is_behind(scene):
    geoms, elevation, middle, channel = SEEN_THROUGH[scene]
    shares = []
    for alpha in (0.25, 0.5, 1.0):
        painter = Painter(load_model(f"<mujoco><worldbody>{geoms.format(alpha)}</worldbody></mujoco>"))
        picture = painter.picture(np.zeros(0), *camera(90.0, elevation, 3.0, np.zeros(3)), 80, 80)[middle, middle]
        shares.append(float((picture[..., channel] > picture[..., 2 - channel]).mean()))
    assert shares == [0.25, 0.5, 1.0]


def test_samples_smooth_edges_and_pictures_repeat():
    model = load_model("ant")
    painter, at = Painter(model), camera(45.0, -20.0, 3.0, np.array([0.0, 0.0, 0.4]))
    one, again = painter.picture(model.qpos0, *at, 96, 72), painter.picture(model.qpos0, *at, 96, 72)
    fine = painter.picture(model.qpos0, *at, 96, 72, samples=3)
    assert np.array_equal(one, again) and fine.shape == one.shape
    assert np.abs(np.diff(fine.astype(int), axis=1)).max() < np.abs(np.diff(one.astype(int), axis=1)).max()


def test_a_model_without_geoms_is_sky():
    text = '<mujoco><worldbody><body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    painter = Painter(load_model(text))
    assert painter.picture(np.zeros(1), *camera(0.0, 10.0, 3.0, np.zeros(3)), 20, 10).min() > 100


def test_meshes_are_drawn_from_both_sides():
    text = """<mujoco><asset><mesh name="tent" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
    <worldbody><body pos="0 0 0"><freejoint/><geom type="mesh" mesh="tent" rgba="1 0 0 1"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    painter = Painter(model)
    for azimuth in (0.0, 120.0, 240.0):
        picture = painter.picture(np.array(model.qpos0), *camera(azimuth, -20.0, 3.0, np.array([0.25, 0.25, 0.25])), 60, 60)
        assert (picture[..., 0] > picture[..., 1] + 40).sum() > 80


def seen_from_above(geom, material="", more=""):
    """(red, green, blue) of the four quarters (north-west, north-east, south-west, south-east) of a geom 2 m wide, from above."""
    text = f"""<mujoco><asset><texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="8"/>{more}
    <material name="m" texture="t" {material}/></asset><worldbody><geom {geom} material="m"/>
    <body pos="0 0 -9"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    model = load_model(text)
    eye, axes = np.array([0.0, 0.0, 4.0]), np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, -1.0]])
    image = Painter(model).picture(model.qpos0, eye, axes, 201, 201).astype(float)
    step = round(0.5 / 4.0 * 0.5 * 201 / np.tan(np.radians(FIELD / 2)))  # half a metre in pixels, at most
    return [image[100 + y * step, 100 + x * step] for y in (-1, 1) for x in (-1, 1)]


def colour_names(colours):
    return "".join("r" if c[0] > 2 * max(c[1], c[2]) else "b" if c[2] > 2 * max(c[0], c[1]) else "-" for c in colours)


@pytest.mark.parametrize("geom", ['type="plane" size="1 1 1"', 'type="box" size="1 1 .1"', 'type="cylinder" size="1 .1"'])
def test_a_checker_lies_on_a_geom_as_in_mujoco(geom):
    """Once over the geom, the first colour upper left; with `texuniform` so many times a metre, from half a picture left."""
    assert colour_names(seen_from_above(geom)) == "rbbr"
    assert colour_names(seen_from_above(geom, 'texrepeat="0.5 0.5" texuniform="true"')) == "rbbr"
    assert colour_names(seen_from_above(geom, 'texrepeat="1.9 0.5" texuniform="true"')) == "brrb"
    endless = geom.replace('"plane" size="1 1 1"', '"plane" size="0 0 1"')
    assert colour_names(seen_from_above(endless, 'texrepeat=".5 .5" texuniform="true"')) == "rbbr"


def test_a_picture_is_multiplied_with_the_geoms_colour():
    quarters = seen_from_above('type="box" size="1 1 .1" rgba="0.5 1 1 1"')
    plain = seen_from_above('type="box" size="1 1 .1"')
    assert abs(quarters[0][0] / plain[0][0] - 0.5) < 0.02 and abs(quarters[1][2] / plain[1][2] - 1.0) < 0.02


def test_a_far_checker_fades_into_its_mean():
    text = """<mujoco><asset><texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="8"/>
    <material name="m" texture="t" texrepeat="50 50" texuniform="true"/></asset>
    <worldbody><geom type="plane" size="0 0 1" material="m"/></worldbody></mujoco>"""
    model = load_model(text)
    image = Painter(model).picture(model.qpos0, *camera(90.0, -15.0, 30.0, np.zeros(3)), 120, 90)[60:].astype(float)
    assert np.abs(image[..., 0] - image[..., 2]).max() < 40.0  # red or blue alone would differ by 200


def test_all_models_are_drawn_by_one_compiled_function():
    """Models of several geoms had arrays of other strides, for which everything was compiled once more."""
    for name in ("box", "quadruped", "tower"):
        model = load_model(name)
        Painter(model).picture(model.qpos0, *camera(90.0, -20.0, 3.0, np.zeros(3)), 32, 24)
    assert len(render.signatures) == 1
