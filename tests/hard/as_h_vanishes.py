"""How motion over a fixed time converges to the wheel's as the time step h vanishes."""

from typing import NamedTuple

import numpy as np

STEPS = (0.001, 0.0005, 0.00025)
"""Time steps, each half of the one before [s]."""


class Convergence(NamedTuple):
    """Of coordinates at the end of a motion, in their tangent [rad, m]."""

    order: float
    """By the last two time steps."""
    finest: float
    """Largest difference at the smallest time step."""
    extrapolated: float
    """Largest difference after two extrapolations to h = 0."""
    moved: float
    """Largest change of a coordinate in the motion."""


def convergence(model, qpos, exact, ends):
    """qpos, exact (nq,): start and the wheel's end; ends: the ends (nq,) at STEPS."""
    off = [model.difference(exact, end) for end in ends]
    sizes = [np.abs(e).max() for e in off]
    once = [2 * fine - coarse for coarse, fine in zip(off, off[1:], strict=False)]
    left = np.abs((4 * once[1] - once[0]) / 3).max()
    return Convergence(np.log2(sizes[-2] / sizes[-1]), sizes[-1], left, np.abs(model.difference(qpos, exact)).max())
