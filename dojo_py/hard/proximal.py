"""Impulses that motion does not determine, held where steps would be short: a proximal term of contacts whose gaps have arrived.

Four corners of a box have four loads and three equations. What moves the load from one pair of corners to the other meets no
resistance but s/γ, the slope of γ s = κ, and that vanishes with κ: a Newton step that has 1e-10 m of gaps to correct moves loads by
as much as they are. Where the motion depends on them (a box that turns while it slides) the next step has more to correct than the
one before, friction has to turn by more than its cone allows in a step, and the solve is stuck beside solutions on all sides.

So Newton's matrix has a compliance beside that slope,

    δs = C δv + r + c δγ,     c = W.proximal h w

of which the equations know nothing: where a solve ends r and δγ are zero (Rockafellar 1976; Friedlander and Orban, A primal-dual
regularized interior-point method for convex quadratic programs, 2012: their δ). w: inverse mass of the bodies along the normal;
loads that motion determines have a compliance of about h w. W.proximal is 0 until a step can be taken by less than SHORT, then
SHARE until one is longer than LONG: convergence is Newton's wherever that goes well. Gaps that have not arrived have no such term,
there the path says what loads are: so none has on the central path of a κ > 0.
"""

from dojo_py.hard.bodies import velocity_of_impulse
from dojo_py.jit import kernel
from dojo_py.solver.cones.standoff import has_arrived

SHORT, LONG = 0.1, 0.5
"""A step shorter than the one brings the term, one longer than the other takes it away."""
SHARE = 1e-4
"""Of W.proximal, where it is not 0: loads that motion determines converge by so much of their error an iteration more slowly."""


@kernel
def proximal_compliance(L, W, c, h):
    """Compliance [m/(N s)] of the gap of contact c in Newton's matrix."""
    if W.proximal[0] == 0.0 or not has_arrived(W.con[c, 1], W.standoff[c]):
        return 0.0
    return abs(h) * W.proximal[0] * inverse_mass(L, W, c)


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
