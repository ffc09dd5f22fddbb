"""Regularisation of the backward pass: grows when it fails, shrinks when it succeeds, both faster and faster.

Quadratic modification schedule of Tassa, Erez, Todorov (2012), section II-F.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Regularisation:
    """The weight μ added to the controls' curvature (or to the next state's), and its rate of change δ."""

    value: float
    """μ"""
    smallest: float
    """Below it μ is 0."""
    largest: float
    """Beyond it the solver gives up."""
    factor: float = 2.0
    """δ₀"""
    rate: float = 1.0
    """δ"""

    def grow(self) -> bool:
        """More of it; False when the largest is exceeded."""
        self.rate = max(self.factor, self.rate * self.factor)
        self.value = max(self.smallest, self.value * self.rate)
        return self.value <= self.largest

    def shrink(self) -> None:
        """Less of it."""
        self.rate = min(1.0 / self.factor, self.rate / self.factor)
        self.value = self.value * self.rate
        if self.value < self.smallest:
            self.value = 0.0
