"""Rotations that are too fast for one interval: the velocity of a body that rotates as far in several shorter ones.

In an interval h a body rotates by 2 asin(σ), σ = h |ω| / 2. In n intervals h/n it rotates by an n-th in each:

    ω' = c(σ) ω,   c = n sin(α) / σ,   α = asin(σ) / n            dc/dσ = (cos(α) / √(1 - σ²) - c) / σ
"""

import math

from dojo_py.jit import kernel

HALF = 1.0 - 1e-12
"""Largest σ there is a derivative for: at 1 the body rotates by half a revolution."""


@kernel
def rotation_in(v, h):
    """|ω| h of velocities v (6,)."""
    return h * math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])


@kernel
def parts_of_rotation(rotation, most, parts):
    """Number of parts, of the `parts` of a step at most, that a rotation |ω| h needs if none may rotate by more than `most`."""
    own = 1
    while rotation > most * own and own < parts:
        own *= 2
    return own


@kernel
def in_shorter_intervals(v, h, n):
    """v (6,), over an interval h, becomes the velocity over h / n of a body that rotates as far in n such intervals."""
    sine = 0.5 * rotation_in(v, h)
    if n > 1:
        for i in range(3, 6):
            v[i] *= n * math.sin(math.asin(min(sine, 1.0)) / n) / sine


@kernel
def by_longer_interval(v, h, n, D):
    """D (3, 3) = ∂ω'/∂ω = c 1 + dc/dσ (h / 2|ω|) ω ωᵀ of `in_shorter_intervals`, at v (6,) over h."""
    c, outer = 1.0, 0.0
    sine = 0.5 * rotation_in(v, h)
    if n > 1:
        angle = math.asin(min(sine, HALF)) / n
        c = n * math.sin(angle) / sine
        outer = (math.cos(angle) / math.sqrt(1.0 - min(sine, HALF) ** 2) - c) / sine * 0.25 * h * h / sine
    for i in range(3):
        for k in range(3):
            D[i, k] = outer * v[3 + i] * v[3 + k] + (c if i == k else 0.0)
