"""The implicit function theorem on one step: R(w; data) = 0  →  dw = -(∂R/∂w)⁻¹ (∂R/∂data) d data, on one factorisation.

Source: Dojo, section V-C; Amos and Kolter (2017).
"""

from dojo_py.hard.assemble import assemble
from dojo_py.hard.interior_point import LOOP_REGULARISATION
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import factorise


@kernel
def factorise_at(L, W, h, kappa):
    """Newton's matrix of the relaxed problem at the evaluated point. Returns whether it is regular."""
    assemble(L, W, h, kappa, 0.0, kappa, False, False, LOOP_REGULARISATION)
    return factorise(W.pattern, W.blocks) < 0
