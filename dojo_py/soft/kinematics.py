"""Forward kinematics: joint coordinates to the poses of bodies, joints, geoms and sites, and the motion axes of every dof.

Spatial quantities of a kinematic tree are taken about the tree's centre of mass, world axes: c_dof = [axis, axis × (com - anchor)]
for a hinge, [0, axis] for a slide. Source: computation chapter, "General framework"; Featherstone (2008), ch. 4.
"""

from dojo_py.algebra.rotations import quat_mul, quat_to_matrix, turn_vector
from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import JointType
from dojo_py.soft.spatial import axis_angle_to_quaternion, normalize_quaternion

FREE, BALL, SLIDE, HINGE = map(int, JointType)


@kernel
def dof_count(kind):
    """Dofs of a joint of this type."""
    return 6 if kind == FREE else 3 if kind == BALL else 1


@kernel
def place(bodies, parents, elements):
    """Poses of elements (geoms or sites: records with bodyid, pos, quat) into `parents`' frames `elements`."""
    for i in range(len(parents)):
        p = parents[i]
        e = elements[i]
        b = bodies[p.bodyid]
        turn_vector(b.xquat, p.pos, e.xpos)
        for k in range(3):
            e.xpos[k] += b.xpos[k]
        quat_mul(b.xquat, p.quat, e.xquat)
        quat_to_matrix(e.xquat, e.xmat)


@kernel
def joint_pose(j, s, b, qpos, qpos0):
    """Move body b by its joint j at qpos; record the anchor and axis in s (world frame, before a ball or hinge turns the body)."""
    turn_vector(b.xquat, j.pos, s.xanchor)
    for k in range(3):
        s.xanchor[k] += b.xpos[k]
    turn_vector(b.xquat, j.axis, s.xaxis)
    a = j.qposadr
    if j.type == SLIDE:
        for k in range(3):
            b.xpos[k] += s.xaxis[k] * (qpos[a] - qpos0[a])
        return
    local = scratch(4)
    if j.type == BALL:
        for k in range(4):
            local[k] = qpos[a + k]
        normalize_quaternion(local)
    else:
        axis_angle_to_quaternion(j.axis, qpos[a] - qpos0[a], local)
    quat_mul(b.xquat, local, b.xquat)
    turn_vector(b.xquat, j.pos, b.xpos)
    for k in range(3):
        b.xpos[k] = s.xanchor[k] - b.xpos[k]


@kernel
def body_poses(model_bodies, model_joints, bodies, joints, qpos, qpos0):
    """World pose of every body (origin and inertial frame) and joint; bodies in depth-first order, parents first."""
    iquat = scratch(4)
    for i in range(1, len(model_bodies)):
        mb = model_bodies[i]
        b = bodies[i]
        first = mb.jntadr
        if mb.jntnum == 1 and model_joints[first].type == FREE:
            a = model_joints[first].qposadr
            for k in range(3):
                b.xpos[k] = qpos[a + k]
            for k in range(4):
                b.xquat[k] = qpos[a + 3 + k]
            normalize_quaternion(b.xquat)
            for k in range(3):
                joints[first].xanchor[k] = b.xpos[k]
                joints[first].xaxis[k] = model_joints[first].axis[k]
        else:
            parent = bodies[mb.parentid]
            turn_vector(parent.xquat, mb.pos, b.xpos)
            for k in range(3):
                b.xpos[k] += parent.xpos[k]
            quat_mul(parent.xquat, mb.quat, b.xquat)
            for j in range(first, first + mb.jntnum):
                joint_pose(model_joints[j], joints[j], b, qpos, qpos0)
            normalize_quaternion(b.xquat)
        quat_to_matrix(b.xquat, b.xmat)
        turn_vector(b.xquat, mb.ipos, b.xipos)
        for k in range(3):
            b.xipos[k] += b.xpos[k]
        quat_mul(b.xquat, mb.iquat, iquat)
        quat_to_matrix(iquat, b.ximat)


@kernel
def centres_of_mass(model_bodies, bodies):
    """Subtree masses and centres of mass; `com` of a body is that of its whole kinematic tree."""
    n = len(model_bodies)
    for i in range(n):
        b = bodies[i]
        b.subtree_mass = model_bodies[i].mass
        for k in range(3):
            b.subtree_com[k] = model_bodies[i].mass * b.xipos[k]
    for i in range(n - 1, 0, -1):
        b = bodies[i]
        p = bodies[model_bodies[i].parentid]
        p.subtree_mass += b.subtree_mass
        for k in range(3):
            p.subtree_com[k] += b.subtree_com[k]
    for i in range(n):
        b = bodies[i]
        if b.subtree_mass > 1e-15:
            for k in range(3):
                b.subtree_com[k] /= b.subtree_mass
        else:
            for k in range(3):
                b.subtree_com[k] = b.xipos[k]
    for i in range(n):
        root = bodies[model_bodies[i].rootid]
        for k in range(3):
            bodies[i].com[k] = root.subtree_com[k]


@kernel
def hinge_axis(cdof, i, x, y, z, com, anchor):
    """Row i of cdof: unit rotation about (x, y, z) through anchor."""
    dx, dy, dz = com[0] - anchor[0], com[1] - anchor[1], com[2] - anchor[2]
    cdof[i, 0] = x
    cdof[i, 1] = y
    cdof[i, 2] = z
    cdof[i, 3] = y * dz - z * dy
    cdof[i, 4] = z * dx - x * dz
    cdof[i, 5] = x * dy - y * dx


@kernel
def motion_axes(model_joints, bodies, joints, cdof):
    """Cdof (nv, 6): the spatial velocity that a unit velocity of each dof gives its body."""
    for j in range(len(model_joints)):
        mj = model_joints[j]
        b = bodies[mj.bodyid]
        s = joints[j]
        i = mj.dofadr
        if mj.type == SLIDE:
            for k in range(3):
                cdof[i, k] = 0.0
                cdof[i, 3 + k] = s.xaxis[k]
        elif mj.type == HINGE:
            hinge_axis(cdof, i, s.xaxis[0], s.xaxis[1], s.xaxis[2], b.com, s.xanchor)
        else:
            if mj.type == FREE:
                for r in range(3):
                    for k in range(6):
                        cdof[i + r, k] = 0.0
                    cdof[i + r, 3 + r] = 1.0
                i += 3
            for r in range(3):  # ball, and the rotation of a free joint: the body's own axes
                hinge_axis(cdof, i + r, b.xmat[0, r], b.xmat[1, r], b.xmat[2, r], b.com, s.xanchor)


@kernel
def forward_kinematics(m_bodies, m_joints, m_geoms, m_sites, qpos0, bodies, joints, geoms, sites, cdof, qpos):
    """All poses and motion axes at qpos (nq,)."""
    body_poses(m_bodies, m_joints, bodies, joints, qpos, qpos0)
    place(bodies, m_geoms, geoms)
    place(bodies, m_sites, sites)
    centres_of_mass(m_bodies, bodies)
    motion_axes(m_joints, bodies, joints, cdof)


@kernel
def body_velocities(m_bodies, m_joints, bodies, cdof, cdof_dot, qvel):
    """Cvel of every body and cdof_dot (nv, 6), the rate of change of every motion axis, at qvel (nv,)."""
    for i in range(1, len(m_bodies)):
        mb = m_bodies[i]
        b = bodies[i]
        p = bodies[mb.parentid]
        for k in range(6):
            b.cvel[k] = p.cvel[k]
        for j in range(mb.jntadr, mb.jntadr + mb.jntnum):
            kind = m_joints[j].type
            a = m_joints[j].dofadr
            if kind == FREE:  # world-fixed translation axes do not turn
                for r in range(3):
                    for k in range(6):
                        cdof_dot[a + r, k] = 0.0
                    b.cvel[3 + r] += qvel[a + r]
                a += 3
            count = 1 if kind >= SLIDE else 3
            for r in range(a, a + count):  # the three axes of a ball are carried by the velocity before the ball's own
                w0, w1, w2, v0, v1, v2 = b.cvel[0], b.cvel[1], b.cvel[2], b.cvel[3], b.cvel[4], b.cvel[5]
                c0, c1, c2, d0, d1, d2 = cdof[r, 0], cdof[r, 1], cdof[r, 2], cdof[r, 3], cdof[r, 4], cdof[r, 5]
                cdof_dot[r, 0] = w1 * c2 - w2 * c1
                cdof_dot[r, 1] = w2 * c0 - w0 * c2
                cdof_dot[r, 2] = w0 * c1 - w1 * c0
                cdof_dot[r, 3] = w1 * d2 - w2 * d1 + v1 * c2 - v2 * c1
                cdof_dot[r, 4] = w2 * d0 - w0 * d2 + v2 * c0 - v0 * c2
                cdof_dot[r, 5] = w0 * d1 - w1 * d0 + v0 * c1 - v1 * c0
            for r in range(a, a + count):
                for k in range(6):
                    b.cvel[k] += cdof[r, k] * qvel[r]
