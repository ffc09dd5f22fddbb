"""Box-constrained quadratic programme by projected Newton steps (Tassa, Mansard, Todorov 2014, algorithm 1; Bertsekas 1982).

minimise ½ xᵀ H x + g·x   subject to   low ≤ x ≤ high,   H positive definite
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

Array = np.ndarray

ARMIJO, SHRINK, SHORTEST = 0.1, 0.6, 1e-20
"""Share of the expected decrease asked for; step reduction; shortest step."""


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """Minimiser, its free entries, and the factor of H over them."""

    x: Array
    """(m,)"""
    free: Array
    """(m,) True where no bound holds the entry."""
    factor: Array | None
    """Lower Cholesky factor of H[free, free]; None when nothing is free."""
    iterations: int

    def solve_free(self, right: Array) -> Array:
        """(m, n) -H_free⁻¹ right in the free rows, zero in the others: how the minimiser answers a change of g by `right`."""
        out = np.zeros_like(right)
        if self.factor is not None:
            out[self.free] = -_solve(self.factor, right[self.free])
        return out


def solve_box_qp(
    H: Array, g: Array, low: Array, high: Array, start: Array | None = None, tolerance: float = 1e-10, max_iterations: int = 100
) -> BoxSolution | None:
    """The minimiser from `start` (m,), or None when H is not positive definite over the free entries.

    tolerance: of the projected gradient, relative to |g|.
    """
    if start is None and np.all((low < 0.0) & (high > 0.0)):  # mostly no bound holds: one factor, one solve
        factor = _factor(H)
        if factor is None:
            return None
        x = -_solve(factor, g)
        if np.all((x > low) & (x < high)):
            return BoxSolution(x, np.ones(len(g), dtype=bool), factor, 1)
    x = np.clip(np.zeros(len(g)) if start is None else start, low, high)
    scale = tolerance * float(np.abs(g).max(initial=0.0))
    free = np.ones(len(g), dtype=bool)
    factor = None
    for iteration in range(max_iterations):
        gradient = H @ x + g
        held = ((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0))
        if factor is None or np.any(held == free):
            free = ~held
            factor = _factor(H[np.ix_(free, free)]) if free.any() else None
            if factor is None and free.any():
                return None
        if factor is None or np.abs(gradient[free]).max() <= scale:
            return BoxSolution(x, free, factor, iteration)
        step = np.zeros_like(x)
        step[free] = -_solve(factor, gradient[free])
        x_new = _search(H, g, low, high, x, step, gradient)
        if x_new is None:  # round-off: no shorter step lowers the value
            return BoxSolution(x, free, factor, iteration)
        x = x_new
    return BoxSolution(x, free, factor, max_iterations)


def _factor(H: Array) -> Array | None:
    """Lower Cholesky factor of a symmetric matrix (m, m); None where it is not positive definite. LAPACK without scipy's checks."""
    found, failed = dpotrf(H, lower=1)
    return None if failed else found


def _solve(factor: Array, right: Array) -> Array:
    """H⁻¹ right, (m,) or (m, n), by the factor of H."""
    return dpotrs(factor, right, lower=1)[0]


def _search(H: Array, g: Array, low: Array, high: Array, x: Array, step: Array, gradient: Array) -> Array | None:
    """Armijo search along the projection of x + α step; None when α falls below the shortest."""
    value, slope, alpha = 0.5 * x @ H @ x + g @ x, gradient @ step, 1.0
    while alpha > SHORTEST:
        candidate = np.clip(x + alpha * step, low, high)
        if 0.5 * candidate @ H @ candidate + g @ candidate - value <= ARMIJO * alpha * slope:
            return candidate
        alpha *= SHRINK
    return None
