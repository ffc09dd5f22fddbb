"""The loops of kinematics.py: poses, twists, inertias and contact wrenches of all bodies. Array arguments: see there."""

import math

import numpy as np

from dojo_py.environments.kinematics import FREE, HINGE, SLIDE
from dojo_py.jit import entry, kernel


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


@kernel
def place_bodies(parent, pos, quat, first, count, kind, qadr, dadr, anchor, axis, qpos0, qpos, qvel, x, R, ang, lin):
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


@entry
def fill_poses(parent, pos, quat, first, count, kind, qadr, dadr, anchor, axis, qpos0, qpos, qvel, x, R, ang, lin):
    """`place_bodies` for Python."""
    place_bodies(parent, pos, quat, first, count, kind, qadr, dadr, anchor, axis, qpos0, qpos, qvel, x, R, ang, lin)


@entry
def fill_centres(ipos, x, R, out):
    """Rows of out (nbody, 3), modified in place: x + R ipos."""
    for b in range(len(x)):
        for i in range(3):
            out[b, i] = x[b, i] + R[b, i, 0] * ipos[b, 0] + R[b, i, 1] * ipos[b, 1] + R[b, i, 2] * ipos[b, 2]


@kernel
def inertia_row(m, inertia, iquat, rotation, d, R, out):
    """out (10,), modified in place: Σ_k R_ik I_k R_jk + m (d·d 1 - d dᵀ), m d, m of a body at an offset d; R (1, 3, 3): scratch."""
    for i in range(3):
        for k in range(3):
            R[0, i, k] = rotation[i, k]
    _rotate(R, 0, iquat[0], iquat[1], iquat[2], iquat[3], 0)
    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    for place in range(6):
        i = place if place < 3 else (0 if place < 5 else 1)
        j = place if place < 3 else (1 if place == 3 else 2)
        total = -m * d[i] * d[j] + (m * square if i == j else 0.0)
        for k in range(3):
            total += R[0, i, k] * inertia[k] * R[0, j, k]
        out[place] = total
    for i in range(3):
        out[6 + i] = m * d[i]
    out[9] = m


@entry
def fill_inertia(mass, inertia, iquat, rotation, offset, out):
    """Rows of out (nbody, 10), modified in place, see `inertia_row`."""
    R = np.zeros((1, 3, 3))
    for b in range(1, len(mass)):
        inertia_row(mass[b], inertia[b], iquat[b], rotation[b], offset[b], R, out[b])


@entry
def fill_twists(angular, linear, centre, out):
    """Rows of out (nbody, 6), modified in place: ω, v + ω × centre."""
    for b in range(len(angular)):
        for i in range(3):
            k, l = (i + 1) % 3, (i + 2) % 3
            out[b, i] = angular[b, i]
            out[b, 3 + i] = linear[b, i] + angular[b, k] * centre[l] - angular[b, l] * centre[k]


@entry
def add_wrenches(bodies, position, force, centre, out):
    """Add (p - centre) × f and f to the rows of out (nbody, 6) of the first bodies, take them from those of the second."""
    for n in range(len(bodies)):
        for i in range(3):
            k, l = (i + 1) % 3, (i + 2) % 3
            torque = (position[n, k] - centre[k]) * force[n, l] - (position[n, l] - centre[l]) * force[n, k]
            out[bodies[n, 0], i] += torque
            out[bodies[n, 0], 3 + i] += force[n, i]
            out[bodies[n, 1], i] -= torque
            out[bodies[n, 1], 3 + i] -= force[n, i]
