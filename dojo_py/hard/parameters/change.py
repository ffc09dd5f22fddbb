"""A simulator with other parameter values: the same model and compiled kernels, tables of its own."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from typing import Any

from dojo_py.hard.parameters.registry import changed_world
from dojo_py.hard.parameters.shared import shared_number


def with_parameters(sim: Any, values: dict[str, Any]) -> Any:
    """A HardSimulator like `sim` with the given values, see registry.py for the names.

    Of two names for one number the last one's value would count: they are refused.
    """
    sim = sim._root
    if isinstance(values, Mapping) and all(isinstance(name, str) for name in values):
        twice = shared_number(sim, list(values)) if len(values) > 1 else None
        if twice is not None:
            raise ValueError(f"values: {twice[0]} belongs to two names, {twice[1]!r} and {twice[2]!r}, and has one value")
    world, timestep = changed_world(sim.world, sim._acting, sim.timestep, values)
    new = copy.copy(sim)
    new.world, new.timestep = world, timestep
    new._engine = sim._engine.with_world(world, timestep, new._model_of_sensors)
    new._jacobians, new._root, new._placed = {}, new, {}
    new._values, new._frames, new._sensed = [*sim._values, values], None, None
    new._lock = threading.Lock()
    return new
