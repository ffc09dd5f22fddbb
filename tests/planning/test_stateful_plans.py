"""Plans of models with activations, in both modes: states [q, v, act], gains of 2 nv + na columns, costs that read activations."""

import numpy as np
import pytest

import dojo_py
from dojo_py.planning import (
    Controller,
    FunctionCost,
    Options,
    Quadratic,
    ResidualCost,
    SamplingOptions,
    cem,
    control_cost,
    goal,
    ilqr,
    load_plan,
    mpc,
    mppi,
    predictive_sampling,
    state_cost,
)
from dojo_py.planning.differences import difference, jacobians, move
from dojo_py.planning.problem import limits_of
from dojo_py.planning.shooting import Path, follow

FILTERED = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" damping=".05"/>
  <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.5" mass=".5"/></body></worldbody><actuator>
  <general joint="j" dyntype="filter" dynprm=".1" gainprm="4" ctrlrange="-1 1"/></actuator></mujoco>"""
MUSCLES = """<mujoco><default><muscle timeconst=".05 .08" force="14"/></default><worldbody>
  <body><joint name="shoulder" axis="0 1 0" damping=".2"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3" mass=".8"/>
    <body pos="0 0 -.3"><joint name="elbow" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".02" fromto="0 0 0 0 0 -.25" mass=".4"/></body></body></worldbody><actuator>
  <muscle joint="shoulder" lengthrange="-2 2"/><muscle joint="shoulder" gear="-1" lengthrange="-2 2"/>
  <muscle joint="elbow" lengthrange="-2 2" force="7"/><muscle joint="elbow" gear="-1" lengthrange="-2 2" force="7"/>
  </actuator></mujoco>"""
GOALS = {"filtered": (FILTERED, np.array([1.2]), 0.0), "muscles": (MUSCLES, np.array([-0.5, 0.6]), 0.1)}
"""Model, coordinates to be reached at rest, first control."""
MODES = {"hard": dojo_py.HardSimulator, "soft": dojo_py.SoftSimulator}
STEP, HORIZON = 0.02, 40


def problem(name, mode):
    text, there, first = GOALS[name]
    model = dojo_py.load_model(text)
    sim = MODES[mode](model, timestep=STEP)
    start = sim.initial_state(act=np.full(model.na, first))
    controls = np.full((HORIZON, model.nu), first)
    costs = {"stage": [control_cost(model, 1e-3)], "terminal": [state_cost(model, there, weight=10.0)]}
    return sim, start, controls, costs, there


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GOALS)
def test_plans_reach_their_goal(name, mode, tmp_path):
    """Measured: 1.0e-4 rad and 7e-4 rad/s from the goal at most, within the tolerance of constraints (1e-3)."""
    sim, start, controls, costs, there = problem(name, mode)
    model = sim.model
    plan = ilqr(sim, start, controls, **costs, constraints=[goal(model, there)])
    off = np.abs(plan.hard_trajectory.qpos[-1] - there).max(), np.abs(plan.hard_trajectory.qvel[-1]).max()
    print(f"{name}, {mode}: {off[0]:.1e} rad, {off[1]:.1e} rad/s, {plan.iterations} iterations")
    assert plan.status.name == "SOLVED"
    assert off[0] < 2e-3 and off[1] < 2e-3
    n = 2 * model.nv + model.na
    assert plan.gains.shape == (HORIZON, model.nu, n) and plan.act.shape == (HORIZON + 1, model.na)
    assert np.abs(plan.gains[:, :, 2 * model.nv :]).max() > 0.0, "feedback acts on activations"
    plan.save(tmp_path / "plan.npz")
    again = load_plan(tmp_path / "plan.npz")
    assert np.array_equal(again.act, plan.act) and np.array_equal(again.gains, plan.gains)
    assert np.array_equal(again.hard_trajectory.act, plan.hard_trajectory.act)
    moved = move(model, plan.states[3], 0.01 * np.arange(1, n + 1))
    expected = plan.controls[3] + plan.gains[3] @ (0.01 * np.arange(1, n + 1))
    assert plan.control(3, moved, model) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GOALS)
def test_feedback_in_kernels_is_the_loop_in_python(name, mode):
    """The roll-out in one call beside step after step. Measured: 1.7e-14."""
    sim, start, controls, _, _ = problem(name, mode)
    model, rng = sim.model, np.random.default_rng(1)
    run = sim.rollout(start, controls)
    states = [run.state(k) for k in range(HORIZON + 1)]
    n = 2 * model.nv + model.na
    old = Path(states, controls, np.zeros((HORIZON, n)))
    feedforward, gains = 0.1 * rng.normal(size=controls.shape), 0.05 * rng.normal(size=(HORIZON, model.nu, n))
    limits = np.full(model.nu, -1.0), np.full(model.nu, 1.0)
    ours = follow(sim, old, feedforward, gains, 1.0, limits, None)
    state, worst = start, 0.0
    for k in range(HORIZON):
        u = np.clip(controls[k] + feedforward[k] + gains[k] @ difference(model, state, states[k]), *limits)
        state = sim.step(state, u).state
        worst = max(worst, np.abs(difference(model, state, ours.states[k + 1])).max(), np.abs(u - ours.controls[k]).max())
    print(f"{name}, {mode}: {worst:.1e} (bound 1e-8)")
    assert worst < 1e-8


def slope_of(cost, model, state, k, directions, width=1e-5):
    """Central differences of a cost's value along tangents, extrapolated once."""

    def change(direction, w):
        ends = [cost.value(move(model, state, sign * w * direction), None, k) for sign in (1, -1)]
        return (ends[0] - ends[1]) / (2 * w)

    return np.array([(4 * change(d, 0.5 * width) - change(d, width)) / 3 for d in directions])


def test_costs_may_read_activations():
    """By differences, with Jacobians of all 2 nv + na entries, or of 2 nv: then activations have no part. Measured: 3e-11."""
    model = dojo_py.load_model(MUSCLES)
    nv, n, rng = model.nv, 2 * model.nv + model.na, np.random.default_rng(0)
    sim = dojo_py.HardSimulator(model, timestep=STEP)
    state = sim.initial_state(rng.normal(size=nv), rng.normal(size=nv), act=rng.uniform(0.1, 0.9, model.na))

    def lazy(state, control, k):
        return np.concatenate([state.act**2, [state.qpos[0] * state.act[1]]])

    def whole(state, control, k):
        rows = np.zeros((model.na + 1, n))
        rows[: model.na, 2 * nv :] = np.diag(2 * state.act)
        rows[-1, 0], rows[-1, 2 * nv + 1] = state.act[1], state.qpos[0]
        return rows, np.zeros((model.na + 1, 0 if control is None else len(control)))

    for cost in (ResidualCost(lazy, 0.7), ResidualCost(lazy, 0.7, whole)):
        found = cost.expand(model, state, None, 0)
        expected = slope_of(cost, model, state, 0, np.eye(n))
        print(f"{np.abs(found.x - expected).max():.1e} (bound 1e-7)")
        assert np.abs(found.x - expected).max() < 1e-7
    plain = ResidualCost(lambda s, u, k: s.qvel, 1.0, lambda s, u, k: (np.eye(2 * nv)[nv:], np.zeros((nv, 0))))
    found = plain.expand(model, state, None, 0)
    assert found.x.shape == (n,) and not found.x[2 * nv :].any() and found.x[nv : 2 * nv] == pytest.approx(2 * state.qvel)
    rx, ru = jacobians(model, lazy, state, np.zeros(model.nu), 0, model.na + 1)
    assert rx.shape == (model.na + 1, n) and ru.shape == (model.na + 1, model.nu) and not ru.any()
    with pytest.raises(ValueError, match=r"expected \(2, 8\)"):
        ResidualCost(lambda s, u, k: s.qvel, 1.0, lambda s, u, k: (np.zeros((2, 5)), np.zeros((2, 0)))).expand(
            model, state, None, 0
        )


def test_a_cost_of_activations_is_planned_with():
    """Asked for little activation at the end, the plan ends with little. Measured: 0.044, and less than 1e-4 where asked."""
    sim, start, controls, costs, _ = problem("filtered", "hard")

    def quiet(state, control, k):
        return 20.0 * float(state.act @ state.act)

    def slopes(state, control, k):
        out = Quadratic.zero(3, 0)
        out.value, out.x[2:], out.xx[2:, 2:] = quiet(state, control, k), 40.0 * state.act, 40.0 * np.eye(1)
        return out

    free = ilqr(sim, start, controls, **costs)
    costs["terminal"].append(FunctionCost(quiet, slopes))
    calm = ilqr(sim, start, controls, **costs)
    ends = [abs(float(plan.hard_trajectory.act[-1, 0])) for plan in (free, calm)]
    print(f"activation at the end {ends[0]:.3f}, asked for none {ends[1]:.4f}")
    assert ends[1] < 0.1 * ends[0]


@pytest.mark.parametrize("planner", [cem, mppi, predictive_sampling])
@pytest.mark.parametrize("mode", MODES)
def test_planners_that_sample(planner, mode):
    """They lower the cost of the muscles' first controls. Measured: to 0.010 of it and less."""
    sim, start, controls, costs, _ = problem("muscles", mode)
    first = sim.rollout(start, controls)
    states = [first.state(k) for k in range(HORIZON + 1)]
    begun = sum(c.value(states[-1], None, HORIZON) for c in costs["terminal"])
    plan = planner(sim, start, controls, **costs, options=SamplingOptions(samples=32, max_iterations=20), seed=1)
    print(f"{planner.__name__}, {mode}: {plan.hard_cost / begun:.3f} of the start's cost")
    assert plan.hard_cost < 0.3 * begun
    assert plan.gains.shape == (HORIZON, sim.model.nu, 2 * sim.model.nv + sim.model.na)


@pytest.mark.parametrize("mode", MODES)
def test_model_predictive_control(mode):
    """The pendulum is brought to its goal and held there by a filtered motor. Measured: 2.5e-4 rad off after 2 s."""
    sim, start, controls, _, there = problem("filtered", mode)
    model = sim.model
    hold = 0.5 * 9.81 * 0.25 * np.sin(there[0]) / 4.0
    costs = {
        "stage": [state_cost(model, there, weight=np.array([1.0, 0.05])), control_cost(model, 1e-3, hold)],
        "terminal": [state_cost(model, there, weight=np.array([10.0, 1.0]))],
    }
    run = mpc(sim, start, Controller(sim, lambda state: costs, controls[:20], shift=2), 100)
    print(f"{mode}: {abs(run.qpos[-1, 0] - there[0]):.1e} rad off")
    assert abs(run.qpos[-1, 0] - there[0]) < 2e-2 and abs(run.qvel[-1, 0]) < 5e-2


def test_an_infeasible_start():
    """A guess of all states with activations between; one without them is refused."""
    sim, start, controls, costs, there = problem("filtered", "hard")
    model = sim.model
    shares = np.linspace(0.0, 1.0, HORIZON + 1)
    guess = [dojo_py.State(share * there, np.zeros(1), np.array([0.2 * share])) for share in shares]
    plan = ilqr(sim, start, controls, **costs, states=guess, constraints=[goal(model, there)], options=Options(max_iterations=60))
    assert plan.gap == 0.0 and np.abs(plan.hard_trajectory.qpos[-1] - there).max() < 2e-3
    bare = [dojo_py.State(state.qpos, state.qvel, np.zeros(0)) for state in guess]
    with pytest.raises(ValueError, match=r"states\[0\]: act has shape \(0,\), expected \(1,\)"):
        ilqr(sim, start, controls, **costs, states=bare)


def test_threads_and_differences_give_the_same_derivatives():
    """A, B along a roll-out beside `linearize` of each state, and by differences where there is no `linearize`. Measured: 5e-6."""
    from dojo_py.planning.differences import linearize_by_steps
    from dojo_py.planning.shooting import linearise, roll

    sim, start, controls, _, _ = problem("muscles", "hard")
    path = roll(sim, start, controls[:4] + 0.3, 1e-4)
    A, B = linearise(sim, path, 1e-4, 1, None, 1e-4)
    again = linearise(sim, path, 1e-4, 2)
    assert np.array_equal(A, again[0]) and np.array_equal(B, again[1])
    found = linearize_by_steps(sim, path.states[2], path.controls[2], 1e-4)
    off = max(np.abs(found.A - A[2]).max() / np.abs(A[2]).max(), np.abs(found.B - B[2]).max() / np.abs(B[2]).max())
    print(f"{off:.1e} (bound 1e-4)")
    assert A.shape == (4, 8, 8) and off < 1e-4


def test_plans_keep_the_controls_of_muscles_within_their_law():
    """Without a ctrlrange they were free: beyond [0, 1], where the law clamps them, their columns of B are 0."""
    model = dojo_py.load_model(MUSCLES.replace('lengthrange="-2 2"/>', 'lengthrange="-2 2" ctrlrange="-1 .6"/>', 1))
    sim = dojo_py.HardSimulator(model, timestep=STEP)
    assert [side.tolist() for side in limits_of(sim, "model")] == [[0.0] * 4, [0.6, 1.0, 1.0, 1.0]]
    assert not np.isfinite(limits_of(sim, None)).any()
