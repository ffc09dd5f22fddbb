"""DojoVectorEnv: many worlds of one task as a `gymnasium.vector.VectorEnv`, each action of a world one kernel call."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dojo_py.environments import import_gymnasium
from dojo_py.environments.own_loop import Loop, OwnLoop, loop_of
from dojo_py.environments.spaces import (
    RENDER_MODES,
    SMOOTH,
    action_of,
    check_extras,
    check_render_mode,
    gradients,
    resolve,
    spaces,
)
from dojo_py.environments.task import Task
from dojo_py.policy.closed_loop import ClosedLoop
from dojo_py.simulate.results import State
from dojo_py.simulate.values import count

gymnasium = import_gymnasium()


class DojoVectorEnv(gymnasium.vector.VectorEnv):
    """num_envs worlds; world i with seed s + i lives the same episode as a DojoEnv with that seed, bit for bit.

    A world that is over starts anew at the next step, whose action it ignores (autoreset mode NEXT_STEP). threads: at most so many
    at a time, all cores by default. The other arguments are DojoEnv's.
    """

    metadata = {"render_modes": RENDER_MODES, "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        task: str | Task,
        num_envs: int = 1,
        render_mode: str | None = None,
        gradients: bool = False,
        kappa: float = SMOOTH,
        width: int = 480,
        height: int = 360,
        max_episode_steps: int | None = None,
        threads: int | None = None,
        settings: str = "v5",
        **keywords: Any,
    ):
        check_render_mode(render_mode)
        num_envs = count("num_envs", num_envs, most=2**20)
        if threads is not None:
            threads = count("threads", threads)
        if max_episode_steps is not None:
            max_episode_steps = count("max_episode_steps", max_episode_steps)
        self.task = resolve(task, settings, keywords)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.horizon = self.task.horizon if max_episode_steps is None else max_episode_steps
        self.single_observation_space, self.single_action_space = spaces(self.task)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        self._gradients, self._kappa, self._size = check_extras(gradients, kappa, width, height)
        self._threads = min(os.cpu_count() or 1 if threads is None else threads, num_envs)
        self._pool: ThreadPoolExecutor | None = None
        self._generators = [np.random.default_rng() for _ in range(num_envs)]
        self._loops: list[Loop] = []
        self._elapsed = np.zeros(num_envs, dtype=int)
        self._over = np.zeros(num_envs, dtype=bool)

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy, or for another process: everything but the threads, which start at the next step."""
        return {**vars(self), "_pool": None}

    @property
    def states(self) -> list[State]:
        """Of the worlds; empty before the first reset."""
        return [loop.state() for loop in self._loops]

    def _start(self, i: int) -> np.ndarray:
        """A fresh start of world i, and what it sees."""
        state = self.task.initial_state(self._generators[i])
        self._loops[i].start(state)
        self._elapsed[i] = 0
        return self.task.observe(state, None)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Fresh starts of all worlds. seed: of world 0, counted up; or one each."""
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} worlds")
        for i, s in enumerate(seeds):
            if s is not None:
                self._generators[i], _ = gymnasium.utils.seeding.np_random(s)
        if not self._loops:
            self._loops = [loop_of(self.task) for _ in range(self.num_envs)]
        self._over[:] = False
        return np.array([self._start(i) for i in range(self.num_envs)]), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action each, (num_envs, na). Infos as Gymnasium's vector environments give them: name -> (num_envs, ...)."""
        if not self._loops:
            raise RuntimeError("call reset before step")
        u = action_of("actions", actions, self.action_space.shape)
        n = self.num_envs
        live = np.flatnonzero(~self._over)
        infos: dict[str, Any] = {}
        if self._gradients:
            for i in live:
                infos = self._add_info(infos, gradients(self.task, self._loops[i].state(), u[i], self._kappa), i)
        self._move(live, u)
        observations = np.zeros(self.observation_space.shape)
        rewards, terminated, truncated = np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        parts: list[dict[str, Any]] = []
        for i in live:
            observations[i], rewards[i], terminated[i], found = self._loops[i].outcome()
            parts.append(found)
        infos = self._with_parts(infos, live, parts)
        self._elapsed[live] += 1
        truncated[live] = self._elapsed[live] >= self.horizon
        for i in np.flatnonzero(self._over):
            observations[i] = self._start(i)
        self._over = terminated | truncated
        return observations, rewards, terminated, truncated, infos

    def _with_parts(self, infos: dict[str, Any], live: np.ndarray, parts: list[dict[str, Any]]) -> dict[str, Any]:
        """The infos with those of the worlds that moved, as `gymnasium.vector.SyncVectorEnv` gives them."""
        if not (parts and isinstance(self._loops[0], ClosedLoop) and self._loops[0].compiled):
            for i, found in zip(live, parts, strict=True):
                infos = self._add_info(infos, found, i)
            return infos
        moved = np.zeros(self.num_envs, bool)  # kernels give every world the same numbers: by columns
        moved[live] = True
        for name, value in parts[0].items():
            column = np.zeros(self.num_envs, type(value))
            column[live] = [found[name] for found in parts]
            infos[name], infos[f"_{name}"] = column, moved.copy()
        return infos

    def _move(self, live: np.ndarray, actions: np.ndarray) -> None:
        """One action of these worlds, on all threads; the kernels release the interpreter lock."""
        own = [loop for i in live if isinstance(loop := self._loops[i], OwnLoop)]
        if own:
            moved = self.task.move([loop.state() for loop in own], actions[live], self._threads)
            for loop, action, found in zip(own, actions[live], moved, strict=True):
                loop.take(action, found)
            return

        def move(first: int) -> None:
            for i in live[first :: self._threads]:
                self._loops[i].act(actions[i])

        if self._threads == 1:
            move(0)
            return
        self._pool = self._pool or ThreadPoolExecutor(self._threads)
        list(self._pool.map(move, range(self._threads)))

    def close_extras(self, **_: Any) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture a world; None without a render mode."""
        if self.render_mode is None or not self._loops:
            return None
        from dojo_py.environments.render import render_task

        return tuple(render_task(self.task, s, *self._size) for s in self.states)
