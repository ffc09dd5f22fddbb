"""Poses of all bodies of a model at many configurations at once.

Order of operations: MuJoCo's (computation chapter, "Kinematics"). Quaternions (w, x, y, z), body to world.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import JointType

Array = np.ndarray


def body_poses(model: Any, qpos: Array) -> tuple[Array, Array]:
    """Positions (T, nbody, 3) of the body frames [m] and their orientations (T, nbody, 4) at configurations qpos (T, nq)."""
    qpos = np.asarray(qpos, float)
    x, q = np.zeros((len(qpos), model.nbody, 3)), np.zeros((len(qpos), model.nbody, 4))
    q[:, 0, 0] = 1.0
    for body in range(1, model.nbody):
        parent = model.body_parentid[body]
        position = x[:, parent] + quaternion.rotate(q[:, parent], model.body_pos[body])
        rotation = quaternion.multiply(q[:, parent], model.body_quat[body])
        first = model.body_jntadr[body]
        for joint in range(first, first + model.body_jntnum[body]):
            position, rotation = _moved(model, joint, qpos, position, rotation)
        x[:, body], q[:, body] = position, quaternion.normalise(rotation)
    return x, q


def _moved(model: Any, joint: int, qpos: Array, x: Array, q: Array) -> tuple[Array, Array]:
    """The body's pose (T, 3), (T, 4) after one of its joints."""
    kind, at = model.jnt_type[joint], model.jnt_qposadr[joint]
    if kind == JointType.FREE:
        return qpos[:, at : at + 3], quaternion.normalise(qpos[:, at + 3 : at + 7])
    axis = model.jnt_axis[joint]
    shift = qpos[:, at, None] - model.qpos0[at]
    if kind == JointType.SLIDE:
        return x + quaternion.rotate(q, axis) * shift, q
    anchor = x + quaternion.rotate(q, model.jnt_pos[joint])
    turn = quaternion.normalise(qpos[:, at : at + 4]) if kind == JointType.BALL else quaternion.exponential(shift * axis)
    q = quaternion.multiply(q, turn)
    return anchor - quaternion.rotate(q, model.jnt_pos[joint]), q


def centres_of_mass(model: Any, x: Array, q: Array) -> Array:
    """(T, nbody, 3) centres of mass [m] of bodies with these poses."""
    return x + quaternion.rotate(q, model.body_ipos)
