"""Friction of a pair of geoms: its coefficients as MuJoCo combines them, and the friction law that follows.

    sqrt( (f₁/μ₁)² + (f₂/μ₂)² + (τ₀/μ₃)² + (τ₁/μ₄)² + (τ₂/μ₅)² ) ≤ γ

f₁, f₂: impulses along the two tangents; τ₀ about the normal, τ₁, τ₂ about the tangents; condim 3, 4 and 6 have the first 2, 3, 5.
The coefficients are stored as a reference coefficient μ, the larger one of sliding, and ratios μ_k/μ, which are in m for torques.
"""

import numpy as np

from dojo_py.friction_laws import CONE, FRICTIONLESS, ROLLING_CONE, SPINNING_CONE
from dojo_py.mechanism.enums import EnableBit

LEAST = 1e-5
"""Lower bound of all coefficients of a contact with friction, as in MuJoCo."""


def coefficients(model, geoms, listed):
    """(n, 5) two sliding, one torsional [m], two rolling coefficients [m] of pairs of geoms (n, 2).

    listed (n,): number of the <pair> that names them, or -1.
    """
    n, listed = len(geoms), np.asarray(listed)
    if int(model.opt.enableflags) & EnableBit.OVERRIDE:
        return np.broadcast_to(np.asarray(model.opt.o_friction, float), (n, 5)).copy()
    own, priority = np.asarray(model.geom_friction, float)[geoms], np.asarray(model.geom_priority)[geoms]
    first = priority[:, 0] > priority[:, 1]
    mixed = np.where(first[:, None], own[:, 0], own[:, 1])
    mixed = np.where((priority[:, 0] == priority[:, 1])[:, None], own.max(axis=1), mixed)[:, [0, 0, 1, 2, 2]]
    if model.npair:
        mixed = np.where((listed >= 0)[:, None], np.asarray(model.pair_friction, float)[np.maximum(listed, 0)], mixed)
    return mixed


def laws(friction, condim):
    """(laws (n,), μ (n,), ratios (n, 5)) of coefficients (n, 5); frictionless where all those that condim uses are zero."""
    condim = np.asarray(condim)
    slides = (condim >= 3) & (friction[:, :2].max(axis=1, initial=0.0) > 0.0)
    spins, rolls = (condim >= 4) & (friction[:, 2] > 0.0), (condim >= 6) & (friction[:, 3:].max(axis=1, initial=0.0) > 0.0)
    law = np.select([rolls, spins, slides], [ROLLING_CONE, SPINNING_CONE, CONE], FRICTIONLESS)
    bounded = np.maximum(friction, LEAST)
    mu = np.where(law == FRICTIONLESS, 0.0, bounded[:, :2].max(axis=1, initial=0.0))
    used = np.array([0, 2, 2, 3, 5])[law]
    ratio = np.where(np.arange(5) < used[:, None], bounded / np.maximum(mu, LEAST)[:, None], 1.0)
    return law, mu, ratio
