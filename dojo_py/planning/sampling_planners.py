"""The three sampling planners: predictive sampling, the cross-entropy method, path integrals (MPPI). See `sampling.py`."""

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
    """Independent normal knots (K, nu) about a mean; the spread shrinks at a fixed rate.

    Among the samples are the mean itself and the best one of the last iteration, so that the best is never lost.
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
        """Remember the best, shrink."""
        self.best = knots[int(np.argmin(scores))]
        self.spread = np.maximum(self.options.shrink * self.spread, self.least)


class Predictive(Gaussian):
    """The best sample is the next mean. Every sample has its own share of the spread, evenly in the logarithm: near and far."""

    def draw(self, rng: np.random.Generator, samples: int) -> Array:
        """(N, K, nu)"""
        found = super().draw(rng, samples)
        shares = np.geomspace(1.0, 0.02, samples)[:, None, None]
        return self.mean + shares * (found - self.mean)

    def learn(self, knots: Array, scores: Array) -> None:
        """Go there."""
        super().learn(knots, scores)
        self.mean = self.best


class CrossEntropy(Gaussian):
    """Mean and spread of the best samples."""

    def learn(self, knots: Array, scores: Array) -> None:
        """A part of the old mean and spread stays."""
        order = np.argsort(scores, kind="stable")[: self.options.elites]
        elites, old, last = knots[order[np.isfinite(scores[order])]], self.options.inertia, self.spread
        super().learn(knots, scores)
        self.mean = old * self.mean + (1.0 - old) * elites.mean(axis=0)
        self.spread = np.maximum(old * last + (1.0 - old) * elites.std(axis=0), self.least)


class PathIntegral(Gaussian):
    """The mean of all samples, weighed by exp(−score / λ)."""

    def learn(self, knots: Array, scores: Array) -> None:
        """λ is a share of the distance from the best score to the median."""
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
    """Samples about the best controls (T, nu) so far; arguments as in `cem`."""
    problem = build_problem(sim, stage, terminal, constraints, control_limits, controls)
    return search(Predictive, "predictive sampling", problem, state, options, seed, callback, progress)


def cem(
    sim: Stepping, state: State, controls: Array, *, stage: Any = None, terminal: Any = None, constraints: Any = (),
    control_limits: Any = "model", options: SamplingOptions | None = None, seed: int = 0, callback: Callback | None = None,
    progress: bool = False,
) -> Plan:  # fmt: skip
    """Controls that minimise Σ stage + terminal from `state`, searched about `controls` (T, nu) by the cross-entropy method.

    The problem as in `ilqr`; costs and constraints need no derivatives, constraints are penalties whose weight grows while they are
    violated. The plan has no gains; `plan.controls` can start `ilqr`. seed: the same one gives the same plan, on any number of
    threads. callback(record, path): after every iteration, with the best motion so far; true stops.
    """
    problem = build_problem(sim, stage, terminal, constraints, control_limits, controls)
    return search(CrossEntropy, "cross-entropy method", problem, state, options, seed, callback, progress)


def mppi(
    sim: Stepping, state: State, controls: Array, *, stage: Any = None, terminal: Any = None, constraints: Any = (),
    control_limits: Any = "model", options: SamplingOptions | None = None, seed: int = 0, callback: Callback | None = None,
    progress: bool = False,
) -> Plan:  # fmt: skip
    """All samples count, the cheap ones more (model-predictive path integrals). controls (T, nu); as in `cem`."""
    problem = build_problem(sim, stage, terminal, constraints, control_limits, controls)
    return search(PathIntegral, "path integrals", problem, state, options, seed, callback, progress)
