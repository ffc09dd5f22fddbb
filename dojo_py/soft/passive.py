"""Passive forces: joint and tendon springs and dampers, gravity compensation, forces of a medium.

Stiffness is the polynomial f(x) = a x + b x² + c x³, damping the odd one f(v) = a v + b |v| v + c v³; the force is -f.
Source: computation chapter, "Passive forces", "Polynomial forces", "Fluid forces: inertia model".
"""

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DisableBit
from dojo_py.soft.fluid import fluid_forces
from dojo_py.soft.kinematics import BALL, FREE, dof_count
from dojo_py.soft.spatial import normalize_quaternion, relative_rotation

DISABLE_SPRING, DISABLE_DAMPER, DISABLE_GRAVITY = int(DisableBit.SPRING), int(DisableBit.DAMPER), int(DisableBit.GRAVITY)


@kernel
def spring_force(k, x):
    """Force of the spring with coefficients k (3,) at displacement x."""
    return -x * (k[0] + x * (k[1] + x * k[2]))


@kernel
def damper_force(b, v):
    """Force of the damper with coefficients b (3,) at velocity v."""
    s = abs(v)
    return -v * (b[0] + s * (b[1] + s * b[2]))


@kernel
def damper_slope(b, v):
    """Derivative of -damper_force with respect to v: the effective damping."""
    s = abs(v)
    return b[0] + s * (2.0 * b[1] + 3.0 * s * b[2])


@kernel
def add_spring(k, x, y, z, out):
    """Out (3,) += force of the spring with coefficients k (3,) stretched by (x, y, z)."""
    scale = -k[0]
    if k[1] != 0.0 or k[2] != 0.0:
        r = np.sqrt(x * x + y * y + z * z)
        scale = -(k[0] + r * (k[1] + r * k[2]))
    out[0] += scale * x
    out[1] += scale * y
    out[2] += scale * z


@kernel
def joint_springs(joints, qpos, qpos_spring, out):
    """Out (nv,) += spring forces of all joints."""
    a = scratch(4)
    b = scratch(4)
    for i in range(len(joints)):
        j = joints[i]
        k = j.stiffness
        if k[0] == 0.0 and k[1] == 0.0 and k[2] == 0.0:
            continue
        q = j.qposadr
        v = j.dofadr
        if j.type > BALL:
            out[v] += spring_force(k, qpos[q] - qpos_spring[q])
            continue
        if j.type == FREE:
            x, y, z = qpos[q] - qpos_spring[q], qpos[q + 1] - qpos_spring[q + 1], qpos[q + 2] - qpos_spring[q + 2]
            add_spring(k, x, y, z, out[v : v + 3])
            q += 3
            v += 3
        for n in range(4):
            a[n] = qpos[q + n]
            b[n] = qpos_spring[q + n]
        normalize_quaternion(a)
        normalize_quaternion(b)
        x, y, z = relative_rotation(a, b)
        add_spring(k, x, y, z, out[v : v + 3])


@kernel
def tendon_stretch(t, length):
    """Signed distance of the length from the spring's rest interval."""
    if length > t.lengthspring[1]:
        return length - t.lengthspring[1]
    if length < t.lengthspring[0]:
        return length - t.lengthspring[0]
    return 0.0


@kernel
def spring_and_damper(tendon, now, disableflags):
    """Their force along a tendon; now: its length and rate."""
    f = 0.0
    if not disableflags & DISABLE_SPRING:
        f += spring_force(tendon.stiffness, tendon_stretch(tendon, now.length))
    if not disableflags & DISABLE_DAMPER:
        f += damper_force(tendon.damping, now.velocity)
    return f


@kernel
def tendon_forces(m_tendons, J, tendons, disableflags, out):
    """Out (nv,) += spring and damper forces of the tendons."""
    for i in range(len(m_tendons)):
        t = m_tendons[i]
        f = spring_and_damper(t, tendons[i], disableflags)
        if f != 0.0:
            for k in range(len(out)):
                out[k] += J[i, k] * f


@kernel
def apply_force(rowadr, colind, cdof, last, com, point, force, out):
    """Out (nv,) += J^T force (3,) for a force at `point` on the body whose last dof is `last`; com: tree centre of mass."""
    if last < 0:
        return
    x, y, z = point[0] - com[0], point[1] - com[1], point[2] - com[2]
    for a in range(rowadr[last], rowadr[last + 1]):
        i = colind[a]
        out[i] += (
            force[0] * (cdof[i, 3] + cdof[i, 1] * z - cdof[i, 2] * y)
            + force[1] * (cdof[i, 4] + cdof[i, 2] * x - cdof[i, 0] * z)
            + force[2] * (cdof[i, 5] + cdof[i, 0] * y - cdof[i, 1] * x)
        )


@kernel
def gravity_compensation(m_bodies, rowadr, colind, gravity, bodies, cdof, out):
    """Out (nv,) = forces that cancel the share `gravcomp` of each body's weight."""
    force = scratch(3)
    for i in range(len(out)):
        out[i] = 0.0
    for i in range(1, len(m_bodies)):
        mb = m_bodies[i]
        if mb.gravcomp != 0.0:
            for k in range(3):
                force[k] = -gravity[k] * mb.mass * mb.gravcomp
            apply_force(rowadr, colind, cdof, mb.lastdof, bodies[i].com, bodies[i].xipos, force, out)


@kernel
def all_passive_off(flags):
    """Without springs and dampers there is no drag and no gravity compensation, either."""
    return flags & DISABLE_SPRING != 0 and flags & DISABLE_DAMPER != 0


@kernel
def passive_forces(m, pose, forces, qpos, qvel):
    """forces.passive (nv,) and forces.gravcomp (nv,) at the present pose and velocity."""
    opt = m.options[0]
    out = forces.passive
    for i in range(len(out)):
        out[i] = 0.0
    flags = opt.disableflags
    if all_passive_off(flags):
        return
    if not flags & DISABLE_SPRING:
        joint_springs(m.joints, qpos, m.qpos_spring, out)
    if not flags & DISABLE_DAMPER and opt.has_damping:
        for i in range(len(out)):
            out[i] += damper_force(m.dofs[i].damping, qvel[i])
    tendon_forces(m.tendons, forces.tendon_J, forces.tendons, flags, out)
    if opt.has_gravcomp and not flags & DISABLE_GRAVITY:
        gravity_compensation(m.bodies, m.M_rowadr, m.M_colind, opt.gravity, pose.bodies, pose.cdof, forces.gravcomp)
        for j in range(len(m.joints)):
            jnt = m.joints[j]
            if not jnt.actgravcomp:
                for i in range(jnt.dofadr, jnt.dofadr + dof_count(jnt.type)):
                    out[i] += forces.gravcomp[i]
    if opt.density > 0.0 or opt.viscosity > 0.0:
        fluid_forces(m, pose, out)
