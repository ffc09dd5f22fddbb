"""Scenes in which every shape meets every other: heaps, stacks, walls, dominoes, collisions, chains and rings of solids, hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.gauntlet.scene_draw import LARGEST, PLANE_BITS, Draw, text
from dojo_py.reproduce.gauntlet.scene_hills import hills
from dojo_py.reproduce.gauntlet.solids import KINDS, TOUCHES_ALL, Solid, mesh, solid

FLAT = ("box", "cylinder", "mesh")
"""Kinds that stand on a face."""


class Solids:
    """What a scene draws its solids by; with ties all of a kind are equal."""

    def __init__(self, draw: Draw):
        self.draw, self.rng = draw, draw.rng
        self.known: dict[str, Solid] = {}
        self.meshes = 0

    def one(self, kinds: Any = KINDS, scale: float = 1.0) -> Solid:
        """A solid of the scene's size."""
        kind = str(self.rng.choice(kinds))
        if self.draw.tie and kind in self.known:
            return self.known[kind]
        self.known[kind] = solid(self.rng, kind, 0.5 * scale * self.draw.size, 0.4 if self.draw.ordinary else 0.2)
        return self.known[kind]

    def brick(self, a: float, b: float, c: float) -> Solid:
        """A box of these half sizes [m], or the mesh with its corners."""
        half = np.array([float(f"{x * self.draw.size:.3g}") for x in (a, b, c)])
        return mesh(self.rng, "brick", half) if self.draw.chance(0.3) else Solid("box", half, np.zeros((0, 3)))

    def geom(self, shape: Solid, extra: str = "") -> str:
        """MJCF of a geom of it that touches everything; meshes go to the assets."""
        name = f"m{self.meshes}"
        if shape.kind == "mesh":
            self.meshes += 1
            self.draw.assets.append(shape.asset(name))
        return shape.geom(name, f"{TOUCHES_ALL} {extra}")

    def free(self, shape: Solid, at: Any, turn: str = "", twist: list[float] | None = None) -> None:
        """A free body."""
        draw = self.draw
        draw.bodies.append(f'<body pos="{text(at)}" {turn}><freejoint/>{self.geom(shape, draw.mass(shape.reach))}</body>')
        draw.qvel += draw.twist() if twist is None else twist

    def fixed(self, shape: Solid, at: Any, turn: str = "") -> None:
        """A geom of the world."""
        self.draw.statics.append(self.geom(shape, f'pos="{text(at)}" {turn}'))


def ground(draw: Draw) -> None:
    """A plane that touches everything, or hills below z = 0."""
    if draw.hilly:
        hills(draw)
        return
    draw.floor()
    draw.statics[-1] = draw.statics[-1].replace(PLANE_BITS, TOUCHES_ALL)


def heap(draw: Draw, count: int | None = None) -> None:
    """Bodies of every shape, or of one, that fall into a bin of planes, of fixed boxes, or onto a fixed solid. count: how many."""
    solids, rng = Solids(draw), draw.rng
    kinds = [str(rng.choice(KINDS))] if draw.chance(0.25) else list(KINDS)
    shapes = [solids.one(kinds) for _ in range(draw.count(16) if count is None else count)]
    half = draw.size * max(1.0, 0.6 * len(shapes) ** (1 / 3))
    bin_ = str(rng.choice(["planes", "boxes", "solid"]))
    ground(draw)
    top = 0.0
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)) if bin_ != "solid" else ():
        if bin_ == "planes":
            foot, axis = text([-x * half, -y * half, 0]), text([x, y, 0])
            draw.statics.append(f'<geom type="plane" size="0 0 1" pos="{foot}" zaxis="{axis}" {TOUCHES_ALL}/>')
        else:
            wall = 0.3 * draw.size
            size = (wall, half, 2 * half) if x else (half, wall, 2 * half)
            solids.fixed(Solid("box", np.array(size), np.zeros((0, 3))), (x * (half + wall), y * (half + wall), 2 * half))
    if bin_ == "solid":
        base = solids.one(scale=1.5)
        solids.fixed(base, (0, 0, base.half_height()))
        top = 2.0 * base.reach
    side = max(1, int(1.9 * half / draw.size))
    for k, shape in enumerate(shapes):
        i, j, layer = k % side, (k // side) % side, k // (side * side)
        pitch = 2.0 * max(s.reach for s in shapes) * (0.8 if draw.overlap else 1.001)
        at = np.array([(i - 0.5 * (side - 1)) * pitch, (j - 0.5 * (side - 1)) * pitch, top + pitch * (layer + 0.5)])
        at[:2] = np.clip(at[:2], -half + shape.reach, half - shape.reach) if half > shape.reach else 0.0
        if not draw.tie:
            at[2] += 0.1 * shape.reach * rng.random()
        draw_turn = draw.quaternion() if not draw.tie or draw.chance(0.3) else ""
        solids.free(shape, at, draw_turn, [*draw.within(min(draw.speed, 10.0)), *draw.within(draw.spin)])


def stack(draw: Draw) -> None:
    """Solids on each other by their faces: aligned to the last bit, or shifted and turned; a round one may lie on top."""
    solids, rng = Solids(draw), draw.rng
    ground(draw)
    nudge = 0.0 if draw.tie else draw.size * draw.log(1e-6, 5e-2)
    gap = 0.0 if draw.tie or draw.chance(0.5) else draw.size * draw.log(1e-6, 1e-2)
    still: list[float] | None = [0.0] * 6 if draw.chance(0.8) else None
    z, layers = 0.0, 1 + draw.count(5)
    for k in range(layers):
        last = k == layers - 1
        if last and draw.chance(0.5):
            shape = solids.one()
        elif draw.chance(0.6):
            shape = solids.brick(rng.uniform(0.3, 0.5), rng.uniform(0.3, 0.5), rng.uniform(0.1, 0.5))
        else:
            shape = solids.one(FLAT[:2])
        turn = "" if draw.tie else f'euler="0 0 {text(rng.choice([0.0, 45.0, round(rng.uniform(-180, 180), 1)]))}"'
        at = np.array([*(nudge * rng.uniform(-1, 1, 2)), z + gap + shape.half_height()])
        solids.free(shape, at, turn, still)
        z = at[2] + float(shape.support(np.array([0.0, 0.0, 1.0]))[2])


def wall(draw: Draw) -> None:
    """Bricks in rows, each shifted by half a brick: a wall or a pyramid, with gaps between them or none."""
    solids = Solids(draw)
    ground(draw)
    brick = solids.brick(0.5, 0.25, 0.2)
    a, _, c = brick.size
    wide, rows = 1 + draw.count(3), 1 + draw.count(3)
    apart = 0.0 if draw.tie else draw.size * draw.log(1e-6, 1e-2)
    falling = draw.chance(0.5)
    for row in range(rows):
        count = max(1, wide - row) if falling else wide
        for k in range(count):
            x = (k - 0.5 * (count - 1)) * (2.0 * a + apart) + (0.0 if falling else (row % 2) * a)
            solids.free(brick, (x, 0.0, c + row * 2.0 * c), "", [0.0] * 6)
    if draw.chance(0.5):  # a ball against it
        ball = solids.one(("sphere",), 0.6)
        speed = min(draw.speed or 1.0, 10.0 if draw.ordinary else 100.0)
        at = (0.0, -2.0 * draw.size, max(c, ball.reach))
        solids.free(ball, at, "", [0.0, float(f"{speed:.3g}"), 0.0, 0.0, 0.0, 0.0])


def dominoes(draw: Draw) -> None:
    """Plates in a row on the floor; the first one is pushed."""
    solids, rng = Solids(draw), draw.rng
    ground(draw)
    plate = solids.brick(0.06, rng.uniform(0.15, 0.3), 0.4)
    pitch = draw.size * float(rng.choice([0.25, 0.35, 0.12]))
    for k in range(1 + draw.count(10)):
        push = min(1.0, 0.3 / draw.h) * (9.81 / draw.size) ** 0.5 * rng.uniform(0.3, 1.0) if k == 0 else 0.0
        push = float(f"{min(push, 1.5 / draw.h):.3g}")
        twist = [push * 0.4 * draw.size, 0.0, 0.0, 0.0, push, 0.0] if k == 0 else [0.0] * 6
        solids.free(plate, (k * pitch, 0.0, plate.size[2]), "", twist)


def collide(draw: Draw) -> None:
    """Solids adrift that fly at each other, or touch at the start, face on face or by any points."""
    solids, rng = Solids(draw), draw.rng
    draw.gravity = 0.0
    shapes = [solids.one() for _ in range(1 + draw.count(6))]
    x = 0.0
    for k, shape in enumerate(shapes):
        along = np.array([1.0, 0.0, 0.0])
        if k:
            x += float(-shape.support(-along)[0]) if draw.tie else 1.0001 * shape.reach
        if not draw.tie and k:
            x += draw.size * draw.log(1e-4, 1.0)
        speed = 0.0 if draw.tie and draw.chance(0.5) else min(draw.speed or 1.0, 10.0 if draw.ordinary else 100.0)
        twist = [float(f"{speed * (0.5 - k):.4g}"), 0.0, 0.0, *([0.0] * 3 if draw.tie else draw.within(draw.spin))]
        off = np.zeros(2) if draw.tie else 0.3 * shape.reach * rng.uniform(-1, 1, 2)
        solids.free(shape, (x, *off), "" if draw.tie else draw.quaternion(), twist)
        x += float(shape.support(along)[0]) if draw.tie else shape.reach


def links(draw: Draw) -> None:
    """A chain of solids that touch floor, an obstacle and each other (but for neighbours); from the world, or thrown."""
    solids, rng = Solids(draw), draw.rng
    ground(draw)
    count, base = 1 + draw.count(7), str(rng.choice(["world", "free"]))
    shape = solids.one(("box", "capsule", "cylinder", "ellipsoid", "mesh"))
    length = 2.2 * shape.reach
    if draw.chance(0.6):
        obstacle = solids.one()
        solids.fixed(obstacle, (0.3 * count * length, 0, obstacle.half_height()), draw.quaternion())
    height = length * rng.uniform(0.7, 1.0) + 2.5 * draw.size
    inner = ""
    for k in range(count):
        if k == 0 and base == "free":
            joint = "<freejoint/>"
            draw.qvel += [*draw.within(min(draw.speed, 10.0)), *draw.within(min(draw.spin, 0.5 / (draw.h * count)))]
        else:
            kind = str(rng.choice(["hinge", "ball", "hinge"])) if not draw.tie else "hinge"
            axis = str(rng.choice(["0 1 0", "0 0 1"])) if not draw.tie else "0 1 0"
            joint = f'<joint type="{kind}" axis="{axis}" pos="{text([-0.5 * length, 0, 0])}"/>'
            draw.qvel += [draw.rate(3 * count) for _ in range(3 if kind == "ball" else 1)]
        geom = solids.geom(shape, draw.mass(shape.reach))
        inner += f'<body pos="{text([0, 0, height] if k == 0 else [length, 0, 0])}">{joint}{geom}'
    draw.bodies.append(inner + "</body>" * count)


def ring(draw: Draw) -> None:
    """Links in a ring, closed by a connect, that fall flat on the floor over a fixed solid or another body."""
    solids, rng = Solids(draw), draw.rng
    ground(draw)
    draw.speed = draw.spin = 0.0
    count = 4 + draw.count(5)
    r, half = float(f"{0.08 * draw.size:.3g}"), float(f"{0.25 * draw.size:.3g}")
    kind = str(rng.choice(["box", "capsule", "cylinder"]))
    size = {"box": (half, r, r)}.get(kind, (r, half))
    turn = "" if kind == "box" else 'euler="0 90 0"'
    shape = Solid(kind, np.array(size), np.zeros((0, 3)))
    step = 2.0 * (half + 1.2 * r)
    flat = draw.chance(0.6)
    joint = '<joint type="ball"/>' if draw.chance(0.5) else f'<joint axis="{"0 0 1" if flat else "0 1 0"}"/>'
    inner = ""
    for k in range(count):
        at = (0, 0, 1.2 * r + (0.0 if flat else step)) if k == 0 else (step, 0, 0)
        spin = "" if k == 0 else f'euler="{text((0, 0, 360 / count) if flat else (0, -360 / count, 0))}"'
        geom = solids.geom(shape, f'pos="{text((0.5 * step, 0, 0))}" {turn} {draw.mass()}')
        inner += f'<body name="l{k}" pos="{text(at)}" {spin}>{"<freejoint/>" if k == 0 else joint}{geom}'
        draw.qvel += [0.0] * (6 if k == 0 else 3 if "ball" in joint else 1)
    draw.bodies.append(inner + "</body>" * count)
    draw.equalities.append(f'<connect body1="l{count - 1}" body2="l0" anchor="{step!r} 0 0"/>')
    if draw.chance(0.6):
        other = solids.one()
        solids.free(other, (0.5 * step, 0.5 * step * count / np.pi, 2.0 * step + 2.0 * other.reach), draw.quaternion())


def hand(draw: Draw) -> None:
    """Two driven fingers with faces of any shape that close on a solid on the floor, and a lid that comes down on it."""
    solids, rng = Solids(draw), draw.rng
    ground(draw)
    draw.speed = draw.spin = 0.0
    held, finger = solids.one(), solids.one()
    z = held.half_height()
    solids.free(held, (0, 0, z), "" if draw.tie else f'euler="0 0 {text(round(rng.uniform(-180, 180), 1))}"')
    weight = 2000.0 * held.reach**3 * max(draw.gravity, 1.0)
    for k, way in enumerate((1.0, -1.0, 0.0)[: int(rng.choice([2, 2, 3]))]):
        axis = text([-way, 0, 0] if way else [0, 0, -1])
        far = held.reach + finger.reach + draw.size * draw.log(1e-4, 0.1)
        at = (way * far, 0, max(z, finger.reach)) if way else (0, 0, z + far)
        geom = solids.geom(finger, draw.mass(finger.reach))
        draw.bodies.append(f'<body pos="{text(at)}"><joint name="f{k}" type="slide" axis="{axis}"/>{geom}</body>')
        draw.qvel.append(0.0)
        gear = min(weight * 10 ** rng.uniform(-1, 1), LARGEST)
        draw.actuators.append(f'<motor joint="f{k}" gear="{gear:.3g}" ctrlrange="-1 1"/>')
