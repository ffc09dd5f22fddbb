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

ROUND_OFF = 1e-12
"""Improvement of the scaled cost that differences of costs may not show."""
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
def rows_alike(rows, i):
    """How many rows from i on have its columns: 1 to 4, as many as `add_alike` takes at a time."""
    n, block = 1, rows.rows[i].block
    while n < 4 and i + n < rows.counts[NEFC] and rows.rows[i + n].block == block:
        n += 1
    return n


@kernel
def quadratic_weight(rows, i, k, n):
    """s'' of row i + k, zero beyond n rows and where the penalty is not quadratic."""
    return rows.rows[i + k].D if k < n and rows.rows[i + k].state == QUADRATIC else 0.0


@kernel
def add_alike(rows, i, n, place, active, H):
    """H += J^T s'' J of rows i to i + n - 1, which have the same columns; active[i] as in `build`."""
    quadratic = False
    for k in range(n):
        r = rows.rows[i + k]
        active[i + k] = 2.0 if r.state == CONE else 1.0 if r.state == QUADRATIC else 0.0
        quadratic = quadratic or r.state == QUADRATIC
        if r.state == CONE and i + k == rows.contacts[r.id].efc_address:
            add_cone(rows, i + k, place, H)
    if not quadratic:
        return
    J, col, last = rows.J, rows.J_colind[rows.rows[i].block], n - 1
    i1, i2, i3 = i + min(1, last), i + min(2, last), i + last
    d0, d1 = quadratic_weight(rows, i, 0, n), quadratic_weight(rows, i, 1, n)
    d2, d3 = quadratic_weight(rows, i, 2, n), quadratic_weight(rows, i, 3, n)
    for a in range(rows.rows[i].nnz):
        s0, s1, s2, s3 = d0 * J[i, a], d1 * J[i1, a], d2 * J[i2, a], d3 * J[i3, a]
        ca = place[col[a]]
        for b in range(a + 1):
            H[ca, place[col[b]]] += (s0 * J[i, b] + s1 * J[i1, b]) + (s2 * J[i2, b] + s3 * J[i3, b])


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
    i = 0
    while i < rows.counts[NEFC]:
        n = rows_alike(rows, i)
        k = island_of(rows, sol, i)
        if k >= 0 and sol.mark[k] == REBUILD:
            add_alike(rows, i, n, sol.place, active, block(sol, k))
        i += n
    for k in range(sol.islands[0]):
        if sol.mark[k] == REBUILD and not factorize_dense(block(sol, k), sol.begin[sol.first[k] : sol.first[k + 1]]):
            return False
    return True


@kernel
def refresh(m, pose, rows, sol, active):
    """Bring the factor up to date: rank-one changes of islands where few rows switched and no cone is involved, others anew."""
    if m.options[0].sparse:
        return factorize_sparse(m, pose, rows, sol)
    _mark_switched(rows, sol, active)
    _change_ranks(rows, sol, active)
    return build_marked(m, pose, rows, sol, active)


@kernel
def _mark_switched(rows, sol, active):
    """sol.mark: rows of each island that switched, or REBUILD where they are many or cones are among them."""
    for k in range(sol.islands[0]):
        sol.mark[k] = 0
    for i in range(rows.counts[NEFC]):
        s, k = rows.rows[i].state, island_of(rows, sol, i)
        if k < 0 or sol.mark[k] == REBUILD:
            continue
        if s == CONE or active[i] == 2.0:
            sol.mark[k] = REBUILD
        elif (s == QUADRATIC) != (active[i] > 0.0):
            sol.mark[k] += 1
            if 3 * sol.mark[k] > sol.first[k + 1] - sol.first[k]:
                sol.mark[k] = REBUILD


@kernel
def _change_ranks(rows, sol, active):
    """Rank-one changes of the factors by rows that switched; an island whose factor does not bear one is marked REBUILD."""
    for i in range(rows.counts[NEFC]):
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
        if not rank_one(block(sol, k), sol.begin[sol.first[k] : sol.first[k + 1]], x, 1.0 if now else -1.0):
            sol.mark[k] = REBUILD


@kernel
def solve_blocks(sol, b, x):
    """x (nv,) = H^-1 b with the factors of all islands; b (nv,)."""
    for k in range(sol.islands[0]):
        first, n = sol.first[k], sol.first[k + 1] - sol.first[k]
        right, found = sol.vec[0, :n], sol.vec[1, :n]
        for i in range(n):
            right[i] = b[sol.member[first + i]]
        solve_dense(block(sol, k), sol.begin[first : first + n], right, found)
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
def given_up(opt, iteration, improvement):
    """Iterations to report where no step along the search direction was found: all there are where the cost could fall by more than
    the tolerance (and round-off), so that the step is not taken for solved.
    """
    return opt.iterations if improvement > max(opt.tolerance, ROUND_OFF) else iteration


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
            return given_up(opt, iteration, 0.5 * scale * decrement), gradient
        update(m, forces, rows, sol)
        gradient = scale * np.sqrt(inner(sol.grad, sol.grad))
        # the improvement from the slope: a difference of costs drowns in a constant term when a row has no dofs
        if gradient < opt.tolerance or 0.5 * scale * alpha * decrement < opt.tolerance:
            return iteration + 1, gradient
        ok = refresh(m, pose, rows, sol, active)
    return opt.iterations, gradient
