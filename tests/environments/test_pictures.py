"""The renderer: rays end on the surfaces, nearer shapes hide farther ones, the picture follows the state."""

import numpy as np
import pytest

from dojo_py import load_model
from dojo_py.environments import make_task
from dojo_py.environments.rays import BOX, CAPSULE, CYLINDER, ELLIPSOID, HITS, SPHERE
from dojo_py.environments.render import render, render_task

SIZE = np.array([0.3, 0.5, 0.4])


def outside(kind, p):
    """Signed distance, or a number of its sign, of points (n, 3)."""
    if kind == SPHERE:
        return np.linalg.norm(p, axis=1) - SIZE[0]
    if kind == ELLIPSOID:
        return np.linalg.norm(p / SIZE, axis=1) - 1
    if kind == BOX:
        return np.max(np.abs(p) - SIZE, axis=1)
    radial = np.hypot(p[:, 0], p[:, 1])
    if kind == CYLINDER:
        return np.maximum(radial - SIZE[0], np.abs(p[:, 2]) - SIZE[1])
    return np.hypot(radial, np.maximum(np.abs(p[:, 2]) - SIZE[1], 0)) - SIZE[0]


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX])
def test_rays_end_on_the_surface_and_miss_only_what_is_not_there(kind):
    rng = np.random.default_rng(0)
    eye = np.array([1.5, -1.0, 0.8])
    d = 0.5 * rng.standard_normal((2000, 3)) - eye
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    t, normal = HITS[kind](eye, d, SIZE)
    hit = np.isfinite(t)
    points = eye + t[hit, None] * d[hit]
    assert 300 < hit.sum() < 1900 and np.abs(outside(kind, points)).max() < 1e-9
    assert np.allclose(np.linalg.norm(normal[hit], axis=1), 1.0)
    assert np.sum(normal[hit] * d[hit], axis=1).max() < 1e-9
    assert (outside(kind, points + 1e-4 * normal[hit]) > 0).all()
    along = eye + np.linspace(0, 4, 400)[:, None, None] * d[~hit]
    assert min(outside(kind, row).min() for row in along) > -0.03  # a miss passes beside it


def test_nearer_shapes_hide_farther_ones():
    text = """<mujoco><worldbody><geom type="sphere" size="0.3" pos="0 0 0" rgba="1 0 0 1"/>
    <geom type="sphere" size="0.1" pos="0 -1 0" rgba="0 0 1 1"/></worldbody></mujoco>"""
    model = load_model(text)
    picture = render(model, np.zeros(0), (90.0, 0.0, 4.0), np.zeros(3), 60, 40)
    red, green, blue = picture[20, 30].astype(int)
    assert blue > 80 and red == green == 0
    red, green, blue = picture[16, 30].astype(int)
    assert red > 80 and green == blue == 0
    assert picture.dtype == np.uint8 and picture.shape == (40, 60, 3)


@pytest.mark.parametrize("name", ["HalfCheetah", "Humanoid", "Quadrotor"])
def test_picture_is_repeatable_and_follows_the_state(name):
    task = make_task(name)
    first, second = (task.initial_state(np.random.default_rng(seed)) for seed in (0, 1))
    pictures = [render_task(task, s, 96, 72) for s in (first, first, second)]
    assert np.array_equal(pictures[0], pictures[1]) and not np.array_equal(pictures[0], pictures[2])
    assert len(np.unique(pictures[0].reshape(-1, 3), axis=0)) > 50
