"""Newton's method on the primal cost: H = M + J^T s'' J, factorised island by island and then changed by rank-one updates where few
rows switch; or by CHOLMOD.

Source: computation chapter, "Algorithms".
"""

import numpy as np

from dojo_py.arrays import inner
from dojo_py.jit import kernel
from dojo_py.soft.cholesky import factorize_dense, rank_one, solve_dense
from dojo_py.soft.cost import CONE, QUADRATIC, multiply_J
from dojo_py.soft.dof_islands import block, find_islands
from dojo_py.soft.inertia import multiply_M
from dojo_py.soft.line_search import line_search
from dojo_py.soft.primal import duality_gap, start, update
from dojo_py.soft.sparse_hessian import factorize_sparse, solve_sparse
from dojo_py.soft.workspace import NEFC

REBUILD = -1
"""Mark of an island whose factor is made from scratch; others: how many of its rows switched."""


@kernel
def add_inertia(m, pose, sol, k, H):
    """H (n, n) of island k, lower triangle = M."""
    first = sol.first[k]
    for i in range(len(H)):
        dof = sol.member[first + i]
        for j in range(i + 1):
            H[i, j] = 0.0
        for a in range(m.M_rowadr[dof], m.M_rowadr[dof + 1]):
            H[i, sol.place[m.M_colind[a]]] = pose.M[a]


@kernel
def add_cone(rows, i, place, H):
    """H += J_c^T H_c J_c for the elliptic contact in its middle zone whose first row is i."""
    con = rows.contacts[rows.rows[i].id]
    col = rows.J_colind[rows.rows[i].block]
    n = rows.rows[i].nnz
    for p in range(con.dim):
        for q in range(con.dim):
            h = con.H[p, q]
            for a in range(n):
                s = h * rows.J[i + p, a]
                for b in range(a + 1):
                    H[place[col[a]], place[col[b]]] += s * rows.J[i + q, b]


@kernel
def island_of(rows, sol, i):
    """Island of row i, -1 where it moves nothing."""
    r = rows.rows[i]
    return sol.island[rows.J_colind[r.block, 0]] if r.nnz > 0 else -1


@kernel
def build(m, pose, rows, sol, active):
    """Factor of the Hessian at the present states; active[i] remembers which rows are in it: 1 quadratic, 2 cone, else 0."""
    if m.options[0].sparse:
        return factorize_sparse(m, pose, rows, sol)
    for k in range(sol.islands[0]):
        sol.mark[k] = REBUILD
    return build_marked(m, pose, rows, sol, active)


@kernel
def build_marked(m, pose, rows, sol, active):
    """`build` of the islands that are marked."""
    for k in range(sol.islands[0]):
        if sol.mark[k] == REBUILD:
            add_inertia(m, pose, sol, k, block(sol, k))
    for i in range(rows.counts[NEFC]):
        r = rows.rows[i]
        k = island_of(rows, sol, i)
        if k < 0 or sol.mark[k] != REBUILD:
            continue
        active[i] = 0.0
        if r.state == CONE:
            active[i] = 2.0
            if i == rows.contacts[r.id].efc_address:
                add_cone(rows, i, sol.place, block(sol, k))
        elif r.state == QUADRATIC:
            active[i] = 1.0
            H = block(sol, k)
            for a in range(r.nnz):
                s = r.D * rows.J[i, a]
                ca = sol.place[rows.J_colind[r.block, a]]
                for b in range(a + 1):
                    H[ca, sol.place[rows.J_colind[r.block, b]]] += s * rows.J[i, b]
    for k in range(sol.islands[0]):
        if sol.mark[k] == REBUILD and not factorize_dense(block(sol, k)):
            return False
    return True


@kernel
def refresh(m, pose, rows, sol, active):
    """Bring the factor up to date: rank-one changes of islands where few rows switched and no cone is involved, others anew."""
    if m.options[0].sparse:
        return factorize_sparse(m, pose, rows, sol)
    n = rows.counts[NEFC]
    for k in range(sol.islands[0]):
        sol.mark[k] = 0
    for i in range(n):
        s, k = rows.rows[i].state, island_of(rows, sol, i)
        if k < 0 or sol.mark[k] == REBUILD:
            continue
        if s == CONE or active[i] == 2.0:
            sol.mark[k] = REBUILD
        elif (s == QUADRATIC) != (active[i] > 0.0):
            sol.mark[k] += 1
            if 3 * sol.mark[k] > sol.first[k + 1] - sol.first[k]:
                sol.mark[k] = REBUILD
    for i in range(n):
        r, k = rows.rows[i], island_of(rows, sol, i)
        now = r.state == QUADRATIC
        if k < 0 or sol.mark[k] == REBUILD or now == (active[i] > 0.0):
            continue
        x = sol.vec[0, : sol.first[k + 1] - sol.first[k]]
        for j in range(len(x)):
            x[j] = 0.0
        root = np.sqrt(r.D)
        for a in range(r.nnz):
            x[sol.place[rows.J_colind[r.block, a]]] = root * rows.J[i, a]
        active[i] = 1.0 if now else 0.0
        if not rank_one(block(sol, k), x, 1.0 if now else -1.0):
            sol.mark[k] = REBUILD
    return build_marked(m, pose, rows, sol, active)


@kernel
def solve_blocks(sol, b, x):
    """x (nv,) = H^-1 b with the factors of all islands."""
    for k in range(sol.islands[0]):
        first, n = sol.first[k], sol.first[k + 1] - sol.first[k]
        right, found = sol.vec[0, :n], sol.vec[1, :n]
        for i in range(n):
            right[i] = b[sol.member[first + i]]
        solve_dense(block(sol, k), right, found)
        for i in range(n):
            x[sol.member[first + i]] = found[i]


@kernel
def move(m, pose, rows, sol, forces, scale):
    """Line search along sol.search and the step; returns alpha."""
    opt = m.options[0]
    multiply_M(m.M_rowadr, m.M_colind, pose.M, sol.search, sol.Mv)
    multiply_J(rows, sol.search, sol.jv)
    g0 = 0.0
    g1 = 0.0
    norm = 0.0
    for k in range(len(sol.search)):
        g0 += sol.search[k] * (sol.Ma[k] - forces.smooth[k])
        g1 += sol.search[k] * sol.Mv[k]
        norm += sol.search[k] * sol.search[k]
    tolerance = opt.tolerance * opt.ls_tolerance * np.sqrt(norm) / scale
    alpha = line_search(m, rows, sol.jar, sol.jv, g0, g1, tolerance, opt.ls_iterations)
    for k in range(len(sol.search)):
        sol.qacc[k] += alpha * sol.search[k]
        sol.Ma[k] += alpha * sol.Mv[k]
    for i in range(rows.counts[NEFC]):
        sol.jar[i] += alpha * sol.jv[i]
    return alpha


@kernel
def newton(m, pose, forces, rows, sol, warm):
    """Solve for sol.qacc and forces.constraint. Returns (iterations, scaled gradient norm); -1 iterations: singular."""
    opt = m.options[0]
    nv = len(sol.qacc)
    scale = 1.0 / (opt.meaninertia * max(1, nv))
    start(m, pose, forces, rows, sol, warm)
    gradient = scale * np.sqrt(inner(sol.grad, sol.grad))
    if scale * duality_gap(m, pose, sol) < opt.tolerance:
        return 0, gradient
    active = sol.active
    if not opt.sparse:
        find_islands(m, rows, sol)
    ok = build(m, pose, rows, sol, active)
    for iteration in range(opt.iterations):
        if not ok:
            return -1, gradient
        if opt.sparse:
            solve_sparse(m, pose, rows, sol)
        else:
            solve_blocks(sol, sol.grad, sol.search)
        decrement = 0.0
        for k in range(nv):
            decrement += sol.search[k] * sol.grad[k]
            sol.search[k] = -sol.search[k]
        if 0.5 * scale * decrement < opt.tolerance * 1e-2 and gradient < opt.tolerance:
            return iteration, gradient
        alpha = move(m, pose, rows, sol, forces, scale)
        if alpha == 0.0:
            return iteration, gradient
        update(m, forces, rows, sol)
        gradient = scale * np.sqrt(inner(sol.grad, sol.grad))
        # the improvement from the slope: a difference of costs drowns in a constant term when a row has no dofs
        if gradient < opt.tolerance or 0.5 * scale * alpha * decrement < opt.tolerance:
            return iteration + 1, gradient
        ok = refresh(m, pose, rows, sol, active)
    return opt.iterations, gradient
