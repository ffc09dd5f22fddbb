"""Drawn models for the family `gradients`: trees of joints, two shapes at touch, a shape on a plane; and their states.

From seed 4,000,000 on trees have tendons.

Ties are drawn on purpose: axes along the world's, contact at the middle of a face, parallel and crossing capsules, gap 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dojo_py import HardSimulator, load_model
from dojo_py.reproduce.gauntlet.family import Case
from dojo_py.reproduce.gauntlet.gradients_random import AXES, any_quaternion, beside, matrix, quaternion_to, some, text, unit
from dojo_py.reproduce.gauntlet.gradients_trees import Draw, extras, shape, solid, tree

Array = np.ndarray

KAPPAS = (1e-1, 1e-2, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-6, 1e-8, 1e-12)
GAPS = (0.0, 0.0, 1e-5, 1e-3, 1e-2, 0.1, -1e-3, -0.02, -0.2)
"""At the start, in units of the shapes' size."""
STEPS = 3
"""Of the roll-out that is pulled back."""
HEADER = '<mujoco><compiler angle="radian" autolimits="true"/><option gravity="{}"/>'


def plane(normal: Array, point: Array, mu: float) -> str:
    """A plane through a point."""
    return (
        f'<geom type="plane" size="0 0 1" pos="{text(point)}" quat="{text(quaternion_to(normal))}" friction="{text(mu)}" '
        'contype="1" conaffinity="0"/>'
    )


def lowest(kind: int, size: Array, centre: Array, R: Array, n: Array) -> float:
    """Height over a plane through the origin, normal n, of a geom's lowest point."""
    local = R.T @ n
    reach = {
        2: size[0],
        3: size[0] + size[1] * abs(local[2]),
        4: math.sqrt(np.sum((size * local) ** 2)),
        5: size[1] * abs(local[2]) + size[0] * math.hypot(local[0], local[1]),
        6: float(np.abs(size * local).sum()),
    }[kind]
    return float(n @ centre) - reach


def geoms_of(model: Any, maximal: Array) -> list[tuple[int, Array, Array, Array]]:
    """(type, size, centre, axes) of the geoms that touch planes, at a maximal state."""
    out = []
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        if b == 0 or not model.geom_conaffinity[g]:
            continue
        R = matrix(maximal[b, 6:10])
        origin = maximal[b, :3] - R @ model.body_ipos[b]
        centre = origin + R @ model.geom_pos[g]
        out.append((int(model.geom_type[g]), model.geom_size[g], centre, R @ matrix(model.geom_quat[g])))
    return out


def holder(rng: Any, name: str, size: float, draw: Draw, free: float) -> str:
    """Joints that carry one of two shapes."""
    if some(rng, free):
        return f'<joint name="{name}j" type="free"/>'
    kind = str(rng.choice(["ball", "hinge", "slide", "hinge slide"]))
    out = ""
    for i, k in enumerate(kind.split()):
        axis = unit(rng, some(rng, 0.5))
        pos = f' pos="{text(size * rng.normal(size=3))}"' if k != "slide" else ""
        out += f'<joint name="{name}j{i}" type="{k}" axis="{text(axis)}"{pos} damping="{text(0.02 * draw.mass * size * size)}"/>'
    return out


def surface_point(rng: Any, kind: str, size: Array, R: Array, exact: bool) -> tuple[Array, Array]:
    """A point of the surface of a sphere, a capsule or a box at the origin with axes R, and the outward normal there."""
    if kind == "sphere":
        n = unit(rng, exact)
        return size[0] * n, n
    if kind == "capsule":
        along = rng.choice([0.0, 1.0, 0.5]) if exact else rng.uniform(-1.3, 1.3)
        side = unit(rng, exact)
        local = np.array([side[0], side[1], 0.0 if abs(along) <= 1 else np.sign(along) * abs(side[2])])
        local = local if np.linalg.norm(local) > 1e-6 else AXES[0]
        local = local / np.linalg.norm(local)
        return R @ (np.array([0, 0, size[1] * np.clip(along, -1, 1)]) + size[0] * local), R @ local
    place = rng.choice([0.0, 0.5], 3) if exact else rng.uniform(-0.95, 0.95, 3)
    outer = rng.permutation(3)[: rng.choice([1, 1, 2, 3])]  # a face, an edge, a corner
    local = np.zeros(3)
    local[outer] = rng.choice([-1.0, 1.0], len(outer)) * (1.0 if exact else rng.uniform(0.2, 1.0, len(outer)))
    place[outer] = np.sign(local[outer])
    local /= np.linalg.norm(local)
    return R @ (place * size), R @ local


def capsule_axis(rng: Any, n: Array, own: Array, exact: bool) -> tuple[Array, float]:
    """Axis of a capsule beside a shape with normal n and axis `own`; where on it, from -1 to 1, it is nearest to that shape."""
    across = beside(n)
    how = rng.choice(["crossing", "parallel", "end", "any"])
    axis = {"crossing": np.cross(n, own), "parallel": own, "end": n}.get(how, unit(rng, False))
    axis = across[0] if np.linalg.norm(axis) < 1e-6 else axis / np.linalg.norm(axis)
    if not exact:
        axis = axis + 0.05 * rng.normal(size=3)
        axis /= np.linalg.norm(axis)
    reach = axis @ n
    return axis, -math.copysign(1.0, reach) if abs(reach) > 0.05 else (rng.choice([0.0, 1.0]) if exact else rng.uniform(-0.9, 0.9))


def two_shapes(rng: Any, draw: Draw, mu: float) -> tuple[str, Array]:
    """Bodies 'a' and 'b' (or a geom of the world) whose shapes nearly touch, and the normal from b to a."""
    exact = some(rng, 0.5)
    first, second = [("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "box"), ("capsule", "capsule")][rng.integers(4)]
    a, b = shape(rng, first, draw.size), shape(rng, second, draw.size)
    if exact and some(rng, 0.3) and first == second:
        b = a.copy()
    turn = any_quaternion(rng, exact)
    R = matrix(turn)
    p, n = surface_point(rng, second, b, R, exact)
    gap = draw.size * rng.choice(GAPS)
    quat = any_quaternion(rng, exact)
    centre = p + (gap + a[0]) * n
    if first == "capsule":
        axis, shift = capsule_axis(rng, n, R[:, 2], exact)
        centre = centre - shift * a[1] * axis
        quat = quaternion_to(axis)
    flag = f'friction="{text(mu)}"'
    place = draw.size * (0.0 if exact else 3.0) * rng.normal(size=3)
    geoms = [f'<geom type="{first}" size="{text(a)}"', f'<geom type="{second}" size="{text(b)}"']
    masses = draw.mass * 10 ** rng.uniform(-1, 1, 2)
    fixed = some(rng, 0.2)
    out = f'<body name="a" pos="{text(place + centre)}" quat="{text(quat)}">{holder(rng, "a", draw.size, draw, 0.7)}'
    out += f'{geoms[0]} mass="{text(masses[0])}" {flag}/></body>'
    if fixed:
        out += f'{geoms[1]} pos="{text(place)}" quat="{text(turn)}" {flag}/>'
    else:
        out += f'<body name="b" pos="{text(place)}" quat="{text(turn)}">{holder(rng, "b", draw.size, draw, 0.7)}'
        out += f'{geoms[1]} mass="{text(masses[1])}" {flag}/></body>'
    return out, n


# whole cases


def velocity(rng: Any, model: Any, normal: Array, size: float, mu: float, h: float) -> Array:
    """(nv,) at rest, coming down, sliding, near stick-slip, or anyhow."""
    v, pace = np.zeros(model.nv), math.sqrt(10.0 * size)
    how = rng.choice(["rest", "impact", "slide", "slip", "any", "any"])
    across = beside(normal)[0]
    pushes = {"impact": -rng.uniform(0.1, 1.0) * normal, "slide": 0.5 * across, "slip": mu * 10.0 * h / pace * across}
    push = pushes.get(how, 0 * normal)
    first = True
    for j in range(model.njnt):
        dof, kind = int(model.jnt_dofadr[j]), int(model.jnt_type[j])
        if kind == 0:
            if first:
                v[dof : dof + 3] += pace * push
            first = False
        if how != "rest":
            width, angular = (6, 3) if kind == 0 else ((3, 3) if kind == 1 else (1, int(kind == 3)))
            noise = rng.normal(size=width)
            noise[: width - angular] *= size
            v[dof : dof + width] += (1.0 if how == "any" else 0.1) * pace / size * 0.3 * noise
    return v


FAST_SEEDS = 3_000_000
"""From this seed on half of the cases rotate by a radian and more in a step, which is then solved in parts."""


def rotating(rng: Any, model: Any, qpos: Array, qvel: Array, h: float) -> Array:
    """(nv,) qvel with joints and free bodies that rotate by 0.7 to 2.8 rad in a step, some of them; less where that is too much."""
    v = np.array(qvel)
    for j in range(model.njnt):
        dof, kind = int(model.jnt_dofadr[j]), int(model.jnt_type[j])
        if kind == 2 or not some(rng, 0.6):
            continue
        first, width = {0: (dof + 3, 3), 1: (dof, 3)}.get(kind, (dof, 1))
        spin = rng.normal(size=width)
        v[first : first + width] = spin / np.linalg.norm(spin) * rng.uniform(0.7, 2.8) / h
    sim = HardSimulator(model, timestep=h)
    for _ in range(10):
        try:
            sim.initial_state(qpos, v)
            return v
        except ValueError:  # a body rotates by half a revolution and more
            v = qvel + 0.7 * (v - qvel)
    return qvel


def draw_case(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([20260, seed])
    kappa = float(rng.choice(KAPPAS))
    size = float(rng.choice([0.3, 1e-3, 100.0, 3.0], p=[0.8, 0.07, 0.06, 0.07])) * rng.uniform(0.5, 1.5)
    mass = {True: 1.0, False: 1e3}[size < 10] if size > 0.01 else 1e-4
    pace = math.sqrt(size / 0.3)
    h = float(rng.choice([0.001, 0.01, 0.01, 0.02, 0.05])) * pace
    mu = float(rng.choice([0.0, 0.1, 0.5, 1.0, 3.0], p=[0.08, 0.2, 0.3, 0.3, 0.12]))
    friction = str(rng.choice(["cone", "pyramid", "none"], p=[0.7, 0.22, 0.08]))
    draw = Draw(size, mass, seed)
    exact = some(rng, 0.4)
    tilt = AXES[2] if exact else unit(rng, False)
    down = -9.81 * (AXES[2] if some(rng, 0.5) else tilt) * float(rng.choice([0.0, 1.0], p=[0.25, 0.75]))
    scene = str(rng.choice(["tree", "tree on a plane", "pair", "plane"], p=[0.3, 0.17, 0.38, 0.15]))
    world, below, rest = "", "", ""
    if scene.startswith("tree"):
        touching = scene != "tree"
        for i in range(int(rng.integers(1, 3))):
            world += tree(rng, draw, "ABC"[i], int(rng.integers(1, 4)), True, touching, mu)
        rest = extras(rng, draw, some(rng, 0.25))
    elif scene == "plane":
        world = f'<body name="a"><freejoint/>{solid(rng, draw, True, mu=mu)}</body>'
    else:
        world, tilt = two_shapes(rng, draw, mu)
    header = HEADER.format(text(down))
    model = load_model(f"{header}<worldbody>{world}</worldbody>{rest}</mujoco>")
    qpos = np.array(model.qpos0)
    if scene != "pair":
        qpos = model.integrate(qpos, rng.choice([0.0, 0.3]) * rng.uniform(-1, 1, model.nv))
        for name, value in draw.coordinates.items():
            qpos[model.jnt_qposadr[model.joint_names.index(name)]] = value
    qvel = velocity(rng, model, tilt, size, mu, h)
    if scene in ("plane", "tree on a plane"):
        state = HardSimulator(model, timestep=h).initial_state(qpos)
        shapes = geoms_of(model, np.asarray(state.maximal))
        height = min(lowest(*g, tilt) for g in shapes)
        below = plane(tilt, (height - size * float(rng.choice(GAPS))) * tilt, mu)
        model = load_model(f"{header}<worldbody>{below}{world}</worldbody>{rest}</mujoco>")
    xml = f"{header}<worldbody>{below}{world}</worldbody>{rest}</mujoco>"
    if seed >= FAST_SEEDS and seed % 2:
        qvel = rotating(np.random.default_rng([20261, seed]), model, qpos, qvel, h)
    reach = 3.0 * mass * size
    controls = float(rng.choice([0.1, 1.0, 5.0])) * rng.uniform(-1, 1, (STEPS, model.nu))
    for i in range(model.nu):
        if model.actuator_ctrllimited[i]:
            low, high = model.actuator_ctrlrange[i]
            controls[:, i] = low + (high - low) * rng.uniform(0.1, 0.9, STEPS)
        elif model.actuator_biasprm[i, 1] == 0.0 and model.actuator_dyntype[i] == 0:
            controls[:, i] *= reach * min(1.0, size)
    settings = {
        "kappa": kappa * mass * size * math.sqrt(10.0 * size) / (0.3 * math.sqrt(3.0)),
        "kappa in units of the model": kappa,
        "friction": friction,
        "scene": scene,
        "size": size,
        "act": 0.3 * rng.normal(size=model.na),
        "seed": seed,
    }
    return Case(xml, h, qpos, qvel, controls, settings)
