"""Sampling-based planning: sample controls, roll them out, update the distribution from their scores. It needs no derivatives.

A planner is a rule with `draw` and `learn`; the loop, the scores and the best sample so far are here. Score: cost + penalty · Σ
violations. Roll-outs are in the hard limit. The plan is the best of all samples, or the initial controls.

Sources: predictive sampling (Howell et al. 2022), CEM (Rubinstein 1999; Kobilarov 2012), MPPI (Williams et al. 2017).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dojo_py.planning.derivative_check import check_costs
from dojo_py.planning.hard_motion import HardMotion, open_loop, rollout, states_of, usable
from dojo_py.planning.log import Iteration, noted
from dojo_py.planning.plan import Plan
from dojo_py.planning.problem import Problem, of_model, unit_of_costs
from dojo_py.planning.reach import broken_at_once
from dojo_py.planning.sampling_options import SamplingOptions
from dojo_py.planning.shooting import Path
from dojo_py.planning.splines import fit, spline_matrix
from dojo_py.planning.status import PlanStatus
from dojo_py.progress import Progress
from dojo_py.simulate.arguments import options_of
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.trajectory import Trajectory
from dojo_py.simulate.values import count, function_of

Array = np.ndarray
NONE_BETTER = (
    "no sample is better than the first controls, the plan holds them: they are the best there are, or the samples go past what is "
    "better; try another spread, more samples or knots, other first controls, or costs that tell sooner how near the goal is"
)
"""What NO_BETTER means of a planner that samples."""


class Rule(Protocol):
    """A distribution of the spline knots (K, nu), with an update from the scores of its samples."""

    spread: Array
    """(K, nu) standard deviation of its samples."""

    def draw(self, rng: np.random.Generator, samples: int) -> Array:
        """N samples (N, K, nu)."""
        ...

    def learn(self, knots: Array, scores: Array) -> None:
        """Update from samples (N, K, nu) and their scores (N,), infinite if a roll-out failed."""
        ...


@dataclass(frozen=True, eq=False)
class Sample:
    """One roll-out. Cost and violations are infinite if it failed."""

    controls: Array
    trajectory: Trajectory | None
    cost: float
    violations: float
    """Sum of the violations over all entries of all constraints."""
    violation: float
    """The largest violation."""

    def score(self, penalty: float) -> float:
        """Cost + penalty · Σ violations; smaller is better."""
        return self.cost + penalty * self.violations

    def rank(self, tolerance: float, penalty: float) -> tuple[float, float]:
        """Sort key, smaller is better: first the samples that meet the constraints, by cost, then the others, by score."""
        return (0.0, self.cost) if self.violation <= tolerance else (1.0, self.score(penalty))


def sampled(problem: Problem, controls: Array, trajectory: Trajectory | None) -> Sample:
    """A roll-out with its cost and violations."""
    if trajectory is None or not usable(trajectory):
        return Sample(controls, trajectory, np.inf, np.inf, np.inf)
    states = states_of(trajectory)
    cost, violations = problem.value(states, controls), problem.violations(states, controls)
    if not (np.isfinite(cost) and np.all(np.isfinite(violations))):
        return Sample(controls, trajectory, np.inf, np.inf, np.inf)
    return Sample(controls, trajectory, cost, float(violations.sum()), float(violations.max(initial=0.0)))


def roll_all(sim: Stepping, start: State, controls: Array, threads: int | None) -> list[Trajectory | None]:
    """Roll-outs of controls (N, T, nu) in the hard limit; None where one failed."""
    if hasattr(sim, "rollout_batch"):
        try:
            return list(sim.rollout_batch(start, controls, threads=threads))
        except ValueError:  # the simulator rejects a state of one of them: they are rolled out one by one
            pass
    return [rollout(sim, start, u) for u in controls]


def search(
    make_rule: Callable[[Array, Array, SamplingOptions], Rule], name: str, given: tuple[Problem, Array], state: State,
    options: SamplingOptions | None, seed: int, callback: Callable[[Iteration, Path], Any] | None, progress: bool,
) -> Plan:  # fmt: skip
    """The plan of one rule from `state`. given: the problem and the initial controls (T, nu), from `build_problem`."""
    options, (problem, u) = options_of(SamplingOptions, options), given
    start = of_model(problem.model, state)
    seed = count("seed", seed, least=0, what="a seed")
    if callback is not None:
        function_of("callback", callback, ("record", "path"))
    matrix = spline_matrix(len(u), options.knots, options.spline)
    rule = make_rule(fit(matrix, u), options.spreads(problem.model, problem.low, problem.high, u), options)
    with Progress(options.max_iterations, name, force=progress) as bar, np.errstate(over="ignore", invalid="ignore"):
        return _Search(problem, start, u, matrix, rule, options, np.random.default_rng(seed), callback, bar.advance).run()


class _Search:
    """The main loop, for all rules."""

    def __init__(
        self, problem: Problem, start: State, controls: Array, matrix: Array, rule: Rule, options: SamplingOptions,
        rng: np.random.Generator, callback: Callable[[Iteration, Path], Any] | None, tick: Callable[[int, str], None],
    ):  # fmt: skip
        self.problem, self.start, self.matrix, self.rule, self.options = problem, start, matrix, rule, options
        self.rng, self.callback, self.tick = rng, callback, tick
        self.penalty, self.log = options.penalty, list[Iteration]()
        self.begun = sampled(problem, controls, rollout(problem.sim, start, controls))
        self.best = self.begun
        if usable(self.begun.trajectory):
            path = self._path(self.begun)
            check_costs(problem, path)
            self.penalty *= unit_of_costs(problem, path.states, path.controls)

    def run(self) -> Plan:
        """Iterate until convergence, the iteration limit, or a stop by the callback."""
        status = PlanStatus.MAX_ITERATIONS
        for _ in range(self.options.max_iterations):
            if self._iterate():
                status = PlanStatus.STOPPED
                break
            if self._converged():
                status = PlanStatus.SOLVED
                break
        return self._plan(status)

    def _iterate(self) -> bool:
        """One iteration. Returns whether the callback asks to stop."""
        clock, options, problem = time.perf_counter(), self.options, self.problem
        knots = self.rule.draw(self.rng, options.samples)
        controls = np.clip(np.einsum("tk,nkm->ntm", self.matrix, knots), problem.low, problem.high)
        motions = roll_all(problem.sim, self.start, controls, options.threads)
        simulated = time.perf_counter()
        samples = [sampled(problem, u, motion) for u, motion in zip(controls, motions, strict=True)]
        scores = np.array([s.score(self.penalty) for s in samples])
        if np.isfinite(scores).any():
            self.rule.learn(knots, scores)
        before = self.best.score(self.penalty)
        self.best = min([self.best, *samples], key=lambda s: s.rank(options.constraint_tolerance, self.penalty))
        return self._record(before, scores, simulated - clock, time.perf_counter() - simulated)

    def _converged(self) -> bool:
        """Whether the score improved by less than the tolerance in `patience` iterations of equal penalty."""
        options = self.options
        merits = [r.merit for r in self.log[-options.patience - 1 :]]
        small = options.cost_tolerance * abs(merits[-1])
        steady = len({r.penalty for r in self.log[-options.patience - 1 :]}) == 1
        return len(merits) > options.patience and steady and merits[0] - merits[-1] <= small

    def _record(self, before: float, scores: Array, simulating: float, judging: float) -> bool:
        """Log the iteration; raise the penalty if the best sample violates a constraint. Returns whether to stop (callback)."""
        best, options = self.best, self.options
        scale = 1.0 + np.abs(best.controls).max(axis=0)
        self.log.append(
            Iteration(
                iteration=len(self.log) + 1, update=0, kappa=0.0, penalty=self.penalty, cost=best.cost,
                merit=best.score(self.penalty), violation=best.violation, gap=0.0,
                gradient=float((self.rule.spread / scale).max()), step=float(np.isfinite(scores).mean()), trials=len(scores),
                decrease=before - best.score(self.penalty) if np.isfinite(before) else 0.0, regularisation=0.0,
                unsolved=0 if best.trajectory is None else best.trajectory.unsolved, seconds_simulate=simulating,
                seconds_backward=0.0, seconds_search=judging,
            )
        )  # fmt: skip
        if best.violation > options.constraint_tolerance:
            self.penalty *= options.penalty_growth
        self.tick(1, noted(self.log[-1]))
        return bool(self.callback is not None and best.trajectory is not None and self.callback(self.log[-1], self._path(best)))

    def _path(self, sample: Sample) -> Path:
        assert sample.trajectory is not None
        return Path(states_of(sample.trajectory), sample.controls, np.zeros((len(sample.controls), self.problem.n)))

    def _plan(self, status: PlanStatus) -> Plan:
        """The best sample as a Plan without gains."""
        problem, best, T = self.problem, self.best, len(self.best.controls)
        hard = HardMotion(None, np.inf, np.inf) if best.trajectory is None else open_loop(problem, self.start, best.controls)
        if not np.isfinite(best.cost):
            status = PlanStatus.BAD_START
        elif hard.violation > self.options.constraint_tolerance:
            status = status if status is PlanStatus.STOPPED else PlanStatus.VIOLATED
        elif best is self.begun and status is not PlanStatus.STOPPED:
            status = PlanStatus.NO_BETTER
        tolerance, violated = self.options.constraint_tolerance, np.isfinite(best.cost) and status is PlanStatus.VIOLATED
        said = NONE_BETTER if status is PlanStatus.NO_BETTER else ""
        broken = broken_at_once(problem, [self.start], best.controls, tolerance) if violated else ""
        states = [self.start] * (T + 1) if hard.trajectory is None else states_of(hard.trajectory)
        gains, none = np.zeros((T, problem.model.nu, problem.n)), np.zeros((T, problem.model.nu))
        return Plan(
            best.controls, states, gains, none, hard.cost, hard.violation, 0.0, status, self.log, problem.sim.timestep,
            hard.cost, hard.violation, hard.trajectory, message=f"{status.value}; {broken}" if broken else said,
        )  # fmt: skip
