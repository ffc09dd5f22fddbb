"""A simulator with other parameter values: the same model and compiled kernels, tables of its own."""

from __future__ import annotations

import copy
import threading
import zlib
from typing import Any

import numpy as np

from dojo_py.hard.parameters.registry import changed_world
from dojo_py.hard.world import World


def kinematics(world: World, timestep: float) -> int:
    """A number that differs between simulators in which the same coordinates mean different poses of the centres of mass."""
    layout = world.layout
    tables = (layout.com, layout.dof_anchor, layout.dof_axis, layout.base_pos, layout.base_quat)
    text = b"".join(np.ascontiguousarray(a).tobytes() for a in tables)
    return 1 + zlib.crc32(text + np.float64(timestep).tobytes())


def with_parameters(sim: Any, values: dict[str, Any]) -> Any:
    """A HardSimulator like `sim` with the given values, see registry.py for the names."""
    sim = sim._root
    world, timestep = changed_world(sim.world, sim._acting, sim.timestep, values)
    new = copy.copy(sim)
    new.world, new.timestep = world, timestep
    number = sim._engine.kinematics
    if kinematics(world, timestep) != kinematics(sim.world, sim.timestep):
        number = kinematics(world, timestep)
    new._engine = sim._engine.with_world(world, timestep, number, new._model_of_sensors)
    new._jacobians, new._root, new._placed = {}, new, {}
    new._values, new._frames, new._sensed = [*sim._values, values], None, None
    new._lock = threading.Lock()
    return new
