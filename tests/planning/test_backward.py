"""The compiled backward pass beside its formulas in numpy, and a box-constrained programme by enumeration of what is held."""

import itertools

import numpy as np
import pytest

from dojo_py.planning.backward import backward_pass
from dojo_py.planning.quadratic import Quadratic


def problem(seed, T=9, n=6, m=3, room=np.inf, indefinite=False):
    """Random derivatives of a motion and of its costs: (A, B, gaps, expansions, low, high)."""
    rng = np.random.default_rng(seed)
    expansions = []
    for k in range(T + 1):
        size = m if k < T else 0
        M = rng.standard_normal((n + size, n + size))
        H = M @ M.T / n + 0.1 * np.eye(n + size) - (3.0 * np.eye(n + size) if indefinite and k == T // 2 else 0.0)
        expansions.append(Quadratic(0.0, rng.standard_normal(n), rng.standard_normal(size), H[:n, :n], H[n:, :n], H[n:, n:]))
    A, B = rng.standard_normal((T, n, n)) / np.sqrt(n), rng.standard_normal((T, n, m)) / np.sqrt(n)
    low, high = -room * rng.random((T, m)), room * rng.random((T, m))
    return A, B, 0.1 * rng.standard_normal((T, n)), expansions, low, high


def box(H, g, low, high):
    """(minimiser, which are free), of every choice of held unknowns the one that meets the optimality conditions best."""
    best = None
    for held in itertools.product((-1, 0, 1), repeat=len(g)):
        free = np.array(held) == 0
        x = np.where(np.array(held) < 0, low, high)
        if not np.all(np.isfinite(x[~free])):
            continue
        x[free] = np.linalg.solve(H[np.ix_(free, free)], -(g + H[:, ~free] @ x[~free])[free])
        slope = H @ x + g
        wrong = [low - x, x - high, np.where(np.array(held) < 0, -slope, 0), np.where(np.array(held) > 0, slope, 0)]
        miss = max(float(part.max()) for part in wrong)
        if best is None or miss < best[0]:
            best = miss, x, free
    return best[1:]


def by_numpy(A, B, gaps, expansions, low, high, mu, on_state):
    """(feedforward, gains, slope, curvature, mean of the diagonals of Q_uu): the formulas at the head of backward.py."""
    T, n, m = B.shape
    k_, K_, mean = np.zeros((T, m)), np.zeros((T, m, n)), 0.0
    Vx, Vxx = expansions[T].x, expansions[T].xx
    for k in range(T - 1, -1, -1):
        l = expansions[k]
        Vx = Vx - Vxx @ gaps[k]
        Qu, Qux, Quu = l.u + B[k].T @ Vx, l.ux + B[k].T @ Vxx @ A[k], l.uu + B[k].T @ Vxx @ B[k]
        mean += np.trace(Quu) / (T * m)
        W = mu * np.eye(n) if on_state else np.zeros((n, n))
        Ru, Rx = Quu + B[k].T @ W @ B[k] + (0.0 if on_state else mu) * np.eye(m), Qux + B[k].T @ W @ A[k]
        k_[k], free = box(Ru, Qu, low[k], high[k])
        K_[k, free] = -np.linalg.solve(Ru[np.ix_(free, free)], Rx[free])
        K, closed = K_[k], A[k] + B[k] @ K_[k]
        Vx = l.x + K.T @ l.u + (l.ux.T + K.T @ l.uu) @ k_[k] + closed.T @ (Vx + Vxx @ B[k] @ k_[k])
        Vxx = l.xx + K.T @ l.ux + l.ux.T @ K + K.T @ l.uu @ K + closed.T @ Vxx @ closed

    def cost(alpha):
        dx, total = np.zeros(n), 0.0
        for k in range(T):
            l, du = expansions[k], alpha * k_[k] + K_[k] @ dx
            total += l.x @ dx + l.u @ du + 0.5 * dx @ l.xx @ dx + du @ l.ux @ dx + 0.5 * du @ l.uu @ du
            dx = A[k] @ dx + B[k] @ du - alpha * gaps[k]
        return total + expansions[T].x @ dx + 0.5 * dx @ expansions[T].xx @ dx

    return k_, K_, 0.5 * (cost(1.0) - cost(-1.0)), cost(1.0) + cost(-1.0), mean


@pytest.mark.parametrize(("mu", "on_state"), [(0.0, False), (0.3, False), (0.3, True)])
@pytest.mark.parametrize("room", [np.inf, 1.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_the_pass_is_its_formulas(seed, room, mu, on_state):
    """Bound 1e-9 of the largest entry; measured 1e-12."""
    given = problem(seed, room=room)
    policy, (k, K, *figures) = backward_pass(*given, mu, on_state), by_numpy(*given, mu, on_state)
    np.testing.assert_allclose(policy.feedforward, k, atol=1e-9 * np.abs(k).max())
    np.testing.assert_allclose(policy.gains, K, atol=1e-9 * np.abs(K).max())
    found = policy.slope, policy.curvature, policy.control_curvature
    np.testing.assert_allclose(found, figures, rtol=1e-8, atol=1e-9 * abs(figures[1]))
    held = np.isin(policy.feedforward, [given[4], given[5]])
    assert not policy.gains[(policy.feedforward == given[4]) | (policy.feedforward == given[5])].any()
    assert held.any() == (room < np.inf)


def test_what_is_not_positive_definite_is_refused_until_it_is_regularised():
    given = problem(0, indefinite=True)
    assert backward_pass(*given, 0.0) is None
    assert backward_pass(*given, 1e3) is not None
    broken = problem(1)
    broken[3][4].uu[0, 0] = np.nan
    assert backward_pass(*broken, 1.0) is None


def test_arrays_that_are_read_only_or_strided_are_taken():
    A, *rest = problem(2)
    strided = np.asfortranarray(A)
    strided.flags.writeable = False
    np.testing.assert_array_equal(backward_pass(strided, *rest, 0.0).gains, backward_pass(A, *rest, 0.0).gains)
