"""Robust losses ρ(z) of squared residuals z = (r / scale)², and their derivatives, under scipy's names.

Iteratively reweighted least squares: a residual r has the weight ρ'(z), outliers little of it.
Source: Triggs et al. (2000), "Bundle adjustment: a modern synthesis", section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Array = np.ndarray


class Loss(NamedTuple):
    """Of z ≥ 0: the loss ρ(z) and the weight ρ'(z)."""

    value: Callable[[Array], Array]
    weight: Callable[[Array], Array]


LOSSES = {
    "linear": Loss(lambda z: z, np.ones_like),
    "soft_l1": Loss(lambda z: 2 * (np.sqrt(1 + z) - 1), lambda z: 1 / np.sqrt(1 + z)),
    "huber": Loss(
        lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.maximum(z, 1)) - 1),
        lambda z: np.where(z <= 1, 1, 1 / np.sqrt(np.maximum(z, 1))),
    ),
    "cauchy": Loss(np.log1p, lambda z: 1 / (1 + z)),
    "arctan": Loss(np.arctan, lambda z: 1 / (1 + z * z)),
}
