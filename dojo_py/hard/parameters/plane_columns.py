"""Columns of planes: their contacts' rows and impulse directions by differences of their own kernel, impulses and poses held.

    δrows = rows(P + δP) - rows(P),     δ impulse on the body = δBᵀ f

less, where an overlap may stay, the change of the gap where the step starts (contact_columns.py).
"""

from dojo_py.arrays import scratch
from dojo_py.hard.contact_rows import evaluate_contact, plane_gap
from dojo_py.hard.parameters.adjoint import pull, pull_one
from dojo_py.hard.parameters.moves import move, move_back
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def plane_column(L, P, Q, W, D, moved, k, h, out):
    """out (nv,) += column of datum k, which moves planes."""
    for c in range(W.n_active[1]):
        _contact(L, P, Q, W, D, moved, k, c, h, out)


@kernel
def _contact(L, P, Q, W, D, moved, k, c, h, out):
    """Contact c. Its rows in W are changed meanwhile and restored at the end."""
    i, rows = W.active[c], ROWS[W.claw[c]]
    impulse, y, x = scratch(MOST_ROWS), scratch(MOST_ROWS), scratch(6)
    impulse_of(W.claw[c], W.con[c], impulse)
    y[:] = 0.0
    x[:] = 0.0
    for side in range(2):
        factor = move(moved, k, side)
        evaluate_contact(L, moved.P, Q, W, c, impulse, h)
        for r in range(rows):
            y[r] += factor * W.cval[c, r]
            for m in range(6):
                x[m] += factor * W.cB[c, 0, r, m] * impulse[r]
        if W.contact_allowance[c] > 0.0:
            y[0] -= factor * plane_gap(moved.P, i, W.x, W.R)
    move_back(moved, k)
    evaluate_contact(L, P, Q, W, c, impulse, h)
    for r in range(rows):
        pull_one(D.motion[c, r], y[r], out)
    pull(D.y[L.place_body[P.body[i]]], x, out)
