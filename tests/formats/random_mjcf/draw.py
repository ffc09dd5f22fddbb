"""Random values of attributes as texts, and the names of what a model has so far."""

import numpy as np


def listed(numbers) -> str:
    return " ".join(f"{x:.6g}" for x in np.ravel(numbers))


class Draw:
    """A seeded generator of attribute values, and the names given so far."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.radian = self.chance(0.4)
        self.count = 0
        self.names = {"body": [], "geom": [], "site": [], "scalar": [], "ball": [], "free": [], "limited": []}
        self.classes = ["main", "a", "b", "c"]
        self.nq, self.nv, self.nu = 0, 0, 0

    def chance(self, p):
        return self.rng.random() < p

    def numbers(self, n, scale=1.0):
        return " ".join(f"{x:.4g}" for x in self.rng.normal(size=n) * scale)

    def positive(self, n, low=0.05, high=0.4):
        return " ".join(f"{x:.4g}" for x in self.rng.uniform(low, high, n))

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def angle(self, low, high):
        scale = 1.0 if self.radian else 180 / np.pi
        return f"{self.rng.uniform(low, high) * scale:.4g}"

    def name(self, kind):
        """A new name, as an attribute; later elements may refer to it."""
        self.count += 1
        self.names.setdefault(kind, []).append(f"{kind}{self.count}")
        return f' name="{kind}{self.count}"'

    def maybe(self, p, text):
        """The text with probability p, else nothing."""
        return f" {text}" if self.chance(p) else ""

    def orientation(self, p=0.6):
        if not self.chance(p):
            return ""
        angles = " ".join(self.angle(-3, 3) for _ in range(3))
        return " " + self.pick(
            [
                f'quat="{self.numbers(4)}"',
                f'axisangle="{self.numbers(3)} {self.angle(-3, 3)}"',
                f'xyaxes="{self.numbers(6)}"',
                f'zaxis="{self.numbers(3)}"',
                f'euler="{angles}"',
            ]
        )

    def solver(self, suffix="", p=0.2):
        """Perhaps `solref` and `solimp`, or those of a joint's "limit" or "friction"."""
        text = self.maybe(p, f'solref{suffix}="{self.positive(1, 0.01, 0.1)} {self.positive(1, 0.5, 2)}"')
        full = f"{self.positive(1, 0.5, 0.9)} {self.positive(1, 0.9, 0.99)} {self.positive(1, 0.001, 0.1)}"
        full += self.pick(["", " 0.3", " 0.4 3"])
        return text + self.maybe(p, f'solimp{suffix}="{self.pick([full, "0.8", "0.7 0.9"])}"')

    def cls(self, p=0.25):
        """Perhaps a default class."""
        return self.maybe(p, f'class="{self.pick(self.classes)}"')
