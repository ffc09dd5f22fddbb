"""AGS that looks before it leaps: a step is taken only if an episode with it earned more.

The gradient of a long episode with contact is exact and yet of short reach (Suh et al. 2022). Episodes from the same starts are
comparable, so a trial, which costs no gradient, tells whether the step helps; its length grows with success and shrinks with
failure. When no length helps, the chain is cut at another length (`truncation`), and last some random directions are tried, the
zeroth-order way out of a place where the gradient misleads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dojo_py.policy.gradient import GradientJob, play_and_differentiate
from dojo_py.policy.rollout import play

if TYPE_CHECKING:
    from dojo_py.policy.ags import Ags

Array = np.ndarray


@dataclass(frozen=True)
class LineSearch:
    """How steps are tried."""

    tries: int = 4
    """Lengths tried along one gradient."""
    shrink: float = 0.5
    """Factor after a failure."""
    grow: float = 1.5
    """Factor after a success."""
    kicks: int = 3
    """Random directions tried, both ways, when no gradient helps."""
    kick_noise: float = 0.05
    """Standard deviation of the entries of a random direction."""
    settle: int = 6
    """First iterations, whose steps are taken unseen while whitening follows what is met: until then returns of two policies are
    not comparable. The search proper starts from the best of them, with its whitening."""

    def __post_init__(self) -> None:
        if self.tries < 1 or self.kicks < 0 or self.settle < 0:
            raise ValueError(f"tries={self.tries!r} must be at least 1, kicks={self.kicks!r} and settle={self.settle!r} at least 0")
        if not 0 < self.shrink < 1 <= self.grow:
            raise ValueError(f"shrink={self.shrink!r} must lie in (0, 1), grow={self.grow!r} must be at least 1")


def searched_update(search: Ags, options: LineSearch) -> Array:
    """(size,) change of the parameters: unseen while whitening settles, then one that earned more, or zeros.

    search.memory holds the step length, the failures in a row, and whether the present policy's episode was played before:
    revisiting its states then costs gradients only. search.kept holds the best policy while whitening settles.
    """
    if search.iteration < options.settle:
        return _unseen(search)
    theta, statistics, jump = search.parameters, search.statistics, np.zeros_like(search.parameters)
    if "kept" in search.kept:  # settled: back to the best so far, with its whitening
        jump = search.kept["kept"] - theta
        theta = search.kept["kept"]
        count, mean, squares = search.kept["count"], search.kept["mean"], search.kept["squares"]
        search.statistics = statistics = type(statistics)(int(count[0]), mean, squares)
        search.kept = {}
        search.moments[:] = 0.0
        search.memory = {"failures": 0.0, "step": search.options.step_size, "known": 1.0}
    return jump + _searched(search, theta, options)


def _unseen(search: Ags) -> Array:
    """A step along the gradient; the policy is kept if none before it earned more."""
    whitened_by = search.statistics
    here = play_and_differentiate(_wanted(search, search.parameters, 0))
    search.count([here])
    if here.episode.total >= search.memory.get("best", -np.inf):
        search.memory["best"] = here.episode.total
        count = np.array([float(whitened_by.count)])
        search.kept = {"kept": search.parameters, "count": count, "mean": whitened_by.mean, "squares": whitened_by.squares}
    return search.options.step_size * search.average(here.gradient)


def _wanted(search: Ags, theta: Array, failures: int) -> GradientJob:
    """The episode of a policy, always from the same start, its chain cut at the next length after each failure."""
    o = search.options
    job = search.job(theta, (search.seed, 0, 0), o.kappa)
    return GradientJob(job, search.truncations[failures % len(search.truncations)], o.discount, o.smoothing)


def _searched(search: Ags, theta: Array, options: LineSearch) -> Array:
    """(size,) change of theta that earned more, or zeros."""
    memory, o = search.memory, search.options
    failures = int(memory.get("failures", 0))
    wanted = _wanted(search, theta, failures)
    here = play_and_differentiate(wanted)
    search.count([here], simulated=memory.get("known", 0.0) == 0.0, absorbed=False)
    direction, step = search.average(here.gradient), memory.get("step", o.step_size)

    def earns_more(change: Array) -> bool:
        episode = play(wanted.job._replace(parameters=theta + change))
        search.evaluations += episode.steps
        return episode.total > here.episode.total

    update, failures = np.zeros_like(theta), failures + 1
    for _ in range(options.tries):
        if earns_more(step * direction):
            update, failures = step * direction, 0
            break
        step *= options.shrink
    if failures >= len(search.truncations):
        for delta in options.kick_noise * search.rng.standard_normal((options.kicks, len(theta))):
            sign = next((s for s in (1.0, -1.0) if earns_more(s * delta)), None)
            if sign is not None:
                update, failures = sign * delta, 0
                break
    moved = bool(update.any())
    if not moved:
        search.moments[:] = 0.0
    search.memory = {"step": step * options.grow if moved else o.step_size, "failures": float(failures), "known": 1.0}
    return update
