"""Box-constrained QP: optimality conditions on random problems, and scipy's answer."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from dojo_py.planning.box_qp import solve_box_qp


def random_problem(seed, m):
    generator = np.random.default_rng(seed)
    M = generator.standard_normal((m, m))
    low = -generator.random(m)
    return M @ M.T + 1e-3 * np.eye(m), 3 * generator.standard_normal(m), low, low + 0.1 + generator.random(m)


@pytest.mark.parametrize("m", [1, 2, 5, 12, 30])
@pytest.mark.parametrize("seed", range(10))
def test_minimiser_meets_the_optimality_conditions(m, seed):
    """Within the box; gradient zero where free, pointing outwards at a bound. Measured: 4e-12 of the gradient's scale."""
    H, g, low, high = random_problem(seed, m)
    found = solve_box_qp(H, g, low, high)
    gradient = H @ found.x + g
    assert np.all((found.x >= low) & (found.x <= high))
    inside = (found.x > low) & (found.x < high)
    assert np.abs(gradient[inside]).max(initial=0.0) <= 1e-9 * max(1.0, np.abs(g).max())
    assert np.all(gradient[found.x == low] >= -1e-9) and np.all(gradient[found.x == high] <= 1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_scipy(seed):
    """½ |L x − d|² with H = LᵀL is the same problem: scipy.optimize.lsq_linear. Bound 1e-6, measured 2e-8."""
    H, g, low, high = random_problem(seed, 6)
    L = np.linalg.cholesky(H).T
    theirs = lsq_linear(L, -np.linalg.solve(L.T, g), (low, high), method="bvls", tol=1e-14).x
    np.testing.assert_allclose(solve_box_qp(H, g, low, high).x, theirs, atol=1e-6)


def test_without_bounds_it_is_one_newton_step():
    H, g, _, _ = random_problem(3, 4)
    found = solve_box_qp(H, g, np.full(4, -np.inf), np.full(4, np.inf))
    np.testing.assert_allclose(found.x, -np.linalg.solve(H, g), rtol=1e-10)
    assert found.iterations <= 2 and found.free.all()


def test_indefinite_is_refused_and_a_closed_box_is_answered():
    assert solve_box_qp(np.diag([1.0, -1.0]), np.zeros(2), np.full(2, -np.inf), np.full(2, np.inf)) is None
    closed = solve_box_qp(np.eye(2), np.ones(2), np.zeros(2), np.zeros(2))
    assert not closed.x.any() and not closed.free.any()
