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

    Of two names of a kind for one number the last one's value would count: they are refused. (`size` and `contact_radius` of a
    sphere, two kinds, take effect in the order given.)
    """
    sim = sim._root
    if isinstance(values, Mapping) and all(isinstance(name, str) for name in values):
        _check_names(sim, list(values))
    world, timestep = changed_world(sim.world, sim._acting, sim.timestep, values)
    new = copy.copy(sim)
    new.world, new.timestep = world, timestep
    new._engine = sim._engine.with_world(world, timestep, new._model_of_sensors)
    new._jacobians, new._root, new._placed = {}, new, {}
    new._values, new._frames, new._sensed = [*sim._values, values], None, None
    new._lock = threading.Lock()
    return new


def _check_names(sim: Any, names: list[str]) -> None:
    """ValueError where two names of a kind stand for the same number."""
    for kind in {name.partition(":")[0] for name in names}:
        own = [name for name in names if name.partition(":")[0] == kind]
        twice = shared_number(sim, own) if len(own) > 1 else None
        if twice is not None:
            raise ValueError(f"values: {twice[0]} belongs to two names, {twice[1]!r} and {twice[2]!r}, and has one value")
