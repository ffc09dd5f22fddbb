"""Scenes of free bodies: scattered over a floor, heaped in a bin, stacked to towers, adrift."""

from __future__ import annotations

import numpy as np

from dojo_py.reproduce.gauntlet.scene_draw import BITS, PLANE_BITS, SHAPES, Draw, Shape, text

GAP_FREE = 1.0001
"""Distance of the centres of two bodies that shall not overlap, over the sum of their reaches."""
TRIES = 60


def place(draw: Draw, shapes: list[Shape], width: float, floor: bool = True) -> list[np.ndarray]:
    """Centres of the shapes, in a square of this width [m]; without overlap unless the scene has overlapping starts.

    With ties, and in half of the other scenes, the lowest touch the floor exactly when they are upright.
    """
    found: list[np.ndarray] = []
    rng, heap = draw.rng, draw.chance(0.5)
    for shape in shapes:
        base = shape.low if draw.tie else shape.reach * (1.0 if heap else rng.uniform(1.0, 2.0))
        if draw.overlap:
            base *= rng.uniform(0.3, 1.0)
        for k in range(TRIES):
            spread = width * (1.0 + 0.1 * k)
            z = base if floor else rng.uniform(-1, 1) * spread
            if k > TRIES // 3 and floor:
                z = base + 2.0 * (k - TRIES // 3) / TRIES * shape.reach * len(shapes)
            at = np.array([*rng.uniform(-0.5, 0.5, 2) * spread, z])
            at = np.array([float(f"{x:.4g}") for x in at[:2]] + [float(at[2])])
            far = all(np.linalg.norm(at - p) >= GAP_FREE * (shape.reach + s.reach) for p, s in zip(found, shapes, strict=False))
            if far or (draw.overlap and draw.chance(0.3)):
                break
        else:
            top = max((float(p[2]) + s.reach for p, s in zip(found, shapes, strict=False)), default=0.0)
            at[2] = top + 1.01 * shape.reach
        found.append(at)
    return found


def scatter(draw: Draw) -> None:
    """Bodies of every shape over a floor, perhaps a sloping one."""
    shapes = [draw.shape() for _ in range(draw.count(40))]
    draw.floor(tilt=not draw.tie and draw.chance(0.5))
    lift = 0.5 * len(shapes) ** 0.5 * draw.size if 'zaxis="' in draw.statics[0] else 0.0
    for shape, at in zip(shapes, place(draw, shapes, draw.size * 1.5 * len(shapes) ** 0.5), strict=True):
        at[2] += lift and np.linalg.norm(at[:2]) + shape.reach
        upright = "" if draw.tie else draw.quaternion()
        draw.free(shape, at, upright)


def bin_of_planes(draw: Draw) -> None:
    """Bodies falling into a bin of five planes, perhaps onto fixed spheres and capsules."""
    count = draw.count(30)
    shapes = [draw.shape() for _ in range(count)]
    half = draw.size * max(1.0, 0.7 * count ** (1 / 3)) + draw.size
    draw.floor()
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        foot, axis = text([-x * half, -y * half, 0]), text([x, y, 0])
        draw.statics.append(f'<geom type="plane" size="0 0 1" pos="{foot}" zaxis="{axis}" {PLANE_BITS}/>')
    ground = 0.0
    if draw.chance(0.3):
        r = 0.3 * half
        draw.statics.append(f'<geom type="sphere" size="{r!r}" pos="0 0 0" {BITS["sphere"]}/>')
        ground = r
    for shape, at in zip(shapes, place(draw, shapes, half), strict=True):
        inside = half - shape.reach
        at[:2] = np.clip(at[:2], -inside, inside)
        at[2] += ground + 0.0
        draw.free(shape, at, "" if draw.tie else draw.quaternion())


def bin_of_boxes(draw: Draw) -> None:
    """Spheres in a bin of fixed boxes."""
    count = draw.count(30)
    r = 0.5 * draw.size
    shapes = [draw.shape(["sphere"]) for _ in range(count)]
    half, wall = draw.size * max(1.0, 0.6 * count ** (1 / 3)) + 0.5 * draw.size, 0.5 * draw.size
    boxes = [((half + wall, half + wall, wall), (0.0, 0.0, -wall))]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        size = (wall, half, 2 * half) if x else (half, wall, 2 * half)
        boxes.append((size, (x * (half + wall), y * (half + wall), 2 * half)))
    for size, centre in boxes:
        draw.statics.append(f'<geom type="box" size="{text(size)}" pos="{text(centre)}" {BITS["box"]}/>')
    side = max(1, int((half - r) / (1.0001 * r)))
    for k, shape in enumerate(shapes):
        i, j, layer = k % side, (k // side) % side, k // (side * side)
        corner = -half + r
        at = np.array([corner + 2 * r * i, corner + 2 * r * j, shape.size[0] + 2 * r * layer])
        if not draw.tie:
            at[:2] += draw.rng.uniform(0, 1e-4, 2) * r
            at[2] += 1e-3 * r * (1 + layer)
        draw.free(shape, at)


def tower(draw: Draw) -> None:
    """Stacks: spheres on spheres, plates on spheres, crossing capsules; aligned to the last bit, or a little off."""
    draw.floor()
    kind = draw.rng.choice(["column", "plates", "cabin"])
    nudge = 0.0 if draw.tie else draw.size * draw.log(1e-6, 1e-2)
    still: list[float] | None = [0.0] * 6 if draw.chance(0.7) else None
    gap = 0.0 if draw.tie or draw.chance(0.5) else draw.size * draw.log(1e-5, 1e-2)
    z = 0.0

    def off() -> np.ndarray:
        return nudge * draw.rng.uniform(-1, 1, 3) * (1, 1, 0)

    layers = 1 + draw.count(6)
    if kind == "column":
        for _ in range(layers):
            ball = draw.shape(["sphere"])
            z += gap + ball.size[0]
            draw.free(ball, off() + (0, 0, z), "", still)
            z += ball.size[0]
    elif kind == "plates":
        a, b, t, r = (float(f"{x * draw.size:.3g}") for x in (0.5, 0.4, 0.1, 0.08))
        plate, ball = Shape("box", (a, b, t), draw.size, t), Shape("sphere", (r,), r, r)
        feet = [[(0, 0)], [(-1, 0), (1, 0)], [(-1, -1), (1, -1), (0, 1)], [(-1, -1), (1, -1), (-1, 1), (1, 1)]]
        pattern = feet[int(draw.rng.choice([0, 2, 3, 3]))]
        for _ in range(layers):
            for x, y in pattern:
                draw.free(ball, off() + (x * 0.7 * a, y * 0.7 * b, z + gap + r), "", still)
            z += 2 * (gap + r)
            draw.free(plate, off() + (0, 0, z + t), "", still)
            z += 2 * t
    else:
        r, half = float(f"{0.1 * draw.size:.3g}"), float(f"{0.5 * draw.size:.3g}")
        log = Shape("capsule", (r, half), r + half, r)
        for k in range(2 * layers):
            turn = 'euler="90 0 0"' if k % 2 else 'euler="0 90 0"'
            for side in (-1, 1):
                away = side * 0.6 * half
                at = (away, 0, z + gap + r) if k % 2 else (0, away, z + gap + r)
                draw.free(log, off() + at, turn, still)
            z += 2 * r + gap


def adrift(draw: Draw) -> None:
    """Bodies without gravity and anything fixed, that fly at and past each other; touching from the start with ties."""
    draw.gravity = 0.0
    kinds = ["sphere", "capsule", "box", "sphere", *SHAPES[3:]] if draw.chance(0.5) else ["sphere", "capsule"]
    shapes = [draw.shape(kinds) for _ in range(draw.count(12))]
    if draw.tie and draw.chance(0.7):
        x = 0.0
        for k, shape in enumerate(shapes):
            reach = shape.size[0] if shape.kind != "capsule" else shape.size[0] + shape.size[1]
            x += reach if k else 0.0
            draw.free(shape, (x, 0, 0), 'euler="0 90 0"' if shape.kind == "capsule" else "", [0.0] * 6 if k else None)
            x += reach
        return
    centres = place(draw, shapes, draw.size * 2.0 * len(shapes) ** (1 / 3), floor=False)
    for shape, at in zip(shapes, centres, strict=True):
        twist = draw.twist()
        away = float(np.linalg.norm(at))
        if away > 0 and draw.chance(0.8):  # towards the middle, so that they meet within the run
            speed = min(draw.speed or 1.0, 10.0 if draw.ordinary else 100.0)
            twist[:3] = [float(f"{-speed * x / away:.4g}") for x in at]
        draw.free(shape, at, draw.quaternion(), twist)
