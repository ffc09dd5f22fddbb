"""Box-constrained quadratic programme (box_qp_kernels.py).

minimise ½ xᵀ H x + g·x   subject to   low ≤ x ≤ high,   H positive definite
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dojo_py.planning.box_qp_kernels import box_of, solve

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """Minimiser, and its free entries (at no bound)."""

    x: Array
    """(m,)"""
    free: Array
    """(m,) False where a bound is active."""
    iterations: int


def solve_box_qp(H: Array, g: Array, low: Array, high: Array) -> BoxSolution | None:
    """The minimiser; None when H is not positive definite over the free entries."""
    given = [np.require(part, float, ["C", "W"]) for part in (H, g, low, high)]
    box, report = box_of(len(g)), np.zeros(1, np.int64)
    if int(solve(*given, box, report)) < 0:
        return None
    return BoxSolution(box.x, box.free == 1, int(report[0]))
