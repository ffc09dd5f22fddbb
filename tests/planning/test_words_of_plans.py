"""What a plan may not say: cases a reader of the code named, each wrong before."""

import numpy as np
import pytest
from systems import double_integrator, pendulum

from dojo_py import HardOptions, HardSimulator, Status, load_model
from dojo_py.planning import (
    Constraint,
    Controller,
    FunctionCost,
    Options,
    PlanStatus,
    Quadratic,
    ResidualCost,
    SamplingOptions,
    cem,
    control_cost,
    goal,
    ilqr,
    mpc,
    state_cost,
)
from dojo_py.planning.hard_motion import HardMotion, open_loop, usable
from dojo_py.planning.problem import build_problem
from dojo_py.planning.shooting import roll
from dojo_py.planning.smooth_to_hard import nearly_nothing
from dojo_py.planning.solver import Planner


def valley(scale=1e4):
    """(1 - u₀)² + scale (u₁ - u₀²)², of the controls of the first two knots: Rosenbrock's, in the state x = (u₀, u₁) at the end."""

    def value(s, u, k):
        a, b = s.qpos[0], s.qvel[0]
        return (1 - a) ** 2 + scale * (b - a * a) ** 2

    def derivatives(s, u, k):
        a, b = s.qpos[0], s.qvel[0]
        out = Quadratic.zero(2, 0)
        out.value = value(s, u, k)
        out.x[:] = -2 * (1 - a) - 4 * scale * a * (b - a * a), 2 * scale * (b - a * a)
        out.xx[:] = [[2 + 12 * scale * a * a - 4 * scale * b, -4 * scale * a], [-4 * scale * a, 2 * scale]]
        return out

    return FunctionCost(value, derivatives)


@pytest.mark.parametrize("regularisation", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("scale", [1e2, 1e4])
def test_a_narrow_valley_is_followed_to_its_end(scale, regularisation):
    """Whatever the first μ: with 1e3 the first, short step was "converged", at a cost of 4."""
    sim = double_integrator()
    options = Options(kappa=3e-4, max_iterations=1000, max_total_iterations=1000, regularisation=regularisation)
    plan = ilqr(sim, sim.initial_state([-1.2, 1.0]), np.zeros((2, 1)), terminal=valley(scale), options=options)
    print(plan.status, plan.cost, plan.iterations)
    assert plan.status is PlanStatus.SOLVED and plan.cost < 1e-6


def test_a_motion_in_which_the_bodies_stay_where_they_are_is_no_motion():
    """A step that fails leaves the state as it was: a plan to stay at the start was met by it, and SOLVED."""
    sim = HardSimulator(load_model("box"), timestep=0.01, options=HardOptions(max_iterations=1, subdivisions=0))
    start, idle = sim.initial_state(qvel=np.array([30.0, 0, -30.0, 30.0, 20.0, 0])), np.zeros((1, sim.model.nu))
    run = sim.rollout(start, idle)
    assert run.status[0] == Status.MAX_ITERATIONS and np.array_equal(run.qpos[0], run.qpos[1])
    assert not usable(run) and roll(sim, start, idle, None) is None
    problem, _ = build_problem(sim, None, state_cost(sim.model, start.qpos), (), None, idle)
    assert open_loop(problem, start, idle).cost == np.inf


def test_a_cost_below_zero_is_not_nearly_nothing():
    """-5 became "a hundredth of 5" with any cost up to 0.05: one start of four, and STALLED was SOLVED."""
    begun = HardMotion(None, -5.0, 0.0)
    assert not any(nearly_nothing(cost, begun) for cost in (-6.0, -5.0, -1.0, 0.0, 0.05))
    assert nearly_nothing(0.05, HardMotion(None, 5.0, 0.0)) and not nearly_nothing(0.06, HardMotion(None, 5.0, 0.0))


def test_several_kappas_as_an_array_and_with_few_updates():
    """An array could not be compared with "auto"; with fewer updates than values a descent ended at a middle one."""
    options = Options(kappa=np.geomspace(1e-1, 1e-3, 3), max_updates=1)
    assert options.kappas == (0.1, pytest.approx(0.01), 0.001)
    sim = HardSimulator(load_model("cartpole"), timestep=0.05)
    plan = ilqr(sim, sim.initial_state([0.0, 0.2]), np.zeros((10, 1)), terminal=state_cost(sim.model, [0, 0], weight=1.0),
                stage=control_cost(sim.model, 1e-3), options=options)  # fmt: skip
    assert plan.status is PlanStatus.SOLVED and {record.kappa for record in plan.log} >= {0.001}


def test_roll_outs_from_elsewhere_are_refused():
    sim = pendulum()
    stage = control_cost(sim.model, 1e-3)
    away = roll(sim, sim.initial_state([1.0, 0.0]), np.zeros((3, 1)), None)
    with pytest.raises(ValueError, match=r"paths\[0\] does not begin in the state"):
        ilqr(sim, sim.initial_state([0.0, 0.0]), np.zeros((3, 1)), stage=stage, paths=[away])
    with pytest.raises(TypeError, match="expected a list of planning.Path"):
        ilqr(sim, sim.initial_state([0.0, 0.0]), np.zeros((3, 1)), stage=stage, paths=away)


def test_a_roll_out_whose_cost_is_no_number_is_not_the_cheapest():
    """It stayed the cheapest when it came first: nothing is less than NaN."""
    sim = double_integrator()
    root = ResidualCost(lambda s, u, k: np.sqrt(0.25 - u * u))
    start, controls = sim.initial_state([0.0, 0.0]), np.full((3, 1), 0.1)
    with np.errstate(invalid="ignore"):
        paths = [roll(sim, start, u, None) for u in (np.full((3, 1), 0.9), controls)]
        plan = ilqr(sim, start, controls, stage=root, paths=paths, options=Options(max_iterations=1))
    assert np.isfinite(plan.cost)


def test_a_constraint_that_is_no_number_is_violated():
    """The solver took NaN as no violation."""
    sim = double_integrator()
    limit = Constraint(lambda s, u, k: s.qpos * np.nan, "inequality")
    start, controls = sim.initial_state([0.0, 0.0]), np.zeros((2, 1))
    problem, _ = build_problem(sim, control_cost(sim.model, 1.0), None, limit, None, controls)
    planner = Planner(problem, Options(), None, print)
    planner.path = roll(sim, start, controls, None)
    assert not planner.violation() <= planner.options.constraint_tolerance


def test_a_quadratic_of_the_wrong_shape_is_named():
    """(1,) was added to each of two controls, and only the first was compared with differences."""
    sim = HardSimulator(load_model("panda"), timestep=0.01)
    n, m = 2 * sim.model.nv, sim.model.nu

    def derivatives(s, u, k):
        out = Quadratic.zero(n, m)
        out.u = np.array([2.0 * u[0]])
        return out

    stage = FunctionCost(lambda s, u, k: float(u[0] ** 2), derivatives)
    with pytest.raises(ValueError, match=rf"u of the Quadratic has shape \(1,\), expected \({m},\)"):
        ilqr(sim, sim.initial_state(), np.zeros((3, m)), stage=stage)


def test_a_run_of_no_steps_and_one_that_begins_anew():
    """Of no plans the largest time was asked for; a second run was warm-started by the end of the first one."""
    sim = pendulum()
    controller = Controller(sim, lambda state: {"stage": control_cost(sim.model, 1e-3)}, np.full((5, 1), 0.1))
    none = mpc(sim, sim.initial_state([0.1, 0.0]), controller, 0)
    assert str(none.timing) == "0 plans" and none.controls.shape == (0, 1) and np.isnan(none.timing.rate)
    first = mpc(sim, sim.initial_state([0.1, 0.0]), controller, 3)
    on = mpc(sim, first.states[-1], controller, 3)
    assert controller.last is not None and len(on.controls) == 3
    again = mpc(sim, sim.initial_state([0.1, 0.0]), controller, 3)
    np.testing.assert_array_equal(again.controls, first.controls)


def test_rows_of_a_goal_are_indices_and_no_mask():
    """A mask of ones and zeros was taken for the entries 1 and 0, each several times."""
    model = pendulum().model
    with pytest.raises(ValueError, match=r"rows=\[1, 0, 0\] has entry 0 .* several times: they are indices, no mask"):
        goal(model, [0.5], rows=[1, 0, 0])


def test_functions_of_the_user_are_refused_before_anything_is_simulated():
    """The error of a callback with one argument came from within, after an iteration, and named no argument."""
    sim = HardSimulator("pendulum", timestep=0.05)
    start, controls, end = sim.initial_state(), np.zeros((5, 1)), state_cost(sim.model, [0.5])
    for planner in (ilqr, cem):
        with pytest.raises(TypeError, match=r"callback=.* takes \(record\), expected a function of \(record, path\)"):
            planner(sim, start, controls, terminal=end, callback=lambda record: None)
    with pytest.raises(TypeError, match=r"Controller: objective=.* expected a function of \(state\)"):
        Controller(sim, lambda: {"terminal": end}, controls)
    controller = Controller(sim, lambda state: {"terminal": end}, controls)
    with pytest.raises(TypeError, match=r"disturbance=.* expected a function of \(time\)"):
        mpc(sim, start, controller, 2, lambda: None)


def test_a_state_that_is_taken_for_a_vector_is_said_to_be_none():
    sim = HardSimulator("pendulum", timestep=0.05)
    with pytest.raises(TypeError) as raised:
        ilqr(sim, sim.initial_state(), np.zeros((5, 1)), terminal=ResidualCost(lambda x, u, k: x[0]))
    assert "a State, with qpos, qvel, act" in raised.value.__notes__[0]


def test_a_planner_that_samples_does_not_speak_of_gradients():
    sim = HardSimulator("pendulum", timestep=0.05)
    start = sim.initial_state()
    held = cem(sim, start, np.zeros((5, 1)), stage=control_cost(sim.model), options=SamplingOptions(samples=12, max_iterations=2))
    assert held.status is PlanStatus.NO_BETTER and "gradients do not fit" not in str(held) and "no sample is better" in str(held)


def test_a_function_that_reads_a_control_at_the_end_is_told_that_there_is_none():
    """It was "'NoneType' object is not subscriptable", which names neither the constraint nor the knot."""
    sim = HardSimulator("pendulum", timestep=0.05)
    start, controls, stage = sim.initial_state(), np.zeros((5, 1)), control_cost(sim.model)
    bound = Constraint(lambda s, u, k: [u[0] - 1.0], "inequality", "all", name="bound")
    for planner in (ilqr, cem):
        with pytest.raises(TypeError, match="constraint 'bound' at knot 5, the last: .*no control at the end.*knots='stage'"):
            planner(sim, start, controls, stage=stage, constraints=bound)
        with pytest.raises(TypeError, match="residual at knot 5, the last: .*no control at the end"):
            planner(sim, start, controls, terminal=ResidualCost(lambda s, u, k: s.qpos * u))


def test_a_cost_with_another_number_of_entries_at_another_knot_is_named():
    sim = HardSimulator("pendulum", timestep=0.05)
    start, controls, end = sim.initial_state(), np.zeros((5, 1)), state_cost(sim.model, [0.1])
    odd = ResidualCost(lambda s, u, k: np.ones(1 + k % 2))
    for planner in (ilqr, cem):
        with pytest.raises(ValueError, match=r"stage\[1\] has 2 entries at knot 1 and 1 at knot 0"):
            planner(sim, start, controls, stage=[control_cost(sim.model), odd], terminal=end)
    at_times = ResidualCost(lambda s, u, k: s.qpos if k == 3 else np.zeros(0))
    assert ilqr(sim, start, controls, stage=[control_cost(sim.model), at_times], terminal=end).status is PlanStatus.SOLVED


def test_a_guess_that_begins_in_another_state_is_refused():
    sim = HardSimulator("pendulum", timestep=0.05)
    start, controls, end = sim.initial_state(), np.zeros((5, 1)), state_cost(sim.model, [0.1])
    guess = [sim.initial_state([0.1 + 0.02 * k]) for k in range(6)]
    with pytest.raises(ValueError, match=r"states\[0\] is not the state .* differ by 0.1"):
        ilqr(sim, start, controls, terminal=end, states=guess)
