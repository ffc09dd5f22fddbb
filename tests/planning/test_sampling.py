"""Planners that sample: known optima, limits, constraints, seeds, threads, failures; a start for iLQR."""

import numpy as np
import pytest
from default_run import pairs, some
from systems import FunctionSystem, double_integrator, pendulum

from dojo_py import HardSimulator, SoftSimulator, load_model
from dojo_py.planning import (
    Constraint,
    Options,
    PlanStatus,
    ResidualCost,
    SamplingOptions,
    cem,
    control_cost,
    goal,
    ilqr,
    load_plan,
    mppi,
    predictive_sampling,
    state_cost,
)
from dojo_py.planning.splines import KINDS, fit, spline_matrix

PLANNERS = [cem, mppi, predictive_sampling]
ROD = """<mujoco><option timestep="0.05"/><worldbody><body><joint name="j" axis="0 1 0" damping="0.1"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03" mass="1"/></body></worldbody>
  <actuator><motor joint="j" ctrlrange="-4 4"/></actuator></mujoco>"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("steps", "knots"), [(20, 1), (20, 2), (20, 5), (20, 20), (7, 30), (1, 4)])
def test_splines_keep_constants_and_can_be_fitted(kind, steps, knots):
    matrix = spline_matrix(steps, knots, kind)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    values = np.random.default_rng(0).normal(size=(matrix.shape[1], 3))
    np.testing.assert_allclose(fit(matrix, matrix @ values), values, atol=1e-9)


def test_splines_run_through_their_knots():
    values = np.arange(5.0)[:, None] ** 2
    for kind in ("cubic", "linear"):
        assert (spline_matrix(21, 5, kind) @ values)[::5, 0] == pytest.approx(values[:, 0])
    assert (spline_matrix(10, 5, "constant") @ values)[:, 0].tolist() == [0, 0, 1, 1, 4, 4, 9, 9, 16, 16]


@pytest.mark.parametrize("planner", PLANNERS)
def test_the_optimum_of_a_linear_system_is_found(planner):
    """Rest to rest with a spline knot a step: within 2 % of iLQR's cost, which is exact here. Measured in the bound's line."""
    sim = double_integrator()
    problem = {"stage": control_cost(sim.model, 0.1), "terminal": state_cost(sim.model, [1.0], weight=[100.0, 10.0])}
    start, none = sim.initial_state([0.0, 0.0]), np.zeros((10, 1))
    exact = ilqr(sim, start, none, **problem)
    options = SamplingOptions(spread=5.0, knots=10, samples=100, max_iterations=100, elites=15)
    plan = planner(sim, start, none, options=options, **problem)
    assert exact.cost <= plan.cost * (1 + 1e-9) <= exact.cost * 1.02, plan.cost / exact.cost
    assert plan.cost == plan.hard_cost and plan.status in (PlanStatus.SOLVED, PlanStatus.MAX_ITERATIONS)
    merits = [r.cost for r in plan.log]
    assert all(b <= a for a, b in zip(merits, merits[1:], strict=False)), "the best never gets worse"


@pytest.mark.parametrize("planner", PLANNERS)
def test_constraints_are_met_and_limits_kept(planner):
    sim = double_integrator()
    slow = Constraint(lambda s, u, k: np.array([np.abs(s.qvel[0]) - 0.75]), "inequality", "all")
    plan = planner(
        sim, sim.initial_state([0.0, 0.0]), np.zeros((20, 1)), stage=control_cost(sim.model, 0.1),
        constraints=[goal(sim.model, [1.0]), slow], control_limits=(-2.0, 2.0),
        options=SamplingOptions(samples=100, max_iterations=150, constraint_tolerance=0.02, knots=6),
    )  # fmt: skip
    assert plan.hard_violation <= 0.02 and np.abs(plan.controls).max() <= 2.0, plan.status
    assert plan.qvel.max() <= 0.77 and abs(plan.qpos[-1, 0] - 1.0) <= 0.02


@pytest.mark.parametrize(
    ("planner", "simulator"), pairs(PLANNERS, (HardSimulator, SoftSimulator), row=predictive_sampling, column=SoftSimulator)
)
def test_swing_up_of_a_rod_in_both_modes_and_the_same_for_any_threads(simulator, planner):
    """4 N m against 2.45 N m of weight: up from hanging, to 0.2 rad. Same seed, same plan, on one thread and on two."""
    sim = simulator(load_model(ROD))
    problem = {"stage": control_cost(sim.model, 1e-3), "terminal": state_cost(sim.model, [np.pi], weight=[10.0, 1.0])}
    start, none = sim.initial_state(), np.zeros((40, 1))
    plans = [
        planner(sim, start, none, options=SamplingOptions(threads=threads, max_iterations=rounds), seed=seed, **problem)
        for threads, seed, rounds in ((2, 0, 5), (1, 0, 5), (None, 1, 40))
    ]
    assert abs(plans[2].qpos[-1, 0] - np.pi) < 0.2 and all(plan.hard_cost == plan.cost for plan in plans)
    np.testing.assert_array_equal(plans[0].controls, plans[1].controls)
    assert [r.cost for r in plans[0].log] == [r.cost for r in plans[1].log]
    assert np.abs(plans[0].controls - plans[2].controls).max() > 1e-3
    again = sim.rollout(start, plans[0].controls)
    np.testing.assert_array_equal(again.qpos, plans[0].hard_trajectory.qpos)


def test_a_sampled_plan_starts_ilqr(tmp_path):
    sim = pendulum()
    problem = {"stage": control_cost(sim.model, 0.01), "terminal": state_cost(sim.model, [np.pi], weight=10.0)}
    start = sim.initial_state([0.0, 0.0])
    rough = cem(sim, start, np.zeros((40, 1)), options=SamplingOptions(max_iterations=10, spread=3.0), **problem)
    fine = ilqr(sim, start, rough.controls, options=Options(cost_tolerance=1e-9), **problem)
    assert fine.status is PlanStatus.SOLVED and fine.cost < rough.cost
    rough.save(tmp_path / "rough.npz")
    back = load_plan(tmp_path / "rough.npz")
    np.testing.assert_array_equal(back.hard_trajectory.qpos, rough.hard_trajectory.qpos)
    assert back.log == rough.log and back.status is rough.status


@pytest.mark.parametrize("planner", PLANNERS)
def test_no_plan_is_worse_than_its_start(planner):
    """From the optimum nothing better is found, and the plan says that."""
    sim = double_integrator()
    problem = {"stage": control_cost(sim.model, 0.1), "terminal": state_cost(sim.model, [1.0], weight=[100.0, 10.0])}
    start = sim.initial_state([0.0, 0.0])
    exact = ilqr(sim, start, np.zeros((10, 1)), options=Options(cost_tolerance=1e-12), **problem)
    coarse = SamplingOptions(spread=1.0, knots=3, spline="constant", max_iterations=5)
    plan = planner(sim, start, exact.controls, options=coarse, **problem)
    assert plan.status is PlanStatus.NO_BETTER and plan.cost == pytest.approx(exact.cost, rel=1e-12)
    np.testing.assert_array_equal(plan.controls, exact.controls)


@pytest.mark.parametrize(
    ("mass", "friction", "by"), some([(3.3, 0.7, 0.17), (0.02, 1.0, -0.1), (60.0, 0.4, 0.3)], [(60.0, 0.4, 0.3)])
)
def test_forces_without_limits_are_as_strong_as_the_body_needs(mass, friction, by):
    """A box that friction holds, from no force. Bound 2 cm; measured 2.4 mm at most. With samples of 1 N heavy ones stay."""
    box = f"""<mujoco><option timestep=".04"/><default><geom friction="{friction} 0 0"/></default><worldbody>
      <geom type="plane" size="5 5 1"/><body pos="0 0 .06"><freejoint/><geom type="box" size=".09 .07 .06" mass="{mass}"/>
      <site name="s"/></body></worldbody><actuator><motor site="s" gear="1 0 0 0 0 0"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(box))
    start = sim.initial_state()
    aim = state_cost(sim.model, start.qpos + [by, 0, 0, 0, 0, 0, 0], weight=[100.0] * 6 + [1.0] * 6)
    plan = cem(sim, start, np.zeros((20, 1)), stage=control_cost(sim.model, 1e-5 / mass**2), terminal=aim)
    assert abs(plan.hard_trajectory.qpos[-1, 0] - by) < 0.02, plan.hard_trajectory.qpos[-1]


def test_goals_out_of_reach_are_told():
    sim = double_integrator()
    plan = cem(
        sim, sim.initial_state([0.0, 0.0]), np.zeros((5, 1)), stage=control_cost(sim.model), constraints=goal(sim.model, [100.0]),
        control_limits=(-1.0, 1.0), options=SamplingOptions(max_iterations=5),
    )  # fmt: skip
    assert plan.status is PlanStatus.VIOLATED and plan.hard_violation > 90.0 and "out of reach" in plan.status.value


def test_motions_that_break_off_are_passed_over():
    """Controls above 5 make the state infinite: samples beyond count for nothing, a start beyond is left."""
    sim = FunctionSystem(lambda x, u: np.array([x[0] + x[1], x[1] + u[0]]) / (np.abs(u[0]) < 5.0), 1, 1)
    problem = {"stage": control_cost(sim.model, 1e-3), "terminal": state_cost(sim.model, [30.0], weight=[1.0, 0.0])}
    with np.errstate(divide="ignore", invalid="ignore"):
        for first in (0.0, 9.0):
            plan = cem(sim, sim.initial_state([0.0, 0.0]), np.full((4, 1), first), options=SamplingOptions(spread=4.0), **problem)
            assert plan.cost < 900.0 and np.abs(plan.controls).max() < 5.0 and np.all(np.isfinite(plan.qpos))
        few = SamplingOptions(spread=1.0, max_iterations=2)
        lost = cem(sim, sim.initial_state([0.0, 0.0]), np.full((4, 1), 1e3), options=few, **problem)
    assert lost.status is PlanStatus.BAD_START and lost.hard_cost == np.inf


def test_callback_progress_and_log(capsys):
    sim, calls = double_integrator(), []

    def see(record, path):
        calls.append((record.iteration, len(path.states)))
        return record.iteration == 3

    plan = mppi(
        sim, sim.initial_state([0.0, 0.0]), np.zeros((5, 1)), terminal=state_cost(sim.model, [1.0]), callback=see, progress=True
    )
    assert calls == [(1, 6), (2, 6), (3, 6)] and plan.status is PlanStatus.STOPPED and plan.iterations == 3
    assert "path integrals" in capsys.readouterr().err and set(plan.seconds) and plan.log[0].trials == 64


@pytest.mark.parametrize(
    ("change", "message"),
    [({"samples": 1}, "samples=1"), ({"elites": 65}, "elites=65"), ({"spline": "wavy"}, "spline"), ({"shrink": 0.0}, "shrink"),
     ({"temperature": 0.0}, "temperature"), ({"threads": 0}, "threads=0"), ({"penalty_growth": 0.5}, "penalty_growth"),
     ({"inertia": 1.0}, "inertia"), ({"penalty": -1.0}, "penalty")],
)  # fmt: skip
def test_options_are_checked(change, message):
    with pytest.raises(ValueError, match=message):
        SamplingOptions(**change)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [({"controls": np.zeros((5, 2))}, ValueError, "controls has shape"), ({"stage": None}, ValueError, "neither stage nor"),
     ({"seed": -1}, ValueError, "seed"), ({"options": Options()}, TypeError, "SamplingOptions"),
     ({"options": SamplingOptions(spread=[1.0, 2.0])}, ValueError, "spread"), ({"callback": 3}, TypeError, "callback"),
     ({"stage": ResidualCost(lambda s, u, k: np.array([np.nan]))}, ValueError, r"stage\[0\] is nan at knot 0")],
)  # fmt: skip
def test_mistakes_are_named(change, kind, message):
    sim = double_integrator()
    arguments = {"controls": np.zeros((5, 1)), "stage": control_cost(sim.model), **change}
    with pytest.raises(kind, match=message):
        cem(sim, sim.initial_state([0.0, 0.0]), **arguments)
