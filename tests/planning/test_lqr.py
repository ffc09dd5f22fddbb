"""iLQR on linear systems with quadratic costs: the Riccati equation in one step, control limits beside a QP of all controls."""

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.optimize import lsq_linear
from systems import double_integrator, matrix_cost, positive, random_linear_system

from dojo_py.planning import Options, PlanStatus, ilqr

EXACT = Options(cost_tolerance=1e-13, gradient_tolerance=1e-9)


def riccati(A, B, Q, R, P, T):
    """Gains of the finite-horizon problem, first step first, and the cost matrix at the start."""
    gains = []
    for _ in range(T):
        K = -np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A + B @ K)
        gains.insert(0, K)
    return gains, P


@pytest.mark.parametrize("seed", range(5))
def test_finite_horizon_is_the_riccati_recursion(seed):
    """Cost ½ x₀ᵀ P x₀, gains, controls, after one step. Measured: 2e-13 relative."""
    generator, T = np.random.default_rng(100 + seed), 12
    sim = random_linear_system(seed)
    Q, R, final = positive(generator, 4), positive(generator, 2), positive(generator, 4)
    x0 = generator.standard_normal(4)
    plan = ilqr(
        sim, sim.initial_state(x0), np.zeros((T, 2)), stage=matrix_cost(Q, R), terminal=matrix_cost(final, R), options=EXACT
    )
    gains, P = riccati(sim.A, sim.B, Q, R, final, T)
    assert plan.status is PlanStatus.SOLVED and plan.iterations <= 2 and plan.log[0].step == 1.0
    np.testing.assert_allclose(plan.cost, 0.5 * x0 @ P @ x0, rtol=1e-10)
    np.testing.assert_allclose(plan.gains, gains, rtol=1e-8, atol=1e-9)
    x = x0
    for k in range(T):
        np.testing.assert_allclose(plan.controls[k], gains[k] @ x, rtol=1e-7, atol=1e-8)
        x = sim.A @ x + sim.B @ plan.controls[k]


@pytest.mark.parametrize("seed", range(3))
def test_long_horizon_is_the_algebraic_riccati_equation(seed):
    """First gain and cost beside scipy.linalg.solve_discrete_are. Measured: 1e-11."""
    generator = np.random.default_rng(seed)
    sim = random_linear_system(seed)
    Q, R = positive(generator, 4), positive(generator, 2)
    P = solve_discrete_are(sim.A, sim.B, Q, R)
    x0 = generator.standard_normal(4)
    plan = ilqr(sim, sim.initial_state(x0), np.zeros((60, 2)), stage=matrix_cost(Q, R), terminal=matrix_cost(P, R), options=EXACT)
    np.testing.assert_allclose(plan.cost, 0.5 * x0 @ P @ x0, rtol=1e-9)
    np.testing.assert_allclose(plan.gains[0], -np.linalg.solve(R + sim.B.T @ P @ sim.B, sim.B.T @ P @ sim.A), rtol=1e-8)


def condensed(sim, x0, T):
    """(F, f): all states stacked are f + F u."""
    n, m = sim.B.shape
    F, f, x = np.zeros((T * n, T * m)), np.zeros(T * n), x0
    for k in range(T):
        x = sim.A @ x
        f[k * n : k * n + n] = x
        for j in range(k + 1):
            F[k * n : k * n + n, j * m : j * m + m] = np.linalg.matrix_power(sim.A, k - j) @ sim.B
    return F, f


@pytest.mark.parametrize("limit", [0.2, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_control_limits_give_the_quadratic_programmes_optimum(seed, limit):
    """All controls at once as one bounded least-squares problem (scipy). Bounds: cost 1e-8 relative, controls 1e-4."""
    T, x0 = 8, np.array([1.0, -0.5, 0.3, 0.8])
    sim = random_linear_system(seed)
    identity = np.eye(4)
    plan = ilqr(
        sim, sim.initial_state(x0), np.zeros((T, 2)), stage=matrix_cost(identity, np.eye(2)),
        terminal=matrix_cost(identity, np.eye(2)), control_limits=(-limit, limit), options=EXACT,
    )  # fmt: skip
    F, f = condensed(sim, x0, T)
    stacked, right = np.vstack([F, np.eye(2 * T)]), np.concatenate([-f, np.zeros(2 * T)])
    found = lsq_linear(stacked, right, (-limit, limit), method="bvls", tol=1e-14)
    assert np.all(np.abs(plan.controls) <= limit)
    np.testing.assert_allclose(plan.cost, found.cost + 0.5 * x0 @ x0, rtol=1e-8)
    np.testing.assert_allclose(plan.controls.ravel(), found.x, atol=1e-4)
    held = np.abs(np.abs(plan.controls) - limit) < 1e-12
    assert np.all(plan.gains[held] == 0.0), "a control at its limit has no feedback"


@pytest.mark.parametrize("seed", range(3))
def test_infeasible_start_closes_its_gaps_in_one_step(seed):
    """A linear problem: any guess of the states leads to the same optimum with one full step."""
    generator, T = np.random.default_rng(seed), 10
    sim = random_linear_system(seed)
    Q, R, x0 = positive(generator, 4), positive(generator, 2), generator.standard_normal(4)
    problem = {"stage": matrix_cost(Q, R), "terminal": matrix_cost(Q, R), "options": EXACT}
    start = sim.initial_state(x0)
    plain = ilqr(sim, start, np.zeros((T, 2)), **problem)
    guess = [start, *(sim.initial_state(generator.standard_normal(4)) for _ in range(T))]
    gapped = ilqr(sim, start, np.zeros((T, 2)), states=guess, **problem)
    assert gapped.log[0].step == 1.0 and gapped.log[0].gap == 0.0 and gapped.gap == 0.0
    np.testing.assert_allclose(gapped.cost, plain.cost, rtol=1e-9)
    np.testing.assert_allclose(gapped.controls, plain.controls, atol=1e-6)


def test_minimum_energy_transfer_has_its_closed_form():
    """Double integrator to a goal at rest: u = Wᵀ (W Wᵀ)⁻¹ goal, W the map of all controls to the last state."""
    from dojo_py.planning import control_cost, goal

    sim, T = double_integrator(), 20
    target = np.array([1.0, 0.0])
    W = np.hstack([np.linalg.matrix_power(sim.A, T - 1 - k) @ sim.B for k in range(T)])
    expected = W.T @ np.linalg.solve(W @ W.T, target)
    plan = ilqr(
        sim, sim.initial_state([0.0, 0.0]), np.zeros((T, 1)), stage=control_cost(sim.model, 1.0),
        constraints=goal(sim.model, target[:1], target[1:]), options=Options(cost_tolerance=1e-14, constraint_tolerance=1e-9),
    )  # fmt: skip
    assert plan.status is PlanStatus.SOLVED and plan.violation <= 1e-9
    np.testing.assert_allclose(plan.controls[:, 0], expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(plan.cost, expected @ expected, rtol=1e-7)
