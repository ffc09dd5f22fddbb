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
    settle: int = 4
    """Iterations after which whitening stays as it is: before, returns of two iterations are not comparable."""

    def __post_init__(self) -> None:
        if self.tries < 1 or self.kicks < 0 or self.settle < 0:
            raise ValueError(f"tries={self.tries!r} must be at least 1, kicks={self.kicks!r} and settle={self.settle!r} at least 0")
        if not 0 < self.shrink < 1 <= self.grow:
            raise ValueError(f"shrink={self.shrink!r} must lie in (0, 1), grow={self.grow!r} must be at least 1")


def searched_update(search: Ags, options: LineSearch) -> Array:
    """(size,) change of the parameters that earned more, or zeros.

    search.memory holds the step length, the failures in a row, and whether the present policy's episode was played as a trial:
    revisiting its states then costs gradients only.
    """
    memory, theta, o = search.memory, search.parameters, search.options
    settled, failures = search.iteration >= options.settle, int(memory.get("failures", 0))
    whitening = search.whitening()
    job = search.job(theta, (search.seed, 0, 0), o.kappa, whitening)
    wanted = GradientJob(job, search.truncations[failures % len(search.truncations)], o.discount, o.smoothing)
    here = play_and_differentiate(wanted)
    search.count([here], simulated=memory.get("known", 0.0) == 0.0, absorbed=not settled)
    direction, step = search.average(here.gradient), memory.get("step", o.step_size)

    def earns_more(change: Array) -> bool:
        episode = play(job._replace(parameters=theta + change))
        search.evaluations += episode.steps
        if not settled:
            search.absorb([episode])
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
    memory |= {"step": step * options.grow if moved else o.step_size, "failures": float(failures), "known": float(settled)}
    return update
