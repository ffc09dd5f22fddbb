"""Projected Gauss–Seidel on the dual: min 1/2 f^T (A + R) f + f^T (J qacc_smooth - aref) over the admissible forces.

One scalar row at a time; an elliptic contact as a block: first along the ray through its present force, then its friction with
the normal force held. Source: computation chapter, "Algorithms".
"""

import numpy as np

from dojo_py.arrays import scratch
from dojo_py.jit import kernel
from dojo_py.soft.cost import add_JT, multiply_J, row_costs
from dojo_py.soft.inertia import solve_inertia
from dojo_py.soft.qcqp import friction_step
from dojo_py.soft.row_kinds import RowKind
from dojo_py.soft.workspace import NE, NEFC, NF

*_, PYRAMIDAL, ELLIPTIC = map(int, RowKind)


@kernel
def delassus(m, pose, rows, sol):
    """A (nefc, nefc) = J M^-1 J^T, and trial (nefc,) = J qacc_smooth - aref is left to the caller."""
    x = sol.vec[0]
    n = rows.counts[NEFC]
    for i in range(n):
        for k in range(len(x)):
            x[k] = 0.0
        r = rows.rows[i]
        for a in range(r.nnz):
            x[rows.J_colind[r.block, a]] = rows.J[i, a]
        solve_inertia(m.M_rowadr, m.M_colind, pose.LD, x)
        for j in range(n):
            s = 0.0
            q = rows.rows[j]
            for a in range(q.nnz):
                s += rows.J[j, a] * x[rows.J_colind[q.block, a]]
            sol.A[i, j] = s


@kernel
def residual(sol, rows, i, regularised):
    """(A f + b)_i, with R f added if regularised (0 or 1)."""
    s = sol.trial[i] + regularised * rows.rows[i].R * sol.force[i]
    A = sol.A
    f = sol.force
    for j in range(rows.counts[NEFC]):
        s += A[i, j] * f[j]
    return s


@kernel
def scalar_step(rows, sol, i, low, high):
    """Best value of force i in [low, high]; returns the decrease of the dual cost."""
    diagonal = sol.A[i, i] + rows.rows[i].R
    res = residual(sol, rows, i, 1.0)
    new = min(max(sol.force[i] - res / diagonal, low), high)
    change = new - sol.force[i]
    sol.force[i] = new
    return -(res * change + 0.5 * diagonal * change * change)


@kernel
def along_ray(rows, sol, i, dim, res):
    """(res · f, f · (A + R) f) of the contact's force f (dim,): slope and curvature of the dual cost along it."""
    f = sol.force
    top = 0.0
    bottom = 0.0
    for a in range(dim):
        top += res[a] * f[i + a]
        s = rows.rows[i + a].R * f[i + a]
        for b in range(dim):
            s += sol.A[i + a, i + b] * f[i + b]
        bottom += f[i + a] * s
    return top, bottom


@kernel
def ray_step(rows, sol, i, dim, friction, res):
    """Scale the contact's force along the ray from the cone's tip; res (dim,) is the residual, friction (5,) the pair's.

    At the tip: along the normal if that descends, else along the edge of the cone that descends most. Without the edge the sweeps
    stop at the tip although the minimum is on the cone's side.
    """
    f = sol.force
    if f[i] < 1e-15:
        norm = 0.0
        for j in range(1, dim):
            norm += (friction[j - 1] * res[j]) ** 2
        norm = np.sqrt(norm)
        if res[0] >= norm:
            for j in range(dim):
                f[i + j] = 0.0
            return
        f[i] = 1.0
        for j in range(1, dim):
            f[i + j] = -(friction[j - 1] ** 2) * res[j] / norm if res[0] >= 0.0 else 0.0
        top, bottom = along_ray(rows, sol, i, dim, res)
        for a in range(dim):
            f[i + a] *= -top / bottom
        return
    top, bottom = along_ray(rows, sol, i, dim, res)
    x = max(-1.0, -top / max(1e-300, bottom))
    for a in range(dim):
        f[i + a] += x * f[i + a]


@kernel
def friction_block(m, rows, sol, i, block, work):
    """Friction forces of the elliptic contact at row i, its normal force held; block (8, 6), work (3, 5, 5) scratch."""
    con = rows.contacts[rows.rows[i].id]
    n = con.dim - 1
    f = sol.force
    if f[i] < 1e-15:
        for j in range(1, con.dim):
            f[i + j] = 0.0
        return
    b, mu, y = block[5], block[6], block[7]
    for a in range(n):
        mu[a] = m.pairs[con.pair].friction[a]
        b[a] = residual(sol, rows, i + 1 + a, 1.0)
        for c in range(n):
            block[a, c] = sol.A[i + 1 + a, i + 1 + c]
        block[a, a] += rows.rows[i + 1 + a].R
        for c in range(n):
            b[a] -= block[a, c] * f[i + 1 + c]
    friction_step(block, b, mu, f[i], n, work, y)
    for a in range(n):
        f[i + 1 + a] = y[a]


@kernel
def block_cost(rows, sol, i, dim, old, res):
    """Decrease of the dual cost from the contact's forces old (dim,) with residual res (dim,) to the present ones."""
    change = 0.0
    for a in range(dim):
        d = sol.force[i + a] - old[a]
        s = 0.5 * rows.rows[i + a].R * d
        for b in range(dim):
            s += 0.5 * sol.A[i + a, i + b] * (sol.force[i + b] - old[b])
        change += d * (res[a] + s)
    return -change


@kernel
def elliptic_step(m, rows, sol, i, block, work, states):
    """Ray, then friction, of the elliptic contact at row i; returns the decrease of the dual cost."""
    dim = rows.contacts[rows.rows[i].id].dim
    old, res = states[0], states[1]
    for a in range(dim):
        old[a] = sol.force[i + a]
        res[a] = residual(sol, rows, i + a, 1.0)
    ray_step(rows, sol, i, dim, m.pairs[rows.contacts[rows.rows[i].id].pair].friction, res)
    friction_block(m, rows, sol, i, block, work)
    gain = block_cost(rows, sol, i, dim, old, res)
    if gain < 0.0:
        for a in range(dim):
            sol.force[i + a] = old[a]
        return 0.0
    return gain


@kernel
def dual_start(m, pose, forces, rows, sol, warm):
    """Forces of the warm acceleration in sol.qacc if their dual cost is negative, else zero; trial = J qacc_smooth - aref."""
    n = rows.counts[NEFC]
    delassus(m, pose, rows, sol)
    if warm:
        multiply_J(rows, sol.qacc, sol.jar)
        for i in range(n):
            sol.jar[i] -= rows.rows[i].aref
        row_costs(m, rows, sol.jar, sol.force)
    else:
        for i in range(n):
            sol.force[i] = 0.0
    multiply_J(rows, forces.qacc_smooth, sol.trial)
    cost = 0.0
    for i in range(n):
        sol.trial[i] -= rows.rows[i].aref
    for i in range(n):
        cost += 0.5 * sol.force[i] * (residual(sol, rows, i, 1.0) + sol.trial[i])
    if cost > 0.0:
        for i in range(n):
            sol.force[i] = 0.0


@kernel
def finish(m, pose, forces, rows, sol):
    """qacc and J^T f from the forces."""
    nv = len(sol.qacc)
    for k in range(nv):
        forces.constraint[k] = 0.0
    add_JT(rows, sol.force, forces.constraint)
    x = sol.vec[0]
    for k in range(nv):
        x[k] = forces.constraint[k]
    solve_inertia(m.M_rowadr, m.M_colind, pose.LD, x)
    for k in range(nv):
        sol.qacc[k] = forces.qacc_smooth[k] + x[k]


@kernel
def projected_gauss_seidel(m, pose, forces, rows, sol, warm):
    """Solve for the constraint forces. Returns (iterations, scaled improvement of the last sweep)."""
    opt = m.options[0]
    n = rows.counts[NEFC]
    ne, nf = rows.counts[NE], rows.counts[NF]
    scale = 1.0 / (opt.meaninertia * max(1, len(sol.qacc)))
    block = scratch((8, 6))
    work = scratch((3, 5, 5))
    states = scratch((2, 6))
    dual_start(m, pose, forces, rows, sol, warm)
    improvement = 0.0
    sweeps = opt.iterations
    for sweep in range(opt.iterations):
        improvement = 0.0
        for i in range(n):
            r = rows.rows[i]
            if r.type == ELLIPTIC:
                if i == rows.contacts[r.id].efc_address:
                    improvement += elliptic_step(m, rows, sol, i, block, work, states)
                continue
            low, high = 0.0, np.inf
            if i < ne:
                low = -np.inf
            elif i < ne + nf:
                low, high = -r.frictionloss, r.frictionloss
            improvement += scalar_step(rows, sol, i, low, high)
        improvement *= scale
        if improvement < opt.tolerance:
            sweeps = sweep + 1
            break
    finish(m, pose, forces, rows, sol)
    return sweeps, improvement
