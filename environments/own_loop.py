"""OwnLoop: what an environment steps a task with that has a `move` of its own (simulate/own_steps.py), in place of a ClosedLoop."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.environments.advance import Moved
from dojo_py.environments.task import Task
from dojo_py.policy.asking import earned, observed
from dojo_py.policy.closed_loop import ClosedLoop
from dojo_py.simulate.own_steps import has_own
from dojo_py.simulate.results import State
from dojo_py.simulate.status import LOST

Array = np.ndarray


class OwnLoop:
    """One world, moved by `task.move`; the methods are ClosedLoop's."""

    def __init__(self, task: Task):
        self.task = task
        self._state: State | None = None
        self._outcome: tuple[Array, float, bool, dict[str, Any]] | None = None

    def start(self, state: State) -> None:
        """The next action begins in this state."""
        self._state = state

    def act(self, action: Array) -> None:
        """One action (na,) from where the last one ended, or from `start`."""
        self.take(action, self.task.move([self.state()], action[None])[0])

    def take(self, action: Array, moved: Moved) -> None:
        """What `task.move` made of an action."""
        task, before, after = self.task, self.state(), moved.state
        reward, parts = earned(task, before, action, after, moved.contacts)
        over = moved.status in LOST or bool(task.terminated(after))
        self._outcome = observed(task, after, moved.contacts), reward, over, {**parts, "status": int(moved.status)}
        self._state = after

    def outcome(self) -> tuple[Array, float, bool, dict[str, Any]]:
        """Of the last action: observation (no,), reward, whether it is over, the reward's parts and the worst status."""
        assert self._outcome is not None
        return self._outcome

    def state(self) -> State:
        """Where the last action ended, or the next one begins."""
        assert self._state is not None
        return self._state


Loop = ClosedLoop | OwnLoop


def loop_of(task: Task) -> Loop:
    """What steps one world of a task."""
    return OwnLoop(task) if has_own(task, "move") else ClosedLoop(task)
