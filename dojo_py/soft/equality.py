"""Rows of equality constraints: connect 3, weld 6, joint 1, tendon 1.

connect: r = p1 - p2 of the two anchors. weld: the same and torquescale * Im(conj(q2) q1 q_rel) = sin(theta/2) axis.
joint and tendon: r = y - y0 - (a0 + a1 x + a2 x^2 + a3 x^3 + a4 x^4), x measured from its initial value.
Source: computation chapter, "Equality".
"""

import numpy as np

from dojo_py.algebra.rotations import quat_mul, turn_vector
from dojo_py.arrays import scratch, zeros
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import EqualityType, ObjType
from dojo_py.soft.impedance import set_parameters
from dojo_py.soft.jacobian import relative_jacobian
from dojo_py.soft.limits import drop_last, new_row
from dojo_py.soft.row_kinds import RowKind
from dojo_py.soft.workspace import NBLOCK, NE, NEFC

EQUALITY = int(RowKind.EQUALITY)
CONNECT, WELD, JOINT, TENDON = map(int, EqualityType)
SITE = int(ObjType.SITE)
"""Object type of an equality between sites (mjOBJ_SITE)."""


@kernel
def attachment(m, pose, e, side, point, quat):
    """World anchor point (3,) [m] and orientation quat (4,) of side 1 or 2 of the equality record e; returns its body."""
    which = e.obj1id if side == 1 else e.obj2id
    if e.objtype == SITE:
        s = pose.sites[which]
        for k in range(3):
            point[k] = s.xpos[k]
        for k in range(4):
            quat[k] = s.xquat[k]
        return m.sites[which].bodyid
    b = pose.bodies[which]
    # weld keeps the second body's anchor in coef[0:3] and the relative pose of the first in coef[3:10]
    offset = 3 if (e.type == WELD) == (side == 1) else 0
    local = scratch(3)
    for k in range(3):
        local[k] = e.coef[offset + k]
    turn_vector(b.xquat, local, point)
    for k in range(3):
        point[k] += b.xpos[k]
    for k in range(4):
        quat[k] = b.xquat[k]
    return which


@kernel
def pose_rows(m, pose, rows, eq):
    """Rows of a connect or weld."""
    opt = m.options[0]
    e = m.equalities[eq]
    p1, p2 = scratch(3), scratch(3)
    q1, q2 = scratch(4), scratch(4)
    b1 = attachment(m, pose, e, 1, p1, q1)
    b2 = attachment(m, pose, e, 2, p2, q2)
    jac = rows.jac
    block = rows.counts[NBLOCK]
    nnz = relative_jacobian(
        m.M_rowadr, m.M_colind, pose.cdof, m.bodies[b2].lastdof, pose.bodies[b2].com, p2, m.bodies[b1].lastdof,
        pose.bodies[b1].com, p1, jac, rows.J_colind, block,
    )  # fmt: skip
    if nnz == 0:  # between parts of the world
        return
    dim = 6 if e.type == WELD else 3
    residual = zeros(6)
    for k in range(3):
        residual[k] = p1[k] - p2[k]
    if e.type == WELD:
        _orientation_rows(e, q1, q2, nnz, residual, jac)
    violation = 0.0
    for k in range(dim):
        violation += residual[k] * residual[k]
    violation = np.sqrt(violation)
    for k in range(dim):
        w = 0 if k < 3 else 1
        diagA = m.bodies[b1].invweight0[w] + m.bodies[b2].invweight0[w]
        i = new_row(rows, EQUALITY, eq, residual[k], 0.0, 0.0, diagA)
        r = rows.rows[i]
        r.block = block
        r.nnz = nnz
        for c in range(nnz):
            rows.J[i, c] = jac[k, c]
        set_parameters(r, e.solref, e.solimp, violation, opt.timestep, opt.disableflags)
    rows.counts[NBLOCK] = block + 1  # the rows share their columns


@kernel
def weld_ends(e, q1, q2):
    """Orientations (4,) of a weld's ends, in place: of the first the one that the second should have, of the second its inverse."""
    relative = scratch(4)
    if e.objtype != SITE:
        for k in range(4):
            relative[k] = e.coef[6 + k]
        quat_mul(q1, relative, q1)
    for k in range(1, 4):
        q2[k] = -q2[k]


@kernel
def _orientation_rows(e, q1, q2, nnz, residual, jac):
    """Entries 3 … 5 of a weld's residual (6,) and of its rows jac (6, …), which hold the relative angular velocity.

    s vec(q₂* q₁), its derivative ½ s vec(q₂* ω q₁), s: torque scale. q1, q2 (4,): orientations of the ends, modified in place.
    """
    rel, scale = scratch(4), e.coef[10]
    weld_ends(e, q1, q2)
    quat_mul(q2, q1, rel)
    for k in range(3):
        residual[3 + k] = scale * rel[1 + k]
    for c in range(nnz):
        rel[0] = 0.0
        for k in range(3):
            rel[1 + k] = jac[3 + k, c]
        quat_mul(q2, rel, rel)
        quat_mul(rel, q1, rel)
        for k in range(3):
            jac[3 + k, c] = 0.5 * scale * rel[1 + k]


@kernel
def weld_torque(m, pose, e, f):
    """f (3,): forces of the orientation rows of weld e, becomes their torque on its first body: ½ s vec(q₂ f q₁*)."""
    p, q1, q2, t = scratch(3), scratch(4), scratch(4), scratch(4)
    attachment(m, pose, e, 1, p, q1)
    attachment(m, pose, e, 2, p, q2)
    weld_ends(e, q1, q2)
    for k in range(1, 4):
        q1[k], q2[k] = -q1[k], -q2[k]
        t[k] = f[k - 1]
    t[0] = 0.0
    quat_mul(q2, t, t)
    quat_mul(t, q1, t)
    for k in range(3):
        f[k] = 0.5 * e.coef[10] * t[1 + k]


@kernel
def polynomial(a, x):
    """Value and derivative of a0 + a1 x + ... + a4 x^4 for a (5 or more,)."""
    value = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])))
    slope = a[1] + x * (2.0 * a[2] + x * (3.0 * a[3] + x * 4.0 * a[4]))
    return value, slope


@kernel
def coupling_row(m, forces, rows, eq, qpos):
    """Row of a joint or tendon coupling."""
    opt = m.options[0]
    e = m.equalities[eq]
    if e.type == JOINT:
        j1 = m.joints[e.obj1id]
        residual = qpos[j1.qposadr] - m.qpos0[j1.qposadr]
        diagA = m.dofs[j1.dofadr].invweight0
    else:
        residual = forces.tendons[e.obj1id].length - m.tendons[e.obj1id].length0
        diagA = m.tendons[e.obj1id].invweight0
    slope = 0.0
    if e.obj2id >= 0:
        if e.type == JOINT:
            j2 = m.joints[e.obj2id]
            x = qpos[j2.qposadr] - m.qpos0[j2.qposadr]
            diagA += m.dofs[j2.dofadr].invweight0
        else:
            x = forces.tendons[e.obj2id].length - m.tendons[e.obj2id].length0
            diagA += m.tendons[e.obj2id].invweight0
        value, slope = polynomial(e.coef, x)
        residual -= value
    else:
        residual -= e.coef[0]
    i = new_row(rows, EQUALITY, eq, residual, 0.0, 0.0, diagA)
    r = rows.rows[i]
    n = 0
    for c in range(len(m.dofs)):
        value = 0.0
        if e.type == JOINT:
            if c == m.joints[e.obj1id].dofadr:
                value += 1.0
            if e.obj2id >= 0 and c == m.joints[e.obj2id].dofadr:
                value -= slope
        else:
            value += forces.tendon_J[e.obj1id, c]
            if e.obj2id >= 0:
                value -= slope * forces.tendon_J[e.obj2id, c]
        if value != 0.0:
            rows.J[i, n] = value
            rows.J_colind[r.block, n] = c
            n += 1
    r.nnz = n
    if n == 0:
        drop_last(rows)
        return
    set_parameters(r, e.solref, e.solimp, residual, opt.timestep, opt.disableflags)


@kernel
def equality_rows(m, pose, forces, rows, qpos):
    """Rows of all active equality constraints."""
    for eq in range(len(m.equalities)):
        e = m.equalities[eq]
        if not e.active:
            continue
        if e.type == CONNECT or e.type == WELD:
            pose_rows(m, pose, rows, eq)
        else:
            coupling_row(m, forces, rows, eq, qpos)
    rows.counts[NE] = rows.counts[NEFC]
