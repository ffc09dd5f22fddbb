"""The model's bodies seen from the merged bodies of the layout: states for the user, wrenches from the user."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.algebra.rotations import quat_mul, turn_back, turn_vector
from dojo_py.arrays import scratch
from dojo_py.hard.elements.coordinates import pose_back
from dojo_py.hard.elements.layout import BodyMap, Layout
from dojo_py.hard.energy_momentum import over_last_parts
from dojo_py.hard.terms import FREE
from dojo_py.hard.warm_start import carried_flags
from dojo_py.jit import entry, kernel
from dojo_py.mechanism.quaternion import conjugate, matrix, rotate


class BodyTable(NamedTuple):
    """One row per body of the model, the world included; nb: bodies of the layout."""

    node: np.ndarray  # (nbody,) body of the layout that carries it, -1: fixed to the world
    arm: np.ndarray  # (nbody, 3) its centre of mass from that body's, in that body's frame; fixed: in the world [m]
    quat: np.ndarray  # (nbody, 4) its frame in that body's frame; fixed: in the world
    wrench: np.ndarray  # (nb, 6) constant force and torque about the centre of mass of a body of the layout, world [N, N m]


def build_body_table(model: Any, layout: Layout, where: BodyMap) -> BodyTable:
    """The BodyTable of a Model."""
    arm, quat = np.zeros((model.nbody, 3)), np.zeros((model.nbody, 4))
    moving = {int(b) for b in where.body}
    for b in range(model.nbody):
        node = int(where.node[b])
        # the frame of the node's body, then the body merged into it
        turn = where.quat[b]
        centre = where.pos[b] + matrix(turn) @ np.asarray(model.body_ipos[b], float)
        arm[b], quat[b] = centre - (layout.com[node] if node >= 0 else 0.0), turn
        alone = b in moving and np.sum(np.asarray(where.node) == node) == 1
        if alone or b == 0:
            arm[b] = 0.0
    quat = np.array([q / np.linalg.norm(q) for q in quat])
    return BodyTable(np.array(where.node, np.int64), arm, quat, np.zeros((len(layout.mass), 6)))


@kernel
def expand(M, bodies, h, out):
    """out (nbody, 13) = maximal state of the model's bodies at their own centres of mass. bodies (nb, 13)."""
    x, q, r, r_old = scratch(3), scratch(4), scratch(3), scratch(3)
    for m in range(M.node.shape[0]):
        b = M.node[m]
        row = out[m]
        arm = M.arm[m]
        if b < 0:
            for i in range(13):
                row[i] = 0.0
            for i in range(3):
                row[i] = arm[i]
            for i in range(4):
                row[6 + i] = M.quat[m, i]
            continue
        body = bodies[b]
        for i in range(6):
            row[i] = body[i]
        if arm[0] != 0.0 or arm[1] != 0.0 or arm[2] != 0.0:
            pose_back(body, h, 1.0, x, q)
            turn_vector(body[6:10], arm, r)
            turn_vector(q, arm, r_old)
            for i in range(3):
                row[i] += r[i]
                row[3 + i] += (r[i] - r_old[i]) / h
        quat_mul(body[6:10], M.quat[m], row[6:10])
        turn_back(M.quat[m], body[10:13], row[10:13])


def show_last_parts(M: BodyTable, layout: Layout, bodies: Any, h: float, impulses: Any, out: Any) -> None:
    """In maximal states (T, nbody, 13) of `expand`, give bodies with a carried momentum their velocities over the step's last part.

    bodies (T, nb, 13), impulses (T, n): of the same states; carried momenta are in the latter (warm_start.py).
    """
    rows = np.flatnonzero(carried_flags(impulses, len(layout.mass)).any(axis=1))
    if not len(rows):
        return
    moving, interval = over_last_parts(layout, bodies[rows], h, impulses[rows])
    t, m = np.nonzero((M.node >= 0) & (interval[:, M.node] < h))
    v, q, w = np.split(moving[t, M.node[m], 3:13], (3, 7), axis=1)
    part = interval[t, M.node[m], None]
    sine = 0.5 * part * w
    back = np.concatenate([np.sqrt(np.maximum(1.0 - np.sum(sine * sine, axis=1, keepdims=True), 0.0)), -sine], axis=1)
    out[rows[t], m, 3:6] = v + rotate(q, M.arm[m] - rotate(back, M.arm[m])) / part
    out[rows[t], m, 10:13] = rotate(conjugate(M.quat[m]), w)


@kernel
def gather_wrenches(M, bodies, wrenches, step, out):
    """out (nb, 6) = the constant wrenches, and those about the centres of mass of the model's bodies, moved to the layout's.

    wrenches (0 | 1 | T, nbody, 6): none, one for all steps, or one a step.
    """
    r = scratch(3)
    for b in range(out.shape[0]):
        for i in range(6):
            out[b, i] = M.wrench[b, i]
    if wrenches.shape[0] == 0:
        return
    outside = wrenches[min(step, wrenches.shape[0] - 1)]
    for m in range(M.node.shape[0]):
        b = M.node[m]
        if b < 0:
            continue
        turn_vector(bodies[b, 6:10], M.arm[m], r)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[b, i] += outside[m, i]
            out[b, 3 + i] += outside[m, 3 + i] + r[j] * outside[m, k] - r[k] * outside[m, j]


@kernel
def wrench_levers(M, bodies, wrenches, step, out):
    """out (nb, 3, 3): change of the torques of `gather_wrenches` by a rotation ψ of the body: Σ (ψ × r) × F. wrenches as there."""
    r = scratch(3)
    out[:, :, :] = 0.0
    if wrenches.shape[0] == 0:
        return
    outside = wrenches[min(step, wrenches.shape[0] - 1)]
    for m in range(M.node.shape[0]):
        b = M.node[m]
        if b < 0:
            continue
        turn_vector(bodies[b, 6:10], M.arm[m], r)
        along = r[0] * outside[m, 0] + r[1] * outside[m, 1] + r[2] * outside[m, 2]
        for i in range(3):
            out[b, i, i] -= along
            for k in range(3):
                out[b, i, k] += r[i] * outside[m, k]


@kernel
def add_joint_forces(L, bodies, joint_forces, step, force, wrench):
    """Add joint forces (0 | 1 | T, nv) to force (nv,), those of free joints to wrench (nb, 6).

    There are none, one row for all steps, or one a step. Those of a free joint are a world force at the origin of its body's frame
    and a torque in that frame.
    """
    if joint_forces.shape[0] == 0:
        return
    given, r, torque = joint_forces[min(step, joint_forces.shape[0] - 1)], scratch(3), scratch(3)
    for j in range(L.kind.shape[0]):
        first = L.vadr[j]
        if L.kind[j] != FREE:
            for i in range(first, first + L.ndof[j]):
                force[i] += given[i]
            continue
        b = L.child[j]
        turn_vector(bodies[b, 6:10], L.com[b], r)
        turn_vector(bodies[b, 6:10], given[first + 3 : first + 6], torque)
        for i in range(3):
            k, m = (i + 1) % 3, (i + 2) % 3
            wrench[b, i] += given[first + i]
            wrench[b, 3 + i] += torque[i] - r[k] * given[first + m] + r[m] * given[first + k]


@kernel
def joint_force_levers(L, bodies, joint_forces, step, out):
    """Add to out (nb, 3, 3) the derivative of the torques of `add_joint_forces` by a rotation of their body.

    joint_forces (0 | 1 | T, nv): none, one row for all steps, or one a step.
    """
    if joint_forces.shape[0] == 0:
        return
    given, r, torque = joint_forces[min(step, joint_forces.shape[0] - 1)], scratch(3), scratch(3)
    for j in range(L.kind.shape[0]):
        first, b = L.vadr[j], L.child[j]
        if L.kind[j] != FREE:
            continue
        turn_vector(bodies[b, 6:10], L.com[b], r)
        turn_vector(bodies[b, 6:10], given[first + 3 : first + 6], torque)
        along = -(r[0] * given[first] + r[1] * given[first + 1] + r[2] * given[first + 2])
        for i in range(3):
            k, m = (i + 1) % 3, (i + 2) % 3
            out[b, i, i] -= along
            for n in range(3):
                out[b, i, n] -= r[i] * given[first + n]
            out[b, i, k] += torque[m]
            out[b, i, m] -= torque[k]


@entry
def expand_once(M, bodies, h, out):
    """`expand` for callers in Python."""
    expand(M, bodies, h, out)
