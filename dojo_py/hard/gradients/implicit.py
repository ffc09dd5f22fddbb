"""The implicit function theorem on one step: R(w; data) = 0  →  dw = -(∂R/∂w)⁻¹ (∂R/∂data) d data, on one factorisation.

Source: Dojo, section V-C; Amos and Kolter (2017).
"""

from dojo_py.hard.assemble import assemble
from dojo_py.hard.gradients.refinement import refine
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import factorise, solve_many
from dojo_py.solver.transposed_rows import solve_transposed_rows

YIELDS = 1e-10
"""Contacts between two bodies that are stiffer than 1/YIELDS times their mass get this fraction of the inverse mass as compliance:
derivatives change by about as much, and the round-off of eliminating one body from the other's rows stays below 1e-5 for all κ."""
YIELDS_TO_WORLD = 3e-12
"""The same of contacts with the world, whose matrix is exact (assemble.py): round-off of right-hand sides stays below 1e-4. A
compliance changes more where joints let a body hardly move along the normal: of a body that a hinge wedges against a plane, κ 0.1,
derivatives would be off by 2e-3 with YIELDS."""


@kernel
def factorise_at(L, W, h, kappa):
    """Newton's matrix of the relaxed problem at the evaluated point (Dojo, eq. 11, 29). Returns whether it is regular."""
    assemble(L, W, h, kappa, kappa, 0.0, False, YIELDS, YIELDS_TO_WORLD)
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
