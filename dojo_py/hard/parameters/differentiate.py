"""Parameter Jacobians of a simulator: directions and work arrays, made once for each choice of names and kept."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from dojo_py.announce import ANNOUNCEMENT
from dojo_py.handles import handle
from dojo_py.hard.parameters.moves import moved_handle
from dojo_py.hard.parameters.registry import directions, parameter
from dojo_py.hard.parameters.workspace import allocate_adjoint
from dojo_py.hard.world import World
from dojo_py.simulate.arguments import Outside

Array = np.ndarray


class ParameterJacobian:
    """Derivatives of single steps by the parameters of some names. May be shared between threads."""

    def __init__(self, world: World, model: Any, timestep: float, names: tuple[str, ...]):
        self.parameters = [parameter(world, model, timestep, name) for name in names]
        self._world, self._model, self._timestep = world, model, timestep
        self._size = 2 * int(model.nv) + int(model.na)
        self._directions = directions(world, model, timestep, names)
        sizes = np.cumsum([0, *(p.size for p in self.parameters)])
        self._parts = [(p.name, slice(a, b)) for p, a, b in zip(self.parameters, sizes[:-1], sizes[1:], strict=True)]
        self._free: list[Any] = []
        self._room = int(world.pairs.room[0])
        self._lock = threading.Lock()

    def _take(self, room: int) -> Any:
        """An Adjoint and Moved tables that nobody else uses, with room for so many features of pairs."""
        with self._lock:
            if room != self._room:
                self._room = room
                self._free.clear()
            if self._free:
                return self._free.pop()
        world = self._world
        adjoint = allocate_adjoint(world.layout, world.planes, world.pairs, room, int(self._model.na))
        return handle(adjoint), moved_handle(world, self._model, self._directions)

    def record(self, steps: int) -> dict[str, Array]:
        """Name -> (steps, 2 nv + na, p) zeros."""
        return {name: np.zeros((steps, self._size, part.stop - part.start)) for name, part in self._parts}

    def columns(self, workspace: Any, step: Any, control: Array, outside: Outside) -> dict[str, Array]:
        """Name -> (2 nv + na, p) of the step (a Record of it alone) that was just differentiated in this workspace."""
        from dojo_py.hard.parameters.columns import parameter_columns

        out = np.empty((len(self._directions.scale), self._size))
        mine = self._take(workspace.room)
        layout, planes, pairs, actuators, _, work, _, tangent = workspace.handles
        with ANNOUNCEMENT.around(compiling=False, subject="derivatives by parameters"):
            parameter_columns(
                layout, planes, pairs, actuators, work, tangent, *mine, step.qpos[0], step.qvel[0], step.act[0], control, outside,
                self._timestep, workspace.work.options.springs, out,
            )  # fmt: skip
        with self._lock:
            if workspace.room == self._room:
                self._free.append(mine)
        return {name: out[part].T for name, part in self._parts}
