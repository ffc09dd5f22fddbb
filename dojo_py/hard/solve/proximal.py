"""A proximal term for impulses that the motion does not determine: contacts whose gaps have arrived, where step lengths are short.

Loads: four corners of a box have four loads and three equations. Shifting load from one pair of corners to the other is resisted
only by s/γ, the slope of γ s = κ, and that vanishes with κ: a Newton step that has to correct gaps by 1e-10 m changes loads by as
much as they are. Where the motion depends on them (a box that rotates while it slides) the next step has more to correct than the
one before, friction impulses would rotate by more than their cones allow in a step, and the solve gets stuck although there are
solutions on all sides.

So Newton's matrix has a compliance beside that slope,

    δs = C δv + r + c δγ,     c = W.proximal h w
    δη = C δv + r + c δξ,     c = W.proximal w        of friction's rows, but for the pyramid's

which is not in the equations and does not change the solution: where a solve ends r and δγ are zero (Rockafellar 1976;
Friedlander and Orban, A primal-dual regularized interior-point method for convex quadratic programs, 2012: their δ). w: inverse
mass of the bodies along the normal; loads that the motion determines have a compliance of about h w. W.proximal is 0 until a
step length is below SHORT, or a Newton step's linear system is not solved without the term (newton_step.py), then SHARE until a
step length is above LONG: elsewhere convergence is that of Newton's method. Gaps that have not arrived have no such term, since
the central path determines their loads; so at κ > 0 there is none.

Friction: two contacts that stick between the same two bodies have six rows, and a joint between them has more. What the motion does
not determine are stresses among them. Friction that sticks is 1e10 times as stiff as the bodies' masses (creep.py): when one body
is eliminated from the other's rows, what is left of the mass is round-off, Newton's step is wrong by 1e-5 of itself and more, and
a wedged ring of links ended with residuals of 1e-8 m/s in every attempt.
"""

from dojo_py.hard.elements.bodies import velocity_of_impulse
from dojo_py.hard.islands import CONTACTS, MOVED_CONTACTS
from dojo_py.jit import kernel
from dojo_py.solver.cones.standoff import has_arrived

SHORT, LONG = 0.1, 0.5
"""A step length below the first switches the term on, one above the second switches it off."""
SHARE = 1e-4
"""Value of W.proximal where the term is on: about this fraction of their error stays, in each iteration, in loads that the motion
determines."""


@kernel
def proximal_compliance(L, W, c):
    """Compliance [1/kg] of friction of contact c in Newton's matrix; times h [s] that of its gap."""
    if W.proximal[0] == 0.0 or not has_arrived(W.con[c, 1], W.standoff[c]):
        return 0.0
    return W.proximal[0] * inverse_mass(L, W, c)


@kernel
def any_arrived(W):
    """Whether the term would act on a contact of the islands in W.span."""
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if has_arrived(W.con[c, 1], W.standoff[c]):
            return True
    return False


@kernel
def adapt_proximal_term(W, alpha):
    """W.proximal after a step alpha."""
    if alpha < SHORT:
        W.proximal[0] = SHARE
    elif alpha > LONG:
        W.proximal[0] = 0.0


@kernel
def inverse_mass(L, W, c):
    """Velocity along the normal that a unit impulse of contact c gives its bodies, each alone [1/kg]."""
    inverse = 0.0
    for side in range(2):
        b = W.cbody[c, side]
        if b >= 0:
            inverse += velocity_of_impulse(L.mass[b], L.mobility[b], W.cB[c, side, 0])
    return inverse
