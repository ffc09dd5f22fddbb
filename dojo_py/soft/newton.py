"""Newton's method on the primal cost: H = M + J^T s'' J, factorised once and then changed by rank-one updates, or by CHOLMOD.

Source: computation chapter, "Algorithms".
"""

import numpy as np

from dojo_py.jit import counted_kernel as kernel
from dojo_py.soft.cholesky import factorize_dense, rank_one, solve_dense
from dojo_py.soft.cost import CONE, QUADRATIC, multiply_J
from dojo_py.soft.inertia import multiply_M
from dojo_py.soft.line_search import line_search
from dojo_py.soft.primal import duality_gap, start, update
from dojo_py.soft.sparse_hessian import factorize_sparse, solve_sparse
from dojo_py.soft.workspace import NEFC


@kernel
def add_inertia(rowadr, colind, M, H):
    """H (nv, nv), lower triangle = M."""
    n = len(H)
    for i in range(n):
        for j in range(i + 1):
            H[i, j] = 0.0
        for a in range(rowadr[i], rowadr[i + 1]):
            H[i, colind[a]] = M[a]


@kernel
def add_cone(rows, i, H):
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
                    H[col[a], col[b]] += s * rows.J[i + q, b]


@kernel
def build(m, pose, rows, sol, active):
    """Factor of the Hessian at the present states; active[i] remembers which rows are in it: 1 quadratic, 2 cone, else 0."""
    H = sol.H
    if m.options[0].sparse:
        return factorize_sparse(m, pose, rows)
    add_inertia(m.M_rowadr, m.M_colind, pose.M, H)
    for i in range(rows.counts[NEFC]):
        r = rows.rows[i]
        active[i] = 0.0
        if r.state == CONE:
            active[i] = 2.0
            if i == rows.contacts[r.id].efc_address:
                add_cone(rows, i, H)
        elif r.state == QUADRATIC:
            active[i] = 1.0
            for a in range(r.nnz):
                s = r.D * rows.J[i, a]
                ca = rows.J_colind[r.block, a]
                for b in range(a + 1):
                    H[ca, rows.J_colind[r.block, b]] += s * rows.J[i, b]
    return factorize_dense(H)


@kernel
def refresh(m, pose, rows, sol, active):
    """Bring the factor up to date: rank-one changes where few rows switched and no cone is involved, else from scratch."""
    if m.options[0].sparse:
        return factorize_sparse(m, pose, rows)
    n = rows.counts[NEFC]
    changed = 0
    for i in range(n):
        s = rows.rows[i].state
        if s == CONE or active[i] == 2.0:
            return build(m, pose, rows, sol, active)
        changed += (s == QUADRATIC) != (active[i] > 0.0)
    if 3 * changed > len(sol.H):
        return build(m, pose, rows, sol, active)
    x = sol.vec[0]
    for i in range(n):
        r = rows.rows[i]
        now = r.state == QUADRATIC
        if now == (active[i] > 0.0):
            continue
        for k in range(len(x)):
            x[k] = 0.0
        root = np.sqrt(r.D)
        for a in range(r.nnz):
            x[rows.J_colind[r.block, a]] = root * rows.J[i, a]
        if not rank_one(sol.H, x, 1.0 if now else -1.0):
            return build(m, pose, rows, sol, active)
        active[i] = 1.0 if now else 0.0
    return True


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
    gradient = scale * np.sqrt(np.dot(sol.grad, sol.grad))
    if scale * duality_gap(m, pose, sol) < opt.tolerance:
        return 0, gradient
    active = sol.active
    ok = build(m, pose, rows, sol, active)
    for iteration in range(opt.iterations):
        if not ok:
            return -1, gradient
        if opt.sparse:
            solve_sparse(sol.grad, sol.search)
        else:
            solve_dense(sol.H, sol.grad, sol.search)
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
        gradient = scale * np.sqrt(np.dot(sol.grad, sol.grad))
        # the improvement from the slope: a difference of costs drowns in a constant term when a row has no dofs
        if gradient < opt.tolerance or 0.5 * scale * alpha * decrement < opt.tolerance:
            return iteration + 1, gradient
        ok = refresh(m, pose, rows, sol, active)
    return opt.iterations, gradient
