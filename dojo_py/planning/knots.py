"""Knots: several consecutive knots of a trajectory, for vectorised costs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dojo_py.simulate.results import State
from dojo_py.simulate.values import function_of

Array = np.ndarray


class Knots(NamedTuple):
    """Knots first … first + K − 1."""

    states: Sequence[State]
    qpos: Array
    """(K, nq)"""
    qvel: Array
    """(K, nv)"""
    controls: Array | None
    """(K, nu); None at the terminal knot."""
    first: int

    def control(self, i: int) -> Array | None:
        """(nu,) of the i-th of them."""
        return None if self.controls is None else self.controls[i]


def stages_and_end(states: Sequence[State], controls: Array) -> tuple[Knots, Knots]:
    """The T knots with a control, and the terminal one, of T + 1 states."""
    T = len(controls)
    qpos, qvel = np.array([s.qpos for s in states]), np.array([s.qvel for s in states])
    return Knots(states[:T], qpos[:T], qvel[:T], controls, 0), Knots(states[T:], qpos[T:], qvel[T:], None, T)


def function_of_knots(name: str, function: Any) -> Any:
    """A user's function of (state, control, k); TypeError for what cannot be called with three arguments."""
    return function_of(name, function, ("state", "control", "k"))


def guarded(state: State, control: Array | None) -> tuple[State, Array | None]:
    """State and control for a user's function, their arrays read-only: what it would change in place is the plan's own motion."""
    if isinstance(state, State):
        qpos, qvel, act = _locked(state.qpos), _locked(state.qvel), _locked(state.act)
        state = dataclasses.replace(state, qpos=qpos, qvel=qvel, act=act)
    return state, _locked(control)


def asked(name: str, function: Any, state: State, control: Array | None, k: int) -> Any:
    """What a user's function returns, its arguments read-only; errors of a wrong idea of them say what they are."""
    try:
        return function(*guarded(state, control), k)
    except (AttributeError, TypeError) as error:
        if control is None and "NoneType" in str(error):
            raise TypeError(
                f"{name} at knot {k}, the last: {error}. There is no control at the end, where the control is None: what reads the "
                "control belongs into stage costs, or into a constraint with knots='stage'"
            ) from error
        if not hasattr(function, "along"):  # one that has takes arrays
            error.add_note("this function is given a State, with qpos, qvel, act; the control (nu,), None at the end; and k")
        raise


def _locked(array: Array | None) -> Any:
    """A view that cannot be written to; None stays None."""
    if array is None:
        return None
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view
