"""Armijo line search on the merit function φ: augmented Lagrangian J plus weighted gaps (defects) of an infeasible start.

    φ(α) = J(α) + ν |gaps(α)|₁,    accept when φ(α) ≤ φ(0) + c₁ α φ'(0),    φ'(0) = slope − ν |gaps|₁
slope: of the quadratic model. ν is so large that φ'(0) < 0 (Nocedal and Wright 2006, eq. 18.36).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dojo_py.planning.backward import AffinePolicy
from dojo_py.planning.options import Options
from dojo_py.planning.shooting import Path

SHARE = 0.5
"""ρ of that equation: ν is chosen such that φ'(0) ≤ −½ max(0, curvature) − ρ ν |gaps|₁."""


@dataclass(frozen=True, eq=False)
class Accepted:
    """Result of a successful line search."""

    path: Path
    objective: float
    """Augmented Lagrangian J, without gaps."""
    alpha: float
    decrease: float
    """Decrease of the merit."""
    trials: int


def weight_of_gaps(policy: AffinePolicy, path: Path, least: float) -> float:
    """ν, at least `least`."""
    if path.gap == 0.0:
        return least
    return max(least, (policy.slope + 0.5 * max(policy.curvature, 0.0)) / ((1.0 - SHARE) * path.gap))


def line_search(
    policy: AffinePolicy, old: Path, objective: float, follow: Callable[[float], Path | None],
    measure: Callable[[Path], float], options: Options, explore: bool = False,
) -> Accepted | None:  # fmt: skip
    """The first of α = 1, ½, ¼ … that meets the Armijo condition; None if there is none. follow(α) simulates, measure(path) is J.

    explore: unless α = 1 is accepted, continue with shorter steps as long as each lowers the merit further.
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
                break  # the first accepted one, or the last before the merit increases
        elif best is not None:
            break
        alpha *= 0.5
    return best
