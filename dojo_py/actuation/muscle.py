"""Muscles: force by length and velocity of the transmission, and the filter of their activation (MuJoCo, "Muscle actuators").

    L = r₀ + (l - l₀) / L0,   V = l̇ / (L0 vmax),   L0 = (l₁ - l₀) / (r₁ - r₀)       l₀, l₁: lengthrange; r: range in units of L0
    gain = -F0 FL(L) FV(V),   bias = -F0 FP(L)                                     F0: force, or scale / acc0 where it is negative
    ẇ = (u - w) / τ,          τ = τ_act (½ + 1.5 w) where u > w, else τ_deact / (½ + 1.5 w)       u clamped to [0, 1]

FL, FV and FP are quadratic splines with a continuous slope. With a smoothing width s > 0, τ changes from one to the other over it.
Parameters prm of gain and bias: (r₀, r₁, force, scale, lmin, lmax, vmax, fpmax, fvmax), of the filter: (τ_act, τ_deact, s).
lengthrange: (2,).
"""

from dojo_py.jit import kernel

SMALL = 1e-15
"""MuJoCo's mjMINVAL."""


@kernel
def peak_force(prm, acc0):
    """F0 [N]."""
    return prm[3] / max(SMALL, acc0) if prm[2] < 0.0 else prm[2]


@kernel
def scaled_length(length, prm, lengthrange):
    """(L, L0)."""
    unit = (lengthrange[1] - lengthrange[0]) / max(SMALL, prm[1] - prm[0])
    return prm[0] + (length - lengthrange[0]) / max(SMALL, unit), unit


@kernel
def active_by_length(L, low, high):
    """(FL, its slope): 1 at L = 1, 0 outside [low, high]."""
    if L < low or L > high:
        return 0.0, 0.0
    a, b = 0.5 * (low + 1.0), 0.5 * (1.0 + high)
    if L <= a:
        w = max(SMALL, a - low)
        x = (L - low) / w
        return 0.5 * x * x, x / w
    if L <= 1.0:
        w = max(SMALL, 1.0 - a)
        x = (1.0 - L) / w
        return 1.0 - 0.5 * x * x, x / w
    if L <= b:
        w = max(SMALL, b - 1.0)
        x = (L - 1.0) / w
        return 1.0 - 0.5 * x * x, -x / w
    w = max(SMALL, high - b)
    x = (high - L) / w
    return 0.5 * x * x, -x / w


@kernel
def active_by_velocity(V, most):
    """(FV, its slope): 0 up to V = -1, 1 at rest, `most` where the muscle is drawn out fast."""
    y = most - 1.0
    if V <= -1.0:
        return 0.0, 0.0
    if V <= 0.0:
        return (V + 1.0) * (V + 1.0), 2.0 * (V + 1.0)
    if V <= y:
        w = max(SMALL, y)
        return most - (y - V) * (y - V) / w, 2.0 * (y - V) / w
    return most, 0.0


@kernel
def passive(L, high, most):
    """(FP, its slope): 0 up to L = 1, then quadratic, linear from halfway to `high` on."""
    b = 0.5 * (1.0 + high)
    w = max(SMALL, b - 1.0)
    if L <= 1.0:
        return 0.0, 0.0
    if L <= b:
        x = (L - 1.0) / w
        return most * 0.5 * x * x, most * x / w
    return most * (0.5 + (L - b) / w), most / w


@kernel
def muscle_gain(length, velocity, prm, lengthrange, acc0):
    """(gain [N], its derivatives by length and velocity)."""
    F = peak_force(prm, acc0)
    L, unit = scaled_length(length, prm, lengthrange)
    scale, speed = max(SMALL, unit), max(SMALL, unit * prm[6])
    by_length, l_slope = active_by_length(L, prm[4], prm[5])
    by_velocity, v_slope = active_by_velocity(velocity / speed, prm[8])
    return -F * by_length * by_velocity, -F * l_slope / scale * by_velocity, -F * by_length * v_slope / speed


@kernel
def muscle_bias(length, prm, lengthrange, acc0):
    """(bias [N], its derivative by length)."""
    F = peak_force(prm, acc0)
    L, unit = scaled_length(length, prm, lengthrange)
    force, slope = passive(L, prm[5], prm[7])
    return -F * force, -F * slope / max(SMALL, unit)


@kernel
def muscle_rate(control, act, prm):
    """ẇ [1/s]."""
    w = min(max(act, 0.0), 1.0)
    excess = min(max(control, 0.0), 1.0) - act
    fast, slow, width = prm[0] * (0.5 + 1.5 * w), prm[1] / (0.5 + 1.5 * w), prm[2]
    if width < SMALL:
        tau = fast if excess > 0.0 else slow
    else:
        x = min(max(excess / width + 0.5, 0.0), 1.0)
        tau = slow + (fast - slow) * x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    return excess / max(SMALL, tau)
