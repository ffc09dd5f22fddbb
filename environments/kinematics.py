"""Where the bodies of a model are and how they move, from joint coordinates: for pictures and observations.

Order of operations: MuJoCo's (computation chapter, "Kinematics"). Twists are taken about the world's origin: a point p of the body
moves with v + ω × p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dojo_py.mechanism.enums import JointType

Array = np.ndarray

FREE, BALL, SLIDE, HINGE = map(int, JointType)


def _kernels() -> Any:
    """The loops, loaded at the first use: names of environments are known without numba."""
    from dojo_py.environments import kinematics_kernels

    return kinematics_kernels


@dataclass(frozen=True, eq=False)
class BodyMotion:
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


def body_poses(model: Any, qpos: Array, qvel: Array | None = None) -> BodyMotion:
    """Poses and twists of all bodies; at rest without qvel."""
    n = model.nbody
    v = np.zeros(model.nv) if qvel is None else np.ascontiguousarray(qvel, float)
    x, R, ang, lin = np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    R[0, 0, 0] = R[0, 1, 1] = R[0, 2, 2] = 1.0
    _kernels().fill_poses(*_tables(model), np.ascontiguousarray(qpos, float), v, x, R, ang, lin)
    return BodyMotion(x, R, ang, lin)


def _tables(model: Any) -> tuple[Array, ...]:
    """What `fill_poses` reads of a model."""
    m = model
    whole = [
        np.asarray(a, np.int64) for a in (m.body_parentid, m.body_jntadr, m.body_jntnum, m.jnt_type, m.jnt_qposadr, m.jnt_dofadr)
    ]
    return (
        whole[0], m.body_pos, m.body_quat, *whole[1:], m.jnt_pos, m.jnt_axis, m.qpos0,
    )  # fmt: skip


def centres_of_mass(model: Any, poses: BodyMotion) -> Array:
    """(nbody, 3) centres of mass of the bodies [m]."""
    out = np.empty((model.nbody, 3))
    _kernels().fill_centres(model.body_ipos, poses.position, poses.rotation, out)
    return out


def centre_of_mass(model: Any, poses: BodyMotion) -> Array:
    """(3,) centre of mass of everything [m]."""
    return model.body_mass @ centres_of_mass(model, poses) / model.body_mass.sum()


_lately: WeakKeyDictionary[Any, tuple[Any, bytes, BodyMotion, Array]] = WeakKeyDictionary()
"""State -> (model, its coordinates and rates, poses, centre of mass): an action's reward and observation ask for the same ones."""


def poses_of(model: Any, state: Any) -> tuple[BodyMotion, Array]:
    """Poses and twists of a state, and its centre of mass (3,); kept while the state lives and nobody writes into it."""
    numbers = state.qpos.tobytes() + state.qvel.tobytes()
    known = _lately.get(state)
    if known is None or known[0] is not model or known[1] != numbers:
        poses = body_poses(model, state.qpos, state.qvel)
        known = _lately[state] = model, numbers, poses, centre_of_mass(model, poses)
    return known[2], known[3]


def composite_inertia(model: Any, poses: BodyMotion, centre: Array) -> Array:
    """(nbody, 10) each body's inertia about `centre`: xx, yy, zz, xy, xz, yz, mass times offset, mass (MuJoCo's `cinert`)."""
    out = np.zeros((model.nbody, 10))
    offset = centres_of_mass(model, poses) - centre
    _kernels().fill_inertia(model.body_mass, model.body_inertia, model.body_iquat, poses.rotation, offset, out)
    return out


def twists_at(poses: BodyMotion, centre: Array) -> Array:
    """(nbody, 6) angular velocity, and velocity of the body-fixed point at `centre` (MuJoCo's `cvel`)."""
    out = np.empty((len(poses.position), 6))
    _kernels().fill_twists(poses.angular, poses.linear, centre, out)
    return out


def contact_wrenches(model: Any, contacts: Any, centre: Array, timestep: float) -> Array:
    """(nbody, 6) torque about `centre` and force of the contacts on each body [N m, N] (MuJoCo's `cfrc_ext`)."""
    out = np.zeros((model.nbody, 6))
    if contacts is None or len(contacts) == 0:
        return out
    force = np.ascontiguousarray(contacts.world_impulse / timestep)
    _kernels().add_wrenches(
        np.ascontiguousarray(contacts.bodies, np.int64), np.ascontiguousarray(contacts.position, float), force, centre, out
    )
    return out
