"""Family "touching": derivatives of the hard step where any two shapes touch, against Ridders' differences (see gradients.py).

Two solids of every kind, meshes too, whose nearest points are a drawn gap apart: in any pose, by a face on a point, by two faces
that lie on each other, or with all axes along the world's. One or both are free, or hang on joints; a plane may lie below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dojo_py import load_model
from dojo_py.reproduce.gauntlet import gradients
from dojo_py.reproduce.gauntlet.describe import as_python
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.gradients_random import AXES, any_quaternion, beside, matrix, quaternion_to, some, unit
from dojo_py.reproduce.gauntlet.gradients_scenes import GAPS, HEADER, KAPPAS, STEPS, holder, plane, velocity
from dojo_py.reproduce.gauntlet.gradients_trees import Draw
from dojo_py.reproduce.gauntlet.solids import KINDS, TOUCHES_ALL, Solid, faces, solid, text

Array = np.ndarray

TITLE = "hard mode: derivatives where any two shapes touch, against Ridders' differences of the step"
JUMP = "columns beside a jump of the step to another solution: right on theirs (nothing else is asked of them)"
PROPERTIES = {name: text for name, text in gradients.PROPERTIES.items() if name not in ("B", "kink")} | {"jump": JUMP}
ALLOWED = gradients.ALLOWED
FIXED: tuple[int, ...] = (
    *range(12), 18, 45, 225, 5004, 6015, 900012, 900051, 900075, 950019, 960027, 310117, 801006, 821010, 821025, 830004, 840007,
    840071, 850063, 850084, 850111, 910091, 910109, 920064, 930035, 930057, 930082,
    940052, 6000082, 6000099, 8930001,
)  # fmt: skip
POSES = ("any", "face on point", "face on face", "aligned")


def generate(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([77, seed])
    kappa = float(rng.choice(KAPPAS))
    size = float(rng.choice([0.3, 3.0], p=[0.9, 0.1])) * rng.uniform(0.5, 1.5)
    mass = {True: 1.0, False: 1e3}[size < 1.0]
    h = float(rng.choice([0.001, 0.01, 0.01, 0.02])) * math.sqrt(size / 0.3)
    mu = float(rng.choice([0.0, 0.3, 0.7, 1.0], p=[0.1, 0.3, 0.3, 0.3]))
    draw = Draw(size, mass)
    first, second = (solid(rng, str(rng.choice(KINDS)), 0.5 * size, 0.4) for _ in range(2))
    pose = str(rng.choice(POSES))
    centre, turns, normal = _place(rng, pose, first, second, size * float(rng.choice(GAPS)))
    flag = f'friction="{text(mu)}" {TOUCHES_ALL}'
    assets = first.asset("ma") + second.asset("mb")
    masses = mass * 10 ** rng.uniform(-1, 1, 2)
    fixed = some(rng, 0.2)
    world = f'<body name="a" pos="{text(centre)}" quat="{text(turns[0])}">{holder(rng, "a", size, draw, 0.7)}'
    world += first.geom("ma", f'mass="{text(masses[0])}" {flag}') + "</body>"
    if fixed:
        world += second.geom("mb", f'quat="{text(turns[1])}" {flag}')
    else:
        world += f'<body name="b" quat="{text(turns[1])}">{holder(rng, "b", size, draw, 0.7)}'
        world += second.geom("mb", f'mass="{text(masses[1])}" {flag}') + "</body>"
    below = ""
    if not fixed and some(rng, 0.3):
        down = -normal
        depth = float(second.support(matrix(turns[1]).T @ down) @ (matrix(turns[1]).T @ down))
        point = (depth + size * float(rng.choice([0.0, 1e-5, 1e-3]))) * down
        below = plane(normal, point, mu).replace('contype="1" conaffinity="0"', TOUCHES_ALL)
    gravity = -9.81 * (AXES[2] if some(rng, 0.3) else normal) * float(rng.choice([0.0, 1.0], p=[0.25, 0.75]))
    xml = f"{HEADER.format(text(gravity))}<asset>{assets}</asset><worldbody>{below}{world}</worldbody></mujoco>"
    model = load_model(xml)
    settings = {
        "kappa": kappa * mass * size * math.sqrt(10.0 * size) / (0.3 * math.sqrt(3.0)),
        "kappa in units of the model": kappa,
        "friction": str(rng.choice(["cone", "pyramid"], p=[0.85, 0.15])),
        "scene": f"{first.kind} {second.kind} {pose}",
        "size": size,
        "act": np.zeros(0),
        "seed": seed,
    }
    return Case(xml, h, np.array(model.qpos0), velocity(rng, model, normal, size, mu, h), np.zeros((STEPS, 0)), settings)


def _place(rng: Any, pose: str, a: Solid, b: Solid, gap: float) -> tuple[Array, tuple[Array, Array], Array]:
    """Centre of a (3,) where b's is the origin, both quaternions, the normal from b to a, along which they are `gap` apart."""
    exact = pose == "aligned"
    turn_a, turn_b = any_quaternion(rng, exact), any_quaternion(rng, exact)
    n = matrix(turn_b) @ unit(rng, exact)
    on_b = None
    if pose.startswith("face") and faces(b):
        own, corners = faces(b)[int(rng.integers(len(faces(b))))]
        n, on_b = matrix(turn_b) @ own, rng.dirichlet(np.ones(len(corners))) @ corners
    if pose == "face on face" and faces(a):
        facing, _ = faces(a)[int(rng.integers(len(faces(a))))]
        turn_a = _turned(facing, -n, rng.uniform(0, 2 * np.pi))
    Ra, Rb = matrix(turn_a), matrix(turn_b)
    touch_b = Rb @ (b.support(Rb.T @ n) if on_b is None else on_b)
    return touch_b + gap * n - Ra @ a.support(-Ra.T @ n), (turn_a, turn_b), n


def _turned(own: Array, to: Array, angle: float) -> Array:
    """(4,) a rotation that takes the unit vector own to `to`, and then turns by an angle about it."""
    frames = [np.column_stack([*beside(v), v]) for v in (own, to)]
    c, s = np.cos(angle), np.sin(angle)
    R = frames[1] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ frames[0].T
    axis = R @ AXES[2]
    q = quaternion_to(axis)  # takes z to where R does; what is left turns about z
    left = matrix(q).T @ R
    half = 0.5 * math.atan2(left[1, 0], left[0, 0])
    w, x, y, _ = q
    c, s = math.cos(half), math.sin(half)
    return np.array([w * c, x * c + y * s, y * c - x * s, w * s])


def check(case: Case) -> dict[str, Outcome]:
    """As for gradients."""
    return gradients.check(case)


def shrink(case: Case) -> Iterator[Case]:
    """As for gradients."""
    yield from gradients.shrink(case)


def describe(case: Case) -> str:
    """Python that checks the case again."""
    return as_python(case, "touching")
