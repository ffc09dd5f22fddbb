"""Copies of a World's tables that can be moved along a parameter, for central differences of one object's kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.handles import handle, handles
from dojo_py.hard.elements.drives import allocate_drive
from dojo_py.hard.parameters.flat import Directions, flatten, on_vector
from dojo_py.hard.world import World
from dojo_py.jit import kernel


class Moved(NamedTuple):
    """Tables that are views of `data`, which equals `base` except while a difference is taken."""

    L: Any  # Layout
    P: Any  # PlaneCandidates
    Q: Any  # PairCandidates
    T: Any  # ActuatorTable
    M: Any  # BodyTable
    V: Any  # Drive
    data: np.ndarray  # (n,)
    base: np.ndarray  # (n,)
    start: np.ndarray  # as in Directions, from here on
    places: np.ndarray
    values: np.ndarray
    column: np.ndarray
    row: np.ndarray
    part: np.ndarray
    route: np.ndarray
    target: np.ndarray
    axis: np.ndarray
    step: np.ndarray
    scale: np.ndarray


def moved_handle(world: World, model: Any, directions: Directions) -> Any:
    """The struct of a Moved with tables of its own, copies of the world's."""
    base = flatten(world)
    data = base.copy()
    mine = on_vector(world, data)
    L, P, Q, T, M = handles(mine)
    V = handle(allocate_drive(mine.actuators, mine.layout, model.na))
    return handle(Moved(L, P, Q, T, M, V, data, base, *directions))


@kernel
def move(moved, k, side):
    """Move the tables along datum k, forward (side 0) or back (1). Returns the factor of the value there in the difference."""
    amount = moved.step[k] if side == 0 else -moved.step[k]
    move_by(moved, k, amount)
    return 0.5 / amount


@kernel
def move_by(moved, k, amount):
    """Move the tables along datum k by an amount, in its unit."""
    for m in range(moved.start[k], moved.start[k + 1]):
        i = moved.places[m]
        moved.data[i] = moved.base[i] + amount * moved.values[m]


@kernel
def move_back(moved, k):
    """Restore the tables."""
    for m in range(moved.start[k], moved.start[k + 1]):
        i = moved.places[m]
        moved.data[i] = moved.base[i]
