"""Levenberg's and Marquardt's method on residuals whose states are eliminated, within bounds, with robust losses.

Each step solves the damped normal equations (elimination.py); bounds hold by a quadratic programme in the n parameters. The
damping follows the gain, the decrease of the cost over the predicted one. Converged is a fit whose model promises no decrease: as
much damping as needed makes any promise small, so that it is judged by a step that is hardly damped.
Source: Nielsen (1999), "Damping parameter in Marquardt's method".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.identification.elimination import Reduced, Rows, eliminate, normal_equations
from dojo_py.identification.losses import LOSSES
from dojo_py.planning.box_qp import solve_box_qp

Array = np.ndarray
FIRST_DAMPING = 1e-4
"""Of the normal equations' diagonal; steps with less hardly differ from Gauss and Newton's."""
STILL = 1e-9
"""A step that changes no parameter by more than this part of it, and no state by more than this, is round-off."""
NO_SMALLER = "no smaller cost was found along the gradient"


class ImpossibleStart(ValueError):
    """The first point gives no residuals."""


class Point(NamedTuple):
    """Unknowns and what they give."""

    y: Any
    rows: list[Rows]
    cost: float
    """Half the sum of ρ: of squares, where the loss is linear."""


class Outcome(NamedTuple):
    """The best point, and how it was found."""

    point: Point
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


def _step(reduced: Reduced, low: Array, high: Array) -> Array | None:
    """(n,) the parameters' change within bounds, each in units of its own information."""
    unit = 1.0 / np.sqrt(np.maximum(np.diag(reduced.matrix), 1e-300))
    found = solve_box_qp(reduced.matrix * np.outer(unit, unit), reduced.gradient * unit, low / unit, high / unit)
    return found.x * unit if found is not None and np.all(np.isfinite(found.x)) else None


def minimise(
    evaluate: Callable[[Any], list[Rows] | None], move: Callable[[Any, Array, Array], Any], start: Any,
    theta: Callable[[Any], Array], bounds: tuple[Array, Array], stretches: int, width: int, loss: str, scale: float,
    tolerance: float, max_iterations: int, told: Callable[[int, float], None],
) -> Outcome:  # fmt: skip
    """The least point found from `start`.

    evaluate: rows of a point, None where it is impossible. move(point, dθ, dx): the point moved. theta: its parameters (n,).
    Converged: the model promises, or a hardly damped step finds, a decrease of the cost by less than `tolerance` of it. Where it
    promises more and damped steps find none (a wrong derivative, a kink) the message says so. told: iteration and cost, after each.
    """

    def at(y: Any) -> Point | None:
        rows = evaluate(y)
        return None if rows is None else Point(y, rows, cost_of(rows, loss, scale))

    now = at(start)
    if now is None or not np.isfinite(now.cost):
        raise ImpossibleStart("the start is impossible: it gives no finite prediction")
    damping, growth, evaluations, message = FIRST_DAMPING, 2.0, 1, "iteration limit: raise max_iterations"
    normal = normal_equations(now.rows, len(theta(now.y)), stretches, width)
    refused, accepted = False, 0  # whether a step from this point was refused; how many steps were not
    impossible = 0
    for iteration in range(max_iterations):
        reduced = eliminate(normal, damping)
        here = theta(now.y)
        step, next_point, gain = _step(reduced, bounds[0] - here, bounds[1] - here), None, -1.0
        if step is not None:
            along = -(reduced.follow @ step + reduced.rest)
            still = damping <= 1.0 and np.all(np.abs(step) <= STILL * np.abs(here)) and np.all(np.abs(along) <= STILL)
            expected = 0.5 * float(np.sum(normal.by_state * reduced.rest)) - step @ (reduced.gradient + 0.5 * reduced.matrix @ step)
            if expected <= tolerance * now.cost or now.cost == 0.0 or still:
                if damping > FIRST_DAMPING and not (refused or still or now.cost == 0.0):  # does the model promise more without it?
                    damping, growth = FIRST_DAMPING, 2.0
                    continue
                message = NO_SMALLER if refused and not still else "converged"
                break
            next_point = at(move(now.y, step, along))
            evaluations += 1
            impossible += next_point is None
            gain = (now.cost - next_point.cost) / expected if next_point is not None and np.isfinite(next_point.cost) else -1.0
        if next_point is not None and gain > 1e-4:
            fell = now.cost - next_point.cost
            now, refused, accepted = next_point, False, accepted + 1
            normal = normal_equations(now.rows, len(here), stretches, width)
            told(iteration, now.cost)
            if fell <= tolerance * now.cost and damping <= FIRST_DAMPING:
                message = "converged"
                break
            damping, growth = max(damping * max(1.0 / 3.0, 1.0 - (2.0 * min(gain, 1.0) - 1.0) ** 3), 1e-15), 2.0
        else:
            damping, growth, refused = damping * growth, 2.0 * growth, True
    else:
        if max_iterations > 1 and not accepted:
            message = NO_SMALLER
    return Outcome(now, evaluations, message, impossible)
