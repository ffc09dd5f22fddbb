"""Height fields: arrays `hfield_*`, and what a geom takes from one: sizes, bounding box and radius.

The heights become fractions of the largest, (e - least) / (largest - least), and their rows run with ascending y. In float32, as in
MuJoCo, so that the numbers are its to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .checks import Check, unique_names
from .errors import Problems
from .spec import HField, Mechanism

Array = np.ndarray

MAX_POINTS = 16_000_000
"""Of one height field: 64 MB of heights."""
LARGEST = 1e30
"""Largest magnitude of a height, so that differences are finite in float32."""


@dataclass
class CompiledHField:
    """A grid of heights."""

    data: Array
    """(nrow, ncol) float32, 0 to 1, y ascending."""
    size: Array
    """(4) half widths along x and y, height, depth of the base [m]."""

    @property
    def half_sizes(self) -> Array:
        """What MuJoCo keeps as `geom_size` (3): with half the height of a body of the mean of the lowest and highest point."""
        x, y, top, base = self.size
        return np.array([x, y, 0.25 * top + 0.5 * base])

    @property
    def box(self) -> Array:
        """Centre (3) and half extents (3) of the box about it [m]."""
        x, y, top, base = self.size
        return np.array([0.0, 0.0, 0.5 * (top - base), x, y, 0.5 * (top + base)])

    @property
    def radius(self) -> float:
        """Of the ball about the geom's origin that holds it [m]."""
        x, y, top, base = self.size
        return float(np.sqrt(x * x + y * y + max(top * top, base * base)))


def compile_hfields(mechanism: Mechanism, problems: Problems) -> dict[str, CompiledHField]:
    """Name -> height field, in the order of the mechanism; those that cannot be compiled are reported and missing."""
    unique_names(problems, "height field", mechanism.hfields)
    out = {}
    for hfield in mechanism.hfields:
        check = Check(problems, hfield)
        if not hfield.name:
            check.fail("name", "a height field needs a name")
        compiled = _compile(check, hfield)
        if compiled is not None:
            out[hfield.name] = compiled
    return out


def _compile(check: Check, hfield: HField) -> CompiledHField | None:
    before = len(check.problems.records)
    size = check.vector("size", 4)
    if len(check.problems.records) == before and not np.all(size > 0.0):
        check.fail("size", "four positive numbers are accepted: half widths along x and y, height, depth of the base")
    counts = [check.integer(name) for name in ("nrow", "ncol")]
    for name, count in zip(("nrow", "ncol"), counts, strict=True):
        if len(check.problems.records) == before and count < 2:
            check.fail(name, f"{count} was read; at least 2 points are accepted, or a file")
    if len(check.problems.records) == before and counts[0] * counts[1] > MAX_POINTS:
        check.fail("nrow", f"{counts[0]} times {counts[1]} points; at most {MAX_POINTS} are accepted")
    if len(check.problems.records) > before:
        return None
    heights = _heights(check, hfield, counts[0], counts[1])
    return None if heights is None else CompiledHField(_fractions(heights), size)


def _heights(check: Check, hfield: HField, nrow: int, ncol: int) -> Array | None:
    """(nrow, ncol) float32, y ascending, checked."""
    try:
        given = np.asarray(hfield.elevation, dtype=float).ravel()
    except (TypeError, ValueError):
        check.fail("elevation", "numbers are accepted, as many in each row")
        return None
    if given.size == 0:
        return np.zeros((nrow, ncol), np.float32)
    if given.size != nrow * ncol:
        check.fail("elevation", f"{given.size} numbers were read; nrow times ncol, {nrow * ncol}, are accepted")
        return None
    good = np.abs(given) <= LARGEST
    if not np.all(good):
        check.fail("elevation", f"number {int(np.argmin(good)) + 1} is {given[np.argmin(good)]:g}: not finite or too large")
        return None
    return given.astype(np.float32).reshape(nrow, ncol)[::-1]


def _fractions(heights: Array) -> Array:
    least, largest = heights.min(), heights.max()
    return (heights - least) / (largest - least) if largest > least else np.zeros_like(heights)


def hfield_arrays(hfields: dict[str, CompiledHField]) -> dict[str, Array]:
    """Arrays of all height fields, one after the other."""
    parts = list(hfields.values())
    return {
        "hfield_size": np.array([part.size for part in parts]).reshape(-1, 4),
        "hfield_nrow": np.array([part.data.shape[0] for part in parts], int),
        "hfield_ncol": np.array([part.data.shape[1] for part in parts], int),
        "hfield_adr": np.cumsum([0, *(part.data.size for part in parts)])[:-1],
        "hfield_data": np.concatenate([np.zeros(0, np.float32), *(part.data.ravel() for part in parts)]),
    }
