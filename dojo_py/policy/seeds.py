"""The same search with several seeds, and statistics over all of them."""

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
    """Results of one search for all seeds."""

    final: Array
    """(seeds,) test return after the last iteration."""
    best: Array
    """(seeds,) largest test return of all iterations."""
    evaluations: Array
    """(seeds,) simulated plus differentiated steps."""

    @property
    def mean(self) -> float:
        """Mean of the final returns."""
        return float(self.final.mean())

    @property
    def median(self) -> float:
        """Median of the final returns."""
        return float(np.median(self.final))

    @property
    def deviation(self) -> float:
        """Standard deviation of the final returns between seeds."""
        return float(self.final.std(ddof=1)) if len(self.final) > 1 else 0.0

    def __str__(self) -> str:
        return f"{self.mean:.3g} ± {self.deviation:.2g} ({', '.join(f'{r:.3g}' for r in self.final)})"


def run_seeds(make: Callable[[int], Search], seeds: Sequence[int] | Array, iterations: int, progress: bool = False) -> list[Search]:
    """Run one search for each of the seeds (n,), each for all iterations."""
    function_of("make", make, ("seed",))
    if isinstance(seeds, np.ndarray):
        seeds = seeds.tolist()
    if isinstance(seeds, (str, bytes)) or not isinstance(seeds, Sequence):
        raise TypeError(f"seeds={shown(seeds)}, expected several integers")
    seeds, iterations = [count("seeds", seed, least=0) for seed in seeds], count("iterations", iterations)
    searches = [having("make(seed)", make(seed), ("run", "curve"), "a search") for seed in seeds]
    return [search.run(iterations, progress) for search in searches]


def summarise(searches: Sequence[Search]) -> SeedSummary:
    """Final and best returns, and the number of evaluations."""
    curves = [search.curve() for search in searches]
    idle = [i for i, curve in enumerate(curves) if not len(curve["reward"])]
    if idle or not curves:
        raise ValueError(f"searches: {f'number {idle[0]} has no iteration' if idle else 'there are none'}, nothing to summarise")
    return SeedSummary(
        np.array([c["reward"][-1] for c in curves]),
        np.array([c["reward"].max() for c in curves]),
        np.array([c["evaluations"][-1] + c["gradients"][-1] for c in curves]),
    )


def evaluations_to_reach(
    curves: Sequence[dict[str, Array]], target: float, middle: Callable[[Array], Any] = np.mean
) -> float | None:
    """Evaluations per seed (simulated plus differentiated steps) at which the mean test return reaches the target; None: never.

    middle: statistic over the seeds in place of the mean, such as np.median.

    The return of a seed at a number of evaluations is that of its last iteration up to there; a seed without one counts with the
    smallest return it will have.
    """
    costs = [c["evaluations"] + c["gradients"] for c in curves]
    for cost in np.unique(np.concatenate(costs)):
        places = [int(np.searchsorted(own, cost, side="right")) - 1 for own in costs]
        rewards = [c["reward"][k] if k >= 0 else c["reward"].min() for c, k in zip(curves, places, strict=True)]
        if middle(np.array(rewards)) >= target:
            return float(cost)
    return None
