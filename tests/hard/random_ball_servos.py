"""Random chains of balls, beside slides and hinges in a body or alone, with servos of every kind about axes of the balls."""

from __future__ import annotations

import numpy as np
from random_orientations import box_geom, numbers

KINDS = ("position", "velocity", "damper", "intvelocity", "affine", "pid", "muscle", "filter")


def servo(rng: np.random.Generator, kind: str, joint: str, name: str, early: bool = True) -> str:
    """A servo of the ball `joint` about a random axis, given in the child's or the parent's axes."""
    kp, kv = rng.uniform(2.0, 20.0), rng.uniform(0.1, 1.0)
    frame = rng.choice(["joint", "jointinparent"])
    bound = f'forcerange="-{rng.uniform(0.5, 3.0):.4g} {rng.uniform(0.5, 3.0):.4g}"' if rng.uniform() < 0.3 else ""
    common = f'name="{name}" {frame}="{joint}" gear="{numbers(rng.standard_normal(3))}" {bound}'
    ahead = 'actearly="true"' if early and rng.uniform() < 0.3 else ""
    if kind == "position":
        return f'<position {common} kp="{kp:.4g}" kv="{kv:.4g}"/>'
    if kind == "velocity":
        return f'<velocity {common} kv="{kv:.4g}"/>'
    if kind == "damper":
        return f'<damper {common} kv="{kv:.4g}" ctrlrange="0 2"/>'
    if kind == "intvelocity":
        return f'<intvelocity {common} kp="{kp:.4g}" actrange="-2 2"/>'
    if kind == "affine":
        law = f'gaintype="affine" gainprm="1 {kv:.4g} -{kv:.4g}" biastype="affine" biasprm=".3 -{kp:.4g} -{kv:.4g}"'
        return f"<general {common} {law}/>"
    if kind == "pid":
        return f'<pid {common} kp="{kp:.4g}" kv="{kv:.4g}" ki="{kp:.4g}"/>'
    if kind == "muscle":
        return f'<muscle {common} lengthrange="-2 2" force="{kp:.4g}"/>'
    law = f'dyntype="filter" dynprm=".05" gainprm="{kp:.4g}" biastype="affine" biasprm="0 -{kp:.4g} -{kv:.4g}" {ahead}'
    return f"<general {common} {law}/>"


def _joints(rng: np.random.Generator, name: str, limits: bool) -> str:
    axis, pos = numbers(rng.standard_normal(3)), numbers(rng.uniform(-0.1, 0.1, 3))
    bound = 'range="0 40"' if limits and rng.uniform() < 0.5 else ""
    spring = f'stiffness="{rng.uniform(1, 5):.3g}"' if rng.uniform() < 0.3 else ""
    ball = f'<joint name="{name}" type="ball" pos="{pos}" damping=".02" {spring} {bound}/>'
    beside = f'<joint type="{{}}" axis="{axis}" stiffness="30" damping=".3"/>'
    kind = rng.choice(["ball", "ball", "slide ball", "hinge ball"])
    return " ".join(ball if word == "ball" else beside.format(word) for word in kind.split())


def model_text(seed: int, contact: bool = False, limits: bool = False, kinds: tuple[str, ...] = KINDS, early: bool = True) -> str:
    """Two trees of two bodies, one on the world and one free, with five servos and their sensors."""
    rng = np.random.default_rng([40, seed])
    bodies, balls = [], []
    for tree in range(2):
        text = ""
        for k in range(2):
            place = np.array([2.0, 0, 0.6]) if tree == 1 and k == 0 else rng.uniform(-0.2, 0.2, 3) + [0, 0, 1.2 * (k == 0)]
            joints = "<freejoint/>"
            if (tree, k) != (1, 0):
                balls.append(f"j{tree}{k}")
                joints = _joints(rng, balls[-1], limits)
            turn = numbers(rng.uniform(-30, 30, 3))
            text += f'<body pos="{numbers(place)}" euler="{turn}">{joints}{box_geom(rng, contact and tree == 1)}'
        bodies.append(text + "</body>" * 2)
    chosen = [kinds[(seed + k) % len(kinds)] for k in range(5)]
    servos = "".join(servo(rng, kind, str(rng.choice(balls)), f"s{k}", early) for k, kind in enumerate(chosen))
    sensors = "".join(f'<actuator{what} actuator="s{k}"/>' for k in range(5) for what in ("pos", "vel", "frc"))
    floor = '<geom type="plane" size="5 5 1"/>' if contact else ""
    return (
        f'<mujoco><option integrator="RK4"/><worldbody>{floor}{"".join(bodies)}</worldbody>'
        f"<actuator>{servos}</actuator><sensor>{sensors}</sensor></mujoco>"
    )


def start_of(model, seed: int, near: float = 0.3) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(qpos, qvel, act, control) of a random state."""
    rng = np.random.default_rng([8, seed])
    qpos = model.integrate(model.qpos0, near * rng.standard_normal(model.nv))
    return qpos, near * rng.standard_normal(model.nv), rng.uniform(0.1, 0.6, model.na), rng.uniform(0.1, 0.9, model.nu)
