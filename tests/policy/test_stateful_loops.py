"""Closed loops of models with activations: what policies earn and the derivative of it, by Ridders' differences, in all routes."""

import numpy as np
import pytest
from test_closed_loop import ridders

import dojo_py
from dojo_py.environments.advance import advance, differentiate
from dojo_py.policy import ClosedLoop, LinearPolicy, MlpPolicy, RolloutOptions
from dojo_py.policy.gradient import GradientJob, links_along, play_and_differentiate
from dojo_py.policy.rollout import Job, play
from dojo_py.policy.smoothing import Smoothing, randomised_linearisation
from dojo_py.policy.state_task import StateTask
from dojo_py.simulate.own_steps import by_simulator

ARM = """<mujoco><worldbody><body><joint name="shoulder" axis="0 1 0" damping=".2"/>
  <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3" mass=".8"/>
  <body pos="0 0 -.3"><joint name="elbow" type="ball" damping=".1"/>
  <geom type="capsule" size=".02" fromto="0 0 0 0 0 -.25" mass=".4"/></body></body></worldbody><actuator>
  <muscle joint="shoulder" lengthrange="-2 2" force="14" timeconst=".04 .06"/>
  <pid joint="shoulder" kp="3" kv=".2" ki="2" input="pos"/>
  <general joint="elbow" gear=".3 1 .2" dyntype="filter" dynprm=".05"/></actuator></mujoco>"""
KAPPA, ACTIONS, SKIP = 1e-4, 5, 2


class Reach:
    """A task asked in Python whose formulas read activations."""

    wants_contacts, frame_skip, mode = False, SKIP, "hard"

    def __init__(self, sim):
        self.sim, self.mode = sim, "hard" if isinstance(sim, dojo_py.HardSimulator) else "soft"
        model = sim.model
        self.observation_size, self.action_size = model.nq + model.nv + model.na, model.nu
        self.action_bounds = -np.ones(model.nu), np.ones(model.nu)

    def initial_state(self, rng):
        model = self.sim.model
        qpos = model.integrate(model.qpos0, 0.3 * rng.standard_normal(model.nv))
        return self.sim.initial_state(qpos, 0.3 * rng.standard_normal(model.nv), act=rng.uniform(0.2, 0.6, model.na))

    def control(self, action):
        return 0.5 + 0.4 * np.clip(action, *self.action_bounds)

    def control_jacobian(self, action):
        return 0.4 * np.diag(np.abs(action) <= 1.0)

    def observe(self, state, contacts):
        return np.concatenate([state.qpos, state.qvel, np.sin(state.act)])

    def reward(self, before, action, after, contacts):
        value = after.qpos[0] + 0.1 * after.qvel[1] - after.act @ after.act + before.act[0] * action[1] - 0.1 * action @ action
        return float(value), {}

    def terminated(self, state):
        return False

    @by_simulator
    def move(self, states, actions, threads=1, kappa=None):
        return advance(self, states, actions, threads, kappa)

    @by_simulator
    def differentiate(self, state, action, kappa):
        return differentiate(self, state, action, kappa)


def simulator(mode=dojo_py.HardSimulator):
    return mode(dojo_py.load_model(ARM), timestep=0.01)


def moved(sim, state, move):
    """The state moved along [δq, δv, δact]."""
    model = sim.model
    nv = model.nv
    qpos, qvel = model.integrate(state.qpos, move[:nv]), state.qvel + move[nv : 2 * nv]
    return sim.initial_state(qpos, qvel, act=state.act + move[2 * nv :])


def test_a_compiled_loop_and_its_way_back():
    """Cotangents of states, activations included, and of actions; by parameters and the first state. Measured: 7e-11."""
    sim = simulator()
    model, rng = sim.model, np.random.default_rng(0)
    n = 2 * model.nv + model.na
    task = StateTask(sim, SKIP)
    policy = MlpPolicy(task.observation_size, task.action_size, (4,))
    theta, start = policy.initial(rng) + 0.2 * rng.standard_normal(policy.size), Reach(sim).initial_state(rng)
    weights, pushes = rng.standard_normal((ACTIONS + 1, n)), rng.standard_normal((ACTIONS, model.nu))
    loop = ClosedLoop(task, policy, ACTIONS)
    assert loop.compiled
    played = loop.play(theta, start, kappa=KAPPA)
    nominal = [loop.rows.state(k * SKIP) for k in range(ACTIONS + 1)]
    found = loop.pull_back(played, np.zeros(ACTIONS), KAPPA, states=weights, actions=pushes)
    assert found.state.shape == (n,) and not found.status.any()

    def value(parameters, state):
        again = loop.play(parameters, state, kappa=KAPPA)
        total = float(np.sum(pushes * again.actions))
        for k, old in enumerate(nominal):
            new = loop.rows.state(k * SKIP)
            dq = model.difference(new.qpos, old.qpos)
            total += weights[k] @ np.concatenate([dq, new.qvel - old.qvel, new.act - old.act])
        return total

    d, x = rng.standard_normal(theta.shape), rng.standard_normal(n)
    for ours, f in (
        (found.parameters @ d, lambda e: value(theta + e * d, start)),
        (found.state @ x, lambda e: value(theta, moved(sim, start, e * x))),
    ):
        theirs = ridders(f, 1e-3)[0]
        print(f"{abs(ours - theirs) / abs(theirs):.1e} (bound 1e-8)")
        assert ours == pytest.approx(theirs, rel=1e-8)
    loop.play(theta, start, kappa=KAPPA)
    short = loop.pull_back(played, np.zeros(ACTIONS), KAPPA, states=weights[:, : 2 * model.nv], actions=pushes)
    weights[:, 2 * model.nv :] = 0.0
    loop.play(theta, start, kappa=KAPPA)
    whole = loop.pull_back(played, np.zeros(ACTIONS), KAPPA, states=weights, actions=pushes)
    assert np.array_equal(short.parameters, whole.parameters) and np.array_equal(short.state, whole.state)
    with pytest.raises(ValueError, match=rf"expected \(n \+ 1, 2nv \+ na\) = \({ACTIONS + 1}, {n}\)"):
        loop.pull_back(played, np.zeros(ACTIONS), KAPPA, states=weights[:, :3])


@pytest.mark.parametrize("mode", [dojo_py.HardSimulator, dojo_py.SoftSimulator])
def test_compiled_loops_go_on_with_activations(mode):
    """An episode in one call is the one step by step, and its actions one by one are the whole. Measured: 1e-15."""
    sim, rng = simulator(mode), np.random.default_rng(1)
    task = StateTask(sim, SKIP)
    policy = LinearPolicy(task.observation_size, task.action_size)
    theta, state = 0.3 * rng.standard_normal(policy.size), Reach(sim).initial_state(rng)
    loop, parts = ClosedLoop(task, policy, ACTIONS), ClosedLoop(task, None, ACTIONS)
    loop.play(theta, state)
    parts.start(state)
    for _ in range(ACTIONS):
        action = policy.act(theta, np.concatenate([state.qpos, state.qvel]))
        parts.act(action)
        for _ in range(SKIP):
            state = sim.step(state, action).state
        assert np.abs(parts.state().act - state.act).max() < 1e-9
    off = np.abs(loop.state().act - state.act).max()
    print(f"{off:.1e} (bound 1e-9)")
    assert off < 1e-9 and np.abs(loop.state().qpos - state.qpos).max() < 1e-9


def test_formulas_that_read_activations():
    """Asked in Python on the way back, and by A, B action after action: both the derivative of the return. Measured: 2.3e-11."""
    sim = simulator()
    task, rng = Reach(sim), np.random.default_rng(2)
    model = sim.model
    policy = MlpPolicy(task.observation_size, task.action_size, (3,))
    theta, start = policy.initial(rng) + 0.1 * rng.standard_normal(policy.size), task.initial_state(np.random.default_rng((7,)))
    loop = ClosedLoop(task, policy, ACTIONS)
    assert not loop.compiled
    found = loop.policy_gradient(theta, start, KAPPA)
    d, x = rng.standard_normal(theta.shape), rng.standard_normal(2 * model.nv + model.na)
    for ours, f in (
        (found.parameters @ d, lambda e: loop.play(theta + e * d, start, kappa=KAPPA).total),
        (found.state @ x, lambda e: loop.play(theta, moved(sim, start, e * x), kappa=KAPPA).total),
    ):
        theirs = ridders(f, 1e-3)[0]
        print(f"{abs(ours - theirs) / abs(theirs):.1e} (bound 1e-8)")
        assert ours == pytest.approx(theirs, rel=1e-8)
    none = np.zeros(task.observation_size), np.ones(task.observation_size)
    job = Job(task, policy, theta, *none, (7,), RolloutOptions(ACTIONS), KAPPA)
    chained = play_and_differentiate(GradientJob(job)).gradient
    print(f"{np.abs(chained - found.parameters).max() / np.abs(chained).max():.1e} (bound 1e-8)")
    assert np.abs(chained - found.parameters).max() < 1e-8 * np.abs(chained).max()
    path = []
    play(job, path)
    links = links_along(job, path)
    assert links[0].A.shape == (len(x), len(x)) and not any(link.cut for link in links)


def test_the_soft_mode_is_differentiated_action_by_action():
    """By differences of its steps. Measured: 1.5e-10."""
    sim = simulator(dojo_py.SoftSimulator)
    task, rng = Reach(sim), np.random.default_rng(2)
    policy = MlpPolicy(task.observation_size, task.action_size, (3,))
    theta = policy.initial(rng) + 0.1 * rng.standard_normal(policy.size)
    none = np.zeros(task.observation_size), np.ones(task.observation_size)

    def job(parameters):
        return Job(task, policy, parameters, *none, (7,), RolloutOptions(ACTIONS))

    d = rng.standard_normal(theta.shape)
    ours = play_and_differentiate(GradientJob(job(theta))).gradient @ d
    theirs = ridders(lambda e: play(job(theta + e * d)).total, 1e-3)[0]
    print(f"{abs(ours - theirs) / abs(theirs):.1e} (bound 1e-7)")
    assert ours == pytest.approx(theirs, rel=1e-7)


def test_randomised_gradients_have_activations():
    """With many pairs about the exact A and B. Measured: 2.6e-8 of the largest entry."""
    sim = simulator()
    task, rng = Reach(sim), np.random.default_rng(3)
    state, action = task.initial_state(rng), np.array([0.2, -0.3, 0.1])
    n = 2 * sim.model.nv + sim.model.na
    small = Smoothing(pairs=4 * n, state_noise=1e-4, action_noise=1e-4)
    A, B = randomised_linearisation(task, state, action, small, rng, KAPPA)
    exact = task.differentiate(state, action, KAPPA)
    assert A.shape == (n, n) and B.shape == (n, 3)
    off = max(np.abs(one - two).max() / np.abs(two).max() for one, two in ((A, exact[0]), (B, exact[1])))
    print(f"{off:.1e} (bound 1e-5)")
    assert off < 1e-5


def test_a_task_whose_derivatives_leave_activations_out_is_refused():
    class Short(Reach):
        def differentiate(self, state, action, kappa):
            A, B, after = differentiate(self, state, action, kappa)
            m = 2 * self.sim.model.nv
            return A[:m, :m], B[:m], after

    task = Short(simulator())
    policy = LinearPolicy(task.observation_size, task.action_size)
    none = np.zeros(task.observation_size), np.ones(task.observation_size)
    job = Job(task, policy, np.zeros(policy.size), *none, (7,), RolloutOptions(2), KAPPA)
    with pytest.raises(ValueError, match=r"Short.differentiate: A \(8, 8\)"):
        play_and_differentiate(GradientJob(job))
