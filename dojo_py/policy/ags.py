"""Augmented gradient search: ARS with the gradient of the return in place of the random estimate (Dojo, section V-C).

    g = alpha g1 + (1 - alpha) g0,   theta += step_size g / |g|

g1: mean of the return's derivatives over roll-outs with parameters theta ± noise delta (or theta alone), at central-path parameter
kappa, each cut to `gradient_limit`; g0: the zeroth-order estimate from the same returns, sum (R+ - R-) delta / (2 noise N).
alpha-order mixing: Suh et al. (2022), "Do differentiable simulators give better policy gradients?".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dojo_py.policy.gradient import DifferentiatedRun, GradientEpisode, GradientJob, play_and_differentiate
from dojo_py.policy.line_search import LineSearch, searched_update
from dojo_py.policy.search import Search
from dojo_py.policy.smoothing import Smoothing

Array = np.ndarray


@dataclass(frozen=True)
class AgsOptions:
    """The algorithm's figures."""

    step_size: float = 0.1
    """Length of a step in the parameters."""
    step_decay: float = 1.0
    """The step size is multiplied by this after each iteration."""
    kappa: float | None = 3e-4
    """Central-path parameter of roll-outs and gradients [N m s]; the soft mode ignores it."""
    directions: int = 0
    """Perturbations, each played both ways; 0: one roll-out of the policy itself."""
    noise: float = 0.03
    """Standard deviation of the perturbations."""
    alpha: float = 1.0
    """Share of the gradient; the rest is the zeroth-order estimate, which needs directions."""
    gradient_limit: float = 8e2
    """A roll-out's gradient is cut to this norm."""
    window: int | None = None
    """Steps after which the parameters move, within the episode, by the gradient of what these steps earned; None: at its end."""
    truncation: int | tuple[int, ...] | None = None
    """Steps through which a gradient is carried at most; None: all. Several: a line search goes to the next when one fails."""
    line_search: LineSearch | None = None
    """Take a step only if an episode with it earns more; the step size is then the first length tried."""
    discount: float = 1.0
    """Weight of what comes a step later, in the gradient only."""
    momentum: float = 0.0
    """Share of the previous direction kept in the next one."""
    normalise: bool = True
    """Whiten observations (ARS V2)."""
    smoothing: Smoothing | None = None
    """Randomised gradients in place of implicit ones."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.alpha <= 1.0:
            raise ValueError(f"alpha={self.alpha!r} must lie in [0, 1]")
        if self.alpha < 1.0 and self.directions < 1:
            raise ValueError(f"alpha={self.alpha!r}: the zeroth-order estimate needs directions >= 1")
        if self.window is not None and (self.window < 1 or self.directions):
            raise ValueError(f"window={self.window!r} must be at least 1, or None, and needs directions=0")
        if any(n is not None and n < 1 for n in self.truncations):
            raise ValueError(f"truncation={self.truncation!r} must be at least 1, or None")
        if self.line_search is not None and (self.window is not None or self.directions):
            raise ValueError("line_search needs window=None and directions=0")
        if not 0.0 <= self.momentum < 1.0 or not 0.0 < self.discount <= 1.0:
            raise ValueError(f"momentum={self.momentum!r} must lie in [0, 1), discount={self.discount!r} in (0, 1]")
        for name in ("step_size", "step_decay", "noise", "gradient_limit"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)!r} must be positive")

    @property
    def truncations(self) -> tuple[int | None, ...]:
        """Of the gradient's chain, in the order they are taken."""
        return self.truncation if isinstance(self.truncation, tuple) else (self.truncation,)


class Ags(Search):
    """Augmented gradient search."""

    kind = "ags"
    options: AgsOptions

    def _update(self) -> Array:
        o = self.options
        if o.line_search is not None:
            return searched_update(self, o.line_search)
        if o.window is not None:
            return self._update_by_windows(o.window)
        deltas = self.rng.standard_normal((o.directions, self.policy.size))
        tries = [(self.parameters, 0)]
        if o.directions:
            tries = [(self.parameters + s * o.noise * d, i) for i, d in enumerate(deltas) for s in (1.0, -1.0)]
        jobs = [self._gradient_job(p, i) for p, i in tries]
        played: list[GradientEpisode] = self.workers.map(play_and_differentiate, jobs)
        self.count(played)
        first = np.mean([clipped(e.gradient, o.gradient_limit) for e in played], axis=0)
        returns = np.array([e.episode.total for e in played])
        return self._move(first if o.alpha == 1.0 else o.alpha * first + (1 - o.alpha) * zeroth_order(returns, deltas, o.noise))

    def _update_by_windows(self, window: int) -> Array:
        """One episode, the parameters moving after each window."""
        run, parameters = DifferentiatedRun(self._gradient_job(self.parameters, 0)), self.parameters
        while not run.over:
            gradient = run.play(parameters, window)
            parameters = parameters + self._move(clipped(gradient, self.options.gradient_limit))
        self.count([run.outcome(gradient)])
        return parameters - self.parameters

    def _gradient_job(self, parameters: Array, index: int) -> GradientJob:
        o = self.options
        job = self.job(parameters, (self.seed, self.iteration, index), o.kappa)
        return GradientJob(job, o.truncations[0], o.discount, o.smoothing)

    @property
    def truncations(self) -> tuple[int | None, ...]:
        """Of the options."""
        return self.options.truncations

    def count(self, played: list[GradientEpisode], simulated: bool = True, absorbed: bool = True) -> None:
        """Add up what episodes cost. simulated: False when their steps were counted before; absorbed: add what they saw."""
        implicit = self.options.smoothing is None
        again = 0 if simulated else sum(e.episode.steps for e in played)
        self.evaluations += sum(e.evaluations for e in played) - again
        self.gradients += sum(e.gradients for e in played) if implicit else 0
        if absorbed:
            self.absorb([e.episode for e in played])

    def average(self, gradient: Array) -> Array:
        """The direction of a gradient, cut and joined to the average of the earlier ones."""
        o = self.options
        mean = o.momentum * self.moments[0] + (1.0 - o.momentum) * unit(clipped(gradient, o.gradient_limit))
        self.moments = np.stack([mean, self.moments[1]])
        return unit(mean)

    def _move(self, gradient: Array) -> Array:
        """The step along a gradient."""
        return self.options.step_size * self.options.step_decay**self.iteration * self.average(gradient)


def clipped(gradient: Array, limit: float) -> Array:
    """The gradient at most `limit` long; zero if it is not finite."""
    if not np.all(np.isfinite(gradient)):
        return np.zeros_like(gradient)
    return gradient * min(1.0, limit / max(float(np.linalg.norm(gradient)), 1e-300))


def zeroth_order(returns: Array, deltas: Array, noise: float) -> Array:
    """(size,) estimate of the gradient from returns of theta ± noise delta: (2N,) in the order + - + - ..., deltas (N, size)."""
    pairs = returns.reshape(-1, 2)
    return (pairs[:, 0] - pairs[:, 1]) @ deltas / (2.0 * noise * len(deltas))


def unit(vector: Array) -> Array:
    """The vector at length 1; zero stays zero."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector
