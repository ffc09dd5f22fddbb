"""Random numbers as the text of MJCF attributes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


class Draw:
    """A seeded source of attributes; angles in the unit that the compiler element announces."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.radian = self.chance(0.4)

    def chance(self, p: float) -> bool:
        """True with the probability p."""
        return bool(self.rng.random() < p)

    def pick(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[int(self.rng.integers(len(options)))]

    def count(self, low: int, high: int) -> int:
        """An integer in low..high."""
        return int(self.rng.integers(low, high + 1))

    def normal(self, n: int, scale: float = 1.0) -> str:
        """n numbers around zero."""
        return text(self.rng.normal(size=n) * scale)

    def uniform(self, n: int, low: float, high: float) -> str:
        """n numbers in [low, high]."""
        return text(self.rng.uniform(low, high, n))

    def wide(self, low: float, high: float) -> str:
        """One number, its logarithm spread evenly over [low, high]."""
        return text([np.exp(self.rng.uniform(np.log(low), np.log(high)))])

    def angle(self, low: float, high: float) -> str:
        """One angle; low, high [rad]."""
        return text([self.rng.uniform(low, high) * (1.0 if self.radian else 180.0 / np.pi)])

    def maybe(self, p: float, words: str) -> str:
        """The words behind a space, with the probability p."""
        return f" {words}" if self.chance(p) else ""

    def some(self, p: float, name: str, value: str) -> str:
        """An attribute, with the probability p."""
        return self.maybe(p, f'{name}="{value}"')

    def orientation(self, p: float) -> str:
        """One of the five ways to give an orientation, with the probability p."""
        if not self.chance(p):
            return ""
        kind = self.pick(ORIENTATIONS)
        numbers = {"quat": self.normal(4), "axisangle": f"{self.normal(3)} {self.angle(-3, 3)}", "xyaxes": self.normal(6)}
        numbers |= {"zaxis": self.normal(3), "euler": " ".join(self.angle(-3, 3) for _ in range(3))}
        return f' {kind}="{numbers[kind]}"'

    def solver(self, p: float, suffix: str = "") -> str:
        """solref in both formats and solimp, each with the probability p."""
        words = ""
        if self.chance(p):
            standard = f"{self.wide(0.002, 0.2)} {self.uniform(1, 0.3, 2)}"
            direct = f"-{self.wide(50, 5000)} -{self.wide(1, 100)}"
            words += f' solref{suffix}="{self.pick([standard, standard, direct])}"'
        if self.chance(p):
            low = self.rng.uniform(0.05, 0.95)
            shape = f"{low:.3g} {self.rng.uniform(low, 0.999):.4g} {self.wide(1e-4, 0.3)}"
            words += f' solimp{suffix}="{shape}{self.pick(["", f" {self.uniform(1, 0.05, 0.95)} {self.uniform(1, 1, 5)}"])}"'
        return words


def text(numbers: Any) -> str:
    """Numbers with four digits, separated by spaces."""
    return " ".join(f"{x:.4g}" for x in np.atleast_1d(numbers))
