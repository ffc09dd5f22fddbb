"""All numbers of a World in one vector, so that a parameter is a sparse direction in it and compiled code can move along it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.world import World

Array = np.ndarray


class Directions(NamedTuple):
    """p sparse directions in the vector: entries start[k] … start[k+1] of places and values move with datum k."""

    start: Array  # (p + 1,)
    places: Array  # (m,) in the vector
    values: Array  # (m,) change of that place by one scale of the datum
    timestep: Array  # (p,) change of the time step by one scale [s]
    scale: Array  # (p,) size of each datum, in its unit


def flatten(world: World) -> Array:
    """(n,) the floating-point entries of all tables, in the order of the fields."""
    parts = [array.ravel() for table in world for array in table if array.dtype.kind == "f"]
    return np.concatenate(parts) if parts else np.zeros(0)


def on_vector(world: World, data: Array) -> World:
    """The World whose floating-point tables are views of data (n,); integer tables are shared with `world`."""
    position = 0
    tables: list[Any] = []
    for table in world:
        fields = {}
        for name, array in table._asdict().items():
            if array.dtype.kind == "f":
                fields[name] = data[position : position + array.size].reshape(array.shape)
                position += array.size
        tables.append(table._replace(**fields))
    return World(*tables)


def copy_of(world: World) -> World:
    """A World with fresh floating-point tables."""
    return on_vector(world, flatten(world).copy())
