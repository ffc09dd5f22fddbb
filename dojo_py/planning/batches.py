"""Vectorised evaluation of a user's function of (state, control, k) at many neighbouring points, where the function allows it.

Functions written for one state, such as `state.qvel[0] - 1.0`, mostly work on columns too: qpos (nq, B), qvel (nv, B), act (na, B),
control (nu, B) give (p, B). This is checked against single evaluations: of all columns at the first use of a function, of the last
column at every later use. A function that gives other numbers, or raises, is called point by point from then on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from dojo_py.simulate.results import State
from dojo_py.simulate.values import epsilon_of

Array = np.ndarray
AGREE = 1e-12
"""Largest accepted difference of a column from the single evaluation, over its largest entry; perturbations change far more."""
_verdicts: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
"""Function -> whether evaluation by columns has given the same numbers so far."""


class Points(NamedTuple):
    """B points near a state."""

    qpos: Array
    """(nq, B)"""
    qvel: Array
    """(nv, B)"""
    act: Array | None
    """(na, B); None where there are no activations."""
    control: Array | None
    """(nu, B); None at the terminal knot."""


def columns(function: Callable[[State, Any, int], Any], state: State, points: Points, k: int) -> tuple[Array, float]:
    """(p, B) the function at B points, and the machine epsilon of the numbers that it returns."""
    count = points.qpos.shape[1]
    last = _raw(function, state, points, k, count - 1)
    return _values(function, state, points, k, last), epsilon_of(last)


def _values(function: Callable[[State, Any, int], Any], state: State, points: Points, k: int, last: Any) -> Array:
    """(p, B); last: what the function returns at the last point."""
    count = points.qpos.shape[1]

    def single(j: int) -> Array:
        return np.atleast_1d(np.asarray(last if j == count - 1 else _raw(function, state, points, k, j), float))

    verdict = _verdict(function)
    if verdict is not False:
        together = _together(function, state, points, k)
        tried = range(count) if verdict is None else (count - 1,)
        if together is not None and all(_agree(together[:, j], single(j)) for j in tried):
            _remember(function, True)
            return together
        _remember(function, False)
    return np.stack([single(j) for j in range(count)], axis=1)


def _verdict(function: Any) -> bool | None:
    try:
        return _verdicts.get(function)
    except TypeError:  # neither hashable nor weakly referable
        return False


def _remember(function: Any, verdict: bool) -> None:
    try:
        _verdicts[function] = verdict
    except TypeError:
        pass


def _together(function: Any, state: State, points: Points, k: int) -> Array | None:
    """(p, B) by columns; None if the function raises or returns another shape."""
    qpos, qvel, act, control = points
    many = _at(state, qpos, qvel, act)
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(many, control, k), float)
    except Exception:  # noqa: BLE001 (what a user's function raises on columns is its own affair; single points raise it again)
        return None
    found = found[None] if found.ndim == 1 else found
    return found if found.ndim == 2 and found.shape[1] == qpos.shape[1] else None


def _at(state: State, qpos: Array, qvel: Array, act: Array | None) -> State:
    return dataclasses.replace(state, qpos=qpos, qvel=qvel, act=state.act if act is None else act, maximal=None, exact=None)


def _raw(function: Any, state: State, points: Points, k: int, j: int) -> Any:
    """What the function returns at point j."""
    qpos, qvel, act, control = points
    one = _at(state, qpos[:, j].copy(), qvel[:, j].copy(), None if act is None else act[:, j].copy())
    return function(one, None if control is None else control[:, j].copy(), k)


def _agree(column: Array, single: Array) -> bool:
    if column.shape != single.shape:
        return False
    return np.array_equal(column, single) or bool(np.abs(column - single).max() <= AGREE * np.abs(single).max())
