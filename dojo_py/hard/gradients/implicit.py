"""The implicit function theorem on one step: R(w; data) = 0  →  dw = -(∂R/∂w)⁻¹ (∂R/∂data) d data, on one factorisation.

Source: Dojo, section V-C; Amos and Kolter (2017).
"""

from dojo_py.hard.gradients.refinement import refine
from dojo_py.hard.solve.assemble import assemble
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import factorise, solve_many
from dojo_py.solver.transposed_rows import solve_transposed_rows

YIELDS = 1e-10
"""Contacts that are stiffer than 1/YIELDS times the mass of their bodies get this fraction of the inverse mass as compliance:
derivatives change by about as much, and their round-off stays below 1e-5 for all κ (stiff_contacts.py)."""


@kernel
def factorise_at(L, W, h, kappa):
    """Newton's matrix of the relaxed problem at the evaluated point (Dojo, eq. 11, 29). Returns whether it is regular."""
    assemble(L, W, h, kappa, kappa, 0.0, False, YIELDS)
    return factorise(W.pattern, W.blocks) < 0


@kernel
def solve_columns(L, W, x, again):
    """x (N, 6, m): right-hand sides, then solutions. again: Refinement for m columns."""
    solve_many(W.pattern, W.blocks, x)
    refine(L, W, x, again, False)


@kernel
def solve_rows(L, W, x, again):
    """`solve_columns` with the transposed matrix."""
    solve_transposed_rows(W.pattern, W.blocks, x)
    refine(L, W, x, again, True)
