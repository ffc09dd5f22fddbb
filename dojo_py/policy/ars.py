"""Augmented random search. Source: Mania, Guy, Recht (2018), algorithm 1.

    theta += step_size / (b sigma_R) * sum over the b best directions of (R(theta + nu delta) - R(theta - nu delta)) delta

V1: raw observations; V2: observations normalised by their running mean and standard deviation; "-t" of the paper: b < directions.
sigma_R: standard deviation of the 2 b returns used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dojo_py.policy.rollout import Episode, play
from dojo_py.policy.search import Search
from dojo_py.simulate.values import check_fields, limit_fields

Array = np.ndarray

VERSIONS = ("V1", "V2")


@dataclass(frozen=True)
class ArsOptions:
    """Settings of the algorithm; the defaults are those of the Dojo paper's scripts."""

    step_size: float = 0.02
    """alpha."""
    noise: float = 0.03
    """nu, standard deviation of the perturbations."""
    directions: int = 6
    """N, number of antithetic pairs of perturbations."""
    top: int | None = None
    """b, number of best directions used; None: all. b < N gives V1-t and V2-t."""
    version: str = "V2"
    """"V1" or "V2"."""

    def __post_init__(self) -> None:
        check_fields(self)
        limit_fields(self, "step_size", "noise")
        if self.version not in VERSIONS:
            raise ValueError(f"version={self.version!r} is not one of {list(VERSIONS)}; for -t set top below directions")
        if self.directions < 1 or not 1 <= self.kept <= self.directions:
            raise ValueError(f"directions={self.directions!r} and top={self.top!r}: 1 <= top <= directions")
        if not (self.step_size > 0 and self.noise > 0):
            raise ValueError(f"step_size={self.step_size!r} and noise={self.noise!r} must be positive")

    @property
    def kept(self) -> int:
        """b"""
        return self.directions if self.top is None else self.top

    @property
    def normalise(self) -> bool:
        """Whether observations are normalised."""
        return self.version == "V2"


class Ars(Search):
    """Augmented random search."""

    kind = "ars"
    gradual = False
    accepted = ArsOptions
    options: ArsOptions

    def _update(self) -> Array:
        o = self.options
        deltas = self.rng.standard_normal((o.directions, self.policy.size))
        jobs = []
        for i, delta in enumerate(deltas):  # an antithetic pair from the same initial state
            seed = (self.seed, self.iteration, i)
            jobs += [self.job(self.parameters + sign * o.noise * delta, seed) for sign in (1.0, -1.0)]
        episodes: list[Episode] = self.workers.map(play, jobs)
        self.evaluations += sum(e.steps for e in episodes)
        self.absorb(episodes)
        returns = np.array([e.total for e in episodes]).reshape(-1, 2)
        return ars_direction(returns, deltas, o.kept) * o.step_size


def ars_direction(returns: Array, deltas: Array, kept: int) -> Array:
    """(size,) mean of (R+ - R-) delta over the `kept` best directions, over sigma_R; returns (N, 2): R+, R-; deltas (N, size)."""
    best = np.argsort(-returns.max(axis=1), kind="stable")[:kept]
    used = returns[best]
    spread = float(used.std())
    if spread == 0.0:  # equal returns carry no information
        return np.zeros(deltas.shape[1])
    return (used[:, 0] - used[:, 1]) @ deltas[best] / (kept * spread)
