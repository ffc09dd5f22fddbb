"""The touching point of an ellipsoid on a plane (collision/plane.py), and the bound on how far from its centre it is."""

import numpy as np
import pytest

from dojo_py.collision.plane import reach_of, touching_point
from dojo_py.jit import entry


@entry
def touch(nb, centre, M, p, P):
    (p[0], p[1], p[2]), by_n = touching_point(nb, centre, M)
    for i in range(9):
        P[i // 3, i % 3] = by_n[i]
    return reach_of(M)


def random_rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.diag(R))


@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
def test_an_ellipsoid_touches_at_its_lowest_point_within_its_reach(size):
    """Half axes drawn between a tenth of the size and the size: no point of the surface is lower, none is farther than the reach.

    No half axis is longer than the bound, which is at most sqrt(3) of the longest.
    """
    rng = np.random.default_rng(0)
    for _ in range(50):
        half, axes, centre = size * rng.uniform(0.1, 1.0, 3), random_rotation(rng), size * rng.normal(size=3)
        M, p, P = axes @ np.diag(half**2) @ axes.T, np.zeros(3), np.zeros((3, 3))
        directions = rng.normal(size=(1000, 3))
        surface = centre + (half * directions / np.linalg.norm(directions, axis=1)[:, None]) @ axes.T
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        reach = touch(n, centre, M, p, P)
        assert abs(np.linalg.norm(axes.T @ (p - centre) / half) - 1.0) < 1e-14
        assert np.all(surface @ n >= p @ n - 1e-14 * size)
        assert np.all(np.linalg.norm(surface - centre, axis=1) <= reach) and half.max() <= reach <= np.sqrt(3.0) * half.max()
