"""Parameter Jacobians of a simulator: directions and work arrays, made once for each choice of names and then reused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dojo_py.hard.parameters.parametric import parametric_handle
from dojo_py.hard.parameters.registry import directions, parameter
from dojo_py.hard.world import ThreadWorkspace, World

Array = np.ndarray


class ParameterJacobian:
    """Derivatives of steps by the parameters with the given names. May be shared between threads."""

    def __init__(self, world: World, model: Any, timestep: float, names: tuple[str, ...]):
        self._world, self._model = world, model
        self._directions = directions(world, model, timestep, names)
        sizes = np.cumsum([0, *(parameter(world, model, timestep, name).size for name in names)])
        self._parts = [(name, slice(a, b)) for name, a, b in zip(names, sizes[:-1], sizes[1:], strict=True)]
        self._free: list[Any] = []
        self._room = 0
        self._loaded = False
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """How many parameters there are, p."""
        return len(self._directions.scale)

    @contextmanager
    def handles(self, workspace: ThreadWorkspace) -> Iterator[tuple[Any, ...]]:
        """The first arguments of `roll_out` for a run in this workspace that differentiates by these parameters."""
        from dojo_py.hard.parameters.columns import load_parameters

        with self._lock:
            if workspace.room != self._room:
                self._room = workspace.room
                self._free.clear()
            mine = self._free.pop() if self._free else None
        if mine is None:
            mine = parametric_handle(self._world, self._model, self._directions, workspace.room)
        handles = *workspace.handles[:-1], mine
        if not self._loaded:
            load_parameters(*handles)
            self._loaded = True
        yield handles
        with self._lock:
            if workspace.room == self._room:
                self._free.append(mine)

    def by_name(self, columns: Array, steps: int) -> dict[str, Array]:
        """Name -> (T, n, its number of parameters), of columns (T, p, n); steps: T, of which none are kept where p is 0."""
        if not self.size:
            columns = np.zeros((steps, 0, columns.shape[2]))
        return {name: np.ascontiguousarray(columns[:, part].transpose(0, 2, 1)) for name, part in self._parts}
