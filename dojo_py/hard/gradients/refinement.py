"""Iterative refinement: removes the error that the regularisation of loop closures makes in solutions of Newton's system.

Redundant loop closures make A = ∂R/∂w singular, so their rows get ε on the diagonal, A_ε = A + εE, where E is 1 on the diagonal of
these rows. Newton's method converges nevertheless, but a derivative is wrong: the residual ε δλ remains in a closure's row. So

    x ← A_ε⁻¹ b,   d ← x,   then REFINEMENTS times   d ← A_ε⁻¹ (εE d),   x ← x + d            b - A x = εE d after each

which needs no other matrix, converges where rows are independent, and changes no velocity where they are redundant. Only the
closures' rows of εE are not zero. With x_c the entries of x there and Z = A_ε⁻¹ of their unit vectors, solved for once,

    x ← x + Z ε y,      y ← x_c,   then REFINEMENTS - 1 times   y ← x_c + Z_c ε y

ε: closures.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.elements.closures import regularisation
from dojo_py.hard.terms import CONSTRAINT_ROWS
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import solve_many
from dojo_py.solver.octet import WIDTH, aligned, clear_block, load, plus, store, whole
from dojo_py.solver.transposed_rows import solve_transposed_rows

REFINEMENTS = 2
"""Each reduces the error by the factor `closures.SHARE`, or by less where springs and other bodies hold the closure's bodies."""


class Refinement(NamedTuple):
    """Work for columns of m numbers, whole octets; R: rows of all closures."""

    response: np.ndarray  # (N, 6, R in whole octets) Z
    place: np.ndarray  # (R,) node of each row, in the matrix
    row: np.ndarray  # (R,)
    epsilon: np.ndarray  # (R,)
    at_start: np.ndarray  # (R, m) x_c
    scaled: np.ndarray  # (R, m) ε y


def allocate_refinement(layout: Any, columns: int) -> Refinement:
    """Work for a number of columns."""
    rows = sum(CONSTRAINT_ROWS[int(kind)] for kind in layout.eq_kind)
    n, m, z = len(layout.mass) + len(layout.node_joint), whole(columns), aligned
    whole_rows = whole(rows) if rows else 0
    return Refinement(z((n, 6, whole_rows)), z(rows, np.int64), z(rows, np.int64), z(rows), z((rows, m)), z((rows, m)))


@kernel
def refine(L, W, x, again, transposed):
    """Correct the solutions x (N, 6, m) for the regularisation of closures."""
    Z, y = again.response, again.scaled
    count = _put_units(L, W, again)
    if count == 0:
        return
    if transposed:
        solve_transposed_rows(W.pattern, W.blocks, Z)
    else:
        solve_many(W.pattern, W.blocks, Z)
    for c in range(count):
        _take(x[again.place[c], again.row[c]], 1.0, again.at_start[c])
        _take(again.at_start[c], again.epsilon[c], y[c])
    for _ in range(REFINEMENTS - 1):
        # (the rows of x_c are still those of x, which is changed at the end: here they hold x_c + Z_c ε y)
        for c in range(count):
            _add_rows(Z[again.place[c], again.row[c]], count, y, x[again.place[c]], again.row[c])
        for c in range(count):
            _take(x[again.place[c], again.row[c]], again.epsilon[c], y[c])
            _take(again.at_start[c], 1.0, x[again.place[c], again.row[c]])
    for i in range(x.shape[0]):
        for r in range(6):
            _add_rows(Z[i, r], count, y, x[i], r)


@kernel
def _put_units(L, W, again):
    """Unit vectors of the closures' rows as right-hand sides. Returns how many rows there are."""
    for place in range(again.response.shape[0]):
        clear_block(again.response[place])
    count, first = 0, L.node_joint.shape[0] - L.eq_kind.shape[0]
    for e in range(L.eq_kind.shape[0]):
        for r in range(CONSTRAINT_ROWS[L.eq_kind[e]]):
            place = L.place_node[first + e]
            again.place[count], again.row[count], again.epsilon[count] = place, r, regularisation(L, W, e, r)
            again.response[place, r, count] = 1.0
            count += 1
    return count


@kernel
def _take(row, factor, out):
    """out (m,) = factor row."""
    for k in range(row.shape[0]):
        out[k] = factor * row[k]


@kernel
def _add_rows(weights, count, y, x, r):
    """Row r of x (6, m) += Σ_c weights_c y_c over the first `count` rows of y; other islands' closures weigh nothing."""
    for c in range(count):
        if weights[c] != 0.0:
            for j in range(0, x.shape[1], WIDTH):
                store(plus(load(x, r, j), weights[c], load(y, c, j)), x, r, j)
