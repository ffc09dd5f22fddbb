"""The gauntlet: generators of cases that nobody chose, and properties that hold for every one of them.

A family is a module with the names of `family.Family`. `dojo_py reproduce gauntlet --family NAME --seeds A:B` draws a case from
every seed and checks its properties; `--minimise` shrinks each case that breaks one.
"""

from __future__ import annotations

import importlib
from typing import Any, cast

from dojo_py.reproduce.gauntlet.family import Family

FAMILIES = {
    "scenes": "hard mode: status, gaps, joints, energy, momentum, work of generated scenes",
    "bodies": "hard mode: the same scenes, in which everything can touch everything",
    "shapes": "hard mode: heaps, stacks, walls, collisions, chains, rings and hands of every shape",
    "terrain": "hard mode: the same and carts, on height fields",
    "hills": "hard mode: derivatives where a shape touches a height field",
    "gradients": "hard mode: derivatives against Ridders' differences of the step",
    "touching": "hard mode: the same derivatives where any two shapes touch",
    "laws": "hard mode: derivatives with every law of friction, media and actuators",
    "restated": "hard mode: relaxed steps and derivatives of the same scene, said differently",
    "soft": "soft mode: arrays, one step and twenty steps beside the wheel",
    "api": "wrong types, shapes, values and indices for every public argument",
}
"""Name -> what it looks at; each is the module of that name."""


def load_family(name: str) -> Family:
    """The family's module."""
    module: Any = importlib.import_module(f"dojo_py.reproduce.gauntlet.{name}")
    return cast(Family, module)
