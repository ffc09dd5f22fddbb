"""closed_loop_function: derivatives against Ridders' differences of itself, its cost beside the open loop's, a fit with optax."""

import time
import warnings
from dataclasses import dataclass, replace
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dojo_py import load_model
from dojo_py.environments import make_task
from dojo_py.environments.task import Task
from dojo_py.jax import closed_loop_function, rollout_function
from dojo_py.policy import ClosedLoop, LinearPolicy, MlpPolicy

KAPPA = 1e-3


def start_of(task):
    state = task.initial_state(np.random.default_rng(0))
    return np.concatenate([state.qpos, state.qvel])


def ridders(f, step):
    """Derivative of f at 0 by Ridders' extrapolated central differences."""
    table, best, error = [(f(step) - f(-step)) / (2 * step)], 0.0, np.inf
    for i in range(1, 7):
        step /= 1.5
        row = [(f(step) - f(-step)) / (2 * step)]
        for j, above in enumerate(table):
            factor = 1.5 ** (2 * (j + 1))
            row.append((factor * row[j] - above) / (factor - 1))
            doubt = max(abs(row[-1] - row[-2]), abs(row[-1] - above))
            if doubt < error:
                best, error = row[-1], doubt
        table = row
    return best


@pytest.mark.parametrize("name", ["BlockPush", "HalfCheetah"])
def test_gradients_of_a_loss_written_in_jax(name):
    """By parameters and by the start, quaternions of any length; of states, actions and rewards. Measured: 2e-10."""
    task, rng = make_task(name), np.random.default_rng(1)
    policy = MlpPolicy(task.observation_size, task.action_size, (4,))
    f = closed_loop_function(task, policy, 4, kappa=KAPPA)
    theta, x = policy.initial(rng) + 0.1 * rng.standard_normal(policy.size), start_of(task)
    if name == "BlockPush":
        x[3:7] *= 1.3
    weights = [jnp.asarray(rng.standard_normal(np.shape(part))) for part in f(theta, x)]

    def loss(theta, x):
        return sum(jnp.sum(w * part) for w, part in zip(weights, f(theta, x), strict=True))

    by_theta, by_x = jax.jit(jax.grad(loss, (0, 1)))(theta, x)
    for given, gradient, at in ((theta, by_theta, 0), (x, by_x, 1)):
        d = rng.standard_normal(given.shape)
        moved = [theta, x]

        def along(e, given=given, d=d, at=at, moved=moved):
            moved[at] = given + e * d
            found = float(loss(*moved))
            moved[at] = given
            return found

        expected = ridders(along, 1e-4)
        assert abs(float(gradient @ d) - expected) <= 1e-6 * np.linalg.norm(gradient) * np.linalg.norm(d)


def test_a_bare_model_is_closed_over_its_state():
    """The same numbers as its own actions as controls of the open loop; NaN stays NaN; vmap is a loop over its elements."""
    model, rng = load_model("pendulum"), np.random.default_rng(0)
    policy = LinearPolicy(model.nq + model.nv, model.nu, 0.5)
    closed, opened = closed_loop_function(model, policy, 5, 0.05), rollout_function(model, 0.05)
    theta, x = policy.initial(rng), np.array([0.3, 0.1])
    states, actions, rewards = closed(theta, x)
    assert np.array_equal(states, opened(x, actions)) and not np.any(rewards)
    assert np.allclose(actions, states[:-1] @ theta.reshape(model.nu, -1).T, atol=1e-15)
    assert np.isnan(closed(theta * np.nan, x)[0]).all()
    both = jnp.stack([theta, 2 * theta])
    assert np.array_equal(jax.vmap(closed, (0, None))(both, x)[0][0], states)


def test_the_closed_loop_costs_little_more_than_the_open_one():
    """Value and gradient of 100 steps; bound 3. Measured on a busy machine: 0.92 (half-cheetah), 0.98 (pendulum)."""
    for name in ("HalfCheetah", "Pendulum"):
        task = make_task(name)
        policy = LinearPolicy(task.observation_size, task.action_size, 0.01)
        closed = closed_loop_function(task, policy, 100, kappa=KAPPA)
        opened = rollout_function(task.sim.model, task.dt, KAPPA, unsolved="ignore")
        theta, x = policy.initial(np.random.default_rng(0)), start_of(task)
        u = jnp.zeros((100, task.sim.model.nu))
        first = jax.jit(jax.value_and_grad(lambda t, closed=closed, x=x: jnp.sum(closed(t, x)[0][:, 0])))
        second = jax.jit(jax.value_and_grad(lambda u, opened=opened, x=x: jnp.sum(opened(x, u)[:, 0])))
        times = np.zeros((4, 2))
        for k in range(len(times)):
            for i, (g, at) in enumerate(((first, theta), (second, u))):
                began = time.perf_counter()
                jax.block_until_ready(g(at))
                times[k, i] = time.perf_counter() - began
        ratio = times[1:, 0].min() / times[1:, 1].min()
        assert ratio <= 3.0, f"{name}: {ratio:.2f}"


def test_optax_learns_to_hold_a_pendulum_upright():
    optax = pytest.importorskip("optax")
    model = load_model("pendulum")
    policy = MlpPolicy(2, 1, ())
    f, upright = closed_loop_function(model, policy, 30, 0.05), jnp.array([np.pi, 0.0])

    def cost(theta):
        states, actions, _ = f(theta, upright + jnp.array([0.0, 0.2]))
        return jnp.mean((states - upright) ** 2) + 1e-3 * jnp.mean(actions**2)

    theta, adam = jnp.zeros(3), optax.adam(0.3)
    kept, gradient = adam.init(theta), jax.jit(jax.value_and_grad(cost))
    before = float(gradient(theta)[0])
    for _ in range(40):
        value, slope = gradient(theta)
        change, kept = adam.update(slope, kept)
        theta = optax.apply_updates(theta, change)
    assert float(value) < 0.2 * before


def test_steps_that_are_not_solved_are_told():
    """Of the episode, and of its derivative, which carries nothing through them: warned of, raised or ignored."""
    task, policy, rng = make_task("HalfCheetah"), LinearPolicy(17, 6, 0.3), np.random.default_rng(3)
    theta, state = policy.initial(rng), task.initial_state(rng)
    x = np.concatenate([state.qpos, state.qvel])  # (its trunk soon turns too fast for a step at κ)
    with pytest.warns(RuntimeWarning, match="steps TOO_FAST: a body turns too far"):
        jax.block_until_ready(closed_loop_function(task, policy, 30, kappa=1e-2)(theta, x))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        jax.grad(lambda t: closed_loop_function(task, policy, 30, kappa=1e-2)(t, x)[2].sum())(theta)
    assert any("steps TOO_FAST" in str(warning.message) for warning in told)
    assert not any("SINGULAR" in str(warning.message) for warning in told), "it was called a matter of redundant joints"
    with pytest.raises(Exception, match="steps TOO_FAST"):
        jax.block_until_ready(closed_loop_function(task, policy, 30, kappa=1e-2, unsolved="raise")(theta, x))
    assert closed_loop_function(task, policy, 30, kappa=1e-2, unsolved="ignore")(theta, x)[2].shape == (30,)


def test_mistakes_are_named():
    model = load_model("pendulum")
    with pytest.raises(ValueError, match="2 observations"):
        closed_loop_function(model, LinearPolicy(3, 1), 5)
    with pytest.raises(ValueError, match="parameters has shape"):
        closed_loop_function(model, LinearPolicy(2, 1), 5)(np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match="no reverse mode"):
        closed_loop_function(make_task("Pendulum", mode="soft"), LinearPolicy(3, 1), 5)
    with pytest.raises(ValueError, match="unsolved='quietly'"):
        closed_loop_function(model, LinearPolicy(2, 1), 5, unsolved="quietly")
    with pytest.raises(ValueError, match="no further settings"):
        closed_loop_function(make_task("Pendulum"), LinearPolicy(3, 1), 5, 0.01)


def test_second_derivatives_and_states_that_are_refused_say_so():
    """As `rollout_function` does, not in JAX's words of callbacks."""
    loop = closed_loop_function(load_model("pendulum"), LinearPolicy(2, 1), 5, 0.05, KAPPA)
    theta, x = np.array([0.1, -0.2]), np.array([0.3, 0.1])

    def loss(theta, x):
        return jnp.sum(loop(theta, x)[0] ** 2)

    for twice in (jax.jacrev(jax.grad(loss)), jax.hessian(loss, 1), jax.jit(jax.jacrev(jax.grad(loss)))):
        with pytest.raises(NotImplementedError, match="second derivatives are not available"):
            twice(theta, x)
    free = closed_loop_function(load_model("box"), LinearPolicy(13, 3), 5)
    spinning = np.concatenate([load_model("box").qpos0, np.full(6, 1e4)])
    with pytest.raises(ValueError, match="^qvel: a body turns half a turn"):
        free(np.zeros(39), spinning)
    assert np.isnan(free(np.zeros(39), np.nan * spinning)[0]).all()


class Scaled:
    """A policy of the caller's with a number that is no parameter."""

    size, scale = 1, 1.0

    def act(self, parameters, seen):
        return self.scale * parameters * seen[:1]

    def backward(self, parameters, seen, cotangent):
        return self.scale * cotangent * seen[:1], self.scale * np.append(cotangent * parameters, 0.0)


def test_a_policy_that_was_changed_is_asked_anew():
    """The last episode is kept for its derivative, not for the next call."""
    policy = Scaled()
    loop = closed_loop_function(load_model("pendulum"), policy, 5, 0.05, KAPPA)
    before = loop(np.array([0.5]), np.array([0.3, 0.1]))
    policy.scale = 2.0
    after = loop(np.array([0.5]), np.array([0.3, 0.1]))
    assert np.allclose(after[1][0], 2.0 * before[1][0], rtol=1e-14) and not np.allclose(after[0][-1], before[0][-1])


MUSCLE = """<mujoco><option timestep=".01"/><worldbody><body><joint name="j" axis="0 1 0" damping=".1"/>
  <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.4" mass=".5"/></body></worldbody><actuator>
  <muscle joint="j" lengthrange="-2 2" force="9" timeconst=".05 .07"/><general joint="j" dyntype="filter" dynprm=".04"/></actuator>
  </mujoco>"""


def test_activations_are_part_of_the_state_vector():
    """By parameters and by the start, activations included; the policy sees [qpos, qvel]. Measured: 7e-11."""
    model, rng = load_model(MUSCLE), np.random.default_rng(3)
    policy = LinearPolicy(model.nq + model.nv, model.nu)
    f = closed_loop_function(model, policy, 6, kappa=KAPPA)
    theta, x = 0.3 * rng.standard_normal(policy.size), np.array([0.3, -0.2, 0.4, 0.1])
    states, actions, _ = f(theta, x)
    assert states.shape == (7, 4) and np.array_equal(actions[0], policy.act(theta, x[:2]))
    weights = [jnp.asarray(rng.standard_normal(part.shape)) for part in (states, actions)]

    def loss(theta, x):
        return sum(jnp.sum(w * part) for w, part in zip(weights, f(theta, x)[:2], strict=True))

    for at, (given, gradient) in enumerate(zip((theta, x), jax.grad(loss, (0, 1))(theta, x), strict=True)):
        d = rng.standard_normal(given.shape)
        along = [lambda e, d=d: loss(theta + e * d, x), lambda e, d=d: loss(theta, x + e * d)][at]
        by_difference = float(ridders(lambda e, along=along: float(along(e)), 1e-3))
        print(f"{abs(float(gradient @ d) - by_difference) / abs(by_difference):.1e} (bound 1e-8)")
        assert float(gradient @ d) == pytest.approx(by_difference, rel=1e-8)
    with pytest.raises(ValueError, match=r"expected \(nq \+ nv \+ na,\) = \(4,\)"):
        f(theta, x[:2])


REACH = """<mujoco><worldbody><body name="target" mocap="true"><geom size=".02" contype="0" conaffinity="0"/></body>
<body name="arm"><joint name="a" axis="0 0 1" damping=".1"/><geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"
  contype="0"/></body>
<body name="post" pos=".6 0 0"><joint name="b" axis="0 0 1"/><geom size=".03" contype="0"/></body></worldbody>
<equality><connect body1="arm" body2="post" anchor=".4 0 0"/></equality>
<actuator><motor joint="a" ctrlrange="-1 1"/></actuator><keyframe><key name="home"/></keyframe></mujoco>"""


@dataclass(frozen=True, kw_only=True)
class Reach(Task):
    """To a target that is not where the file has it, at a time, with an equality that does not hold."""

    model_name: ClassVar[str] = ""

    def initial_state(self, rng):
        """The same each time."""
        start = self.sim.initial_state([0.1, 0.0])
        return replace(start, mocap_pos=np.array([[0.0, 0.4, 0.0]]), eq_active=np.array([False]), time=2.0)

    def observe(self, state, contacts):
        """(6,)"""
        return np.concatenate([state.qpos, state.qvel, state.mocap_pos[0, :2]])

    def reward(self, before, action, after, contacts):
        """Minus the distance, and the time."""
        tip = 0.4 * np.array([np.cos(after.qpos[0]), np.sin(after.qpos[0])])
        return after.time - float(np.linalg.norm(tip - after.mocap_pos[0, :2])), {}


def test_what_the_vector_leaves_out_is_the_tasks(tmp_path, monkeypatch):
    """The target stood where the file has it, and the equality held."""
    monkeypatch.setattr(Reach, "model_name", str(tmp_path / "reach.xml"))
    (tmp_path / "reach.xml").write_text(REACH)
    task, policy = Reach(), LinearPolicy(6, 1, 0.1)
    theta, start = policy.initial(np.random.default_rng(0)) + 0.3, task.initial_state(np.random.default_rng(0))
    rewards = ClosedLoop(task, policy, 4).play(theta, start, None, KAPPA).rewards
    assert np.array_equal(closed_loop_function(task, policy, 4, kappa=KAPPA)(theta, start_of(task))[2], rewards)
    with pytest.raises(ValueError, match=r"no further settings: \['parameters'\]"):
        closed_loop_function(task, policy, 4, parameters=("mass",))
