"""The judge of derivatives: right, wrong, at a kink, beside a jump, with too much noise."""

import numpy as np
import pytest

from dojo_py.reproduce.gauntlet.gradients_oracle import GOOD, JUMP, KINK, UNKNOWN, WRONG, judge

NOISE = np.random.default_rng(0)


def smooth(x):
    return np.array([np.sin(0.3 + x), x**2])


def jumping(x):
    """All but the middle is another solution, with other derivatives."""
    return smooth(x) if abs(x) < 2e-6 else np.array([5.0 - 3.0 * x, 0.1])


def one_sided(x):
    """All below is another solution, and all above that is not near."""
    return smooth(x) if 0.0 <= x < 1e-5 else np.array([5.0 - 3.0 * x, 0.1])


def kinked(x):
    return np.array([abs(x) + 2.0 * x, 0.0])


def noisy(x):
    return smooth(x) + NOISE.normal(size=2) * 1e-3


RIGHT = np.array([np.cos(0.3), 0.0])


@pytest.mark.parametrize(
    "motion, ours, verdict",
    [
        (smooth, RIGHT, GOOD),
        (smooth, RIGHT + [1e-3, 0.0], WRONG),
        (jumping, RIGHT, JUMP),
        (jumping, RIGHT + [1e-3, 0.0], WRONG),
        (jumping, np.array([-3.0, 0.0]), GOOD),  # (differences of the first rows know nothing of the middle)
        (one_sided, RIGHT, JUMP),
        (one_sided, RIGHT + [1e-3, 0.0], WRONG),
        (kinked, np.array([2.4, 0.0]), KINK),
        (kinked, np.array([4.0, 0.0]), WRONG),
        (noisy, RIGHT, UNKNOWN),
    ],
)
def test_verdicts(motion, ours, verdict):
    assert judge(ours, motion, 1e-3, 1.0, 1e-5).verdict == verdict
