"""Pose, velocity and acceleration of every body frame at T states, from the root to the leaves.

A point at r from a frame's origin moves with v + ω × r and is accelerated by a + α × r + ω × (ω × r). A joint adds

    hinge     ω += n q̇,  α += n q̈ + ω × n q̇      about its anchor, which moves with the body before
    slide     v += n q̇,  a += n q̈ + 2 ω × n q̇
    ball      ω += R w,  α += R ẇ + ω × R w        free: its own velocities and accelerations

All accelerations include that of the world against gravity: what a body at rest feels is -g.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import DisableBit, JointType

Array = np.ndarray


@dataclass(eq=False)
class Motion:
    """(T, nbody, …) of the body frames, world axes."""

    x: Array
    q: Array
    v: Array
    w: Array
    a: Array
    alpha: Array


def gravity_of(model: Any) -> Array:
    """(3,) [m/s²]; zero while it is switched off."""
    return np.zeros(3) if int(model.opt.disableflags) & DisableBit.GRAVITY else np.asarray(model.opt.gravity, float)


def body_motion(model: Any, body_pos: Array, body_quat: Array, qpos: Array, qvel: Array, qacc: Array) -> Motion:
    """Motion of all bodies at states (T, nq), (T, nv) with accelerations (T, nv). body_pos, body_quat: as in the model."""
    T, nb = len(qpos), int(model.nbody)
    out = Motion(*(np.zeros((T, nb, k)) for k in (3, 4, 3, 3, 3, 3)))
    out.q[:, 0, 0] = 1.0
    out.a[:, 0] = -gravity_of(model)
    for b in range(1, nb):
        p = int(model.body_parentid[b])
        r = quaternion.rotate(out.q[:, p], body_pos[b])
        s = _Frame(out.x[:, p], out.q[:, p], out.v[:, p], out.w[:, p], out.a[:, p], out.alpha[:, p]).moved(r)
        s.q = quaternion.multiply(s.q, np.broadcast_to(body_quat[b], s.q.shape))
        first = int(model.body_jntadr[b])
        for j in range(first, first + int(model.body_jntnum[b])):
            s = _JOINTS[JointType(int(model.jnt_type[j]))](model, j, s, out, qpos, qvel, qacc)
        s.q = s.q / np.linalg.norm(s.q, axis=1, keepdims=True)
        for name in ("x", "q", "v", "w", "a", "alpha"):
            getattr(out, name)[:, b] = getattr(s, name)
    return out


class _Frame(Motion):
    """Likewise (T, …) of one frame."""

    def moved(self, r: Array) -> _Frame:
        """The same body seen at r (T, 3) from here."""
        turning = np.cross(self.w, r)
        a = self.a + np.cross(self.alpha, r) + np.cross(self.w, turning)
        return _Frame(self.x + r, self.q, self.v + turning, self.w, a, self.alpha)


def _hinge(model: Any, j: int, s: _Frame, out: Motion, qpos: Array, qvel: Array, qacc: Array) -> _Frame:
    adr, dof, axis = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), np.asarray(model.jnt_axis[j], float)
    angle = qpos[:, adr] - model.qpos0[adr]
    turn = np.concatenate([np.cos(0.5 * angle)[:, None], np.sin(0.5 * angle)[:, None] * axis], axis=1)
    n = quaternion.rotate(s.q, axis)
    return _about(model, j, s, turn, n * qvel[:, dof, None], n * qacc[:, dof, None])


def _ball(model: Any, j: int, s: _Frame, out: Motion, qpos: Array, qvel: Array, qacc: Array) -> _Frame:
    adr, dof = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    turn = quaternion.normalise(qpos[:, adr : adr + 4])
    after = quaternion.multiply(s.q, turn)
    rate, change = (quaternion.rotate(after, x[:, dof : dof + 3]) for x in (qvel, qacc))
    return _about(model, j, s, turn, rate, change)


def _about(model: Any, j: int, s: _Frame, turn: Array, rate: Array, change: Array) -> _Frame:
    """The body turned about the anchor of joint j by a quaternion, at a rate and its change, world axes (T, 3)."""
    anchor = s.moved(quaternion.rotate(s.q, model.jnt_pos[j]))
    anchor.q = quaternion.multiply(s.q, turn)
    anchor.alpha = s.alpha + change + np.cross(s.w, rate)
    anchor.w = s.w + rate
    return anchor.moved(-quaternion.rotate(anchor.q, model.jnt_pos[j]))


def _slide(model: Any, j: int, s: _Frame, out: Motion, qpos: Array, qvel: Array, qacc: Array) -> _Frame:
    adr, dof = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    n = quaternion.rotate(s.q, model.jnt_axis[j])
    s = s.moved(n * (qpos[:, adr] - model.qpos0[adr])[:, None])
    rate = n * qvel[:, dof, None]
    s.v = s.v + rate
    s.a = s.a + n * qacc[:, dof, None] + 2.0 * np.cross(s.w, rate)
    return s


def _free(model: Any, j: int, s: _Frame, out: Motion, qpos: Array, qvel: Array, qacc: Array) -> _Frame:
    adr, dof = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    q = quaternion.normalise(qpos[:, adr + 3 : adr + 7])
    w, alpha = (quaternion.rotate(q, x[:, dof + 3 : dof + 6]) for x in (qvel, qacc))
    return _Frame(qpos[:, adr : adr + 3], q, qvel[:, dof : dof + 3], w, qacc[:, dof : dof + 3] + out.a[:, 0], alpha)


_JOINTS = {JointType.HINGE: _hinge, JointType.BALL: _ball, JointType.SLIDE: _slide, JointType.FREE: _free}
