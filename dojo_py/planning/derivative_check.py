"""Checks before planning: costs and constraints are finite along the first trajectory, and their derivatives are correct.

The derivatives of each cost and constraint are compared with one-sided differences in every direction, at the first knot where it
applies and at a point nearby (controls often start at 0, where many wrong derivatives are right). At a kink any value between the
two one-sided differences is accepted, as it is a subgradient; values outside may differ by TOLERANCE of the row's largest entry.
Of functions that return single precision differences are as wide as that asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dojo_py.planning.costs import FunctionCost, ResidualCost, expanded
from dojo_py.planning.differences import move, tangent_size
from dojo_py.planning.knots import guarded
from dojo_py.planning.problem import Problem
from dojo_py.planning.shooting import Path
from dojo_py.simulate.compared import first_outside
from dojo_py.simulate.values import epsilon_of

Array = np.ndarray
TOLERANCE = 1e-3
"""Accepted error of an entry over the largest entry of its row (at least 1)."""


ASIDE = 1e-2
"""Distance of the nearby point [m, rad, m/s, …]; of controls, times 1 + |u|."""


def check_costs(problem: Problem, path: Path) -> None:
    """ValueError for a cost or constraint that is not finite at a knot of the path, or that has no entries at any of its knots."""
    T = len(path.controls)
    for name, costs, knots in (("stage", problem.stage, range(T)), ("terminal", problem.terminal, range(T, T + 1))):
        for i, cost in enumerate(costs):
            for k in knots:
                value = cost.value(path.states[k], path.controls[k] if k < T else None, k)
                if not np.isfinite(value):
                    raise ValueError(f"{name}[{i}] is {value} at knot {k} of the first path, expected a finite number")
            if isinstance(cost, ResidualCost):
                _check_entries(f"{name}[{i}]", cost.residual_at, path, knots)
                _check_sizes(f"{name}[{i}]", cost.residual_at, path, knots)
    for constraint in problem.constraints:
        _check_entries(
            f"constraint '{constraint.name}'", constraint.value, path, [k for k in range(T + 1) if constraint.holds_at(k, T)]
        )
        for k in range(T + 1):
            if constraint.holds_at(k, T):
                c = constraint.value(path.states[k], path.controls[k] if k < T else None, k)
                if not np.all(np.isfinite(c)):
                    entry = int(np.flatnonzero(~np.isfinite(c))[0])
                    raise ValueError(
                        f"constraint '{constraint.name}' is {c[entry]} in row {entry} at knot {k} of the first path, expected a "
                        "finite number"
                    )


def _check_entries(name: str, function: Callable[..., Array], path: Path, knots: Sequence[int]) -> None:
    """ValueError if a residual or constraint has no entries at any of its knots, such as control_cost as a terminal cost."""
    T = len(path.controls)
    if not any(len(function(path.states[k], path.controls[k] if k < T else None, k)) for k in knots):
        raise ValueError(f"{name} has no entries at any of its knots, so that it asks for nothing (there is no control at the end)")


def _check_sizes(name: str, function: Callable[..., Array], path: Path, knots: Sequence[int]) -> None:
    """ValueError if a residual has another number of entries at another knot; none says that it asks for nothing there."""
    sizes = {k: len(function(path.states[k], path.controls[k] if k < len(path.controls) else None, k)) for k in knots}
    sizes = {k: size for k, size in sizes.items() if size}
    first = next(iter(sizes.values()), 0)
    for k, size in sizes.items():
        if size != first:
            raise ValueError(
                f"{name} has {size} entries at knot {k} and {first} at knot {next(iter(sizes))}, expected as many at all"
            )


def check_derivatives(problem: Problem, path: Path) -> None:
    """ValueError names the cost or constraint, the row and the direction of the first wrong derivative."""
    T = len(path.controls)
    for name, costs, k in (("stage", problem.stage, 0), ("terminal", problem.terminal, T)):
        for at in _places(problem.model, path, k):
            for i, cost in enumerate(costs):
                _check_cost(problem.model, f"{name}[{i}]", cost, at)
    for constraint in problem.constraints:
        knots = [k for k in range(T + 1) if constraint.holds_at(k, T)]
        if not knots or constraint.jacobian is None:
            continue
        for at in _places(problem.model, path, knots[0]):
            if np.all(np.isfinite(constraint.value(*at))):
                given = constraint.jacobians(problem.model, *at, len(constraint.value(*at)))
                epsilon = _precision(constraint.function, at)
                _compare(problem.model, f"constraint '{constraint.name}', jacobian", constraint.value, at, given, epsilon)


def _places(model: Any, path: Path, k: int) -> list[tuple[Any, Any, int]]:
    """(state, control, k) at knot k, and at a point nearby that differs in every direction, by different amounts."""
    state, control = path.states[k], path.controls[k] if k < len(path.controls) else None
    shares = np.cos(1.0 + np.arange(tangent_size(model)))
    moved = None if control is None else control + ASIDE * (1.0 + np.abs(control)) * np.cos(2.0 + np.arange(len(control)))
    return [(state, control, k), (move(model, state, ASIDE * shares), moved, k)]


def _check_cost(model: Any, name: str, cost: Any, at: tuple[Any, Any, int]) -> None:
    """ValueError if derivatives of this cost are wrong at (state, control, k)."""
    if not np.isfinite(cost.value(*at)):  # off the path a cost may be undefined
        return
    if isinstance(cost, ResidualCost):
        if cost.jacobian is not None:
            given = cost.jacobians(model, *at)
            _compare(model, f"{name}, jacobian", cost.residual_at, at, given, _precision(cost.residual, at))
        return
    found = expanded(cost, model, *at)
    given = np.atleast_2d(found.x), np.atleast_2d(found.u)
    epsilon = _precision(cost.function if isinstance(cost, FunctionCost) else cost.value, at)
    _compare(model, f"{name}, derivatives", _as_vector(cost.value), at, given, epsilon)


def _precision(function: Callable[..., Any], at: tuple[Any, Any, int]) -> float:
    """Machine epsilon of what a user's function returns."""
    state, control, k = at
    return epsilon_of(function(*guarded(state, control), k))


def _as_vector(value: Callable[..., float]) -> Callable[..., Array]:
    return lambda *at: np.array([value(*at)])


def _compare(
    model: Any, what: str, function: Callable[..., Array], at: tuple[Any, Any, int], given: tuple[Array, Array], epsilon: float
) -> None:  # fmt: skip
    """ValueError unless given, (p, n) and (p, m), are the Jacobians of function(state, control, k) -> (p,) by state and control.

    epsilon: the machine epsilon of its numbers.
    """
    state, control, k = at
    here = function(*at)
    for side, matrix in zip(("state", "control"), given, strict=True):
        if not np.all(np.isfinite(matrix)):
            raise ValueError(f"{what}: by the {side} has entries that are not finite at knot {k}")
        widths = np.full(matrix.shape[1], epsilon ** (1 / 3))
        if side == "control" and control is not None:
            widths *= np.maximum(1.0, np.abs(control))
        ahead, behind = np.zeros(matrix.shape), np.zeros(matrix.shape)
        for j, step in enumerate(np.diag(widths)):
            for sign, slopes in ((1.0, ahead), (-1.0, behind)):
                if side == "state":
                    moved = function(move(model, state, sign * step), control, k)
                else:
                    moved = function(state, control + sign * step, k)
                slopes[:, j] = sign * (moved - here) / widths[j]
        largest = np.maximum(np.abs(matrix).max(axis=1, initial=0.0)[:, None], np.abs(ahead))
        slack = TOLERANCE * np.maximum(1.0, largest) + 1e2 * epsilon * np.abs(here)[:, None] / widths
        wrong = first_outside(matrix, ahead, behind, slack)
        if wrong:
            row, j = wrong
            raise ValueError(
                f"{what}: row {row} by entry {j} of the {side} is {matrix[row, j]:.6g} at knot {k}, differences give "
                f"{0.5 * (ahead + behind)[row, j]:.6g}; Options(check_derivatives=False) plans with it all the same"
            )
