"""Lengths of actuators and tendons and their rates, from coordinates and sites."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.mechanism import quaternion
from dojo_py.mechanism.derived import Arrays
from dojo_py.mechanism.enums import JointType, TrnType, WrapType
from dojo_py.mechanism.reference import state_at
from dojo_py.mechanism.sensor_kinds import BY_NUMBER
from dojo_py.mechanism.slider_crank import slider_crank
from dojo_py.mechanism.tendon_paths import tendon_geometry
from dojo_py.sensors.scene import SITE, Scene

Array = np.ndarray


def tendon_joints(model: Any, t: int) -> list[tuple[int, float]]:
    """(joint, coefficient) of the terms of a fixed tendon; none of another one."""
    first = int(model.tendon_adr[t])
    terms = [k for k in range(first, first + int(model.tendon_num[t])) if int(model.wrap_type[k]) == WrapType.JOINT]
    return [(int(model.wrap_objid[k]), float(model.wrap_prm[k])) for k in terms]


NEEDED = (
    "tendonpos", "tendonvel", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc", "actuatorpos", "actuatorvel", "e_potential",
)  # fmt: skip
"""Sensors that read lengths of tendons; the forces of actuators along the joints are read by "jointactuatorfrc"."""


def tendon_lengths(model: Any, qpos: Array, qvel: Array, out: Array) -> Array:
    """Fill out (T, ntendon, 2) with lengths and rates, as far as a sensor reads them. Returns moment arms (T, ntendon, nv)."""
    kinds = {BY_NUMBER[int(kind)] for kind in model.sensor_type}
    spatial = [t for t in range(out.shape[1]) if not tendon_joints(model, t)]
    J = np.zeros((len(qpos), out.shape[1], int(model.nv)))
    if spatial and kinds & {*NEEDED, "jointactuatorfrc"}:
        arrays: Any = Arrays(model)
        for k in range(len(qpos)):
            lengths, J[k] = tendon_geometry(arrays, state_at(arrays, qpos[k]), qpos[k])
            out[k, spatial, 0], out[k, spatial, 1] = lengths[spatial], J[k, spatial] @ qvel[k]
    for t in range(out.shape[1]):
        for j, coef in tendon_joints(model, t):
            out[:, t, 0] += coef * qpos[:, int(model.jnt_qposadr[j])]
            out[:, t, 1] += coef * qvel[:, int(model.jnt_dofadr[j])]
            J[:, t, int(model.jnt_dofadr[j])] = coef
    return J


def actuator_lengths(scene: Scene, actuator: Array, tendon: Array) -> None:
    """Fill actuator (T, nout, 2) with lengths and their rates; tendon (T, ntendon, 2): those of tendons."""
    m = scene.model
    for i, row in enumerate(np.asarray(m.actuator_outadr)):
        kind, target, gear = int(m.actuator_trntype[i]), int(m.actuator_trnid[i][0]), np.asarray(m.actuator_gear[row], float)
        if kind == TrnType.TENDON:
            actuator[:, row] = gear[0] * tendon[:, target]
        elif kind == TrnType.SITE:
            actuator[:, row] = _site(scene, target, int(m.actuator_trnid[i][1]), gear)
        elif kind == TrnType.BODY:  # the hard mode has none
            continue
        elif kind == TrnType.SO3:
            actuator[:, row : row + 3] = _orientation(scene, target, int(m.actuator_trnid[i][1]))
        elif kind == TrnType.SLIDERCRANK:
            actuator[:, row] = gear[0] * _crank(scene, target, int(m.actuator_trnid[i][1]), float(m.actuator_cranklength[i]))
        else:
            actuator[:, row] = _joint(scene, target, gear, kind == TrnType.JOINTINPARENT)


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


def _crank(scene: Scene, pin: int, slider: int, rod: float) -> Array:
    one, two = (SITE, pin), (SITE, slider)
    apart, axis = scene.position(*one) - scene.position(*two), scene.axes(*two)[:, :, 2]
    found = [slider_crank(v[0], v[1], v[2], a[0], a[1], a[2], rod) for v, a in zip(apart, axis, strict=True)]
    force, torque = (np.array([row[k] for row in found], float).reshape(-1, 3) for k in (1, 2))
    rate = np.sum(force * (scene.velocity(*one) - scene.velocity(*two)) + torque * scene.rotation(*two), axis=1)
    return np.stack([np.array([row[0] for row in found], float), rate], axis=1)


def _orientation(scene: Scene, target: int, reference: int) -> Array:
    """(T, 3, 2) rotation vector of a ball joint, or of a site beside a reference site, and angular velocity along what turns."""
    rows = scene.rows
    if reference < 0:
        adr, dof = int(scene.model.jnt_qposadr[target]), int(scene.model.jnt_dofadr[target])
        q, rate = rows.qpos[:, adr : adr + 4], rows.qvel[:, dof : dof + 3]
    else:
        one, two = (SITE, target), (SITE, reference)
        q = quaternion.multiply(quaternion.conjugate(scene.orientation(*two)), scene.orientation(*one))
        rate = np.einsum("tji,tj->ti", scene.axes(*one), scene.rotation(*one) - scene.rotation(*two))
    return np.stack([quaternion.logarithm(q), rate], axis=2)


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
