"""Where the bodies of a model are and how they move, from joint coordinates: for pictures and observations. Kernels do the loops.

Order of operations: MuJoCo's (computation chapter, "Kinematics"). Twists are taken about the world's origin: a point p of the body
moves with v + ω × p.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dojo_py.jit import entry, kernel

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


@entry
def _fill_poses(parent, pos, quat, first, count, kind, qadr, dadr, anchor, axis, qpos0, qpos, qvel, x, R, ang, lin):
    """Rows 1 … of x, R, ang, lin (modified in place); row 0, the world, is given."""
    for b in range(1, len(parent)):
        p = parent[b]
        for i in range(3):
            x[b, i] = x[p, i] + R[p, i, 0] * pos[b, 0] + R[p, i, 1] * pos[b, 1] + R[p, i, 2] * pos[b, 2]
            ang[b, i], lin[b, i] = ang[p, i], lin[p, i]
        _rotate(R, p, quat[b, 0], quat[b, 1], quat[b, 2], quat[b, 3], b)
        for j in range(first[b], first[b] + count[b]):
            q, d = qadr[j], dadr[j]
            if kind[j] == FREE:
                for i in range(3):
                    x[b, i] = qpos[q + i]
                _rotate(R, 0, qpos[q + 3], qpos[q + 4], qpos[q + 5], qpos[q + 6], b)
                for i in range(3):
                    ang[b, i] = R[b, i, 0] * qvel[d + 3] + R[b, i, 1] * qvel[d + 4] + R[b, i, 2] * qvel[d + 5]
                for i in range(3):
                    k, l = (i + 1) % 3, (i + 2) % 3
                    lin[b, i] = qvel[d + i] - (ang[b, k] * x[b, l] - ang[b, l] * x[b, k])
                continue
            a0 = R[b, 0, 0] * axis[j, 0] + R[b, 0, 1] * axis[j, 1] + R[b, 0, 2] * axis[j, 2]
            a1 = R[b, 1, 0] * axis[j, 0] + R[b, 1, 1] * axis[j, 1] + R[b, 1, 2] * axis[j, 2]
            a2 = R[b, 2, 0] * axis[j, 0] + R[b, 2, 1] * axis[j, 1] + R[b, 2, 2] * axis[j, 2]
            if kind[j] == SLIDE:
                far, rate = qpos[q] - qpos0[q], qvel[d]
                x[b, 0], x[b, 1], x[b, 2] = x[b, 0] + a0 * far, x[b, 1] + a1 * far, x[b, 2] + a2 * far
                lin[b, 0], lin[b, 1], lin[b, 2] = lin[b, 0] + a0 * rate, lin[b, 1] + a1 * rate, lin[b, 2] + a2 * rate
                continue
            c0 = x[b, 0] + R[b, 0, 0] * anchor[j, 0] + R[b, 0, 1] * anchor[j, 1] + R[b, 0, 2] * anchor[j, 2]
            c1 = x[b, 1] + R[b, 1, 0] * anchor[j, 0] + R[b, 1, 1] * anchor[j, 1] + R[b, 1, 2] * anchor[j, 2]
            c2 = x[b, 2] + R[b, 2, 0] * anchor[j, 0] + R[b, 2, 1] * anchor[j, 1] + R[b, 2, 2] * anchor[j, 2]
            if kind[j] == HINGE:
                w0, w1, w2 = a0 * qvel[d], a1 * qvel[d], a2 * qvel[d]
                half = 0.5 * (qpos[q] - qpos0[q])
                s = math.sin(half)
                _rotate(R, b, math.cos(half), s * axis[j, 0], s * axis[j, 1], s * axis[j, 2], b)
            else:
                _rotate(R, b, qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3], b)
                w0 = R[b, 0, 0] * qvel[d] + R[b, 0, 1] * qvel[d + 1] + R[b, 0, 2] * qvel[d + 2]
                w1 = R[b, 1, 0] * qvel[d] + R[b, 1, 1] * qvel[d + 1] + R[b, 1, 2] * qvel[d + 2]
                w2 = R[b, 2, 0] * qvel[d] + R[b, 2, 1] * qvel[d + 1] + R[b, 2, 2] * qvel[d + 2]
            ang[b, 0], ang[b, 1], ang[b, 2] = ang[b, 0] + w0, ang[b, 1] + w1, ang[b, 2] + w2
            lin[b, 0] -= w1 * c2 - w2 * c1
            lin[b, 1] -= w2 * c0 - w0 * c2
            lin[b, 2] -= w0 * c1 - w1 * c0
            x[b, 0] = c0 - (R[b, 0, 0] * anchor[j, 0] + R[b, 0, 1] * anchor[j, 1] + R[b, 0, 2] * anchor[j, 2])
            x[b, 1] = c1 - (R[b, 1, 0] * anchor[j, 0] + R[b, 1, 1] * anchor[j, 1] + R[b, 1, 2] * anchor[j, 2])
            x[b, 2] = c2 - (R[b, 2, 0] * anchor[j, 0] + R[b, 2, 1] * anchor[j, 1] + R[b, 2, 2] * anchor[j, 2])


@kernel
def _rotate(R, a, w, x, y, z, b):
    """R[b] = R[a] times the rotation of a quaternion of any length; a and b may be the same."""
    n = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    m00, m01, m02 = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    m10, m11, m12 = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    m20, m21, m22 = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    for i in range(3):
        r0, r1, r2 = R[a, i, 0], R[a, i, 1], R[a, i, 2]
        R[b, i, 0] = r0 * m00 + r1 * m10 + r2 * m20
        R[b, i, 1] = r0 * m01 + r1 * m11 + r2 * m21
        R[b, i, 2] = r0 * m02 + r1 * m12 + r2 * m22


def body_poses(model: Any, qpos: Array, qvel: Array | None = None) -> Poses:
    """Poses and twists of all bodies; at rest without qvel."""
    n = model.nbody
    v = np.zeros(model.nv) if qvel is None else np.ascontiguousarray(qvel, float)
    x, R, ang, lin = np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    R[0, 0, 0] = R[0, 1, 1] = R[0, 2, 2] = 1.0
    _fill_poses(*_tables(model), np.ascontiguousarray(qpos, float), v, x, R, ang, lin)
    return Poses(x, R, ang, lin)


def _tables(model: Any) -> tuple[Array, ...]:
    """What `_fill_poses` reads of a model."""
    m = model
    whole = [
        np.asarray(a, np.int64)
        for a in (m.body_parentid, m.body_jntadr, m.body_jntnum, m.jnt_type, m.jnt_qposadr, m.jnt_dofadr)
    ]
    return (
        whole[0], m.body_pos, m.body_quat, *whole[1:], m.jnt_pos, m.jnt_axis, m.qpos0,
    )  # fmt: skip


@entry
def _fill_centres(ipos, x, R, out):
    """Rows of out (nbody, 3), modified in place: x + R ipos."""
    for b in range(len(x)):
        for i in range(3):
            out[b, i] = x[b, i] + R[b, i, 0] * ipos[b, 0] + R[b, i, 1] * ipos[b, 1] + R[b, i, 2] * ipos[b, 2]


def centres_of_mass(model: Any, poses: Poses) -> Array:
    """(nbody, 3) centres of mass of the bodies [m]."""
    out = np.empty((model.nbody, 3))
    _fill_centres(model.body_ipos, poses.position, poses.rotation, out)
    return out


def centre_of_mass(model: Any, poses: Poses) -> Array:
    """(3,) centre of mass of everything [m]."""
    return model.body_mass @ centres_of_mass(model, poses) / model.body_mass.sum()


_lately: WeakKeyDictionary[Any, tuple[Any, bytes, Poses, Array]] = WeakKeyDictionary()
"""State -> (model, its coordinates and rates, poses, centre of mass): an action's reward and observation ask for the same ones."""


def poses_of(model: Any, state: Any) -> tuple[Poses, Array]:
    """Poses and twists of a state, and its centre of mass (3,); kept while the state lives and nobody writes into it."""
    numbers = state.qpos.tobytes() + state.qvel.tobytes()
    known = _lately.get(state)
    if known is None or known[0] is not model or known[1] != numbers:
        poses = body_poses(model, state.qpos, state.qvel)
        known = _lately[state] = model, numbers, poses, centre_of_mass(model, poses)
    return known[2], known[3]


@entry
def _fill_inertia(mass, inertia, iquat, rotation, offset, out):
    """Rows of out (nbody, 10), modified in place: Σ_k R_ik I_k R_jk + m (d·d 1 - d dᵀ), m d, m."""
    R = np.zeros((1, 3, 3))
    for b in range(1, len(mass)):
        for i in range(3):
            for k in range(3):
                R[0, i, k] = rotation[b, i, k]
        _rotate(R, 0, iquat[b, 0], iquat[b, 1], iquat[b, 2], iquat[b, 3], 0)
        m, d = mass[b], offset[b]
        square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        for place in range(6):
            i = place if place < 3 else (0 if place < 5 else 1)
            j = place if place < 3 else (1 if place == 3 else 2)
            total = -m * d[i] * d[j] + (m * square if i == j else 0.0)
            for k in range(3):
                total += R[0, i, k] * inertia[b, k] * R[0, j, k]
            out[b, place] = total
        for i in range(3):
            out[b, 6 + i] = m * d[i]
        out[b, 9] = m


def composite_inertia(model: Any, poses: Poses, centre: Array) -> Array:
    """(nbody, 10) each body's inertia about `centre`: xx, yy, zz, xy, xz, yz, mass times offset, mass (MuJoCo's `cinert`)."""
    out = np.zeros((model.nbody, 10))
    offset = centres_of_mass(model, poses) - centre
    _fill_inertia(model.body_mass, model.body_inertia, model.body_iquat, poses.rotation, offset, out)
    return out


@entry
def _fill_twists(angular, linear, centre, out):
    """Rows of out (nbody, 6), modified in place: ω, v + ω × centre."""
    for b in range(len(angular)):
        for i in range(3):
            k, l = (i + 1) % 3, (i + 2) % 3
            out[b, i] = angular[b, i]
            out[b, 3 + i] = linear[b, i] + angular[b, k] * centre[l] - angular[b, l] * centre[k]


def twists_at(poses: Poses, centre: Array) -> Array:
    """(nbody, 6) angular velocity, and velocity of the body-fixed point at `centre` (MuJoCo's `cvel`)."""
    out = np.empty((len(poses.position), 6))
    _fill_twists(poses.angular, poses.linear, centre, out)
    return out


@entry
def _add_wrenches(bodies, position, force, centre, out):
    """Add (p - centre) × f and f to the rows of out (nbody, 6) of the first bodies, take them from those of the second."""
    for n in range(len(bodies)):
        for i in range(3):
            k, l = (i + 1) % 3, (i + 2) % 3
            torque = (position[n, k] - centre[k]) * force[n, l] - (position[n, l] - centre[l]) * force[n, k]
            out[bodies[n, 0], i] += torque
            out[bodies[n, 0], 3 + i] += force[n, i]
            out[bodies[n, 1], i] -= torque
            out[bodies[n, 1], 3 + i] -= force[n, i]


def contact_wrenches(model: Any, contacts: Any, centre: Array, timestep: float) -> Array:
    """(nbody, 6) torque about `centre` and force of the contacts on each body [N m, N] (MuJoCo's `cfrc_ext`)."""
    out = np.zeros((model.nbody, 6))
    if contacts is None or len(contacts) == 0:
        return out
    force = np.ascontiguousarray(contacts.world_impulse / timestep)
    _add_wrenches(
        np.ascontiguousarray(contacts.bodies, np.int64), np.ascontiguousarray(contacts.position, float), force, centre, out
    )
    return out
