"""The last resort: friction bounds are held at estimates, which makes the problem of a step convex.

    ξ₁ = β  instead of  ξ₁ = μ γ,   β = μ γ of the last round                                     (solver/cones/contact.py)

Solutions with β = μ γ solve the step; a difference that remains counts as complementarity.
"""

from dojo_py.hard.islands import CONTACTS
from dojo_py.hard.outcome import WORST, allow, is_solved, left
from dojo_py.hard.parts import whole
from dojo_py.hard.start import COLD
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import SECOND_ORDER, bound_place

ROUNDS_HELD = 3
"""Solves with held bounds of friction after the one without friction; with more of them the estimates often cycle."""
NO_BOUND = 1e-12
"""Bounds of friction below this [N s] count as zero: the contact has no friction then."""


@kernel
def hold_bounds(L, P, Q, A, W, h, kappa):
    """The whole step with the bounds of friction held at estimates: a convex problem, which always ends.

    First without friction, then with bounds from the normal impulses of the last round, ROUNDS_HELD times; initial violations may
    stay. The complementarity in W.found is that of the last impulses in their true cones.
    """
    for estimate in range(ROUNDS_HELD + 1):
        for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
            c = W.members[CONTACTS, k]
            W.cheld[c] = 1
            W.cmu[c] = 0.0
            bound = _friction(P, W, c) * W.con[c, 0] if estimate > 0 else 0.0
            W.cbound[c] = bound if bound > NO_BOUND else 0.0
        allow(W, max(left(W), 1.0))
        whole(L, P, Q, A, W, h, 0.0, kappa, COLD, False)
        if not is_solved(W):
            break
    worst = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.cheld[c] = 0
        W.cmu[c] = _friction(P, W, c)
        n = SECOND_ORDER[W.claw[c]]
        if n > 0:
            worst = max(worst, abs(W.cmu[c] * W.con[c, 0] - W.cbound[c]) * W.con[c, 2 + n])
            W.con[c, bound_place(W.claw[c])] = 0.0
    W.found[WORST] = max(W.found[WORST], worst)


@kernel
def _friction(P, W, c):
    """The friction coefficient of active contact c."""
    i, planes = W.active[c], P.body.shape[0]
    return P.friction[i] if i < planes else W.ffriction[i - planes]
