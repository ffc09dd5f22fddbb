"""kappa="auto" from a start that is good already: nothing that it has is given up, and what it lacks is found."""

import numpy as np
import pytest
from test_honest_plans import PUSHER

from dojo_py import HardSimulator, load_model
from dojo_py.planning import Options, PlanStatus, ResidualCost, control_cost, goal, ilqr, state_cost

GATE = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body><joint name="x" type="slide" axis="1 0 0" damping="1"/>
    <geom type="box" size=".1 .1 .1" mass="1" contype="2" conaffinity="2"/>
    <body pos=".05 0 .12"><joint name="z" type="slide" axis="0 0 1" damping="1" stiffness="20" range="0 .15" limited="true"/>
      <geom type="box" size=".02 .02 .03" mass=".1"/></body></body>
  <geom type="box" pos=".095 0 .13" size=".02 .05 .03"/></worldbody>
  <actuator><motor joint="x" ctrlrange="-10 10"/><motor joint="z" ctrlrange="-5 5"/></actuator></mujoco>"""
"""A gate whose bolt must be raised over a block before it slides."""


@pytest.mark.parametrize("constrained", [False, True])
def test_a_start_that_large_kappas_forget_is_refined(constrained):
    """The bolt is raised, the gate slides to 0.326 m. At κ 3e-4 bolt and block jam: each plan was NO_BETTER at 0.858."""
    sim = HardSimulator(load_model(GATE), timestep=0.03)
    start, controls = sim.initial_state(), np.zeros((30, 2))
    controls[:12, 1], controls[4:12, 0], controls[14:22, 0] = 3.0, 4.0, -1.6
    there = sim.rollout(start, controls).qpos[-1]
    more = {"constraints": goal(sim.model, there, rows=[0])} if constrained else {}
    end = state_cost(sim.model, [0.4, 0.0], weight=[100.0, 0.0, 1.0, 0.0])
    plan = ilqr(sim, start, controls, stage=control_cost(sim.model, 1e-3), terminal=end, **more)
    assert plan.status is not PlanStatus.NO_BETTER and plan.hard_cost < (0.75 if constrained else 0.3), plan
    assert plan.hard_violation <= 5e-3


def pushed(x, force, weight):
    """A plan of a pusher that begins at x, from controls that push its box to where it is to be."""
    sim = HardSimulator(load_model(PUSHER.format(x=x)), timestep=0.05)
    start, controls = sim.initial_state(), np.zeros((30, 1))
    controls[:10], controls[12:20] = force, -force
    there = sim.rollout(start, controls).qpos[-1]
    reach, end = goal(sim.model, there, rows=[1]), state_cost(sim.model, there, weight=weight * np.eye(14)[1])
    return ilqr(sim, start, controls, stage=control_cost(sim.model, 1e-4), terminal=end, constraints=reach)


def test_a_plan_that_meets_its_goals_is_never_out_of_reach():
    """The box need not move to meet its goal: the pusher lets go, and is UNREACHED no longer."""
    plan = pushed(-0.3, 3.0, 1.0)
    assert plan.hard_violation <= 5e-3 and plan.status is PlanStatus.SOLVED


def test_the_figures_of_a_plan_that_holds_its_start_are_of_its_own_motion():
    """Cost and violation of the start at the largest κ, where the pusher misses, stood beside those of its hard motion."""
    plan = pushed(-1.0, 5.0, 1.0)
    assert plan.hard_violation <= 5e-3 and plan.hard_cost <= 0.045 + 1e-9
    assert plan.cost == pytest.approx(plan.hard_cost, rel=0.01) and plan.violation == pytest.approx(plan.hard_violation, abs=5e-3)
    assert plan.status in (PlanStatus.SOLVED, PlanStatus.NO_BETTER)


ROD = """<mujoco><worldbody><body><joint name="t" axis="0 1 0" damping=".05"/>
  <geom type="capsule" fromto="0 0 0 0 0 .5" size=".02" mass=".5"/></body></worldbody>
  <actuator><motor joint="t" ctrlrange="-5 5"/></actuator></mujoco>"""


def swung(torque, **options):
    """A plan that swings a hanging rod up, at a cost of 4 weight (1 − cos) that is largest and flat where it hangs."""
    rod = load_model(ROD)
    sim = HardSimulator(rod, timestep=0.04)
    up = ResidualCost(lambda s, u, k: np.array([np.cos(s.qpos[0]) - 1.0, np.sin(s.qpos[0]), 0.1 * s.qvel[0]]), 10.0)
    controls, costs = np.full((40, 1), torque), {"stage": control_cost(rod, 1e-3), "terminal": up}
    return ilqr(sim, sim.initial_state([np.pi]), controls, options=Options(**options), **costs)


@pytest.mark.parametrize("torque", [0.0, 1e-2])
def test_a_maximum_and_what_is_beside_it_are_no_minimum(torque):
    """SOLVED after one step that found little, at a cost of 40, the largest there is."""
    first, again, blind = swung(torque), swung(torque), swung(torque, look_around=0)
    assert blind.hard_cost > 39.9
    assert first.status is PlanStatus.SOLVED and first.hard_cost < 0.1
    np.testing.assert_array_equal(first.controls, again.controls)


def test_a_minimum_is_kept_as_it_is():
    """Nothing beside it is better: the same plan to the last bit with and without looking around."""
    sim = HardSimulator("double_pendulum", timestep=0.05)
    stage = [control_cost(sim.model, 0.1), state_cost(sim.model, [0.0, 0.0])]
    plans = [
        ilqr(sim, sim.initial_state([0.3, 0.0]), np.zeros((20, sim.model.nu)), stage=stage, options=Options(look_around=samples))
        for samples in (0, 8)
    ]
    assert all(plan.status is PlanStatus.SOLVED for plan in plans) and plans[0].iterations == plans[1].iterations
    np.testing.assert_array_equal(plans[0].controls, plans[1].controls)
    with pytest.raises(ValueError, match="look_around=-1 must not be negative"):
        Options(look_around=-1)
