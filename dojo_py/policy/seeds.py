"""The same search with several seeds, and what all of them say: no seed is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.policy.search import Search
from dojo_py.simulate.values import count, function_of, having, shown

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class SeedSummary:
    """Of all seeds of one search."""

    final: Array
    """(seeds,) reward of the last policy."""
    best: Array
    """(seeds,) largest reward on the way."""
    evaluations: Array
    """(seeds,) simulated plus differentiated steps."""

    @property
    def mean(self) -> float:
        """Of the final rewards."""
        return float(self.final.mean())

    @property
    def median(self) -> float:
        """Of the final rewards."""
        return float(np.median(self.final))

    @property
    def deviation(self) -> float:
        """Of the final rewards, between seeds."""
        return float(self.final.std(ddof=1)) if len(self.final) > 1 else 0.0

    def __str__(self) -> str:
        return f"{self.mean:.3g} ± {self.deviation:.2g} ({', '.join(f'{r:.3g}' for r in self.final)})"


def run_seeds(make: Callable[[int], Search], seeds: Sequence[int], iterations: int, progress: bool = False) -> list[Search]:
    """One search a seed, each run to the end."""
    function_of("make", make)
    if isinstance(seeds, (str, bytes)) or not isinstance(seeds, Sequence):
        raise TypeError(f"seeds={shown(seeds)}, expected several integers")
    seeds = [count("seeds", seed, least=0) for seed in seeds]
    searches = [having("make(seed)", make(seed), ("run", "curve"), "a search") for seed in seeds]
    return [search.run(iterations, progress) for search in searches]


def summarise(searches: Sequence[Search]) -> SeedSummary:
    """Final and best rewards, and what they cost."""
    curves = [search.curve() for search in searches]
    return SeedSummary(
        np.array([c["reward"][-1] for c in curves]),
        np.array([c["reward"].max() for c in curves]),
        np.array([c["evaluations"][-1] + c["gradients"][-1] for c in curves]),
    )


def evaluations_to_reach(
    curves: Sequence[dict[str, Array]], target: float, middle: Callable[[Array], Any] = np.mean
) -> float | None:
    """Evaluations a seed (simulated plus differentiated steps) at which the seeds' mean reward reaches the target; None: never.

    middle: the median, say, in place of the mean.

    A seed's reward at some cost is that of its last policy until then; seeds that have none yet count as the worst they will have.
    """
    costs = [c["evaluations"] + c["gradients"] for c in curves]
    for cost in np.unique(np.concatenate(costs)):
        places = [int(np.searchsorted(own, cost, side="right")) - 1 for own in costs]
        rewards = [c["reward"][k] if k >= 0 else c["reward"].min() for c, k in zip(curves, places, strict=True)]
        if middle(np.array(rewards)) >= target:
            return float(cost)
    return None
