"""Closest points of two segments, the axes of two capsules, where they lie inside both segments.

    e = w + s u_A - t u_B,   e · u_A = e · u_B = 0,   w = o_A - o_B,   s, t ∈ [-1, 1]

u: half vectors. Where the closest point is an end (or the axes are parallel) s and t stay clamped, and the features of the ends
carry the contact (hard/contacts/round_pairs.py). For parallel axes the result is the middle of A with the point of B opposite it
or, if that is beyond B, the end of B nearest to the middle of A with the point of A opposite it.

On the central path barriers relax the bounds of s and t, like those of the step:

    s, t = argmin  |e|²/2 - τ (ln(1 - s²) + ln(1 - t²))        τ [m²]

All opposite points of two parallel segments are closest, and a rotation by any angle moves the closest points to the ends; where
one passes the end of the other, their derivative jumps. The relaxed points are unique and analytic functions of the poses, also for
u = 0 (a ball); they tend to the closest points as τ → 0.
"""

import math

from dojo_py.jit import kernel

PARALLEL = 1e-8
"""sin² of the angle between two axes below which they may count as parallel."""
BELOW = 2.5e-10
"""They do if the ends are farther apart than the middle by less than this [m]: a quarter of 1e-9 m, which no overlap may exceed."""

ROUND_OFF = 1e-14
"""Of sin²: below this, axes are parallel in any case."""


@kernel
def closest_parameters(w, ua, ub):
    """(s, t, free_s, free_t): clamped parameters of the closest points; whether they change with the poses. w, ua, ub (3,) [m]."""
    aa = ua[0] * ua[0] + ua[1] * ua[1] + ua[2] * ua[2]
    bb = ub[0] * ub[0] + ub[1] * ub[1] + ub[2] * ub[2]
    ab = ua[0] * ub[0] + ua[1] * ub[1] + ua[2] * ub[2]
    aw = ua[0] * w[0] + ua[1] * w[1] + ua[2] * w[2]
    bw = ub[0] * w[0] + ub[1] * w[1] + ub[2] * w[2]
    det = aa * bb - ab * ab
    # at the end of the shorter axis both are offset sideways by its half length times the sine: that adds offset²/(2 apart)
    apart = math.sqrt(max(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] - aw * aw / aa, 0.0))
    if det < max(min(2.0 * BELOW * apart * max(aa, bb), PARALLEL * aa * bb), ROUND_OFF * aa * bb):
        t = min(max(bw / bb, -1.0), 1.0)  # the point opposite the middle of A
        if -1.0 < t < 1.0:
            return 0.0, t, False, True
        s = min(max((t * ab - aw) / aa, -1.0), 1.0)
        return s, t, -1.0 < s < 1.0, False
    s = (ab * bw - bb * aw) / det
    t = (aa * bw - ab * aw) / det
    if -1.0 < s < 1.0 and -1.0 < t < 1.0:
        return s, t, True, True
    s = min(max(s, -1.0), 1.0)
    t = min(max((bw + s * ab) / bb, -1.0), 1.0)
    s = min(max((t * ab - aw) / aa, -1.0), 1.0)
    return s, t, -1.0 < s < 1.0, -1.0 < t < 1.0


ROUNDS = 60
"""Largest number of Newton steps in `relaxed_parameters`; 5 to 20 are taken."""
INSIDE = 0.99
"""Fraction of the step to the nearest bound that is taken at most."""
FASTER = 0.05
"""Each step aims at this fraction of the mean product of slacks and multipliers."""
ACCURATE = 1e-8
"""Relative change of the slacks in the last step: the remaining error is its square."""


@kernel
def relaxed_parameters(w, ua, ub, tau):
    """(s, t, k_s, k_t): parameters of the relaxed closest points, second derivatives of their barriers [m²]. w, ua, ub (3,) [m].

    Primal-dual Newton method on slacks a and multipliers z, a z = μ, with μ falling to τ. The slacks are variables of their own, so
    that small ones keep their digits.
    """
    aa = ua[0] * ua[0] + ua[1] * ua[1] + ua[2] * ua[2]
    bb = ub[0] * ub[0] + ub[1] * ub[1] + ub[2] * ub[2]
    ab = ua[0] * ub[0] + ua[1] * ub[1] + ua[2] * ub[2]
    aw = ua[0] * w[0] + ua[1] * w[1] + ua[2] * w[2]
    bw = ub[0] * w[0] + ub[1] * w[1] + ub[2] * w[2]
    s, t = 0.0, 0.0
    a0, a1, b0, b1 = 1.0, 1.0, 1.0, 1.0  # 1 - s, 1 + s, 1 - t, 1 + t
    mu = max(tau, 2.0 * FASTER * max(max(aa, bb), max(abs(aw), abs(bw))))
    y0, y1, z0, z1 = mu, mu, mu, mu
    for _ in range(ROUNDS):
        mu = max(tau, FASTER * 0.25 * (y0 * a0 + y1 * a1 + z0 * b0 + z1 * b1))
        gs = aw + s * aa - t * ab + mu / a0 - mu / a1
        gt = -bw - s * ab + t * bb + mu / b0 - mu / b1
        ks, kt = aa + y0 / a0 + y1 / a1, bb + z0 / b0 + z1 / b1
        det = ks * kt - ab * ab
        ds, dt = -(kt * gs + ab * gt) / det, -(ks * gt + ab * gs) / det
        d0, d1 = mu / a0 - y0 + y0 / a0 * ds, mu / a1 - y1 - y1 / a1 * ds
        e0, e1 = mu / b0 - z0 + z0 / b0 * dt, mu / b1 - z1 - z1 / b1 * dt
        step = max(max(ds / a0, -ds / a1), max(dt / b0, -dt / b1))
        step = max(step, max(max(-d0 / y0, -d1 / y1), max(-e0 / z0, -e1 / z1)))
        step = 1.0 if step <= INSIDE else INSIDE / step
        change = max(abs(ds) / min(a0, a1), abs(dt) / min(b0, b1))
        s, t = s + step * ds, t + step * dt
        a0, a1, b0, b1 = a0 - step * ds, a1 + step * ds, b0 - step * dt, b1 + step * dt
        y0, y1, z0, z1 = y0 + step * d0, y1 + step * d1, z0 + step * e0, z1 + step * e1
        if mu == tau and step == 1.0 and change < ACCURATE:
            break
    return s, t, tau / (a0 * a0) + tau / (a1 * a1), tau / (b0 * b0) + tau / (b1 * b1)
