"""Tangent arithmetic: `integrate` and `difference` are inverse to each other and equal the wheel's."""

import mujoco
import numpy as np
import pytest

from dojo_py import load_model

TEXT = """<mujoco><worldbody>
  <body><joint type="slide"/><joint type="ball"/><geom size="1"/><body><joint/><geom size="1"/></body></body>
  <body><freejoint/><geom size="1"/></body><body><joint type="ball"/><geom size="1"/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def model():
    return load_model(TEXT)


def random_qpos(model, rng):
    return model.integrate(model.qpos0, rng.normal(size=model.nv) * 2.0)


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1e-4, 1.0, 3.0])
def test_inverse_to_each_other(model, size):
    rng = np.random.default_rng(0)
    for _ in range(50):
        qpos = random_qpos(model, rng)
        dq = rng.normal(size=model.nv)
        dq *= size / np.max(np.abs(dq)) / np.sqrt(3.0)  # rotation vectors shorter than pi
        moved = model.integrate(qpos, dq)
        np.testing.assert_allclose(model.difference(moved, qpos), dq, rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(model.integrate(qpos, model.difference(moved, qpos)), moved, atol=1e-14)


def test_equal_to_the_wheel(model):
    wheel = mujoco.MjModel.from_xml_string(TEXT)
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b, dq = random_qpos(model, rng), random_qpos(model, rng), rng.normal(size=model.nv)
        expected, velocity = a.copy(), np.zeros(model.nv)
        mujoco.mj_integratePos(wheel, expected, dq, 1.0)
        np.testing.assert_allclose(model.integrate(a, dq), expected, atol=1e-14)
        mujoco.mj_differentiatePos(wheel, velocity, 1.0, a, b)
        np.testing.assert_allclose(model.difference(b, a), velocity, atol=1e-13)


def test_arguments_are_checked_and_kept(model):
    qpos, dq = model.qpos0.copy(), np.ones(model.nv)
    model.integrate(qpos, dq)
    assert np.array_equal(qpos, model.qpos0)
    with pytest.raises(ValueError, match="dq has shape"):
        model.integrate(qpos, dq[1:])
    with pytest.raises(ValueError, match="qpos_a has shape"):
        model.difference(qpos, dq)
