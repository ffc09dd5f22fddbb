"""Central differences of a function of (state, control, k) by the tangent state and the control; tangents of states.

The width is the cube root of the machine epsilon, which balances round-off and truncation error (Gill, Murray, Wright 1981,
section 4.6): of a function that returns single precision, that of single precision.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dojo_py.mechanism.enums import JointType
from dojo_py.planning.batches import Points, columns
from dojo_py.simulate.results import Linearization, State
from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.values import EPSILON

Array = np.ndarray

FREE, BALL = int(JointType.FREE), int(JointType.BALL)
"""Codes of joint types with a quaternion."""
WIDTH = EPSILON ** (1 / 3)


def activations(model: Any) -> int:
    """na; 0 for user-defined models without activations."""
    return int(getattr(model, "na", 0))


def tangent_size(model: Any) -> int:
    """Size of the tangent state [δq, δv, δact], 2 nv + na."""
    return 2 * int(model.nv) + activations(model)


def move(model: Any, state: State, dx: Array) -> State:
    """state ⊕ dx, dx = [δq, δv, δact] (2 nv + na,)."""
    nv = model.nv
    qpos, act = model.integrate(state.qpos, dx[:nv]), state.act + dx[2 * nv :] if activations(model) else state.act
    return dataclasses.replace(state, qpos=qpos, qvel=state.qvel + dx[nv : 2 * nv], act=act, maximal=None, exact=None)


def difference(model: Any, b: State, a: State) -> Array:
    """b ⊖ a (2 nv + na,), the tangent from state a to state b."""
    parts = [model.difference(b.qpos, a.qpos), b.qvel - a.qvel]
    return np.concatenate([*parts, b.act - a.act] if activations(model) else parts)


def same_motion(model: Any, states: Sequence[State], qpos: Array, qvel: Array, act: Array) -> bool:
    """Whether the K states have bitwise these coordinates (K, nq), velocities (K, nv) and activations (K, na)."""
    stateful = activations(model) > 0
    return all(
        np.array_equal(q, s.qpos) and np.array_equal(v, s.qvel) and (not stateful or np.array_equal(w, s.act))
        for q, v, w, s in zip(qpos, qvel, act, states, strict=True)
    )


def jacobians(
    model: Any, function: Callable[[State, Any, int], Any], state: State, control: Array | None, k: int, size: int
) -> tuple[Array, Array]:
    """(size, n), (size, m): derivatives of function(state, control, k) -> (size,) by the tangent state and by the control."""
    n, m = tangent_size(model), 0 if control is None else len(control)
    size_of = np.ones(n + m)
    if control is not None:
        size_of[n:] = np.maximum(1.0, np.abs(control))
    widths = WIDTH * size_of
    found, epsilon = columns(function, state, perturbed(model, state, control, widths), k)
    if epsilon > EPSILON:
        widths = epsilon ** (1 / 3) * size_of
        found, _ = columns(function, state, perturbed(model, state, control, widths), k)
    if found.shape[0] != size:
        raise ValueError(f"a residual has {found.shape[0]} entries beside a point where it has {size}")
    half = len(widths)
    slopes = (found[:, :half] - found[:, half:-1]) / (2 * widths)
    return slopes[:, :n], slopes[:, n:]


def perturbed(model: Any, state: State, control: Array | None, widths: Array) -> Points:
    """2 n + 1 points, n = len(widths): qpos (nq, 2 n + 1), qvel (nv, …), act (na, …) or None, control (nu, …) or None.

    Columns 0 … n − 1: one entry of the tangent state or control plus its width; n … 2 n − 1: minus. In the last column all entries
    are perturbed, by different amounts: it shows whether a function mixes its columns (batches.py compares it).
    """
    nv, na, size, n = model.nv, activations(model), tangent_size(model), len(widths)
    count = 2 * n + 1
    qpos, qvel = np.repeat(state.qpos[:, None], count, axis=1), np.repeat(state.qvel[:, None], count, axis=1)
    u = None if control is None else np.repeat(np.asarray(control, float)[:, None], count, axis=1)
    act = np.repeat(np.asarray(state.act, float)[:, None], count, axis=1) if na else None
    places = _coordinate(model)
    every = widths * np.cos(np.arange(1.0, n + 1.0))
    qpos[:, -1], qvel[:, -1] = model.integrate(state.qpos, every[:nv]), state.qvel + every[nv : 2 * nv]
    if act is not None:
        act[:, -1] += every[2 * nv : size]
    if u is not None:
        u[:, -1] += every[size:]
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
        if act is not None:
            entries = np.arange(na)
            act[entries, side + 2 * nv + entries] += sign * widths[2 * nv : size]
        if u is not None:
            entries = np.arange(len(u))
            u[entries, side + size + entries] += sign * widths[size:]
    return Points(qpos, qvel, act, u)


def _coordinate(model: Any) -> Array:
    """(nv,) entry of qpos to which a tangent entry is added; -1 where it rotates a quaternion."""
    out = np.full(model.nv, -1)
    if not hasattr(model, "jnt_type"):
        return out
    for kind, q, dof in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        width = {FREE: 3, BALL: 0}.get(int(kind), 1)
        out[dof : dof + width] = np.arange(q, q + width)
    return out


def linearize_by_steps(
    sim: Stepping, state: State, control: Array, kappa: float | None, width: float | None = None
) -> Linearization:
    """A, B of one step by one-sided differences of `sim.step`, for simulators that have no `linearize` of their own."""
    model, width = sim.model, width or WIDTH
    n, m = tangent_size(model), len(control)
    here = sim.step(state, control, kappa=kappa).state
    columns = np.empty((n, n + m))
    for j in range(n + m):
        if j < n:
            moved, u = move(model, state, width * np.eye(n)[j]), control
        else:
            moved, u = state, control + width * np.eye(m)[j - n]
        columns[:, j] = difference(model, sim.step(moved, u, kappa=kappa).state, here) / width
    return Linearization(columns[:, :n], columns[:, n:], here, kappa=kappa or 0.0)
