"""Bounds of friction held at estimates, which makes the problem of a step convex.

    ξ₁ = β  instead of  ξ₁ = μ γ,   β = μ γ of a solution before                                     (solver/cones/contact.py)

Solutions with β = μ γ solve the step; a difference that remains counts as complementarity.
"""

from dojo_py.arrays import scratch
from dojo_py.friction_laws import PYRAMID
from dojo_py.hard.islands import CONTACTS
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, SECOND_ORDER, bound_place, impulse_of
from dojo_py.solver.cones.pyramid import set_impulse

NO_BOUND = 1e-12
"""Bounds of friction below this [N s] count as zero: the contact has no friction then."""


@kernel
def hold_bounds(P, W, friction):
    """Hold the bounds of friction of the islands' contacts in the starts of steps that follow (`start_step`).

    friction: at those of the present impulses; otherwise there is none.
    """
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        bound = _coefficient(P, W, c) * W.con[c, 0] if friction else 0.0
        W.cbound[c] = bound if bound > NO_BOUND else 0.0
    hold_again(W)


@kernel
def hold_again(W):
    """Hold the bounds that were held last, after `release_bounds`."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.cheld[c] = 1
        W.cmu[c] = 0.0


@kernel
def release_bounds(P, W):
    """Bounds are those of the impulses again. Returns the largest complementarity that the difference makes [N s m/s]."""
    worst = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.cheld[c] = 0
        W.cmu[c] = _coefficient(P, W, c)
        n = SECOND_ORDER[W.claw[c]]
        if n > 0:
            worst = max(worst, abs(W.cmu[c] * W.con[c, 0] - W.cbound[c]) * W.con[c, 2 + n])
            W.con[c, bound_place(W.claw[c])] = 0.0
    return worst


@kernel
def into_own_cones(P, W):
    """The impulses of contacts with friction's pyramid, which bounds are held for in a second-order cone, as those of the pyramid.

    For `guess_impulses`: only the impulses of their states have a meaning.
    """
    F = scratch(MOST_ROWS)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        i, planes = W.active[c], P.body.shape[0]
        if (P.law[i] if i < planes else W.flaw[i - planes]) == PYRAMID:
            impulse_of(W.claw[c], W.con[c], F)
            W.claw[c] = PYRAMID
            set_impulse(F, W.con[c])


@kernel
def bounds_held(W):
    """Whether the bounds of friction of the islands' contacts are held."""
    return W.span[CONTACTS, 1] > W.span[CONTACTS, 0] and W.cheld[W.members[CONTACTS, W.span[CONTACTS, 0]]] == 1


@kernel
def _coefficient(P, W, c):
    """The friction coefficient of active contact c."""
    i, planes = W.active[c], P.body.shape[0]
    return P.friction[i] if i < planes else W.ffriction[i - planes]
