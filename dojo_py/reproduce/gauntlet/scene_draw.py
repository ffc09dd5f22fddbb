"""What every generated scene shares: sizes, shapes, masses, texts; and the scene under construction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

SHAPES = ("sphere", "capsule", "box", "cylinder", "ellipsoid")
PLANE_BITS = 'contype="1" conaffinity="0"'
BITS = {
    "sphere": 'contype="2" conaffinity="3"',
    "capsule": 'contype="4" conaffinity="7"',
    "box": 'contype="0" conaffinity="3"',
    "cylinder": 'contype="0" conaffinity="1"',
    "ellipsoid": 'contype="0" conaffinity="1"',
}
"""Bit 1: meets planes; 2: meets spheres; 4: meets capsules. So that only pairs meet which the hard mode knows: everything with
planes, spheres with spheres, capsules and boxes, capsules with capsules."""
PLANES_ONLY = 'contype="0" conaffinity="1"'


def text(values: Any) -> str:
    """Numbers that are read back as they are."""
    return " ".join(repr(float(v)) for v in np.atleast_1d(values))


HEAVIEST = 1e9
"""[kg]: readers take numbers up to 1e10."""
LARGEST = 1e9
"""Gain of a motor or servo, for the same reason."""


class Shape(NamedTuple):
    """A geom: kind, sizes as in MJCF [m], distance from its centre to its farthest point, to its lowest when upright."""

    kind: str
    size: tuple[float, ...]
    reach: float
    low: float

    def geom(self, extra: str = "", bits: str | None = None) -> str:
        """MJCF of the geom."""
        return f'<geom type="{self.kind}" size="{text(self.size)}" {bits or BITS[self.kind]} {extra}/>'


class Draw:
    """A scene under construction; all that is random comes from its seed."""

    def __init__(self, seed: int):
        self.rng = rng = np.random.default_rng(seed)
        self.ordinary, self.tie = bool(rng.random() < 0.5), bool(rng.random() < 0.3)
        self.equal: dict[str, Shape] = {}
        self.assets: list[str] = []
        self.statics: list[str] = []
        self.bodies: list[str] = []
        self.qvel: list[float] = []
        self.actuators: list[str] = []
        self.equalities: list[str] = []
        self.hilly = False
        self.overlap = not self.ordinary and bool(rng.random() < 0.25)
        if self.ordinary:
            self.size, self.h = self.log(0.05, 1.0), self.log(1e-3, 1e-2)
            self.gravity = float(rng.choice([9.81, 9.81, 1.62, rng.uniform(0, 9.81)]))
            self.speed, self.spin = self.log(0.01, 10.0), self.log(0.01, 10.0)
        else:
            self.size, self.h = self.log(1e-3, 100.0), self.log(1e-4, 0.1)
            self.gravity = float(rng.choice([9.81, 0.0, rng.uniform(0, 100)]))
            self.speed, self.spin = self.log(0.01, 100.0), self.log(0.01, 100.0)
        self.spin = min(self.spin, 1.5 / self.h)
        if rng.random() < 0.4:
            self.speed = self.spin = 0.0
        self.friction = float(rng.choice([0.0, 0.5, 1.0, rng.uniform(0, 1.5 if self.ordinary else 5.0)]))
        self.ratio = 1.0 if self.tie else (10.0 if self.ordinary else 10.0 ** rng.uniform(0, 4))
        self.steps = 60

    def log(self, low: float, high: float) -> float:
        """Log-uniform, three digits."""
        return float(f"{np.exp(self.rng.uniform(np.log(low), np.log(high))):.3g}")

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return bool(self.rng.random() < p)

    def count(self, most: int) -> int:
        """1 … most, small numbers more often."""
        return int(np.exp(self.rng.uniform(0, np.log(most + 1))))

    # shapes and masses

    def shape(self, kinds: Sequence[str] = SHAPES, scale: float = 1.0) -> Shape:
        """A shape of about the scene's size; in scenes with ties all of a kind are equal."""
        kind = str(self.rng.choice(kinds))
        if self.tie and kind in self.equal and scale == 1.0:
            return self.equal[kind]
        half = 0.5 * scale * self.size
        spread = 1.0 if self.tie else (0.4 if self.ordinary else 0.2)
        parts = [float(f"{half * self.rng.uniform(spread, 1.0):.3g}") for _ in range(3)]
        if kind == "sphere":
            found = Shape(kind, (parts[0],), parts[0], parts[0])
        elif kind == "capsule":
            size = (0.5 * parts[0], parts[1])
            found = Shape(kind, size, sum(size), sum(size))
        elif kind == "cylinder":
            found = Shape(kind, (parts[0], parts[1]), float(np.hypot(parts[0], parts[1])), parts[1])
        else:
            norm = float(np.linalg.norm(parts)) if kind == "box" else max(parts)
            found = Shape(kind, (*parts,), norm, parts[2])
        if scale == 1.0:
            self.equal[kind] = found
        return found

    def mass(self, reach: float | None = None) -> str:
        """Attribute of a geom: about water, times a factor within the scene's ratio."""
        factor = self.ratio ** self.rng.uniform(-0.5, 0.5)
        return f'mass="{min(2000.0 * (reach or 0.5 * self.size) ** 3 * factor, HEAVIEST):.3g}"'

    # velocities and orientations

    def twist(self) -> list[float]:
        """Six velocities of a free body within the scene's speed and spin."""
        return [*self.within(self.speed), *self.within(self.spin)]

    def within(self, most: float) -> list[float]:
        """A vector of at most this length."""
        v = self.rng.normal(size=3)
        v *= most * self.rng.random() / np.linalg.norm(v)
        return [float(f"{x:.4g}") for x in v]

    def rate(self, chain: int) -> float:
        """Velocity of one of `chain` joints in a row: together they stay below 1.5 rad a step."""
        return float(f"{self.rng.uniform(-1, 1) * min(self.spin, 1.4 / (self.h * chain)):.4g}")

    def quaternion(self) -> str:
        """Attribute of a body: any orientation; with ties upright, or along an axis."""
        if self.tie:
            return str(self.rng.choice(["", 'euler="90 0 0"', 'euler="0 90 0"', ""]))
        q = self.rng.normal(size=4)
        return f'quat="{text(np.round(q / np.linalg.norm(q), 4))}"'

    # parts

    def floor(self, tilt: bool = False) -> None:
        """A plane through the origin."""
        axis = ""
        if tilt and self.chance(0.3):
            axis = f'zaxis="{text(np.round([*self.rng.uniform(-0.4, 0.4, 2), 1.0], 3))}"'
        self.statics.append(f'<geom type="plane" size="0 0 1" {axis} {PLANE_BITS}/>')

    def free(self, shape: Shape, position: Any, orientation: str = "", twist: list[float] | None = None) -> None:
        """A free body with one geom."""
        self.bodies.append(f'<body pos="{text(position)}" {orientation}><freejoint/>{shape.geom(self.mass(shape.reach))}</body>')
        self.qvel += self.twist() if twist is None else twist

    def xml(self) -> str:
        """The scene as MJCF."""
        option = f'<option timestep="{self.h!r}" gravity="0 0 {-self.gravity!r}"/>'
        compiler = '<compiler angle="degree" autolimits="true" boundmass="1e-10" boundinertia="2e-15"/>'
        default = f'<default><geom friction="{self.friction!r} 0 0" condim="{3 if self.friction else 1}"/></default>'
        parts = [f"<worldbody>{''.join(self.statics)}", *self.bodies, "</worldbody>"]
        if self.assets:
            parts.insert(0, f"<asset>{''.join(self.assets)}</asset>")
        if self.equalities:
            parts.append(f"<equality>{''.join(self.equalities)}</equality>")
        if self.actuators:
            parts.append(f"<actuator>{''.join(self.actuators)}</actuator>")
        return "\n".join([f"<mujoco>{compiler}{option}{default}", *parts, "</mujoco>"])
