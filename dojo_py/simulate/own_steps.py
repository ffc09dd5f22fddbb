"""Whose steps an action is: those of the task's simulator, or what a `move` of the task's own makes of it.

Compiled loops run the simulator's steps, controls held for `frame_skip` of them, and its reverse mode. That is what `Task.move` and
`Task.differentiate` do, which say so by `by_simulator`. A task with a `move` of its own (wind, a filter of the actions, another
engine) is asked by it, one action after another, and has to say the derivatives of that itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def by_simulator(method: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a task's `move`, `differentiate` or `control_jacobian` as what every task has by default."""
    method.by_simulator = True  # type: ignore[attr-defined]
    return method


def has_own(task: Any, name: str) -> bool:
    """Whether a task has a `move`, a `differentiate`, … that is not the default one; a task without one has not."""
    method = getattr(task, name, None)
    return method is not None and not getattr(method, "by_simulator", False)


def check_own_derivative(task: Any) -> None:
    """ValueError for a task that moves by itself and would be differentiated as if its simulator moved it."""
    if has_own(task, "move") and not has_own(task, "differentiate"):
        raise ValueError(f"{type(task).__name__} has a `move` of its own and needs a `differentiate` of its own")
