"""Short-horizon actor critic (Xu et al. 2022): exact policy gradients over short windows, a learned value function V after them.

Several worlds (environments simulated in parallel) continue where their last window ended. An iteration is an ascent step of the
policy on the mean over the worlds of the λ-return

    (1 - λ) Σ_{m<h} λᵐ⁻¹ (Σ_{k<m} γᵏ r_k + γᵐ V(o_m)) + λʰ⁻¹ (Σ_{k<h} γᵏ r_k + γʰ V(o_h))

differentiated through the simulation at κ (closed_loop.py), followed by a fit of V to TD(λ) targets of the windows. With λ < 1 the
objective contains V at every step of the window. Where the reward is constant until termination, V alone has a gradient that leads
away from termination; and gradients through a series of touchdowns get less weight than those through one. Exploration is by
parameter noise instead of action noise: every world perturbs the policy's parameters, so that the gradient is that of a smoothed
return.

No setting depends on units. The step size and the noise are given by the change of the actions, relative to their range; κ by the
height at which the model floats at it, relative to its size. The gradient of a world is clipped to twice the median norm of all
worlds, Adam gets the normalised mean, and V is scaled by the returns. Every `interval` iterations a trial evaluates the policy by
`starts` episodes in the hard limit, which count as evaluations; the search returns the best policy of the trials, among which is
the initial one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.simulator import DEFAULT_KAPPA
from dojo_py.policy.ags import unit
from dojo_py.policy.asking import checked_return
from dojo_py.policy.closed_loop import borrowed
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.policies import MlpPolicy
from dojo_py.policy.rollout import Episode, Job, RolloutOptions
from dojo_py.policy.search import Search
from dojo_py.policy.value import Adam, ValueFunction, lambda_returns, trace_weights
from dojo_py.simulate.own_steps import has_own
from dojo_py.simulate.results import Exact, State
from dojo_py.simulate.status import WITHOUT_DERIVATIVE, Status
from dojo_py.simulate.trajectory import PLACED
from dojo_py.simulate.values import check_fields, limit_fields

Array = np.ndarray


@dataclass(frozen=True)
class ShacOptions:
    """Settings of the algorithm; the defaults serve for all tasks."""

    step_size: float = 0.1
    """Of the policy: root mean square change of the actions, at the observations of the last windows, in half-widths of their
    range, when successive gradients agree; less when they do not (`_step`)."""
    worlds: int = 2
    """Number of environments that are simulated in parallel."""
    window: int = 32
    """h, actions per world between two updates of the policy."""
    discount: float = 0.97
    """Discount γ."""
    trace: float = 0.95
    """λ of the policy's objective and of the TD(λ) targets."""
    kappa: float | None = None
    """Central-path parameter of roll-outs and gradients [N m s]; None: given by `softness`."""
    softness: float = 1e-3
    """κ over the simulator's `largest_kappa()`: the model then floats above the ground by this fraction of its size."""
    noise: float = 0.05
    """Root mean square change of the actions by the parameter noise of a world, in half-widths of their range."""
    hidden: tuple[int, ...] = (32, 32)
    """Widths of the hidden layers of the value function."""
    value_step: float = 2e-3
    """Learning rate of Adam for the value function."""
    passes: int = 8
    """Epochs of the fit of the value function to the observations of the windows."""
    interval: int = 10
    """Iterations between two trials (`Search.trial`)."""
    starts: int = 6
    """Episodes of a trial."""
    normalise: bool = True
    """Normalise observations by their running mean and standard deviation. Not for tasks where something stands still most of the
    time (a block held by friction): entries that hardly change would be multiplied by up to 1e4."""

    def __post_init__(self) -> None:
        check_fields(self)
        limit_fields(self, "step_size", "value_step", "noise", "softness")
        for name in ("worlds", "window", "passes", "interval", "starts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} must be at least 1")
        for name in ("discount", "trace"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise ValueError(f"{name}={getattr(self, name)!r} must lie in (0, 1]")
        if self.kappa is not None and not self.kappa > 0:
            raise ValueError(f"kappa={self.kappa!r} must be positive [N m s], or None")
        for name in ("step_size", "value_step", "softness"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)!r} must be positive")


class Window(NamedTuple):
    """A window to play and to differentiate."""

    job: Job
    state: Any
    window: int
    """h, the largest number of actions."""
    actions: int
    """Number of actions of this window; less than h where the episode ends."""
    discount: float
    trace: float
    value: ValueFunction


class Seen(NamedTuple):
    """Outcome of a Window."""

    observations: Array
    """(n + 1, no) not normalised."""
    rewards: Array
    """(n,) shifted and clipped; only before the first action with an unsolved step (a body that rotates too fast, say)."""
    steps: int
    """Number of simulated actions, n or more."""
    ended: bool
    """The task terminated: V after the last reward is 0."""
    lost: bool
    """A step was not solved or has no derivative. The world is reset."""
    state: Any
    gradient: Array
    """(size,)"""
    cut: int
    """Number of steps without a derivative; if there are any, the gradient is not used."""


def play_window(wanted: Window) -> Seen:
    """Play and differentiate a window. A pure function of its argument."""
    job = wanted.job
    assert job.kappa is not None
    with borrowed(job.task, job.policy, wanted.window) as loop:
        played = loop.play(job.parameters, wanted.state, (job.shift, job.gain), job.kappa, RolloutOptions(wanted.actions))
        steps = len(played.rewards)
        checked_return(job.task, played.total)
        solved = np.isin(played.status, (Status.SOLVED, Status.INEXACT))
        usable = steps if solved.all() else int(np.argmin(solved))
        ended = played.over and usable == steps
        of_rewards, of_values = np.zeros(steps), np.zeros(steps + 1)
        of_rewards[:usable], of_values[: usable + 1] = trace_weights(usable, wanted.discount, wanted.trace)
        of_values[usable] *= not ended
        slopes = of_values[:, None] * job.gain * wanted.value.slopes((played.observations - job.shift) * job.gain)
        weights = of_rewards * np.array([job.options.slope(r) for r in played.rewards])
        found = loop.pull_back(played, weights, job.kappa, slopes)
        cut = int(np.isin(found.status[:usable], WITHOUT_DERIVATIVE).sum())
        rewards = np.array([job.options.counted(r) for r in played.rewards[:usable]])
        seen = played.observations[: usable + 1]
        return Seen(seen, rewards, steps, ended, usable < steps or cut > 0, loop.state(), found.parameters, cut)


class Shac(Search):
    """Short-horizon actor critic, for the hard mode. `test` and the history refer to the best policy of the trials.

    kept: that policy (see `trial`), the states of the worlds ("world qpos", …) and the weights of the value function.
    """

    kind = "shac"
    accepted = ShacOptions
    options: ShacOptions

    def __init__(self, task: Any, policy: Any, options: Any, *rest: Any, **keywords: Any):
        needed = ValueError(
            "Shac needs a task in the hard mode without a `move` or a `differentiate` of its own: its windows are the "
            "simulator's steps, back and forth"
        )
        if has_own(task, "move") or has_own(task, "differentiate"):
            raise needed
        super().__init__(task, policy, options, *rest, **keywords)
        if not hasattr(getattr(task, "sim", None), "loop") or getattr(task, "mode", "") != "hard":
            raise needed
        low, high = (np.asarray(bound, float) for bound in task.action_bounds)
        self._half = np.where(np.isfinite(high - low), 0.5 * (high - low), 1.0)

    def affordable(self, budget: int | None) -> bool:
        """Whether one more window of all worlds, and a trial that is due, fit in the budget."""
        o = self.options
        trial = o.starts * self.rollout.horizon if self.iteration % o.interval == 0 else 0
        return budget is None or self.evaluations + self.gradients + 2 * o.worlds * o.window + trial <= budget

    def _update(self) -> Array:
        o = self.options
        if "value" not in self.kept:
            self.kept["value"] = ValueFunction.fresh(self.task.observation_size, o.hidden, self.rng).weights
            self.kept["value moments"] = np.zeros((2, len(self.kept["value"])))
            self.memory |= {"value mean": 0.0, "value deviation": 1.0, "value steps": 0.0, "steps": 0.0, "episodes": 0.0}
            self._keep([self._fresh() for _ in range(o.worlds)], np.zeros(o.worlds))
        if self.iteration % o.interval == 0:
            self.trial(self.parameters, self.whitening(), o.starts)
        value, (shift, gain) = self._value(), self.whitening()
        states, ages = self._states(), self.kept["world ages"].copy()
        known = self.kept["seen"] if "seen" in self.kept else np.array([self.task.observe(s, None) for s in states])
        windows = []
        for i, state in enumerate(states):
            delta = self.rng.standard_normal(self.policy.size)
            parameters = self.parameters + o.noise * delta / self._effect(delta, (known - shift) * gain)
            job = self.job(parameters, (self.seed, self.iteration, i), self._kappa())
            actions = int(min(o.window, self.rollout.horizon - ages[i]))
            windows.append(Window(job, state, o.window, actions, o.discount, o.trace, value))
        seen: list[Seen] = self.workers.map(play_window, windows)
        steps = sum(s.steps for s in seen)
        self.evaluations, self.gradients = self.evaluations + steps, self.gradients + steps
        self.note_cut(sum(s.cut for s in seen))
        self.absorb([Episode(0.0, len(s.rewards), Statistics.of(s.observations[:-1])) for s in seen if len(s.rewards)])
        self._learn(value, seen, shift, gain)
        ages += [len(s.rewards) for s in seen]
        done = np.array([s.ended or s.lost for s in seen]) | (ages >= self.rollout.horizon)
        self._keep([self._fresh() if d else s.state for d, s in zip(done, seen, strict=True)], np.where(done, 0.0, ages))
        self.kept["seen"] = np.vstack([known[:0], *(s.observations[:-1] for s in seen if np.all(np.isfinite(s.observations)))])
        return self._step(together([s.gradient for s in seen if len(s.rewards) and not s.cut], self.policy.size), shift, gain)

    def _step(self, gradient: Array, shift: Array, gain: Array) -> Array:
        """(size,) parameter update: the direction of Adam, scaled so that the actions change by `step_size`.

        The length is multiplied by Adam's root mean square step (at most 1), which is small when successive gradients disagree.
        Adam gets gradients normalised to length 1: that of one touchdown can be 1e6 times that of another, and would dominate the
        running mean of squares for a hundred steps.
        """
        adam = Adam(self.moments, self.memory["steps"])
        change = adam.step(-unit(gradient), 1.0)
        self.moments, self.memory["steps"] = adam.moments, adam.count
        agreement = min(1.0, float(np.sqrt(np.mean(change**2))))
        return self.options.step_size * agreement * change / self._effect(change, (self.kept["seen"] - shift) * gain)

    def _effect(self, change: Array, seen: Array) -> float:
        """First-order root mean square change of the actions at normalised observations (n, no), in half-widths of their range."""
        small = 1e-4 / max(float(np.linalg.norm(change)), 1e-300)
        act, theta = self.policy.act, self.parameters
        moved = np.array([act(theta + small * change, o) - act(theta, o) for o in seen]).reshape(-1, self.task.action_size)
        found = float(np.sqrt(np.mean((moved / self._half) ** 2))) / small if len(moved) else 0.0
        return found if found > 0.0 else np.inf

    def _kappa(self) -> float:
        """Central-path parameter of roll-outs and gradients [N m s]."""
        o, most = self.options, self.task.sim.largest_kappa()
        if o.kappa is not None:
            return o.kappa
        return o.softness * most if np.isfinite(most) else DEFAULT_KAPPA

    def _learn(self, value: ValueFunction, seen: list[Seen], shift: Array, gain: Array) -> None:
        """Fit the value function to TD(λ) targets of the windows."""
        o, rows, targets = self.options, [], []
        for s in seen:
            if len(s.rewards) and np.all(np.isfinite(s.observations)):
                whitened = (s.observations - shift) * gain
                rows.append(whitened[:-1])
                targets.append(lambda_returns(s.rewards, value(whitened), s.ended, o.discount, o.trace))
        if rows:
            value.fit(np.vstack(rows), np.concatenate(targets), o.value_step, o.passes, self.rng)
        self.kept |= {"value": value.weights, "value moments": value.adam.moments}
        self.memory |= {"value mean": value.mean, "value deviation": value.deviation, "value steps": value.adam.count}

    def _value(self) -> ValueFunction:
        m, layers = self.memory, MlpPolicy(self.task.observation_size, 1, self.options.hidden)
        adam = Adam(self.kept["value moments"], m["value steps"])
        return ValueFunction(layers, self.kept["value"].copy(), adam, m["value mean"], m["value deviation"])

    # worlds

    def _fresh(self) -> State:
        """An initial state of the task as the simulator takes it: with the exact part that belongs to its coordinates."""
        self.memory["episodes"] += 1.0
        given = self.task.initial_state(np.random.default_rng((self.seed, 0, int(self.memory["episodes"]))))
        sim = self.task.sim
        return sim.rollout(given, np.zeros((0, sim.model.nu)), maximal=False).final_state

    def _keep(self, states: list[Any], ages: Array) -> None:
        """Store the states and ages (actions since the reset) of the worlds as arrays, for checkpoints."""
        self.kept["world ages"] = np.asarray(ages, float)
        self.kept["world time"] = np.array([s.time for s in states])
        for name in ("qpos", "qvel", "act", *PLACED):
            self.kept[f"world {name}"] = np.array([getattr(s, name) for s in states])
        for name in ("bodies", "kinematics"):
            self.kept[f"world {name}"] = np.array([getattr(s.exact, name) for s in states])
        impulses = [s.exact.impulses for s in states]  # the length depends on the contact features; zeros mean no impulse
        longest = max(map(len, impulses))
        self.kept["world impulses"] = np.array([np.pad(row, (0, longest - len(row))) for row in impulses])

    def _states(self) -> list[State]:
        k = {name[6:]: rows for name, rows in self.kept.items() if name.startswith("world ")}
        return [
            State(
                k["qpos"][i], k["qvel"][i], k["act"][i], float(k["time"][i]),
                exact=Exact(k["bodies"][i], k["impulses"][i], k["qpos"][i], k["qvel"][i], int(k["kinematics"][i])),
                **{name: k[name][i] for name in PLACED},
            )
            for i in range(len(k["ages"]))
        ]  # fmt: skip


def together(gradients: list[Array], size: int) -> Array:
    """(size,) mean of the finite gradients, each clipped to twice their median norm; zero if there is none."""
    rows = np.array([g for g in gradients if np.all(np.isfinite(g))])
    if not len(rows):
        return np.zeros(size)
    lengths = np.linalg.norm(rows, axis=1)
    most = 2.0 * np.median(lengths)
    return (rows * np.minimum(1.0, most / np.maximum(lengths, 1e-300))[:, None]).mean(axis=0)
