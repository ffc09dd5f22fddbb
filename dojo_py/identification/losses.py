"""Robust losses ρ(z) of squared residuals z = (r / scale)², and their derivatives, under scipy's names.

Iteratively reweighted least squares: a residual r has the weight ρ'(z), outliers little of it, and pulls by r ρ'(z). How far a fit
yields to that is told by the change of the pull, ∂/∂r r ρ'(z) = ρ' + 2 z ρ'', which is less than the weight.
Sources: Triggs et al. (2000), "Bundle adjustment: a modern synthesis", section 3; Huber (1981), "Robust statistics", section 7.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Array = np.ndarray


class Loss(NamedTuple):
    """Of z ≥ 0: the loss ρ(z), the weight ρ'(z), the change of the pull ρ' + 2 z ρ''."""

    value: Callable[[Array], Array]
    weight: Callable[[Array], Array]
    change: Callable[[Array], Array]


LOSSES = {
    "linear": Loss(lambda z: z, np.ones_like, np.ones_like),
    "soft_l1": Loss(lambda z: 2 * (np.sqrt(1 + z) - 1), lambda z: 1 / np.sqrt(1 + z), lambda z: (1 + z) ** -1.5),
    "huber": Loss(
        lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.maximum(z, 1)) - 1),
        lambda z: np.where(z <= 1, 1, 1 / np.sqrt(np.maximum(z, 1))),
        lambda z: np.where(z <= 1, 1.0, 0.0),
    ),
    "cauchy": Loss(np.log1p, lambda z: 1 / (1 + z), lambda z: (1 - z) / (1 + z) ** 2),
    "arctan": Loss(np.arctan, lambda z: 1 / (1 + z * z), lambda z: (1 - 3 * z * z) / (1 + z * z) ** 2),
}
