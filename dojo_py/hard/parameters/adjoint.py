"""Derivatives of the next rates by all right-hand sides of a step at once, so that a column needs no solve of its own.

    A δw = x,   δq̇₊ = C δw + e     →     δq̇₊ = Yᵀ x + e,   Aᵀ Y = Cᵀ            x: right-hand sides, e: direct effect

Y has one column a rate (nv), while there are hundreds of parameters whose x have a few entries each. Right-hand sides are minus
the change of the residuals with the unknowns held, or with unknowns that are displaced together with the poses (see the files
*_columns.py).

A contact's equations are eliminated, F = f - K y with its motion y = (gap, tangential velocity): right-hand side Bᵀ (δf - K δy).
"""

from dojo_py.algebra.rotations import rotation_vector
from dojo_py.arrays import scratch
from dojo_py.hard.gradients.implicit import solve_rows
from dojo_py.hard.gradients.rates import rates_transposed
from dojo_py.hard.terms import FREE
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import ROWS


@kernel
def pull(y, x, out):
    """out (nv or m,) += yᵀ x. y (6, m), m as in workspace.py, x (6,)."""
    x0, x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4], x[5]
    for i in range(out.shape[0]):
        out[i] += x0 * y[0, i] + x1 * y[1, i] + x2 * y[2, i] + x3 * y[3, i] + x4 * y[4, i] + x5 * y[5, i]


@kernel
def pull_three(y, x, out):
    """out (nv,) += yᵀ x. y (3, m), x (3,)."""
    x0, x1, x2 = x[0], x[1], x[2]
    for i in range(out.shape[0]):
        out[i] += x0 * y[0, i] + x1 * y[1, i] + x2 * y[2, i]


@kernel
def pull_one(y, x, out):
    """out (nv,) += x y. y (m,), x a number."""
    for i in range(out.shape[0]):
        out[i] += x * y[i]


@kernel
def solve_adjoint(L, W, D, h):
    """Set D.y and, from it, D.slot, D.impulse and D.motion of the contacts, on the factorisation of the step."""
    rates_transposed(L, W, D.each, h, D.y)
    solve_rows(L, W, D.y, D.again)
    for i in range(D.slot.shape[0]):
        D.slot[i] = -1
    for c in range(W.n_active[0]):
        D.slot[W.active[c]] = c
        _contact_adjoint(L, W, D, c)


@kernel
def _contact_adjoint(L, W, D, c):
    """D.impulse and D.motion of active contact c."""
    K, F, M, rows = W.cK[c], D.impulse[c], D.motion[c], ROWS[W.claw[c]]
    F[:, :] = 0.0
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            for r in range(rows):
                pull(D.y[L.place_body[b]], W.cB[c, side, r], F[r])
    M[:, :] = 0.0
    for r in range(rows):
        for k in range(rows):
            for i in range(F.shape[1]):
                M[k, i] -= K[r, k] * F[r, i]


@kernel
def subtract_rates(L, W, h, out):
    """out (nv,) -= next rates / h."""
    turn = scratch(3)
    for j in range(L.kind.shape[0]):
        n, k, first, b = L.node[j], L.ndof[j], L.vadr[j], L.child[j]
        if L.kind[j] == FREE:
            rotation_vector(W.p[b], turn)
            for i in range(3):
                moved = W.xn[b, i] - W.x[b, i]
                for r in range(3):
                    moved -= (W.Rn[b, i, r] - W.R[b, i, r]) * L.com[b, r]
                out[first + i] -= moved / (h * h)
                out[first + 3 + i] -= turn[i] / (h * h)
            continue
        for i in range(k):
            out[first + i] -= W.rows[n, 6 - k + i] / h
