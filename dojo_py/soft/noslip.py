"""noslip: dry friction and the friction of contacts once more, without regularisation, normal forces held.

Without R a contact's friction block may be singular (more directions than dofs). The sweeps are few and do not converge, so the
result is what they happen to do: thresholds, the stops of the inner iteration and the order of the rows are the wheel's.
Source: computation chapter, "Algorithms"; thresholds found from the wheel.
"""

import numpy as np

from dojo_py.arrays import clear_rows, scratch
from dojo_py.jit import kernel
from dojo_py.mechanism.enums import DisableBit
from dojo_py.soft.cost import multiply_J
from dojo_py.soft.dual import ELLIPTIC, PYRAMIDAL, delassus, finish, residual
from dojo_py.soft.qcqp import friction_of_singular
from dojo_py.soft.workspace import NE, NEFC, NF

DISABLE_ISLAND = int(DisableBit.ISLAND)
LEAST = 1e-15
"""Diagonals and normal forces below this are none."""
LEAST_DIAGONAL, WORSE = 1e-10, 1e-10
"""Least diagonal of a contact's block; an increase of the cost by which a new force is given up."""


@kernel
def cost_change(block, change, res, n):
    """Change of the dual cost by the change (n,) of forces with the residual res (n,); block (n, n)."""
    total = 0.0
    for a in range(n):
        s = res[a]
        for b in range(n):
            s += 0.5 * block[a, b] * change[b]
        total += change[a] * s
    return total


@kernel
def take_block(rows, sol, i, n, block, old, res):
    """block (n, n), forces old (n,) and residuals res (n,) of the rows from i on, without R."""
    for a in range(n):
        old[a] = sol.force[i + a]
        res[a] = residual(sol, rows, i + a, 0.0)
        for b in range(n):
            block[a, b] = sol.A[i + a, i + b]
        block[a, a] = max(LEAST_DIAGONAL, block[a, a])


@kernel
def settle(sol, i, n, block, old, res, new):
    """Set the forces from row i on to new (n,) unless the cost rises; returns by how much it falls."""
    for a in range(n):
        sol.force[i + a] = new[a]
        new[a] -= old[a]
    change = cost_change(block, new, res, n)
    if change > WORSE:
        for a in range(n):
            sol.force[i + a] = old[a]
        return 0.0
    return -change


@kernel
def dry_friction(rows, sol, i):
    """Best force of a row of dry friction; returns the decrease of the cost."""
    diagonal = max(LEAST, sol.A[i, i])
    res, limit = residual(sol, rows, i, 0.0), rows.rows[i].frictionloss
    change = min(max(sol.force[i] - res / diagonal, -limit), limit) - sol.force[i]
    sol.force[i] += change
    return -change * (res + 0.5 * diagonal * change)


@kernel
def opposing_edges(rows, sol, i, block, states):
    """Edges i, i + 1 of a pyramid: their difference is chosen best, their sum is held. Returns the decrease of the cost."""
    old, res, new = states[0], states[1], states[2]
    take_block(rows, sol, i, 2, block, old, res)
    middle, y = 0.5 * (old[0] + old[1]), 0.5 * (old[0] - old[1])
    curvature = block[0, 0] + block[1, 1] - block[0, 1] - block[1, 0]
    if curvature < LEAST:
        y = 0.0
    else:
        slope = res[0] - res[1]  # at the present y
        y = min(max(y - slope / curvature, -middle), middle)
    new[0], new[1] = middle + y, middle - y
    return settle(sol, i, 2, block, old, res, new)


@kernel
def contact_friction(m, rows, sol, i, block, work, states):
    """Friction of the elliptic contact at row i; returns the decrease of the cost."""
    con = rows.contacts[rows.rows[i].id]
    n = con.dim - 1
    old, res, new, b, mu = states[0], states[1], states[2], states[3], states[4]
    normal = sol.force[i]
    take_block(rows, sol, i + 1, n, block, old, res)
    for a in range(n):
        new[a] = 0.0
        mu[a] = m.pairs[con.pair].friction[a]
        b[a] = res[a]
        for c in range(n):
            b[a] -= block[a, c] * old[c]
    if normal >= LEAST and friction_of_singular(block, b, mu, normal, n, work, new):
        norm2 = 0.0
        for a in range(n):
            norm2 += (new[a] / mu[a]) ** 2
        scale = normal / np.sqrt(max(LEAST, norm2))
        for a in range(n):
            new[a] *= scale
    return settle(sol, i + 1, n, block, old, res, new)


@kernel
def find_islands(m, rows, label):
    """label (nbody,) = smallest root body of the trees that constraint rows connect with the tree of each root body."""
    for b in range(len(label)):
        label[b] = b
    changed = True
    while changed:
        changed = False
        for i in range(rows.counts[NEFC]):
            r = rows.rows[i]
            least = island(m, rows, i, label)
            for a in range(1, r.nnz):
                least = min(least, label[root(m, rows.J_colind[r.block, a])])
            for a in range(r.nnz):
                b = root(m, rows.J_colind[r.block, a])
                if label[b] != least:
                    label[b] = least
                    changed = True


@kernel
def root(m, dof):
    """Root body of the tree that the dof belongs to."""
    return m.bodies[m.dofs[dof].bodyid].rootid


@kernel
def island(m, rows, i, label):
    """Island of row i, which has a column; label (nbody,): of trees, by their roots."""
    return label[root(m, rows.J_colind[rows.rows[i].block, 0])]


@kernel
def noslip(m, pose, forces, rows, sol):
    """The sweeps, from the solver's forces; qacc and the joint forces follow. Returns their number.

    Every island of trees that constraints connect stops by itself, in the scale of its diagonal of M at qpos0, unless islands
    are switched off.
    """
    opt = m.options[0]
    n = rows.counts[NEFC]
    ne, nf = rows.counts[NE], rows.counts[NF]
    block, work, states = scratch((5, 5)), scratch((3, 5, 5)), scratch((5, 5))
    label, improvement, scale = sol.tree_island, sol.tree_gain[0], sol.tree_gain[1]
    clear_rows(sol.tree_gain)
    _scales(m, rows, label, scale)
    delassus(m, pose, rows, sol)
    multiply_J(rows, forces.qacc_smooth, sol.trial)
    for i in range(n):
        sol.trial[i] -= rows.rows[i].aref
    sweeps, going = 0, n > ne
    while going and sweeps < opt.noslip_iterations:
        for b in range(len(label)):
            improvement[b] = 0.0
        if sweeps == 0:  # the cost falls by the regularisation of the solver's forces, too
            for i in range(n):
                improvement[island(m, rows, i, label)] += 0.5 * sol.force[i] * sol.force[i] * rows.rows[i].R
        for i in range(n):
            here = island(m, rows, i, label)
            if scale[here] == 0.0:  # stopped
                continue
            improvement[here] += sweep_row(m, rows, sol, i, ne, nf, block, work, states)
        sweeps += 1
        going = False
        for b in range(len(label)):
            if improvement[b] < opt.noslip_tolerance * scale[b]:
                scale[b] = 0.0
            going = going or scale[b] > 0.0
    finish(m, pose, forces, rows, sol)
    return sweeps


@kernel
def _scales(m, rows, label, scale):
    """label (nbody,): island of each tree by its root body; scale (nbody,) += the diagonal of M at qpos0 of each island."""
    opt = m.options[0]
    islands = not opt.disableflags & DISABLE_ISLAND
    if islands:
        find_islands(m, rows, label)
    else:
        for b in range(len(label)):
            label[b] = 0
    for d in range(len(m.dofs)):
        scale[label[root(m, d)]] += m.dofs[d].M0 if islands else opt.meaninertia


@kernel
def sweep_row(m, rows, sol, i, ne, nf, block, work, states):
    """Row i, or the contact or pair of edges that begins there. Returns the decrease of the cost."""
    r = rows.rows[i]
    if i < ne:
        return 0.0
    if i < ne + nf:
        return dry_friction(rows, sol, i)
    if r.type == PYRAMIDAL and (i - rows.contacts[r.id].efc_address) % 2 == 0:
        return opposing_edges(rows, sol, i, block, states)
    if r.type == ELLIPTIC and i == rows.contacts[r.id].efc_address:
        return contact_friction(m, rows, sol, i, block, work, states)
    return 0.0
