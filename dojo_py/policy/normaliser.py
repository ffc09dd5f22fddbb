"""Running mean and standard deviation of observations. Statistics of several workers can be merged.

Source: Chan, Golub, LeVeque (1979), pairwise update of mean and squared deviations. ARS V2 (Mania et al. 2018, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

SMALL = 1e-7
"""An entry with a smaller standard deviation is multiplied by 0: it never changed (as in the reference code of ARS)."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """Mean and squared deviations of `count` observations."""

    count: int
    mean: Array
    """(no,)"""
    squares: Array
    """(no,) sum of squared deviations from the mean."""

    @staticmethod
    def empty(size: int) -> Statistics:
        """Statistics of no observations."""
        return Statistics(0, np.zeros(size), np.zeros(size))

    @staticmethod
    def of(rows: Array) -> Statistics:
        """Statistics of observations (n, no), n >= 1."""
        mean = rows.mean(axis=0)
        return Statistics(len(rows), mean, ((rows - mean) ** 2).sum(axis=0))

    def merged(self, other: Statistics) -> Statistics:
        """Statistics of both together; the order affects round-off only."""
        n = self.count + other.count
        if n == 0:
            return self
        step = other.mean - self.mean
        share = other.count / n
        return Statistics(n, self.mean + share * step, self.squares + other.squares + step**2 * self.count * share)

    def scale(self) -> tuple[Array, Array]:
        """Shift (no,) to subtract and gain (no,) to multiply with, mean and 1/deviation; 0 and 1 before the second observation."""
        if self.count < 2:
            return np.zeros_like(self.mean), np.ones_like(self.mean)
        deviation = np.sqrt(self.squares / (self.count - 1))
        return self.mean, np.where(deviation < SMALL, 0.0, 1.0 / np.maximum(deviation, SMALL))
