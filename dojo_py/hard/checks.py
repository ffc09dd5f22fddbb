"""Arrays from the user: checked before any kernel runs, copied so that nothing of the caller's changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism.enums import JointType
from dojo_py.simulate.arguments import vector

Array = np.ndarray

UNIT = 1e-3
"""How far a quaternion's length may be from 1 before it is taken for a mistake; within, it is scaled."""


def configuration(model: Any, qpos: Any) -> Array:
    """qpos (nq,) with unit quaternions, or ValueError."""
    q = vector("qpos", qpos, (model.nq,))
    for i in range(model.njnt):
        kind, adr = int(model.jnt_type[i]), int(model.jnt_qposadr[i])
        if kind not in (JointType.FREE, JointType.BALL):
            continue
        part = slice(adr + 3, adr + 7) if kind == JointType.FREE else slice(adr, adr + 4)
        norm = np.linalg.norm(q[part])
        if abs(norm - 1.0) > UNIT:
            name = model.joint_names[i] or f"#{i}"
            raise ValueError(f"qpos[{part.start}:{part.stop}], the quaternion of joint '{name}', has norm {norm:g}, expected 1")
        if norm != 1.0:
            q[part] /= norm
    return q


def wrenches_of(value: Any, nbody: int, steps: int) -> Array:
    """(0 | 1 | steps, nbody, 6) from None, (nbody, 6) or (steps, nbody, 6)."""
    if value is None:
        return np.zeros((0, nbody, 6))
    if np.ndim(value) == 3:
        return vector("wrenches", value, (steps, nbody, 6))
    return vector("wrenches", value, (nbody, 6))[None]


def wrenches_at(wrenches: Array, t: int) -> Array:
    """(0 | 1, nbody, 6): those of step t alone."""
    return wrenches[min(t, len(wrenches) - 1) :][:1]


def kappa_of(value: Any) -> float:
    """0 for the hard limit (None), or a positive number [N m s]."""
    if value is None:
        return 0.0
    kappa = float(value)
    if not (np.isfinite(kappa) and kappa >= 0):
        raise ValueError(f"kappa={value!r} must be positive and finite, or None for the hard limit")
    return kappa
