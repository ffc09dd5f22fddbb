"""Bounds of unknowns and their starts, as they are given: refused with the numbers that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.simulate.values import real_array

Array = np.ndarray


def check_bounds(name: str, start: Array | None, lower: Array, upper: Array) -> None:
    """ValueError unless the start (n,), where it is known, lies within bounds (n,) that are apart."""
    fits = lower < upper if start is None else (lower < upper) & (lower <= start) & (start <= upper)
    if np.all(fits):
        return
    first = int(np.flatnonzero(~fits)[0])
    given = {"lower": lower, "upper": upper} if start is None else {"start": start, "lower": lower, "upper": upper}
    numbers = ", ".join(f"{word} {float(value[first]):g}" for word, value in given.items())
    where = "" if len(fits) == 1 else f" at number {first}"
    raise ValueError(f"{name}: the start must lie within the bounds, and these apart; {numbers} were read{where}")


def check_given(name: str, start: Any, lower: Any, upper: Any, *, positive: str = "") -> None:
    """ValueError for what is wrong whatever the parameter's shape. start None: not known yet; positive: the transform's name."""
    given = [real_array(f"{name}: {word}", value) for word, value in (("lower", lower), ("upper", upper))]
    if start is not None:
        given.insert(0, real_array(f"{name}: start", start))
        if positive and np.any(given[0] <= 0):
            raise ValueError(f"{name}: transform {positive!r} needs a positive start, {float(np.min(given[0])):g} was read")
    try:
        spread = [array.ravel() for array in np.broadcast_arrays(*given)]
    except ValueError:  # one of them does not have the parameter's shape, which is refused once it is known
        return
    check_bounds(name, None if start is None else spread[0], *spread[-2:])
