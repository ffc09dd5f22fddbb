"""Gymnasium's spaces of a task, and what both kinds of environment share."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from dojo_py.environments import import_gymnasium, make_task
from dojo_py.environments.task import Task
from dojo_py.simulate.own_steps import check_own_derivative
from dojo_py.simulate.results import State
from dojo_py.simulate.values import count, real_number, shown, text_of, truth_of, vector

RENDER_MODES = ["rgb_array"]
SMOOTH = 3e-4
"""Central-path parameter of the gradients in `info`, the paper's choice [N m s]."""


def resolve(task: str | Task, settings: str, keywords: dict[str, Any]) -> Task:
    """The task itself, or a new one by name."""
    if not isinstance(task, Task):
        return make_task(text_of("task", task), settings, **keywords)
    if keywords:
        raise ValueError(f"a ready task takes no further settings: {sorted(keywords)}")
    return task


def spaces(task: Task) -> tuple[Any, Any]:
    """Observation space (float64, unbounded) and action space (float32, bounds rounded inwards)."""
    Box = import_gymnasium().spaces.Box
    (least, most), (low, high) = task.action_bounds, (np.asarray(bound, np.float32) for bound in task.action_bounds)
    low = np.where(low < least, np.nextafter(low, np.float32(np.inf)), low)
    high = np.where(high > most, np.nextafter(high, np.float32(-np.inf)), high)
    return Box(-np.inf, np.inf, (task.observation_size,), np.float64), Box(low, high, dtype=np.float32)


def check_render_mode(mode: str | None) -> None:
    """ValueError for a mode there is no renderer for."""
    if mode is not None and (not isinstance(mode, str) or mode not in RENDER_MODES):
        raise ValueError(f"render_mode={mode!r} is not one of {[None, *RENDER_MODES]}")


def check_extras(task: Task, gradients: bool, kappa: float, width: int, height: int) -> tuple[bool, float, tuple[int, int]]:
    """What both environments take besides: derivatives in `info` and at which kappa, size of the pictures."""
    sides = count("width", width, most=2**14), count("height", height, most=2**14)
    if truth_of("gradients", gradients):
        check_own_derivative(task)
    return bool(gradients), real_number("kappa", kappa, least=1e-12, unit="N m s"), sides


def action_of(name: str, action: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A fresh action of that shape, or ValueError."""
    if isinstance(action, np.ndarray) and action.dtype.kind == "f" and action.shape == shape:
        fresh = action.astype(float)
        if isfinite(float(np.vdot(fresh, fresh))):  # (all of `vector`'s checks, in a quarter of its time)
            return fresh
    return vector(name, action, shape)


def reset_options(options: Any, known: tuple[str, ...]) -> Mapping[str, Any]:
    """What `reset` was given besides a seed, {} for None; TypeError, or ValueError for an option that does not exist."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options={shown(options)}, expected a dict, or None")
    unknown = [name for name in options if name not in known]
    if unknown:
        raise ValueError(f"options: {', '.join(map(repr, unknown))} is not one of {list(known)}")
    return options


def gradients(task: Task, state: State, action: np.ndarray, kappa: float) -> dict[str, Any]:
    """`A` (n, n) and `B` (n, size of an action), n = 2nv + na: of [dq, dv, dact] after the action, by that before and by it.

    `differentiated`: whether there are such derivatives; where a substep or its derivative overflows both are 0.
    """
    try:
        A, B, _ = task.differentiate(state, action, kappa)
    except FloatingPointError:
        n = 2 * task.sim.model.nv + task.sim.model.na
        return {"A": np.zeros((n, n)), "B": np.zeros((n, task.action_size)), "differentiated": False}
    return {"A": A, "B": B, "differentiated": True}


def without(names: Mapping[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """The parts of a reward whose names are not taken by derivatives in `info`."""
    return {name: value for name, value in parts.items() if name not in names} if names else parts
