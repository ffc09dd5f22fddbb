"""Constraints: c(state, control, k) = 0, or ≤ 0 in every entry, at the terminal knot, at all knots, or at listed ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dojo_py.planning.costs import Jacobian, Residual, matrices_of
from dojo_py.planning.differences import jacobians
from dojo_py.planning.knots import Knots, asked, function_of_knots, guarded
from dojo_py.planning.residuals import StateDistance
from dojo_py.simulate.results import State
from dojo_py.simulate.values import real_array, shown, text_of

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Constraint:
    """One vector constraint. Without `jacobian`, it is differentiated by central differences."""

    function: Residual
    kind: Literal["equality", "inequality"] = "equality"
    """"inequality": every entry ≤ 0."""
    knots: Literal["terminal", "stage", "all"] | Collection[int] = "terminal"
    """Where it applies: knot T, knots 0 … T−1, both, or the listed knots."""
    jacobian: Jacobian | None = None
    name: str = "constraint"

    def __post_init__(self) -> None:
        text_of("name", self.name)
        function_of_knots(f"{self.name}: function", self.function)
        if self.jacobian is not None:
            function_of_knots(f"{self.name}: jacobian", self.jacobian)
        listed = () if isinstance(self.knots, str) else self.knots
        if not isinstance(listed, (Collection, np.ndarray)) or not all(isinstance(k, (int, np.integer)) for k in listed):
            raise TypeError(f"{self.name}: knots={shown(self.knots)}, expected 'terminal', 'stage', 'all' or indices of knots")
        if self.kind not in ("equality", "inequality"):
            raise ValueError(f"{self.name}: kind={self.kind!r} is neither 'equality' nor 'inequality'")
        if isinstance(self.knots, str) and self.knots not in ("terminal", "stage", "all"):
            raise ValueError(f"{self.name}: knots={self.knots!r} is none of 'terminal', 'stage', 'all', a collection of indices")

    def holds_at(self, k: int, horizon: int) -> bool:
        """Whether it applies at knot k of 0 … horizon."""
        if isinstance(self.knots, str):
            return self.knots == "all" or (k == horizon) == (self.knots == "terminal")
        return k in self.knots

    def check_knots(self, horizon: int) -> None:
        """ValueError if a listed knot is not among 0 … horizon, or the list is empty."""
        if isinstance(self.knots, str):
            return
        outside = [int(k) for k in self.knots if not 0 <= k <= horizon]
        if outside or not len(self.knots):
            what = f"{outside[0]} is none" if outside else "there are none"
            raise ValueError(
                f"{self.name}: knots={shown(self.knots)}: {what} of the knots 0 … {horizon} of a plan of {horizon} steps"
            )

    def value(self, state: State, control: Array | None, k: int) -> Array:
        """c (p,) at knot k, checked."""
        name = f"function of constraint '{self.name}'"
        c = np.atleast_1d(real_array(name, asked(name, self.function, state, control, k)))
        if c.ndim != 1:
            raise ValueError(f"{name} has shape {c.shape}, expected (p,)")
        return c

    def violations(self, state: State, control: Array | None, k: int) -> Array:
        """(p,) violation of every entry: |c|, or max(0, c) of an inequality."""
        c = self.value(state, control, k)
        return np.abs(c) if self.kind == "equality" else np.maximum(c, 0.0)

    def violations_along(self, knots: Knots, horizon: int) -> Array:
        """(m,) violations at those of the given knots where it applies, concatenated; vectorised if the function has `along`."""
        held = [i for i in range(len(knots.states)) if self.holds_at(knots.first + i, horizon)]
        if len(held) == len(knots.states) and hasattr(self.function, "along"):
            c = np.asarray(self.function.along(knots), float).ravel()
            return np.abs(c) if self.kind == "equality" else np.maximum(c, 0.0)
        found = [self.violations(knots.states[i], knots.control(i), knots.first + i) for i in held]
        return np.concatenate(found) if found else np.zeros(0)

    def jacobians(self, model: Any, state: State, control: Array | None, k: int, size: int) -> tuple[Array, Array]:
        """(p, 2 nv + na) by the tangent state, (p, nu) by the control."""
        if self.jacobian is None:
            return jacobians(model, self.function, state, control, k, size)
        return matrices_of(self.jacobian(*guarded(state, control), k), size, model, control)


def goal(model: Any, qpos: Array, qvel: Array | None = None, rows: Array | None = None) -> Constraint:
    """The terminal state equals a goal, in the entries `rows` of the tangent [δq, δv] (2nv,), all by default."""
    distance = StateDistance(model, qpos, qvel, rows)
    return Constraint(distance, "equality", "terminal", distance.jacobian, "goal")
