"""DojoVectorEnv: many worlds of one task as a `gymnasium.vector.VectorEnv`, moved together by `rollout_batch`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.environments import import_gymnasium
from dojo_py.environments.advance import LOST
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
        self._threads = threads
        self._generators = [np.random.default_rng() for _ in range(num_envs)]
        self.states: list[State] = []
        self._elapsed = np.zeros(num_envs, dtype=int)
        self._over = np.zeros(num_envs, dtype=bool)

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
        self.states = [self.task.initial_state(g) for g in self._generators]
        self._elapsed[:], self._over[:] = 0, False
        return np.array([self.task.observe(s, None) for s in self.states]), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action each, (num_envs, na). Infos as Gymnasium's vector environments give them: name -> (num_envs, ...)."""
        if not self.states:
            raise RuntimeError("call reset before step")
        u = action_of("actions", actions, self.action_space.shape)
        n = self.num_envs
        observations = np.zeros(self.observation_space.shape)
        rewards, terminated, truncated = np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        infos: dict[str, Any] = {}
        live = np.flatnonzero(~self._over)
        moved = dict(zip(live, self.task.move([self.states[i] for i in live], u[live], self._threads), strict=True))
        for i in range(n):
            if i not in moved:
                self.states[i] = self.task.initial_state(self._generators[i])
                observations[i], self._elapsed[i] = self.task.observe(self.states[i], None), 0
                continue
            before, after = self.states[i], moved[i]
            info = gradients(self.task, before, u[i], self._kappa) if self._gradients else {}
            rewards[i], parts = self.task.reward(before, u[i], after.state, after.contacts)
            observations[i] = self.task.observe(after.state, after.contacts)
            terminated[i] = self.task.terminated(after.state) or after.status in LOST
            self.states[i] = after.state
            self._elapsed[i] += 1
            truncated[i] = self._elapsed[i] >= self.horizon
            infos = self._add_info(infos, {**info, **parts, "status": int(after.status)}, i)
        self._over = terminated | truncated
        return observations, rewards, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture a world; None without a render mode."""
        if self.render_mode is None or not self.states:
            return None
        from dojo_py.environments.render import render_task

        return tuple(render_task(self.task, s, *self._size) for s in self.states)
