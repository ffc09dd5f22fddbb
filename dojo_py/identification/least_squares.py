"""Levenberg's and Marquardt's method on residuals whose states are eliminated, within bounds, with robust losses.

Each step solves the damped normal equations (elimination.py); bounds hold by a quadratic programme in the n parameters. The
damping follows the gain, the decrease of the cost over the predicted one. Converged is a fit whose model promises no decrease: as
much damping as needed makes any promise small, so that it is judged by a step that is hardly damped.
Source: Nielsen (1999), "Damping parameter in Marquardt's method".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dojo_py.identification.elimination import Normal, Reduced, Rows, eliminate, normal_equations
from dojo_py.identification.losses import LOSSES
from dojo_py.planning.box_qp import solve_box_qp

Array = np.ndarray
FIRST_DAMPING = 1e-4
"""Of the normal equations' diagonal; steps with less hardly differ from Gauss and Newton's."""
STILL = 1e-9
"""A step that changes no parameter by more than this part of it, and no state by more than this, is round-off."""
LEAST_GAIN = 1e-4
"""Decrease of the cost over the promised one from which on a step is accepted."""
CONVERGED = "converged"
NO_SMALLER = "no smaller cost was found along the gradient"


class ImpossibleStart(ValueError):
    """The first point gives no residuals."""


class Evaluated(NamedTuple):
    """Unknowns and what they give."""

    y: Any
    rows: list[Rows]
    cost: float
    """Half the sum of ρ: of squares, where the loss is linear."""


class Outcome(NamedTuple):
    """The best point, and how it was found."""

    point: Evaluated
    evaluations: int
    message: str
    impossible: int = 0
    """Steps to points without residuals, which were refused as a whole."""


def cost_of(rows: list[Rows], loss: str, scale: float) -> float:
    """Half the sum of the losses; sets the rows' weights. The loss is of measurements alone, the rest counts as squares."""
    total, chosen = 0.0, LOSSES[loss]
    for row in rows:
        if row.kind == "measured" and loss != "linear":
            z = (row.residual / scale) ** 2
            row.weight = chosen.weight(z)
            total += 0.5 * scale**2 * float(chosen.value(z).sum())
        else:
            total += 0.5 * float(row.residual @ row.residual)
    return total


def set_change(rows: list[Rows], loss: str, scale: float) -> None:
    """How the pulls of measurements change with their residuals, the mean over all of them, for covariances.

    One by one they do not tell how far an estimate yields when the data change; and of most losses some are negative.
    """
    measured = [row for row in rows if row.kind == "measured"] if loss != "linear" else []
    if measured:
        z = (np.concatenate([row.residual for row in measured]) / scale) ** 2
        mean = max(float(np.mean(LOSSES[loss].change(z))), 0.0)
        for row in measured:
            row.change = mean


class Objective(NamedTuple):
    """A sum of losses of residuals, as a function of unknowns y: parameters θ, and states of stretches, if any."""

    evaluate: Callable[[Any], list[Rows] | None]
    """Rows of y; None where it is impossible."""
    move: Callable[[Any, Array, Array], Any]
    """y, dθ (n,), dx (stretches, width) -> y moved by them."""
    theta: Callable[[Any], Array]
    """(n,) θ of y."""
    bounds: tuple[Array, Array]
    """(n,) the least and the largest θ."""
    stretches: int = 0
    """How many have unknown states."""
    width: int = 1
    """Numbers of one stretch's state."""
    loss: str = "linear"
    scale: float = 1.0
    """Of the loss: the residual from which on it is robust."""

    def at(self, y: Any) -> Evaluated | None:
        """Rows and cost of y; None where it is impossible."""
        rows = self.evaluate(y)
        return None if rows is None else Evaluated(y, rows, cost_of(rows, self.loss, self.scale))

    def normal(self, point: Evaluated) -> Normal:
        """The normal equations at a point."""
        return normal_equations(point.rows, len(self.theta(point.y)), self.stretches, self.width)

    def step(self, point: Evaluated, normal: Normal, damping: float) -> Step | None:
        """The damped step within bounds from a point; None if numbers overflow."""
        reduced, theta = eliminate(normal, damping), self.theta(point.y)
        change = _within(reduced, self.bounds[0] - theta, self.bounds[1] - theta)
        if change is None:
            return None
        along = -(reduced.follow @ change + reduced.rest)
        by_states = 0.5 * float(np.sum(normal.by_state * reduced.rest))
        promised = by_states - change @ (reduced.gradient + 0.5 * reduced.matrix @ change)
        tiny = bool(np.all(np.abs(change) <= STILL * np.abs(theta)) and np.all(np.abs(along) <= STILL))
        return Step(change, along, promised, tiny)


class Step(NamedTuple):
    """A change of the unknowns."""

    theta: Array
    """(n,) dθ"""
    states: Array
    """(stretches, width) dx"""
    promised: float
    """The decrease of the cost that the damped model predicts."""
    tiny: bool
    """Round-off: see `STILL`."""


def _within(reduced: Reduced, low: Array, high: Array) -> Array | None:
    """(n,) the parameters' change within bounds, each in units of its own information."""
    unit = 1.0 / np.sqrt(np.maximum(np.diag(reduced.matrix), 1e-300))
    found = solve_box_qp(reduced.matrix * np.outer(unit, unit), reduced.gradient * unit, low / unit, high / unit)
    return found.x * unit if found is not None and np.all(np.isfinite(found.x)) else None


@dataclass
class _Damping:
    """Nielsen's rule: times max(1/3, 1 - (2 gain - 1)³) after a step; times 2, 4, 8, … after steps that were refused in a row."""

    value: float = FIRST_DAMPING
    growth: float = 2.0

    def relax(self, gain: float) -> None:
        self.value = max(self.value * max(1.0 / 3.0, 1.0 - (2.0 * min(gain, 1.0) - 1.0) ** 3), 1e-15)
        self.growth = 2.0

    def grow(self) -> None:
        self.value, self.growth = self.value * self.growth, 2.0 * self.growth


def minimise(
    objective: Objective, start: Any, tolerance: float, max_iterations: int, report: Callable[[int, float], None] | None = None
) -> Outcome:
    """The least point found from `start`.

    Converged: the model promises, or a hardly damped step finds, a decrease of the cost by less than `tolerance` of it. Where it
    promises more and damped steps find none (a wrong derivative, a kink) the message says so.

    report: called with number and cost after each iteration.
    """
    now = objective.at(start)
    if now is None or not np.isfinite(now.cost):
        raise ImpossibleStart("the start is impossible: it gives no finite prediction")
    damping, normal, message = _Damping(), objective.normal(now), "iteration limit: raise max_iterations"
    evaluations, impossible = 1, 0
    refused, moved = False, False  # whether a step from this point was refused; whether one from any point was not
    for iteration in range(max_iterations):
        step = objective.step(now, normal, damping.value)
        if step is None:
            damping.grow()
            refused = True
            continue
        still = damping.value <= 1.0 and step.tiny
        if step.promised <= tolerance * now.cost or now.cost == 0.0 or still:
            if damping.value > FIRST_DAMPING and not (refused or still or now.cost == 0.0):
                damping = _Damping()  # does the model promise more without it?
                continue
            message = NO_SMALLER if refused and not still else CONVERGED
            break
        found = objective.at(objective.move(now.y, step.theta, step.states))
        evaluations += 1
        impossible += found is None
        if found is None or not (now.cost - found.cost) / step.promised > LEAST_GAIN:
            damping.grow()
            refused = True
            continue
        gain, fell = (now.cost - found.cost) / step.promised, now.cost - found.cost
        now, normal, refused, moved = found, objective.normal(found), False, True
        if report is not None:
            report(iteration, now.cost)
        if fell <= tolerance * now.cost and damping.value <= FIRST_DAMPING:
            message = CONVERGED
            break
        damping.relax(gain)
    else:
        if max_iterations > 1 and not moved:
            message = NO_SMALLER
    return Outcome(now, evaluations, message, impossible)
