"""The sampling planners: predictive sampling, cross-entropy method (CEM), path integrals (MPPI). See sampling.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.planning.log import Iteration
from dojo_py.planning.plan import Plan
from dojo_py.planning.problem import build_problem
from dojo_py.planning.sampling import search
from dojo_py.planning.sampling_options import SamplingOptions
from dojo_py.planning.shooting import Path
from dojo_py.simulate.results import State
from dojo_py.simulate.simulator import Stepping

Array = np.ndarray
Callback = Callable[[Iteration, Path], Any]


class Gaussian:
    """Independent normal distribution of the knots (K, nu); the standard deviation shrinks by a fixed factor.

    Two of the samples are the mean itself and the best sample of the last iteration, so that the best one is not lost.
    """

    def __init__(self, mean: Array, spread: Array, options: SamplingOptions):
        self.mean, self.options = mean, options
        self.spread = np.broadcast_to(spread, mean.shape).copy()
        self.best = mean
        self.least = options.smallest_spread * self.spread

    def draw(self, rng: np.random.Generator, samples: int) -> Array:
        """(N, K, nu)"""
        noise = rng.standard_normal((samples, *self.mean.shape))
        noise[0] = 0.0
        found = self.mean + self.spread * noise
        found[1] = self.best
        return found

    def learn(self, knots: Array, scores: Array) -> None:
        """Keep the best sample and shrink the standard deviation."""
        self.best = knots[int(np.argmin(scores))]
        self.spread = np.maximum(self.options.shrink * self.spread, self.least)


class Predictive(Gaussian):
    """Predictive sampling: the best sample is the next mean. The noise of the samples is scaled by 1 … 0.02, log-spaced."""

    def draw(self, rng: np.random.Generator, samples: int) -> Array:
        """(N, K, nu)"""
        found = super().draw(rng, samples)
        shares = np.geomspace(1.0, 0.02, samples)[:, None, None]
        return self.mean + shares * (found - self.mean)

    def learn(self, knots: Array, scores: Array) -> None:
        """The best sample becomes the mean."""
        super().learn(knots, scores)
        self.mean = self.best


class CrossEntropy(Gaussian):
    """CEM: mean and standard deviation of the elites."""

    def learn(self, knots: Array, scores: Array) -> None:
        """Average with the old mean and standard deviation, with weight `inertia`."""
        order = np.argsort(scores, kind="stable")[: self.options.elites]
        elites, old, last = knots[order[np.isfinite(scores[order])]], self.options.inertia, self.spread
        super().learn(knots, scores)
        self.mean = old * self.mean + (1.0 - old) * elites.mean(axis=0)
        self.spread = np.maximum(old * last + (1.0 - old) * elites.std(axis=0), self.least)


class PathIntegral(Gaussian):
    """MPPI: the mean of all samples with weights exp(−score / λ)."""

    def learn(self, knots: Array, scores: Array) -> None:
        """λ = temperature · (median score − best score)."""
        best = scores.min()
        finite = scores[np.isfinite(scores)]
        scale = self.options.temperature * (float(np.median(finite)) - best)
        weights = np.exp(-(scores - best) / scale) if scale > 0.0 else np.where(scores <= best, 1.0, 0.0)
        self.mean = np.einsum("n,nkm->km", weights / weights.sum(), knots)
        super().learn(knots, scores)


def predictive_sampling(
    sim: Stepping, state: State, controls: Array, *, stage: Any = None, terminal: Any = None, constraints: Any = (),
    control_limits: Any = "model", options: SamplingOptions | None = None, seed: int = 0, callback: Callback | None = None,
    progress: bool = False,
) -> Plan:  # fmt: skip
    """Controls by random samples around the best ones so far, at first `controls` (T, nu); arguments as in `cem`."""
    problem = build_problem(sim, stage, terminal, constraints, control_limits, controls)
    return search(Predictive, "predictive sampling", problem, state, options, seed, callback, progress)


def cem(
    sim: Stepping, state: State, controls: Array, *, stage: Any = None, terminal: Any = None, constraints: Any = (),
    control_limits: Any = "model", options: SamplingOptions | None = None, seed: int = 0, callback: Callback | None = None,
    progress: bool = False,
) -> Plan:  # fmt: skip
    """Controls that minimise Σ stage + terminal from `state`, by the cross-entropy method; initial mean `controls` (T, nu).

    The problem is given as in `ilqr`, but costs and constraints need no derivatives. Constraints enter as penalties whose weight
    grows while they are violated. The plan has no gains; `plan.controls` can be the initial guess of `ilqr`. seed: the same seed
    gives the same plan on any number of threads. callback(record, path): after every iteration, with the best roll-out so far; true
    stops.
    """
    problem = build_problem(sim, stage, terminal, constraints, control_limits, controls)
    return search(CrossEntropy, "cross-entropy method", problem, state, options, seed, callback, progress)


def mppi(
    sim: Stepping, state: State, controls: Array, *, stage: Any = None, terminal: Any = None, constraints: Any = (),
    control_limits: Any = "model", options: SamplingOptions | None = None, seed: int = 0, callback: Callback | None = None,
    progress: bool = False,
) -> Plan:  # fmt: skip
    """Controls by model-predictive path integrals: averages of all samples weighted by their costs; arguments as in `cem`."""
    problem = build_problem(sim, stage, terminal, constraints, control_limits, controls)
    return search(PathIntegral, "path integrals", problem, state, options, seed, callback, progress)
