"""Data by which a roll-out differentiates its steps by parameters: directions, tables that move along them, work arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

from dojo_py.handles import handle
from dojo_py.hard.parameters.flat import NO_DIRECTIONS, Directions
from dojo_py.hard.parameters.moves import moved_handle
from dojo_py.hard.parameters.workspace import allocate_adjoint
from dojo_py.hard.world import World


class Parametric(NamedTuple):
    """One set a thread."""

    adjoint: Any  # Adjoint
    moved: Any  # Moved


def parametric_handle(world: World, model: Any, along: Directions, room: int) -> Any:
    """The struct of a Parametric of its own; room: for features of pairs."""
    adjoint = allocate_adjoint(world.layout, world.planes, world.pairs, room, int(model.na))
    return handle(Parametric(handle(adjoint), moved_handle(world, model, along)))


_nothing: list[Any] = []


def no_parameters(world: World, model: Any) -> Any:
    """The struct of a Parametric without data, of a world without rows: one for all roll-outs, none of which reads it."""
    if not _nothing:
        tables: tuple[Any, ...] = tuple(world)
        empty = World(*(table._replace(**{name: array[:0] for name, array in table._asdict().items()}) for table in tables))
        _nothing.append(parametric_handle(empty, model, NO_DIRECTIONS, 0))
    return _nothing[0]
