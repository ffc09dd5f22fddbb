"""Along which normal a contact of two bodies pushes: where they touch as the step starts, the normal there.

    e = (n - w (n - n₀))/|…|,   w = (1 - x² (3 - 2 x)) x D/(x D + g²),   x = |n - n₀|², w = 0 from x = 1 on (60 degrees)
                                n₀, n: unit normals where the step starts and ends, world axes
                                g: gap where the step starts;  D = |t|²,  t: how far A's centre moves past B's in the step

Impulses belong to the start of a step (feature_rows.py). Between convex shapes that do not rotate a push along n₀ never creates
energy: the gap is a convex function along the straight path of a step, so n₀·v ≤ 0 where that ends in contact, with the impulse as
without it. Pushed along n, what slides over something round gains energy of first order in h: a ball that rolls off another one 3 %
at h 0.01 s. (It is the impulse of SHAKE, Ryckaert, Ciccotti and Berendsen 1977; here the constraint at the end only pushes.)

Shapes that are apart where the step starts meet where it ends, and are pushed along n. What is in touch and moves by t along a
surface that turns by |n - n₀| would leave it by half of √(x D) on its straight way: gaps g that are small beside that are no gaps.
Where the normal turns by a good part of a right angle within a step, as under small balls that are fast, or where shapes start in
one another, the start tells nothing of the end: there contacts push along n, too.
"""

from dojo_py.algebra.vectors import ZERO, along, dot, length, minus, times
from dojo_py.hard.elements.rolling_arms import IDENTITY
from dojo_py.jit import kernel

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""∂e/∂n₀ where contacts push along n."""


@kernel
def start_normal(start, end, travel, gap):
    """(e, M, M₀ as nine numbers, p, q, r (3,) each) from n₀, n, t (3,) and g:  δe = M δn + M₀ δn₀ + p (q · δt) + r δg."""
    d, D = minus(end, start), dot(travel, travel)
    x = dot(d, d)
    below = x * D + gap * gap
    if x >= 1.0 or below == 0.0:
        return end, IDENTITY, NOTHING, ZERO, ZERO, ZERO
    fade, share = 1.0 - x * x * (3.0 - 2.0 * x), x * D / below
    w, rest = fade * share, gap * gap / below  # rest = 1 - share
    mixed = along(end, -w, d)
    s = 1.0 / length(mixed)
    e = times(s, mixed)
    # (1 - e eᵀ) s (…):  ∂w/∂x = fade' share + fade D rest/below
    k = 2.0 * (fade * D * rest / below - 6.0 * x * (1.0 - x) * share)
    p = times(s, along(d, -dot(e, d), e))
    by_end, by_start = _outer(s * (1.0 - w), e, -k, p, d), _outer(s * w, e, k, p, d)
    return e, by_end, by_start, p, times(-2.0 * fade * x * rest / below, travel), times(2.0 * fade * share * gap / below, p)


@kernel
def _outer(a, e, k, p, d):
    """a (1 - e eᵀ) + k p dᵀ, nine numbers."""
    return (
        a * (1.0 - e[0] * e[0]) + k * p[0] * d[0], k * p[0] * d[1] - a * e[0] * e[1], k * p[0] * d[2] - a * e[0] * e[2],
        k * p[1] * d[0] - a * e[1] * e[0], a * (1.0 - e[1] * e[1]) + k * p[1] * d[1], k * p[1] * d[2] - a * e[1] * e[2],
        k * p[2] * d[0] - a * e[2] * e[0], k * p[2] * d[1] - a * e[2] * e[1], a * (1.0 - e[2] * e[2]) + k * p[2] * d[2],
    )  # fmt: skip
