"""Family "hills": derivatives of the hard step where a shape touches a height field, against Ridders' differences (gradients.py).

One solid of any kind, meshes too, over a field of 3 to 7 points a side: over any place of it, or over a point, an edge or the
middle of a triangle. It is free, or hangs on joints, and is a drawn gap from the field.
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
from dojo_py.reproduce.gauntlet.field_gaps import fields_from, prisms, proven_field_gap
from dojo_py.reproduce.gauntlet.gradients_random import AXES, any_quaternion, matrix, some
from dojo_py.reproduce.gauntlet.gradients_scenes import GAPS, HEADER, KAPPAS, STEPS, holder, velocity
from dojo_py.reproduce.gauntlet.gradients_trees import Draw
from dojo_py.reproduce.gauntlet.scene_hills import KINDS as TERRAINS
from dojo_py.reproduce.gauntlet.scene_hills import elevation
from dojo_py.reproduce.gauntlet.solids import KINDS, TOUCHES_ALL, Solid, solid, text

Array = np.ndarray

TITLE = "hard mode: derivatives where a shape touches a height field, against Ridders' differences of the step"
PROPERTIES = {name: text for name, text in gradients.PROPERTIES.items() if name not in ("B", "kink", "refused")}
ALLOWED = gradients.ALLOWED
FIXED: tuple[int, ...] = (*range(12), 20, 36, 47, 81, 84, 117, 1182, 1278, 1288, 3016)
PLACES = ("any", "point", "edge", "triangle")


def generate(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([78, seed])
    kappa, size = float(rng.choice(KAPPAS)), 0.3 * rng.uniform(0.5, 1.5)
    h = float(rng.choice([0.001, 0.01, 0.01, 0.02])) * math.sqrt(size / 0.3)
    mu = float(rng.choice([0.0, 0.3, 0.7, 1.0], p=[0.1, 0.3, 0.3, 0.3]))
    shape, exact = solid(rng, str(rng.choice(KINDS)), 0.5 * size, 0.4), some(rng, 0.3)
    nrow, ncol = (int(k) for k in rng.integers(3, 8, 2))
    cell = size * rng.uniform(0.3, 2.0)
    field = np.round([0.5 * cell * (ncol - 1), 0.5 * cell * (nrow - 1), cell * rng.uniform(0.05, 0.7), 0.5 * size], 4)
    heights = elevation(rng, str(rng.choice(TERRAINS)), nrow, ncol, exact)
    turn = any_quaternion(rng, exact)
    corners = prisms(np.flipud(heights), field)  # in MJCF rows go down from the largest y
    at = _over(corners, shape, turn, _place(rng, corners), size * float(rng.choice(GAPS)))
    flag = f'friction="{text(mu)}" {TOUCHES_ALL}'
    grid = f'nrow="{nrow}" ncol="{ncol}" size="{text(field)}" elevation="{text(heights)}"'
    assets = f'<asset>{shape.asset("ma")}<hfield name="h" {grid}/></asset>'
    body = f'<body name="a" pos="{text(at)}" quat="{text(turn)}">{holder(rng, "a", size, Draw(size, 1.0), 0.7)}'
    body += shape.geom("ma", f'mass="{text(10 ** rng.uniform(-1, 1))}" {flag}') + "</body>"
    gravity = -9.81 * AXES[2] * float(rng.choice([0.0, 1.0], p=[0.25, 0.75]))
    ground = f'<geom type="hfield" hfield="h" {flag}/>'
    xml = f"{HEADER.format(text(gravity))}{assets}<worldbody>{ground}{body}</worldbody></mujoco>"
    model = load_model(xml)
    settings = {
        "kappa": kappa * size * math.sqrt(10.0 * size) / (0.3 * math.sqrt(3.0)),
        "kappa in units of the model": kappa,
        "friction": str(rng.choice(["cone", "pyramid"], p=[0.85, 0.15])),
        "scene": f"{shape.kind} on hills",
        "size": size,
        "act": np.zeros(0),
        "seed": seed,
    }
    return Case(xml, h, np.array(model.qpos0), velocity(rng, model, AXES[2], size, mu, h), np.zeros((STEPS, 0)), settings)


def _place(rng: Any, corners: Array) -> Array:
    """(2,) where on the field the solid's centre is."""
    cap = corners[int(rng.integers(len(corners))), :3, :2]
    shares = {
        "point": np.array([1.0, 0.0, 0.0]),
        "edge": np.array([0.5, 0.5, 0.0]),
        "triangle": np.full(3, 1.0 / 3.0),
        "any": rng.dirichlet(np.ones(3)),
    }[str(rng.choice(PLACES))]
    return np.asarray(rng.permutation(shares) @ cap)


def _over(corners: Array, shape: Solid, turn: Array, place: Array, gap: float) -> Array:
    """(3,) centre of the solid over a place (2,) of the field, at this gap [m] from it, found by bisection."""
    R = matrix(turn)
    fields = fields_from({0: corners}, {1: (shape.kind, shape.corners if shape.kind == "mesh" else shape.size)})

    def reach(n: Array) -> Array:
        return np.array([v @ R @ shape.support(R.T @ v) for v in n])

    low, high = -2.0 * shape.reach, float(corners[:, :, 2].max()) + 2.0 * shape.reach
    for _ in range(60):
        z = 0.5 * (low + high)
        if proven_field_gap(fields, 0, 1, (np.array([*place, z]), turn), reach) < gap:
            low = z
        else:
            high = z
    return np.array([*place, high])


def check(case: Case) -> dict[str, Outcome]:
    """As for gradients."""
    return gradients.check(case)


def shrink(case: Case) -> Iterator[Case]:
    """As for gradients."""
    yield from gradients.shrink(case)


def describe(case: Case) -> str:
    """Python that checks the case again."""
    return as_python(case, "hills")
