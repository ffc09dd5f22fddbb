"""Parameter Jacobians of a simulator: directions and work arrays, made once for each choice of names and kept."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from dojo_py.hard.drives import allocate_drive
from dojo_py.hard.gradients.workspace import allocate_tangent, tangent_handle
from dojo_py.hard.handles import drive_handle, world_handles
from dojo_py.hard.parameters.flat import flatten, on_vector
from dojo_py.hard.parameters.registry import directions, parameter
from dojo_py.hard.world import World

Array = np.ndarray


class _Hands(NamedTuple):
    """What one thread works with."""

    data: Array  # (n,) the moved tables' numbers
    handles: tuple[Any, ...]  # of the five moved tables, the drive, the tangent
    dmu: Array  # (nc,)
    dbound: Array  # (nv,)


class ParameterJacobian:
    """Derivatives of single steps by the parameters of some names. May be shared between threads."""

    def __init__(self, world: World, model: Any, timestep: float, names: tuple[str, ...]):
        self.parameters = [parameter(world, model, timestep, name) for name in names]
        self._world, self._model = world, model
        self._base = flatten(world)
        self._directions = directions(world, model, timestep, names)
        self._free: list[_Hands] = []
        self._lock = threading.Lock()

    def _take(self) -> _Hands:
        with self._lock:
            if self._free:
                return self._free.pop()
        world, model = self._world, self._model
        data = self._base.copy()
        moved = on_vector(world, data)
        drive = allocate_drive(moved.actuators, moved.layout, model.na)
        tangent = allocate_tangent(model, world.layout, world.planes, world.pairs, 0, len(self._directions.scale))
        handles = (*world_handles(moved), drive_handle(drive), tangent_handle(tangent))
        candidates = len(world.planes.body) + len(world.pairs.kind)
        return _Hands(data, handles, np.zeros(max(candidates, 1)), np.zeros(model.nv))

    def columns(
        self, hands: Any, start: Any, control: Array, wrenches: Array, timestep: float, scheme: int, reference: Array
    ) -> dict[str, Array]:
        """Name -> (2 nv, p) of the step that was just differentiated with these hands. reference (nq,): the next coordinates."""
        from dojo_py.hard.parameters.columns import parameter_columns

        D = self._directions
        out = np.zeros((len(D.scale), 2 * self._model.nv))
        mine = self._take()
        layout, work, tangent = hands.handles[0], hands.handles[5], hands.handles[7]
        parameter_columns(
            layout, work, tangent, *mine.handles, mine.data, self._base, tuple(D[:4]), mine.dmu, mine.dbound,
            start.qpos, start.qvel, start.act, control, wrenches, timestep, scheme, reference, out,
        )  # fmt: skip
        with self._lock:
            self._free.append(mine)
        out /= D.scale[:, None]
        sizes = np.cumsum([0, *(p.size for p in self.parameters)])
        return {p.name: out[a:b].T for p, a, b in zip(self.parameters, sizes[:-1], sizes[1:], strict=True)}
