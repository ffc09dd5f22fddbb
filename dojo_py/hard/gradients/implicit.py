"""The implicit function theorem on one step: R(w; data) = 0  →  dw = -(∂R/∂w)⁻¹ (∂R/∂data) d data, on one factorisation.

Redundant loop closures make A = ∂R/∂w singular, so their rows get ε on the diagonal E, A_ε = A + εE. Newton's method forgives
that, a derivative does not: what ε leaves of a closure's row is ε δλ. So

    x ← A_ε⁻¹ b,   d ← x,   then REFINEMENTS times   d ← A_ε⁻¹ (εE d),   x ← x + d            b - A x = εE d after each

which needs no other matrix, converges where rows are independent, and changes no velocity where they are redundant.
ε: closures.py.

Source: Dojo, section V-C; Amos and Kolter (2017).
"""

from dojo_py.arrays import copy_rows
from dojo_py.hard.assemble import assemble
from dojo_py.hard.closures import regularisation
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import factorise, solve_many
from dojo_py.solver.transposed_rows import solve_transposed_rows

REFINEMENTS = 2
"""Each gains `closures.SHARE`, or less where springs and other bodies hold the closure's bodies."""


@kernel
def factorise_at(L, W, h, kappa):
    """Newton's matrix of the relaxed problem at the evaluated point (Dojo, eq. 11, 29). Returns whether it is regular."""
    assemble(L, W, h, kappa, 0.0, kappa, False)
    return factorise(W.pattern, W.blocks) < 0


@kernel
def solve_columns(L, W, x, d):
    """x (N, 6, m): right-hand sides, then solutions. d: work of that size when there are loop closures."""
    solve_many(W.pattern, W.blocks, x)
    if L.eq_kind.shape[0] > 0:
        _refine(L, W, x, d, False)


@kernel
def solve_rows(L, W, x, d):
    """`solve_columns` with the transposed matrix."""
    solve_transposed_rows(W.pattern, W.blocks, x)
    if L.eq_kind.shape[0] > 0:
        _refine(L, W, x, d, True)


@kernel
def _refine(L, W, x, d, transposed):
    """Add to the solutions x what the regularisation of closures took from them."""
    _take(x, d)
    for _ in range(REFINEMENTS):
        _left_by_regularisation(L, W, d)
        if transposed:
            solve_transposed_rows(W.pattern, W.blocks, d)
        else:
            solve_many(W.pattern, W.blocks, d)
        _add(d, x)


@kernel
def _take(x, out):
    """out (N, 6, m) = x."""
    for i in range(x.shape[0]):
        copy_rows(x[i], out[i])


@kernel
def _add(d, x):
    """x (N, 6, m) += d."""
    for i in range(x.shape[0]):
        for r in range(6):
            for k in range(x.shape[2]):
                x[i, r, k] += d[i, r, k]


@kernel
def _left_by_regularisation(L, W, d):
    """d (N, 6, m) ← εE d."""
    for b in range(L.mass.shape[0]):
        d[L.place_body[b], :, :] = 0.0
    for n in range(L.node_joint.shape[0]):
        place, e = L.place_node[n], -1 - L.node_joint[n]
        for r in range(6):
            epsilon = regularisation(L, W, e, r) if e >= 0 else 0.0
            for k in range(d.shape[2]):
                d[place, r, k] *= epsilon
