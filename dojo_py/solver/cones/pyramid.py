"""Friction's cone made linear: orthants ψ, s_ψ and β, s_β along +t₁, -t₁, +t₂, -t₂ (Dojo, eq. 5-10).

s_ψ = μ γ - Σ β,    s_β = P v_t + ψ 1,    products κ

δβ_i = α_i - d_i (P_i δv + δψ),   d_i = β_i / s_βi,      s_ψ δψ + ψ (μ δγ - Σ δβ) = r_ψ

Arguments as in contact.py: z, dz, a (SIZE,); dy, y, f (3,); K (3, 3).
"""

from dojo_py.jit import kernel
from dojo_py.solver.cones import orthant

PSI, S_PSI, BETA, S_BETA, SIZE = 2, 3, 4, 8, 12
"""Indices in a contact's state z; β are the impulses along the four directions."""


@kernel
def _sign(i):
    return 1.0 if i % 2 == 0 else -1.0


@kernel
def product(z, target):
    """(largest |product - target|, sum of the products)."""
    total = orthant.product(z[PSI], z[S_PSI])
    worst = abs(total - target)
    for i in range(4):
        p = orthant.product(z[BETA + i], z[S_BETA + i])
        worst = max(worst, abs(p - target))
        total += p
    return worst, total


@kernel
def rows(mu, z, v1, v2):
    """Largest violation of the linear rows [m/s]: s_β - P v_t - ψ (Dojo, eq. 6); of s_ψ in N s (eq. 7)."""
    r = abs(z[3] - mu * z[0] + z[4] + z[5] + z[6] + z[7])
    r = max(r, abs(z[8] - v1 - z[2]), abs(z[9] + v1 - z[2]))
    return max(r, abs(z[10] - v2 - z[2]), abs(z[11] + v2 - z[2]))


@kernel
def largest_step(z, dz, alpha):
    """Largest step up to alpha that keeps all ten numbers positive."""
    for i in range(PSI, SIZE):
        alpha = orthant.largest_step(z[i], dz[i], alpha)
    return alpha


@kernel
def start(mu, gamma, speed, z):
    """A well-centred interior state under the impulse γ [N s] at a sliding speed [m/s]."""
    z[PSI], z[S_PSI] = speed, 0.5 * mu * gamma
    for i in range(4):
        z[BETA + i] = 0.125 * mu * gamma
        z[S_BETA + i] = speed


@kernel
def set_impulse(F, z):
    """Set the impulses in z to F = (γ, ξ₁, ξ₂) [N s]: each ξ by the one direction that has its sign."""
    z[0] = F[0]
    for i in range(4):
        z[BETA + i] = max(_sign(i) * F[1 + i // 2], 0.0)


@kernel
def condense(mu, z, kf, corrected, a, dy, K, f):
    """Rows 1 and 2 of K (3, 3) and f (3,), from K[0, 0], f[0] of the gap; as `contact.condense`."""
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
        alpha, d = orthant.condense(beta, sb, r, _sign(i) * dy[1 + i // 2] + psi - sb)
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
def recover(mu, z, kf, corrected, a, dy, y, g, more, dz):
    """The steps of ψ, β and their slacks; g: change of γ.

    more: y and g are further changes; only what depends on them is added to dz.
    """
    psi, spsi = z[2], z[3]
    once = 0.0 if more else 1.0
    sum_alpha, sum_d, sum_dp = 0.0, 0.0, 0.0
    for i in range(4):
        r = kf - z[4 + i] * z[8 + i]
        if corrected:
            r -= a[4 + i] * a[8 + i]
        alpha, d = orthant.condense(z[4 + i], z[8 + i], r, _sign(i) * dy[1 + i // 2] + psi - z[8 + i])
        sum_alpha += once * alpha
        sum_d += d
        sum_dp += d * _sign(i) * y[1 + i // 2]
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
        d_slack = _sign(i) * y[1 + i // 2] + d_psi + once * (_sign(i) * dy[1 + i // 2] + psi - z[8 + i])
        d_beta = orthant.recover(z[8 + i], z[4 + i], once * r, d_slack)
        dz[8 + i] = (0.0 if once > 0.0 else dz[8 + i]) + d_slack
        dz[4 + i] = (0.0 if once > 0.0 else dz[4 + i]) + d_beta
        sum_beta += d_beta
    dz[2] = (0.0 if once > 0.0 else dz[2]) + d_psi
    dz[3] = (0.0 if once > 0.0 else dz[3]) + mu * g - sum_beta + once * rest
