"""Scenes with joints: chains, arms with limits and dry friction, symmetric legs, loops, mechanisms that are jammed."""

from __future__ import annotations

import numpy as np

from dojo_py.reproduce.gauntlet.scene_draw import BITS, LARGEST, PLANE_BITS, PLANES_ONLY, Draw, text

SINGLE = {
    "hinge": ('<joint axis="0 1 0" {0}/>', 1),
    "hinge, any axis": ('<joint axis="0.3 1 0.2" {0}/>', 1),
    "ball": ('<joint type="ball" {1}/>', 3),
    "slide": ('<joint type="slide" axis="1 0 0" {0}/>', 1),
    "two hinges": ('<joint axis="0 1 0" {0}/><joint axis="0 0 1" {0}/>', 2),
    "three hinges": ('<joint axis="0 1 0" {0}/><joint axis="0 0 1" {0}/><joint axis="1 0 0" {0}/>', 3),
}
"""Kind -> MJCF with places for what the scalar joints and the ball joints have, number of velocities."""


def chain(draw: Draw) -> None:
    """Links in a row: hanging from the world, thrown, or lying on the floor."""
    links, base = draw.count(10), str(draw.rng.choice(["world", "free", "floor"]))
    length, r = float(f"{draw.size:.3g}"), float(f"{draw.size * draw.rng.uniform(0.05, 0.2):.2g}")
    damping = f'damping="{min(draw.gravity * draw.rng.random() * length**4 * 20, 1e9):.3g}"' if draw.chance(0.3) else ""
    kinds = list(SINGLE) if not draw.tie else ["hinge"]
    bits = PLANES_ONLY if draw.chance(0.5) else BITS["capsule"]
    height = {"world": links * length * draw.rng.uniform(0.2, 1.2), "free": 2.0 * length, "floor": r}[base]
    if base != "world" or draw.chance(0.5):
        draw.floor()
    inner, close = "", ""
    for k in range(links):
        if k == 0 and base != "world":
            joint = "<freejoint/>"
            draw.qvel += [0.0] * 6 if draw.tie else draw.twist()
        else:
            words, count = SINGLE[str(draw.rng.choice(kinds))]
            joint = words.format(damping, damping)
            draw.qvel += [draw.rate(3 * links) for _ in range(count)]
        at = (0, 0, height) if k == 0 else (length, 0, 0)
        turn = "" if draw.tie or base == "floor" or k == 0 else f'euler="{text(np.round(draw.rng.uniform(-40, 40, 3), 1))}"'
        geom = f'<geom type="capsule" size="{r!r}" fromto="0 0 0 {length!r} 0 0" {bits} {draw.mass()}/>'
        inner += f'<body pos="{text(at)}" {turn}>{joint}{geom}'
        close += "</body>"
    draw.bodies.append(inner + close)


def arm(draw: Draw) -> None:
    """An arm on the world with limits, dry friction and motors, within reach of the floor and of a fixed ball."""
    links = 1 + draw.count(6)
    length, r = float(f"{draw.size:.3g}"), float(f"{draw.size * 0.1:.2g}")
    draw.floor()
    if draw.chance(0.5):
        ball = text([0.7 * links * length, 0, 0.3 * length])
        draw.statics.append(f'<geom type="sphere" size="{0.3 * length!r}" pos="{ball}" {BITS["sphere"]}/>')
    weight = 2000.0 * (0.5 * draw.size) ** 3 * max(draw.gravity, 1.0) * length
    inner, close = "", ""
    driven, servo = draw.chance(0.6), draw.chance(0.4)
    for k in range(links):
        axis = str(draw.rng.choice(["0 1 0", "0 0 1", "1 0 0", "0 1 0"]))
        words = f'name="j{k}" axis="{axis}"'
        if draw.chance(0.6):
            words += f' range="{text(np.round(draw.rng.uniform([-120, 5], [-5, 120]), 0))}"'
        if draw.chance(0.4):
            words += f' frictionloss="{min(weight * draw.rng.uniform(0, 1), 1e10):.3g}"'
        if draw.chance(0.4):
            words += f' damping="{weight * draw.rng.uniform(0, 0.5):.3g}"'
        if draw.chance(0.3):
            words += f' armature="{weight * length * draw.rng.uniform(0, 0.05):.3g}"'
        draw.qvel.append(draw.rate(links))
        at = (0, 0, 1.2 * length) if k == 0 else (length, 0, 0)
        geom = f'<geom type="capsule" size="{r!r}" fromto="0 0 0 {length!r} 0 0" {PLANES_ONLY} {draw.mass()}/>'
        if k == links - 1:
            geom += f'<geom type="sphere" size="{1.5 * r!r}" pos="{length!r} 0 0" {BITS["sphere"]} {draw.mass(0.3 * length)}/>'
        inner += f'<body pos="{text(at)}"><joint {words}/>{geom}'
        close += "</body>"
        if driven:
            gear = min(weight * links * 10 ** draw.rng.uniform(-1, 0.5 if draw.ordinary else 1.5), LARGEST)
            kind = f'position kp="{gear:.3g}"' if servo else f'motor gear="{gear:.3g}" ctrlrange="-1 1"'
            draw.actuators.append(f'<{kind} joint="j{k}"/>')
    draw.bodies.append(inner + close)


def legs(draw: Draw) -> None:
    """A torso on symmetric legs, whose feet touch the floor exactly or are dropped flat."""
    draw.floor()
    l, r = float(f"{0.4 * draw.size:.3g}"), float(f"{0.05 * draw.size:.2g}")
    a, b = 0.5 * draw.size, 0.3 * draw.size
    count = int(draw.rng.choice([2, 3, 4, 6]))
    drop = 0.0 if draw.tie or draw.chance(0.5) else draw.size * draw.log(1e-4, 1.0)
    knee = draw.chance(0.5)
    height = (2 * l if knee else l) + r + drop
    loss = f'frictionloss="{2000.0 * (0.5 * draw.size) ** 3 * draw.gravity * l * 0.2:.3g}"' if draw.chance(0.4) else ""
    servo = draw.chance(0.5)
    draw.qvel += [0.0] * 6 if draw.tie else draw.twist()
    parts = f'<body pos="{text((0, 0, height))}"><freejoint/><geom type="box" size="{text((a, b, 0.1 * draw.size))}" '
    parts += f"{PLANES_ONLY} {draw.mass()}/>"
    weight = draw.mass(0.3 * draw.size)
    spots = [(np.cos(t), np.sin(t)) for t in 2 * np.pi * (np.arange(count) + 0.5) / count]
    if count in (4, 6):
        xs = (-1, 1) if count == 4 else (-1, 0, 1)
        spots = [(x, y) for x in xs for y in (-1, 1)]
    for k, (x, y) in enumerate(spots):
        foot = f'<geom type="sphere" size="{r!r}" pos="0 0 {-l!r}" {BITS["sphere"]} {weight}/>'
        bone = f'<geom type="capsule" size="{0.5 * r!r}" fromto="0 0 0 0 0 {-l!r}" contype="0" conaffinity="0" {weight}/>'
        hip = f'<body pos="{text((x * a, y * b, 0))}"><joint name="h{k}" axis="0 1 0" {loss}/>{bone}'
        draw.qvel.append(0.0)
        if knee:
            hip += f'<body pos="0 0 {-l!r}"><joint name="k{k}" axis="0 1 0" range="-150 150" {loss}/>{bone}{foot}</body></body>'
            draw.qvel.append(0.0)
        else:
            hip += foot + "</body>"
        parts += hip
        if servo:
            kp = min(2000.0 * (0.5 * draw.size) ** 3 * max(draw.gravity, 1.0) * l * 5, LARGEST)
            draw.actuators += [f'<position kp="{kp:.3g}" joint="{name}{k}"/>' for name in ("hk" if knee else "h")]
    draw.bodies.append(parts + "</body>")


def loop(draw: Draw) -> None:
    """Four bars on the world, or a ring of links that falls on the floor, closed by a connect; at rest."""
    r = float(f"{0.05 * draw.size:.2g}")
    draw.speed = draw.spin = 0.0
    if draw.chance(0.5):
        l, w = float(f"{0.5 * draw.size:.3g}"), float(f"{draw.size:.3g}")
        axis = "0 1 0" if draw.chance(0.7) else "1 0 0"
        if draw.chance(0.5):
            draw.floor()

        def bar(name: str, at: tuple[float, ...], to: tuple[float, ...], inner: str = "") -> str:
            geom = f'<geom type="capsule" size="{r!r}" fromto="0 0 0 {text(to)}" {PLANES_ONLY} {draw.mass()}/>'
            return f'<body name="{name}" pos="{text(at)}"><joint axis="{axis}"/>{geom}{inner}</body>'

        last = bar("rocker", (w, 0, 0), (0, 0, -l))
        draw.bodies.append(bar("crank", (0, 0, 2 * l), (0, 0, l), bar("coupler", (0, 0, l), (w, 0, 0), last)))
        draw.equalities.append(f'<connect body1="rocker" anchor="0 0 {-l!r}"/>')
        draw.qvel += [0.0] * 3
        return
    draw.floor()
    links = 3 + draw.count(7)
    l = float(f"{0.5 * draw.size:.3g}")
    flat = draw.chance(0.5)
    joint = '<joint type="ball"/>' if draw.chance(0.4) else f'<joint axis="{"0 0 1" if flat else "0 1 0"}"/>'
    turn = f'euler="{text((0, 0, 360 / links) if flat else (0, -360 / links, 0))}"'
    inner, close = "", ""
    for k in range(links):
        at, spin = ((0, 0, r if flat else 3 * l), "") if k == 0 else ((l, 0, 0), turn)
        inner += f'<body name="l{k}" pos="{text(at)}" {spin}>{"<freejoint/>" if k == 0 else joint}'
        inner += f'<geom type="capsule" size="{r!r}" fromto="0 0 0 {l!r} 0 0" {PLANES_ONLY} {draw.mass()}/>'
        close += "</body>"
        draw.qvel += [0.0] * (6 if k == 0 else 3 if "ball" in joint else 1)
    draw.bodies.append(inner + close)
    draw.equalities.append(f'<connect body1="l{links - 1}" body2="l0" anchor="{l!r} 0 0"/>')


def jammed(draw: Draw) -> None:
    """What cannot open, cannot move or touches along a slide: never ordinary."""
    draw.ordinary = False
    r = float(f"{0.5 * draw.size:.3g}")
    kind = str(draw.rng.choice(["slider", "coinciding", "between planes", "glancing"]))
    sphere = f'<geom type="sphere" size="{r!r}" {BITS["sphere"]} {draw.mass()}/>'
    if kind in ("slider", "glancing"):
        draw.floor()
        depth = 0.0 if kind == "glancing" else r * draw.log(1e-4, 0.5)
        draw.bodies.append(f'<body pos="{text((0, 0, r - depth))}"><joint type="slide" axis="1 0 0"/>{sphere}</body>')
        draw.qvel.append(draw.within(draw.speed or 1.0)[0])
    elif kind == "coinciding":
        capsule = f'<geom type="capsule" size="{0.3 * r!r} {r!r}" {BITS["capsule"]} {draw.mass()}/>'
        for _ in range(2):
            draw.bodies.append(f"<body><freejoint/>{capsule}</body>")
            draw.qvel += [0.0] * 6
    else:
        draw.floor()
        squeeze = draw.chance(0.5) * r * draw.log(1e-6, 1e-2)
        above = text((0, 0, 2 * r - squeeze))
        draw.statics.append(f'<geom type="plane" size="0 0 1" pos="{above}" zaxis="0 0 -1" {PLANE_BITS}/>')
        draw.bodies.append(f'<body pos="{text((0, 0, r))}"><freejoint/>{sphere}</body>')
        draw.qvel += draw.twist()
