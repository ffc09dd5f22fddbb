"""The tasks by name, and `make_task`. One file a task."""

from __future__ import annotations

import dataclasses
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from dojo_py.simulate.values import text_of

TASKS = {
    "Pendulum": "pendulum",
    "CartPole": "cartpole",
    "Hopper": "hopper",
    "Walker2d": "walker2d",
    "HalfCheetah": "half_cheetah",
    "Ant": "ant",
    "Humanoid": "humanoid",
    "Quadruped": "quadruped",
    "BlockPush": "block_push",
    "Quadrotor": "quadrotor",
}
"""Name of a task, which is the name of its class -> module."""


def task_class(name: str) -> Any:
    """The class of a task; ValueError names the nearest when there is none."""
    if not isinstance(name, str):
        raise TypeError(f"name={name!r} is a {type(name).__name__}, expected one of {', '.join(TASKS)}")
    if name not in TASKS:
        near = get_close_matches(name, TASKS, n=1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"no task is called {name!r}{hint}; there are {', '.join(TASKS)}")
    return getattr(import_module(f"{__name__}.{TASKS[name]}"), name)


def make_task(name: str, settings: str = "v5", **keywords: Any) -> Any:
    """A task by name. settings: "v5", Gymnasium's figures, or "paper", those of the Dojo paper where it states some.

    keywords: the task's fields (mode, timestep, frame_skip, reset_noise_scale, weights of the reward ...).
    """
    kind = task_class(name)
    text_of("settings", settings, ("v5", "paper"))
    unknown = sorted(set(keywords) - {f.name for f in dataclasses.fields(kind)})
    if unknown:
        raise TypeError(f"{name} has no setting {unknown[0]!r}; it has {sorted(f.name for f in dataclasses.fields(kind))}")
    if settings == "v5":
        return kind(**keywords)
    if not hasattr(kind, "PAPER"):
        raise ValueError(f"the paper states no settings for {name}")
    return kind(**{**kind.PAPER, **keywords})
