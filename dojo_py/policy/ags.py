"""Augmented gradient search: ARS with the gradient of the return in place of the zeroth-order estimate (Dojo, section V-C).

    g = alpha g1 + (1 - alpha) g0,   theta += step_size g / |g|

g1: mean of the gradients of the return over roll-outs with parameters theta ± noise delta (or theta alone), at central-path
parameter kappa, each clipped to the norm `gradient_limit`; g0: the zeroth-order estimate from the same returns,
sum (R+ - R-) delta / (2 noise N).
alpha-order mixing: Suh et al. (2022), "Do differentiable simulators give better policy gradients?".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dojo_py.policy.gradient import DifferentiatedRun, GradientEpisode, GradientJob, play_and_differentiate
from dojo_py.policy.normaliser import Statistics
from dojo_py.policy.rollout import play
from dojo_py.policy.search import Search
from dojo_py.policy.smoothing import Smoothing
from dojo_py.simulate.values import check_fields, limit_fields

Array = np.ndarray


@dataclass(frozen=True)
class AgsOptions:
    """Settings of the algorithm."""

    step_size: float = 0.1
    """Norm of a parameter update."""
    step_decay: float = 1.0
    """The step size is multiplied by this after each iteration."""
    kappa: float | None = 3e-4
    """Central-path parameter of roll-outs and gradients in the hard mode [N m s]."""
    directions: int = 0
    """Number of antithetic pairs of perturbations; 0: one roll-out of the unperturbed policy."""
    noise: float = 0.03
    """Standard deviation of the perturbations."""
    alpha: float = 1.0
    """Weight of the first-order gradient; 1 - alpha is that of the zeroth-order estimate, which needs directions."""
    gradient_limit: float = 8e2
    """The gradient of a roll-out is clipped to this norm."""
    window: int | None = None
    """Update the parameters within the episode, after every so many steps, by the gradient of their rewards; None: at its end."""
    truncation: int | None = None
    """Truncated back-propagation: the gradient is carried back through at most so many steps; None: through all."""
    warmup: int = 0
    """Roll-outs with random parameters before the first iteration, used for the observation statistics only. Hardly anything moves
    in the first episode: its standard deviations are so small that normalising by them makes the actions far too large."""
    warmup_noise: float = 0.3
    """Standard deviation of the parameters in the warm-up."""
    patience: int | None = None
    """Iterations without a better return after which the search restarts from its best parameters; None: never."""
    retreat: float = 0.5
    """Factor on the step size at every such restart."""
    discount: float = 1.0
    """Discount per step, in the gradient only."""
    momentum: float = 0.0
    """Weight of the average of the earlier directions in the next one."""
    normalise: bool = True
    """Normalise observations by their running mean and standard deviation (ARS V2)."""
    smoothing: Smoothing | None = None
    """Randomised smoothing in place of the simulator's derivatives (implicit function theorem); None: no smoothing."""
    starts: int = 6
    """Episodes of a trial (`Search.trial`) where the initial state is random; elsewhere one."""

    def __post_init__(self) -> None:
        check_fields(self, infinite=("gradient_limit",))
        limit_fields(self, "step_size", "step_decay", "noise", "retreat", "warmup_noise")
        if self.smoothing is not None and not isinstance(self.smoothing, Smoothing):
            raise TypeError(f"smoothing={self.smoothing!r} must be a Smoothing, or None")
        if self.kappa is not None and not self.kappa > 0:
            raise ValueError(f"kappa={self.kappa!r} must be positive [N m s], or None")
        for name in ("directions", "warmup"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}={getattr(self, name)!r} must be at least 0")
        if not 0.0 <= self.alpha <= 1.0:
            raise ValueError(f"alpha={self.alpha!r} must lie in [0, 1]")
        if self.starts < 1:
            raise ValueError(f"starts={self.starts!r} must be at least 1")
        if self.alpha < 1.0 and self.directions < 1:
            raise ValueError(f"alpha={self.alpha!r}: the zeroth-order estimate needs directions >= 1")
        if self.window is not None and (self.window < 1 or self.directions):
            raise ValueError(f"window={self.window!r} must be at least 1, or None, and needs directions=0")
        for name in ("truncation", "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name}={value!r} must be at least 1, or None")
        if not 0.0 <= self.momentum < 1.0 or not 0.0 < self.discount <= 1.0:
            raise ValueError(f"momentum={self.momentum!r} must lie in [0, 1), discount={self.discount!r} in (0, 1]")
        for name in ("step_size", "step_decay", "noise", "gradient_limit", "retreat", "warmup_noise"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)!r} must be positive")


class Ags(Search):
    """Augmented gradient search.

    The policy it returns, to which `test` and the history refer, is the best of its trials (`Search.trial`): evaluations of the
    present parameters in the hard limit, from the same initial states each time, made whenever training has cost twice as much as
    the last trial. With κ = None, a fixed initial state, and neither `directions` nor a `window`, the training episodes are such
    evaluations themselves: then no trials are made, and the policy is the one with the largest training return.
    """

    kind = "ags"
    accepted = AgsOptions
    options: AgsOptions

    def _warm_up(self) -> None:
        """Play the warm-up episodes, which update the observation statistics only."""
        o = self.options
        noises = o.warmup_noise * self.rng.standard_normal((o.warmup, self.policy.size))
        jobs = [self.job(self.parameters + d, (self.seed, 0, i), o.kappa) for i, d in enumerate(noises)]
        played = self.workers.map(play, jobs)
        self.evaluations += sum(e.steps for e in played)
        self.absorb(played)

    def _update(self) -> Array:
        if self.iteration == 0 and self.options.warmup:
            self._warm_up()
        o, theta, statistics = self.options, self.parameters, self.statistics
        if self._tries and self.trial_due():
            self.trial(theta, self.whitening(), o.starts if self.varied else 1)
        change, earned = self._windows(o.window) if o.window is not None else self._episodes()
        if earned > self.memory.get("best", -np.inf):
            count = np.array([float(statistics.count)])
            self.kept |= {"parameters": theta, "count": count, "mean": statistics.mean, "squares": statistics.squares}
            self.memory |= {"best": earned, "stale": 0.0}
            return change
        self.memory["stale"] = self.memory.get("stale", 0.0) + 1.0
        if o.patience is None or self.memory["stale"] < o.patience:
            return change
        self.memory |= {"stale": 0.0, "scale": o.retreat * self.memory.get("scale", 1.0)}
        self.moments[:] = 0.0
        self.statistics = self._kept_statistics()
        return self.kept["parameters"] - theta

    @property
    def _tries(self) -> bool:
        """Whether trials are needed: training returns at κ > 0, from random initial states, or of other parameters than the present
        ones do not compare policies.
        """
        o = self.options
        return self.varied or o.kappa is not None or o.directions > 0 or o.window is not None

    def _episodes(self) -> tuple[Array, float]:
        """Parameter update (size,) from the roll-outs of one iteration, and their mean return."""
        o = self.options
        deltas = self.rng.standard_normal((o.directions, self.policy.size))
        tries = [(self.parameters, 0)]
        if o.directions:
            tries = [(self.parameters + s * o.noise * d, i) for i, d in enumerate(deltas) for s in (1.0, -1.0)]
        jobs = [self._gradient_job(p, i) for p, i in tries]
        played: list[GradientEpisode] = self.workers.map(play_and_differentiate, jobs)
        self._count(played)
        mixed = np.mean([clipped(e.gradient, o.gradient_limit) for e in played], axis=0)
        returns = np.array([e.episode.total for e in played])
        if o.alpha < 1.0:
            mixed = o.alpha * mixed + (1.0 - o.alpha) * zeroth_order(returns, deltas, o.noise)
        return self._step(mixed), float(returns.mean())

    def _windows(self, window: int) -> tuple[Array, float]:
        """Parameter update (size,) over one episode in which the parameters change after each window, and its return."""
        run, parameters = DifferentiatedRun(self._gradient_job(self.parameters, 0)), self.parameters
        while not run.over:
            gradient = run.play(parameters, window)
            parameters = parameters + self._step(clipped(gradient, self.options.gradient_limit))
        self._count([run.outcome(gradient)])
        return parameters - self.parameters, run.total

    def _gradient_job(self, parameters: Array, index: int) -> GradientJob:
        o = self.options
        job = self.job(parameters, (self.seed, self.iteration, index), o.kappa)
        return GradientJob(job, o.truncation, o.discount, o.smoothing)

    def _count(self, played: list[GradientEpisode]) -> None:
        self.evaluations += sum(e.evaluations for e in played)
        self.gradients += sum(e.gradients for e in played) if self.options.smoothing is None else 0
        self.note_cut(sum(e.cut for e in played))
        self.absorb([e.episode for e in played])

    def _step(self, gradient: Array) -> Array:
        """Parameter update (size,) with momentum: the normalised gradient is averaged with the earlier directions."""
        o = self.options
        average = o.momentum * self.moments[0] + (1.0 - o.momentum) * unit(gradient)
        self.moments = np.stack([average, self.moments[1]])
        return o.step_size * self.memory.get("scale", 1.0) * o.step_decay**self.iteration * unit(average)

    def _kept_statistics(self) -> Statistics:
        """The observation statistics that belong to the best parameters."""
        return Statistics(int(self.kept["count"][0]), self.kept["mean"], self.kept["squares"])

    def chosen(self) -> tuple[Array, tuple[Array, Array]]:
        """Parameters (size,) of the best policy and its observation normalisation, shift (no,) and gain (no,)."""
        if self._tries or not self.kept:
            return super().chosen()
        return self.kept["parameters"], self.whitening(self._kept_statistics())


def clipped(gradient: Array, limit: float) -> Array:
    """The gradient clipped to the norm `limit`; zero if it is not finite."""
    if not np.all(np.isfinite(gradient)):
        return np.zeros_like(gradient)
    return gradient * min(1.0, limit / max(float(np.linalg.norm(gradient)), 1e-300))


def zeroth_order(returns: Array, deltas: Array, noise: float) -> Array:
    """(size,) estimate of the gradient from returns of theta ± noise delta: (2N,) in the order + - + - ..., deltas (N, size)."""
    pairs = returns.reshape(-1, 2)
    return (pairs[:, 0] - pairs[:, 1]) @ deltas / (2.0 * noise * len(deltas))


def unit(vector: Array) -> Array:
    """The vector divided by its norm; zero stays zero."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector
