"""Log of the iterations: records, text table, CSV file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from os import PathLike

from dojo_py.whole_file import whole_file


@dataclass(frozen=True)
class Iteration:
    """Record of one iteration. Times in seconds."""

    iteration: int
    update: int
    """Number of multiplier updates before it."""
    kappa: float
    """Central-path parameter of the gradients [N m s]; 0: the simulator's default."""
    penalty: float
    cost: float
    """After the iteration, without constraint terms."""
    merit: float
    """Augmented Lagrangian after the iteration."""
    violation: float
    """Largest violation of a constraint."""
    gap: float
    """Sum of the remaining absolute gaps."""
    gradient: float
    """Largest entry of the feedforward step, relative to 1 + |u|."""
    step: float
    """α of the line search; 0 if no step was accepted."""
    trials: int
    """Number of roll-outs of the line search."""
    decrease: float
    """Decrease of the merit, gaps included."""
    regularisation: float
    unsolved: int
    """Number of steps of the trajectory that missed the simulator's tolerances."""
    seconds_simulate: float
    """Linearisation at all knots, and the first roll-out."""
    seconds_backward: float
    """Expansion of the costs and backward pass."""
    seconds_search: float
    """Line search: roll-outs and costs."""


COLUMNS = {
    "iteration": "{:d}", "kappa": "{:.1e}", "penalty": "{:.0e}", "cost": "{:.5g}", "violation": "{:.1e}", "step": "{:.2g}",
    "trials": "{:d}", "decrease": "{:.1e}", "regularisation": "{:.0e}", "unsolved": "{:d}",
}  # fmt: skip
"""Columns of the text table and their formats."""


def noted(record: Iteration) -> str:
    """Text of the progress bar for an iteration."""
    return f"cost {record.cost:.4g}" + (f", violation {record.violation:.1e}" if record.violation > 0.0 else "")


def log_text(records: Sequence[Iteration]) -> str:
    """The log as a text table: a line per iteration, and a line where κ changes or the multipliers were updated."""
    rows = [[form.format(getattr(r, name)) for name, form in COLUMNS.items()] for r in records]
    heads = ["iter", "kappa", "penalty", "cost", "violation", "step", "trials", "decrease", "mu", "unsolved"]
    widths = [max([len(head), *(len(row[i]) for row in rows)]) for i, head in enumerate(heads)]
    lines = ["  ".join(head.rjust(width) for head, width in zip(heads, widths, strict=True))]
    for i, (record, row) in enumerate(zip(records, rows, strict=True)):
        before = records[i - 1] if i else record
        if record.kappa != before.kappa:
            lines.append(f"-- kappa {before.kappa:.2g} -> {record.kappa:.2g} N m s")
        if record.update != before.update:
            lines.append(f"-- multipliers updated, violation {before.violation:.1e}, penalty {record.penalty:.0e}")
        lines.append("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    return "\n".join(lines)


def write_log(records: Sequence[Iteration], file: str | PathLike) -> None:
    """One row per iteration under the names of the fields."""
    with whole_file(file) as draft, open(draft, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([f.name for f in fields(Iteration)])
        writer.writerows(astuple(record) for record in records)
