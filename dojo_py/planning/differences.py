"""Central differences of a function of (state, control, step) along the tangent state and the control.

Width: the cube root of the round-off, which balances it against the third-order error (Gill, Murray, Wright 1981, section 4.6).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.planning.batches import columns
from dojo_py.simulate.results import Linearization, State

Array = np.ndarray

FREE, BALL = 0, 1
"""Codes of joint types with a quaternion."""
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
    nv, m = model.nv, 0 if control is None else len(control)
    widths = np.full(2 * nv + m, WIDTH)
    if control is not None:
        widths[2 * nv :] *= np.maximum(1.0, np.abs(control))
    found = columns(function, state, perturbed(model, state, control, widths), k)
    if found.shape[0] != size:
        raise ValueError(f"a residual has {found.shape[0]} entries beside a point where it has {size}")
    half = len(widths)
    slopes = (found[:, :half] - found[:, half:-1]) / (2 * widths)
    return slopes[:, : 2 * nv], slopes[:, 2 * nv :]


def perturbed(model: Any, state: State, control: Array | None, widths: Array) -> tuple[Array, Array, Array | None]:
    """qpos (nq, 2 n + 1), qvel (nv, 2 n + 1), control (nu, 2 n + 1) or None.

    Each tangent and control moved by its width (n,), ahead, then back; at last all at once, each its own way: what a function mixes
    of its columns shows there.
    """
    nv, n = model.nv, len(widths)
    count = 2 * n + 1
    qpos, qvel = np.repeat(state.qpos[:, None], count, axis=1), np.repeat(state.qvel[:, None], count, axis=1)
    u = None if control is None else np.repeat(np.asarray(control, float)[:, None], count, axis=1)
    places = _coordinate(model)
    every = widths * np.cos(np.arange(1.0, n + 1.0))
    qpos[:, -1], qvel[:, -1] = model.integrate(state.qpos, every[:nv]), state.qvel + every[nv : 2 * nv]
    if u is not None:
        u[:, -1] += every[2 * nv :]
    for side, sign in ((0, 1.0), (n, -1.0)):
        for j in range(nv):
            place = places[j]
            if place >= 0:
                qpos[place, side + j] += sign * widths[j]
            else:
                tangent = np.zeros(nv)
                tangent[j] = sign * widths[j]
                qpos[:, side + j] = model.integrate(state.qpos, tangent)
        dofs = np.arange(nv)
        qvel[dofs, side + nv + dofs] += sign * widths[nv : 2 * nv]
        if u is not None:
            entries = np.arange(len(u))
            u[entries, side + 2 * nv + entries] += sign * widths[2 * nv :]
    return qpos, qvel, u


def _coordinate(model: Any) -> Array:
    """(nv,) entry of qpos that a tangent entry simply adds to; -1 where it turns a quaternion."""
    out = np.full(model.nv, -1)
    if not hasattr(model, "jnt_type"):
        return out
    for kind, q, dof in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        width = {FREE: 3, BALL: 0}.get(int(kind), 1)
        out[dof : dof + width] = np.arange(q, q + width)
    return out


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
