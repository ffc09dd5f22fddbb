"""Contact rows: the relative motion of two bodies at a contact, in the contact frame, for both kinds of friction cone.

Basis of the elliptic cone: normal, two tangents, spin, two rolling directions (the first `dim`). Pyramidal cone: normal ± mu_j
times direction j, two rows per friction direction. The diagonal of A is approximated by the bodies' inverse weights; friction
rows of an elliptic cone get R_j = R_normal / impratio * mu_1^2 / mu_j^2, all rows of a pyramid R = 2 mu^2 R_normal with
mu = mu_1 / sqrt(impratio).
Source: computation chapter, "Contact" and "Friction cones"; scaling of R found from the wheel.
"""

import numpy as np

from dojo_py.jit import kernel
from dojo_py.mechanism.enums import Cone
from dojo_py.soft.impedance import MIN_VALUE, has_mixed_signs, set_parameters, spring_damper
from dojo_py.soft.jacobian import relative_jacobian
from dojo_py.soft.row_kinds import RowKind
from dojo_py.soft.workspace import FULL, NBLOCK, NCON, NEFC

ELLIPTIC_CONES = int(Cone.ELLIPTIC)

*_, FRICTIONLESS, PYRAMIDAL, ELLIPTIC = map(int, RowKind)


@kernel
def project(jac, frame, n):
    """Jac (6, n) <- translation and rotation rows along the axes of the contact, the rows of frame (3, 3)."""
    for c in range(n):
        for h in (0, 3):
            x, y, z = jac[h, c], jac[h + 1, c], jac[h + 2, c]
            for k in range(3):
                jac[h + k, c] = frame[k, 0] * x + frame[k, 1] * y + frame[k, 2] * z


@kernel
def elliptic_rows(opt, con, pair, rows, jac, nnz, tran, rot):
    """`dim` rows of one contact; also of a frictionless one (dim 1)."""
    first = rows.counts[NEFC]
    given = pair.solreffriction
    has_friction_ref = (given[0] != 0.0 or given[1] != 0.0) and not has_mixed_signs(given)
    for k in range(con.dim):
        r = rows.rows[first + k]
        r.type = FRICTIONLESS if con.dim == 1 else ELLIPTIC
        r.id = con.efc_address
        r.nnz = nnz
        r.block = rows.counts[NBLOCK]
        r.frictionloss = 0.0
        r.pos = con.dist if k == 0 else 0.0
        r.margin = pair.margin if k == 0 else 0.0
        r.diagA = tran if k < 3 else rot
        for c in range(nnz):
            rows.J[first + k, c] = jac[k, c]
        if k == 0:
            set_parameters(r, pair.solref, pair.solimp, con.dist - pair.margin, opt.timestep, opt.disableflags)
        else:
            normal = rows.rows[first]
            ratio = pair.friction[0] / pair.friction[k - 1]
            r.R = normal.R / max(MIN_VALUE, opt.impratio) * ratio * ratio
            r.D = 1.0 / r.R
            r.impedance = normal.impedance
            r.diagA = r.R * r.impedance / (1.0 - r.impedance)
            r.damping = normal.damping
            if has_friction_ref:
                _, r.damping = spring_damper(pair.solreffriction, pair.solimp, opt.timestep, opt.disableflags)
            r.stiffness = 0.0
    if con.dim > 1:
        con.mu = pair.friction[0] * np.sqrt(rows.rows[first + 1].R / rows.rows[first].R)
    rows.counts[NEFC] += con.dim


@kernel
def pyramidal_rows(opt, con, pair, rows, jac, nnz, tran, rot):
    """2 (dim - 1) rows of one contact."""
    first = rows.counts[NEFC]
    n = 2 * (con.dim - 1)
    for k in range(n):
        j = k // 2 + 1
        mu = pair.friction[j - 1]
        sign = 1.0 - 2.0 * (k % 2)
        r = rows.rows[first + k]
        r.type = PYRAMIDAL
        r.id = con.efc_address
        r.nnz = nnz
        r.block = rows.counts[NBLOCK]
        r.frictionloss = 0.0
        r.pos = con.dist
        r.margin = pair.margin
        r.diagA = tran + mu * mu * (tran if j < 3 else rot)
        for c in range(nnz):
            rows.J[first + k, c] = jac[0, c] + sign * mu * jac[j, c]
    edge = rows.rows[first]
    set_parameters(edge, pair.solref, pair.solimp, con.dist - pair.margin, opt.timestep, opt.disableflags)
    con.mu = pair.friction[0] / np.sqrt(max(MIN_VALUE, opt.impratio))
    R = 2.0 * con.mu * con.mu * edge.R
    for k in range(n):
        r = rows.rows[first + k]
        r.stiffness, r.damping, r.impedance = edge.stiffness, edge.damping, edge.impedance
        r.R = R
        r.D = 1.0 / R
        r.diagA = R * r.impedance / (1.0 - r.impedance)
    rows.counts[NEFC] += n


@kernel
def contact_rows(m, pose, rows):
    """Rows of every contact that is closer than its margin, or that sticks, in the order of the contacts."""
    opt = m.options[0]
    jac = rows.jac
    for i in range(rows.counts[NCON]):
        con = rows.contacts[i]
        pair = m.pairs[con.pair]
        con.efc_address = -1
        if con.dist >= pair.margin:
            if pair.adhesion == 0.0:
                continue
            con.dim = 1  # within the gap what is pulled is held without friction
        size = 1 if con.dim == 1 else con.dim if opt.cone == ELLIPTIC_CONES else 2 * (con.dim - 1)
        if rows.counts[NEFC] + size > len(rows.rows):
            rows.counts[FULL] = 1
            return
        b1, b2 = m.geoms[con.geom1].bodyid, m.geoms[con.geom2].bodyid
        mb1, mb2 = m.bodies[b1], m.bodies[b2]
        if mb1.lastdof == mb2.lastdof:  # welded together, or both to the world
            continue
        nnz = relative_jacobian(
            m.M_rowadr, m.M_colind, pose.cdof, mb1.lastdof, pose.bodies[b1].com, con.pos, mb2.lastdof, pose.bodies[b2].com,
            con.pos, jac, rows.J_colind, rows.counts[NBLOCK],
        )  # fmt: skip
        project(jac, con.frame, nnz)
        tran = mb1.invweight0[0] + mb2.invweight0[0]
        rot = mb1.invweight0[1] + mb2.invweight0[1]
        con.efc_address = rows.counts[NEFC]
        if con.dim == 1 or opt.cone == ELLIPTIC_CONES:
            elliptic_rows(opt, con, pair, rows, jac, nnz, tran, rot)
        else:
            pyramidal_rows(opt, con, pair, rows, jac, nnz, tran, rot)
        for k in range(size):
            rows.rows[con.efc_address + k].id = i
        rows.counts[NBLOCK] += 1
