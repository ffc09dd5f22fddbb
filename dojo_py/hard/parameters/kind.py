"""Definition of a kind of parameter: labels, values, and how they are written into the tables of a World."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.hard.parameters.flat import NUMBERS
from dojo_py.hard.world import World

Array = np.ndarray


@dataclass(frozen=True)
class Kind:
    """One named kind of parameter; a model has n of them with `width` numbers each (0: a single number each)."""

    name: str
    unit: str
    width: int
    labels: Callable[[World, Any], list[str]]
    """(world, model) -> n names of what each belongs to; pairs of geoms are written 'a/b', numbered points 'a.0'."""
    read: Callable[[World, Any], Array]
    """(world, model) -> (n,) or (n, width)"""
    write: Callable[[World, Any, Array], None]
    """(world, model, values): change the world's tables in place and consistently."""
    check: Callable[[Array], str | None] = lambda values: None
    """What is wrong with values (n, …), or None."""
    scale: Callable[[World, Any], Array] | None = None
    """(world, model) -> sizes (n,) of the values, for differences; None: 1."""
    step: float = 1e-4
    """Step of central differences, in units of the scale: most kinds act linearly, so that round-off outweighs curvature."""
    longest: float = np.inf
    """Upper bound of that step, in the parameter's unit."""
    curved: bool = False
    """Whether `write` is not linear in the values."""
    route: int = NUMBERS
    """How the step's derivative by it is found, see flat.py."""
    targets: Callable[[World, Any], list[int]] = lambda world, model: []
    """(world, model) -> n bodies or joints of the layout, when the route asks for them."""
    together: Callable[[World, Any], str | None] = lambda world, model: None
    """(world, model) -> what is wrong with the world's values once all have been written, or None."""


def positive(values: Array) -> str | None:
    """Every value must be above 0."""
    return None if np.all(values > 0) else "must be positive"


def not_negative(values: Array) -> str | None:
    """No value may be below 0."""
    return None if np.all(values >= 0) else "must not be negative"


def not_zero(values: Array) -> str | None:
    """No vector may be 0."""
    return None if np.all(np.linalg.norm(values, axis=-1) > 0) else "must not be zero"


def moving_bodies(model: Any) -> list[int]:
    """Model bodies that carry a joint, in the order of the layout's bodies."""
    return [b for b in range(1, model.nbody) if model.body_jntnum[b] > 0]


def body_labels(world: World, model: Any) -> list[str]:
    """Names of the moving bodies."""
    return [model.body_names[b] or f"#{b}" for b in moving_bodies(model)]


def body_size(world: World, model: Any) -> Array:
    """(nb,) radius of gyration of the moving bodies [m]."""
    layout = world.layout
    return np.sqrt(np.trace(layout.inertia, axis1=1, axis2=2) / layout.mass)
