"""Central differences of a function of (state, control, step) along the tangent state and the control.

Width: the cube root of the round-off, which balances it against the third-order error (Gill, Murray, Wright 1981, section 4.6).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.simulate.results import Linearization, State

Array = np.ndarray

WIDTH = float(np.finfo(float).eps ** (1 / 3))


def move(model: Any, state: State, dx: Array) -> State:
    """The state moved by the tangent dx = [δq, δv] (2 nv,)."""
    nv = model.nv
    qpos = model.integrate(state.qpos, dx[:nv])
    return dataclasses.replace(state, qpos=qpos, qvel=state.qvel + dx[nv:], maximal=None, exact=None)


def difference(model: Any, b: State, a: State) -> Array:
    """(2 nv,) the tangent from state a to state b."""
    return np.concatenate([model.difference(b.qpos, a.qpos), b.qvel - a.qvel])


def jacobians(
    model: Any, function: Callable[[State, Any, int], Any], state: State, control: Array | None, k: int, size: int
) -> tuple[Array, Array]:
    """(size, 2 nv), (size, m): derivatives of function(state, control, k) -> (size,) by the tangent state and by the control."""
    n = 2 * model.nv
    rx, ru = np.zeros((size, n)), np.zeros((size, 0 if control is None else len(control)))
    for j, direction in enumerate(np.eye(n)):
        ahead = function(move(model, state, WIDTH * direction), control, k)
        behind = function(move(model, state, -WIDTH * direction), control, k)
        rx[:, j] = (np.asarray(ahead) - np.asarray(behind)) / (2 * WIDTH)
    if control is not None:
        widths = WIDTH * np.maximum(1.0, np.abs(control))
        for j, direction in enumerate(np.diag(widths)):
            ahead, behind = function(state, control + direction, k), function(state, control - direction, k)
            ru[:, j] = (np.asarray(ahead) - np.asarray(behind)) / (2 * widths[j])
    return rx, ru


def linearize_by_steps(sim: Any, state: State, control: Array, kappa: float | None, width: float | None = None) -> Linearization:
    """A, B of one step by one-sided differences of `sim.step`, for simulators that have no `linearize` of their own."""
    model, width = sim.model, width or WIDTH
    n, m = 2 * model.nv, len(control)
    here = sim.step(state, control, kappa=kappa).state
    columns = np.empty((n, n + m))
    for j in range(n + m):
        if j < n:
            moved, u = move(model, state, width * np.eye(n)[j]), control
        else:
            moved, u = state, control + width * np.eye(m)[j - n]
        columns[:, j] = difference(model, sim.step(moved, u, kappa=kappa).state, here) / width
    return Linearization(columns[:, :n], columns[:, n:], here, kappa=kappa or 0.0)
