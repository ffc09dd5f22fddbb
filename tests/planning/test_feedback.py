"""What planners do in one go: roll-outs with feedback in a kernel, derivatives along a roll-out, costs of all knots together."""

import time
from dataclasses import replace

import numpy as np
import pytest

from dojo_py import HardSimulator, SoftSimulator, load_model
from dojo_py.planning import ResidualCost, control_cost, goal, shooting, state_cost
from dojo_py.planning.knots import stages_and_end
from dojo_py.planning.receding_horizon import Controller
from dojo_py.planning.residuals import StateDistance
from dojo_py.planning.shooting import Path, follow, linearise, roll
from dojo_py.reproduce import push

MOBILE = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>
  <body name="hand" mocap="true" pos="0 0 0.3"><geom size="0.05"/></body>
  <body pos="0 0 0.6"><freejoint name="root"/><geom size="0.1"/>
    <body pos="0.2 0 0"><joint name="ball" type="ball"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.03"/>
      <body pos="0.2 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size="0.05"/></body></body></body>
  </worldbody><actuator><motor joint="root" gear="0 0 1 0 0 0"/><motor joint="ball" gear="0 1 0"/><motor joint="slide"/></actuator>
</mujoco>"""
"""All kinds of joints, and a mocap body."""


def situation(sim, seed=0, T=8, size=1.0):
    """A path of random controls, a feedforward and gains."""
    rng, m = np.random.default_rng(seed), sim.model
    path = roll(sim, sim.initial_state(), size * rng.standard_normal((T, m.nu)), None)
    return path, size * rng.standard_normal((T, m.nu)), 0.3 * size * rng.standard_normal((T, m.nu, 2 * m.nv))


def one_step_after_another(monkeypatch, *arguments, **more):
    with monkeypatch.context() as patch:
        patch.setattr(shooting, "HardSimulator", None)
        patch.setattr(shooting, "SoftSimulator", None)
        return follow(*arguments, **more)


@pytest.mark.parametrize("mode", [HardSimulator, SoftSimulator])
@pytest.mark.parametrize(("model", "h", "size"), [("quadruped", 0.02, 3.0), (MOBILE, 0.02, 0.5), ("cartpole", 0.05, 5.0)])
def test_feedback_in_one_call_is_feedback_step_by_step(model, h, size, mode, monkeypatch):
    """Measured: 2e-10 at most, which is round-off of the gains through the motion; the same with limits that hold, at κ, from
    another start."""
    sim = mode(load_model(model), h)
    path, feedforward, gains = situation(sim, size=size)
    free, tight = (
        (np.full(sim.model.nu, -np.inf), np.full(sim.model.nu, np.inf)),
        (np.full(sim.model.nu, -size), np.full(sim.model.nu, size)),
    )
    start = replace(path.states[0], qvel=path.states[0].qvel + 0.1, exact=None, maximal=None)
    for limits, alpha, kappa, first in (
        (free, 0.5, None, None),
        (tight, 1.0, None, None),
        (tight, 0.3, 1e-3, None),
        (free, 0.0, None, start),
    ):
        if kappa is not None and mode is SoftSimulator:
            continue
        mine = follow(sim, path, feedforward, gains, alpha, limits, kappa, first)
        theirs = one_step_after_another(monkeypatch, sim, path, feedforward, gains, alpha, limits, kappa, first)
        np.testing.assert_allclose(mine.controls, theirs.controls, atol=1e-7 * size)
        for a, b in zip(mine.states, theirs.states, strict=True):
            np.testing.assert_allclose(a.qpos, b.qpos, atol=1e-8)
            assert a.time == pytest.approx(b.time)
        assert mine.unsolved == theirs.unsolved
    assert np.all(np.abs(follow(sim, path, feedforward, gains, 1.0, tight, None).controls) <= size)


def test_states_of_such_a_path_are_the_simulators_own():
    """Going on from one of them is going on from the simulator's step, bit for bit; a mocap body stays where the start has it."""
    sim = HardSimulator(load_model(MOBILE), 0.02)
    start = replace(sim.initial_state(), mocap_pos=np.array([[0.05, 0.0, 0.45]]))
    controls = 0.1 * np.random.default_rng(0).standard_normal((6, 3))
    old = Path([start] * 7, controls, np.zeros((6, 2 * sim.model.nv)))
    none, unbounded = np.zeros((6, 3, 2 * sim.model.nv)), (np.full(3, -np.inf), np.full(3, np.inf))
    found, run = follow(sim, old, 0 * controls, none, 1.0, unbounded, None), sim.rollout(start, controls)
    for k, state in enumerate(found.states):
        assert np.array_equal(state.qpos, run.qpos[k]) and np.array_equal(state.mocap_pos, start.mocap_pos)
    further = [sim.step(state, controls[0]).state.qpos for state in (found.states[3], run.state(3))]
    assert np.array_equal(*further)


def test_motion_without_an_end_is_no_path():
    sim = HardSimulator("cartpole", 0.05)
    path, feedforward, gains = situation(sim)
    unbounded = (np.full(1, -np.inf), np.full(1, np.inf))
    for bad in (np.nan, np.inf):
        assert follow(sim, path, bad + 0 * feedforward, gains, 1.0, unbounded, None) is None
    outside = replace(path.states[0], qvel=np.full(2, 1e6), exact=None, maximal=None)
    assert follow(sim, path, feedforward, gains, 1.0, unbounded, None, outside) is None
    assert follow(sim, path, feedforward, gains, 1.0, unbounded, None) is not None


@pytest.mark.parametrize(("motion", "kappa"), [(1e-3, 1e-3), (None, 3e-4), (1e-3, 1e-4)])
def test_derivatives_along_a_roll_out_are_those_of_each_step(motion, kappa):
    """Bound 1e-6 of the largest entry."""
    sim = HardSimulator("quadruped", 0.02)
    rng = np.random.default_rng(0)
    path = roll(sim, sim.initial_state(), rng.standard_normal((10, 12)), motion)
    mine, theirs = linearise(sim, path, kappa, motion=motion), linearise(sim, path, kappa, threads=2)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6 * np.abs(b).max())


def test_a_path_of_another_motion_is_differentiated_step_by_step():
    """`motion` that does not lead through the states is not believed."""
    sim = HardSimulator("box", 0.05)
    path = roll(sim, sim.initial_state(), np.tile([3.0, 0.0, 0.0], (6, 1)), 1e-2)
    mine, theirs = linearise(sim, path, 1e-2, motion=None), linearise(sim, path, 1e-2, threads=2)
    np.testing.assert_array_equal(mine[0], theirs[0])


def test_costs_of_all_knots_together_are_the_sum_of_each(monkeypatch):
    """Values and second-order models of state and control costs, with goals and weights of single knots too."""
    sim = HardSimulator(load_model(MOBILE), 0.02)
    m, T, rng = sim.model, 6, np.random.default_rng(0)
    path, _, _ = situation(sim, T=T, size=0.5)
    goals, speeds = np.tile(path.states[3].qpos, (T + 1, 1)), rng.standard_normal((T + 1, m.nv))
    distance = StateDistance(m, goals, speeds, rows=[0, 3, 5, 9, -1])
    effort = control_cost(m, [1.0, 2.0, 3.0], rng.standard_normal((T, 3)))
    costs = [
        state_cost(m, goals[0], weight=rng.uniform(size=2 * m.nv)), state_cost(m, goals, speeds, lambda k: 1.0 + k),
        ResidualCost(distance, 2.0, distance.jacobian), control_cost(m, 0.3), effort,
    ]  # fmt: skip
    for cost in costs:
        assert cost.together
        for knots in stages_and_end(path.states, path.controls):
            if knots.controls is None and cost is costs[-1]:
                continue
            alone = [cost.expand(m, s, knots.control(i), knots.first + i) for i, s in enumerate(knots.states)]
            assert cost.total(knots) == pytest.approx(sum(one.value for one in alone), rel=1e-13)
            for a, b in zip(cost.expansions(m, knots), alone, strict=True):
                for name in ("value", "x", "u", "xx", "ux", "uu"):
                    np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-12)
    own = ResidualCost(lambda state, control, k: state.qvel, 1.0)
    assert not own.together and not ResidualCost(distance, 1.0, lambda *_: None).together
    stages, _ = stages_and_end(path.states, path.controls)
    assert own.total(stages) == pytest.approx(sum(s.qvel @ s.qvel for s in path.states[:T]))


def test_mistakes_in_weights_and_goals_are_named_as_ever():
    sim = HardSimulator("cartpole", 0.05)
    path, _, _ = situation(sim)
    stages, _ = stages_and_end(path.states, path.controls)
    with pytest.raises(ValueError, match=r"weight has shape \(3,\), expected one number, \(4,\)"):
        state_cost(sim.model, sim.model.qpos0, weight=[1.0, 1.0, 1.0]).total(stages)
    with pytest.raises(ValueError, match="knot 7 has none"):
        state_cost(sim.model, np.tile(sim.model.qpos0, (3, 1))).total(stages)
    with pytest.raises(ValueError, match="reference has shape"):
        control_cost(sim.model, 1.0, [1.0, 2.0]).total(stages)
    assert goal(sim.model, sim.model.qpos0).holds_at(3, 3)


@pytest.mark.slow
def test_a_trot_is_planned_in_real_time(monkeypatch):
    """Seconds of the processor a plan, of 0.05 s that it may take on one core. Measured: 1.2 to 1.3 times real time, 0.7 before
    feedback, derivatives and costs were evaluated in one go."""
    spent, plan = [], Controller.plan

    def timed(controller, state):
        clock = time.process_time()
        found = plan(controller, state)
        spent.append(time.process_time() - clock)
        return found

    monkeypatch.setattr(Controller, "plan", timed)
    push.walk(2.0)
    assert push.TIMESTEP / np.median(spent[1:]) >= 1.0
