"""A contact as cones: an orthant for the gap, a second-order cone or the pyramid for friction.

State z of a contact, impulse and motion; n = SECOND_ORDER[law]:

    all             γ, s                            γ s = κ,  s = gap; of a compliant contact gap + soft γ
    second order    ξ (n), η₁, η (n), β             ξ ∘ η = κ e,  ξ₁ = μ γ + β,  η = v        (Dojo, eq. 20-24)
    pyramid         ψ, s_ψ, β₁₋₄, s_β₁₋₄            pyramid.py                                  (Dojo, eq. 5-10)

v (n,) is the motion that friction opposes: sliding along two tangents [m/s]; spinning about the normal; rolling about the tangents.
Its rows and the impulses ξ along them are scaled so that one bound μ γ holds for all of them (hard/elements/contact_rows.py).
β is constant: 0, except where friction's bound is held at an estimate (then μ is 0), which makes the problem of a step convex.

Newton's equations of a contact are solved for the impulse F = (γ, ξ) as a function of the motion y = (gap, v):  δF = f - K δy, with
K (1 + n, 1 + n). Step lengths: Dojo, eq. 41-46.

Arguments: z, its step dz and its affine step a, (state_size(rows),); motion, its change y, the residual dy of the slacks
(`motion_residual`), f and F (1 + n,); kn, kf: targets of the complementarity products of the gap and of friction [N m s].
"""

import math

from dojo_py.arrays import scratch, zeros
from dojo_py.friction_laws import PYRAMID
from dojo_py.jit import kernel
from dojo_py.solver.cones import orthant, pyramid, second_order
from dojo_py.solver.cones.orthant import FAR
from dojo_py.solver.cones.standoff import FARTHEST, NEAREST, beyond
from dojo_py.solver.small_systems import divide

ROWS = (1, 3, 3, 4, 6)
"""Law -> how many rows it has: the gap, then the motions that friction opposes."""
MOST_ROWS = 6
"""Largest number of rows of any law."""
SECOND_ORDER = (0, 2, 0, 3, 5)
"""Law -> n of its second-order cone, 0: none."""
GAMMA, S, XI = 0, 1, 2
"""Indices in z."""


def state_size(rows: int) -> int:
    """Length of z for laws of at most so many rows."""
    return max(2 * rows + 2, pyramid.SIZE)


@kernel
def bound_place(law):
    """Index of β in z."""
    return 3 + 2 * SECOND_ORDER[law]


@kernel
def friction_bound(law, mu, z):
    """ξ₁ of the second-order cone [N s]."""
    return mu * z[GAMMA] + z[3 + 2 * SECOND_ORDER[law]]


@kernel
def impulse_of(law, z, F):
    """F (rows,) = (γ, ξ), the impulse of the state z; further entries of F are set to 0."""
    n = SECOND_ORDER[law]
    F[0] = z[0]
    for i in range(n):
        F[1 + i] = z[XI + i]
    for i in range(1 + n, F.shape[0]):
        F[i] = 0.0
    if law == PYRAMID:
        F[1], F[2] = z[4] - z[5], z[6] - z[7]


@kernel
def gap_is_near(z, standoff, kappa):
    """Whether γ, s of a contact or limit are near the central path at κ, or the gap has arrived at its standoff.

    Gaps that open aim at NEAREST times the standoff: a little less still counts, or round-off would move them out and in again.
    """
    gamma, s = z[0], z[1]
    arrived = 0.5 * NEAREST * standoff < s <= FARTHEST * standoff and gamma > 0.0
    return arrived or orthant.is_near(gamma, s - standoff, kappa)


@kernel
def gap_onto_path(z, scale, kappa, standoff):
    """Move γ, s onto the central path at κ such that γ - scale s is kept; scale: mass/h [kg/s].

    s counts from where gaps arrive (`beyond_standoff`): from the standoff if it is larger, else from NEAREST times it. (If
    always from the standoff, what touches at rest would be pushed up there, and fall back, for ever.)
    """
    rest = standoff if z[1] > standoff else NEAREST * standoff
    z[0], beyond_it = orthant.onto_path(z[0], z[1] - rest, scale, kappa)
    z[1] = rest + beyond_it


@kernel
def friction_is_near(law, mu, z, kappa):
    """Whether ξ, η are near the central path at κ."""
    n = SECOND_ORDER[law]
    return n == 0 or second_order.is_near(friction_bound(law, mu, z), z[XI : 2 + n], z[2 + n], z[3 + n : 3 + 2 * n], kappa)


@kernel
def friction_onto_path(law, mu, z, mass, kappa):
    """Move ξ, η onto the central path at κ, under the bound by the present γ, such that ξ - m η is kept; m: the mass moved [kg]."""
    n, speed = SECOND_ORDER[law], 0.0
    for i in range(n):
        z[3 + n + i] -= z[XI + i] / mass
        speed += z[3 + n + i] ** 2
    speed = math.sqrt(speed)
    x, y, z[2 + n] = second_order.near_end(mass, friction_bound(law, mu, z), speed, kappa)
    for i in range(n):
        along = z[3 + n + i] / speed if speed > 0.0 else 0.0
        z[XI + i], z[3 + n + i] = -x * along, y * along


@kernel
def friction_complementarity(law, mu, z, target):
    """(largest |ξ∘η - target e|, Σ ξ·η, degree) of a contact's friction (Dojo, eq. 22, 24; degree: 51)."""
    n = SECOND_ORDER[law]
    if n > 0:
        p, others = second_order.product(friction_bound(law, mu, z), z[XI : 2 + n], z[2 + n], z[3 + n : 3 + 2 * n])
        return max(abs(p - target), others), p, 1
    if law == PYRAMID:
        worst, total = pyramid.product(z, target)
        return worst, total, 5
    return 0.0, 0.0, 0


@kernel
def friction_residual(law, mu, z, motion):
    """Largest violation of the linear friction rows [m/s]: η - v (Dojo, eq. 20), or those of the pyramid (eq. 6, 7). motion: y."""
    n, worst = SECOND_ORDER[law], 0.0
    if law == PYRAMID:
        return pyramid.rows(mu, z, motion[1], motion[2])
    for i in range(n):
        r = abs(z[3 + n + i] - motion[1 + i])
        worst = worst if worst > r or worst != worst else r
    return worst


@kernel
def motion_residual(law, z, motion, gap_floor, speed_floor, dy):
    """dy: residual of the slacks, (gap - s, v - η); of the pyramid v itself in place of v - η.

    motion: y, gap [m] and velocities; differences smaller than the floors are round-off and are set to zero.
    """
    n = SECOND_ORDER[law]
    dy[0] = beyond(motion[0] - z[1], gap_floor)
    for i in range(n):
        dy[1 + i] = beyond(motion[1 + i] - z[3 + n + i], speed_floor)
    if law == PYRAMID:
        dy[1], dy[2] = motion[1], motion[2]


@kernel
def condense(law, mu, soft, yields, z, kn, kf, corrected, a, dy, K, f):
    """δF = f - K δy' for one contact, where δy' is the change of the motion beyond dy, the present slack residual.

    soft: compliance of the gap [m/(N s)], s = gap + soft γ; yields: of what friction opposes [1/kg], η = v + yields ξ, of
    second-order cones; 0: none.
    corrected: f less the second-order terms of the affine step a, whose entries are those of z; K stays as the call without them
    left it. Only the law's rows of K and f are written.
    """
    n = SECOND_ORDER[law]
    r = kn - orthant.product(z[0], z[1])
    if corrected:
        r -= a[0] * a[1]
    f[0], K[0, 0] = orthant.condense(z[0], z[1] + soft * z[0], r, dy[0])
    if n > 0:
        known = zeros(MOST_ROWS)[1 : 1 + n] if yields > 0.0 else dy[1 : 1 + n]  # (`_let_slip_yield` adds what dy does)
        second_order.condense(
            friction_bound(law, mu, z), z[XI : 2 + n], z[2 + n], z[3 + n : 3 + 2 * n],
            kf, corrected, mu * a[0], a[XI : 2 + n], a[2 + n], a[3 + n : 3 + 2 * n], known, K, f,
        )  # fmt: skip
        if not corrected:
            for i in range(n):  # δξ₁ = μ δγ = μ (f₀ - K₀₀ δgap)
                K[1 + i, 0] *= -mu * K[0, 0]
        if yields > 0.0:
            _let_slip_yield(n, yields, corrected, dy, K, f)
        for i in range(n):
            f[1 + i] += K[1 + i, 0] / K[0, 0] * f[0]
    elif law == PYRAMID:
        K[0, 1] = K[0, 2] = 0.0
        pyramid.condense(mu, z, kf, corrected, a, dy, K, f)


@kernel
def _let_slip_yield(n, yields, corrected, dy, K, f):
    """δξ = f - K (dy + y + c δξ) for δξ: K becomes (1 + c K)⁻¹ K, in rows 1 … n, and f becomes (1 + c K)⁻¹ (f - K dy), with this K
    f - c K f - K dy.

    corrected: K has become that before.
    """
    A, old = scratch((MOST_ROWS, MOST_ROWS)), scratch(MOST_ROWS)
    if not corrected:
        for i in range(n):
            for j in range(n):
                A[i, j] = yields * K[1 + i, 1 + j] + (1.0 if i == j else 0.0)
        divide(A, K[1 : 1 + n], n, n + 1)  # (no pivots: friction resists every slip)
    for i in range(n):
        old[i] = f[1 + i]
    for i in range(n):
        for j in range(n):
            f[1 + i] -= K[1 + i, 1 + j] * (yields * old[j] + dy[1 + j])


@kernel
def recover_step(law, mu, soft, yields, z, kf, corrected, a, dy, y, K, f, more, dz):
    """dz: the step of all variables of a contact, given the change y of its motion by the bodies, and dy, K, f of `condense`.

    more: y is a further change; what it does is added to the present dz.
    """
    n = SECOND_ORDER[law]
    if not more:
        dz[0], dz[1] = f[0], dy[0] + soft * f[0]
    dz[0] -= K[0, 0] * y[0]
    dz[1] += y[0] - soft * K[0, 0] * y[0]
    if law == PYRAMID:
        pyramid.recover(mu, z, kf, corrected, a, dy, y, (0.0 if more else f[0]) - K[0, 0] * y[0], more, dz)
    if n == 0:
        return
    for i in range(n):
        if not more:
            dz[XI + i], dz[3 + n + i] = f[1 + i], dy[1 + i]
        change = 0.0 if more else f[1 + i]
        for k in range(1 + n):
            dz[XI + i] -= K[1 + i, k] * y[k]
            change -= K[1 + i, k] * y[k]
        dz[3 + n + i] += y[1 + i] + yields * change
    x0, x, e = friction_bound(law, mu, z), z[XI : 2 + n], z[3 + n : 3 + 2 * n]
    r0 = second_order.remainder(x0, x, z[2 + n], e, kf, corrected, mu * a[0], a[XI : 2 + n], a[2 + n], a[3 + n : 3 + 2 * n])
    dz[2 + n] = second_order.recover(x0, x, z[2 + n], e, r0, mu * dz[0], dz[XI : 2 + n], dz[3 + n : 3 + 2 * n])


@kernel
def step_length(law, mu, z, dz):
    """Largest α ≤ FAR that keeps z + α dz in its cones (Dojo, eq. 41-46)."""
    n, alpha = SECOND_ORDER[law], FAR
    for i in range(2):
        alpha = orthant.largest_step(z[i], dz[i], alpha)
    if n > 0:
        alpha = second_order.largest_step(friction_bound(law, mu, z), z[XI : 2 + n], mu * dz[0], dz[XI : 2 + n], alpha)
        alpha = second_order.largest_step(z[2 + n], z[3 + n : 3 + 2 * n], dz[2 + n], dz[3 + n : 3 + 2 * n], alpha)
    elif law == PYRAMID:
        alpha = pyramid.largest_step(z, dz, alpha)
    return alpha
