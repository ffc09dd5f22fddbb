"""Where the bodies of a model are and how they move, from joint coordinates, in plain numpy: for pictures and observations.

Order of operations: MuJoCo's (computation chapter, "Kinematics"). Twists are taken about the world's origin: a point p of the body
moves with v + ω × p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray

FREE, BALL, SLIDE, HINGE = range(4)


@dataclass(frozen=True, eq=False)
class Poses:
    """Of all bodies, world frame; row 0 is the world."""

    position: Array
    """(nbody, 3) origins of the body frames [m]."""
    rotation: Array
    """(nbody, 3, 3) body -> world."""
    angular: Array
    """(nbody, 3) angular velocity [rad/s]."""
    linear: Array
    """(nbody, 3) velocity of the body-fixed point at the world's origin [m/s]."""


def matrix(q: Array) -> Array:
    """(3, 3) rotation matrix of a quaternion (w, x, y, z); its length does not matter."""
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turn(axis: Array, angle: float) -> Array:
    """(3, 3) rotation about a unit axis [rad]."""
    return matrix(np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis]))


def body_poses(model: Any, qpos: Array, qvel: Array | None = None) -> Poses:
    """Poses and twists of all bodies; at rest without qvel."""
    n = model.nbody
    v = np.zeros(model.nv) if qvel is None else qvel
    x, R = np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1))
    ang, lin = np.zeros((n, 3)), np.zeros((n, 3))
    for b in range(1, n):
        p = model.body_parentid[b]
        xb, Rb = x[p] + R[p] @ model.body_pos[b], R[p] @ matrix(model.body_quat[b])
        wb, lb = ang[p].copy(), lin[p].copy()
        for j in range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b]):
            kind, q, d = model.jnt_type[j], model.jnt_qposadr[j], model.jnt_dofadr[j]
            if kind == FREE:
                xb, Rb = np.array(qpos[q : q + 3]), matrix(qpos[q + 3 : q + 7])
                wb = Rb @ v[d + 3 : d + 6]
                lb = v[d : d + 3] - np.cross(wb, xb)
                continue
            anchor = xb + Rb @ model.jnt_pos[j]
            if kind == SLIDE:
                axis = Rb @ model.jnt_axis[j]
                xb = xb + axis * (qpos[q] - model.qpos0[q])
                lb = lb + axis * v[d]
                continue
            if kind == HINGE:
                rate = Rb @ model.jnt_axis[j] * v[d]
                Rb = Rb @ turn(model.jnt_axis[j], qpos[q] - model.qpos0[q])
            else:
                Rb = Rb @ matrix(qpos[q : q + 4])
                rate = Rb @ v[d : d + 3]
            wb, lb = wb + rate, lb - np.cross(rate, anchor)
            xb = anchor - Rb @ model.jnt_pos[j]
        x[b], R[b], ang[b], lin[b] = xb, Rb, wb, lb
    return Poses(x, R, ang, lin)


def centres_of_mass(model: Any, poses: Poses) -> Array:
    """(nbody, 3) centres of mass of the bodies [m]."""
    return poses.position + np.einsum("nij,nj->ni", poses.rotation, model.body_ipos)


def centre_of_mass(model: Any, poses: Poses) -> Array:
    """(3,) centre of mass of everything [m]."""
    return model.body_mass @ centres_of_mass(model, poses) / model.body_mass.sum()


def composite_inertia(model: Any, poses: Poses, centre: Array) -> Array:
    """(nbody, 10) each body's inertia about `centre`: xx, yy, zz, xy, xz, yz, mass times offset, mass (MuJoCo's `cinert`)."""
    out = np.zeros((model.nbody, 10))
    offset = centres_of_mass(model, poses) - centre
    for b in range(1, model.nbody):
        R, m, d = poses.rotation[b] @ matrix(model.body_iquat[b]), model.body_mass[b], offset[b]
        inertia = R * model.body_inertia[b] @ R.T + m * (d @ d * np.eye(3) - np.outer(d, d))
        out[b, :3], out[b, 3:6] = np.diag(inertia), (inertia[0, 1], inertia[0, 2], inertia[1, 2])
        out[b, 6:9], out[b, 9] = m * d, m
    return out


def twists_at(poses: Poses, centre: Array) -> Array:
    """(nbody, 6) angular velocity, and velocity of the body-fixed point at `centre` (MuJoCo's `cvel`)."""
    return np.concatenate([poses.angular, poses.linear + np.cross(poses.angular, centre)], axis=1)


def contact_wrenches(model: Any, contacts: Any, centre: Array, timestep: float) -> Array:
    """(nbody, 6) torque about `centre` and force of the contacts on each body [N m, N] (MuJoCo's `cfrc_ext`)."""
    out = np.zeros((model.nbody, 6))
    if contacts is None or len(contacts) == 0:
        return out
    force = contacts.world_impulse / timestep
    wrench = np.concatenate([np.cross(contacts.position - centre, force), force], axis=1)
    np.add.at(out, contacts.bodies[:, 0], wrench)
    np.subtract.at(out, contacts.bodies[:, 1], wrench)
    return out
