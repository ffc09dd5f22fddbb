"""Tangent arithmetic on joint coordinates: free = position 3 + quaternion, ball = quaternion, hinge and slide = 1.

Rotations are rotation vectors in the body frame: q_b = q_a exp(dq) (MuJoCo's mj_integratePos and mj_differentiatePos).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from . import quaternion
from .enums import JointType

Array = np.ndarray

LARGEST = 1e100
"""Coordinates beyond it overflow in the arithmetic of rotations."""


def checked(name: str, value: Any, size: int) -> Array:
    """`value` as a fresh array (size,) of finite numbers; ValueError with this name for anything else."""
    try:
        given = np.asarray(value)
    except Exception as error:  # ragged lists, objects that fail to convert
        raise ValueError(f"{name} is not an array of numbers: {error}") from error
    if given.dtype.kind not in "iuf":
        raise ValueError(f"{name} is not an array of numbers but of {given.dtype}, expected shape ({size},)")
    given = given.astype(float)
    if given.shape != (size,):
        raise ValueError(f"{name} has shape {given.shape}, expected ({size},)")
    if not np.all(np.abs(given) <= LARGEST):
        raise ValueError(f"{name} has entries that are not finite, or beyond {LARGEST:g}")
    return given


def _split(types: Array, qposadr: Array, dofadr: Array) -> tuple[Array, Array, Array, Array]:
    """All entries of the quaternions, four a row, and of their rotation vectors; all entries that are plain numbers (likewise)."""
    return _split_of(tuple(types.tolist()), tuple(qposadr.tolist()), tuple(dofadr.tolist()))


@lru_cache(maxsize=64)
def _split_of(*joints: tuple[int, ...]) -> tuple[Array, Array, Array, Array]:
    """`_split`, remembered: planners take thousands of differences of one model."""
    types, qposadr, dofadr = (np.array(column, dtype=int) for column in joints)
    free, ball = types == JointType.FREE, types == JointType.BALL
    quat = np.concatenate([qposadr[free] + 3, qposadr[ball]]).astype(int)
    rot = np.concatenate([dofadr[free] + 3, dofadr[ball]]).astype(int)
    scalar = ~(free | ball)
    steps = np.arange(3)
    plain_q = np.concatenate([(qposadr[free][:, None] + steps).ravel(), qposadr[scalar]]).astype(int)
    plain_v = np.concatenate([(dofadr[free][:, None] + steps).ravel(), dofadr[scalar]]).astype(int)
    return quat[:, None] + np.arange(4), rot[:, None] + steps, plain_q, plain_v


def integrate_configuration(types: Array, qposadr: Array, dofadr: Array, qpos: Array, dq: Array) -> Array:
    """`qpos` (nq) moved by `dq` (nv); the quaternions of the result are unit."""
    i, j, plain_q, plain_v = _split(types, qposadr, dofadr)
    out = np.array(qpos, dtype=float)
    out[plain_q] += dq[plain_v]
    if not i.size:
        return out
    out[i] = quaternion.normalise(quaternion.multiply(quaternion.normalise(out[i]), quaternion.exponential(dq[j])))
    return out


def configuration_difference(types: Array, qposadr: Array, dofadr: Array, qpos_b: Array, qpos_a: Array) -> Array:
    """The tangent (..., nv) from `qpos_a` to `qpos_b`, (..., nq) each."""
    i, j, plain_q, plain_v = _split(types, qposadr, dofadr)
    plain = qpos_b[..., plain_q] - qpos_a[..., plain_q]
    out = np.zeros((*plain.shape[:-1], plain_v.size + j.size))
    out[..., plain_v] = plain
    if not i.size:
        return out
    a, b = quaternion.normalise(qpos_a[..., i]), quaternion.normalise(qpos_b[..., i])
    out[..., j] = quaternion.logarithm(quaternion.multiply(quaternion.conjugate(a), b))
    return out


def difference_jacobian(types: Array, qposadr: Array, dofadr: Array, dq: Array) -> Array:
    """Derivative (..., nv, nv) of a difference dq (..., nv) by the tangent of the configuration at its end."""
    rotations = _split(types, qposadr, dofadr)[1]
    out = np.zeros((*dq.shape, dq.shape[-1]))
    out[...] = np.eye(dq.shape[-1])
    out[..., rotations[:, :, None], rotations[:, None, :]] = quaternion.log_jacobian(dq[..., rotations])
    return out
