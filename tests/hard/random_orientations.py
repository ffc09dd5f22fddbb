"""Random models with servos of orientations: on ball joints in chains and on sites beside reference sites of other bodies."""

from __future__ import annotations

import numpy as np

INPUTS = ("expmap", "quat")


def numbers(values: np.ndarray) -> str:
    return " ".join(f"{v:.6g}" for v in np.atleast_1d(values))


def box_geom(rng: np.random.Generator, contact: bool) -> str:
    """A box of random size and place, which touches nothing unless `contact`."""
    size, pos, euler = rng.uniform(0.05, 0.15, 3), rng.uniform(-0.05, 0.05, 3), rng.uniform(-60, 60, 3)
    mask = "" if contact else 'contype="0" conaffinity="0"'
    return f'<geom type="box" size="{numbers(size)}" pos="{numbers(pos)}" euler="{numbers(euler)}" density="700" {mask}/>'


def _joints(rng: np.random.Generator, name: str, limits: bool) -> tuple[str, bool]:
    """(joints of a body, whether a ball among them may have a servo)."""
    kind = rng.choice(["ball", "ball", "hinge", "slide and ball"])
    axis, pos = numbers(rng.standard_normal(3)), numbers(rng.uniform(-0.1, 0.1, 3))
    if kind == "hinge":
        bound = 'range="-20 20"' if limits else ""
        return f'<joint name="{name}" axis="{axis}" pos="{pos}" damping=".05" {bound}/>', False
    bound = 'range="0 30"' if limits and rng.uniform() < 0.5 else ""
    ball = f'<joint name="{name}" type="ball" pos="{pos}" damping=".02" {bound}/>'
    return (f'<joint type="slide" axis="{axis}" stiffness="300" damping="3"/>{ball}' if kind != "ball" else ball), True


def servo(rng: np.random.Generator, target: str, name: str, integrated: bool = True) -> str:
    """A servo of the target, 'joint="…"' or 'site="…" refsite="…"', with random numbers and options."""
    kp, kv = rng.uniform(2.0, 20.0), rng.uniform(0.1, 1.0)
    bound = f'forcerange="0 {rng.uniform(0.5, 3.0):.4g}"' if rng.uniform() < 0.3 else ""
    control = f'ctrlrange="-{rng.uniform(0.3, 2.0):.4g} {rng.uniform(0.3, 2.0):.4g}"' if rng.uniform() < 0.3 else ""
    if integrated and rng.uniform() < 0.4:
        early = rng.choice(["", 'actearly="true"', 'actearly="true" actrange="-.5 .6"'])
        prm = f'gainprm="{kp:.4g}" biasprm="0 -{kp:.4g} -{kv:.4g}" dyntype="integrator" {early}'
        return f'<general name="{name}" gaintype="so3" biastype="so3" {target} {prm} {bound} {control}/>'
    damping = rng.choice([f'kv="{kv:.4g}"', 'dampratio="1"'])
    return f'<orientation name="{name}" {target} kp="{kp:.4g}" {damping} input="{rng.choice(INPUTS)}" {bound} {control}/>'


def model_text(seed: int, contact: bool = False, limits: bool = False, integrated: bool = True, gravity: str = "0 0 -9.81") -> str:
    """Two trees, one on the world and one free, of random joints, and four servos at least."""
    rng = np.random.default_rng(seed)
    targets, sites = [], 0
    bodies = []
    for tree in range(2):
        text, depth = "", 3 - tree
        for k in range(depth):
            name = f"j{tree}{k}"
            joints, ball = ("<freejoint/>", False) if tree == 1 and k == 0 else _joints(rng, name, limits)
            if ball:
                targets.append(f'joint="{name}"')
            place = numbers(np.array([2.0, 0, 0.6]) if tree == 1 and k == 0 else rng.uniform(-0.2, 0.2, 3) + [0, 0, 1.2 * (k == 0)])
            text += f'<body pos="{place}" euler="{numbers(rng.uniform(-30, 30, 3))}">{joints}{box_geom(rng, contact and tree == 1)}'
            text += f'<site name="s{sites}" pos="{numbers(rng.uniform(-0.1, 0.1, 3))}" euler="{numbers(rng.uniform(-90, 90, 3))}"/>'
            sites += 1
        bodies.append(text + "</body>" * depth)
    pairs = rng.permutation(sites)
    targets += [f'site="s{a}" refsite="s{b}"' for a, b in zip(pairs[:2], pairs[2:4], strict=True)]
    servos = "".join(servo(rng, target, f"o{k}", integrated) for k, target in enumerate(targets))
    sensors = "".join(f'<actuator{what} actuator="o{k}"/>' for k in range(len(targets)) for what in ("pos", "vel", "frc"))
    floor = '<geom type="plane" size="5 5 1"/>' if contact else ""
    return (
        f'<mujoco><option gravity="{gravity}" integrator="RK4"/><worldbody>{floor}{"".join(bodies)}</worldbody>'
        f"<actuator>{servos}</actuator><sensor>{sensors}</sensor></mujoco>"
    )


def start_of(model, seed: int, near: float = 0.3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(qpos, qvel, control) of a random state."""
    rng = np.random.default_rng([7, seed])
    qpos = model.integrate(model.qpos0, near * rng.standard_normal(model.nv))
    return qpos, near * rng.standard_normal(model.nv), rng.uniform(-1.0, 1.0, model.nu)
