"""Where to start: the central path of a single contact that is coupled to nothing else.

A pair: γ = m (s - u h)/h, γ s = κ, for a mass m that would leave a gap u h.      → s = h (u + sqrt(u² + 4 κ/(m h)))/2
Friction: impulse -x along a slip of speed u, remaining slip y = u - x/m, bound X: y (X² - x²) = κ x,  η₁ = X y / x.
"""

import math

from dojo_py.jit import kernel


@kernel
def central_pair(mass, u, h, kappa):
    """(γ [N s], s [m]) with γ s = kappa for the predicted normal velocity u [m/s] of a mass [kg] over a step h [s]."""
    root = math.sqrt(u * u + 4.0 * kappa / (mass * h))
    if u >= 0.0:
        s = 0.5 * h * (u + root)
    else:
        s = 2.0 * kappa / (mass * (root - u))
    return kappa / s, s


@kernel
def central_friction(mass, bound, u, kappa):
    """(x [N s], y [m/s], η₁ [m/s]) for the slip speed u ≥ 0 of a mass under the friction bound X = μγ."""
    if u <= 0.0:
        return 0.0, 0.0, kappa / bound
    low, high = 0.0, min(bound, mass * u)
    for _ in range(16):  # a start need not be exact
        x = 0.5 * (low + high)
        if (u - x / mass) * (bound * bound - x * x) > kappa * x:
            low = x
        else:
            high = x
    x = low
    if x <= 0.0:
        x = 1e-300
    y = kappa * x / (bound * bound - x * x)
    return x, y, bound * y / x
