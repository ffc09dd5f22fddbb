"""Samples of the past that states keep, of actuators' controls and of sensors' outputs: numbers of them, and where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Check
from .sensor_kinds import INTERPOLATIONS

Array = np.ndarray
MOST = 500_000
"""Samples of an actuator or sensor, and contacts that a sensor has room for."""
LARGEST = 5_000_000
"""Numbers in the samples of a sensor."""


def past_of(check: Check, element: Any) -> tuple[int, int, float]:
    """(samples, interpolation, delay) of an actuator or sensor."""
    if not 0 <= element.nsample <= MOST:
        check.fail("nsample", f"{element.nsample} is not from 0 to {MOST}")
        return 0, 0, 0.0
    delay = check.scalar("delay", low=0.0)
    if delay > 0.0 and not element.nsample:
        check.fail("delay", "a delay needs samples: nsample")
    return element.nsample, max(0, check.word("interp", INTERPOLATIONS)), delay


def places_in_history(history: Array, dim: Array, first: int = 0) -> Array:
    """(n,) first entries of buffers for samples history[:, 0] of `dim` numbers each, from entry `first` on; -1: none."""
    size = np.where(history[:, 0] > 0, 2 + history[:, 0] * (1 + dim), 0)
    return np.where(size > 0, first + np.cumsum(size) - size, -1)
