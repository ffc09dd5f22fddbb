"""The arrays of a closed loop, which kernels read at an address (loop_kernels.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from dojo_py.by_address import reader_of
from dojo_py.handles import Struct


class Loop(NamedTuple):
    """What the loop reads and writes. T steps, K actions; na: activations in `act`, size of an action elsewhere."""

    counts: np.ndarray  # (COUNTS,), see loop_counts.py
    sums: np.ndarray  # (SUMS,)
    # roll-out
    qpos: np.ndarray  # (T + 1, nq)
    qvel: np.ndarray  # (T + 1, nv)
    act: np.ndarray  # (T + 1, na)
    bodies: np.ndarray  # (T + 1, nb, 13), hard mode
    impulses: np.ndarray  # (T + 1, n), hard mode
    control: np.ndarray  # (T, nu)
    contacts: np.ndarray  # (n, width) contact table of the latest step (collision/contact_columns.py)
    fixed: np.ndarray  # (m, 2) geoms of the first m rows of contacts, those with planes
    # model
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
    # task
    numbers: np.ndarray  # its settings, in the order that its kernels define
    low: np.ndarray  # (na,) actions are clipped to [low, high]
    high: np.ndarray
    scale: np.ndarray  # (nu, na) control = offset + scale action
    offset: np.ndarray  # (nu,)
    # policy
    widths: np.ndarray  # (layers + 1,) of its layers, inputs first; tanh in the hidden ones
    parameters: np.ndarray
    shift: np.ndarray  # (no,) the policy gets (observation - shift) gain
    gain: np.ndarray  # (no,)
    values: np.ndarray  # (layers + 1, widest) input and activations of the layers
    slopes: np.ndarray  # (2, widest) work: cotangents of two layers
    # episode
    actions: np.ndarray  # (K, na)
    seen: np.ndarray  # (K + 1, no) observations
    rewards: np.ndarray  # (K,)
    parts: np.ndarray  # (K, number of terms) of the rewards
    status: np.ndarray  # (K,) worst of the steps of each action
    kept: np.ndarray  # (K + 1, n, width) contact table at each observation
    least: np.ndarray  # (K,) stop where the partial return is below this
    # work arrays of kinematics and differences
    position: np.ndarray  # (nbody, 3)
    rotation: np.ndarray  # (nbody, 3, 3)
    angular: np.ndarray  # (nbody, 3)
    linear: np.ndarray  # (nbody, 3)
    wrench: np.ndarray  # (nbody, 6)
    moved: np.ndarray  # (2, nq + nv)
    trial: np.ndarray  # (3, widest of observation and parts)
    small: np.ndarray  # (2, 3, 3)
    row: np.ndarray  # (9,)
    # reverse pass
    weights: np.ndarray  # (K,) cotangents of the rewards
    slopes_seen: np.ndarray  # (K + 1, no) cotangents of the observations
    cotangents: np.ndarray  # (T + 1, 2 nv + na) of the states
    by_control: np.ndarray  # (T, nu)
    by_contacts: np.ndarray  # (n, width) cotangents of the contact table after the present step
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
"""Number of dimensions of the fields that are not vectors."""
LOOP = Struct(Loop.__name__, [
    (name, _kind(DIMENSIONS.get(name, 1), types.int64 if name in WHOLE_NUMBERS else types.float64)) for name in Loop._fields
])  # fmt: skip
loop_at = reader_of(LOOP)
"""Function for kernels: address -> Loop."""
