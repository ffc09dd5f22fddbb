"""Arguments that both simulators take: checked before any kernel runs, copied so that nothing of the caller's changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dojo_py.simulate.results import State

Array = np.ndarray


def vector(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A fresh float array of that shape with finite entries, or ValueError."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from error
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} has entries that are not finite")
    return array


def timestep_of(model: Any, timestep: float | None) -> float:
    """The given time step, else the model's [s]."""
    timestep = float(model.opt.timestep if timestep is None else timestep)
    if not (np.isfinite(timestep) and timestep > 0):
        raise ValueError(f"timestep={timestep!r} must be positive [s]")
    return timestep


def control_of(model: Any, control: Any) -> Array:
    """(nu,) the given control, else zero."""
    return np.zeros(model.nu) if control is None else vector("control", control, (model.nu,))


def start_of(model: Any, qpos: Any, qvel: Any, act: Any, keyframe: str | int | None) -> State:
    """What is given, else the keyframe's, else the model's initial pose at rest; unchecked. model: ours or mujoco.MjModel."""
    start = [model.qpos0, np.zeros(model.nv), np.zeros(model.na), 0.0]
    if isinstance(keyframe, str):
        keyframe = int(model.key_id(keyframe)) if hasattr(model, "key_id") else int(model.key(keyframe).id)
    if keyframe is not None:
        k = range(model.nkey)[keyframe]
        start = [model.key_qpos[k], model.key_qvel[k], model.key_act[k], float(model.key_time[k])]
    given = [default if value is None else value for value, default in zip((qpos, qvel, act), start, strict=False)]
    return State(given[0], given[1], given[2], start[3])


def batch_of(model: Any, states: Sequence[State] | State, controls: Any, threads: int | None) -> tuple[list[State], Array, int]:
    """B unchecked states, controls (B, T, nu), and how many threads to use for them."""
    u = np.array(controls, dtype=float)
    if u.ndim != 3:
        raise ValueError(f"controls has shape {u.shape}, expected (B, T, {model.nu})")
    u = vector("controls", u, (*u.shape[:2], model.nu))
    starts = [states] * len(u) if isinstance(states, State) else list(states)
    if len(starts) != len(u):
        raise ValueError(f"{len(starts)} states for {len(u)} rollouts")
    if threads is not None and threads < 1:
        raise ValueError(f"threads={threads!r} must be at least 1")
    return starts, u, min(threads or os.cpu_count() or 1, max(1, len(u)))


def spread(run: Callable[[int], Any], items: int, threads: int) -> list[Any]:
    """[run(0), …, run(items - 1)], so many at a time; the kernels release the interpreter lock."""
    if threads == 1:
        return [run(i) for i in range(items)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(items)))
