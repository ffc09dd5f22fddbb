"""Compliant constraints for steps that have no solution: loop closures that cannot close, initial overlaps that something deepens.

A hand welded to a target out of its reach, links that overlap at the start where a loop closes: no motion solves such a step. The
closures' rows φ and the gaps of what overlaps at the start of the step, exact in all other steps, then have a compliance,

    (φ - φ₀) / h + ε λ = 0  ε = COMPLIANCE / m for positions, COMPLIANCE / J for rotations, of both bodies (`closures._compliance`)
    s = gap + h ε γ         ε = COMPLIANCE / m,  m the lighter body

and are undone at the recovery speed at most, which leaves φ₀ of a row: a target that jumps by a metre is no impact. Joints, limits
and all other contacts stay exact, and the compliant rows come as near to closing as they can: the hand pulls towards its target, a
loop that starts open closes but for a hundredth. Where Newton's method does not converge with so stiff a pull, one that is ten
times softer is tried, and so on: in the end only the exact constraints hold. The step is INEXACT, with the remaining violation of
the exact rows in its residual.
Closures that gave way are compliant from the start in the next step, which then need not fail first; where the remaining violation
could be undone in a step, the usual attempts follow from there. While it does not shrink from step to step, those are made in some
steps only (GAVE_WAY_BEFORE in outcome.py). (SNOPT's elastic mode is this idea: Gill, Murray, Saunders 2005.)
"""

import math

from dojo_py.hard.elements.contact_rows import OVERLAP, start_gap
from dojo_py.hard.islands import BODIES, CONTACTS, NODES
from dojo_py.hard.outcome import WITH_ROUND_OFF, is_solved, left
from dojo_py.hard.report import RESIDUAL
from dojo_py.hard.solve.contact_mass import share_masses
from dojo_py.hard.solve.first_point import start_motion
from dojo_py.hard.solve.residual_norm import BEYOND_ROUND_OFF, WHOLE, residual_of
from dojo_py.hard.solve.residuals import evaluate, evaluate_motion
from dojo_py.hard.solve.start_impulses import COLD, guess_impulses
from dojo_py.hard.step.attempts import attempts
from dojo_py.hard.step.momentum_matching import begin_whole
from dojo_py.hard.terms import EQ_ORIENTATION
from dojo_py.jit import kernel

COMPLIANCE = 0.01
"""Fraction of the inverse inertia that a row meets: about the fraction of a residual that remains where nothing opposes the row."""
SOFTER, SOFTEST = 10.0, 100.0
"""Factor from one compliance to the next one tried, and the last one, which undoes a hundredth of a row's remaining residual."""


@kernel
def give_way(L, P, Q, A, W, h):
    """The whole step of the islands in W.span with compliant closures and overlaps; W.found has the residual of the exact rows."""
    compliance = COMPLIANCE
    while compliance <= SOFTEST and left(W) > 0.0:
        begin_whole(L, P, Q, W, h, 0.0)
        share_masses(L, W)
        _leave_open(L, A, W, h, W.options.recovery_speed)
        _soften(L, P, Q, W, h, compliance)
        attempts(L, P, Q, A, W, h, 0.0, COLD, False, False, True)
        if is_solved(W):
            break
        compliance *= SOFTER
    _soften(L, P, Q, W, h, 0.0)
    if is_solved(W):
        evaluate(L, P, Q, A, W, h)
        W.found[RESIDUAL], W.found[WITH_ROUND_OFF] = residual_of(L, W, h, BEYOND_ROUND_OFF), residual_of(L, W, h, WHOLE)


@kernel
def _leave_open(L, A, W, h, speed):
    """W.left_open = φ₀ / h, the part of closures' residuals that stays when they are undone at this speed [m/s, rad/s]."""
    guess_impulses(W, COLD)
    start_motion(L, W)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.v[W.members[BODIES, k], :] = 0.0
    evaluate_motion(L, A, W, h)
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for first in range(0, 6, 3):  # (positions, then rotations)
            size = math.sqrt(W.rows[n, first] ** 2 + W.rows[n, first + 1] ** 2 + W.rows[n, first + 2] ** 2)
            share = 1.0 - speed / size if size > speed else 0.0
            for r in range(first, first + 3):
                W.left_open[n, r] = share * W.rows[n, r]


@kernel
def _soften(L, P, Q, W, h, compliance):
    """Give closures and initial overlaps of the islands in W.span this compliance, see above; 0: none."""
    W.gives_way[0] = compliance
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.csoft[c] = 0.0
        if compliance > 0.0 and start_gap(L, P, Q, W, W.active[c]) < -OVERLAP:
            W.csoft[c] = h * compliance / _lighter(L, W, c)


@kernel
def _lighter(L, W, c):
    """Mass of the lighter body of contact c [kg]."""
    mass = math.inf
    for side in range(2):
        if W.cbody[c, side] >= 0:
            mass = min(mass, L.mass[W.cbody[c, side]])
    return mass


@kernel
def any_closure(L, W):
    """Whether loop closures take part in the step of the islands in W.span."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        j = L.node_joint[W.members[NODES, k]]
        if j < 0 and L.eq_kind[-1 - j] < EQ_ORIENTATION:
            return True
    return False
