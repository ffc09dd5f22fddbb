"""Numbers of the laws of coordinates, which are those of joints and the lengths of tendons: one column of the Layout for each kind
of number, one value for each joint or tendon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.parameters.kind import Kind
from dojo_py.hard.world import World

Array = np.ndarray


class Coordinates(NamedTuple):
    """The coordinates of one joint or tendon: first … last - 1."""

    name: str
    first: int
    last: int
    """One past its last."""


Owners = Callable[[World, Any], list[Coordinates]]
"""(world, model) -> the joints or tendons that have a number of the kind."""


def law_kind(name: str, field: str, unit: str, owners: Owners, check: Callable[[Array], str | None], least: float) -> Kind:
    """A parameter kept in a column of the layout, one number for all coordinates of its owner. least: smallest scale."""

    def read(world: World, model: Any) -> Array:
        return np.array([getattr(world.layout, field)[c.first] for c in owners(world, model)])

    def write(world: World, model: Any, values: Array) -> None:
        for c, value in zip(owners(world, model), values, strict=True):
            getattr(world.layout, field)[c.first : c.last] = value

    def scale(world: World, model: Any) -> Array:
        return np.maximum(np.abs(read(world, model)), least)

    return Kind(name, unit, 0, lambda w, m: [c.name for c in owners(w, m)], read, write, check, scale)


def keeps_friction(values: Array) -> str | None:
    """Dry friction stays above 0."""
    return None if np.all(values > 0) else "must be positive: what is made with dry friction keeps some"
