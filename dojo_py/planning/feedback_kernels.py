"""Feedback gains of a plan between the steps of a compiled roll-out: u_k = clip(ū_k + k_k + K_k (x_k ⊖ x̄_k)).

The roll-out calls `act` before every step (by_address.py). x ⊖ x̄ = [q ⊖ q̄, v − v̄, act − act̄], where the difference of two
rotations is the rotation vector in the body frame (mechanism/configuration.py).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import types

from dojo_py.algebra.rotations import quat_conj_mul, quat_normalise, rotation_vector
from dojo_py.by_address import FRESH, STOP, reader_of
from dojo_py.handles import Struct
from dojo_py.jit import entry, kernel
from dojo_py.mechanism.enums import JointType
from dojo_py.simulate.status import FAILED

FREE, BALL = int(JointType.FREE), int(JointType.BALL)
"""Codes of joint types with a quaternion."""
NO_NEXT_STATE = tuple(int(status) for status in FAILED)


class Feedback(NamedTuple):
    """What `act` reads and writes; T steps; x̄, ū: the plan."""

    qpos: np.ndarray  # (T + 1, nq) of the roll-out, as the next four
    qvel: np.ndarray  # (T + 1, nv)
    act: np.ndarray  # (T + 1, na)
    control: np.ndarray  # (T, nu)
    status: np.ndarray  # (T,)
    done: np.ndarray  # (1,) number of steps that succeeded
    joint_type: np.ndarray  # of the model, as the next two
    joint_qpos: np.ndarray
    joint_dof: np.ndarray
    old_qpos: np.ndarray  # (T, nq) x̄
    old_qvel: np.ndarray  # (T, nv)
    old_act: np.ndarray  # (T, na)
    old_control: np.ndarray  # (T, nu) ū
    feedforward: np.ndarray  # (T, nu) k
    gains: np.ndarray  # (T, nu, 2 nv + na) K
    low: np.ndarray  # (nu,) control limits
    high: np.ndarray
    away: np.ndarray  # (2 nv + na,) x ⊖ x̄
    turns: np.ndarray  # (3, 4) work: quaternions
    rotation: np.ndarray  # (3,) work: rotation vector


FLOAT, WHOLE = types.float64, types.int64
FEEDBACK = Struct(Feedback.__name__, [
    ("qpos", types.Array(FLOAT, 2, "C")), ("qvel", types.Array(FLOAT, 2, "C")), ("act", types.Array(FLOAT, 2, "C")),
    ("control", types.Array(FLOAT, 2, "C")),
    ("status", types.Array(WHOLE, 1, "C")), ("done", types.Array(WHOLE, 1, "C")), ("joint_type", types.Array(WHOLE, 1, "C")),
    ("joint_qpos", types.Array(WHOLE, 1, "C")), ("joint_dof", types.Array(WHOLE, 1, "C")),
    ("old_qpos", types.Array(FLOAT, 2, "C")), ("old_qvel", types.Array(FLOAT, 2, "C")), ("old_act", types.Array(FLOAT, 2, "C")),
    ("old_control", types.Array(FLOAT, 2, "C")), ("feedforward", types.Array(FLOAT, 2, "C")),
    ("gains", types.Array(FLOAT, 3, "C")), ("low", types.Array(FLOAT, 1, "C")), ("high", types.Array(FLOAT, 1, "C")),
    ("away", types.Array(FLOAT, 1, "C")), ("turns", types.Array(FLOAT, 2, "C")), ("rotation", types.Array(FLOAT, 1, "C")),
])  # fmt: skip
feedback_at = reader_of(FEEDBACK)
"""Function for kernels: address -> Feedback."""


@kernel
def turned(D, qpos, old, first, dof):
    """away[dof : dof + 3] = rotation vector from the quaternion in `old` to that in `qpos`, both starting at `first`."""
    for i in range(4):
        D.turns[0, i], D.turns[1, i] = old[first + i], qpos[first + i]
    quat_normalise(D.turns[0])
    quat_normalise(D.turns[1])
    quat_conj_mul(D.turns[0], D.turns[1], D.turns[2])
    rotation_vector(D.turns[2], D.rotation)
    for i in range(3):
        D.away[dof + i] = D.rotation[i]


@kernel
def deviation(D, t):
    """away = x_t ⊖ x̄_t."""
    qpos, old, nv = D.qpos[t], D.old_qpos[t], D.qvel.shape[1]
    for j in range(D.joint_type.shape[0]):
        first, dof, kind = D.joint_qpos[j], D.joint_dof[j], D.joint_type[j]
        if kind == FREE:
            for i in range(3):
                D.away[dof + i] = qpos[first + i] - old[first + i]
            turned(D, qpos, old, first + 3, dof + 3)
        elif kind == BALL:
            turned(D, qpos, old, first, dof)
        else:
            D.away[dof] = qpos[first] - old[first]
    for i in range(nv):
        D.away[nv + i] = D.qvel[t, i] - D.old_qvel[t, i]
    for i in range(D.act.shape[1]):
        D.away[2 * nv + i] = D.act[t, i] - D.old_act[t, i]


@kernel
def decide(D, t, status):
    """STOP, or FRESH with the controls of step t; status: of the step before."""
    if t > 0:
        D.status[t - 1] = status
        if status in NO_NEXT_STATE:
            return STOP
    D.done[0] = t
    if t >= D.control.shape[0]:
        return STOP
    deviation(D, t)
    for i in range(D.control.shape[1]):
        u = D.old_control[t, i] + D.feedforward[t, i]
        for j in range(D.away.shape[0]):
            u += D.gains[t, i, j] * D.away[j]
        if not math.isfinite(u):
            return STOP
        D.control[t, i] = min(max(u, D.low[i]), D.high[i])
    return FRESH


@entry(no_cfunc_wrapper=False)
def act(t, status, address):
    """`decide` for the Feedback at an address."""
    return decide(feedback_at(address), t, status)
