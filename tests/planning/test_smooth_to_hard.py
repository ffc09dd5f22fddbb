"""κ by itself: boxes that friction holds are pushed from a start of no force at all, and plans are no worse than their start."""

import numpy as np
import pytest
from default_run import some

from dojo_py import HardSimulator, SoftSimulator, load_model
from dojo_py.planning import Controller, Options, PlanStatus, control_cost, goal, ilqr, state_cost
from dojo_py.planning.options import DEFAULT_KAPPA
from dojo_py.planning.smooth_to_hard import ladder_of

BOX = """<mujoco><option timestep="{h}"/><worldbody><geom type="plane" size="0 0 1" friction="{mu} 0 0"/>
  <body name="box" pos="0 0 0.1"><freejoint name="root"/>
    <geom type="box" size="0.1 0.1 0.1" mass="{mass}" friction="{mu} 0 0"/></body>
  {bodies}</worldbody><actuator>{motors}</actuator></mujoco>"""
FORCE = '<motor joint="root" gear="1 0 0 0 0 0"/>'
FORCES = f"""{FORCE}<motor joint="root" gear="0 1 0 0 0 0" ctrlrange="-20 20"/>
  <motor joint="root" gear="0 0 0 0 0 1" ctrlrange="-5 5"/>"""
PUSHER = """<body name="pusher" pos="-0.13 0 0.1"><joint name="px" type="slide" axis="1 0 0" damping="1"/>{second}
  <geom type="sphere" size="0.03" mass="0.3" friction="0.5 0 0"/></body>"""
ALONG_Y = '<joint name="py" type="slide" axis="0 1 0" damping="1"/>'
PUSH = '<motor joint="px" ctrlrange="-20 20"/>'


def box(bodies="", motors=FORCE, mass=1.0, mu=0.5, h=0.05):
    return HardSimulator(load_model(BOX.format(bodies=bodies, motors=motors, mass=mass, mu=mu, h=h)))


def pushed_to(sim, steps, place, turn=0.0, **more):
    """Plan of the box from rest to a pose at rest, from no force at all; (metres, degrees) that the hard motion misses it by."""
    model, start = sim.model, sim.initial_state()
    end = start.qpos.copy()
    end[: len(place)] = place
    end[3:7] = np.cos(turn / 2), 0, 0, np.sin(turn / 2)
    others = model.nv - 6
    stage = control_cost(model, 1e-5 / model.body_mass.max() ** 2)
    terminal = state_cost(model, end, weight=[100.0] * 6 + [0.0] * others + [1.0] * 6 + [0.1] * others)
    plan = ilqr(sim, start, np.zeros((steps, model.nu)), stage=stage, terminal=terminal, **more)
    miss = model.difference(plan.hard_trajectory.qpos[-1], end)
    return plan, float(np.linalg.norm(miss[:3])), float(np.degrees(np.linalg.norm(miss[3:6])))


TIPS = pytest.mark.xfail(
    strict=False, reason="bound 2 mm: 9.4 mm, or 0.7 mm with solvers of other round-off: about to tip, descents end on luck"
)
BOXES = [(1.0, 0.5, 0.05), (20.0, 1.0, 0.05), pytest.param(1.0, 1.0, 0.05, marks=TIPS), (0.2, 0.3, 0.02), (5.0, 0.7, 0.1)]


@pytest.mark.parametrize(("mass", "mu", "h"), some(BOXES, [BOXES[0], BOXES[3], BOXES[4]]))
def test_a_box_that_friction_holds_is_pushed_by_a_force(mass, mu, h):
    """0.3 m straight, from rest to rest, in 1 s: whatever its mass, its friction and the time step. Bound 2 mm, measured < 1.

    At a friction of 1 the box is about to tip over its leading edge. A descent that went on from boxes that had tipped took 860 to
    1000 iterations and ended on luck; one that ends there takes 520 to 590.
    """
    plan, metres, _ = pushed_to(box(mass=mass, mu=mu, h=h), round(1.0 / h), [0.3])
    assert plan.status is PlanStatus.SOLVED and metres < 2e-3, (plan.status, metres)
    assert plan.hard_trajectory.unsolved == 0 and np.ptp(plan.hard_trajectory.qpos[:, 1]) < 1e-6


def test_a_goal_as_a_constraint_is_met_in_the_hard_motion():
    sim = box()
    start = sim.initial_state()
    reach = goal(sim.model, start.qpos + 0.3 * np.eye(7)[0], rows=[0, 6])
    plan = ilqr(sim, start, np.zeros((20, 1)), stage=control_cost(sim.model, 1e-3), constraints=reach)
    assert plan.status is PlanStatus.SOLVED and plan.hard_violation <= 5e-3


@pytest.mark.parametrize("behind", some([0.2, 0.3], [0.3]))
def test_a_goal_that_costs_much_more_than_its_first_penalty_is_met(behind):
    """0.2 m by a pusher 0.07 or 0.17 m behind the box. At the first penalty to stay is cheapest at every κ.

    The multipliers are updated at the κ where the relaxed motion foretells the hard one until the goal is met there; before, the
    descent ended with the first such κ, and the plan held the start, NO_BETTER, 0.2 m off.
    """
    sim = box(PUSHER.format(second="").replace("-0.13", f"-{behind}"), PUSH, mu=0.6)
    start = sim.initial_state()
    reach = goal(sim.model, start.qpos + 0.2 * np.eye(sim.model.nq)[0], rows=[0])
    plan = ilqr(sim, start, np.zeros((20, 1)), stage=control_cost(sim.model, 1e-4), constraints=reach)
    assert plan.status is PlanStatus.SOLVED and plan.hard_violation <= 5e-3, (plan.status, plan.hard_violation)


def test_a_pusher_pushes_the_box_straight():
    """0.3 m by a ball on a slider that starts at rest, touching it. Bound 2 mm, measured 0.1."""
    plan, metres, degrees = pushed_to(box(PUSHER.format(second=""), PUSH), 30, [0.3])
    assert metres < 2e-3 and degrees < 0.5 and plan.hard_cost < 0.01 * 9.0, (plan.status, metres, degrees)


@pytest.mark.slow
@pytest.mark.xfail(reason="bound 10 mm; measured 6.6 or 13 mm: the load of a flat box's corners is not determined", strict=False)
def test_forces_turn_the_box_to_a_pose():
    """(0.25 m, 0.1 m, 29°) by two forces and a torque. Bound 10 mm and 0.5°, measured 13 mm and 0.005°."""
    plan, metres, degrees = pushed_to(box(motors=FORCES), 25, [0.25, 0.1], np.radians(29))
    assert plan.status is PlanStatus.SOLVED and metres < 1e-2 and degrees < 0.5, (metres, degrees)


@pytest.mark.slow  # a minute
def test_a_pusher_pushes_the_box_to_a_pose():
    """(0.25 m, 0.1 m, 29°) by a ball on two sliders that starts behind the box. Bound 5 mm and 1°, measured 0.6 mm and 0.002°."""
    sim = box(PUSHER.format(second=ALONG_Y), PUSH + PUSH.replace("px", "py"))
    plan, metres, degrees = pushed_to(sim, 40, [0.25, 0.1], np.radians(29))
    assert plan.status is PlanStatus.SOLVED and metres < 5e-3 and degrees < 1.0, (plan.status, metres, degrees)


def test_no_plan_is_worse_than_its_start_and_the_same_arguments_give_the_same_plan():
    """Few iterations, from a push that nearly does it."""
    sim = box()
    plans = [pushed_to(sim, 20, [0.3], options=Options(max_total_iterations=8))[0] for _ in range(2)]
    np.testing.assert_array_equal(plans[0].controls, plans[1].controls)
    assert plans[0].iterations <= 8 and plans[0].hard_cost <= 9.0
    kept, _, _ = pushed_to(sim, 20, [0.3], options=Options(harden=False))
    assert kept.hard_cost <= 9.0 and kept.hard_trajectory is not None


def stays(weight, kappa, force=0.0):
    """Plan of a box that is wanted 0.3 m away at this weight, and the controls that it started with."""
    sim = box()
    start, controls = sim.initial_state(), np.full((20, 1), force)
    end = start.qpos + 0.3 * np.eye(7)[0]
    terminal = state_cost(sim.model, end, weight=[weight] * 6 + [0.01 * weight] * 6)
    options = Options(kappa=kappa)
    return ilqr(sim, start, controls, stage=control_cost(sim.model, 1e-5), terminal=terminal, options=options), controls


@pytest.mark.parametrize("kappa", ["auto", 1e-3])
def test_a_plan_that_finds_nothing_better_than_its_start_says_so(kappa):
    """To push costs 50 times what it gains, but the relaxed motion promises to slide the box for less: the box stays."""
    plan, controls = stays(1e-3, kappa)
    assert plan.status is PlanStatus.NO_BETTER
    np.testing.assert_array_equal(plan.controls, controls)
    assert plan.cost == plan.hard_cost and any(record.step > 0 for record in plan.log)


def test_a_start_that_no_step_improves_is_a_minimum():
    """Nothing wanted: the box stays where it is, at no cost, and that is solved."""
    plan, controls = stays(0.0, "auto")
    assert plan.status is PlanStatus.SOLVED and plan.hard_cost == 0.0
    np.testing.assert_array_equal(plan.controls, controls)


def test_where_there_is_no_contact_to_go_by_kappa_is_fixed():
    rod = load_model("pendulum")
    assert ladder_of(HardSimulator(rod), Options()) is None and ladder_of(SoftSimulator(load_model("box")), Options()) is None
    assert ladder_of(box(), Options()) is not None and ladder_of(box(), Options(kappa=1e-3)) is None
    assert ladder_of(box(), Options(rollout_kappa=None)) is None
    assert Options().kappas == (DEFAULT_KAPPA,)
    with pytest.raises(ValueError, match="kappa"):
        Options(kappa="smooth")


def test_receding_horizons_take_the_fixed_kappa():
    """No time to search between two steps: the plans of a controller use one κ, its first one what it is told."""
    sim = box()
    objective = {"stage": control_cost(sim.model, 1e-3), "terminal": state_cost(sim.model, sim.initial_state().qpos)}
    quick = Options(max_iterations=2, harden=False)
    plan = Controller(sim, lambda state: objective, np.full((5, 1), 3.0), quick).plan(sim.initial_state())
    assert {r.kappa for r in plan.log} == {DEFAULT_KAPPA}
