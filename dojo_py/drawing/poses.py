"""Poses of all bodies of a model at many configurations at once.

Order of operations: MuJoCo's (computation chapter, "Kinematics"). Quaternions (w, x, y, z), body to world.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dojo_py.algebra.rotations import quat_mul, quat_normalise, turn_vector
from dojo_py.jit import entry, kernel
from dojo_py.mechanism import quaternion
from dojo_py.mechanism.enums import JointType

Array = np.ndarray

FREE, BALL, SLIDE, HINGE = map(int, JointType)
TREE = ("body_parentid", "body_jntadr", "body_jntnum", "jnt_type", "jnt_qposadr")
FRAMES = ("body_pos", "body_quat", "jnt_pos", "jnt_axis", "qpos0")
"""Arrays of the model that say where its bodies are."""


def body_poses(model: Any, qpos: Array, placed: Any = None) -> tuple[Array, Array]:
    """Positions (T, nbody, 3) of the body frames [m] and their orientations (T, nbody, 4) at configurations qpos (T, nq).

    placed: what says in `mocap_pos`, `mocap_quat` where mocap bodies are, a State or a Trajectory; None: as in the model.
    """
    qpos = np.array(qpos, float, order="C")  # a copy: one that can only be read would be compiled for anew
    x, q = np.zeros((len(qpos), int(model.nbody), 3)), np.zeros((len(qpos), int(model.nbody), 4))
    tree = tuple(np.array(getattr(model, name), np.int64) for name in TREE)
    frames = tuple(np.array(getattr(model, name), float) for name in FRAMES)
    place_mocap_bodies(model, placed, *frames[:2])
    own = np.array(qpos, float)  # a copy: a model's qpos0 is read-only, which to numba is another type
    forward(tree, frames, own, x, q, np.zeros((4, 4)))
    return x, q


def place_mocap_bodies(model: Any, placed: Any, pos: Array, quat: Array) -> None:
    """Enter where a State or a Trajectory has the mocap bodies into body_pos (nbody, 3) and body_quat (nbody, 4)."""
    mocap = _mocap_numbers(model)
    moved = np.flatnonzero(mocap >= 0)
    for own, name in ((pos, "mocap_pos"), (quat, "mocap_quat")):
        said = getattr(placed, name, None)
        if len(moved) and said is not None:
            own[moved] = np.asarray(said, float)[mocap[moved]]
    quat[moved] = quaternion.normalise(quat[moved])


@entry
def forward(tree, frames, qpos, x, q, work):
    """Fill x (T, nbody, 3) and q (T, nbody, 4). tree, frames: the model's arrays as in `body_poses`; work (4, 4) is overwritten."""
    for t in range(len(qpos)):
        q[t, 0, 0] = 1.0
        for body in range(1, x.shape[1]):
            place_body(tree, frames, qpos[t], body, x[t], q[t], work)


@kernel
def place_body(tree, frames, qpos, body, x, q, work):
    """Pose of a body whose parent has one: x (nbody, 3), q (nbody, 4)."""
    parent, first, number, kind, at = tree
    pos, quat, anchor, axis, reference = frames
    moved, turn = work[0], work[1]
    up = parent[body]
    turn_vector(q[up], pos[body], moved)
    for i in range(3):
        x[body, i] = x[up, i] + moved[i]
    quat_mul(q[up], quat[body], q[body])
    for j in range(first[body], first[body] + number[body]):
        k = at[j]
        if kind[j] == FREE:
            for i in range(3):
                x[body, i] = qpos[k + i]
            copy_unit(qpos, k + 3, q[body])
            continue
        shift = qpos[k] - reference[k]
        if kind[j] == SLIDE:
            turn_vector(q[body], axis[j], moved)
            for i in range(3):
                x[body, i] += shift * moved[i]
            continue
        turn_vector(q[body], anchor[j], moved)
        for i in range(3):
            x[body, i] += moved[i]
        if kind[j] == BALL:
            copy_unit(qpos, k, turn)
        else:
            turn[0] = math.cos(0.5 * shift)
            for i in range(3):
                turn[1 + i] = math.sin(0.5 * shift) * axis[j, i]
        quat_mul(q[body], turn, q[body])
        turn_vector(q[body], anchor[j], moved)
        for i in range(3):
            x[body, i] -= moved[i]
    quat_normalise(q[body])


@kernel
def copy_unit(source, start, out):
    """out (4,) = the quaternion at source[start:] at unit length; zeros become the identity, as in MuJoCo."""
    norm = 0.0
    for i in range(4):
        norm += source[start + i] * source[start + i]
    norm = math.sqrt(norm)
    for i in range(4):
        out[i] = source[start + i] / norm if norm > 1e-15 else (1.0 if i == 0 else 0.0)


def moved_by_joints(model: Any) -> Array:
    """(nbody,) which bodies joints move; not what is fixed in the world or to mocap bodies."""
    top = np.asarray(model.body_weldid, int)
    return np.asarray((top > 0) & (_mocap_numbers(model)[top] < 0))


def moving_mass(model: Any) -> Array:
    """(nbody,) masses [kg] of what joints move, 0 of the other bodies."""
    return np.asarray(model.body_mass, float) * moved_by_joints(model)


def _mocap_numbers(model: Any) -> Array:
    """(nbody,) number of each body among the mocap bodies; -1: it is none."""
    return np.asarray(getattr(model, "body_mocapid", np.full(int(model.nbody), -1)), int)


def centres_of_mass(model: Any, x: Array, q: Array) -> Array:
    """(T, nbody, 3) centres of mass [m] of bodies with these poses."""
    return x + quaternion.rotate(q, model.body_ipos)
