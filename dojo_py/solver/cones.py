"""Complementarity of one contact: orthant pair for the normal, second-order cone or linearised cone for friction.

State z (12,) of a contact, primal (impulse) and dual (motion):
    all             γ, s                         γ s = κ,  s = gap
    cone            ξ₂, ξ₃, η₁, η₂, η₃, β        ξ ∘ η = κ e,  ξ₁ = μ γ + β,  η₂₃ = v_t           (Dojo eq. 20-24)
    pyramid         ψ, s_ψ, β₁₋₄, s_β₁₋₄         s_ψ = μ γ - Σ β,  s_β = P v_t + ψ 1,  products κ  (Dojo, eq. 5-10)

β is constant: 0 but where friction's bound is held at an estimate (μ is 0 then), which makes the problem of a step convex.
ξ ∘ η = (ξ·η, ξ₁ η₂₃ + η₁ ξ₂₃). Newton's equations of a contact are solved for the impulse F = (γ, ξ₂, ξ₃) as a function of the
motion y = (gap, v_t):  δF = f - K δy, with K (3, 3). Step lengths: Vandenberghe, The CVXOPT linear and quadratic cone program
solvers (2010), section 8; correction: Mehrotra (1992).
"""

import math

from dojo_py.jit import kernel

FRICTIONLESS, CONE, PYRAMID = 0, 1, 2
GAMMA, S, X2, X3, E1, E2, E3, BOUND = 0, 1, 2, 3, 4, 5, 6, 7
PSI, S_PSI, BETA, S_BETA = 2, 3, 4, 8
"""Places in z; β are the impulses along +t₁, -t₁, +t₂, -t₂."""


@kernel
def impulse_of(law, z, F):
    """F (3,) = (γ, tangential impulse) [N s] of the state z."""
    F[0] = z[0]
    if law == CONE:
        F[1], F[2] = z[2], z[3]
    elif law == PYRAMID:
        F[1], F[2] = z[4] - z[5], z[6] - z[7]
    else:
        F[1] = F[2] = 0.0


@kernel
def start_state(law, mu, gamma, s, speed, z):
    """A well-centred interior state: impulse γ [N s], gap s [m], sliding speed [m/s] (0 lets the speed be guessed)."""
    z[0], z[1] = gamma, s
    if law == CONE:
        z[2] = z[3] = 0.0
        z[4] = speed
        z[5] = z[6] = 0.0
    elif law == PYRAMID:
        z[2], z[3] = speed, 0.5 * mu * gamma
        for i in range(4):
            z[4 + i] = 0.125 * mu * gamma
            z[8 + i] = speed


@kernel
def friction_complementarity(law, mu, z, target):
    """(largest |ξ∘η - target e|, Σ ξ·η, degree) of a contact's friction (Dojo, eq. 22, 24; degree: 51)."""
    if law == CONE:
        x1 = mu * z[0] + z[BOUND]
        p = x1 * z[4] + z[2] * z[5] + z[3] * z[6]
        return max(abs(p - target), abs(x1 * z[5] + z[4] * z[2]), abs(x1 * z[6] + z[4] * z[3])), p, 1
    if law == PYRAMID:
        total = z[2] * z[3]
        worst = abs(total - target)
        for i in range(4):
            p = z[4 + i] * z[8 + i]
            worst = max(worst, abs(p - target))
            total += p
        return worst, total, 5
    return 0.0, 0.0, 0


@kernel
def friction_residual(law, mu, z, v1, v2):
    """Largest violation of the linear friction rows [m/s]: η₂₃ - v_t (Dojo, eq. 20), or s_β - P v_t - ψ (eq. 6; s_ψ in N s: 7)."""
    if law == CONE:
        return max(abs(z[5] - v1), abs(z[6] - v2))
    if law == PYRAMID:
        r = abs(z[3] - mu * z[0] + z[4] + z[5] + z[6] + z[7])
        r = max(r, abs(z[8] - v1 - z[2]), abs(z[9] + v1 - z[2]))
        return max(r, abs(z[10] - v2 - z[2]), abs(z[11] + v2 - z[2]))
    return 0.0


@kernel
def condense(law, mu, z, kn, kf, corrected, a, dy, K, f):
    """δF = f - K δy' for one contact, where δy' is the change of the motion beyond dy (3,), the present slack residual.

    corrected: subtract the second-order terms of the affine step a (12,). K (3, 3), f (3,) are written.
    """
    g, s = z[0], z[1]
    for i in range(3):
        for j in range(3):
            K[i, j] = 0.0
        f[i] = 0.0
    inv_s = 1.0 / s
    r1 = kn - g * s
    if corrected:
        r1 -= a[0] * a[1]
    K[0, 0] = g * inv_s
    f[0] = r1 * inv_s - K[0, 0] * dy[0]
    if law == CONE:
        _condense_cone(mu, z, kf, corrected, a, dy, K, f)
    elif law == PYRAMID:
        _condense_pyramid(mu, z, kf, corrected, a, dy, K, f)


@kernel
def _condense_cone(mu, z, kf, corrected, a, dy, K, f):
    x1, x2, x3, e1, e2, e3 = mu * z[0] + z[BOUND], z[2], z[3], z[4], z[5], z[6]
    r2 = kf - (x1 * e1 + x2 * e2 + x3 * e3)
    r3, r4 = -(x1 * e2 + e1 * x2), -(x1 * e3 + e1 * x3)
    if corrected:
        da = mu * a[0]
        r2 -= da * a[4] + a[2] * a[5] + a[3] * a[6]
        r3 -= da * a[5] + a[4] * a[2]
        r4 -= da * a[6] + a[4] * a[3]
    i1 = 1.0 / x1
    # A δx = r - M δη - (e - x e1/x1) μ δγ,  A = e1 I - x eᵀ/x1,  M = x1 I - x xᵀ/x1
    q2, q3 = mu * (e2 - x2 * e1 * i1), mu * (e3 - x3 * e1 * i1)
    b2, b3 = r3 - x2 * r2 * i1 - q2 * f[0], r4 - x3 * r2 * i1 - q3 * f[0]
    m22, m23, m33 = x1 - x2 * x2 * i1, -x2 * x3 * i1, x1 - x3 * x3 * i1
    b2 -= m22 * dy[1] + m23 * dy[2]
    b3 -= m23 * dy[1] + m33 * dy[2]
    ie = 1.0 / e1
    w = ie / (x1 * e1 - x2 * e2 - x3 * e3)  # A⁻¹ = I/e1 + w x eᵀ
    t = w * (e2 * b2 + e3 * b3)
    f[1], f[2] = ie * b2 + t * x2, ie * b3 + t * x3
    t = w * (e2 * m22 + e3 * m23)
    K[1, 1], K[2, 1] = ie * m22 + t * x2, ie * m23 + t * x3
    t = w * (e2 * m23 + e3 * m33)
    K[1, 2], K[2, 2] = ie * m23 + t * x2, ie * m33 + t * x3
    # δγ = f0 - K00 δgap enters with -q: δx gets + A⁻¹ q K00 δgap
    t = w * (e2 * q2 + e3 * q3)
    K[1, 0], K[2, 0] = -K[0, 0] * (ie * q2 + t * x2), -K[0, 0] * (ie * q3 + t * x3)


@kernel
def _condense_pyramid(mu, z, kf, corrected, a, dy, K, f):
    # δβ_i = α_i - d_i (P_i δv + δψ);  s_ψ δψ + ψ (μ δγ - Σ δβ) = r_ψ
    psi, spsi = z[2], z[3]
    sum_alpha, sum_d = 0.0, 0.0
    total = mu * z[0] - z[4] - z[5] - z[6] - z[7]
    r_psi = kf - psi * spsi - psi * (total - spsi)
    if corrected:
        r_psi -= a[2] * a[3]
    al0, al1, al2, al3 = 0.0, 0.0, 0.0, 0.0
    d0, d1, d2, d3 = 0.0, 0.0, 0.0, 0.0
    for i in range(4):
        beta, sb = z[4 + i], z[8 + i]
        r = kf - beta * sb
        if corrected:
            r -= a[4 + i] * a[8 + i]
        sign = 1.0 if i % 2 == 0 else -1.0
        d = beta / sb
        alpha = r / sb - d * (sign * dy[1 + i // 2] + psi - sb)
        sum_alpha += alpha
        sum_d += d
        if i == 0:
            al0, d0 = alpha, d
        elif i == 1:
            al1, d1 = alpha, d
        elif i == 2:
            al2, d2 = alpha, d
        else:
            al3, d3 = alpha, d
    # δψ = (r_ψ - ψ (μ δγ - Σα + Σ d_i P_i δv)) / (s_ψ + ψ Σ d)
    inv = 1.0 / (spsi + psi * sum_d)
    p1, p2 = d0 - d1, d2 - d3
    c0 = inv * (r_psi - psi * (mu * f[0] - sum_alpha))  # constant part of δψ
    cg = inv * psi * mu * K[0, 0]  # by δgap
    c1, c2 = -inv * psi * p1, -inv * psi * p2
    f[1] = al0 - al1 - (d0 - d1) * c0
    f[2] = al2 - al3 - (d2 - d3) * c0
    K[1, 0], K[2, 0] = p1 * cg, p2 * cg
    K[1, 1], K[1, 2] = d0 + d1 + p1 * c1, p1 * c2
    K[2, 1], K[2, 2] = p2 * c1, d2 + d3 + p2 * c2


@kernel
def beyond(value, floor):
    """What of a residual exceeds its round-off floor: Newton's steps must not chase noise, stiff contacts turn it into impulses."""
    return value - floor if value > floor else (value + floor if value < -floor else 0.0)


NEAREST, FARTHEST = 0.5, 2.0
"""Gaps within these factors of the standoff have arrived at the hard limit."""


@kernel
def beyond_standoff(s, standoff):
    """What a gap s [m] has still to shrink (or to grow): nothing where it has arrived; from above it aims at the standoff.

    Impulses of contacts that share a load (four corners, two links at their joint) are not determined by the motion, only by which
    gap is a little smaller. The end of the path must not depend on that: contacts that have arrived keep their shares.
    """
    return s - standoff if s > FARTHEST * standoff else min(s - NEAREST * standoff, 0.0)


@kernel
def motion_residual(law, z, motion, gap_floor, speed_floor, dy):
    """dy (3,): how far the slacks are from the motion they stand for, (gap - s, v_t - η₂₃); the pyramid keeps v_t itself.

    motion (3,): gap [m], tangential velocity [m/s]; differences within the floors are round-off and count as none.
    """
    dy[0] = beyond(motion[0] - z[1], gap_floor)
    if law == CONE:
        dy[1], dy[2] = beyond(motion[1] - z[5], speed_floor), beyond(motion[2] - z[6], speed_floor)
    else:
        dy[1], dy[2] = motion[1], motion[2]


@kernel
def recover_step(law, mu, z, kf, corrected, a, dy, y, K, f, more, dz):
    """dz (12,): the step of all variables of a contact, given the bodies' change of motion y (3,) and dy, K, f of `condense`.

    more: y is a further change, added to the dz that is there.
    """
    if not more:
        dz[0], dz[1] = f[0], dy[0]
    dz[0] -= K[0, 0] * y[0]
    dz[1] += y[0]
    if law == PYRAMID:
        _recover_pyramid(mu, z, kf, corrected, a, dy, y, (0.0 if more else f[0]) - K[0, 0] * y[0], more, dz)
    if law != CONE:
        return
    if not more:
        dz[2], dz[3], dz[5], dz[6] = f[1], f[2], dy[1], dy[2]
    dz[2] -= K[1, 0] * y[0] + K[1, 1] * y[1] + K[1, 2] * y[2]
    dz[3] -= K[2, 0] * y[0] + K[2, 1] * y[1] + K[2, 2] * y[2]
    dz[5] += y[1]
    dz[6] += y[2]
    x1, e1 = mu * z[0] + z[BOUND], z[4]
    r2 = kf - (x1 * e1 + z[2] * z[5] + z[3] * z[6])
    if corrected:
        r2 -= mu * a[0] * a[4] + a[2] * a[5] + a[3] * a[6]
    dz[4] = (r2 - e1 * mu * dz[0] - z[5] * dz[2] - z[6] * dz[3] - z[2] * dz[5] - z[3] * dz[6]) / x1


@kernel
def _recover_pyramid(mu, z, kf, corrected, a, dy, y, g, more, dz):
    """g: (further) change of γ; what does not depend on y and g enters once."""
    psi, spsi = z[2], z[3]
    once = 0.0 if more else 1.0
    sum_alpha, sum_d, sum_dp = 0.0, 0.0, 0.0
    for i in range(4):
        r = kf - z[4 + i] * z[8 + i]
        if corrected:
            r -= a[4 + i] * a[8 + i]
        sign = 1.0 if i % 2 == 0 else -1.0
        d = z[4 + i] / z[8 + i]
        sum_alpha += once * (r / z[8 + i] - d * (sign * dy[1 + i // 2] + psi - z[8 + i]))
        sum_d += d
        sum_dp += d * sign * y[1 + i // 2]
    rest = mu * z[0] - z[4] - z[5] - z[6] - z[7] - spsi
    r_psi = kf - psi * spsi - psi * rest
    if corrected:
        r_psi -= a[2] * a[3]
    d_psi = (once * r_psi - psi * (mu * g - sum_alpha + sum_dp)) / (spsi + psi * sum_d)
    sum_beta = 0.0
    for i in range(4):
        r = kf - z[4 + i] * z[8 + i]
        if corrected:
            r -= a[4 + i] * a[8 + i]
        sign = 1.0 if i % 2 == 0 else -1.0
        d_slack = sign * y[1 + i // 2] + d_psi + once * (sign * dy[1 + i // 2] + psi - z[8 + i])
        d_beta = (once * r - z[4 + i] * d_slack) / z[8 + i]
        dz[8 + i] = (0.0 if once > 0.0 else dz[8 + i]) + d_slack
        dz[4 + i] = (0.0 if once > 0.0 else dz[4 + i]) + d_beta
        sum_beta += d_beta
    dz[2] = (0.0 if once > 0.0 else dz[2]) + d_psi
    dz[3] = (0.0 if once > 0.0 else dz[3]) + mu * g - sum_beta + once * rest


FAR = 2.0
"""Step lengths are reported up to this, so that a full step is taken only when the boundary is well beyond it."""


@kernel
def _soc_step(a0, a1, a2, d0, d1, d2):
    """Largest α ≤ FAR that keeps (a0, a12) + α (d0, d12) in the second-order cone; a interior (Dojo, eq. 42-46, as a root)."""
    dn, an = math.sqrt(d1 * d1 + d2 * d2), math.sqrt(a1 * a1 + a2 * a2)
    a = (d0 - dn) * (d0 + dn)
    b = a0 * d0 - a1 * d1 - a2 * d2
    c = (a0 - an) * (a0 + an)  # > 0, interior
    if c <= 0.0:
        return 0.0
    # the ray meets the boundary where  a α² + 2 b α + c = 0
    disc = b * b - a * c
    alpha = FAR
    if disc >= 0.0:
        denom = -b + math.sqrt(disc)
        if denom > 0.0:
            alpha = c / denom  # stays finite as a → 0
    if d0 < 0.0:
        alpha = min(alpha, -a0 / d0)
    return min(FAR, alpha)


@kernel
def step_length(law, mu, z, dz):
    """Largest α ≤ FAR that keeps z + α dz in its cones (Dojo, eq. 41-46)."""
    alpha = FAR
    for i in range(2):
        if dz[i] < 0.0:
            alpha = min(alpha, -z[i] / dz[i])
    if law == CONE:
        alpha = min(alpha, _soc_step(mu * z[0] + z[BOUND], z[2], z[3], mu * dz[0], dz[2], dz[3]))
        alpha = min(alpha, _soc_step(z[4], z[5], z[6], dz[4], dz[5], dz[6]))
    elif law == PYRAMID:
        for i in range(2, 12):
            if dz[i] < 0.0:
                alpha = min(alpha, -z[i] / dz[i])
    return alpha
