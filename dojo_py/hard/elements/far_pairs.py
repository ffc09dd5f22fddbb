"""Far pairs of bodies on the central path: their impulse κ/gap fades out, so that not all pairs of many bodies need contacts.

    d₁ = sqrt(h κ / (ε m)),  d₂ = 2 d₁                m: the smaller mass of the two bodies [kg], κ [N m s], h [s] of the model file
    w = t³ (10 - 15 t + 6 t²),  t = (d₂ - gap)/(d₂ - d₁) within [0, 1]

At d₁ the impulse κ/d₁ would move the lighter body by ε d₁ in a step. gap: of the feature where the step starts. w is twice
continuously differentiable, 1 below d₁ and 0 above d₂; the impulse of the contact is multiplied by w for both bodies, so that
momenta are conserved. In the hard limit w = 1.

Features that have faded to w = 0 take no part, however fast their gap closes. If the solved step ends with an overlap of such a
pair, its features act in full (w = 1, W.fwanted) and the step is solved again. There the end of a step, as a function of its start,
jumps by the effect of κ/gap at a gap that is nearly zero.
"""

import math

from dojo_py.jit import kernel


@kernel
def full_distance(Q, k, kappa):
    """d₁ [m] of pair k."""
    return Q.fade[k] * math.sqrt(kappa)


@kernel
def share(gap, d1):
    """(w, its derivative by the gap over w [1/m]); w > 0 below 2 d₁."""
    t = 2.0 - gap / d1
    if t >= 1.0:
        return 1.0, 0.0
    if t <= 0.0:
        return 0.0, 0.0
    w = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
    return w, -30.0 * t * t * (1.0 - t) * (1.0 - t) / (d1 * w)
