"""Hills: height fields below generated scenes, and carts that drive over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.scene_draw import LARGEST, Draw, text
from dojo_py.reproduce.gauntlet.solids import TOUCHES_ALL

KINDS = ("rough", "waves", "steps", "slope", "flat", "peak")


def hills(draw: Draw) -> None:
    """A height field whose highest point is at z = 0. Its cells are 0.3 to 3 times the scene's size."""
    rng, cell = draw.rng, draw.size * draw.log(0.3, 3.0)
    nrow, ncol = (int(k) for k in rng.integers(2, 9, 2))
    x, y = 0.5 * cell * (ncol - 1), 0.5 * cell * (nrow - 1) * (1.0 if draw.tie else rng.uniform(0.5, 2.0))
    rise, base = cell * draw.log(0.02, 0.5 if draw.ordinary else 3.0), draw.size * draw.log(0.05, 2.0)
    heights = elevation(rng, str(rng.choice(KINDS)), nrow, ncol, draw.tie)
    turn, lower = "", rise * float(heights.max())
    if not draw.tie and draw.chance(0.3):
        tilt = np.round(rng.uniform(-20.0, 20.0, 2), 1)
        turn = f'euler="{text([*tilt, 0.0])}"'
        lower = lower + np.hypot(x, y) * np.sin(np.radians(np.abs(tilt).sum()))
    size = text([float(f"{v:.4g}") for v in (x, y, rise, base)])
    grid = f'nrow="{nrow}" ncol="{ncol}" size="{size}" elevation="{text(heights.ravel())}"'
    draw.assets.append(f'<hfield name="hills" {grid}/>')
    draw.statics.append(f'<geom type="hfield" hfield="hills" pos="0 0 {text(-1.001 * lower)}" {turn} {TOUCHES_ALL}/>')


def elevation(rng: Any, kind: str, nrow: int, ncol: int, tie: bool) -> np.ndarray:
    """(nrow, ncol) from 0 to 1; with ties quarters of it, so that neighbours lie in one plane."""
    r, c = np.linspace(0.0, 1.0, nrow)[:, None], np.linspace(0.0, 1.0, ncol)[None, :]
    z = {
        "rough": rng.uniform(0, 1, (nrow, ncol)),
        "waves": 0.5 + 0.25 * np.sin(rng.uniform(2, 9) * r) + 0.25 * np.sin(rng.uniform(2, 9) * c),
        "steps": np.round(rng.uniform(0, 1, (nrow, ncol))),
        "slope": r * rng.uniform(0, 1) + c * rng.uniform(0, 1),
        "flat": np.zeros((nrow, ncol)),
        "peak": 1.0 - np.hypot(r - 0.5, c - 0.5),
    }[kind]
    low, high = z.min(), z.max()
    z = (z - low) / (high - low) if high > low else 0.0 * z
    return np.round(4.0 * z) / 4.0 if tie else np.round(z, 3)


def cart(draw: Draw) -> None:
    """A box on four wheels of one kind, which motors or servos turn, put down over the hills."""
    rng = draw.rng
    hills(draw)
    a, b, c = (float(f"{draw.size * f:.3g}") for f in (0.5, 0.25, 0.08))
    r, half = float(f"{0.2 * draw.size * rng.uniform(0.7, 1.3):.3g}"), float(f"{0.06 * draw.size:.3g}")
    wheel = str(rng.choice(["cylinder", "sphere", "capsule", "ellipsoid"]))
    size = text({"sphere": [r], "ellipsoid": [r, r, half]}.get(wheel, [r, half]))
    # Motors work against dampers, so that wheels in the air do not go faster than `turn`, the fastest that servos are told to.
    wheels, servo, turn = "", draw.chance(0.5), min(20.0, 0.3 / draw.h)
    for k, (sx, sy) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        gain = min(float(f"{50.0 * draw.size**4 * max(draw.gravity, 1.0) * 10 ** rng.uniform(-1, 1):.3g}"), LARGEST)
        damping = 0.0 if servo else gain / turn
        geom = f'<geom type="{wheel}" size="{size}" euler="90 0 0" {TOUCHES_ALL} {draw.mass(r)}/>'
        at = text([0.8 * sx * a, sy * (b + 2.5 * half), -0.5 * c])
        wheels += f'<body pos="{at}"><joint name="w{k}" axis="0 1 0" damping="{damping!r}"/>{geom}</body>'
        if servo:
            draw.actuators.append(f'<velocity joint="w{k}" kv="{gain / turn!r}" ctrlrange="{-turn!r} {turn!r}"/>')
        else:
            draw.actuators.append(f'<motor joint="w{k}" gear="{gain!r}" ctrlrange="-1 1"/>')
    box = f'<geom type="box" size="{text([a, b, c])}" {TOUCHES_ALL} {draw.mass()}/>'
    z = text([0, 0, r + c + draw.size * draw.log(1e-3, 0.3)])
    draw.bodies.append(f'<body pos="{z}"><freejoint/>{box}{wheels}</body>')
    draw.qvel += [*draw.within(min(draw.speed, 5.0)), *draw.within(min(draw.spin, 0.3 / draw.h)), 0.0, 0.0, 0.0, 0.0]
