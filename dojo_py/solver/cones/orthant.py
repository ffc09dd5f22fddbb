"""Orthant: pairs of numbers b ≥ 0, c ≥ 0 with b c = κ. Gaps, limits, bounds of dry friction, the linearised friction cone.

c δb + b δc = r     →     δb = r/c - (b/c) δc                                                         (Dojo, eq. 41: its step)
"""

import math

from dojo_py.jit import kernel

FAR = 2.0
"""Step lengths are reported up to this, above 1, so that a full step is taken only when the boundary is well beyond it."""


@kernel
def product(b, c):
    """b ∘ c."""
    return b * c


@kernel
def largest_step(b, db, alpha):
    """Largest step up to alpha that keeps b + step δb ≥ 0 (Dojo, eq. 41)."""
    return min(alpha, -b / db) if db < 0.0 else alpha


@kernel
def start(mass, u, h, kappa):
    """(γ [N s], s [m]) of a contact of a mass [kg] whose gap would be u h [m]: γ = m (s - u h)/h, γ s = κ.

    u: its predicted normal velocity [m/s].     s = h (u + sqrt(u² + 4 κ/(m h)))/2
    """
    root = math.sqrt(u * u + 4.0 * kappa / (mass * h))
    if u >= 0.0:
        s = 0.5 * h * (u + root)
    else:
        s = 2.0 * kappa / (mass * (root - u))
    return kappa / s, s


NEAR = 2.0
"""A complementarity pair is near the central path where its product is within this factor of κ."""


@kernel
def is_near(b, c, kappa):
    """Whether b, c > 0 and b c is near κ."""
    return b > 0.0 and c > 0.0 and kappa < NEAR * b * c < NEAR * NEAR * kappa


@kernel
def onto_path(b, c, scale, kappa):
    """New (b, c) > 0 with b c = κ and the same b - scale c as the given two, which may be negative."""
    w = b - scale * c
    root = math.sqrt(w * w + 4.0 * kappa * scale)
    if w > 0.0:
        b = 0.5 * (w + root)
        return b, kappa / b
    c = 0.5 * (root - w) / scale
    return kappa / c, c


@kernel
def condense(b, c, r, known):
    """(f, K) of δb = f - K δc', where δc = known + δc'. r: right-hand side of c δb + b δc."""
    inv = 1.0 / c
    K = b * inv
    return r * inv - K * known, K


@kernel
def recover(b, c, r, db):
    """δc of c δb + b δc = r."""
    return (r - c * db) / b
