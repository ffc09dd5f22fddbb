"""Costs, constraints and their models: analytic Jacobians against central differences on the manifold, closed forms."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from systems import FlatModel

import dojo_py
from dojo_py.planning import (
    Constraint,
    ControlEffort,
    Controller,
    FunctionCost,
    Options,
    Quadratic,
    ResidualCost,
    SamplingOptions,
    StateDistance,
    cem,
    control_cost,
    goal,
    ilqr,
    mppi,
    predictive_sampling,
    state_cost,
)
from dojo_py.planning.augmented_lagrangian import AugmentedLagrangian
from dojo_py.planning.differences import difference, jacobians, move
from dojo_py.planning.knots import stages_and_end
from dojo_py.simulate.results import State

WITH_ROTATIONS = """
<mujoco><worldbody><body><freejoint/><geom size="0.1"/><body pos="0 0 1"><joint type="ball"/><geom size="0.1"/>
<body pos="0 0 1"><joint type="hinge"/><joint type="slide"/><geom size="0.1"/></body></body></body></worldbody></mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return dojo_py.load_model(WITH_ROTATIONS)


def random_state(model, seed, angle=1.0):
    generator = np.random.default_rng(seed)
    qpos = model.integrate(model.qpos0, angle * generator.standard_normal(model.nv))
    return State(qpos, generator.standard_normal(model.nv), np.zeros(0))


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.3, 1.0])
def test_distance_jacobian_is_its_derivative(model, angle):
    """Bound 1e-8, measured 3e-10; near zero, at moderate and at large angles."""
    state = random_state(model, 1, angle)
    distance = StateDistance(model, model.qpos0, np.ones(model.nv))
    analytic, _ = distance.jacobian(state, np.zeros(2), 0)
    numeric, by_control = jacobians(model, distance, state, np.zeros(2), 0, 2 * model.nv)
    np.testing.assert_allclose(analytic, numeric, atol=1e-8)
    assert by_control.shape == (2 * model.nv, 2) and not by_control.any()


def test_move_and_difference_are_inverse(model):
    a = random_state(model, 2)
    dx = 0.5 * np.random.default_rng(3).standard_normal(2 * model.nv)
    np.testing.assert_allclose(difference(model, move(model, a, dx), a), dx, atol=1e-12)


def test_residual_cost_is_the_weighted_sum_of_squares_and_its_gradient_is_exact():
    model, weight = FlatModel(1, 1), np.array([2.0, 0.5])

    def residual(state, control, k):
        u = 0.0 if control is None else control[0]
        return np.array([np.sin(state.qpos[0]) + u * state.qvel[0], state.qvel[0] ** 2 - k])

    cost = ResidualCost(residual, weight)
    state, u = State(np.array([0.4]), np.array([0.7]), np.zeros(0)), np.array([0.3])
    r = residual(state, u, 2)
    found = cost.expand(model, state, u, 2)
    assert cost.value(state, u, 2) == pytest.approx(2.0 * r[0] ** 2 + 0.5 * r[1] ** 2, rel=1e-15) == pytest.approx(found.value)
    J = np.array([[np.cos(0.4), 0.3, 0.7], [0.0, 1.4, 0.0]])
    np.testing.assert_allclose(np.concatenate([found.x, found.u]), 2 * J.T @ (weight * r), rtol=1e-9)
    hessian = np.block([[found.xx, found.ux.T], [found.ux, found.uu]])
    np.testing.assert_allclose(hessian, 2 * J.T @ np.diag(weight) @ J, rtol=1e-9, atol=1e-9)
    assert cost.expand(model, state, None, 2).u.shape == (0,)


def test_goals_and_weights_may_change_with_the_knot(model):
    states = [random_state(model, s) for s in range(3)]
    goals = np.array([s.qpos for s in states]), np.array([s.qvel for s in states])
    cost = state_cost(model, *goals, weight=lambda k: 1.0 + k)
    for k, state in enumerate(states):
        assert cost.value(state, None, k) < 1e-25
        moved = move(model, state, 0.1 * np.eye(2 * model.nv)[0])
        assert cost.value(moved, None, k) == pytest.approx(0.01 * (1.0 + k))


def test_weights_of_another_size_are_refused_where_the_cost_is_made(model):
    """Before: at the first knot, as a residual's."""
    goal = random_state(model, 0).qpos
    with pytest.raises(ValueError, match=rf"weight has shape \(3,\), expected one number, \({2 * model.nv},\) as there are 2 nv"):
        state_cost(model, goal, weight=[1, 2, 3])
    with pytest.raises(ValueError, match=rf"weight has shape \(2, 2\), expected one number, \({model.nu},\) as there are nu"):
        control_cost(model, np.eye(2))


def test_control_effort_is_nothing_at_the_last_knot(model):
    effort = ControlEffort(model, np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_array_equal(effort(random_state(model, 0), np.array([3.0, 5.0]), 1), [0.0, 1.0])
    assert len(effort(random_state(model, 0), None, 2)) == 0


@pytest.mark.parametrize("kind", ["equality", "inequality"])
@pytest.mark.parametrize("knots", ["terminal", "stage", "all", [1, 3]])
def test_constraints_are_violated_at_several_knots_as_at_each(model, kind, knots):
    """Where the function takes all knots at once, and where it takes one after another."""
    states, controls, distance = (
        [random_state(model, seed) for seed in range(4)],
        np.zeros((3, 0)),
        StateDistance(model, model.qpos0),
    )
    one_by_one = [
        Constraint(distance, kind, knots).violations(states[k], controls[k] if k < 3 else None, k)
        for k in range(4)
        if Constraint(distance, kind, knots).holds_at(k, 3)
    ]
    for function in (distance, lambda s, u, k: distance(s, u, k)):
        constraint = Constraint(function, kind, knots)
        found = [constraint.violations_along(part, 3) for part in stages_and_end(states, controls)]
        np.testing.assert_allclose(np.concatenate(found), np.concatenate(one_by_one), rtol=1e-13)


@pytest.mark.parametrize("kind", ["equality", "inequality"])
def test_augmented_lagrangian_value_gradient_and_update(kind):
    """Value and multiplier update beside the formulas, gradient beside differences."""
    model = FlatModel(1, 1)
    bend = Constraint(lambda s, u, k: np.array([s.qpos[0] ** 2 - 1.0, u[0] + s.qvel[0]]), kind, "stage")
    lagrangian = AugmentedLagrangian([bend], 1, 10.0)
    state, u = State(np.array([0.5]), np.array([0.25]), np.zeros(0)), np.array([0.5])
    states, c = [state, state], np.array([-0.75, 0.75])
    lagrangian.update(states, u[None], 10.0, 1e3)
    expected = 10.0 * (c if kind == "equality" else np.maximum(c, 0.0))
    np.testing.assert_allclose(lagrangian.multipliers[0, 0], expected)
    assert lagrangian.penalty == 100.0
    new = lagrangian.multipliers[0, 0] + 100.0 * c
    value = (expected @ c + 50.0 * c @ c) if kind == "equality" else ((np.maximum(new, 0) ** 2 - expected**2) / 200.0).sum()
    assert lagrangian.value(state, u, 0) == pytest.approx(value) and not lagrangian.knots[1]
    found = lagrangian.expand(model, state, u, 0)
    numeric_x, numeric_u = jacobians(model, lambda s, u, k: [lagrangian.value(s, u, 0)], state, u, 0, 1)
    np.testing.assert_allclose(found.x, numeric_x[0], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found.u, numeric_u[0], rtol=1e-6, atol=1e-7)


def test_constraint_knots():
    def at(knots):
        constraint = Constraint(lambda s, u, k: np.zeros(1), knots=knots)
        return [k for k in range(4) if constraint.holds_at(k, 3)]

    assert (at("terminal"), at("stage"), at("all"), at({1, 3})) == ([3], [0, 1, 2], [0, 1, 2, 3], [1, 3])


def test_mistakes_are_named(model):
    with pytest.raises(ValueError, match="kind='equal'"):
        Constraint(lambda s, u, k: s.qpos, kind="equal")
    with pytest.raises(ValueError, match="knots='end'"):
        Constraint(lambda s, u, k: s.qpos, knots="end")
    with pytest.raises(ValueError, match=r"goal: qpos \(2,\)"):
        goal(model, np.zeros(2))


def test_functions_in_single_precision_are_differenced_by_wider_steps():
    """At steps of 6e-6 a plan with such a residual was SOLVED where a better one is near, and right derivatives were refused."""
    sim = dojo_py.HardSimulator("double_pendulum", timestep=0.02)
    start, effort = sim.initial_state(), control_cost(sim.model, 1e-3)
    turned = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]])

    def missing(state, control, k):
        return np.cumsum(state.qpos) + 10.0 - [10.5, 9.8]

    def single(state, control, k):
        return missing(state, control, k).astype(np.float32)

    def slopes(state, control, k):
        return turned, np.zeros((2, 0 if control is None else sim.model.nu))

    state = sim.initial_state(np.array([0.3, -0.2]))
    found, _ = jacobians(sim.model, lambda *at: 20.0 * single(*at), state, None, 0, 2)
    np.testing.assert_allclose(found, 20.0 * turned, atol=1e-3)
    costs = ResidualCost(missing, 100.0), ResidualCost(single, 100.0), ResidualCost(single, 100.0, slopes)
    double, *others = (ilqr(sim, start, np.zeros((20, sim.model.nu)), stage=effort, terminal=cost) for cost in costs)
    for plan in others:
        assert plan.hard_cost == pytest.approx(double.hard_cost, rel=1e-3)


def test_users_function_cost_is_used_as_it_is():
    zero = Quadratic.zero(2, 1)
    cost = FunctionCost(lambda s, u, k: 3, lambda s, u, k: dataclasses.replace(zero, value=3.0))
    assert cost.value(None, None, 0) == 3.0 and cost.expand(SimpleNamespace(nv=1, na=0), None, np.zeros(1), 0).value == 3.0


@pytest.mark.parametrize("make", [goal, state_cost])
def test_quaternions_of_goals_have_length_one(make):
    """(0, 0, 0, 0) was taken for the identity. A length that an initial state may have is accepted."""
    model = dojo_py.load_model("""<mujoco><worldbody><body><freejoint name="hull"/><geom size=".1"/>
      <body><joint name="wrist" type="ball"/><geom size=".1"/></body></body></worldbody></mujoco>""")
    right = np.array([0.0, 0, 0, 1, 0, 0, 0, 0, 1.0005, 0, 0])
    make(model, right)
    make(model, np.stack([right, right]))
    for place, name in ((3, "hull"), (8, "wrist")):
        wrong = right.copy()
        wrong[place] = 0.0
        with pytest.raises(ValueError, match=f"quaternion of joint '{name}', has norm 0, expected 1"):
            make(model, wrong)
    with pytest.raises(ValueError, match=r"qpos\[3:7\] at knot 1, the quaternion of joint 'hull', has norm 2"):
        make(model, np.stack([right, right + np.eye(11)[3]]))


@pytest.mark.parametrize("plan", [ilqr, cem, mppi, predictive_sampling])
def test_what_belongs_to_another_model_is_refused(plan):
    """States were BAD_START after all iterations of sampling; costs ended in numpy's words on broadcasting."""
    sim, other = dojo_py.HardSimulator("pendulum", timestep=0.05), dojo_py.HardSimulator("box", timestep=0.05)
    start, controls, stage = sim.initial_state(), np.zeros((5, 1)), control_cost(sim.model)
    with pytest.raises(ValueError, match="state is of another model, 'box' with nq 7, nv 6; the simulator's is 'pendulum'"):
        plan(sim, other.initial_state(), controls, stage=stage)
    away = other.model.qpos0
    for name, asked in (
        (r"stage\[0\]", {"stage": control_cost(other.model)}),
        (r"terminal\[0\]", {"stage": stage, "terminal": state_cost(other.model, away)}),
        (r"constraints\[0\]", {"stage": stage, "constraints": goal(other.model, away)}),
    ):
        with pytest.raises(ValueError, match=rf"{name} was made for a model with .* = \[.*\], the simulator's has \[.*\]"):
            plan(sim, start, controls, **asked)


def test_a_controller_says_at_once_what_does_not_fit():
    sim, other = dojo_py.HardSimulator("pendulum", timestep=0.05), dojo_py.HardSimulator("box", timestep=0.05)

    def asked(state):
        return {"stage": control_cost(sim.model)}

    with pytest.raises(ValueError, match=r"Controller: controls has shape \(5, 3\), expected \(T, 1\)"):
        Controller(sim, asked, np.zeros((5, 3)))
    with pytest.raises(ValueError, match="state is of another model, 'box' with nq 7, nv 6; the simulator's is 'pendulum'"):
        Controller(sim, asked, np.zeros((5, 1))).plan(other.initial_state())


@pytest.mark.parametrize("plan", [ilqr, cem])
@pytest.mark.parametrize("what", ["residual", "jacobian", "function", "derivatives", "constraint"])
def test_functions_cannot_change_the_motion_that_they_judge(plan, what):
    """`q = s.qpos; q -= 1` moved the plan's states and its hard trajectory by 1 with every call."""

    def spoil(state, control, k):
        for array in (state.qpos, state.qvel, state.act, *(() if control is None else (control,))):
            with pytest.raises(ValueError, match="read-only"):
                array -= 1.0
        return state.qpos - 1.0

    def slopes(state, control, k):
        spoil(state, control, k)
        return np.eye(1, 2), np.zeros((1, 0 if control is None else 1))

    def quadratic(state, control, k):
        r = spoil(state, control, k)[0]
        out = Quadratic.zero(2, 0 if control is None else 1)
        out.value, out.x[0], out.xx[0, 0] = r * r, 2 * r, 2.0
        return out

    def plainly(state, control, k):
        return state.qpos - 1.0

    asked = {
        "residual": {"terminal": ResidualCost(spoil, jacobian=slopes)},
        "jacobian": {"terminal": ResidualCost(plainly, jacobian=slopes)},
        "function": {"terminal": FunctionCost(lambda s, u, k: spoil(s, u, k)[0] ** 2, quadratic)},
        "derivatives": {"terminal": FunctionCost(lambda s, u, k: plainly(s, u, k)[0] ** 2, quadratic)},
        "constraint": {"constraints": Constraint(spoil, knots="all", kind="inequality", jacobian=slopes)},
    }[what]
    sim = dojo_py.HardSimulator("pendulum", timestep=0.05)
    options = {"options": Options(max_iterations=2)} if plan is ilqr else {"options": SamplingOptions(max_iterations=2)}
    found = plan(sim, sim.initial_state(), np.zeros((5, 1)), stage=control_cost(sim.model, 1e-3), **asked, **options)
    again = sim.rollout(sim.initial_state(), found.hard_trajectory.control)
    np.testing.assert_array_equal(again.qpos, found.hard_trajectory.qpos)


def test_plain_functions_are_told_how_costs_are_written(model):
    """Before: "expected one or several costs"."""
    sim = dojo_py.HardSimulator(model, 0.01)
    told = r"stage=.* is a function, expected one or several costs: .* ResidualCost\(residual, weight\)"
    for planner in (ilqr, predictive_sampling):
        with pytest.raises(TypeError, match=told):
            planner(sim, sim.initial_state(), np.zeros((3, 0)), stage=lambda state, control, k: 0.0)
    with pytest.raises(TypeError, match=r"is a function, expected one or several constraints: .* Constraint\(function\)"):
        ilqr(sim, sim.initial_state(), np.zeros((3, 0)), stage=state_cost(model, model.qpos0), constraints=lambda *_: 0.0)


def test_functions_with_other_arguments_are_refused_where_the_cost_is_made():
    """Before: a bare TypeError at the first knot."""

    def speed(state, control):
        return state.qvel

    told = r"=<function .* takes \(state, control\), expected a function of \(state, control, k\): too many"
    for make, name in (
        (ResidualCost, "residual"),
        (lambda f: FunctionCost(f, speed), "function"),
        (lambda f: FunctionCost(lambda *_: 0.0, f), "derivatives"),
        (lambda f: ResidualCost(lambda *_: 0.0, 1.0, f), "jacobian"),
        (lambda f: Constraint(f, name="slow"), "slow: function"),
    ):
        with pytest.raises(TypeError, match=name + told):
            make(speed)
    ResidualCost(lambda state, *rest: rest)
    ResidualCost(max)  # of which Python knows no arguments
