"""Minimal coordinates (qpos, qvel) ↔ maximal state, rows [x, v, q, ω] of the merged bodies at their centres of mass.

    to maximal    x, q from qpos;  x₋, q₋ from qpos ⊖ h qvel;   v = (x - x₋)/h,  ω = (2/h) vec(q₋* ⊗ q)
    to minimal    qpos from x, q;  qpos₋ from x - h v, q ⊗ φ(ω)*;  qvel = (qpos ⊖ qpos₋)/h

Both velocities are differences over the same interval, so either map is the inverse of the other. The domain is less than half a
revolution of every body over the interval, |ω| < 2/h. Differences are taken joint by joint: nothing is lost far from the world's
origin.
"""

import math

from dojo_py.algebra.rotations import (
    quat_conj_mul,
    quat_exp,
    quat_mul,
    quat_normalise,
    quat_to_matrix,
    rotation_vector,
    step_quaternion,
    turn_back,
    turn_vector,
)
from dojo_py.arrays import scratch
from dojo_py.hard.elements.chain_angles import chain_angles
from dojo_py.hard.elements.chain_coordinates import chain_back, entries, put_quaternion, read_chain, write_chain
from dojo_py.hard.elements.joints.compound import chain_pose
from dojo_py.hard.elements.joints.hinge import hinge_rows
from dojo_py.hard.elements.joints.slide import slide_rows
from dojo_py.hard.terms import BALL, COMPOUND, FREE, HINGE
from dojo_py.jit import entry, kernel

HALF_TURN = 1e-4
"""cos(half the rotation of a body over the interval) below which a motion is outside the domain."""
STAGE, MOST_STAGES = 0.2, 20
"""Angles of compound joints one interval before are found by going back through the interval pose by pose: one pose for every STAGE
[rad] of rotation, at most MOST_STAGES in between. From so near the search (chain_angles.py) stays on the angles' branch."""


@kernel
def joint_pose(L, j, qpos, qvel, back, q_rel, d):
    """Pose of the child of joint j (not free) in its parent, `back` [s] before it is at the coordinates: q_rel (4,), d (3,)."""
    adr, dof = L.qadr[j], L.vadr[j]
    if L.kind[j] == BALL:
        q, turn, arm = scratch(4), scratch(4), scratch(3)
        for i in range(4):
            q[i] = qpos[adr + i]
        quat_normalise(q)
        quat_mul(L.base_quat[j], q, q_rel)
        if back != 0.0:
            quat_exp(qvel[dof : dof + 3], -back, turn)
            for i in range(4):
                q[i] = q_rel[i]
            quat_mul(q, turn, q_rel)
        turn_vector(q_rel, L.anchor[j], arm)
        for i in range(3):
            d[i] = L.frame_pos[j, i] - arm[i]
        return
    k = L.ndof[j]
    theta, own, S = scratch(6)[0:k], scratch(4), scratch((6, 6))[:, 0:k]
    read_chain(L, j, qpos[adr : adr + entries(L, j)], theta, own)
    if back != 0.0:
        chain_back(L, j, qvel[dof : dof + k], back, theta, own)
    chain_pose(L, j, theta, own, d, q_rel, S)


@kernel
def to_maximal(L, qpos, qvel, h, bodies):
    """Fill bodies (nb, 13). Returns the smallest cosine of half a body's rotation: up to HALF_TURN is outside the domain."""
    lowest = 1.0
    for j in range(L.kind.shape[0]):
        b, adr, dof = L.child[j], L.qadr[j], L.vadr[j]
        if L.kind[j] == FREE:
            cosine = _free_body(L.com[b], qpos[adr : adr + 7], qvel[dof : dof + 6], h, bodies[b])
        else:
            cosine = _jointed_body(L, j, qpos, qvel, h, bodies)
            if _turns_too_fast(L, j, qvel, h):
                cosine = -1.0
        lowest = min(lowest, cosine)
    return lowest


@kernel
def _free_body(com, qpos, qvel, h, body):
    """Fill the row (13,) of a free body from its coordinates (7,) and velocity (6,). Returns the cosine of half its rotation."""
    turn, before, r, r_old = scratch(4), scratch(4), scratch(3), scratch(3)
    w = qvel[3:6]
    for i in range(4):
        body[6 + i] = qpos[3 + i]
    quat_normalise(body[6:10])
    quat_exp(w, h, turn)
    half = 0.5 * h * math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    cosine = math.cos(half) if half < 0.5 * math.pi else -1.0
    _start_orientation(body[6:10], turn, before)
    turn_vector(body[6:10], com, r)
    turn_vector(before, com, r_old)
    for i in range(3):
        body[i] = qpos[i] + r[i]
        body[3 + i] = qvel[i] + (r[i] - r_old[i]) / h
        body[10 + i] = 2.0 / h * turn[1 + i]
    return cosine


@kernel
def _jointed_body(L, j, qpos, qvel, h, bodies):
    """Fill the row of bodies (nb, 13) of the child of joint j, after its parent's. Returns the cosine of half its rotation."""
    a, body = L.parent[j], bodies[L.child[j]]
    turn, before_a, before_b = scratch(4), scratch(4), scratch(4)
    q_rel, d, q_old, d_old, r, r_old = scratch(4), scratch(3), scratch(4), scratch(3), scratch(3), scratch(3)
    joint_pose(L, j, qpos, qvel, 0.0, q_rel, d)
    joint_pose(L, j, qpos, qvel, h, q_old, d_old)
    if a < 0:
        for i in range(4):
            body[6 + i], before_b[i] = q_rel[i], q_old[i]
        for i in range(3):
            body[i] = d[i]
            body[3 + i] = (d[i] - d_old[i]) / h
    else:
        top = bodies[a]
        step_quaternion(top[10:13], h, turn)
        _start_orientation(top[6:10], turn, before_a)
        quat_mul(top[6:10], q_rel, body[6:10])
        quat_mul(before_a, q_old, before_b)
        turn_vector(top[6:10], d, r)
        turn_vector(before_a, d_old, r_old)
        for i in range(3):
            body[i] = top[i] + r[i]
            body[3 + i] = top[3 + i] + (r[i] - r_old[i]) / h
    quat_normalise(body[6:10])
    quat_normalise(before_b)
    quat_conj_mul(before_b, body[6:10], turn)
    for i in range(3):
        body[10 + i] = 2.0 / h * turn[1 + i]
    return turn[0]


@kernel
def _turns_too_fast(L, j, qvel, h):
    """Whether a coordinate of joint j rotates by half a revolution or more within h."""
    for i in range(L.vadr[j], L.vadr[j] + L.ndof[j]):
        rate = 0.0 if L.dof_slide[i] else abs(qvel[i])
        if L.dof_vector[i] >= 0:
            w = qvel[L.dof_vector[i] : L.dof_vector[i] + 3]
            rate = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if h * rate >= math.pi:
            return True
    return False


@kernel
def _start_orientation(q, turn, out):
    """out = q ⊗ turn*. All (4,)."""
    out[0] = q[0] * turn[0] + q[1] * turn[1] + q[2] * turn[2] + q[3] * turn[3]
    out[1] = -q[0] * turn[1] + q[1] * turn[0] - q[2] * turn[3] + q[3] * turn[2]
    out[2] = -q[0] * turn[2] + q[1] * turn[3] + q[2] * turn[0] - q[3] * turn[1]
    out[3] = -q[0] * turn[3] - q[1] * turn[2] + q[2] * turn[1] + q[3] * turn[0]


@kernel
def pose_back(body, h, share, x, q):
    """Pose x (3,), q (4,) of a body (13,) before the end of the interval, by the fraction `share` of it."""
    turn = scratch(4)
    for i in range(3):
        x[i] = body[i] - share * h * body[3 + i]
    step_quaternion(body[10:13], h, turn)
    if share < 1.0:
        sine = math.sqrt(turn[1] ** 2 + turn[2] ** 2 + turn[3] ** 2)
        half = share * math.atan2(sine, turn[0])
        scale = math.sin(half) / sine if sine > 1e-12 else share
        turn[0] = math.cos(half)
        for i in range(3):
            turn[1 + i] *= scale
    _start_orientation(body[6:10], turn, q)


@kernel
def relative_back(L, bodies, j, h, share, q_rel, d):
    """Pose of the child of joint j in its parent before the end of the interval, by the fraction `share`: q_rel (4,), d (3,)."""
    xa, qa, xb, qb, apart = scratch(3), scratch(4), scratch(3), scratch(4), scratch(3)
    pose_back(bodies[L.child[j]], h, share, xb, qb)
    if L.parent[j] < 0:
        for i in range(3):
            d[i] = xb[i]
        for i in range(4):
            q_rel[i] = qb[i]
        return
    pose_back(bodies[L.parent[j]], h, share, xa, qa)
    for i in range(3):
        apart[i] = xb[i] - xa[i]
    turn_back(qa, apart, d)
    quat_conj_mul(qa, qb, q_rel)


@kernel
def joint_coordinates(L, j, q_rel, d, out, elsewhere):
    """Joint j's (not free) entries of qpos into out (n,), on entry a reference. q_rel (4,), d (3,): pose in the parent.

    elsewhere: compound joints may leave the branch of the reference if the pose is not on it.
    """
    kind, adr = L.kind[j], L.qadr[j]
    if kind == BALL:
        q = scratch(4)
        quat_conj_mul(L.base_quat[j], q_rel, q)
        quat_normalise(q)
        put_quaternion(q, out)
        return
    if kind == COMPOUND:
        theta, turn = scratch(6)[0 : L.ndof[j]], scratch(4)
        read_chain(L, j, out, theta, turn)
        chain_angles(L, j, q_rel, d, theta, turn, elsewhere)
        write_chain(L, j, theta, turn, out)
        return
    E, c, J = scratch((3, 3)), scratch(6), scratch((6, 6))
    quat_to_matrix(q_rel, E)
    if kind == HINGE:
        hinge_rows(E, d, L.frame_pos[j], L.anchor[j], L.frame_axes[j], L.child_axes[j], 0.0, c, J)
        angle = L.qpos0[adr] + c[5]
        out[0] = angle + 2.0 * math.pi * math.floor((out[0] - angle) / (2.0 * math.pi) + 0.5)
    else:
        slide_rows(E, d, L.frame_pos[j], L.anchor[j], L.frame_axes[j], L.child_axes[j], 0.0, c, J)
        out[0] = L.qpos0[adr] + c[5]


@kernel
def to_minimal(L, bodies, h, reference, before_them, qpos, qvel):
    """Fill qpos (nq,) near the reference (nq,), and qvel (nv,). bodies (nb, 13).

    before_them (nq,): coordinates one interval before, if they are known, else (0,). Both are only where the search begins.
    """
    q_rel, d, before, turn = scratch(4), scratch(3), scratch(7), scratch(4)
    for j in range(L.kind.shape[0]):
        b, adr, dof, kind = L.child[j], L.qadr[j], L.vadr[j], L.kind[j]
        if kind == FREE:
            _free_coordinates(L.com[b], bodies[b], h, reference[adr : adr + 7], qpos[adr : adr + 7], qvel[dof : dof + 6])
            continue
        n, r = entries(L, j), L.rotation[j]
        now = qpos[adr : adr + n]
        for i in range(n):
            now[i] = reference[adr + i]
        relative_back(L, bodies, j, h, 0.0, q_rel, d)
        joint_coordinates(L, j, q_rel, d, now, True)
        for i in range(n):
            before[i] = now[i]
        stages = 1
        if before_them.shape[0] > 0:
            for i in range(n):
                before[i] = before_them[adr + i]
        elif kind == COMPOUND:
            stages = _stages(L, j, bodies, h)
        for stage in range(stages):
            relative_back(L, bodies, j, h, (stage + 1.0) / stages, q_rel, d)
            joint_coordinates(L, j, q_rel, d, before[0:n], stage + 1 == stages)
        if r >= 0:
            quat_conj_mul(before[r : r + 4], now[r : r + 4], turn)
            rotation_vector(turn, qvel[dof + r : dof + r + 3])
            for i in range(3):
                qvel[dof + r + i] /= h
        for i in range(dof, dof + L.ndof[j]):
            if L.dof_vector[i] < 0:
                qvel[i] = (now[L.dof_qadr[i] - adr] - before[L.dof_qadr[i] - adr]) / h


@kernel
def _stages(L, j, bodies, h):
    """Number of poses, going back through h, at which angles of a compound joint are found, see STAGE."""
    w = bodies[L.child[j]]
    speed = math.sqrt(w[10] * w[10] + w[11] * w[11] + w[12] * w[12])
    if L.parent[j] >= 0:
        w = bodies[L.parent[j]]
        speed += math.sqrt(w[10] * w[10] + w[11] * w[11] + w[12] * w[12])
    return 1 + min(int(h * speed / STAGE), MOST_STAGES)


@kernel
def _free_coordinates(com, body, h, reference, qpos, qvel):
    """Coordinates (7,) and velocity (6,) of a free body (13,) whose centre of mass is at com (3,) in its frame."""
    turn, before, r, r_old = scratch(4), scratch(4), scratch(3), scratch(3)
    q = body[6:10]
    step_quaternion(body[10:13], h, turn)
    _start_orientation(q, turn, before)
    turn_vector(q, com, r)
    turn_vector(before, com, r_old)
    rotation_vector(turn, qvel[3:6])
    side = 0.0
    for i in range(4):
        side += q[i] * reference[3 + i]
    for i in range(3):
        qpos[i] = body[i] - r[i]
        qvel[i] = body[3 + i] - (r[i] - r_old[i]) / h
        qvel[3 + i] /= h
    for i in range(4):
        qpos[3 + i] = q[i] if side >= 0.0 else -q[i]


@entry
def maximal_from_minimal(L, qpos, qvel, h, bodies):
    """`to_maximal` for callers in Python."""
    return to_maximal(L, qpos, qvel, h, bodies)


@entry
def minimal_from_maximal(L, bodies, h, reference, qpos, qvel):
    """`to_minimal` for callers in Python. reference, qpos (nq,); qvel (nv,)."""
    to_minimal(L, bodies, h, reference, reference[0:0], qpos, qvel)
