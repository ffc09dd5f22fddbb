"""Smooth, increasing maps from a free number z to a parameter's value, so that a bound cannot be crossed.

none: value = z        log: value = exp z > 0        softplus: value = log(1 + exp z) > 0, linear for large values
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Array = np.ndarray


class Transform(NamedTuple):
    """value(z), its derivative slope(z), and its inverse free(value)."""

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    free: Callable[[Array], Array]


def _softplus(z: Array) -> Array:
    return np.logaddexp(0.0, z)


def _sigmoid(z: Array) -> Array:
    return 0.5 * (1.0 + np.tanh(0.5 * z))


def _log(value: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(value)


def _inverse_softplus(value: Array) -> Array:
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.where(value == np.inf, np.inf, value + np.log(-np.expm1(-value)))


TRANSFORMS = {
    "none": Transform(lambda z: z, np.ones_like, lambda v: v),
    "log": Transform(np.exp, np.exp, _log),
    "softplus": Transform(_softplus, _sigmoid, _inverse_softplus),
}
