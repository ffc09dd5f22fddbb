"""closed_loop_function: a policy in the loop with the hard simulator, one call-back for an episode and one for its derivative.

A call-back of JAX costs a millisecond, a step of a small model a hundredth of it: a `lax.scan` over `step_function` and a policy in
JAX costs a hundred times the roll-out. Here the policy runs beside the physics (policy/closed_loop.py), and reverse mode is the
simulator's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dojo_py.hard.simulator import DEFAULT_KAPPA, HardSimulator
from dojo_py.jax.engine import UNSOLVED, judge
from dojo_py.jax.functions import _need_float64, _no_second_derivative, _real
from dojo_py.jax.tangents import Tangents
from dojo_py.policy.closed_loop import ClosedLoop, Played, borrowed
from dojo_py.policy.state_task import StateTask
from dojo_py.simulate.own_steps import has_own
from dojo_py.simulate.values import count, having, real_number, text_of

Array = jax.Array
Outcome = tuple[Array, Array, Array]

BESIDE = ("time", "mocap_pos", "mocap_quat", "eq_active")
"""What a State holds beside the vector [qpos, qvel, act]."""


def closed_loop_function(
    model: Any,
    policy: Any,
    horizon: int,
    timestep: float | None = None,
    kappa: float = DEFAULT_KAPPA,
    unsolved: str = "warn",
    **simulator: Any,
) -> Callable[[Any, Any], Outcome]:
    """f(parameters (size,), state_vector (n,)) -> states (T + 1, n), actions, rewards (T,); T: horizon.

    n = nq + nv + na: qpos, qvel and the activations of stateful actuators.

    model: of a HardSimulator made with timestep [s] and what is left (friction, options, unsupported); its policy sees
    [qpos, qvel] and gives the controls, rewards are 0. Or a task (`make_task`) in the hard mode, with its observations, actions and
    rewards. policy: a LinearPolicy or an MlpPolicy, which run in the kernel, or anything with their `size`, `act` and `backward`,
    which is asked in Python, in numpy. What a start holds beside the vector (poses of mocap bodies, equalities that hold, the time)
    is that of `task.initial_state(np.random.default_rng(0))`; of a model, the file's. kappa [N m s]: of the simulation; `jax.grad`,
    `vjp` and `vmap` of f, under `jit` or not, are exact there.

    unsolved: "warn", "raise" or "ignore" steps, forwards or on the way back, that did not converge; the way back carries nothing
    through a step that has no derivative (SINGULAR, TOO_FAST, NOT_FINITE).
    Where a task ends, its last state is repeated, actions and rewards are 0. Observations and rewards that depend on contacts are
    differentiated by impulses, positions and frames; by gaps and torques only if the task is called back in Python. float64 is
    needed: jax.config.update("jax_enable_x64", True). States that the simulator refuses raise as in `rollout_function`.
    """
    task = model if hasattr(model, "observe") else StateTask(HardSimulator(model, timestep, **simulator))
    if task is model and (timestep is not None or simulator):
        given = [*(["timestep"] if timestep is not None else []), *sorted(simulator)]
        raise ValueError(f"a ready task takes no further settings: {given}")
    if not isinstance(task.sim, HardSimulator):
        raise ValueError('mode="soft" has no reverse mode: make the task with mode="hard"')
    having("policy", policy, ("act", "backward", "size"), "a LinearPolicy, an MlpPolicy or an object with these three")
    if has_own(task, "differentiate"):
        raise ValueError(f"{type(task).__name__} has a `differentiate` of its own, reverse mode here is the simulator's")
    text_of("unsolved", unsolved, UNSOLVED)
    loop = _Loop(task, policy, count("horizon", horizon), real_number("kappa", kappa, above=0.0, unit="N m s"), unsolved)
    core, size = loop.differentiable(), loop.tangents.size

    def closed_loop(parameters: Any, state_vector: Any) -> Outcome:
        _need_float64()
        theta, x = _real("parameters", parameters), _real("state_vector", state_vector)
        if theta.shape != (policy.size,):
            raise ValueError(f"parameters has shape {theta.shape}, expected (size,) = ({policy.size},)")
        if x.shape != (size,):
            raise ValueError(
                f"state_vector has shape {x.shape}, expected (nq + nv{' + na' if task.sim.model.na else ''},) = ({size},)"
            )
        if not any(isinstance(part, jax.core.Tracer) for part in (theta, x)):
            loop.accept(np.asarray(x))  # or JAX would wrap the error in one of its own
        return core(theta, x)

    closed_loop.simulator = task.sim  # type: ignore[attr-defined]
    return closed_loop


class _Loop:
    """What JAX calls back."""

    def __init__(self, task: Any, policy: Any, horizon: int, kappa: float, unsolved: str):
        self.task, self.policy, self.horizon, self.kappa, self.unsolved = task, policy, horizon, kappa, unsolved
        self.tangents = Tangents(task.sim.model)
        ClosedLoop(task, policy, 1)  # which says what does not fit
        self.drawn = task.initial_state(np.random.default_rng(0)) if hasattr(task, "initial_state") else None

    def _played(self, loop: ClosedLoop, theta: np.ndarray, x: np.ndarray) -> Played:
        """The episode, not played again where the loop still holds it."""
        key = theta.tobytes() + x.tobytes() + np.float64(self.kappa).tobytes()
        if loop.held is None or loop.held[0] != key:
            loop.held = key, loop.play(theta, self._start(x), None, self.kappa)
        return loop.held[1]

    def _start(self, x: np.ndarray) -> Any:
        """The state of a vector [qpos, qvel, act]."""
        nq, nv = self.task.sim.model.nq, self.task.sim.model.nv
        x = self.tangents.normalised(x[None])[0]
        state = self.task.sim.initial_state(x[:nq], x[nq : nq + nv], act=x[nq + nv :])
        return state if self.drawn is None else replace(state, **{name: getattr(self.drawn, name) for name in BESIDE})

    def accept(self, x: np.ndarray) -> None:
        """ValueError where the simulator takes no such state (nq + nv + na,); NaN is let through."""
        if np.isfinite(x).all():
            self._start(x)

    def forwards(self, theta: Any, x: Any) -> tuple[np.ndarray, ...]:
        """States, actions, rewards."""
        theta, x = np.asarray(theta), np.asarray(x)
        T, skip = self.horizon, self.task.frame_skip
        out = np.full((T + 1, self.tangents.size), np.nan), np.full((T, self.task.action_size), np.nan), np.full(T, np.nan)
        if not (np.isfinite(theta).all() and np.isfinite(x).all()):
            return out  # NaN for NaN, as everywhere in JAX
        with borrowed(self.task, self.policy, T) as loop:
            loop.held = None  # (a policy of the caller's may have changed since)
            played = self._played(loop, theta, x)
            n, d = len(played.rewards), loop.data
            rows = skip * np.minimum(np.arange(T + 1), n)
            out[0][:] = np.hstack([d.qpos[rows], d.qvel[rows], d.act[rows]])
        judge(self.task.sim.model, self.unsolved, played.status)
        out[1][:n], out[1][n:], out[2][:n], out[2][n:] = played.actions, 0.0, played.rewards, 0.0
        return out

    def backwards(self, theta: Any, x: Any, by_states: Any, by_actions: Any, by_rewards: Any) -> tuple[np.ndarray, ...]:
        """Cotangents of the parameters and the first state (m,) from those of the outcome; by_states (T + 1, m), m = 2nv + na."""
        theta, x = np.asarray(theta), np.asarray(x)
        states = np.array(by_states)
        if not (np.isfinite(theta).all() and np.isfinite(x).all()):
            return np.full(theta.shape, np.nan), np.full(states.shape[1], np.nan)
        with borrowed(self.task, self.policy, self.horizon) as loop:
            played = self._played(loop, theta, x)
            n = len(played.rewards)
            states[n] += states[n + 1 :].sum(axis=0)  # (repeats of the last one)
            found = loop.pull_back(
                played, np.asarray(by_rewards)[:n], self.kappa, states=states[: n + 1], actions=np.asarray(by_actions)[:n]
            )
        judge(self.task.sim.model, self.unsolved, found.status.ravel())
        return found.parameters, found.state

    def differentiable(self) -> Callable[[Array, Array], Outcome]:
        """(parameters, state vector) -> outcome with its rule of reverse mode."""
        T, size, tangents = self.horizon, self.tangents.size, self.tangents
        width, actions = tangents.tangent_size, self.task.action_size

        def call(function: Any, shapes: list[tuple[int, ...]], *arguments: Array) -> Any:
            results = tuple(jax.ShapeDtypeStruct(shape, np.float64) for shape in shapes)
            return jax.pure_callback(function, results, *arguments, vmap_method="sequential")

        @jax.custom_jvp
        def play(theta: Array, x: Array) -> Outcome:
            return call(self.forwards, [(T + 1, size), (T, actions), (T,)], theta, x)

        @jax.custom_jvp
        def pull(*given: Array) -> tuple[Array, Array]:
            return call(self.backwards, [(given[0].shape[0],), (width,)], *given)

        for once in (play, pull):  # (both belong to the first derivative)
            once.defjvp(_no_second_derivative)

        @jax.custom_vjp
        def core(theta: Array, x: Array) -> Outcome:
            return play(theta, x)

        def forward(theta: Array, x: Array) -> tuple[Outcome, Any]:
            out = play(theta, x)
            return out, (theta, x, out[0])

        def backward(kept: Any, cotangents: Outcome) -> tuple[Array, Array]:
            theta, x, y = kept
            by_vector, by_actions, by_rewards = cotangents
            (by_states,) = jax.linear_transpose(lambda t: tangents.raise_(y, t), jnp.zeros((T + 1, width)))(by_vector)
            by_theta, by_first = pull(theta, x, by_states, by_actions, by_rewards)
            (by_x,) = jax.linear_transpose(lambda dx: tangents.lower(x, dx), x)(by_first)
            return by_theta, by_x

        core.defvjp(forward, backward)
        return core
