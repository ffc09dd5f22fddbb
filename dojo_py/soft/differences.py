"""Jacobians of one step by finite differences on the tangent space, one-sided or centred.

Column j: the step from the state moved by ± epsilon along tangent j, compared with the nominal one (one-sided) or with each other
(centred). Tangents [δq, δv, δact]. Controls are moved only within their limits, those of a muscle within [0, 1]; at the end of a
range of activations what moves them is moved inward only. Source: computation chapter, "Derivatives".
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.actuation.owners import of_muscles, owners_of_activations, owners_of_controls
from dojo_py.mechanism.configuration import configuration_difference, integrate_configuration
from dojo_py.mechanism.enums import DisableBit, DynType
from dojo_py.simulate.results import Linearization, State
from dojo_py.simulate.status import LOST, Status
from dojo_py.simulate.trajectory import Trajectory

Array = np.ndarray
Stepper = Callable[[State, Array], Trajectory]
"""(state, control (nu,)) -> a trajectory of one step."""

EPSILON = 1e-6
"""Default displacement of each coordinate, velocity, activation and control, in its own unit."""


def _moved(model: Any, state: State, control: Array, column: int, amount: float) -> tuple[State, Array]:
    """The state and control moved by `amount` along column of [dq, dv, dact, du]."""
    nv, size = model.nv, 2 * model.nv + model.na
    if column >= size:
        u = control.copy()
        u[column - size] += amount
        return state, u
    tangent = np.zeros(size)
    tangent[column] = amount
    if column >= 2 * nv:
        return dataclasses.replace(state, act=state.act + tangent[2 * nv :]), control
    joints = model.jnt_type, model.jnt_qposadr, model.jnt_dofadr
    q = integrate_configuration(*joints, state.qpos, tangent[:nv]) if column < nv else state.qpos
    return dataclasses.replace(state, qpos=q, qvel=state.qvel + tangent[nv : 2 * nv], maximal=None, exact=None), control


def _has_room(model: Any, k: int, u: float) -> bool:
    """Whether the value u of control k acts as it is: it lies within the limits, or none are kept."""
    low, high = model.actuator_ctrlrange[k]
    clamped = model.actuator_ctrllimited[k] and not int(model.opt.disableflags) & DisableBit.CLAMPCTRL
    return (not clamped or low <= u <= high) and (not of_muscles(model)[k] or 0.0 <= u <= 1.0)


def _room(model: Any, state: State, control: Array, after: State, column: int, amount: float) -> tuple[bool, bool]:
    """Whether the number of this column may be raised, and lowered, by `amount`.

    Not a control out of its limits, the activation of a muscle out of [0, 1], nor what drives an activation out of the range at
    whose end the step ends.
    """
    first, size = 2 * model.nv, 2 * model.nv + model.na
    if column < first:
        return True, True
    if column >= size:
        k = column - size
        i, up, down = (
            owners_of_controls(model)[k],
            _has_room(model, k, control[k] + amount),
            _has_room(model, k, control[k] - amount),
        )
    else:
        i, act = owners_of_activations(model)[column - first], state.act[column - first]
        muscle = model.actuator_dyntype[i] == DynType.MUSCLE and 0.0 <= act <= 1.0
        up, down = not muscle or act + amount <= 1.0, not muscle or act - amount >= 0.0
    if model.actuator_actlimited[i] and model.actuator_actnum[i] == 1:
        (low, high), act = model.actuator_actrange[i], after.act[model.actuator_actadr[i]]
        up, down = up and act < high, down and act > low
    return up, down


def linearize(model: Any, step: Stepper, state: State, control: Array, epsilon: float, centred: bool) -> Linearization:
    """A (n, n), B (n, nu) of one step, n = 2nv + na; zero with a status that says why where it, or one beside it, fails."""
    size, joints = 2 * model.nv + model.na, (model.jnt_type, model.jnt_qposadr, model.jnt_dofadr)
    first = step(state, control)
    nominal, status = first.state(1), Status(int(first.status[0]))
    columns = np.zeros((size, size + model.nu))
    failed = status if status in LOST else None

    def end(s: State, u: Array) -> State:
        nonlocal failed
        one = step(s, u)
        failed = next((lost for lost in LOST if one.status[0] == lost), failed)
        return one.state(1)

    for column in range(size + model.nu):
        forward, backward = _room(model, state, control, nominal, column, epsilon)
        backward = backward and (centred or not forward)
        if failed is not None or not (forward or backward):
            continue
        plus = end(*_moved(model, state, control, column, epsilon)) if forward else nominal
        minus = end(*_moved(model, state, control, column, -epsilon)) if backward else nominal
        width = epsilon * (int(forward) + int(backward))
        dq = configuration_difference(*joints, plus.qpos, minus.qpos)
        columns[:, column] = np.concatenate([dq, plus.qvel - minus.qvel, plus.act - minus.act]) / width
    if failed is None and not np.isfinite(columns).all():
        failed = Status.NOT_FINITE
    if failed is not None:
        columns, status = np.zeros_like(columns), failed
    return Linearization(columns[:, :size], columns[:, size:], nominal, residual=float(first.residual[0]), status=status)


def along(model: Any, step_at: Callable[[int], Stepper], trajectory: Trajectory) -> tuple[Array, Array, Array]:
    """A (T, n, n), B (T, n, nu), n = 2nv + na, and the status (T,) of every step of a trajectory by centred differences."""
    n, T = 2 * model.nv + model.na, len(trajectory)
    A, B, status = np.zeros((T, n, n)), np.zeros((T, n, model.nu)), np.zeros(T, np.int64)
    for k in range(T):
        one = linearize(model, step_at(k), trajectory.state(k), trajectory.control[k], EPSILON, True)
        A[k], B[k], status[k] = one.A, one.B, one.status
    return A, B, status
