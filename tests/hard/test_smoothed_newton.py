"""Newton's method on smoothed equations: back onto the path, few iterations, the same solution as from a cold start."""

import numpy as np
import pytest

from dojo_py import HardSimulator, load_model
from dojo_py.jit import entry
from dojo_py.reproduce.scenes import measured_motion
from dojo_py.solver.cones import orthant, second_order


@entry
def onto_path(b, c, scale, kappa):
    return orthant.onto_path(b, c, scale, kappa)


@entry
def near_end(mass, bound, u, kappa):
    return second_order.near_end(mass, bound, u, kappa)


def test_pairs_of_numbers_go_onto_the_path():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        b, c = rng.normal(size=2) * 10.0 ** rng.uniform(-6, 2, 2)
        scale, kappa = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-16, -4)
        on_b, on_c = onto_path(b, c, scale, kappa)
        size = abs(b) + scale * abs(c)
        assert on_b > 0.0
        assert on_c > 0.0
        assert abs(on_b * on_c - kappa) < 1e-12 * kappa
        assert abs((on_b - scale * on_c) - (b - scale * c)) < 1e-12 * (size + np.sqrt(kappa * scale))


def test_friction_goes_onto_the_path():
    """The slip left is u - x/m, to 1e-12; the product κ, to a factor of 2 where sums of numbers can tell it."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        mass, bound, u = 10.0 ** rng.uniform([-3, -6, -6], [2, 2, 1.5])
        kappa = 10.0 ** rng.uniform(-15, -11)
        x, y, big = near_end(mass, bound, u, kappa)
        assert 0.0 < x < bound
        assert abs(u - x / mass - y) < 1e-12 * u + 1e-4 * (kappa * mass > 1e-2 * bound**2) * u
        assert abs(bound * y - big * x) <= 1e-12 * bound * y
        clear = kappa / (y * bound) > 1e-12
        assert not clear or 0.5 < y * (bound - x) * (bound + x) / (x * kappa) < 2.0


def states(name, steps, amplitude=0.0):
    sim, rng = HardSimulator(name, 0.01), np.random.default_rng(0)
    state = sim.initial_state()
    for _ in range(steps):
        control = amplitude * rng.uniform(-1, 1, sim.model.nu)
        yield sim, state, control
        state = sim.step(state, control).state


ROBOTS = ("humanoid", "atlas", "quadruped", "walker", "half_cheetah", "ant", "panda")
LONGER = pytest.mark.xfail(strict=False, reason="bound, 99 % of the steps: 14; 13 to 15, by round-off")


@pytest.mark.parametrize(
    ("name", "kappa"),
    [
        pytest.param(name, kappa, marks=LONGER if (name, kappa) == ("atlas", None) else ())
        for name in ROBOTS
        for kappa in (None, 3e-4, 1e-6)
    ],
)
def test_iterations_under_random_controls(name, kappa):
    """Median at most 6 and 99 % at most 14 (a free arm: 3), 1000 steps of 0.01 s.

    Measured: medians 6, 6, 5, 4, 4, 5, 3 in the hard limit, 5, 5, 5, 4, 4, 4, 3 at κ 3e-4; 99 % within 14, 15, 12, 11, 8, 11, 6 and
    10, 11, 8, 7, 6, 5, 4.
    """
    counts = measured_motion(name, 0.01, 1000, kappa=kappa).iterations
    print(np.median(counts), np.percentile(counts, 99), counts.max())
    assert np.median(counts) <= (3 if name == "panda" else 6)
    assert np.percentile(counts, 99) <= 14


@pytest.mark.parametrize(("name", "most"), [("panda", 4.0), ("hopper", 2.5), ("humanoid", 5.0)])
def test_few_iterations_where_contacts_stay(name, most):
    """In the mean of 100 steps. Measured: 3.6, 1.7, 4.1; by the interior-point method alone 9.4, 5.2, 4.0."""
    counts = [sim.step(state, control).iterations for sim, state, control in states(name, 100)]
    assert np.mean(counts[10:]) < most


def test_convergence_is_quadratic():
    """Residuals of a humanoid that stands. Measured: 0.25, 6e-5, 3e-9, 1e-15 m/s."""
    *_, (sim, state, control) = states("humanoid", 22)
    trace = sim.trace(state, control, kappa=0.0)
    assert len(trace) <= 5
    assert trace[1, 0] < 1e-2 * trace[0, 0]
    assert trace[2, 0] < 1e-2 * trace[1, 0]
    assert trace[-1, 0] < 1e-11


def test_the_trace_is_that_of_the_last_solve_alone():
    """Where a solve before it took more iterations, its last rows stayed. A cube whose sliding locks up needs several."""
    sim = HardSimulator(
        load_model(
            """<mujoco><worldbody><geom type="plane" size="1 1 1" friction="2 0 0"/><body pos="0 0 .1"><freejoint/>
            <geom type="box" size=".1 .1 .1" friction="2 0 0"/></body></worldbody></mujoco>"""
        ),
        0.002,
    )
    state = sim.initial_state(qvel=[1.0, 0, 0, 0, 0, 0])
    step, trace = sim.step(state), sim.trace(state)
    assert step.attempts > 1 and 1 < len(trace) <= step.iterations
    assert np.all(trace[:-1, 3] > 0.0) and trace[-1, 3] == 0.0


WHY = "with this method and without: rigid bodies do not determine how what slides shares its load, nor with it the friction"
FAR = pytest.mark.xfail(strict=True, reason=f"bound 1e-6: 2.7e-4, {WHY}")
NEAR = pytest.mark.xfail(strict=False, reason=f"bound 1e-6: 1.7e-6, {WHY}")
"""Both are solutions: with tolerances ten times tighter both motions stay as they are (a humanoid whose hands slide)."""


@pytest.mark.parametrize("name", ["panda", "quadruped", pytest.param("humanoid", marks=FAR), pytest.param("walker", marks=NEAR)])
def test_solution_is_that_of_a_cold_start(name):
    """Velocities of 60 steps under random controls, warm and without the last step's impulses: equal to 1e-6 m/s, rad/s."""
    worst = 0.0
    for sim, state, control in states(name, 60, 0.2):
        cold = sim.initial_state(state.qpos, state.qvel, act=state.act)
        worst = max(worst, np.abs(sim.step(state, control).state.qvel - sim.step(cold, control).state.qvel).max())
    assert worst < 1e-6
