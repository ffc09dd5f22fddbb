"""Along which normal a contact of two bodies pushes: where they touch as the step starts, the normal there.

    e = (n - w (n - n₀))/|…|,   w = s (1 - x² (3 - 2 x)),   x = |n - n₀|², w = 0 from x = 1 on (60 degrees)
    s = 1/(1 + (g/ℓ)²),   ℓ = TOUCHING · L                  n₀, n: unit normals where the step starts and ends, world axes
                                                            g: gap where the step starts; L: see contact_size.py

Impulses belong to the start of a step (feature_rows.py). Between convex shapes that do not rotate a push along n₀ never creates
energy: the gap is a convex function along the straight path of a step, so n₀·v ≤ 0 where that ends in contact, with the impulse as
without it. Pushed along n, what slides over something round gains energy of first order in h: a ball that rolls off another one 3 %
at h 0.01 s. (It is the impulse of SHAKE, Ryckaert, Ciccotti and Berendsen 1977; here the constraint at the end only pushes.)

Shapes that are apart where the step starts meet within it or at its end, and are pushed along n. Where the normal turns by a good
part of a right angle within a step, as under small balls that are fast, or where shapes start in one another, the start tells
nothing of the end: there contacts push along n, too.
"""

from dojo_py.algebra.vectors import ZERO, along, dot, length, minus, times
from dojo_py.hard.elements.rolling_arms import IDENTITY
from dojo_py.jit import kernel

TOUCHING = 1e-3
"""Gap over the contact's length L at which shapes are between in touch and apart, s = 1/2. What rests, slides or rolls has gaps of
1e-9 m, and there s must not depend on their noise. Smaller by 10: sharper derivatives of what is about to land; larger by 10: an
impact's direction is off by as much as the normal turns in a step."""

SHARE, BY_GAP, BY_SQUARE, SQUARE = range(4)
"""Columns of W.ctouch: s, ∂s/∂g [1/m], ∂s/∂L² [1/m²], L² [m²]."""

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""∂e/∂n₀ where contacts push along n."""


@kernel
def touching_share(gap, square):
    """(s, ∂s/∂g [1/m], ∂s/∂L² [1/m²]) from the gap where a step starts [m] and L² [m²]."""
    least = TOUCHING * TOUCHING * square
    if least == 0.0:
        return 0.0, 0.0, 0.0
    s = least / (least + gap * gap)
    return s, -2.0 * s * s * gap / least, s * (1.0 - s) / square


@kernel
def start_normal(start, end, s):
    """(e, M, M₀ as nine numbers, ∂e/∂s (3,)) from n₀, n (3,) and s:  δe = M δn + M₀ δn₀ + ∂e/∂s δs."""
    d = minus(end, start)
    x = dot(d, d)
    if x >= 1.0:
        return end, IDENTITY, NOTHING, ZERO
    fade = 1.0 - x * x * (3.0 - 2.0 * x)
    w = s * fade
    mixed = along(end, -w, d)
    a = 1.0 / length(mixed)
    e = times(a, mixed)
    p, k = times(a, along(d, -dot(e, d), e)), -12.0 * s * x * (1.0 - x)  # (1 - e eᵀ) a d;  δw = k d · (δn - δn₀) + fade δs
    return e, _outer(a * (1.0 - w), e, -k, p, d), _outer(a * w, e, k, p, d), times(-fade, p)


@kernel
def _outer(a, e, k, p, d):
    """a (1 - e eᵀ) + k p dᵀ, nine numbers."""
    return (
        a * (1.0 - e[0] * e[0]) + k * p[0] * d[0], k * p[0] * d[1] - a * e[0] * e[1], k * p[0] * d[2] - a * e[0] * e[2],
        k * p[1] * d[0] - a * e[1] * e[0], a * (1.0 - e[1] * e[1]) + k * p[1] * d[1], k * p[1] * d[2] - a * e[1] * e[2],
        k * p[2] * d[0] - a * e[2] * e[0], k * p[2] * d[1] - a * e[2] * e[1], a * (1.0 - e[2] * e[2]) + k * p[2] * d[2],
    )  # fmt: skip
