"""Lengths of actuators and fixed tendons and their rates, from coordinates and sites."""

from __future__ import annotations

import numpy as np

from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import JointType, TrnType, WrapType
from dojo_py.sensors.scene import SITE, Scene

Array = np.ndarray


def lengths_and_rates(scene: Scene, actuator: Array, tendon: Array) -> None:
    """Fill actuator (T, nactuator, 2) and tendon (T, ntendon, 2)."""
    m, rows = scene.model, scene.rows
    for t in range(tendon.shape[1]):
        first = int(m.tendon_adr[t])
        for k in range(first, first + int(m.tendon_num[t])):
            if int(m.wrap_type[k]) == WrapType.JOINT:
                j = int(m.wrap_objid[k])
                tendon[:, t, 0] += m.wrap_prm[k] * rows.qpos[:, int(m.jnt_qposadr[j])]
                tendon[:, t, 1] += m.wrap_prm[k] * rows.qvel[:, int(m.jnt_dofadr[j])]
    for i in range(actuator.shape[1]):
        kind, target, gear = int(m.actuator_trntype[i]), int(m.actuator_trnid[i][0]), np.asarray(m.actuator_gear[i], float)
        if kind == TrnType.TENDON:
            actuator[:, i] = gear[0] * tendon[:, target]
        elif kind == TrnType.SITE:
            actuator[:, i] = _site(scene, target, int(m.actuator_trnid[i][1]), gear)
        else:
            actuator[:, i] = _joint(scene, target, gear, kind == TrnType.JOINTINPARENT)


def _joint(scene: Scene, j: int, gear: Array, in_parent: bool) -> Array:
    m, rows = scene.model, scene.rows
    kind, adr, dof = int(m.jnt_type[j]), int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
    if kind in (JointType.HINGE, JointType.SLIDE):
        return gear[0] * np.stack([rows.qpos[:, adr], rows.qvel[:, dof]], axis=1)
    free = kind == JointType.FREE
    q = rows.qpos[:, adr + 3 * free : adr + 3 * free + 4]
    turning = np.broadcast_to(gear[3 * free : 3 * free + 3], (len(q), 3))
    axis = quaternion.rotate(quaternion.conjugate(q), turning) if in_parent else turning
    first = dof + 3 * free
    rate = np.sum(axis * rows.qvel[:, first : first + 3], axis=1)
    if free:
        return np.stack([np.zeros(len(q)), rate + rows.qvel[:, dof : dof + 3] @ gear[:3]], axis=1)
    return np.stack([np.sum(quaternion.logarithm(q) * axis, axis=1), rate], axis=1)


def _site(scene: Scene, site: int, reference: int, gear: Array) -> Array:
    one, R = (SITE, site), scene.axes(SITE, site if reference < 0 else reference)
    push, turn = (np.einsum("tij,j->ti", R, part) for part in (gear[:3], gear[3:]))
    velocity, rotation = scene.velocity(*one), scene.rotation(*one)
    length = np.zeros(len(push))
    if reference >= 0:
        two = (SITE, reference)
        apart = scene.position(*one) - scene.position(*two)
        shared = _common(scene, site, reference)
        velocity = velocity - scene.velocity(*two) - np.cross(scene.motion.w[:, shared], apart)
        rotation = rotation - scene.rotation(*two)
        turned = quaternion.multiply(quaternion.conjugate(scene.orientation(*two)), scene.orientation(*one))
        length = np.einsum("tij,ti->tj", R, apart) @ gear[:3] + quaternion.logarithm(turned) @ gear[3:]
    return np.stack([length, np.sum(push * velocity, axis=1) + np.sum(turn * rotation, axis=1)], axis=1)


def _common(scene: Scene, site: int, reference: int) -> int:
    """The last body that carries both sites."""
    m = scene.model

    def path(body: int) -> list[int]:
        out = [body]
        while out[-1]:
            out.append(int(m.body_parentid[out[-1]]))
        return out

    mine = path(int(m.site_bodyid[site]))
    return next(b for b in path(int(m.site_bodyid[reference])) if b in mine)
