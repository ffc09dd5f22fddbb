"""Box-constrained quadratic programme (box_qp_kernels.py).

minimise ½ xᵀ H x + g·x   subject to   low ≤ x ≤ high,   H positive definite
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrs

from dojo_py.planning.box_qp_kernels import MAX_ITERATIONS, TOLERANCE, box_of, solve

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """Minimiser, its free entries (at no bound), and the Cholesky factor of H over them."""

    x: Array
    """(m,)"""
    free: Array
    """(m,) False where a bound is active."""
    factor: Array | None
    """Lower Cholesky factor of H[free, free]; None when nothing is free."""
    iterations: int

    def solve_free(self, right: Array) -> Array:
        """(m, n) -H_free⁻¹ right in the free rows, 0 in the others: the derivative of the minimiser when g changes by `right`."""
        out = np.zeros_like(right)
        if self.factor is not None:
            out[self.free] = -dpotrs(self.factor, right[self.free], lower=1)[0]
        return out


def solve_box_qp(
    H: Array, g: Array, low: Array, high: Array, start: Array | None = None, tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> BoxSolution | None:  # fmt: skip
    """The minimiser, by iterations from `start` (m,); None when H is not positive definite over the free entries.

    tolerance: largest entry of the projected gradient, relative to that of g.
    """
    given = [np.require(part, float, ["C", "W"]) for part in (H, g, low, high)]
    box, report = box_of(len(g)), np.zeros(1, np.int64)
    if start is not None:
        box.x[:] = start
    count = int(solve(*given, start is not None, float(tolerance), int(max_iterations), box, report))
    if count < 0:
        return None
    return BoxSolution(box.x, box.free == 1, np.tril(box.factor[:count, :count]) if count else None, int(report[0]))
