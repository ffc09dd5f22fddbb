"""Armijo line search on the merit: cost with augmented Lagrangian, plus a weight times the gaps of an infeasible start.

    φ(α) = J(α) + ν |gaps(α)|₁,    accept when φ(α) ≤ φ(0) + c₁ α φ'(0),    φ'(0) = slope − ν |gaps|₁
ν is large enough that φ'(0) < 0 (Nocedal and Wright 2006, eq. 18.36).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dojo_py.planning.backward import Policy
from dojo_py.planning.options import Options
from dojo_py.planning.shooting import Path

SHARE = 0.5
"""Share of the gaps' weight that must be left over as descent."""


@dataclass(frozen=True, eq=False)
class Accepted:
    """The new path and its figures."""

    path: Path
    objective: float
    """Cost with augmented Lagrangian, without gaps."""
    alpha: float
    decrease: float
    """Of the merit."""
    trials: int


def weight_of_gaps(policy: Policy, path: Path, least: float) -> float:
    """ν"""
    if path.gap == 0.0:
        return least
    return max(least, (policy.slope + 0.5 * max(policy.curvature, 0.0)) / ((1.0 - SHARE) * path.gap))


def line_search(
    policy: Policy, old: Path, objective: float, follow: Callable[[float], Path | None],
    measure: Callable[[Path], float], options: Options, explore: bool = False,
) -> Accepted | None:  # fmt: skip
    """The first of α = 1, ½, ¼ … that passes; None when there is none. follow(α) simulates, measure(path) is the objective.

    explore: unless α = 1 passes, also shorter ones, as long as each lowers the merit further.
    """
    weight = weight_of_gaps(policy, old, options.gap_weight)
    before, slope = objective + weight * old.gap, policy.slope - weight * old.gap
    if not slope < 0.0:
        return None
    alpha, trials = 1.0, 0
    best: Accepted | None = None
    while alpha >= options.shortest_step:
        trials += 1
        path = follow(alpha)
        if path is not None:
            after = measure(path)
            decrease = before - after - weight * path.gap
            passes = np.isfinite(after) and decrease >= -options.armijo * alpha * slope
            if passes and (best is None or decrease > best.decrease):
                best = Accepted(path, after, alpha, decrease, trials)
            if best is not None and (best.alpha > alpha or alpha == 1.0 or not explore):
                break  # the first that passes, or the last before it gets worse
        elif best is not None:
            break
        alpha *= 0.5
    return best
