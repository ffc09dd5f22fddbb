"""A and B of one step in maximal coordinates: the chain rules between minimal and maximal tangents, in closed form.

Tangent of a body, 12 numbers: δx, δv (world), δφ, δω (its own axes), in the order of its maximal state [x, v, q, ω].

    A_max = after · read,   B_max = after_u
    after    derivative of the bodies after a step by the coordinates and rates before it, from the step's solved columns
    read     derivative of coordinates and rates by the bodies before it: δq from the relative pose of a joint's two bodies,
             h δq̇ = δq - δq₋ with their poses one interval before,   δx₋ = δx - h δv,   δφ₋ = P (δφ - hΓ δω),   P: its rotation

Coordinates are read as in `coordinates.to_minimal`: hinges an angle, balls a rotation, slides a displacement; several joints in one
body by least squares of displacement and rotation. Components that violate a joint are ignored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.hard.terms import BALL, COMPOUND, FREE, HINGE, SLIDE
from dojo_py.mechanism.quaternion import log_jacobian, matrix, skew

Array = np.ndarray


def maximal_jacobian(world: Any, work: Any, tangent: Any, qvel: Array, h: float) -> tuple[Array, Array]:
    """(A (12 nbody, 12 nbody), B (12 nbody, nu)) of the step that `step_jacobian` left in the work arrays; no activations.

    Bodies fixed to the world, and columns of bodies without a joint of their own (they move with another), are zero.
    """
    L, table, nv = world.layout, world.bodies, len(qvel)
    nb, nbody = len(L.mass), len(table.node)
    after = _after(L, work, tangent, h)
    by_bodies = after[:, :, : 2 * nv] @ _read(L, work, tangent, qvel, h).reshape(2 * nv, 12 * nb)
    A, B = np.zeros((nbody, 12, nbody, 12)), np.zeros((nbody, 12, after.shape[2] - 2 * nv))
    rows = np.zeros((nbody, 12, nb, 12))
    first: dict[int, int] = {}
    for m in range(nbody):
        b = int(table.node[m])
        if b < 0:
            continue
        first.setdefault(b, m)  # the body that carries the joint; those merged into it come later
        to_user = _merged(table.arm[m], matrix(table.quat[m]), work.Rn[b], work.R[b], work.hG[b], h)
        rows[m], B[m] = (to_user @ by_bodies[b]).reshape(12, nb, 12), to_user @ after[b, :, 2 * nv :]
    for b, m in first.items():
        from_user = np.linalg.inv(_merged(table.arm[m], matrix(table.quat[m]), work.R[b], *_interval(work, tangent, b), h))
        A[:, :, m] = rows[:, :, b] @ from_user
    return A.reshape(12 * nbody, 12 * nbody), B.reshape(12 * nbody, -1)


def _interval(work: Any, tangent: Any, b: int) -> tuple[Array, Array]:
    """(orientation of body b one interval before the step, hΓ of that interval)."""
    return tangent.R_before[b], np.linalg.inv(tangent.tangent_before[b] @ work.R[b])


def _merged(arm: Array, turn: Array, R: Array, R_before: Array, hG: Array, h: float) -> Array:
    """(12, 12) tangent of a body at `arm` (3,), axes `turn` (3, 3) in a body's frame by the tangent of that body."""
    out, lever = np.zeros((12, 12)), -R @ skew(arm)
    back = R_before @ skew(arm) @ (R_before.T @ R)
    out[:3, :3] = out[3:6, 3:6] = np.eye(3)
    out[:3, 6:9], out[3:6, 6:9], out[3:6, 9:] = lever, (lever + back) / h, -back @ hG / h
    out[6:9, 6:9] = out[9:, 9:] = turn.T
    return out


def _after(L: Any, work: Any, tangent: Any, h: float) -> Array:
    """(nb, 12, 2 nv + nu): derivative of the bodies after the step by coordinates, rates and controls.

    A coordinate moves the bodies below it rigidly; to that comes the change of all velocities.
    """
    n, na, nu = 2 * len(tangent.qvel), len(tangent.act), len(tangent.control)
    mine = np.r_[:n, n + na : n + na + nu]
    columns = tangent.columns[L.place_body][:, :, mine]
    out = np.zeros((len(L.mass), 12, n + nu))
    for b in range(len(L.mass)):
        change, R = columns[b], work.Rn[b]
        out[b, :3], out[b, 3:6], out[b, 6:9], out[b, 9:] = h * change[:3], change[:3], work.hG[b] @ change[3:], change[3:]
        joint = b  # joint b carries body b
        while joint >= 0:
            for dof in range(L.vadr[joint], L.vadr[joint] + L.ndof[joint]):
                u, turn = tangent.here[dof, :3], tangent.here[dof, 3:]
                swept = np.cross(turn, work.v[b, :3])
                out[b, :3, dof] += u + np.cross(turn, work.x[b] - work.x[joint]) + h * swept
                out[b, 3:6, dof] += swept
                out[b, 6:9, dof] += R.T @ turn
            joint = L.parent[joint]
    return out


def _read(L: Any, work: Any, tangent: Any, qvel: Array, h: float) -> Array:
    """(2 nv, nb, 12): coordinates, then rates, by the bodies before the step."""
    nv = len(qvel)
    out = np.zeros((2 * nv, len(L.mass), 12))
    pose = np.zeros((6, 12))
    pose[:3, :3] = pose[3:, 6:9] = np.eye(3)
    for j in range(len(L.kind)):
        a, b = int(L.parent[j]), int(L.child[j])
        dofs = slice(L.vadr[j], L.vadr[j] + L.ndof[j])
        rates = slice(nv + dofs.start, nv + dofs.stop)
        end, start = np.eye(L.ndof[j]), np.eye(L.ndof[j])
        if L.rotation[j] >= 0:
            # δ log(q₋* q) = Jr⁻¹ δφ - Jl⁻¹ δφ₋. Beside other joints the screws read exp(-r) δφ₋, and Jl⁻¹ exp(r) = Jr⁻¹.
            ball = slice(L.rotation[j], L.rotation[j] + 3)
            end[ball, ball] = log_jacobian(h * qvel[dofs][ball])
            start[ball, ball] = end[ball, ball] if L.kind[j] == COMPOUND else end[ball, ball].T
        now = _by_poses(L, j, work.x[a], work.R[a], work.x[b], work.R[b], tangent.here[dofs])
        old = _by_poses(L, j, tangent.x_before[a], tangent.R_before[a], tangent.x_before[b], tangent.R_before[b],
                        tangent.before[dofs])  # fmt: skip
        for body, rows, rows_before in ((a, now[0], old[0]), (b, now[1], old[1])):
            if body < 0:
                continue
            R_before, hG = _interval(work, tangent, body)
            P = R_before.T @ work.R[body]
            before = pose.copy()
            before[:3, 3:6], before[3:, 6:9], before[3:, 9:] = -h * np.eye(3), P, -P @ hG
            out[dofs, body] += rows @ pose
            out[rates, body] += (end @ rows @ pose - start @ rows_before @ before) / h
    return out


def _by_poses(L: Any, j: int, xa: Array, Ra: Array, xb: Array, Rb: Array, screws: Array) -> tuple[Array, Array]:
    """Coordinates of joint j by δx (world), δφ (own axes) of its parent and of its child, (k, 6) each.

    screws (k, 6): displacement of the child's centre and its rotation per unit of each coordinate, world axes.
    """
    E, d = Ra.T @ Rb, Ra.T @ (xb - xa)
    kind, k = L.kind[j], L.ndof[j]
    J = np.zeros((k, 6))  # by δd, δφ of the child in the parent
    if kind == FREE:
        J[:3, :3], J[:3, 3:], J[3:, 3:] = np.eye(3), E @ skew(L.com[L.child[j]]), np.eye(3)
    elif kind == BALL:
        J[:, 3:] = np.eye(3)
    elif kind == HINGE:
        J[0, 3:] = L.child_axes[j, 0]
    elif kind == SLIDE:
        axis = L.frame_axes[j, 0]
        J[0, :3], J[0, 3:] = axis, -axis @ E @ skew(L.anchor[j])
    else:
        J = np.linalg.pinv(np.hstack([screws[:, :3] @ Ra, screws[:, 3:] @ Rb]).T)
    by_parent = np.block([[-Ra.T, skew(d)], [np.zeros((3, 3)), -E.T]])
    by_child = np.block([[Ra.T, np.zeros((3, 3))], [np.zeros((3, 3)), np.eye(3)]])
    return J @ by_parent, J @ by_child
