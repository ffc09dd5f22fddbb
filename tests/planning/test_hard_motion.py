"""Every plan carries its hard motion: what it costs there, with or without gains, what its status says of it, and its file."""

import json
from dataclasses import replace

import numpy as np
import pytest
from systems import double_integrator, pendulum

from dojo_py import HardSimulator, load_model
from dojo_py.planning import (
    Constraint,
    Options,
    PlanStatus,
    ResidualCost,
    SamplingOptions,
    control_cost,
    goal,
    ilqr,
    load_plan,
    predictive_sampling,
    state_cost,
)

CUBE = """<mujoco><option timestep="0.05"/><worldbody><geom type="plane" size="0 0 1" friction="0.6 0 0"/>
  <body pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.6 0 0"/></body></worldbody>
  <actuator><motor joint="root" gear="1 0 0 0 0 0" ctrlrange="-20 20"/></actuator></mujoco>"""


@pytest.fixture(scope="module")
def cube():
    return HardSimulator(load_model(CUBE))


def pushed(sim, distance=0.3, **more):
    """The cube pushed so far along the ground from rest, 20 steps of 0.05 s."""
    start = sim.initial_state()
    end = start.qpos.copy()
    end[0] += distance
    arguments = {"stage": control_cost(sim.model, 1e-5), "terminal": state_cost(sim.model, end, weight=[100.0] * 6 + [1.0] * 6)}
    arguments |= {"options": Options(kappa=1e-3, harden=False), **more}
    return ilqr(sim, start, arguments.pop("controls", np.full((20, 1), 6.5)), **arguments)


def total(plan, stage, terminal, states, controls):
    """The sum of costs, written anew."""
    T = len(controls)
    return sum(stage.value(states[k], controls[k], k) for k in range(T)) + terminal.value(states[T], None, T)


def test_the_hard_motion_is_the_simulators_own(cube):
    """hard_cost is the cheaper of two roll-outs made here: the controls as they are, and with the gains."""
    end = cube.initial_state().qpos + np.eye(7)[0] * 0.3
    stage, terminal = control_cost(cube.model, 1e-5), state_cost(cube.model, end, weight=[100.0] * 6 + [1.0] * 6)
    plan = pushed(cube)
    costs = []
    for gain in (0.0, 1.0):
        states, controls = [cube.initial_state()], []
        for k in range(20):
            dx = np.concatenate([
                cube.model.difference(states[k].qpos, plan.states[k].qpos), states[k].qvel - plan.states[k].qvel
            ])  # fmt: skip
            controls.append(np.clip(plan.controls[k] + gain * plan.gains[k] @ dx, -20, 20))
            states.append(cube.step(states[k], controls[k]).state)
        costs.append(total(plan, stage, terminal, states, np.array(controls)))
    assert plan.hard_cost == pytest.approx(min(costs), rel=1e-9) and plan.hard_feedback == (costs[1] < costs[0])
    assert abs(costs[0] - costs[1]) > 1e-3 * plan.hard_cost, "the two ways differ here"
    assert plan.hard_cost != pytest.approx(plan.cost, rel=1e-3), "and so do the motions"
    again = cube.rollout(plan.states[0], plan.hard_trajectory.control)
    np.testing.assert_array_equal(again.qpos, plan.hard_trajectory.qpos)


def test_a_plan_of_relaxed_motion_alone_says_so(cube):
    """Friction at κ = 1e-2 lets the cube creep: what the relaxed motion promises the hard one does not keep."""
    start = cube.initial_state()
    reach = goal(cube.model, start.qpos + np.eye(7)[0] * 0.3, rows=[0])
    options = Options(kappa=1e-2, harden=False)
    plan = pushed(cube, constraints=reach, options=options, controls=np.zeros((20, 1)))
    assert plan.violation <= options.constraint_tolerance < plan.hard_violation
    assert plan.status is PlanStatus.RELAXED and "hard_violation" in plan.status.value
    hardened = pushed(cube, constraints=reach, options=Options(kappa=1e-3))
    assert hardened.status is PlanStatus.SOLVED and hardened.hard_violation <= options.constraint_tolerance
    assert hardened.hard_cost == pytest.approx(hardened.cost, rel=1e-9)


@pytest.mark.parametrize("force", [0.0, 6.5, 8.0])
@pytest.mark.parametrize("kappa", [1e-2, 1e-4])
def test_no_plan_is_worse_than_its_start_in_the_hard_motion(cube, force, kappa):
    end = cube.initial_state().qpos + np.eye(7)[0] * 0.3
    stage, terminal = control_cost(cube.model, 1e-5), state_cost(cube.model, end, weight=[100.0] * 6 + [1.0] * 6)
    controls = np.full((20, 1), force)
    plan = pushed(cube, controls=controls, options=Options(kappa=kappa, harden=False, max_iterations=10))
    motion = cube.rollout(cube.initial_state(), controls)
    begun = total(plan, stage, terminal, [motion.state(k) for k in range(21)], controls)
    assert plan.hard_cost <= begun * (1 + 1e-12)
    if plan.status is PlanStatus.NO_BETTER:
        np.testing.assert_array_equal(plan.controls, controls)
        assert plan.cost == plan.hard_cost


def test_goals_that_are_met_count_though_the_descent_stalls():
    """Gradients that turn round once the goal is met: no further step, and a plan that does what was asked."""
    sim = double_integrator()
    wrong = ResidualCost(lambda s, u, k: u - 1.0, 1e-2, lambda s, u, k: (np.zeros((1, 2)), -np.eye(1)))
    reach = goal(sim.model, [1.0])
    options = Options(check_derivatives=False, cost_tolerance=1e-9)
    plan = ilqr(sim, sim.initial_state([0.0, 0.0]), np.zeros((10, 1)), stage=wrong, constraints=reach, options=options)
    stalled = ilqr(sim, sim.initial_state([0.0, 0.0]), np.zeros((10, 1)), stage=wrong, options=options)
    assert plan.hard_violation <= options.constraint_tolerance and plan.status is PlanStatus.SOLVED
    assert stalled.status in (PlanStatus.STALLED, PlanStatus.NO_BETTER)


@pytest.mark.parametrize("bound", [None, 100.0])
def test_limits_that_hold_all_along_do_not_make_a_descent_that_stalls_a_solution(bound):
    """Some steps help, then gradients that are wrong hinder. With |u| ≤ 100, which nothing ever violates, the plan was SOLVED."""
    sim = double_integrator()
    wrong = ResidualCost(lambda s, u, k: u - 1.0, 1e-2, lambda s, u, k: (np.zeros((1, 2)), -np.eye(1)))
    limits = () if bound is None else Constraint(lambda s, u, k: np.abs(u) - bound, "inequality", "stage")
    plan = ilqr(
        sim, sim.initial_state([0.0, 0.0]), np.zeros((10, 1)), stage=wrong, terminal=state_cost(sim.model, [1.0], weight=10.0),
        constraints=limits, options=Options(check_derivatives=False, cost_tolerance=1e-9, gradient_tolerance=1e-9),
    )  # fmt: skip
    assert plan.status is PlanStatus.STALLED and any(record.step > 0.0 for record in plan.log), plan.status


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_the_unit_of_the_cost_does_not_matter(unit):
    """The same iterations, whether costs are told in millionths or in millions. Controls differ by round-off, bound 1e-6."""
    sim = pendulum()

    def plan_in(unit):
        stage, terminal = control_cost(sim.model, 0.01 * unit), state_cost(sim.model, [np.pi], weight=10.0 * unit)
        return ilqr(sim, sim.initial_state([0.0, 0.0]), np.full((40, 1), 0.1), stage=stage, terminal=terminal)

    one, other = plan_in(1.0), plan_in(unit)
    assert one.iterations == other.iterations and other.status is PlanStatus.SOLVED
    np.testing.assert_allclose(one.controls, other.controls, atol=1e-6)


def test_a_wrong_derivative_that_is_right_at_zero_is_named():
    sim = double_integrator()
    half = ResidualCost(lambda s, u, k: u * u, jacobian=lambda s, u, k: (np.zeros((1, 2)), np.diag(u)))
    with pytest.raises(ValueError, match=r"stage\[0\], jacobian: row 0 by entry 0 of the control"):
        ilqr(sim, sim.initial_state([0.0, 0.0]), np.zeros((5, 1)), stage=half)
    root = ResidualCost(
        lambda s, u, k: np.sqrt(0.25 - u * u), jacobian=lambda s, u, k: (np.zeros((1, 2)), -np.diag(u / np.sqrt(0.25 - u * u)))
    )
    with np.errstate(invalid="ignore"):
        ilqr(sim, sim.initial_state([0.0, 0.0]), np.full((3, 1), 0.495), stage=root, options=Options(max_iterations=1))


def test_files_hold_where_the_target_is(tmp_path):
    """A mocap body that the costs read: states from a file had it where the model has it."""
    text = """<mujoco><worldbody><body name="target" mocap="true"><geom size="0.1" contype="0" conaffinity="0"/></body>
      <body><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/></body></worldbody>
      <actuator><motor joint="rail"/></actuator></mujoco>"""
    sim = HardSimulator(load_model(text), 0.1)
    start = replace(sim.initial_state(), mocap_pos=np.array([[0.7, 0.0, 0.0]]))
    there = ResidualCost(lambda s, u, k: s.qpos - s.mocap_pos[0, 0], 100.0)
    plan = ilqr(sim, start, np.zeros((10, 1)), stage=control_cost(sim.model, 1e-3), terminal=there)
    assert abs(plan.hard_trajectory.qpos[-1, 0] - 0.7) < 0.01
    plan.save(tmp_path / "plan.npz")
    back = load_plan(tmp_path / "plan.npz")
    assert [s.mocap_pos.tolist() for s in back.states] == [s.mocap_pos.tolist() for s in plan.states]
    assert back.states[0].eq_active is None or np.array_equal(back.states[0].eq_active, plan.states[0].eq_active)
    again = ilqr(sim, back.states[0], back.controls, stage=control_cost(sim.model, 1e-3), terminal=there)
    assert again.hard_cost <= plan.hard_cost


def test_files_hold_the_hard_motion_and_old_ones_load(cube, tmp_path):
    plan = pushed(cube, options=Options(kappa=1e-3, harden=False, max_iterations=3))
    plan.save(tmp_path / "plan.npz")
    back = load_plan(tmp_path / "plan.npz")
    assert (back.hard_cost, back.hard_violation, back.hard_feedback) == (plan.hard_cost, plan.hard_violation, plan.hard_feedback)
    for name in ("qpos", "qvel", "control", "maximal", "status"):
        np.testing.assert_array_equal(getattr(back.hard_trajectory, name), getattr(plan.hard_trajectory, name))
    assert back.hard_trajectory.metadata == plan.hard_trajectory.metadata
    ends = [cube.step(p.hard_trajectory.state(7)).state.qpos for p in (plan, back)]
    np.testing.assert_array_equal(*ends)

    with np.load(tmp_path / "plan.npz") as file:
        old = {name: file[name] for name in file.files if not name.startswith("hard")}
    head = json.loads(str(old["metadata"]))
    head = {name: value for name, value in head.items() if not name.startswith("hard")} | {"format": "dojo_py plan 1"}
    np.savez(tmp_path / "old.npz", **old | {"metadata": np.array(json.dumps(head))})
    first = load_plan(tmp_path / "old.npz")
    assert first.cost == plan.cost and first.hard_trajectory is None and np.isnan(first.hard_cost)


def swinging(more=""):
    """A simulator of a motorised pendulum with a sensor of its angle."""
    text = f"""<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.5"/></body></worldbody>
      <actuator><motor joint="j" {more}/></actuator><sensor><jointpos name="angle" joint="j"/></sensor></mujoco>"""
    return HardSimulator(load_model(text), 0.02)


def test_files_hold_the_readings_of_the_hard_motion(tmp_path):
    """They were kept as pickles, which `load_plan` refuses."""
    sim = swinging()
    options, stage = Options(max_iterations=1), control_cost(sim.model, 1.0)
    plan = ilqr(sim, sim.initial_state([0.3]), np.ones((4, 1)), stage=stage, options=options)
    plan.save(tmp_path / "plan.npz")
    back = load_plan(tmp_path / "plan.npz").hard_trajectory
    assert np.any(plan.hard_trajectory.sensordata) and back.sensor("angle").shape == (4, 1)
    np.testing.assert_array_equal(back.sensordata, plan.hard_trajectory.sensordata)


def test_files_hold_the_controls_on_their_way(tmp_path):
    sim = swinging('delay="0.04" nsample="3"')
    options = SamplingOptions(samples=2, elites=1, max_iterations=1)
    plan = predictive_sampling(sim, sim.initial_state([0.3]), np.ones((4, 1)), stage=control_cost(sim.model, 1.0), options=options)
    plan.save(tmp_path / "plan.npz")
    back = load_plan(tmp_path / "plan.npz")
    for one, other in ((back.states[3], plan.states[3]), (back.hard_trajectory.state(3), plan.hard_trajectory.state(3))):
        np.testing.assert_array_equal(one.history, other.history)
        np.testing.assert_allclose(sim.step(one).state.qvel, sim.step(other).state.qvel, atol=1e-10)


def test_controls_that_come_late_are_refused_by_ilqr():
    sim = swinging('delay="0.04" nsample="3"')
    with pytest.raises(ValueError, match=r"^ilqr: controls \[0\] of this model come late .*cem"):
        ilqr(sim, sim.initial_state(), np.zeros((3, 1)), stage=control_cost(sim.model, 1.0))


def test_a_hard_motion_that_breaks_off_costs_infinity():
    """The simulator refuses a state on the way: no trajectory, no cost, and the plan says so."""
    sim = double_integrator()

    def refuse(state, controls):
        raise ValueError("no such state")

    sim.rollout = refuse
    wall = Constraint(lambda s, u, k: np.array([s.qpos[0] - 100.0]), "inequality")
    plan = ilqr(
        sim, sim.initial_state([0.0, 0.0]), np.zeros((5, 1)), stage=control_cost(sim.model), terminal=state_cost(sim.model, [1.0]),
        constraints=wall, options=Options(harden=False),
    )  # fmt: skip
    assert plan.hard_trajectory is None and plan.hard_cost == np.inf and plan.status is PlanStatus.RELAXED
