"""Augmented Lagrangian terms of the constraints at every knot (Nocedal and Wright 2006, sections 17.3 and 17.4).

equality:    λ·c + ½ ρ |c|²,                              λ ← λ + ρ c
inequality:  (max(0, λ + ρ c)² − λ²) / (2 ρ), by entry,   λ ← max(0, λ + ρ c)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dojo_py.planning.constraints import Constraint
from dojo_py.planning.differences import tangent_size
from dojo_py.planning.quadratic import Quadratic, weighted_squares
from dojo_py.simulate.results import State

Array = np.ndarray


class AugmentedLagrangian:
    """Multipliers λ of all constraints at all knots, and one penalty ρ for all."""

    def __init__(self, constraints: Sequence[Constraint], horizon: int, penalty: float):
        self.penalty = penalty
        self.horizon = horizon
        self.knots = [[c for c in constraints if c.holds_at(k, horizon)] for k in range(horizon + 1)]
        self.multipliers: dict[tuple[int, int], Array] = {}
        """(knot, index among its constraints) -> λ (p,); absent: zero."""

    def copy(self) -> AugmentedLagrangian:
        """With multipliers and penalty of its own."""
        out = AugmentedLagrangian((), self.horizon, self.penalty)
        out.knots, out.multipliers = self.knots, dict(self.multipliers)
        return out

    def __bool__(self) -> bool:
        return any(self.knots)

    def _terms(self, state: State, control: Array | None, k: int) -> Any:
        """(constraint, c, λ, which entries are active) of knot k."""
        for i, constraint in enumerate(self.knots[k]):
            c = constraint.value(state, control, k)
            multiplier = self.multipliers.get((k, i), np.zeros(len(c)))
            active = np.ones(len(c), dtype=bool)
            if constraint.kind == "inequality":
                active = multiplier + self.penalty * c > 0.0
            yield i, constraint, c, multiplier, active

    def value(self, state: State, control: Array | None, k: int) -> float:
        """Augmented Lagrangian terms of knot k."""
        total = 0.0
        for _, _, c, multiplier, active in self._terms(state, control, k):
            inside = multiplier * c + 0.5 * self.penalty * c * c
            total += float(np.where(active, inside, -multiplier * multiplier / (2 * self.penalty)).sum())
        return total

    def expand(self, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
        """Gauss–Newton model of `value`."""
        out = Quadratic.zero(tangent_size(model), 0 if control is None else len(control))
        out.value = self.value(state, control, k)
        for _, constraint, c, multiplier, active in self._terms(state, control, k):
            cx, cu = constraint.jacobians(model, state, control, k, len(c))
            slope = active * (multiplier + self.penalty * c)
            out.add(weighted_squares(c, cx, cu, self.penalty * active, 0.0, slope))
        return out

    def update(self, states: Sequence[State], controls: Array, growth: float, largest: float) -> None:
        """First-order update of the multipliers along this trajectory, then ρ ← min(growth ρ, largest)."""
        for k, state in enumerate(states):
            control = controls[k] if k < self.horizon else None
            for i, constraint, c, multiplier, _ in list(self._terms(state, control, k)):
                new = multiplier + self.penalty * c
                self.multipliers[k, i] = np.maximum(new, 0.0) if constraint.kind == "inequality" else new
        self.penalty = min(growth * self.penalty, largest)
