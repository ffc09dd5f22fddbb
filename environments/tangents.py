"""Derivatives of joint coordinates in the tangent [dq, dv], for observations and rewards in closed form.

Quaternions: q exp(dq) = q + (1/2) q ⊗ (0, dq) to first order (rotation vectors in the body frame).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.environments.kinematics import BALL, FREE

Array = np.ndarray


def coordinate_jacobian(model: Any, qpos: Array) -> Array:
    """(nq + nv, 2nv) of [qpos, qvel]."""
    nq, nv = model.nq, model.nv
    out = np.zeros((nq + nv, 2 * nv))
    out[nq:, nv:] = np.eye(nv)
    for kind, q, d in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        if kind == FREE:
            out[q : q + 3, d : d + 3] = np.eye(3)
            q, d = q + 3, d + 3
        if kind in (FREE, BALL):
            out[q : q + 4, d : d + 3] = quaternion_jacobian(qpos[q : q + 4])
        else:
            out[q, d] = 1.0
    return out


def quaternion_jacobian(q: Array) -> Array:
    """(4, 3) by a rotation vector in the body frame; the quaternion's length does not matter."""
    w, x, y, z = 0.5 * q / np.linalg.norm(q)
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def forward_gradient(model: Any, weight: float) -> tuple[Array, Array]:
    """(2nv,), (2nv,): of weight (x after - x before), by the state before and by the state after; x: the first coordinate."""
    first = np.zeros(2 * model.nv)
    first[0] = weight
    return -first, first
