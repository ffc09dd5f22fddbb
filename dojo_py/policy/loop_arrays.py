"""The arrays of a closed loop, which kernels read at an address (loop_kernels.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from dojo_py.by_address import reader_of
from dojo_py.handles import Struct


class Loop(NamedTuple):
    """What the loop reads and writes. T steps, K actions."""

    counts: np.ndarray  # (COUNTS,), see loop_counts.py
    sums: np.ndarray  # (SUMS,)
    # of the roll-out
    qpos: np.ndarray  # (T + 1, nq)
    qvel: np.ndarray  # (T + 1, nv)
    act: np.ndarray  # (T + 1, na)
    bodies: np.ndarray  # (T + 1, nb, 13), hard mode
    impulses: np.ndarray  # (T + 1, n), hard mode
    control: np.ndarray  # (T, nu)
    contacts: np.ndarray  # (n, width) of the latest step
    fixed: np.ndarray  # (m, 2) geoms of the first rows of contacts
    # of the model
    geom_body: np.ndarray
    parent: np.ndarray
    body_pos: np.ndarray
    body_quat: np.ndarray
    body_ipos: np.ndarray
    body_iquat: np.ndarray
    body_mass: np.ndarray
    body_inertia: np.ndarray
    first_joint: np.ndarray
    joints: np.ndarray
    joint_type: np.ndarray
    joint_qpos: np.ndarray
    joint_dof: np.ndarray
    joint_pos: np.ndarray
    joint_axis: np.ndarray
    qpos0: np.ndarray
    # of the task
    numbers: np.ndarray  # its settings, in an order of its own
    low: np.ndarray  # (na,) actions are clipped to these,
    high: np.ndarray
    scale: np.ndarray  # (nu, na) and become controls: offset + scale action
    offset: np.ndarray  # (nu,)
    # of the policy
    widths: np.ndarray  # (layers + 1,) of its layers, tanh between them
    parameters: np.ndarray
    shift: np.ndarray  # (no,) observations less this,
    gain: np.ndarray  # (no,) times this
    values: np.ndarray  # (layers + 1, widest) what the layers hold
    slopes: np.ndarray  # (2, widest)
    # of the episode
    actions: np.ndarray  # (K, na)
    seen: np.ndarray  # (K + 1, no)
    rewards: np.ndarray  # (K,)
    parts: np.ndarray  # (K, parts of the reward)
    status: np.ndarray  # (K,)
    kept: np.ndarray  # (K + 1, n, width) contacts when the observation was made
    least: np.ndarray  # (K,) stop where less than this was earned
    # kinematics and differences
    position: np.ndarray  # (nbody, 3)
    rotation: np.ndarray  # (nbody, 3, 3)
    angular: np.ndarray  # (nbody, 3)
    linear: np.ndarray  # (nbody, 3)
    wrench: np.ndarray  # (nbody, 6)
    moved: np.ndarray  # (2, nq + nv)
    trial: np.ndarray  # (3, widest of observation and parts)
    small: np.ndarray  # (2, 3, 3)
    row: np.ndarray  # (9,)
    # of the way back
    weights: np.ndarray  # (K,) cotangents of the rewards
    slopes_seen: np.ndarray  # (K + 1, no) cotangents of the observations
    cotangents: np.ndarray  # (T + 1, 2 nv + na)
    by_control: np.ndarray  # (T, nu)
    by_contacts: np.ndarray  # (n, width) cotangents of the contacts after the step at hand
    by_action: np.ndarray  # (K, na)
    by_parameters: np.ndarray  # (size,)


def _kind(dimensions: int, number: object = types.float64) -> object:
    return types.Array(number, dimensions, "C")


WHOLE_NUMBERS = (
    "counts", "fixed", "geom_body", "parent", "first_joint", "joints", "joint_type", "joint_qpos", "joint_dof", "widths", "status",
)  # fmt: skip
DIMENSIONS = {
    "qpos": 2, "qvel": 2, "act": 2, "bodies": 3, "impulses": 2, "control": 2, "contacts": 2, "fixed": 2, "body_pos": 2,
    "body_quat": 2, "body_ipos": 2, "body_iquat": 2, "body_inertia": 2, "joint_pos": 2, "joint_axis": 2, "scale": 2,
    "values": 2, "slopes": 2, "actions": 2, "seen": 2, "parts": 2, "kept": 3, "position": 2, "rotation": 3, "angular": 2,
    "linear": 2, "wrench": 2, "moved": 2, "trial": 2, "small": 3, "slopes_seen": 2,
    "cotangents": 2, "by_control": 2, "by_contacts": 2, "by_action": 2,
}  # fmt: skip
"""Of the fields that are no vectors."""
LOOP = Struct(Loop.__name__, [
    (name, _kind(DIMENSIONS.get(name, 1), types.int64 if name in WHOLE_NUMBERS else types.float64)) for name in Loop._fields
])  # fmt: skip
loop_at = reader_of(LOOP)
"""The Loop at an address."""
