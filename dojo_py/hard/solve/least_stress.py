"""Stress: impulses of closures and joints that balance each other and move nothing. A step ends with the least of it.

Two connects that make a hinge hold the distance of their points twice, a weld beside a hinge all but its rotation. In a redundant
combination u of rows, uᵀC = 0, Newton's method sees only its regularisation ε (closures.py):

    c + C δv + ε δλ = 0,   so that   uᵀε δλ = -uᵀc

While the rows c are off by second order this is a stress of any size, 1e6 N between links of a kilogram, that no later iteration
takes back: it would stay in what sensors read, in the next step's first guess, and in the round-off of momenta. It is

    x = A_ε⁻¹ (0, ε λ)

for the matrix A_ε of bodies, joints and closures alone, which leaves stress as it is, and ε/S of impulses that meet an inverse
inertia S. x_λ is subtracted from λ; the solve that goes on from there makes good for the ε/S. What is left are the impulses with
which closures of compliance ε would share a load.
"""

from dojo_py.hard.elements.closures import regularisation
from dojo_py.hard.islands import NODES
from dojo_py.hard.solve.assemble import assemble
from dojo_py.hard.solve.first_point import hold_cones, release_cones
from dojo_py.hard.statuses import SOLVED
from dojo_py.hard.terms import EQ_ORIENTATION
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import factorise, solve

STRESSED = 1e-2
"""Fraction of the impulses of closures up to which stress may stay: loops without redundant rows are not solved again for ε/S."""


@kernel
def relieve_stress(L, W, h, status, count, cones_held):
    """Subtract the stress from the impulses of the islands in W.span, where a solve of `count` iterations has ended in this status.
    Returns whether there was any: the solve then goes on from there, because its residual may hold the round-off of the stress.

    The matrix of the last iteration is in W.blocks. It holds contacts as well, which can be as stiff as closures are: so it only
    tells whether to look. cones_held: contacts, limits and dry friction are held already (`hold_cones`), and stay so.
    """
    if status != SOLVED or count == 0 or L.eq_kind.shape[0] == 0 or W.gives_way[0] > 0.0 or not _find_stress(L, W):
        return False
    if not cones_held:
        hold_cones(W)
    assemble(L, W, h, 0.0, 0.0, 0.0, False)
    stressed = factorise(W.pattern, W.blocks) < 0 and _find_stress(L, W)
    if not cones_held:
        release_cones(L, W, h)
    if stressed:
        for k in range(W.span[NODES, 0], W.span[NODES, 1]):
            n = W.members[NODES, k]
            for r in range(6):
                W.lam[n, r] -= W.dlam[n, r]
    return stressed


@kernel
def _find_stress(L, W):
    """W.dlam = x_λ, by W.blocks. Returns whether it is more than STRESSED of the impulses of closures, each times its ε."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for r in range(6):
            W.dlam[n, r] = W.lam[n, r]
    whole = _put_closures(L, W)
    if not whole > 0.0:
        return False
    solve(W.pattern, W.blocks, W.step)
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for r in range(6):
            W.dlam[n, r] = W.step[L.place_node[n], r]
    return _put_closures(L, W) > STRESSED * whole


@kernel
def _put_closures(L, W):
    """W.step = (0, ε W.dlam in the rows of closures). Returns the largest entry, a velocity [m/s, rad/s]."""
    for p in range(W.pattern.part[0], W.pattern.part[1]):
        W.step[W.pattern.places[p], :] = 0.0
    largest = 0.0
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        e = -1 - L.node_joint[n]
        if e >= 0 and L.eq_kind[e] < EQ_ORIENTATION:
            for r in range(6):
                value = regularisation(L, W, e, r) * W.dlam[n, r]
                W.step[L.place_node[n], r] = value
                largest = max(largest, abs(value))
    return largest
