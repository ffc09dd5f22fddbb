"""Jacobians of one step by finite differences on the tangent space, one-sided or centred.

Column j: the step from the state moved by ± epsilon along tangent j, compared with the nominal one (one-sided) or with each other
(centred). Controls are moved only within their limits. Source: computation chapter, "Derivatives".
"""

from typing import Any

import numpy as np

from dojo_py.mechanism.configuration import configuration_difference, integrate_configuration
from dojo_py.simulate.results import Linearization, State

Array = np.ndarray


def _moved(simulator: Any, state: State, control: Array, column: int, amount: float) -> tuple[State, Array]:
    """The state and control moved by `amount` along column of [dq, dv, du]."""
    m = simulator.model
    if column >= 2 * m.nv:
        u = control.copy()
        u[column - 2 * m.nv] += amount
        return state, u
    tangent = np.zeros(2 * m.nv)
    tangent[column] = amount
    joints = m.jnt_type, m.jnt_qposadr, m.jnt_dofadr
    q = integrate_configuration(*joints, state.qpos, tangent[: m.nv]) if column < m.nv else state.qpos
    return State(q, state.qvel + tangent[m.nv :], state.act, state.time), control


def _has_room(model: Any, i: int, u: float) -> bool:
    """Whether the control value u lies within the limits of actuator i."""
    low, high = model.actuator_ctrlrange[i]
    return not model.actuator_ctrllimited[i] or low <= u <= high


def linearize(simulator: Any, state: State, control: Array, epsilon: float, centred: bool) -> Linearization:
    """A (2nv, 2nv), B (2nv, nu) of one step; raises FloatingPointError with the status when a step fails."""
    m = simulator.model

    def result(s: State, u: Array) -> State:
        step = simulator.step(s, u)
        if step.state.time == s.time:
            raise FloatingPointError(f"linearize: {step.status.message}")
        return step.state

    nominal = result(state, control)
    columns = np.zeros((2 * m.nv, 2 * m.nv + m.nu))
    for column in range(2 * m.nv + m.nu):
        forward, backward = True, centred
        if column >= 2 * m.nv:
            i = column - 2 * m.nv
            forward = _has_room(m, i, control[i] + epsilon)
            backward = (centred or not forward) and _has_room(m, i, control[i] - epsilon)
        if not (forward or backward):
            continue
        plus = result(*_moved(simulator, state, control, column, epsilon)) if forward else nominal
        minus = result(*_moved(simulator, state, control, column, -epsilon)) if backward else nominal
        width = epsilon * (int(forward) + int(backward))
        dq = configuration_difference(m.jnt_type, m.jnt_qposadr, m.jnt_dofadr, plus.qpos, minus.qpos)
        columns[:, column] = np.concatenate([dq, plus.qvel - minus.qvel]) / width
    return Linearization(columns[:, : 2 * m.nv], columns[:, 2 * m.nv :], nominal)
