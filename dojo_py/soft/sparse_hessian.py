"""The Newton Hessian M + J^T s'' J as a list of entries, factored by CHOLMOD instead of densely.

Compiled apart, for models that ask for it: the list is allocated, and Python is called.
"""

import numpy as np
from numba import objmode

from dojo_py.by_address import Apart, call_apart
from dojo_py.jit import counted_kernel, kernel
from dojo_py.soft import cholmod
from dojo_py.soft.cost import CONE, QUADRATIC
from dojo_py.soft.workspace import NEFC

NUMBER = 2
"""Of what is called by address (hard/compiled_apart.py has 0 and 1)."""
FACTORIZE, SOLVE = 0, 1


@counted_kernel
def entries(rows):
    """How many entries the constraint rows add."""
    n = 0
    for i in range(rows.counts[NEFC]):
        r = rows.rows[i]
        if r.state == QUADRATIC or (r.state == CONE and i == rows.contacts[r.id].efc_address):
            n += r.nnz * (r.nnz + 1) // 2
    return n


@counted_kernel
def cone_entry(con, rows, i, a, b):
    """Entry (a, b) of J_c^T H_c J_c for the contact whose first row is i."""
    s = 0.0
    for p in range(con.dim):
        for q in range(con.dim):
            s += rows.J[i + p, a] * con.H[p, q] * rows.J[i + q, b]
    return s


@counted_kernel
def factorize(m, pose, rows):
    """Factor of the Hessian at the rows' present states, kept by `cholmod`; False if it is not positive definite."""
    nv = len(m.dofs)
    size = len(m.M_colind) + entries(rows)
    I, J, V = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    n = 0
    for i in range(nv):
        for a in range(m.M_rowadr[i], m.M_rowadr[i + 1]):
            I[n], J[n], V[n] = i, m.M_colind[a], pose.M[a]
            n += 1
    for i in range(rows.counts[NEFC]):
        r = rows.rows[i]
        if not (r.state == QUADRATIC or (r.state == CONE and i == rows.contacts[r.id].efc_address)):
            continue
        for a in range(r.nnz):
            for b in range(a + 1):
                I[n], J[n] = rows.J_colind[r.block, a], rows.J_colind[r.block, b]
                if r.state == QUADRATIC:
                    V[n] = r.D * rows.J[i, a] * rows.J[i, b]
                else:
                    V[n] = cone_entry(rows.contacts[r.id], rows, i, a, b)
                n += 1
    with objmode(ok="boolean"):
        ok = cholmod.factorize(nv, I, J, V)
    return ok


@counted_kernel
def solve(b, x):
    """x (n,) = H^-1 b for the Hessian factored last."""
    with objmode(y="float64[::1]"):
        y = cholmod.solve(b)
    for k in range(len(x)):
        x[k] = y[k]


def by_cholmod(task, m, pose, rows, b, x):
    """Factor the Hessian, 1 if it is positive definite; or x (n,) = H^-1 b for the one factored last."""
    if task == FACTORIZE:
        return 1.0 if factorize(m, pose, rows) else 0.0
    solve(b, x)
    return 1.0


BY_CHOLMOD = Apart(NUMBER, by_cholmod, "sparse Newton steps", counted=True)


@kernel
def factorize_sparse(m, pose, rows, sol):
    """Factor of the Hessian at the rows' present states, kept by `cholmod`; False if it is not positive definite."""
    return call_apart(sol.apart, NUMBER, (FACTORIZE, m, pose, rows, sol.grad, sol.search)) > 0.0


@kernel
def solve_sparse(m, pose, rows, sol):
    """sol.search = H^-1 sol.grad with the Hessian factored last."""
    call_apart(sol.apart, NUMBER, (SOLVE, m, pose, rows, sol.grad, sol.search))
