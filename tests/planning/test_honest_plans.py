"""A plan says what it is: costs that are not numbers and wrong derivatives are named, and no plan is worse than its start."""

import numpy as np
import pytest
from systems import LinearSystem, Outcome, double_integrator, pendulum

from dojo_py import HardSimulator, SoftSimulator, Status, load_model
from dojo_py.planning import (
    Constraint,
    FunctionCost,
    Options,
    PlanStatus,
    Quadratic,
    ResidualCost,
    cem,
    control_cost,
    goal,
    ilqr,
    load_plan,
    state_cost,
)

NAN_AT_2 = ResidualCost(lambda s, u, k: np.array([np.nan if k == 2 else s.qpos[0]]))
WRONG_SIGN = ResidualCost(
    lambda s, u, k: np.array([s.qpos[0] - 1.0, s.qvel[0]]),
    jacobian=lambda s, u, k: (np.diag([1.0, -1.0]), np.zeros((2, 0 if u is None else 1))),
)

BACKWARDS = ResidualCost(
    lambda s, u, k: np.array([s.qpos[0] - 1.0, s.qvel[0]]),
    jacobian=lambda s, u, k: (-np.eye(2), np.zeros((2, 0 if u is None else 1))),
)


def plan_of(stage=None, terminal=None, sim=None, controls=None, **more):
    sim = sim or double_integrator()
    controls = np.zeros((5, 1)) if controls is None else controls
    return ilqr(sim, sim.initial_state([0.5, 0.25]), controls, stage=stage, terminal=terminal, **more)


def square(sign=1.0):
    """(x - 1)² with a gradient of this sign, as a user's function."""

    def derivatives(s, u, k):
        out = Quadratic.zero(2, 0 if u is None else 1)
        out.value, out.x[0], out.xx[0, 0] = (s.qpos[0] - 1.0) ** 2, 2.0 * sign * (s.qpos[0] - 1.0), 2.0
        return out

    return FunctionCost(lambda s, u, k: (s.qpos[0] - 1.0) ** 2, derivatives)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stage": [control_cost(double_integrator().model), NAN_AT_2]}, r"stage\[1\] is nan at knot 2"),
        ({"terminal": ResidualCost(lambda s, u, k: np.full(2, np.inf))}, r"terminal\[0\] is inf at knot 5"),
        ({"terminal": FunctionCost(lambda s, u, k: np.nan, square().derivatives)}, r"terminal\[0\] is nan"),
        (
            {"stage": control_cost(double_integrator().model),
             "constraints": Constraint(lambda s, u, k: np.array([0.0, np.nan]), name="wall")},
            "constraint 'wall' is nan in row 1 at knot 5",
        ),
        ({"terminal": control_cost(double_integrator().model)}, r"terminal\[0\] has no entries"),
        (
            {"stage": control_cost(double_integrator().model), "constraints": Constraint(lambda s, u, k: [], name="wall")},
            "constraint 'wall' has no entries",
        ),
    ],
)  # fmt: skip
def test_costs_that_are_not_numbers_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        plan_of(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"terminal": WRONG_SIGN}, r"terminal\[0\], jacobian: row 1 by entry 1 of the state is -1 at knot 5, differences give 1"),
        ({"terminal": square(-1.0)}, r"terminal\[0\], derivatives: row 0 by entry 0 of the state"),
        (
            {"stage": ResidualCost(lambda s, u, k: u * u, jacobian=lambda s, u, k: (np.zeros((1, 2)), np.diag(u))),
             "controls": np.ones((5, 1))},
            r"stage\[0\], jacobian: row 0 by entry 0 of the control is 1 at knot 0, differences give 2",
        ),
        (
            {"stage": control_cost(double_integrator().model),
             "constraints": Constraint(lambda s, u, k: s.qpos, jacobian=lambda s, u, k: (np.zeros((1, 2)), np.zeros((1, 0))))},
            "constraint 'constraint', jacobian: row 0 by entry 0 of the state is 0",
        ),
        (
            {"terminal": ResidualCost(lambda s, u, k: s.qpos, jacobian=lambda s, u, k: (np.zeros((2, 2)), np.zeros((2, 0))))},
            r"jacobian returned shapes \(2, 2\)",
        ),
    ],
)  # fmt: skip
def test_wrong_derivatives_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        plan_of(**arguments)


def test_kinks_are_no_mistakes():
    """At |x| = 0 any slope between -1 and 1 is one."""
    for slope in (-1.0, 0.0, 1.0):
        cost = ResidualCost(
            lambda s, u, k: np.abs(s.qpos - 0.5),
            jacobian=lambda s, u, k, slope=slope: (np.array([[np.sign(s.qpos[0] - 0.5) or slope, 0.0]]), np.zeros((1, 1))),
        )
        plan_of(stage=[cost, control_cost(double_integrator().model)], options=Options(max_iterations=1))


@pytest.mark.parametrize("cost", [BACKWARDS, square(-1.0)])
def test_wrong_derivatives_that_are_asked_for_do_not_say_solved(cost):
    sim = double_integrator()
    effort = control_cost(sim.model, 1e-3)
    start = plan_of(stage=effort, terminal=cost, options=Options(check_derivatives=False, max_iterations=1, max_total_iterations=1))
    plan = plan_of(stage=effort, terminal=cost, options=Options(check_derivatives=False))
    assert plan.status in (PlanStatus.STALLED, PlanStatus.NO_BETTER), plan.status
    assert plan.cost <= start.log[0].cost + 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_no_plan_is_worse_than_its_start(seed):
    """Costs with derivatives that are wrong away from where they are checked: whatever comes out costs no more than the start."""
    rng = np.random.default_rng(seed)
    sim, sign = pendulum(), rng.choice([-1.0, 1.0], 21)
    controls = rng.normal(size=(20, 1))

    def jacobian(s, u, k):
        return sign[k] * np.eye(2), np.zeros((2, 0 if u is None else 1))

    def residual(s, u, k):
        return np.array([s.qpos[0] - 2.0, s.qvel[0]])

    stage = [ResidualCost(residual, 0.1, jacobian), control_cost(sim.model, 1e-2)]
    options = Options(check_derivatives=False, max_iterations=30)
    end = ResidualCost(residual, 1.0, jacobian)
    plan = ilqr(sim, sim.initial_state([0.0, 0.0]), controls, stage=stage, terminal=end, options=options)
    states = [sim.initial_state([0.0, 0.0])]
    for u in controls:
        states.append(sim.step(states[-1], u).state)
    r = np.array([residual(s, None, 0) for s in states])
    start = 0.1 * (r[:-1] ** 2).sum() + (r[-1] ** 2).sum() + 1e-2 * (controls**2).sum()
    assert plan.cost <= start * (1 + 1e-12)


def test_derivatives_of_the_library_pass_their_own_check():
    sim = pendulum()
    plan = ilqr(
        sim, sim.initial_state([0.1, 0.2]), np.full((10, 1), 0.3), stage=control_cost(sim.model, 0.1),
        terminal=state_cost(sim.model, [2.0], weight=[10.0, 1.0]),
    )  # fmt: skip
    assert plan.status is PlanStatus.SOLVED


@pytest.mark.parametrize("plan", [ilqr, cem])
@pytest.mark.parametrize(("knots", "message"), [([6], "6 is none"), ([0, -1], "-1 is none"), ([], "there are none")])
def test_a_constraint_at_knots_that_are_not_there_is_refused(plan, knots, message):
    """It was never looked at, and the plan said SOLVED."""
    sim = double_integrator()
    wall = Constraint(lambda s, u, k: s.qpos - 9.0, knots=knots, name="wall")
    with pytest.raises(ValueError, match=f"wall: .*{message} of the knots 0 … 5"):
        plan(sim, sim.initial_state([0.5, 0.25]), np.zeros((5, 1)), stage=control_cost(sim.model), constraints=wall)


def test_names_of_knots_in_a_list_are_refused():
    with pytest.raises(TypeError, match="knots=.*'terminal'"):
        Constraint(lambda s, u, k: s.qpos, knots=["terminal"])


PUSHER = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="{x} 0 .05"><joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size=".04" mass=".5"/></body>
  <body pos=".2 0 .05"><freejoint/><geom type="box" size=".04 .04 .05" mass=".5"/></body></worldbody>
  <actuator><motor joint="x" ctrlrange="-5 5"/></actuator></mujoco>"""


@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("away", [True, False])
def test_a_start_from_which_no_gradient_leads_on_says_so(away, constrained):
    """A pusher away from its box ended SOLVED at the cost of its start, or RELAXED at its violation; one that touches goes on.

    Away is 1.1 m: at 0.12 m (and h 0.05) the first kappa of "auto" still feels the box, and the plan pushes it to its goal.
    """
    model = load_model(PUSHER.format(x=-1.0 if away else 0.12))
    sim = HardSimulator(model, timestep=0.05)
    start = sim.initial_state()
    there = start.qpos.copy()
    there[1] += 0.2
    weight = np.zeros(2 * model.nv)
    weight[1] = 100.0
    asked = {"constraints": goal(model, there, rows=[1])} if constrained else {"terminal": state_cost(model, there, weight=weight)}
    plan = ilqr(sim, start, np.zeros((20, 1)), stage=control_cost(model, 1e-4), **asked)
    assert (plan.status is PlanStatus.UNREACHED) == away
    assert np.all(plan.controls == 0.0) == away


FLYER = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass=".5"/></body>
  <body pos="{x} 0 .15"><joint name="x" type="slide" axis="1 0 0" damping="1"/>
  <joint name="z" type="slide" axis="0 0 1" damping="1"/><geom type="sphere" size=".04" mass=".2"/></body></worldbody>
  <actuator><motor joint="x" ctrlrange="-15 15"/><motor joint="z" ctrlrange="-15 15"/></actuator></mujoco>"""


def fly(controls, weight, kappa, x=-0.35):
    """A plan of the flying pusher that asks for its box 0.3 m ahead."""
    sim = HardSimulator(load_model(FLYER.format(x=x)), timestep=0.04)
    start = sim.initial_state()
    there = start.qpos.copy()
    there[0] += 0.3
    terminal = state_cost(sim.model, there, weight=weight)
    return ilqr(sim, start, controls, stage=control_cost(sim.model, 1e-3), terminal=terminal, options=Options(kappa=kappa))


HOVER = np.full((25, 2), [0.0, 0.2 * 9.81])
AHEAD = np.eye(16)[0] * 500.0
AWAY = -4.0
"""Where no kappa of "auto" feels the box from [m]."""


@pytest.mark.parametrize("kappa", [1e-3, "auto"])
@pytest.mark.parametrize("controls", [HOVER, 0.5 * np.random.default_rng(0).normal(size=(25, 2))])
def test_controls_that_fade_to_nothing_do_not_solve_what_they_never_touch(controls, kappa):
    """A pusher that hovers or trembles away from its box let go of its controls, which cost, and was SOLVED at the box's cost."""
    plan = fly(controls, AHEAD, kappa, AWAY)
    assert plan.status is PlanStatus.UNREACHED and abs(plan.hard_trajectory.qpos[-1, 0]) < 1e-6


def test_differences_that_are_round_off_move_nothing():
    """The soft mode's derivatives tell of a box that no control moves by 2e-10."""
    sim = SoftSimulator(load_model(FLYER.format(x=-0.35)), timestep=0.01)
    start = sim.initial_state()
    there = start.qpos.copy()
    there[0] += 0.3
    terminal = state_cost(sim.model, there, weight=AHEAD)
    for controls in (np.zeros((25, 2)), HOVER):
        plan = ilqr(sim, start, controls, stage=control_cost(sim.model, 1e-3), terminal=terminal)
        assert plan.status is PlanStatus.UNREACHED


def test_what_else_the_controls_do_does_not_count():
    """The pusher is also to be slow at the end, which costs a ten-thousandth of what the box does."""
    plan = fly(HOVER, AHEAD + np.eye(16)[14] * 1e-3, 1e-3, AWAY)
    assert plan.status is PlanStatus.UNREACHED and abs(plan.hard_trajectory.qpos[-1, 0]) < 1e-6


@pytest.mark.parametrize("force", [3.0, 5.0])
def test_a_pusher_that_touches_its_box_reaches_it(force):
    """Also where the first controls are the best in the hard motion: the plan that holds them counts, not where the descent was."""
    plan = fly(HOVER + [force, 0.0], AHEAD, 1e-3)
    assert plan.status is not PlanStatus.UNREACHED and plan.hard_trajectory.qpos[-1, 0] > 0.19


def test_a_plan_that_did_all_it_could_is_not_out_of_reach():
    """Two masses, one of which no control moves: the other one is where it is to be."""
    xml = """<mujoco><option gravity="0 0 0"/><worldbody>
      <body><joint name="a" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>
      <body pos="0 9 0"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody>
      <actuator><motor joint="a"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(xml), timestep=0.05)
    plan = ilqr(sim, sim.initial_state(), np.zeros((10, 1)), terminal=state_cost(sim.model, [1.0, 1.0]))
    assert plan.status is PlanStatus.SOLVED and abs(plan.states[-1].qpos[0] - 1.0) < 1e-3


def test_a_minimum_that_no_step_improves_is_not_out_of_reach():
    """A pusher whose box is where it is to be; and a pusher asked to be 1 mm aside, planned again from its own plan."""
    sim = HardSimulator(load_model(PUSHER.format(x=-1.0)), timestep=0.05)
    start = sim.initial_state()
    stage, terminal = control_cost(sim.model, 1e-4), state_cost(sim.model, start.qpos)
    assert ilqr(sim, start, np.zeros((5, 1)), stage=stage, terminal=terminal).status is PlanStatus.SOLVED
    there = start.qpos.copy()
    there[0] += 1e-3
    first = ilqr(sim, start, np.zeros((5, 1)), stage=stage, terminal=state_cost(sim.model, there))
    again = ilqr(sim, start, first.controls, stage=stage, terminal=state_cost(sim.model, there))
    assert again.hard_cost <= first.hard_cost and again.status is not PlanStatus.UNREACHED


class Brittle(LinearSystem):
    """A double integrator whose third step fails where κ is large."""

    def __init__(self):
        plain = double_integrator()
        super().__init__(plain.A, plain.B)

    def largest_kappa(self):
        return 1e-2

    def step(self, state, control, kappa=None):
        found = super().step(state, control)
        late = state.time > 1.5 * self.timestep and (kappa or 0.0) > 5e-3
        return Outcome(found.state, Status.STALLED) if late else found


def test_a_start_that_fails_at_kappa_alone_says_so(tmp_path):
    """It was BAD_START at an infinite cost of a hard motion that nothing is wrong with."""
    sim, controls = Brittle(), np.full((5, 1), 0.1)
    stage, terminal = control_cost(sim.model, 1e-3), state_cost(sim.model, [1.0])
    plan = plan_of(stage, terminal, sim, controls, options=Options(kappa=1e-2))
    assert plan.status is PlanStatus.BAD_START and np.array_equal(plan.controls, controls)
    states = [sim.initial_state([0.5, 0.25])]
    for u in controls:
        states.append(sim.step(states[-1], u).state)
    assert plan.hard_cost == plan.cost == pytest.approx(1e-3 * 5 * 0.01 + terminal.value(states[-1], None, 5))
    assert plan.hard_violation == 0.0 and plan.hard_trajectory.unsolved == 0
    for words in ("kappa=0.01", "step 2 ends STALLED", "smaller kappa", "kappa='auto'"):
        assert words in plan.message and words in str(plan)
    plan.save(tmp_path / "plan.npz")
    assert load_plan(tmp_path / "plan.npz").message == plan.message
    for kappa in (1e-3, "auto"):
        plan = plan_of(stage, terminal, sim, controls, options=Options(kappa=kappa))
        assert plan.status is PlanStatus.SOLVED and plan.message == ""


def test_auto_plans_in_the_hard_motion_where_every_kappa_fails_to_roll_the_start_out():
    """A rod that passes 33 rad/s at h 0.04 s: TOO_FAST at any κ, in two parts in the hard limit. It was BAD_START."""
    rod = load_model("""<mujoco><worldbody><body><joint name="t" axis="0 1 0" damping=".05"/>
      <geom type="capsule" fromto="0 0 0 0 0 .5" size=".02" mass=".5"/></body></worldbody>
      <actuator><motor joint="t" ctrlrange="-5 5"/></actuator></mujoco>""")
    sim = HardSimulator(rod, timestep=0.04)
    start, controls = sim.initial_state([np.pi]), np.full((40, 1), 2.0)
    problem = {"stage": control_cost(rod, 1e-3), "terminal": state_cost(rod, [2 * np.pi], weight=[10.0, 0.1])}
    assert ilqr(sim, start, controls, options=Options(kappa=3e-4), **problem).status is PlanStatus.BAD_START
    plan = ilqr(sim, start, controls, **problem)
    assert plan.status is PlanStatus.SOLVED and plan.cost == plan.hard_cost < 0.02


@pytest.mark.parametrize("plan", [ilqr, cem])
def test_a_constraint_that_the_initial_state_violates_is_named(plan):
    """Penalties were to be raised for it, and the goal perhaps out of reach."""
    sim = HardSimulator("double_pendulum", timestep=0.05)
    start, controls = sim.initial_state(np.array([-0.3, 0.0])), np.zeros((5, 2))
    costs = {"stage": control_cost(sim.model, 1e-3), "terminal": state_cost(sim.model, [0.5, 0.0])}
    above = Constraint(lambda s, u, k: -0.1 - s.qpos[:1], "inequality", "all", name="above")
    bounded = Constraint(lambda s, u, k: 1e9 * np.ones(1) + u[:1], "inequality", "stage", name="bounded")
    found = plan(sim, start, controls, constraints=above, **costs)
    assert "the initial state violates constraint 'above' by 0.2, which no control changes" in str(found)
    assert found.status in (PlanStatus.MAX_UPDATES, PlanStatus.VIOLATED) and found.status.value in found.message
    assert plan(sim, start, controls, constraints=bounded, **costs).message == ""
    both = Constraint(lambda s, u, k: np.array([1e9 + u[0], -0.1 - s.qpos[0]]), "inequality", "stage", name="both")
    assert "violates constraint 'both' by 0.2," in plan(sim, start, controls, constraints=both, **costs).message
    fine = Constraint(above.function, "inequality", "terminal", name="above")
    assert plan(sim, start, controls, constraints=fine, **costs).message == ""


def test_a_start_too_fast_for_any_kappa_is_told_what_helps():
    """Steps at no kappa are divided where bodies rotate fast, hard ones are: "auto" plans with these by itself."""
    sim = HardSimulator("double_pendulum", timestep=0.05)
    start, controls = sim.initial_state(np.zeros(2), np.array([25.0, 0.0])), np.zeros((10, 2))
    costs = {"stage": control_cost(sim.model, 1e-3), "terminal": state_cost(sim.model, [1.0, 0.0])}
    plan = ilqr(sim, start, controls, options=Options(kappa=3e-4), **costs)
    assert plan.status is PlanStatus.BAD_START
    assert "TOO_FAST; " in plan.message and "use rollout_kappa=None, or a shorter timestep" in plan.message
    for options in (Options(rollout_kappa=None), None):
        helped = ilqr(sim, start, controls, options=options, **costs)
        assert helped.status is not PlanStatus.BAD_START and helped.hard_cost <= plan.hard_cost


@pytest.mark.parametrize("limits", ["model", None])
def test_a_control_that_no_cost_sees_does_not_keep_a_plan_from_its_end(limits):
    """The last control of a plan whose stages alone cost: Q_uu is 0 there, and the plan ended MAX_ITERATIONS after one iteration.

    Without limits the controls end beyond the actuator's range, where they change nothing: the plan did what it could.
    """
    xml = """<mujoco><worldbody><body><joint name="x" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody>
      <actuator><motor joint="x" ctrlrange="-3 3"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(xml), timestep=0.02)
    stage = state_cost(sim.model, [1.0], weight=[1.0, 0.0])
    plan = ilqr(sim, sim.initial_state(), np.zeros((10, 1)), stage=stage, control_limits=limits)
    assert plan.status is PlanStatus.SOLVED and np.all(plan.controls[:-1] >= 3.0 - 1e-9) and plan.iterations < 10
