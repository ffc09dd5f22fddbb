"""Controls as splines over few knots: controls (T, nu) = W values (K, nu).

Knots are evenly spaced from the first step to the last; constant ones hold for equal parts of the T steps, up to rounding.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

Array = np.ndarray

KINDS = ("cubic", "linear", "constant")


def spline_matrix(steps: int, knots: int, kind: str) -> Array:
    """W (T, K). "cubic": natural spline; "linear"; "constant": each knot holds until the next one. K ≥ T: identity."""
    if knots >= steps:
        return np.eye(steps)
    if knots == 1:
        return np.ones((steps, 1))
    times, places = np.linspace(0.0, 1.0, steps), np.linspace(0.0, 1.0, knots)
    if kind == "constant":
        return np.eye(knots)[np.minimum((times * knots).astype(int), knots - 1)]
    if kind == "linear" or knots == 2:
        return np.array([np.interp(times, places, row) for row in np.eye(knots)]).T
    return CubicSpline(places, np.eye(knots), bc_type="natural")(times)


def fit(matrix: Array, controls: Array) -> Array:
    """(K, nu) knot values of the least-squares fit to controls (T, nu)."""
    return np.linalg.lstsq(matrix, controls, rcond=None)[0]
