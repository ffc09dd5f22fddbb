"""Tendons for the drawn trees of the family `gradients`: sums of joints' coordinates, and ways through sites and around geoms."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.gradients_random import some, text

Array = np.ndarray
TENDONS_FROM = 4_000_000
"""First seed of models with tendons: those before keep their cases."""


def anchor(draw: Any, body: str) -> str:
    """A site of a body for tendons to run through."""
    if draw.tendons is None:
        return ""
    draw.anchors.append(f"{body}t")
    return f'<site name="{body}t" pos="{text(0.4 * draw.size * draw.tendons.normal(size=3))}"/>'


def law(rng: Any, force: float, length: float, about: float, rotor: bool) -> str:
    """Spring, damper, rotor, dry friction and limits of a tendon whose length is near `about`."""
    out = ""
    if some(rng, 0.6):
        rest = about + length * np.sort(rng.uniform(-0.5, 0.5, 2))
        out += f' stiffness="{text(force * rng.uniform(0.1, 10.0) / length)}" springlength="{text(rest)}"'
    if some(rng, 0.5):
        out += f' damping="{text(force * rng.uniform(0.01, 0.3) / length)}"'
    if rotor and some(rng, 0.3):
        out += f' armature="{text(0.1 * force * rng.random() / length)}"'
    if some(rng, 0.3):
        out += f' frictionloss="{text(force * rng.choice([0.01, 0.3, 5.0]))}"'
    if some(rng, 0.4):
        out += f' range="{text(about + length * rng.uniform([-0.7, 0.0], [0.0, 0.7]))}"'
    return out


def tendons(draw: Any) -> tuple[str, str]:
    """The tendons of a tree and the actuators that pull on them, as MJCF."""
    rng = draw.tendons
    scalars = [name for name, kind in draw.joints if kind == "hinge"]
    if rng is None or (not scalars and len(draw.anchors) < 2):
        return "", ""
    force, out, names = 3.0 * draw.mass * draw.size, "", []
    if scalars:
        chosen = rng.permutation(scalars)[: int(rng.integers(1, 3))]
        terms = "".join(f'<joint joint="{name}" coef="{rng.choice([1.0, -1.5, 0.5])}"/>' for name in chosen)
        out += f'<fixed name="fixed"{law(rng, force * draw.size, 1.0, 0.0, True)}>{terms}</fixed>'
        names.append("fixed")
    for k in range(int(rng.integers(1, 3)) if len(draw.anchors) > 1 else 0):
        way = [f'<site site="{name}"/>' for name in rng.permutation(draw.anchors)[: int(rng.integers(2, 4))]]
        wrapped = bool(draw.wrapped) and some(rng, 0.4)
        around = f'<geom geom="{rng.choice(draw.wrapped)}"/>' if wrapped else ""
        branch = f'<pulley divisor="2"/>{way[1]}{way[0]}' if some(rng, 0.3) else ""
        path = way[0] + around + "".join(way[1:]) + branch
        out += f'<spatial name="spatial{k}"{law(rng, force, draw.size, 2.0 * draw.size, not wrapped)}>{path}</spatial>'
        names.append(f"spatial{k}")
    pulls = ""
    for name in names:
        reach = text(force * draw.size * rng.uniform(0.05, 3.0, 2) * [-1.0, 1.0])
        sort = f'position kp="{text(force)}" forcerange="{reach}"' if some(rng, 0.4) else f'motor forcerange="{reach}"'
        pulls += f'<{sort} tendon="{name}"/>' if some(rng, 0.5) else ""
    return f"<tendon>{out}</tendon>", pulls
