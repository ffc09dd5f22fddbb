"""Short-horizon actor critic (Xu et al. 2022): exact policy gradients over short windows, the rest by a learned value function.

Many worlds play on where their last window ended. An iteration moves the policy uphill on the mean over the worlds of

    Σ_{k<h} γᵏ r_k + γʰ V(o_h)

differentiated through the simulation at κ (closed_loop.py), and then fits V to TD(λ) targets of what was seen. In place of noise on
actions every world has its own parameters, noise away from the policy's, so that the gradient is that of a smoothed return. Adam
takes the steps, gradients of worlds count at most twice the median's length, and V has units of its own: no figure here depends on
the units of the reward. Every `interval` iterations the policy is tried on `starts` episodes in the hard limit, which are charged;
the search offers the best one tried, the first included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dojo_py.policy.closed_loop import borrowed, compiled_parts
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.policies import MlpPolicy
from dojo_py.policy.rollout import Episode, Job, RolloutOptions, play
from dojo_py.policy.search import Search
from dojo_py.policy.value import Adam, ValueFunction, lambda_returns
from dojo_py.simulate.results import Exact, State
from dojo_py.simulate.values import check_fields, limit_fields

Array = np.ndarray


@dataclass(frozen=True)
class ShacOptions:
    """The algorithm's figures; the same for all tasks."""

    step_size: float = 0.005
    """Of Adam, for the policy's parameters; 0.02 moved the actions of a quadrotor by a third of their range at once."""
    worlds: int = 4
    """Episodes that are played beside each other."""
    window: int = 16
    """h, actions between two steps."""
    discount: float = 0.97
    """γ"""
    trace: float = 0.95
    """λ of the value's targets."""
    kappa: float = 1e-2
    """Central-path parameter of roll-outs and gradients [N m s]."""
    noise: float = 0.02
    """Standard deviation of a world's parameters about the policy's."""
    hidden: tuple[int, ...] = (32, 32)
    """Layers of the value function."""
    value_step: float = 2e-3
    """Of Adam, for the value function."""
    passes: int = 8
    """Over a window's observations, to fit the value function."""
    interval: int = 10
    """Iterations between two trials of the policy in the hard limit."""
    starts: int = 3
    """Episodes of a trial."""
    normalise: bool = True
    """Whiten observations by their running mean and deviation."""

    def __post_init__(self) -> None:
        check_fields(self)
        limit_fields(self, "step_size", "value_step", "noise")
        for name in ("worlds", "window", "passes", "interval", "starts"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} must be at least 1")
        for name in ("discount", "trace"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise ValueError(f"{name}={getattr(self, name)!r} must lie in (0, 1]")
        for name in ("step_size", "value_step", "kappa"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)!r} must be positive")


class Window(NamedTuple):
    """A window to play and to differentiate."""

    job: Job
    state: Any
    window: int
    """Most actions of a window,"""
    actions: int
    """and of this one, which an episode may end."""
    discount: float
    value: ValueFunction


class Seen(NamedTuple):
    """Outcome of a Window."""

    observations: Array
    """(n + 1, no) before whitening."""
    rewards: Array
    """(n,) as the options count them."""
    over: bool
    state: Any
    gradient: Array
    """(size,)"""


def play_window(wanted: Window) -> Seen:
    """A pure function of the window."""
    job = wanted.job
    assert job.kappa is not None
    with borrowed(job.task, job.policy, wanted.window) as loop:
        played = loop.play(
            job.parameters, wanted.state, (job.shift, job.gain), job.kappa, RolloutOptions(wanted.actions)
        )
        steps = len(played.rewards)
        fade = wanted.discount ** np.arange(steps + 1)
        slope = np.zeros(len(job.shift))
        if not played.over:
            slope = fade[-1] * job.gain * wanted.value.slope((played.observations[-1] - job.shift) * job.gain)
        weights = fade[:-1] * np.array([job.options.slope(r) for r in played.rewards])
        found = loop.pull_back(played, weights, job.kappa, slope)
        rewards = np.array([job.options.counted(r) for r in played.rewards])
        return Seen(played.observations, rewards, played.over, loop.state(), found.parameters)


class Shac(Search):
    """Short-horizon actor critic, for the hard mode. `test` and the history speak of the best policy tried.

    kept: that policy ("best", "best shift", "best gain"), the worlds' states ("world qpos", …) and the value function's weights.
    """

    kind = "shac"
    accepted = ShacOptions
    options: ShacOptions

    def __init__(self, task: Any, policy: Any, options: Any, *rest: Any, **keywords: Any):
        super().__init__(task, policy, options, *rest, **keywords)
        if getattr(task, "mode", "") != "hard" or compiled_parts(task, policy) is None:
            raise ValueError("Shac needs a shipped task in the hard mode and a LinearPolicy or MlpPolicy: its windows are compiled")

    def affordable(self, budget: int | None) -> bool:
        """A window more of all worlds stays within the budget."""
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
            self._try()
        value, (shift, gain) = self._value(), self.whitening()
        states, ages = self._states(), self.kept["world ages"].copy()
        deltas = o.noise * self.rng.standard_normal((o.worlds, self.policy.size))
        windows = []
        for i, state in enumerate(states):
            job = self.job(self.parameters + deltas[i], (self.seed, self.iteration, i), o.kappa)
            actions = int(min(o.window, self.rollout.horizon - ages[i]))
            windows.append(Window(job, state, o.window, actions, o.discount, value))
        seen: list[Seen] = self.workers.map(play_window, windows)
        steps = sum(len(s.rewards) for s in seen)
        self.evaluations, self.gradients = self.evaluations + steps, self.gradients + steps
        self.absorb([Episode(0.0, len(s.rewards), Statistics.of(s.observations[:-1])) for s in seen if len(s.rewards)])
        self._learn(value, seen, shift, gain)
        ages += [len(s.rewards) for s in seen]
        done = np.array([s.over for s in seen]) | (ages >= self.rollout.horizon)
        self._keep([self._fresh() if d else s.state for d, s in zip(done, seen, strict=True)], np.where(done, 0.0, ages))
        adam = Adam(self.moments, self.memory["steps"])
        change = adam.step(-together([s.gradient for s in seen]), o.step_size)
        self.moments, self.memory["steps"] = adam.moments, adam.count
        return change

    def _learn(self, value: ValueFunction, seen: list[Seen], shift: Array, gain: Array) -> None:
        """Fit the value function to what was seen."""
        o, rows, targets = self.options, [], []
        for s in seen:
            if len(s.rewards) and np.all(np.isfinite(s.observations)):
                whitened = (s.observations - shift) * gain
                rows.append(whitened[:-1])
                targets.append(lambda_returns(s.rewards, value(whitened), s.over, o.discount, o.trace))
        if rows:
            value.fit(np.vstack(rows), np.concatenate(targets), o.value_step, o.passes, self.rng)
        self.kept |= {"value": value.weights, "value moments": value.adam.moments}
        self.memory |= {"value mean": value.mean, "value deviation": value.deviation, "value steps": value.adam.count}

    def _value(self) -> ValueFunction:
        m, layers = self.memory, MlpPolicy(self.task.observation_size, 1, self.options.hidden)
        adam = Adam(self.kept["value moments"], m["value steps"])
        return ValueFunction(layers, self.kept["value"].copy(), adam, m["value mean"], m["value deviation"])

    def _try(self) -> None:
        """Episodes of the present policy in the hard limit, from the same starts each time; the best policy is kept."""
        whitening = self.whitening()
        jobs = [self.job(self.parameters, (self.seed, 2**30, i), None, whitening) for i in range(self.options.starts)]
        played = self.workers.map(play, jobs)
        self.evaluations += sum(e.steps for e in played)
        total = float(np.mean([e.total for e in played]))
        if total > self.memory.get("best", -np.inf):
            self.memory["best"] = total
            self.kept |= {"best": self.parameters, "best shift": whitening[0], "best gain": whitening[1]}

    def chosen(self) -> tuple[Array, tuple[Array, Array]]:
        """Parameters (size,) of the best policy tried, and its whitening: shift and gain (no,) of observations."""
        if "best" not in self.kept:
            return super().chosen()
        return self.kept["best"], (self.kept["best shift"], self.kept["best gain"])

    # worlds

    def _fresh(self) -> State:
        self.memory["episodes"] += 1.0
        return self.task.initial_state(np.random.default_rng((self.seed, 0, int(self.memory["episodes"]))))

    def _keep(self, states: list[Any], ages: Array) -> None:
        """The worlds' states, as arrays that a checkpoint holds."""
        self.kept["world ages"] = np.asarray(ages, float)
        self.kept["world time"] = np.array([s.time for s in states])
        for name in ("qpos", "qvel", "act"):
            self.kept[f"world {name}"] = np.array([getattr(s, name) for s in states])
        for name in ("bodies", "impulses", "kinematics"):
            self.kept[f"world {name}"] = np.array([getattr(s.exact, name) for s in states])

    def _states(self) -> list[State]:
        k = {name[6:]: rows for name, rows in self.kept.items() if name.startswith("world ")}
        return [
            State(
                k["qpos"][i], k["qvel"][i], k["act"][i], float(k["time"][i]),
                exact=Exact(k["bodies"][i], k["impulses"][i], k["qpos"][i], k["qvel"][i], int(k["kinematics"][i])),
            )
            for i in range(len(k["ages"]))
        ]  # fmt: skip


def together(gradients: list[Array]) -> Array:
    """(size,) mean of gradients, each at most twice the median's length; those that are not finite count as zero."""
    rows = np.array([g if np.all(np.isfinite(g)) else np.zeros_like(g) for g in gradients])
    lengths = np.linalg.norm(rows, axis=1)
    most = 2.0 * np.median(lengths)
    return (rows * np.minimum(1.0, most / np.maximum(lengths, 1e-300))[:, None]).mean(axis=0)
