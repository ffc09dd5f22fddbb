"""Base class of the searches: parameters, observation statistics, random generator, history, main loop, checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.policy.checkpoint import read_checkpoint, write_checkpoint
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.progress import Bar
from dojo_py.policy.rollout import Episode, Job, RolloutOptions, play
from dojo_py.simulate.own_steps import check_own_derivative
from dojo_py.simulate.values import count as whole
from dojo_py.simulate.values import function_of, having, path_of, shown, truth_of, vector
from dojo_py.workers import Workers

Array = np.ndarray

COLUMNS = ("iteration", "evaluations", "gradients", "reward", "update_norm")
"""Columns of the history, a row per iteration: simulated and differentiated steps so far, mean test return, norm of the update."""
TEST_SEED = 2**31
"""Part of the seeds of test episodes, so that no training episode has the same seed."""
TRIAL_SEED = 2**30
"""Part of the seeds of trial episodes, by which a search chooses the policy it returns."""
BETWEEN = 2.0
"""Training steps between two trials over the steps of a trial, so that trials take a third of all steps."""

STARTS = ("qpos", "qvel", "act", "time", "mocap_pos", "mocap_quat", "eq_active")
"""Fields of an initial state that make one episode different from another."""


class Search:
    """Base of Ars, Ags, Climb and Shac, which define `_update`. All randomness follows from `seed`, whatever the workers.

    test_episodes: number of test episodes of the chosen policy after each iteration, in the hard limit. They are not counted as
    evaluations and do not affect the search. 0: none, the history's rewards are NaN. counted_tests: their rewards are shifted and
    clipped as `rollout` says, as those by which the search learns are; by default they are what the task gives.
    """

    kind = ""
    gradual = True
    """Whether the search needs `policy.backward`, unless its options have gradients=False."""
    accepted: type[Any] = object
    options: Any
    """An instance of `accepted`."""

    def __init__(
        self, task: Any, policy: Any, options: Any, rollout: RolloutOptions, seed: int = 0, test_episodes: int = 1,
        workers: Workers | None = None, counted_tests: bool = False,
    ):  # fmt: skip
        having("task", task, ("observation_size", "action_size", "move", "reward"), "a task: see dojo_py.environments.make_task")
        having("policy", policy, ("observation_size", "action_size", "act", "initial"), "a LinearPolicy or an MlpPolicy")
        if not isinstance(options, self.accepted):
            raise TypeError(f"options={shown(options)} is a {type(options).__name__}, expected {self.accepted.__name__}")
        if self.gradual and getattr(options, "gradients", True):
            having("policy", policy, ("backward",), "one with a method `backward`: see dojo_py.policy.policies.Policy")
            if getattr(options, "smoothing", None) is None:  # (which asks `move`)
                check_own_derivative(task)
        having("rollout", rollout, ("horizon", "reward_clip", "counted"), "RolloutOptions")
        if workers is not None:
            having("workers", workers, ("map",), "Workers, or None")
        seed, test_episodes = whole("seed", seed, least=0), whole("test_episodes", test_episodes, least=0)
        sizes = (task.observation_size, task.action_size)
        if (policy.observation_size, policy.action_size) != sizes:
            raise ValueError(
                f"the policy maps {policy.observation_size} observations to {policy.action_size} actions, the task has {sizes}"
            )
        self.task, self.policy, self.options, self.rollout = task, policy, options, rollout
        self.seed, self.test_episodes, self.workers = seed, test_episodes, workers or Workers()
        self.counted_tests = truth_of("counted_tests", counted_tests)
        self.rng = np.random.default_rng(seed)
        self.parameters = policy.initial(self.rng)
        self.statistics = Statistics.empty(task.observation_size)
        self.evaluations, self.gradients = 0, 0
        self.moments = np.zeros((2, policy.size))
        """(2, size) running averages kept between iterations (momentum, Adam)."""
        self.memory: dict[str, float] = {}
        """Numbers kept between iterations and in checkpoints."""
        self.kept: dict[str, Array] = {}
        """Arrays kept between iterations and in checkpoints."""
        self.history: list[tuple[float, ...]] = []
        self.budget: int | None = None
        """Budget of the present call of `run`: simulated plus differentiated steps; None: unlimited."""

    # choosing a policy

    @cached_property
    def varied(self) -> bool:
        """Whether the initial state is random, so that the return of one episode says little about a policy."""
        first, second = (self.task.initial_state(np.random.default_rng((self.seed, 0, i))) for i in (0, 1))
        numbers = [[np.asarray(getattr(state, name, None)) for name in STARTS] for state in (first, second)]
        return not all(np.array_equal(one, other) for one, other in zip(*numbers, strict=True))

    @cached_property
    def begins_with_gains(self) -> bool:
        """Whether the policy's `initial` are gains that were found before, which act as given on plain observations alone.

        They are the same for every random generator, and its actions depend on what it sees.
        """
        one, other = (self.policy.initial(np.random.default_rng(seed)) for seed in (0, 1))
        if not np.array_equal(one, other):
            return False
        seen = np.random.default_rng(0).standard_normal((2, self.task.observation_size))
        return not np.array_equal(*(self.policy.act(one, row) for row in seen))

    def trial(self, parameters: Array, whitening: tuple[Array, Array], starts: int) -> None:
        """Evaluate a policy by `starts` episodes in the hard limit, from the same initial states each time; keep the best policy.

        Their steps are counted as evaluations. kept: the best policy ("tried", "tried shift", "tried gain").
        """
        jobs = [self.job(parameters, (self.seed, TRIAL_SEED, i), None, whitening) for i in range(starts)]
        played = self.workers.map(play, jobs)
        steps = sum(e.steps for e in played)
        self.evaluations += steps
        self.memory |= {"trial": float(steps), "trial at": float(self.evaluations + self.gradients)}
        total = float(np.mean([e.total for e in played]))
        if total > self.memory.get("tried", -np.inf):
            self.memory["tried"] = total
            self.kept |= {"tried": parameters, "tried shift": whitening[0], "tried gain": whitening[1]}

    def trial_due(self) -> bool:
        """Whether there was no trial yet, or training has cost `BETWEEN` times as much since the last one."""
        since = self.evaluations + self.gradients - self.memory.get("trial at", -np.inf)
        return since >= BETWEEN * self.memory.get("trial", 0.0)

    # one iteration

    @property
    def iteration(self) -> int:
        """Number of iterations done."""
        return len(self.history)

    def whitening(self, statistics: Statistics | None = None) -> tuple[Array, Array]:
        """Observation normalisation (observation - shift) gain, (no,) each, by the present statistics or others."""
        if self.options.normalise and not self.begins_with_gains:
            return (statistics or self.statistics).scale()
        return np.zeros(self.task.observation_size), np.ones(self.task.observation_size)

    def job(
        self, parameters: Array, seed: tuple[int, ...], kappa: float | None = None, whitening: tuple[Array, Array] | None = None
    ) -> Job:
        """An episode, with the present observation normalisation by default."""
        shift, gain = self.whitening() if whitening is None else whitening
        return Job(self.task, self.policy, parameters, shift, gain, seed, self.rollout, kappa)

    def chosen(self) -> tuple[Array, tuple[Array, Array]]:
        """Parameters (size,) and observation normalisation, shift and gain (no,), of the policy that the search returns.

        It is the best of the trials, or the present one if there were none.
        """
        if "tried" in self.kept:
            return self.kept["tried"], (self.kept["tried shift"], self.kept["tried gain"])
        return self.parameters, self.whitening()

    def act(self, observation: Array) -> Array:
        """(na,) action of the chosen policy."""
        parameters, (shift, gain) = self.chosen()
        seen = vector("observation", observation, shift.shape)
        return self.policy.act(parameters, (seen - shift) * gain)

    def absorb(self, episodes: list[Episode]) -> None:
        """Add the observations of training episodes to the statistics, in order."""
        for episode in episodes:
            self.statistics = self.statistics.merged(episode.statistics)

    @property
    def cut(self) -> int:
        """Number of steps so far that had no derivative; `run` warns of them."""
        return int(self.memory.get("cut", 0.0))

    def note_cut(self, steps: int) -> None:
        """Count steps that were to be differentiated and had no derivative."""
        if steps:
            self.memory["cut"] = self.memory.get("cut", 0.0) + steps

    def test(self, episodes: int | None = None) -> Array:
        """(episodes,) returns of the chosen policy in the hard limit, from the same initial states each time.

        They are sums of the task's rewards, neither shifted nor clipped unless the search has `counted_tests`.
        """
        count = self.test_episodes if episodes is None else whole("episodes", episodes, least=0)
        parameters, whitening = self.chosen()
        options = self.rollout if self.counted_tests else RolloutOptions(self.rollout.horizon)
        jobs = [self.job(parameters, (self.seed, TEST_SEED, i), None, whitening)._replace(options=options) for i in range(count)]
        return np.array([e.total for e in self.workers.map(play, jobs)])

    def _update(self) -> Array:
        """Parameter update (size,) of one iteration."""
        raise NotImplementedError

    def iterate(self) -> float:
        """One iteration. Returns the mean test return of the chosen policy after it."""
        update = self._update()
        self.parameters = self.parameters + update
        reward = float(np.mean(self.test())) if self.test_episodes else float("nan")
        row = (self.iteration + 1, self.evaluations, self.gradients, reward, float(np.linalg.norm(update)))
        self.history.append(tuple(float(x) for x in row))
        return reward

    def run(
        self,
        iterations: int,
        progress: bool = False,
        callback: Callable[[Search], bool | None] | None = None,
        checkpoint: str | Path | None = None,
        budget: int | None = None,
    ) -> Search:
        """Iterate until `iterations` iterations are done in all, or `budget` steps are simulated or differentiated.

        After each iteration `checkpoint` is written and `callback` called, which stops the search by returning True.
        """
        iterations = whole("iterations", iterations, least=0)
        if budget is not None:
            budget = whole("budget", budget, least=0)
        if checkpoint is not None:
            path_of("checkpoint", checkpoint)
        if callback is not None:
            function_of("callback", callback, ("search",))
        self.budget = budget
        cut, differentiated = self.cut, self.gradients
        with Bar(iterations, f"{self.kind} seed {self.seed}", progress) as bar:
            while self.iteration < iterations and self.affordable(budget):
                reward = self.iterate()
                bar.show(self.iteration, f"reward {reward:.3g}, {self.evaluations + self.gradients} evaluations")
                if checkpoint is not None:
                    self.save(checkpoint)
                if callback is not None and callback(self):
                    break
        if self.cut > cut:
            warnings.warn(
                f"{self.cut - cut} of {self.gradients - differentiated} differentiated steps had no derivative, their gradients "
                "were cut off there or left out: a larger kappa or a shorter timestep may give them one",
                RuntimeWarning,
                stacklevel=2,
            )
        return self

    def affordable(self, budget: int | None) -> bool:
        """Whether the next iteration is within the budget; here, whether the budget is not exhausted."""
        return budget is None or self.evaluations + self.gradients < budget

    def curve(self) -> dict[str, Array]:
        """The history as one array per column."""
        table = np.array(self.history).reshape(-1, len(COLUMNS))
        return {name: table[:, i] for i, name in enumerate(COLUMNS)}

    # checkpoints

    def save(self, path: str | Path) -> None:
        """Write the complete state of the search: an .npz file of arrays and one JSON text."""
        arrays = {
            "parameters": self.parameters,
            "mean": self.statistics.mean,
            "squares": self.statistics.squares,
            "moments": self.moments,
            "history": np.array(self.history).reshape(-1, len(COLUMNS)),
        }
        arrays |= {f"kept.{name}": value for name, value in self.kept.items()}
        counts = {"count": self.statistics.count, "evaluations": self.evaluations, "gradients": self.gradients}
        moving = {"memory": self.memory, "generator": self.rng.bit_generator.state}
        write_checkpoint(path, arrays, {**self._identity(), **counts, **moving})

    def _identity(self) -> dict[str, Any]:
        """Settings that must be equal in a search and in the checkpoint from which it resumes."""
        return {
            "search": self.kind,
            "seed": self.seed,
            "policy": self.policy.describe(),
            "options": repr(self.options),
            "rollout": repr(self.rollout),
            "task": repr(self.task),
        }

    def resume(self, path: str | Path) -> Search:
        """Load a checkpoint of a search with equal settings, to continue bitwise; ValueError names a setting that differs."""
        arrays, meta = read_checkpoint(path)
        for name, mine in self._identity().items():
            if meta.get(name) != mine:
                raise ValueError(f"{path}: the checkpoint's {name} is {meta.get(name)!r}, this search's is {mine!r}")
        self.parameters, self.moments = arrays["parameters"], arrays["moments"]
        self.statistics = Statistics(int(meta["count"]), arrays["mean"], arrays["squares"])
        self.evaluations, self.gradients = int(meta["evaluations"]), int(meta["gradients"])
        self.kept = {name[5:]: value for name, value in arrays.items() if name.startswith("kept.")}
        self.memory = {name: float(x) for name, x in meta["memory"].items()}
        self.history = [tuple(float(x) for x in row) for row in arrays["history"]]
        self.rng.bit_generator.state = meta["generator"]
        return self
