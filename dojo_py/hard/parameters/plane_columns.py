"""Columns of planes. Those of candidates for contact with planes: rows and impulse directions by differences of their own kernel,
impulses and poses held.

    δrows = rows(P + δP) - rows(P),     δ impulse on the body = δBᵀ f

less, where an overlap may stay, the change of the gap where the step starts (contact_columns.py).

Those of pairs: the plane moves rigidly, as the body of the world would, by w = δc - ω × c and ω = ½ Σ_j a_j × δa_j about the
origin, c its centre, a_j its axes.
"""

from dojo_py.algebra.vectors import along, cross, dot, minus, row
from dojo_py.arrays import scratch
from dojo_py.hard.elements.contact_rows import evaluate_contact, plane_gap
from dojo_py.hard.parameters.adjoint import pull, pull_one
from dojo_py.hard.parameters.flat import AXES, CENTRE
from dojo_py.hard.parameters.moves import move, move_back
from dojo_py.hard.parameters.pair_columns import world_column
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def plane_column(L, P, Q, W, D, moved, k, h, out):
    """out (nv,) += column of datum k, which moves planes."""
    for c in range(W.n_active[1]):
        _contact(L, P, Q, W, D, moved, k, c, h, out)
    for c in range(W.n_active[1], W.n_active[0]):
        f = W.active[c] - P.body.shape[0]
        for side in range(2):
            shift, turn = _rigid_motion(Q, moved, k, W.fshape[f, side])
            if dot(shift, shift) + dot(turn, turn) > 0.0:
                world_column(L, P, Q, W, D, c, side, shift, turn, h, out)


@kernel
def _rigid_motion(Q, moved, k, g):
    """(w, ω) of geom g of the world by datum k."""
    shift, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for m in range(moved.start[k], moved.start[k + 1]):
        if moved.row[m] != g or (moved.column[m] != CENTRE and moved.column[m] != AXES):
            continue
        part, value = moved.part[m], moved.values[m]
        e = (1.0 * (part % 3 == 0), 1.0 * (part % 3 == 1), 1.0 * (part % 3 == 2))
        if moved.column[m] == CENTRE:
            shift = along(shift, value, e)
        else:  # entry (i, j) of the axes is of a_j along i
            i = part // 3
            e, a = (1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2)), Q.shape_axes[g, :, part % 3]
            turn = along(turn, 0.5 * value, cross((a[0], a[1], a[2]), e))
    return minus(shift, cross(turn, row(Q.shape_centre, g))), turn


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
