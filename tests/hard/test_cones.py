"""Orthant and second-order cone of any size: the linearised product is solved, steps end on the boundary, starts on the path."""

import numpy as np
import pytest

from dojo_py.friction_laws import CONE, ROLLING_CONE, SPINNING_CONE
from dojo_py.jit import entry
from dojo_py.solver.cones import contact, orthant, second_order


@entry
def condense(x0, x, e0, e, target, corrected, a0, ax, ae0, ae, known, K, f):
    second_order.condense(x0, x, e0, e, target, corrected, a0, ax, ae0, ae, known, K, f)


@entry
def last(x0, x, e0, e, target, corrected, a0, ax, ae0, ae, dx0, dx, de):
    r0 = second_order.remainder(x0, x, e0, e, target, corrected, a0, ax, ae0, ae)
    return second_order.recover(x0, x, e0, e, r0, dx0, dx, de)


@entry
def step(x0, x, dx0, dx):
    return second_order.largest_step(x0, x, dx0, dx, 2.0)


@entry
def starts(mass, u, h, kappa, bound):
    return orthant.start(mass, u, h, kappa), second_order.start(mass, bound, abs(u), kappa)


@entry
def pair(b, c, r, known, change):
    f, K = orthant.condense(b, c, r, known)
    db = f - K * change
    return db, orthant.recover(b, c, r, db), orthant.largest_step(b, db, 2.0)


@entry
def contact_step(law, mu, soft, yields, z, k, corrected, a, dy, y, K, f, dz):
    contact.condense(law, mu, soft, yields, z, k, k, False, a, dy, K, f)
    if corrected:
        contact.condense(law, mu, soft, yields, z, k, k, True, a, dy, K, f)
    contact.recover_step(law, mu, soft, yields, z, k, corrected, a, dy, y, K, f, False, dz)


def inside(rng, n):
    """(first entry, the others) of a random point within the cone."""
    x = rng.normal(size=n)
    return np.linalg.norm(x) * rng.uniform(1.05, 3.0), x


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("corrected", [False, True])
def test_the_linearised_product_is_solved(n, corrected):
    """x ∘ e + x ∘ δe + δx ∘ e (+ a ∘ b) = (κ, 0), for any change of x₀ and of the motion. Measured: 1e-14."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        (x0, x), (e0, e) = inside(rng, n), inside(rng, n)
        a0, ae0, dx0, kappa = *rng.normal(size=3), rng.uniform(0.1, 1.0)
        ax, ae, known, change = rng.normal(size=(4, n))
        K, f = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
        condense(x0, x, e0, e, kappa, False, a0, ax, ae0, ae, known, K, f)
        if corrected:
            condense(x0, x, e0, e, kappa, True, a0, ax, ae0, ae, known, K, f)
        dx, de = f[1:] - K[1:, 1:] @ change - K[1:, 0] * dx0, known + change
        de0 = last(x0, x, e0, e, kappa, corrected, a0, ax, ae0, ae, dx0, dx, de)
        first = x0 * e0 + x @ e + x0 * de0 + e0 * dx0 + x @ de + e @ dx + corrected * (a0 * ae0 + ax @ ae)
        others = (x0 + dx0) * e + x0 * de + (e0 + de0) * x + e0 * dx + corrected * (a0 * ae + ae0 * ax)
        scale = max(abs(x0 * de0), np.abs(e0 * dx).max(), 1.0)
        assert max(abs(first - kappa), np.abs(others).max()) < 1e-12 * scale


@pytest.mark.parametrize("law", [CONE, SPINNING_CONE, ROLLING_CONE])
@pytest.mark.parametrize("corrected", [False, True])
def test_a_contact_that_yields_solves_its_equations(law, corrected):
    """Motion changes by y + C δF, with its own compliances of the gap and of friction. Measured: 3e-14."""
    rng, n, mu, kappa, soft, yields = np.random.default_rng(law), contact.SECOND_ORDER[law], 0.7, 0.3, 0.4, 0.9
    for _ in range(20):
        (x0, x), (e0, e), size = inside(rng, n), inside(rng, n), contact.state_size(1 + n)
        z, a, dz = np.zeros(size), np.zeros(size), np.zeros(size)
        z[: 4 + 2 * n] = x0 / mu, rng.uniform(0.1, 1.0), *x, e0, *e, 0.0
        a[: 3 + 2 * n] = rng.normal(size=3 + 2 * n)
        dy, y = rng.normal(size=(2, 1 + n))
        K, f = np.zeros((1 + n, 1 + n)), np.zeros(1 + n)
        contact_step(law, mu, soft, yields, z, kappa, corrected, a, dy, y, K, f, dz)
        dx0, ds, dx, de0, de = mu * dz[0], dz[1], dz[2 : 2 + n], dz[2 + n], dz[3 + n : 3 + 2 * n]
        gap = z[0] * z[1] + z[0] * ds + dz[0] * z[1] + corrected * a[0] * a[1] - kappa
        a0, ax, ae0, ae = mu * a[0], a[2 : 2 + n], a[2 + n], a[3 + n : 3 + 2 * n]
        first = x0 * e0 + x @ e + x0 * de0 + e0 * dx0 + x @ de + e @ dx + corrected * (a0 * ae0 + ax @ ae) - kappa
        others = (x0 + dx0) * e + x0 * de + (e0 + de0) * x + e0 * dx + corrected * (a0 * ae + ae0 * ax)
        motion = max(abs(ds - dy[0] - y[0] - soft * dz[0]), np.abs(de - dy[1:] - y[1:] - yields * dx).max())
        scale = max(np.abs(dz).max() * max(x0, e0), 1.0)
        assert max(abs(gap), abs(first), np.abs(others).max(), motion) < 1e-12 * scale


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_steps_end_on_the_boundary(n):
    rng = np.random.default_rng(n)
    for _ in range(50):
        (x0, x), dx0, dx = inside(rng, n), rng.normal(), rng.normal(size=n)
        alpha = step(x0, x, dx0, dx)
        room = lambda a: x0 + a * dx0 - np.linalg.norm(x + a * dx)  # noqa: B023, E731
        assert min(room(a) for a in np.linspace(0.0, alpha, 20)) > -1e-12
        assert alpha == 2.0 or abs(room(alpha)) < 1e-10


def test_the_orthant_and_the_starts():
    """c δb + b δc = r; γ s = κ where γ = m (s - u h)/h; y (X² - x²) = κ x where y = u - x/m."""
    db, dc, alpha = pair(0.7, 0.3, 0.2, 0.1, -0.4)
    assert 0.3 * db + 0.7 * dc == pytest.approx(0.2) and dc == pytest.approx(-0.3)
    assert alpha == 2.0 or 0.7 + alpha * db == pytest.approx(0.0)
    for u in (-2.0, 0.0, 3.0):
        (gamma, s), (x, y, e0) = starts(1.5, u, 0.01, 1e-3, 0.8)
        assert gamma * s == pytest.approx(1e-3) and gamma == pytest.approx(1.5 * (s - u * 0.01) / 0.01, rel=1e-6)
        assert 0.8 * e0 - x * y == pytest.approx(1e-3, rel=1e-6)


def test_tables_by_law():
    assert contact.SECOND_ORDER == (0, 2, 0, 3, 5) and contact.ROWS == (1, 3, 3, 4, 6)
