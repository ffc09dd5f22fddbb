"""Heaps of any number of bodies in a bin of boxes: spheres alone, or spheres, capsules, ellipsoids, boxes, cylinders and meshes."""

from __future__ import annotations

import numpy as np

KINDS = {"spheres": ("sphere",), "boxes": ("box",), "pile": ("sphere", "capsule", "ellipsoid", "box", "mesh", "cylinder")}
"""Name -> shapes in turn."""
PITCH = 0.16
"""Distance of bodies at the start [m]."""
WALL = 0.05


def pile_xml(count: int, kind: str = "pile", seed: int = 12, timestep: float = 0.01) -> str:
    """MJCF of `count` bodies, in layers over a bin as wide as the heap will be high."""
    if kind not in KINDS:
        raise ValueError(f"pile_xml: kind={kind!r} is not one of {', '.join(KINDS)}")
    rng, shapes = np.random.default_rng(seed), KINDS[kind]
    side = max(2, round(count ** (1 / 3)))
    half = 0.5 * side * PITCH + 0.02
    height = 1.5 * side * PITCH
    walls = [(0.0, 0.0, -WALL, half + 2 * WALL, half + 2 * WALL, WALL)]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        width = (WALL, half + 2 * WALL) if x else (half, WALL)
        walls.append((x * (half + WALL), y * (half + WALL), height / 2, *width, height / 2))
    fixed = [f'<geom type="box" pos="{_text(w[:3])}" size="{_text(w[3:])}"/>' for w in walls]
    stones = []
    for k in range(3 if "mesh" in shapes else 0):
        corners = rng.normal(size=(10, 3))
        corners *= np.array([0.06, 0.05, 0.045]) / np.linalg.norm(corners, axis=1, keepdims=True)
        stones.append(f'<mesh name="stone{k}" vertex="{_text(corners.ravel())}"/>')
    bodies = []
    for k in range(count):
        layer, place = divmod(k, side * side)
        row, column = divmod(place, side)
        x, y = (np.array([row, column]) - 0.5 * (side - 1)) * PITCH + rng.uniform(-0.004, 0.004, 2)
        turn = rng.normal(size=4)
        geom = _geom(shapes[k % len(shapes)], rng.uniform(0.8, 1.1), k)
        bodies.append(
            f'<body pos="{_text((x, y, 0.1 + (PITCH + 0.005) * layer))}" quat="{_text(turn / np.linalg.norm(turn))}">'
            f"<freejoint/>{geom}</body>"
        )
    asset = f"<asset>{''.join(stones)}</asset>" if stones else ""
    return (
        f'<mujoco model="{kind} {count}"><option timestep="{timestep:g}"/><size memory="200M"/>'
        f'<default><geom friction="0.6" density="700"/></default>{asset}'
        f"<worldbody>{''.join(fixed + bodies)}</worldbody></mujoco>"
    )


def _geom(shape: str, scale: float, k: int) -> str:
    if shape == "mesh":
        return f'<geom type="mesh" mesh="stone{k % 3}"/>'
    sizes = {
        "sphere": (0.06,), "capsule": (0.035, 0.04), "ellipsoid": (0.065, 0.05, 0.035), "box": (0.05, 0.04, 0.035),
        "cylinder": (0.045, 0.05),
    }  # fmt: skip
    return f'<geom type="{shape}" size="{_text(scale * np.array(sizes[shape]))}"/>'


def _text(numbers: object) -> str:
    return " ".join(f"{x:.10g}" for x in np.asarray(numbers, float).ravel())
