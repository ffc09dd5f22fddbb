"""Rows of dry friction and of limits, for joints and tendons.

Friction loss has no residual: a velocity row with |force| <= frictionloss. A limit's residual is the distance to the bound,
positive inside; its row exists while the residual is below the margin.
Source: computation chapter, "Friction loss" and "Limit".
"""

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.impedance import set_parameters
from dojo_py.soft.kinematics import BALL, FREE
from dojo_py.soft.row_kinds import RowKind
from dojo_py.soft.spatial import normalize_quaternion, quaternion_to_rotation_vector
from dojo_py.soft.workspace import NBLOCK, NEFC

_, FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT, LIMIT_TENDON, *_contacts = map(int, RowKind)


@kernel
def new_row(rows, kind, index, pos, margin, frictionloss, diagA):
    """Append a row with a column block of its own; returns its index."""
    i = rows.counts[NEFC]
    r = rows.rows[i]
    r.type = kind
    r.id = index
    r.pos = pos
    r.margin = margin
    r.frictionloss = frictionloss
    r.diagA = diagA
    r.nnz = 0
    r.block = rows.counts[NBLOCK]
    rows.counts[NEFC] += 1
    rows.counts[NBLOCK] += 1
    return i


@kernel
def drop_last(rows):
    """Take the last row back, which has a column block of its own."""
    rows.counts[NEFC] -= 1
    rows.counts[NBLOCK] -= 1


@kernel
def set_columns(rows, i, J, t, scale):
    """Row i, the last one, gets the nonzeros of scale * J[t] (ntendon, nv). Returns whether it has some; else it is dropped."""
    r = rows.rows[i]
    n = 0
    for c in range(J.shape[1]):
        if J[t, c] != 0.0:
            rows.J[i, n] = scale * J[t, c]
            rows.J_colind[r.block, n] = c
            n += 1
    r.nnz = n
    if n == 0:  # (what nothing moves has no row)
        drop_last(rows)
    return n > 0


@kernel
def friction_rows(m, tendon_J, rows):
    """One row per dof and per tendon with frictionloss."""
    opt = m.options[0]
    for d in range(len(m.dofs)):
        dof = m.dofs[d]
        if dof.frictionloss > 0.0:
            i = new_row(rows, FRICTION_DOF, d, 0.0, 0.0, dof.frictionloss, dof.invweight0)
            rows.J[i, 0] = 1.0
            rows.J_colind[rows.rows[i].block, 0] = d
            rows.rows[i].nnz = 1
            set_parameters(rows.rows[i], dof.solref, dof.solimp, 0.0, opt.timestep, opt.disableflags)
            rows.rows[i].stiffness = 0.0
    for t in range(len(m.tendons)):
        tendon = m.tendons[t]
        if tendon.frictionloss > 0.0:
            i = new_row(rows, FRICTION_TENDON, t, 0.0, 0.0, tendon.frictionloss, tendon.invweight0)
            if set_columns(rows, i, tendon_J, t, 1.0):
                set_parameters(rows.rows[i], tendon.solref_fri, tendon.solimp_fri, 0.0, opt.timestep, opt.disableflags)
                rows.rows[i].stiffness = 0.0


@kernel
def joint_limit_rows(m, rows, qpos):
    """Rows of hinge, slide and ball limits that are closer than the joint's margin."""
    opt = m.options[0]
    q = scratch(4)
    for n in range(len(m.joints)):
        j = m.joints[n]
        if not j.limited or j.type == FREE:
            continue
        a = j.dofadr
        if j.type == BALL:
            for k in range(4):
                q[k] = qpos[j.qposadr + k]
            normalize_quaternion(q)
            x, y, z = quaternion_to_rotation_vector(q[0], q[1], q[2], q[3])
            angle = np.sqrt(x * x + y * y + z * z)
            dist = max(j.range[0], j.range[1]) - angle
            if dist < j.margin:
                i = new_row(rows, LIMIT_JOINT, n, dist, j.margin, 0.0, m.dofs[a].invweight0)
                r = rows.rows[i]
                scale = -1.0 / angle if angle > 1e-15 else 0.0
                rows.J[i, 0] = scale * x if angle > 1e-15 else -1.0  # without a rotation its axis is x
                rows.J[i, 1] = scale * y
                rows.J[i, 2] = scale * z
                for k in range(3):
                    rows.J_colind[r.block, k] = a + k
                r.nnz = 3
                set_parameters(r, j.solref, j.solimp, dist - j.margin, opt.timestep, opt.disableflags)
            continue
        for side in range(2):
            sign = 2.0 * side - 1.0
            dist = sign * (j.range[side] - qpos[j.qposadr])
            if dist < j.margin:
                i = new_row(rows, LIMIT_JOINT, n, dist, j.margin, 0.0, m.dofs[a].invweight0)
                r = rows.rows[i]
                rows.J[i, 0] = -sign
                rows.J_colind[r.block, 0] = a
                r.nnz = 1
                set_parameters(r, j.solref, j.solimp, dist - j.margin, opt.timestep, opt.disableflags)


@kernel
def tendon_limit_rows(m, tendons, tendon_J, rows):
    """Rows of tendon limits that are closer than the tendon's margin."""
    opt = m.options[0]
    for t in range(len(m.tendons)):
        tendon = m.tendons[t]
        if not tendon.limited:
            continue
        for side in range(2):
            sign = 2.0 * side - 1.0
            dist = sign * (tendon.range[side] - tendons[t].length)
            if dist < tendon.margin:
                i = new_row(rows, LIMIT_TENDON, t, dist, tendon.margin, 0.0, tendon.invweight0)
                if set_columns(rows, i, tendon_J, t, -sign):
                    r, beyond = rows.rows[i], dist - tendon.margin
                    set_parameters(r, tendon.solref_lim, tendon.solimp_lim, beyond, opt.timestep, opt.disableflags)
