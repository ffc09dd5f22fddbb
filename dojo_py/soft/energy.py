"""Energy and momentum of a state.

Potential: gravity and springs; kinetic 1/2 qvel^T M qvel. Momentum: linear, and angular about the
centre of mass of everything that moves.
"""

import numpy as np

from dojo_py.arrays import copy, inner, scratch, zeros
from dojo_py.jit import kernel
from dojo_py.soft.inertia import multiply_M
from dojo_py.soft.kinematics import BALL, FREE
from dojo_py.soft.passive import DISABLE_GRAVITY, DISABLE_SPRING, tendon_stretch
from dojo_py.soft.spatial import multiply_inertia, normalize_quaternion, relative_rotation


@kernel
def spring_energy(k, x):
    """Energy of the spring with coefficients k (3,) at displacement x: the integral of its force."""
    return x * x * (k[0] / 2.0 + x * (k[1] / 3.0 + x * k[2] / 4.0))


@kernel
def joint_spring_energy(j, qpos, qpos_spring):
    """Energy [J] of one joint's spring."""
    q = j.qposadr
    if j.type > BALL:
        return spring_energy(j.stiffness, qpos[q] - qpos_spring[q])
    energy = 0.0
    if j.type == FREE:
        x, y, z = qpos[q] - qpos_spring[q], qpos[q + 1] - qpos_spring[q + 1], qpos[q + 2] - qpos_spring[q + 2]
        energy += spring_energy(j.stiffness, np.sqrt(x * x + y * y + z * z))
        q += 3
    a, b = scratch(4), scratch(4)
    copy(qpos[q : q + 4], a)
    copy(qpos_spring[q : q + 4], b)
    normalize_quaternion(a)
    normalize_quaternion(b)
    x, y, z = relative_rotation(a, b)
    return energy + spring_energy(j.stiffness, np.sqrt(x * x + y * y + z * z))


@kernel
def energy_momentum(m, w, qpos, qvel, out):
    """out (8,) = potential, kinetic [J], linear momentum 3 [kg m/s], angular 3 [kg m²/s] after a forward pass at this state."""
    out[0] = potential_energy(m, w, qpos)
    Mv = w.solver.vec[0]
    multiply_M(m.M_rowadr, m.M_colind, w.pose.M, qvel, Mv)
    out[1] = 0.5 * inner(Mv, qvel)
    momentum(m, w, out[2:8])


@kernel
def potential_energy(m, w, qpos):
    """Of gravity and of the springs of joints and tendons [J], after a forward pass at qpos (nq,)."""
    opt = m.options[0]
    potential = 0.0
    if not opt.disableflags & DISABLE_GRAVITY:
        for i in range(1, len(m.bodies)):
            for k in range(3):
                potential -= m.bodies[i].mass * opt.gravity[k] * w.pose.bodies[i].xipos[k]
    if not opt.disableflags & DISABLE_SPRING:
        for i in range(len(m.joints)):
            potential += joint_spring_energy(m.joints[i], qpos, m.qpos_spring)
        for i in range(len(m.tendons)):
            t = m.tendons[i]
            potential += spring_energy(t.stiffness, tendon_stretch(t, w.forces.tendons[i].length))
    return potential


@kernel
def momentum(m, w, out):
    """out (6,) = linear [kg m/s] and angular [kg m²/s] momentum about the centre of mass, after a forward pass."""
    for k in range(6):
        out[k] = 0.0
    mass = 0.0
    centre = zeros(3)
    for i in range(1, len(m.bodies)):
        if m.bodies[i].lastdof >= 0:
            mass += m.bodies[i].mass
            for k in range(3):
                centre[k] += m.bodies[i].mass * w.pose.bodies[i].xipos[k]
    if mass == 0.0:
        return
    p = scratch(6)
    for i in range(1, len(m.bodies)):
        if m.bodies[i].lastdof < 0:
            continue
        b = w.pose.bodies[i]
        multiply_inertia(b.cinert, b.cvel, p)
        x, y, z = b.com[0] - centre[0] / mass, b.com[1] - centre[1] / mass, b.com[2] - centre[2] / mass
        for k in range(3):
            out[k] += p[3 + k]
            out[3 + k] += p[k]
        out[3] += y * p[5] - z * p[4]
        out[4] += z * p[3] - x * p[5]
        out[5] += x * p[4] - y * p[3]
