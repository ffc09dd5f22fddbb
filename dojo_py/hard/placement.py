"""Simulators for states whose mocap bodies or equality constraints are not the model's: the same kernels on other tables."""

from __future__ import annotations

import copy
import threading
from typing import Any

from dojo_py.hard.flags import placed_model
from dojo_py.hard.world import build_world

MOST_PLACED = 8
"""How many such simulators a simulator keeps."""


def placed_simulator(root: Any, placed: Any, key: bytes) -> Any:
    """A simulator like `root` where the mocap bodies and the equalities are as `placed` (simulate/arguments.py) says."""
    from dojo_py.hard.parameters.registry import changed_world

    new = copy.copy(root)
    new._acting = placed_model(root._acting, placed)
    new.world = build_world(new._acting, root.friction, "skip", root._first_timestep)
    for values in root._values:
        new.world, _ = changed_world(new.world, new._acting, root.timestep, _there(root, new, values))
    new._engine = root._engine.with_world(new.world, new.timestep, new._model_of_sensors, new._acting)
    new._jacobians, new._scale, new._placement, new._lock = {}, None, key, threading.Lock()
    new._placed_as, new._sensed = placed, None
    return new


def _there(root: Any, new: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Parameter values that root was made with, without those that the new simulator lacks: of equalities that are switched off."""
    from dojo_py.hard.parameters.registry import KINDS, split, values_that_are_there

    out: dict[str, Any] = {}
    for name, value in values.items():
        word, _ = split(name)
        labels = KINDS[word].labels(new.world, new._acting) if word in KINDS else []
        if word not in KINDS or labels == KINDS[word].labels(root.world, root._acting):
            out[name] = value
        else:
            out |= values_that_are_there(root.parameter(name), labels, value)
    return out
