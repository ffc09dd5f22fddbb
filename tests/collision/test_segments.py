"""Relaxed closest points of two segments (collision/segments.py): stationary, inside, and at last the closest ones."""

import numpy as np
import pytest

from dojo_py.collision import segments


def drawn(seed, kind):
    """w, u_A, u_B: any, parallel, nearly parallel, or a ball against a segment."""
    rng = np.random.default_rng(seed)
    w, ua, ub = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-2, 1, (3, 1))
    if kind == "parallel":
        ub = rng.uniform(0.1, 2.0) * ua
    elif kind == "nearly parallel":
        ub = ua + 10.0 ** rng.uniform(-9, -2) * rng.normal(size=3)
    elif kind == "ball":
        ua = np.zeros(3)
    return w, ua, ub


closest_parameters, relaxed_parameters = segments.closest_parameters.py_func, segments.relaxed_parameters.py_func
KINDS = ("any", "parallel", "nearly parallel", "ball")


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_zero(kind):
    """Of |e|²/2 - τ (ln(1 - s²) + ln(1 - t²)), relative to its terms (1 - s² known to round-off)."""
    worst = 0.0
    for seed in range(300):
        w, ua, ub = drawn(seed, kind)
        tau = 10.0 ** np.random.default_rng(seed).uniform(-8, 0)
        s, t, ks, kt = relaxed_parameters(w, ua, ub, tau)
        assert -1.0 < s < 1.0 and -1.0 < t < 1.0 and ks > 0.0 and kt > 0.0
        e = w + s * ua - t * ub
        if min(1.0 - s * s, 1.0 - t * t) > 1e-6:
            size = np.abs(e).max() * max(np.abs(ua).max(), np.abs(ub).max()) + tau
            rest = e @ ua + 2.0 * tau * s / (1.0 - s * s), -e @ ub + 2.0 * tau * t / (1.0 - t * t)
            worst = max(worst, np.abs(rest).max() / size)
    print(f"{kind}: {worst:.1e}")
    assert worst < 1e-8


def test_they_tend_to_the_closest_points():
    """Of crossed segments, at τ 1e-12 of their squared lengths: the line between them is as short to 1e-6."""
    for seed in range(100):
        w, ua, ub = drawn(seed, "any")
        s, t, _, _ = relaxed_parameters(w, ua, ub, 1e-12 * min(ua @ ua, ub @ ub))
        p, q, _, _ = closest_parameters(w, ua, ub)
        assert np.linalg.norm(w + s * ua - t * ub) - np.linalg.norm(w + p * ua - q * ub) < 1e-6 * max(np.linalg.norm(w), 0.1)


def test_closest_points_of_parallel_segments_are_closest():
    """Side by side, one after the other on a line, end to end: as near as the best of 401 x 401 points."""
    grid = np.linspace(-1.0, 1.0, 401)
    u = np.array([0.3, -0.2, 0.6])
    across = np.array([0.2, 0.3, 0.0])
    for ratio in (1.0, -1.0, 0.25, 2.0):
        for along in (-3.5, -2.0, -1.0, 0.0, 0.6, 1.25, 2.0, 4.0):
            for apart in (0.0, 1.0):
                w, ub = along * u + apart * across, ratio * u
                s, t = closest_parameters(w, u, ub)[:2]
                found = np.linalg.norm(w + s * u - t * ub)
                points = w + grid[:, None, None] * u - grid[None, :, None] * ub
                assert -1.0 <= s <= 1.0 and -1.0 <= t <= 1.0
                assert found <= np.linalg.norm(points, axis=2).min() + 1e-12
