"""Poses, centre of mass and contact wrenches inside a closed loop (policy/loop_kernels.py).

The same numbers as kinematics.py has for Python.
"""

import math

from dojo_py.collision.contact_columns import FRAME, GEOMS, IMPULSE, POSITION
from dojo_py.environments.kinematics_kernels import place_bodies
from dojo_py.jit import kernel


@kernel
def place(D, qpos, qvel, centre):
    """Poses and twists of all bodies into D, and the centre of mass of everything into centre (3,)."""
    x, R = D.position, D.rotation
    for i in range(3):
        x[0, i], D.angular[0, i], D.linear[0, i], centre[i] = 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            R[0, i, k] = 1.0 if i == k else 0.0
    place_bodies(
        D.parent, D.body_pos, D.body_quat, D.first_joint, D.joints, D.joint_type, D.joint_qpos, D.joint_dof, D.joint_pos,
        D.joint_axis, D.qpos0, qpos, qvel, x, R, D.angular, D.linear,
    )  # fmt: skip
    mass = 0.0
    for b in range(D.parent.shape[0]):
        m, p = D.body_mass[b], D.body_ipos[b]
        mass += m
        for i in range(3):
            centre[i] += m * (x[b, i] + R[b, i, 0] * p[0] + R[b, i, 1] * p[1] + R[b, i, 2] * p[2])
    for i in range(3):
        centre[i] /= mass


@kernel
def geom_of(D, contacts, i, side):
    """Geom on one side of row i of a contact table; -1: the row holds no contact."""
    if i < D.fixed.shape[0]:
        return D.fixed[i, side]
    return int(contacts[i, GEOMS + side]) - 1


@kernel
def add_wrenches(D, contacts, centre, timestep):
    """D.wrench (nbody, 6): torque about `centre` and force of the contacts on each body [N m, N]."""
    out = D.wrench
    out[:, :] = 0.0
    for n in range(contacts.shape[0]):
        first, second = geom_of(D, contacts, n, 0), geom_of(D, contacts, n, 1)
        if first < 0:
            continue
        a, b, c = D.geom_body[first], D.geom_body[second], contacts[n]
        f0, f1, f2 = c[IMPULSE] / timestep, c[IMPULSE + 1] / timestep, c[IMPULSE + 2] / timestep
        F = c[FRAME : FRAME + 9]
        x = f0 * F[0] + f1 * F[3] + f2 * F[6]
        y = f0 * F[1] + f1 * F[4] + f2 * F[7]
        z = f0 * F[2] + f1 * F[5] + f2 * F[8]
        r0, r1, r2 = c[POSITION] - centre[0], c[POSITION + 1] - centre[1], c[POSITION + 2] - centre[2]
        p, q, r = r1 * z - r2 * y, r2 * x - r0 * z, r0 * y - r1 * x
        out[a, 0], out[a, 1], out[a, 2] = out[a, 0] + p, out[a, 1] + q, out[a, 2] + r
        out[a, 3], out[a, 4], out[a, 5] = out[a, 3] + x, out[a, 4] + y, out[a, 5] + z
        out[b, 0], out[b, 1], out[b, 2] = out[b, 0] - p, out[b, 1] - q, out[b, 2] - r
        out[b, 3], out[b, 4], out[b, 5] = out[b, 3] - x, out[b, 4] - y, out[b, 5] - z


@kernel
def put_rotation(q, columns, out):
    """The first columns of the rotation matrix of a quaternion q (4,) of any length, row by row into out (3 columns,)."""
    n = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    w, x, y, z = q[0] / n, q[1] / n, q[2] / n, q[3] / n
    R = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    for i in range(3):
        for k in range(columns):
            out[columns * i + k] = R[i][k]


@kernel
def squares(v):
    """|v|²"""
    total = 0.0
    for i in range(v.shape[0]):
        total += v[i] * v[i]
    return total
