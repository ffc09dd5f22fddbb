"""DojoEnv: a task as a `gymnasium.Env`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.environments import import_gymnasium
from dojo_py.environments.own_loop import Loop, loop_of
from dojo_py.environments.spaces import (
    RENDER_MODES,
    SMOOTH,
    action_of,
    check_extras,
    check_render_mode,
    gradients,
    reset_options,
    resolve,
    spaces,
    without,
)
from dojo_py.environments.task import Task
from dojo_py.policy.asking import observed
from dojo_py.simulate.arguments import state_of
from dojo_py.simulate.results import State

gymnasium = import_gymnasium()
Env: Any = gymnasium.Env


class DojoEnv(Env):
    """One world. Its dynamics draw no random numbers: the seed decides the start, and the actions the rest, bit for bit.

    task: name (see `dojo_py.environments.TASKS`) or a Task; settings and further keywords as in `make_task`. The attribute may be
    replaced, by a task with another model, say: it counts from the next reset.
    gradients: every step's `info` carries A (n, n) and B (n, size of an action), n = 2nv + na, at kappa [N m s].
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 20}

    def __init__(
        self,
        task: str | Task,
        render_mode: str | None = None,
        gradients: bool = False,
        kappa: float = SMOOTH,
        width: int = 480,
        height: int = 360,
        settings: str = "v5",
        **keywords: Any,
    ):
        check_render_mode(render_mode)
        self.task = resolve(task, settings, keywords)
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "render_fps": max(1, round(1 / self.task.dt))}
        self.observation_space, self.action_space = spaces(self.task)
        self._gradients, self._kappa, self._size = check_extras(self.task, gradients, kappa, width, height)
        self._loop: Loop | None = None
        self._state: State | None = None

    @property
    def state(self) -> State | None:
        """Of the simulation; may be replaced between steps. None before the first reset."""
        if self._state is None and self._loop is not None:
            self._state = self._loop.state()
        return self._state

    @state.setter
    def state(self, state: State | None) -> None:
        if state is not None:
            if self._loop is None or self._loop.task is not self.task:
                self._loop = loop_of(self.task)
            self._loop.start(state)
        self._state = state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """A fresh start; options may hold "state", a State to start from instead of a random one. ValueError for other options."""
        wanted = reset_options(options, ("state",))
        super().reset(seed=seed)
        drawn = self.task.initial_state(self.np_random)
        self.state = state_of(wanted.get("state", drawn), "options['state']")
        return observed(self.task, self.state, None), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One action. `info`: the parts of the reward, `status` of the simulation, A and B on request."""
        if self._loop is None:
            raise RuntimeError("call reset before step")
        u = action_of("action", action, self.action_space.shape)
        info = gradients(self._loop.task, state_of(self.state), u, self._kappa) if self._gradients else {}
        self._loop.act(u)
        self._state = None
        seen, reward, over, parts = self._loop.outcome()
        info |= without(info, parts)
        return seen, reward, over, False, info

    def render(self) -> np.ndarray | None:
        """(height, width, 3) picture, uint8; None without a render mode."""
        if self.render_mode is None or self._loop is None or self.state is None:
            return None
        from dojo_py.environments.render import render_task

        return render_task(self._loop.task, self.state, *self._size)
