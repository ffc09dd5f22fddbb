"""The log: one record per iteration, as a table in memory, a line on screen, a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from os import PathLike


@dataclass(frozen=True)
class Iteration:
    """What one iteration did. Times in seconds."""

    iteration: int
    update: int
    """Multiplier updates before it."""
    kappa: float
    """Of the gradients [N m s]; 0: the simulator's own."""
    penalty: float
    cost: float
    """After the iteration, without constraints."""
    merit: float
    """Cost with augmented Lagrangian."""
    violation: float
    """Largest violation of a constraint."""
    gap: float
    """Sum of the gaps left."""
    gradient: float
    """Largest feedforward step relative to 1 + |u|."""
    step: float
    """α of the line search; 0 when no step was found."""
    trials: int
    """Rollouts of the line search."""
    decrease: float
    """Of the merit."""
    regularisation: float
    unsolved: int
    """Steps of the path that missed the simulator's tolerances."""
    seconds_simulate: float
    """Gradients at all knots, and the first rollout."""
    seconds_backward: float
    """Expansion of the costs and backward pass."""
    seconds_search: float
    """Line search: its rollouts and costs."""


def write_log(records: Sequence[Iteration], file: str | PathLike) -> None:
    """One row per iteration under the names of the fields."""
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([f.name for f in fields(Iteration)])
        writer.writerows(astuple(record) for record in records)
