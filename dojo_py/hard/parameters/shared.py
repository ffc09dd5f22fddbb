"""Numbers that two names of parameters stand for: of two values only the last would count, and each have the whole derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dojo_py.hard.parameters.flat import copy_of
from dojo_py.hard.parameters.registry import KINDS, STEP, TIMESTEP, chosen_rows, split
from dojo_py.hard.world import World

Array = np.ndarray

OVERLAPPING = (("friction", "friction_directions"), ("size", "contact_radius"), ("size", "contact_point"))
"""Kinds of which the first one's values, when written, change the second one's of the same geoms. Not `com` and
`contact_point`: centres of mass are written first or last as the points are wanted, and the derivatives are those of either."""


def shared_number(sim: Any, names: Sequence[str]) -> tuple[str, str, str] | None:
    """A number of a HardSimulator that belongs to two of the names, as 'kind:object', and these two; None: there is none."""
    world, model = sim.world, sim._acting
    holders: dict[str, str] = {}
    rows: dict[str, dict[int, str]] = {}
    for name in names:
        word, wanted = split(name)
        labels = ["world"] if word == TIMESTEP else KINDS[word].labels(world, model)
        chosen = [0] if word == TIMESTEP else chosen_rows(name, labels, wanted)
        for label in dict.fromkeys(labels[row] for row in chosen):
            entry = f"{word}:{label}"
            if entry in holders:
                return entry, holders[entry], name
            holders[entry] = name
        rows.setdefault(word, {}).update(dict.fromkeys(chosen, name))
    for first, second in OVERLAPPING:
        for row, name in rows.get(first, {}).items() if second in rows else ():
            for other in np.flatnonzero(_moved_rows(world, model, first, row, second)).tolist():
                if other in rows[second]:
                    return f"{second}:{KINDS[second].labels(world, model)[other]}", name, rows[second][other]
    return None


def _moved_rows(world: World, model: Any, first: str, row: int, second: str) -> Array:
    """(n,) whether each value of the second kind changes with the row of the first kind."""
    kind, other, moved = KINDS[first], KINDS[second], copy_of(world)
    values, before = kind.read(world, model), other.read(world, model)
    step = STEP * (1.0 if kind.scale is None else kind.scale(world, model)[row])
    values[row] += step
    kind.write(moved, model, values)
    changed = ~np.isclose(other.read(moved, model), before, rtol=1e-9, atol=1e-9 * step)
    return changed.reshape(len(before), -1).any(axis=1)
