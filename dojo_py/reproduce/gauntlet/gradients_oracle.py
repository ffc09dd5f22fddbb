"""Ridders' differences of steps, their error estimate, and how a column of derivatives is judged by them.

Units: angles as they are, lengths by the model's extent, rates times the time step (what a step makes of them), so that A has
entries near 1 for a millimetre as for a hundred metres. An error is relative to the largest entry of its column in these units,
and at least to a `floor` that its caller gives: what contact has wiped out has no size of its own.

Ridders' method: differences at steps that shrink by RATIO, extrapolated (Neville, at most DEPTH together); the entry whose
neighbours agree best is taken, and their disagreement is its error estimate. Where that is above a tenth of the bound the column
is not judged. Central differences at a kink converge to the mean of both sides, so a column that disagrees is looked at again
from either side: at a kink it counts as one, and must be no farther out than the two.

A step that has several solutions (bodies that start in one another, a corner near a corner) may end at another one where it starts
a thousandth farther. If all differences of the first rows straddle such a jump their agreement means nothing. So a column that
disagrees is also looked at from either side and with smaller first steps (NEARER): if differences that stay on the solution at hand
converge to it, the derivative is right and the column counts as a jump nearby.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Array = np.ndarray
Motion = Callable[[float], "Array | None"]
"""amount -> the end of a step moved by it, as a scaled tangent, or None where it is not solved."""

RATIO, LEVELS, DEPTH = 3.0, 11, 4
ENOUGH = 1e-10
"""Error estimate, relative to the column, with which a derivative is taken as found."""
ORACLE = 0.1
"""Share of the bound that the differences' own error may have."""
NEARER = (1e-2, 1e-3, 1e-4)
"""First steps of differences that are to stay clear of a jump, over the usual one."""
GOOD, KINK, JUMP, UNKNOWN, WRONG = "good", "kink", "jump", "not judged", "wrong"


class Judged(NamedTuple):
    """What the differences say of a column."""

    verdict: str
    error: float
    """Relative to the size of the column."""
    row: int
    """Where it is largest."""
    estimate: float
    """Of the differences' own error, relative likewise."""


def ridders(difference: Motion, first: float, power: int, floor: float) -> tuple[Array | None, float]:
    """(derivative, error estimate) of difference(step), whose error is a series in step ** power."""
    rows: list[list[Array]] = []
    best: Array | None = None
    error, step = np.inf, first
    for level in range(LEVELS):
        value = difference(step)
        step /= RATIO
        if value is None:
            rows = []
            continue
        row, factor = [value], 1.0
        for k in range(min(len(rows), DEPTH)):
            factor *= RATIO**power
            row.append(row[k] + (row[k] - rows[-1][k]) / (factor - 1.0))
            other = max(np.abs(row[k + 1] - row[k]).max(), np.abs(row[k + 1] - rows[-1][k]).max())
            if other < error:
                best, error = row[k + 1], float(other)
        rows.append(row)
        if level >= 2 and best is not None and error < ENOUGH * max(floor, float(np.abs(best).max())):
            break
    return best, error


def central(motion: Motion) -> Motion:
    """Central difference by the step."""

    def difference(step: float) -> Array | None:
        above, below = motion(step), motion(-step)
        return None if above is None or below is None else (above - below) / (2.0 * step)

    return difference


def one_sided(motion: Motion, sign: float) -> Motion:
    """Difference towards one side."""
    here = motion(0.0)

    def difference(step: float) -> Array | None:
        there = motion(sign * step)
        return None if there is None or here is None else sign * (there - here) / step

    return difference


def judge(ours: Array, motion: Motion, first: float, floor: float, bound: float) -> Judged:
    """The column `ours` against differences of the motion, whose largest step is `first`."""
    found, estimate = ridders(central(motion), first, 2, floor)
    size = max(floor, float(np.abs(ours).max()))
    if found is None:
        return Judged(UNKNOWN, 0.0, 0, np.inf)
    size = max(size, float(np.abs(found).max()))
    off = np.abs(found - ours) / size
    row, noise = int(np.argmax(off)), float(estimate / size)
    if off[row] <= bound and estimate <= ORACLE * bound * size:
        return Judged(GOOD, float(off[row]), row, noise)
    if estimate > ORACLE * bound * size and off[row] <= 10 * estimate / size:
        return Judged(UNKNOWN, float(off[row]), row, noise)
    up, up_error = ridders(one_sided(motion, 1.0), first, 1, floor)
    down, down_error = ridders(one_sided(motion, -1.0), first, 1, floor)
    if up is not None and down is not None:
        between = np.minimum(up, down), np.maximum(up, down)
        slack = bound * size + up_error + down_error
        apart = np.abs(up - down).max()
        if apart > 10 * (up_error + down_error) and apart > bound * size:
            outside = np.maximum(between[0] - ours, ours - between[1])
            worst = int(np.argmax(outside))
            if outside[worst] <= slack:
                return Judged(KINK, float(apart / size), row, noise)
    for side, error in ((up, up_error), (down, down_error)):
        if side is not None and error <= ORACLE * bound * size and np.abs(side - ours).max() <= bound * size:
            return Judged(JUMP, float(off[row]), row, noise)
    for nearer in NEARER:
        found, estimate_here = ridders(central(motion), nearer * first, 2, floor)
        if found is not None and estimate_here <= ORACLE * bound * size and np.abs(found - ours).max() <= bound * size:
            return Judged(JUMP, float(off[row]), row, noise)
    verdict = WRONG if estimate <= ORACLE * bound * size else UNKNOWN
    return Judged(verdict, float(off[row]), row, noise)
