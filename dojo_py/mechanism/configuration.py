"""Tangent arithmetic on joint coordinates: free = position 3 + quaternion, ball = quaternion, hinge and slide = 1.

Rotations are rotation vectors in the body frame: q_b = q_a exp(dq) (MuJoCo's mj_integratePos and mj_differentiatePos).
"""

from __future__ import annotations

import numpy as np

from . import quaternion
from .enums import JointType

Array = np.ndarray


def _split(types: Array, qposadr: Array, dofadr: Array) -> tuple[Array, Array, Array, Array]:
    """First entries of the quaternions (in qpos, in qvel), and all entries that are plain numbers (likewise)."""
    free, ball = types == JointType.FREE, types == JointType.BALL
    quat = np.concatenate([qposadr[free] + 3, qposadr[ball]]).astype(int)
    rot = np.concatenate([dofadr[free] + 3, dofadr[ball]]).astype(int)
    scalar = ~(free | ball)
    steps = np.arange(3)
    plain_q = np.concatenate([(qposadr[free][:, None] + steps).ravel(), qposadr[scalar]]).astype(int)
    plain_v = np.concatenate([(dofadr[free][:, None] + steps).ravel(), dofadr[scalar]]).astype(int)
    return quat, rot, plain_q, plain_v


def integrate_configuration(types: Array, qposadr: Array, dofadr: Array, qpos: Array, dq: Array) -> Array:
    """`qpos` (nq) moved by `dq` (nv); the quaternions of the result are unit."""
    quat, rot, plain_q, plain_v = _split(types, qposadr, dofadr)
    out = np.array(qpos, dtype=float)
    out[plain_q] += dq[plain_v]
    i, j = quat[:, None] + np.arange(4), rot[:, None] + np.arange(3)
    out[i] = quaternion.normalise(quaternion.multiply(quaternion.normalise(out[i]), quaternion.exponential(dq[j])))
    return out


def configuration_difference(types: Array, qposadr: Array, dofadr: Array, qpos_b: Array, qpos_a: Array) -> Array:
    """The tangent (nv) from `qpos_a` to `qpos_b`."""
    quat, rot, plain_q, plain_v = _split(types, qposadr, dofadr)
    out = np.zeros(plain_v.size + 3 * rot.size)
    out[plain_v] = qpos_b[plain_q] - qpos_a[plain_q]
    i, j = quat[:, None] + np.arange(4), rot[:, None] + np.arange(3)
    a, b = quaternion.normalise(qpos_a[i]), quaternion.normalise(qpos_b[i])
    out[j] = quaternion.logarithm(quaternion.multiply(quaternion.conjugate(a), b))
    return out
