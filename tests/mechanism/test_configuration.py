"""Tangent arithmetic: `integrate` and `difference` are inverse to each other and equal the wheel's."""

import mujoco
import numpy as np
import pytest

from dojo_py import load_model
from dojo_py.mechanism.configuration import difference_jacobian
from dojo_py.mechanism.quaternion import log_jacobian

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


def test_derivatives_of_differences(model):
    """Beside central differences, of one pose and of several, near and far. Measured: 5e-10 at most."""
    rng, width = np.random.default_rng(2), 1e-5
    joints = model.jnt_type, model.jnt_qposadr, model.jnt_dofadr
    steps = width * np.eye(model.nv)
    found, expected, apart = [], [], []
    for size in (0.0, 1e-4, 1e-3, 0.5, 1.7):
        a, dq = random_qpos(model, rng), size * rng.uniform(-1.0, 1.0, model.nv)
        b = model.integrate(a, dq)
        ends = [[model.difference(model.integrate(b, sign * step), a) for step in steps] for sign in (1.0, -1.0)]
        apart.append(model.difference(b, a))
        found.append(difference_jacobian(*joints, apart[-1]))
        expected.append((np.array(ends[0]) - np.array(ends[1])).T / (2.0 * width))
    np.testing.assert_allclose(found, expected, atol=1e-8)
    np.testing.assert_allclose(difference_jacobian(*joints, np.array(apart)), found, atol=1e-15)


def test_the_derivative_of_the_logarithm_is_continuous_where_its_series_begins():
    direction = np.array([0.6, -0.64, 0.48])
    series, closed = (log_jacobian(1e-3 * s * direction) for s in (1 - 1e-9, 1 + 1e-9))
    np.testing.assert_allclose(series, closed, atol=1e-11)


def test_arguments_are_checked_and_kept(model):
    qpos, dq = model.qpos0.copy(), np.ones(model.nv)
    model.integrate(qpos, dq)
    assert np.array_equal(qpos, model.qpos0)
    with pytest.raises(ValueError, match="dq has shape"):
        model.integrate(qpos, dq[1:])
    with pytest.raises(ValueError, match="qpos_a has shape"):
        model.difference(qpos, dq)
