"""Trees of joints for the drawn models of the family `gradients`, with springs, actuators and loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.gradients_random import any_quaternion, matrix, some, text
from dojo_py.reproduce.gauntlet.gradients_tendons import TENDONS_FROM, anchor, tendons

Array = np.ndarray

POLYNOMIALS_FROM = 2_000_000
"""First seed of models with polynomial springs and dampers, and springs of free joints: those before keep their cases."""
LIFTED_FROM = 3_000_000
"""Likewise with gravity compensation, through actuators too, and with dampers and rotors of actuators."""


def powers(draw: Any, coefficient: float, scale: float) -> str:
    """The coefficient of a spring or damper; at times with two more, of higher powers of what has the size `scale`."""
    if draw.later is None or not some(draw.later, 0.3):
        return text(coefficient)
    return text(coefficient * np.array([1.0, draw.later.uniform(0.0, 1.0) / scale, draw.later.uniform(0.0, 3.0) / scale**2]))


def joint(rng: Any, kind: str, name: str, axis: Array, size: float, draw: Any) -> str:
    """One joint with springs, dampers, limits, … of its own. draw: gives the coordinate of each hinge or slide, and keeps it."""
    length = size if kind == "slide" else 1.0
    force = 3.0 * size * draw.mass * (1.0 if kind == "slide" else size)
    out = f'<joint name="{name}" type="{kind}"'
    if kind in ("hinge", "slide"):
        out += f' axis="{text(axis)}"'
    if kind in ("hinge", "ball") and some(rng, 0.6):
        out += f' pos="{text(size * rng.normal(size=3) * 0.5)}"'
    if some(rng, 0.4):
        out += f' damping="{powers(draw, force * rng.uniform(0.01, 0.3) / length, length)}"'
    if kind == "free" and draw.later is not None and some(draw.later, 0.3):
        out += f' stiffness="{powers(draw, force * draw.later.uniform(0.1, 10.0), 1.0)}"'
    if kind != "free" and some(rng, 0.3):
        out += f' stiffness="{powers(draw, force * rng.uniform(0.1, 10.0) / length, length)}"'
        out += f' springref="{text(0.3 * length * rng.normal())}"' if kind != "ball" else ""
    if some(rng, 0.3):
        out += f' armature="{text(0.1 * force * rng.random() / length)}"'
    if kind != "free" and some(rng, 0.2):
        out += f' frictionloss="{text(force * rng.choice([0.01, 0.3, 5.0]))}"'
    value = 0.3 * length * rng.uniform(-1, 1) if some(rng, 0.8) else 0.0
    if kind in ("hinge", "slide"):
        draw.coordinates[name] = value
        if some(rng, 0.2):
            out += f' ref="{text(0.3 * length * rng.normal())}"'
        if some(rng, 0.35):  # far from, near, at or beyond a bound
            room = length * rng.choice([-0.2, -0.01, 0.0, 1e-4, 1e-2, 0.3], 2)
            low, high = value - room[0], value + room[1]
            if high > low:
                out += f' range="{text([low, high])}"'
        bounded = some(rng, 0.15)
        if bounded or (draw.lifted is not None and some(draw.lifted, 0.3)):
            out += f' actuatorfrcrange="{text([-force, 0.5 * force])}"'
            draw.bounded.add(name)
    elif kind == "ball" and some(rng, 0.3):
        out += f' range="0 {text(rng.uniform(0.05, 1.0))}"'
    if draw.lifted is not None and some(draw.lifted, 0.5):
        out += ' actuatorgravcomp="true"'
    draw.joints.append((name, kind))
    return out + "/>"


def joints(rng: Any, body: str, size: float, draw: Any, root: bool) -> str:
    """Joints of one body."""
    sets = ["hinge", "slide", "ball", "hinge hinge", "hinge hinge hinge", "slide hinge", "slide slide hinge"]
    kinds = ["free"] if root and some(rng, 0.4) else rng.choice(sets, p=[0.3, 0.15, 0.2, 0.15, 0.08, 0.07, 0.05]).split()
    axes = matrix(any_quaternion(rng, some(rng, 0.4))) @ np.eye(3)
    lean = 0.0 if some(rng, 0.5) else 0.25
    parts = []
    for i, kind in enumerate(kinds):
        axis = axes[:, i] + lean * axes[:, (i + 1) % 3]
        parts.append(joint(rng, kind, f"{body}j{i}", axis / np.linalg.norm(axis), size, draw))
    return "".join(parts)


# actuators


def actuator(rng: Any, name: str, kind: str, size: float, draw: Any) -> str:
    """One actuator on a joint."""
    force = 3.0 * draw.mass * size * (1.0 if kind == "slide" else size)
    where = f'joint="{name}"' if some(rng, 0.8) or kind in ("hinge", "slide") else f'jointinparent="{name}"'
    width = {"ball": 3, "free": 6}.get(kind, 1)
    gear = rng.normal(size=width) if width > 1 else [rng.choice([1.0, -2.0, 0.5])]
    sort = str(rng.choice(["motor", "position", "velocity", "damper", "intvelocity", "filter", "affine", "integrator"],
                          p=[0.3, 0.25, 0.1, 0.07, 0.07, 0.07, 0.07, 0.07]))  # fmt: skip
    if name in draw.bounded:
        sort = "motor"
    common = f'{where} gear="{text(gear)}"'
    if some(rng, 0.3):  # often saturated
        common += f' forcerange="{text([-force * rng.uniform(0.05, 3), force * rng.uniform(0.05, 3)])}"'
    length = size if kind == "slide" else 1.0
    k = force / length * rng.uniform(0.3, 10.0)
    if draw.lifted is not None and some(draw.lifted, 0.3):
        c = 0.1 * force / length * np.array([draw.lifted.uniform(0.1, 1.0), draw.lifted.uniform(0.0, 1.0) / length])
        common += f' damping="{text(c)}" armature="{text(0.1 * force * draw.lifted.random() / length)}"'
    if sort == "motor":
        return f"<motor {common}/>"
    if sort == "position":
        return f'<position {common} kp="{text(k)}" kv="{text(0.1 * k * some(rng, 0.6))}"/>'
    if sort == "velocity":
        return f'<velocity {common} kv="{text(0.1 * k)}"/>'
    if sort == "damper":
        return f'<damper {common} kv="{text(0.1 * k)}" ctrlrange="0 3"/>'
    if sort == "intvelocity":
        return f'<intvelocity {common} kp="{text(k)}" actrange="-1 1"/>'
    if sort == "integrator":
        return f'<general {common} dyntype="integrator" gainprm="{text(k)}"/>'
    if sort == "filter":
        return f'<general {common} dyntype="{rng.choice(["filter", "filterexact"])}" dynprm=".1" gainprm="{text(k)}"/>'
    return (
        f'<general {common} gaintype="affine" gainprm="{text([k, 0.5 * k, 0.1 * k])}" biastype="affine" '
        f'biasprm="{text([0.1 * k, -k, -0.1 * k])}"/>'
    )


class Draw:
    """What the pieces of a model know of each other."""

    def __init__(self, size: float, mass: float, seed: int = 0):
        self.size, self.mass = size, mass
        self.later = np.random.default_rng([20261, seed]) if seed >= POLYNOMIALS_FROM else None
        self.lifted = np.random.default_rng([20262, seed]) if seed >= LIFTED_FROM else None
        self.coordinates: dict[str, float] = {}
        self.joints: list[tuple[str, str]] = []
        self.bounded: set[str] = set()
        self.bodies: list[str] = []
        self.sites: list[str] = []
        self.tendons = np.random.default_rng([20264, seed]) if seed >= TENDONS_FROM else None
        self.anchors: list[str] = []
        self.wrapped: list[str] = []


SHAPES = ("sphere", "capsule", "box", "cylinder", "ellipsoid")


def shape(rng: Any, kind: str, size: float) -> Array:
    """Sizes of a geom."""
    s = size * rng.uniform(0.3, 1.0, 3)
    return {"sphere": s[:1], "capsule": s[:2] * [0.4, 1], "cylinder": s[:2]}.get(kind, s)


def solid(rng: Any, draw: Draw, collides: bool, kind: str | None = None, mu: float = 1.0) -> str:
    """A geom somewhere in a body."""
    kind = kind or str(rng.choice(SHAPES))
    exact = some(rng, 0.4)
    flag = f'contype="0" conaffinity="1" friction="{text(mu)}"' if collides else 'contype="0" conaffinity="0"'
    size = shape(rng, kind, 0.4 * draw.size)
    name = ""
    if draw.tendons is not None and kind in ("sphere", "cylinder"):
        draw.wrapped.append(f"wrap{len(draw.wrapped)}")
        name = f' name="{draw.wrapped[-1]}"'
    return (
        f'<geom{name} type="{kind}" size="{text(size)}" mass="{text(draw.mass * 10 ** rng.uniform(-1, 0.3))}" '
        f'pos="{"0 0 0" if exact else text(0.3 * draw.size * rng.normal(size=3))}" '
        f'quat="{text(any_quaternion(rng, exact))}" {flag}/>'
    )


def lift(draw: Draw) -> str:
    """Gravity compensation of a body, at times."""
    if draw.lifted is None or not some(draw.lifted, 0.5):
        return ""
    return f' gravcomp="{text(draw.lifted.uniform(-0.3, 1.3))}"'


def tree(rng: Any, draw: Draw, name: str, bodies: int, root: bool, collides: bool, mu: float) -> str:
    """A body with joints and what hangs on it."""
    draw.bodies.append(name)
    exact = some(rng, 0.4)
    place = draw.size * (rng.integers(-1, 2, 3) if exact else rng.normal(size=3))
    out = f'<body name="{name}" pos="{text(place)}" quat="{text(any_quaternion(rng, exact))}"{lift(draw)}>'
    out += joints(rng, name, draw.size, draw, root) + solid(rng, draw, collides, mu=mu)
    if draw.lifted is not None and some(draw.lifted, 0.2):  # a part with a compensation of its own
        place = 0.3 * draw.size * draw.lifted.normal(size=3)
        out += f'<body pos="{text(place)}"{lift(draw)}>{solid(draw.lifted, draw, False)}</body>'
    out += anchor(draw, name)
    if some(rng, 0.3):
        draw.sites.append(f"{name}s")
        place = 0.3 * draw.size * rng.normal(size=3)
        out += f'<site name="{name}s" pos="{text(place)}" quat="{text(any_quaternion(rng, False))}"/>'
    left, child = bodies - 1, 0
    while left > 0:
        share = int(rng.integers(1, left + 1))
        out += tree(rng, draw, f"{name}{'abcdef'[child]}", share, False, collides, mu)
        left, child = left - share, child + 1
    return out + "</body>"


def extras(rng: Any, draw: Draw, loops: bool) -> str:
    """Tendons, actuators and loop closures."""
    strings, pulls = tendons(draw)
    out = f"{strings}<actuator>"
    for name, kind in draw.joints:
        if some(rng, 0.5):
            out += actuator(rng, name, kind, draw.size, draw)
    force = 3.0 * draw.mass * draw.size
    for site in draw.sites:
        reference = [s for s in draw.sites if s != site]
        ref = f' refsite="{reference[0]}"' if reference and some(rng, 0.4) else ""
        gear = np.concatenate([rng.normal(size=3), draw.size * rng.normal(size=3)])
        sort = f'kp="{text(0.5 * force)}"' if ref and some(rng, 0.5) else ""
        out += f'<{"position" if sort else "motor"} site="{site}"{ref} gear="{text(gear)}" {sort}/>'
    out += f"{pulls}</actuator>"
    if loops:
        ends = rng.permutation(draw.bodies)
        scalar = [n for n, k in draw.joints if k in ("hinge", "slide")]
        sort = rng.choice(["connect", "weld", "joint", "lock"])
        if sort == "connect" and len(ends) > 1:
            anchor = text(0.3 * draw.size * rng.normal(size=3))
            out += f'<equality><connect body1="{ends[0]}" body2="{ends[1]}" anchor="{anchor}"/></equality>'
        elif sort == "weld" and len(ends) > 1:
            out += f'<equality><weld body1="{ends[0]}" body2="{ends[1]}"/></equality>'
        elif sort == "joint" and len(scalar) > 1:
            out += f'<equality><joint joint1="{scalar[0]}" joint2="{scalar[1]}" polycoef="0 0.7 0.2 -0.1 0"/></equality>'
        elif scalar:
            out += f'<equality><joint joint1="{scalar[0]}" polycoef="0.02 0 0 0 0"/></equality>'
    return out
