"""A simulator with other parameter values: the same model and compiled kernels, tables of its own."""

from __future__ import annotations

import copy
import threading
from typing import Any

from dojo_py.hard.parameters.registry import changed_world


def with_parameters(sim: Any, values: dict[str, Any]) -> Any:
    """A HardSimulator like `sim` with the given values, see registry.py for the names."""
    sim = sim._root
    world, timestep = changed_world(sim.world, sim._acting, sim.timestep, values)
    new = copy.copy(sim)
    new.world, new.timestep = world, timestep
    new._engine = sim._engine.with_world(world, timestep, new._model_of_sensors)
    new._jacobians, new._root, new._placed = {}, new, {}
    new._values, new._frames, new._sensed = [*sim._values, values], None, None
    new._lock = threading.Lock()
    return new
