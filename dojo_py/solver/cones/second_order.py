"""Second-order cone of any size: x₀ ≥ |x|, e₀ ≥ |e| with x ∘ e = κ (1, 0). Coulomb friction, of sliding, spinning and rolling.

    x ∘ e = (x₀ e₀ + x·e, x₀ e + e₀ x)                                                                       (Dojo, eq. 22-24)

Its linearisation, x₀ and e given, is solved for x and e₀. With the right-hand sides (r₀, r) and d = x₀ e₀ - x·e,

    A δx = (r - x r₀/x₀) - M δe - (e - x e₀/x₀) δx₀,      A = e₀ 1 - x eᵀ/x₀,   M = x₀ 1 - x xᵀ/x₀
    A⁻¹ y = (y + x (e·y)/d) / e₀
    K = A⁻¹ M = (x₀/e₀) 1 + x (x₀ e/e₀ - x)ᵀ / d,         A⁻¹ x = (x₀/d) x

Vectors x, e, their steps dx, de and affine steps ax, ae are (n,) without their first entries. Step length: Vandenberghe, The
CVXOPT linear and quadratic cone program solvers (2010), section 8; second-order terms: Mehrotra (1992).
"""

import math

from dojo_py.jit import kernel
from dojo_py.solver.cones.orthant import FAR, NEAR


@kernel
def product(x0, x, e0, e):
    """(first entry of x ∘ e, the largest of the others)."""
    first, others = x0 * e0, 0.0
    for i in range(x.shape[0]):
        first += x[i] * e[i]
        others = max(others, abs(x0 * e[i] + e0 * x[i]))
    return first, others


@kernel
def inverse(x, e, inv_e0, inv_d, y):
    """y (n,) becomes A⁻¹ y; inv_e0 = 1/e₀, inv_d = 1/d."""
    along = 0.0
    for i in range(x.shape[0]):
        along += e[i] * y[i]
    along *= inv_d
    for i in range(x.shape[0]):
        y[i] = (y[i] + x[i] * along) * inv_e0


@kernel
def scaling(x0, x, e, inv_e0, inv_d, K):
    """K of δx = f - K δe - …, written to rows and columns 1 … n of K (n + 1, n + 1)."""
    ratio = x0 * inv_e0
    for j in range(x.shape[0]):
        t = (ratio * e[j] - x[j]) * inv_d
        for i in range(x.shape[0]):
            K[1 + i, 1 + j] = x[i] * t
        K[1 + j, 1 + j] += ratio


@kernel
def largest_step(x0, x, dx0, dx, alpha):
    """Largest step up to alpha ≤ FAR that keeps (x₀, x) + step (δx₀, δx) in the cone; x interior (Dojo, eq. 42-46, as a root)."""
    dd, xx, b = 0.0, 0.0, x0 * dx0
    for i in range(x.shape[0]):
        dd += dx[i] * dx[i]
        xx += x[i] * x[i]
        b -= x[i] * dx[i]
    dn, xn = math.sqrt(dd), math.sqrt(xx)
    a = (dx0 - dn) * (dx0 + dn)
    c = (x0 - xn) * (x0 + xn)  # > 0, interior
    if c <= 0.0:
        return 0.0
    # the ray meets the boundary where  a α² + 2 b α + c = 0
    disc = b * b - a * c
    step = FAR
    if disc >= 0.0:
        denom = -b + math.sqrt(disc)
        if denom > 0.0:
            step = c / denom  # stays finite as a → 0
    if dx0 < 0.0:
        step = min(step, -x0 / dx0)
    return min(alpha, step)


@kernel
def start(mass, bound, u, kappa):
    """(x [N s], y [m/s], e₀ [m/s]) of a mass whose free slip is u ≥ 0, with bound X: impulse -x along the slip, remaining slip y.

    y = u - x/m,   y (X² - x²) = κ x,   e₀ = X y / x
    """
    if u <= 0.0:
        return 0.0, 0.0, kappa / bound
    low, high, inv_mass = 0.0, min(bound, mass * u), 1.0 / mass
    for _ in range(16):  # a start need not be exact
        x = 0.5 * (low + high)
        if (u - x * inv_mass) * (bound * bound - x * x) > kappa * x:
            low = x
        else:
            high = x
    x = low
    if x <= 0.0:
        x = 1e-300
    y = kappa * x / (bound * bound - x * x)
    return x, y, bound * y / x


@kernel
def is_near(x0, x, e0, e, kappa):
    """Whether x, e are inside of the cone and x ∘ e is near κ (1, 0)."""
    xx, ee = 0.0, 0.0
    for i in range(x.shape[0]):
        xx += x[i] * x[i]
        ee += e[i] * e[i]
    if not (x0 > 0.0 and e0 > 0.0 and xx < x0 * x0 and ee < e0 * e0):
        return False
    first, others = product(x0, x, e0, e)
    return kappa < NEAR * first < NEAR * NEAR * kappa and NEAR * others < kappa


@kernel
def near_end(mass, bound, u, kappa):
    """`start` for small κ: y = u - x/m holds exactly, y (X² - x²) = κ x to a few percent.

    Small is the remaining slip y where the mass sticks, m u < X, and the distance a = X - x from the bound where it slides. Each is
    the root of a quadratic equation,

        y (X - m u + m y) = q = a (m u - X + a)/m,     q = κ x/(X + x)
    """
    free = mass * u  # x without a bound
    if not (u > 0.0 and kappa * mass < 1e-2 * bound * bound):
        if not free > 2.0 * bound:
            x, y, big = start(mass, bound, u, kappa)
            if y > 0.1 * u:
                y = u - x / mass
                big = bound * y / x
            return x, y, big
        y, x = u, 0.0
        for _ in range(3):
            x = 2.0 * y * bound * bound / (kappa + math.sqrt(kappa * kappa + 4.0 * y * y * bound * bound))
            y = u - x / mass
        return x, y, bound * y / x
    x = min(free, bound)
    y = 0.0
    for _ in range(3):
        q, apart = mass * kappa * x / (bound + x), abs(bound - free)
        least = 2.0 * q / (apart + math.sqrt(apart * apart + 4.0 * q))
        if free >= bound:
            least = max(least, 4e-16 * bound)
        x = min(free, bound) - least
        y = (least if free < bound else free - bound + least) / mass
    return x, y, bound * y / x


@kernel
def condense(x0, x, e0, e, target, corrected, a0, ax, ae0, ae, known, K, f):
    """(f, K) of δx = f - K (δx₀, δe'), where δe = known + δe'. f[1 + i], K[1 + i, …] belong to x_i; row 0 of K is 0 but for K₀₀.

    target: κ. corrected: f less the second-order terms of the affine step (a0, ax), (ae0, ae); K stays as the call without them
    left it. known (n,).
    """
    n, d = x.shape[0], x0 * e0
    for i in range(n):
        d -= x[i] * e[i]
    inv_x0, inv_e0, inv_d = 1.0 / x0, 1.0 / e0, 1.0 / d
    if not corrected:
        _put_matrix(x0, x, e0, e, inv_x0, inv_e0, inv_d, K)
    r0, y = remainder(x0, x, e0, e, target, corrected, a0, ax, ae0, ae) * inv_x0, f[1 : 1 + n]
    for i in range(n):
        r = -(x0 * e[i] + e0 * x[i])
        if corrected:
            r -= a0 * ae[i] + ae0 * ax[i]
        y[i] = r - x[i] * r0
    inverse(x, e, inv_e0, inv_d, y)
    for i in range(n):
        for j in range(n):
            y[i] -= K[1 + i, 1 + j] * known[j]


@kernel
def _put_matrix(x0, x, e0, e, inv_x0, inv_e0, inv_d, K):
    """K of `condense`."""
    n = x.shape[0]
    scaling(x0, x, e, inv_e0, inv_d, K)
    ratio, q = e0 * inv_x0, K[0, 1 : 1 + n]  # (row 0 of K: room for q)
    for i in range(n):
        q[i] = e[i] - x[i] * ratio
    inverse(x, e, inv_e0, inv_d, q)
    for i in range(n):
        K[1 + i, 0], q[i] = q[i], 0.0


@kernel
def remainder(x0, x, e0, e, target, corrected, a0, ax, ae0, ae):
    """r₀: the target less the first entry of x ∘ e and, if corrected, its second-order terms."""
    r = target - x0 * e0
    for i in range(x.shape[0]):
        r -= x[i] * e[i]
    if corrected:
        r -= a0 * ae0
        for i in range(x.shape[0]):
            r -= ax[i] * ae[i]
    return r


@kernel
def recover(x0, x, e0, e, r0, dx0, dx, de):
    """δe₀ of e₀ δx₀ + x₀ δe₀ + e·δx + x·δe = r₀."""
    r = r0 - e0 * dx0
    for i in range(x.shape[0]):
        r -= e[i] * dx[i] + x[i] * de[i]
    return r / x0
