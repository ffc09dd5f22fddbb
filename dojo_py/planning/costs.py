"""Costs of one knot: weighted squares of residuals (Gauss–Newton), or a user's function with its own derivatives.

A cost is evaluated at (state, control, k): `State`, control (nu,) or None at the terminal knot, index of the knot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dojo_py.planning.differences import jacobians
from dojo_py.planning.quadratic import Quadratic, weighted_squares
from dojo_py.simulate.results import State

Array = np.ndarray
Residual = Callable[[State, Any, int], Array]
"""(state, control, k) -> (p,)"""
Jacobian = Callable[[State, Any, int], tuple[Array, Array]]
"""(state, control, k) -> (p, 2 nv) by the tangent state, (p, nu) by the control; (p, 0) at the terminal knot."""


class Cost(Protocol):
    """What the solver asks of a cost."""

    def value(self, state: State, control: Array | None, k: int) -> float:
        """The cost at a knot."""
        ...

    def expand(self, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
        """Its second-order model about the knot."""
        ...


@dataclass(frozen=True, eq=False)
class ResidualCost:
    """Σ_i weight_i residual_i². The Hessian is Gauss–Newton's, 2 Jᵀ diag(weight) J, hence never indefinite.

    There is no factor ½, as in the Dojo paper's planning problems. Without `jacobian`, central differences take its place.
    """

    residual: Residual
    weight: float | Array | Callable[[int], Array] = 1.0
    """One number, (p,) numbers, or a function of k that returns either; none negative."""
    jacobian: Jacobian | None = None

    def _evaluate(self, state: State, control: Array | None, k: int) -> tuple[Array, Array]:
        r = np.atleast_1d(np.asarray(self.residual(state, control, k), dtype=float))
        weight = self.weight(k) if callable(self.weight) else self.weight
        return r, np.broadcast_to(np.asarray(weight, dtype=float), r.shape)

    def value(self, state: State, control: Array | None, k: int) -> float:
        """Σ weight residual²."""
        r, weight = self._evaluate(state, control, k)
        return float(weight @ (r * r))

    def expand(self, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
        """Gauss–Newton model."""
        r, weight = self._evaluate(state, control, k)
        if self.jacobian is None:
            rx, ru = jacobians(model, self.residual, state, control, k, len(r))
        else:
            rx, ru = self.jacobian(state, control, k)
        return weighted_squares(r, rx, ru, 2 * weight, float(weight @ (r * r)), 2 * weight * r)


@dataclass(frozen=True, eq=False)
class FunctionCost:
    """A user's cost: `function(state, control, k) -> float`, `derivatives(state, control, k) -> Quadratic`.

    The Hessian may be indefinite; the regularisation schedule then takes care of it.
    """

    function: Callable[[State, Any, int], float]
    derivatives: Callable[[State, Any, int], Quadratic]

    def value(self, state: State, control: Array | None, k: int) -> float:
        """The function."""
        return float(self.function(state, control, k))

    def expand(self, model: Any, state: State, control: Array | None, k: int) -> Quadratic:
        """The user's derivatives."""
        return self.derivatives(state, control, k)
