"""How large measurement noise and model error are, as deviations of each coordinate, estimated from the data.

Before the fit, from third differences of the samples: smooth motion leaves them small, white noise of deviation σ makes σ √20.

    σ = median |Δ³q| / (0.6745 √20)

After it, from what is left, with the freedom that the unknowns took.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dojo_py.identification.data import Recording

Array = np.ndarray
FLOOR = 1e-9
"""Least deviation [m, rad]: that of data without noise."""
MEDIAN = 0.6745
"""Median of |x| for a normal x of deviation 1."""


def noise_of_samples(model: Any, recordings: Sequence[Recording]) -> Array:
    """(nv,) deviations [m, rad] by third differences; all motion faster than the samples counts as noise."""
    thirds = []
    for recording in recordings:
        q = recording.qpos
        if len(q) >= 4:
            first = np.array([model.difference(b, a) for a, b in zip(q[:-1], q[1:], strict=True)])
            thirds.append(np.diff(first, 2, axis=0))
    if not thirds:
        return np.full(model.nv, 1.0)
    together = np.abs(np.concatenate(thirds))
    estimate = np.median(together, axis=0) / (MEDIAN * np.sqrt(20.0))
    return np.maximum(estimate, max(FLOOR, 1e-3 * float(estimate.max())))


def deviations(residuals: Array, places: Array, count: int, freedom: float, robust: bool) -> Array:
    """(count,) deviations of the residuals (m,) of each place (m,); freedom: residuals minus unknowns over residuals.

    A place without residuals gets 0. robust: by the median, so that outliers do not count.
    """
    out = np.zeros(count)
    for j in range(count):
        mine = np.abs(residuals[places == j])
        if len(mine):
            size = np.median(mine) / MEDIAN if robust else np.sqrt(np.mean(mine**2))
            out[j] = size / np.sqrt(max(freedom, 1e-3))
    return out
