"""Functions of one state at many points at once: the same derivatives, and those that cannot are found out."""

import numpy as np
import pytest

from dojo_py import HardSimulator
from dojo_py.planning import ResidualCost
from dojo_py.planning.batches import _verdicts, columns
from dojo_py.planning.differences import WIDTH, jacobians, move, perturbed


def one_by_one(model, function, state, control, k):
    """Central differences by single calls."""
    n = 2 * model.nv
    rows = []
    for j in range(n + len(control)):
        if j < n:
            e = WIDTH * np.eye(n)[j]
            ahead, behind = function(move(model, state, e), control, k), function(move(model, state, -e), control, k)
            rows.append((ahead - behind) / (2 * WIDTH))
        else:
            w = WIDTH * max(1.0, abs(control[j - n]))
            e = w * np.eye(len(control))[j - n]
            rows.append((function(state, control + e, k) - function(state, control - e, k)) / (2 * w))
    return np.array(rows).T


@pytest.fixture(scope="module", params=["quadruped", "hopper"])
def start(request):
    sim, rng = HardSimulator(request.param, 0.02), np.random.default_rng(0)
    state = sim.initial_state(keyframe=0)
    model = sim.model
    state = sim.initial_state(model.integrate(state.qpos, 0.1 * rng.normal(size=model.nv)), 0.3 * rng.normal(size=model.nv))
    return model, state, rng.normal(size=model.nu)


def fine(s, u, k):
    return np.array([s.qvel[0] - 1.0, s.qpos[2] * np.sin(s.qpos[1]), u[0] ** 2 + k])


def matrix(s, u, k):
    return np.arange(2.0 * len(s.qpos)).reshape(2, -1) @ s.qpos


def summed(s, u, k):
    return np.array([s.qpos.sum(), s.qvel @ s.qvel])


def centred(s, u, k):
    """Takes a mean over all columns: the right shape, wrong numbers."""
    return np.array([s.qpos[0] - s.qpos.mean(), s.qvel[1]])


def branching(s, u, k):
    return np.array([s.qpos[0] if s.qpos[1] > 0 else -s.qpos[0]])


CASES = [(fine, True), (matrix, True), (summed, False), (centred, False), (branching, False)]


@pytest.mark.parametrize(("function", "works"), CASES)
def test_derivatives_are_those_of_single_calls(start, function, works):
    model, state, control = start
    _verdicts.pop(function, None)
    size = len(function(state, control, 3))
    rx, ru = jacobians(model, function, state, control, 3, size)
    assert _verdicts[function] is works
    single = one_by_one(model, function, state, control, 3)
    assert np.allclose(np.hstack([rx, ru]), single, rtol=1e-9, atol=1e-9 * np.abs(single).max())


def test_a_function_that_stops_to_agree_is_called_point_by_point(start):
    model, state, control = start

    def turns(s, u, k):
        return np.array([s.qvel[0]]) if k < 2 else np.array([s.qvel[0] - s.qvel.mean()])

    points = perturbed(model, state, control, np.full(2 * model.nv + model.nu, WIDTH))
    for k in (0, 1, 2):
        found, _ = columns(turns, state, points, k)
        assert found.shape == (1, points[0].shape[1])
        assert _verdicts[turns] is (k < 2)


def test_calls_are_saved(start):
    """Three calls for a Jacobian in place of two for every tangent and control."""
    model, state, control = start
    calls = []

    def counted(s, u, k):
        calls.append(k)
        return np.array([s.qvel[0], u[0]])

    cost = ResidualCost(counted)
    cost.expand(model, state, control, 0)
    calls.clear()
    cost.expand(model, state, control, 1)
    assert len(calls) <= 5  # measured: 5, 2 of them of the cost itself; one by one 2 + 2 (2 nv + nu)
