"""Regularisation of the backward pass: the quadratic modification schedule of Tassa, Erez, Todorov (2012), section II-F.

μ grows after a failure and shrinks after a success, by a factor that itself grows in a series of equal outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Regularisation:
    """The weight μ, added to the diagonal of Q_uu (or of V_xx at the next knot), and its factor of change δ."""

    value: float
    """μ"""
    smallest: float
    """A smaller μ is set to 0."""
    largest: float
    """Beyond it the solver stops."""
    factor: float = 2.0
    """δ₀"""
    rate: float = 1.0
    """δ"""

    def grow(self) -> bool:
        """Increase μ. Returns False if it exceeds `largest`."""
        self.rate = max(self.factor, self.rate * self.factor)
        self.value = max(self.smallest, self.value * self.rate)
        return self.value <= self.largest

    def shrink(self) -> None:
        """Decrease μ."""
        self.rate = min(1.0 / self.factor, self.rate / self.factor)
        self.value = self.value * self.rate
        if self.value < self.smallest:
            self.value = 0.0
