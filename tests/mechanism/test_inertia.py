"""Mass properties: principal axes, shapes against sampled integrals, sums against the parallel axis theorem."""

import mujoco
import numpy as np
import pytest

from dojo_py.mechanism.enums import GeomType
from dojo_py.mechanism.inertia import MassProperties, from_geoms, principal_axes
from dojo_py.mechanism.quaternion import matrix
from dojo_py.mechanism.shapes import bounding_radius, unit_inertia, volume


@pytest.mark.parametrize("spread", [0.0, 1e-12, 1e-3, 1.0])
def test_principal_axes(spread):
    """Descending moments, the tensor restored, and the same axes as the wheel's mju_eig3."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        half = rng.normal(size=(3, 3))
        tensor = half @ half.T
        tensor = np.diag(np.diag(tensor)) + spread * (tensor - np.diag(np.diag(tensor)))
        moments, quat = principal_axes(tensor)
        rotation = matrix(quat)
        np.testing.assert_allclose(rotation @ np.diag(moments) @ rotation.T, tensor, atol=1e-13)
        assert moments[0] >= moments[1] >= moments[2]
        values, vectors, expected = np.zeros(3), np.zeros(9), np.zeros(4)
        mujoco.mju_eig3(values, vectors, expected, tensor.ravel().copy())
        np.testing.assert_allclose(quat, expected, atol=1e-10)


INSIDE = {
    GeomType.SPHERE: lambda p, s: (p**2).sum(1) <= s[0] ** 2,
    GeomType.CAPSULE: lambda p, s: (p[:, :2] ** 2).sum(1) + np.maximum(np.abs(p[:, 2]) - s[1], 0) ** 2 <= s[0] ** 2,
    GeomType.CYLINDER: lambda p, s: (p[:, 0] ** 2 + p[:, 1] ** 2 <= s[0] ** 2) & (np.abs(p[:, 2]) <= s[1]),
    GeomType.ELLIPSOID: lambda p, s: ((p / s) ** 2).sum(1) <= 1,
    GeomType.BOX: lambda p, s: np.all(np.abs(p) <= s, axis=1),
}


@pytest.mark.parametrize("shape", INSIDE)
def test_shapes_by_sampling(shape):
    """Volume and inertia by midpoints of a fine grid: agreement to 3 %."""
    size = np.array([0.3, 0.5, 0.4])
    reach = bounding_radius(shape, size)
    axis = (np.arange(120) + 0.5) / 60 - 1
    points = reach * np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    inside = points[INSIDE[shape](points, size)]
    cell = (reach / 60) ** 3
    assert len(inside) * cell == pytest.approx(volume(shape, size), rel=3e-2)
    squares = (inside**2).mean(axis=0)
    np.testing.assert_allclose(squares.sum() - squares, unit_inertia(shape, size), rtol=3e-2)
    assert np.linalg.norm(inside, axis=1).max() <= reach


def test_sum_of_parts_does_not_depend_on_how_a_body_is_cut():
    """A box of eight boxes has the mass properties of the whole."""
    half = np.array([0.1, 0.2, 0.3])
    whole = volume(GeomType.BOX, half)
    parts = []
    for corner in np.ndindex(2, 2, 2):
        centre = np.array([1.0, 2.0, 3.0]) + (np.array(corner) - 0.5) * half
        inertia = whole / 8 * unit_inertia(GeomType.BOX, half / 2)
        parts.append(MassProperties(whole / 8, centre, np.array([1.0, 0, 0, 0]), inertia))
    out = from_geoms(parts)
    np.testing.assert_allclose([out.mass, *out.pos], [whole, 1, 2, 3])
    rotation = matrix(out.quat)
    expected = np.diag(whole * unit_inertia(GeomType.BOX, half))
    np.testing.assert_allclose(rotation @ np.diag(out.inertia) @ rotation.T, expected, atol=1e-15)
