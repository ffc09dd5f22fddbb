"""Receding horizon: LQR on linear systems, a pendulum kept up through pushes; timing, feedback between plans, errors."""

import dataclasses

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from systems import FunctionSystem, double_integrator, matrix_cost, pendulum, positive, random_linear_system

from dojo_py.planning import Controller, Options, control_cost, mpc, state_cost
from dojo_py.planning.receding_horizon import Timing


def test_with_the_riccati_terminal_cost_it_is_lqr():
    """Every applied control is the infinite-horizon gain times the state, whatever the horizon. Bound 1e-7."""
    generator = np.random.default_rng(0)
    sim = random_linear_system(0)
    Q, R = positive(generator, 4), positive(generator, 2)
    P = solve_discrete_are(sim.A, sim.B, Q, R)
    K = -np.linalg.solve(R + sim.B.T @ P @ sim.B, sim.B.T @ P @ sim.A)
    objective = {"stage": matrix_cost(Q, R), "terminal": matrix_cost(P, R)}
    controller = Controller(sim, lambda state: objective, np.zeros((5, 2)))
    run = mpc(sim, sim.initial_state(generator.standard_normal(4)), controller, 15)
    x = np.hstack([run.qpos, run.qvel])[:-1]
    np.testing.assert_allclose(run.controls, x @ K.T, rtol=1e-7, atol=1e-9)
    assert np.abs(run.qpos[-1]).max() < 0.1 * np.abs(run.qpos[0]).max() and run.unsolved == 0


def upright_pendulum(options=None, **more):
    sim = pendulum()
    objective = {
        "stage": [state_cost(sim.model, [np.pi], weight=[0.1, 0.01]), control_cost(sim.model, 1e-3)],
        "terminal": state_cost(sim.model, [np.pi], weight=10.0), "control_limits": (-20.0, 20.0),
    }  # fmt: skip
    options = options or Options(max_iterations=2, max_updates=1, harden=False)
    first = Options(max_iterations=100)
    return sim, Controller(sim, lambda state: objective, np.full((30, 1), 0.1), options, first, **more)


@pytest.mark.parametrize("shift", [1, 3])
def test_swings_up_and_holds(shift):
    sim, controller = upright_pendulum(shift=shift)
    run = mpc(sim, sim.initial_state([0.0, 0.0]), controller, 90)
    assert np.abs(run.qpos[60:, 0] - np.pi).max() < 0.02 and np.abs(run.controls).max() <= 20.0
    assert len(run.timing.seconds) == 90 // shift and run.timing.interval == pytest.approx(shift * sim.timestep)


def test_comes_back_after_a_push_it_does_not_know_of():
    sim, controller = upright_pendulum()

    class Pushed(FunctionSystem):
        def step(self, state, control, kappa=None, wrenches=None):
            push = 0.0 if wrenches is None else wrenches
            return super().step(state, control + push)

    world = Pushed(sim.function, 1, 1)
    run = mpc(world, world.initial_state([np.pi, 0.0]), controller, 80, lambda t: 30.0 if 1.0 <= t < 1.2 else None)
    away = np.abs(run.qpos[:, 0] - np.pi)
    assert away.max() > 0.05 and away[-1] < 0.01


def test_feedback_acts_between_plans_on_a_finer_simulator():
    """Five steps of the world a step of the plan, plans every second step: still held."""
    sim, controller = upright_pendulum(shift=2)
    fine = pendulum(0.01)
    fine.timestep = sim.timestep / 5
    run = mpc(fine, fine.initial_state([np.pi - 0.2, 0.0]), controller, 300)
    assert abs(run.qpos[-1, 0] - np.pi) < 0.02 and len(run.timing.seconds) == 30


def test_the_tail_fills_what_the_horizon_gains():
    sim = double_integrator()
    asked = []

    def tail(time):
        asked.append(round(time / sim.timestep))
        return np.zeros(1)

    objective = {"stage": control_cost(sim.model), "terminal": state_cost(sim.model, [1.0])}
    controller = Controller(sim, lambda state: objective, np.zeros((6, 1)), tail=tail)
    mpc(sim, sim.initial_state([0.0, 0.0]), controller, 4)
    assert asked == [1 + 5, 2 + 5, 3 + 5]


def first_cost(plan):
    """What the plan's start cost."""
    return plan.log[0].merit + plan.log[0].decrease


def test_a_plan_starts_from_the_cheapest_motion():
    """Gains that lead astray after a push do not spoil the next plan: it starts without them if that is cheaper."""
    sim, controller = upright_pendulum()
    start = sim.initial_state([np.pi, 0.0])
    plan = controller.plan(start)
    astray = dataclasses.replace(plan, gains=np.full_like(plan.gains, 50.0))
    pushed = dataclasses.replace(plan.states[1], qvel=plan.states[1].qvel + 0.5)

    controller.last = plan
    with_gains = first_cost(controller.plan(pushed))
    controller.last = dataclasses.replace(plan, gains=np.zeros_like(plan.gains))
    without = first_cost(controller.plan(pushed))
    controller.last = astray
    assert with_gains < without and first_cost(controller.plan(pushed)) == pytest.approx(without, rel=1e-12)


def test_callback_stops_and_progress_is_shown(capsys):
    sim, controller = upright_pendulum()
    run = mpc(sim, sim.initial_state([np.pi, 0.0]), controller, 10, callback=lambda k, state, plan: k == 3, progress=True)
    assert len(run.controls) == 3 and "controlling" in capsys.readouterr().err


def test_runs_are_deterministic():
    runs = []
    for _ in range(2):
        sim, controller = upright_pendulum()
        runs.append(mpc(sim, sim.initial_state([0.0, 0.0]), controller, 20).controls)
    np.testing.assert_array_equal(*runs)


def test_timing_report():
    timing = Timing(np.array([1.0, 0.02, 0.02, 0.04]), np.array([9, 1, 1, 1]), 0.1)
    assert timing.rate == pytest.approx(50.0) and timing.real_time == pytest.approx(5.0)
    assert "4 plans, 50.0 plans/s, 5.00 x real time" in str(timing) and "3.0 iterations" in str(timing)


def test_mistakes_are_named():
    sim, controller = upright_pendulum()
    with pytest.raises(ValueError, match="shift=30 must be"):
        upright_pendulum(shift=30)
    other = pendulum()
    other.timestep = 0.07
    with pytest.raises(ValueError, match=r"timestep 0.1 s is no multiple of 0.07 s"):
        mpc(other, other.initial_state([0.0, 0.0]), controller, 3)
    with pytest.raises(ValueError, match=r"nq, nv, nu, na = \[2, 2, 2, 0\], the controller's \[1, 1, 1, 0\]"):
        mpc(random_linear_system(0), sim.initial_state([0.0, 0.0]), controller, 3)
    with pytest.raises(ValueError, match=r"tail has shape \(3,\), expected \(1,\)"):
        mpc(sim, sim.initial_state([3.0, 0.0]), upright_pendulum(tail=lambda t: np.zeros(3))[1], 3)
    for wrong in ("stge", "options"):
        controller.objective = lambda state, name=wrong: {name: 1}
        with pytest.raises(ValueError, match=f"objective returned '{wrong}', expected some of"):
            controller.plan(sim.initial_state([0.0, 0.0]))
