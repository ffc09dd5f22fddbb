"""DojoVectorEnv: many worlds of one task as a `gymnasium.vector.VectorEnv`, each action of a world one kernel call."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
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
    reset_options,
    resolve,
    spaces,
    without,
)
from dojo_py.environments.task import Task
from dojo_py.policy.asking import observed
from dojo_py.policy.closed_loop import ClosedLoop
from dojo_py.simulate.arguments import state_of
from dojo_py.simulate.results import State
from dojo_py.simulate.values import count, shown

gymnasium = import_gymnasium()
VectorEnv: Any = gymnasium.vector.VectorEnv
AutoresetMode = gymnasium.vector.AutoresetMode


def autoreset_of(mode: Any) -> Any:
    """An AutoresetMode, or ValueError. mode: one of them, or its value as a text."""
    for known in AutoresetMode:
        if mode is known or (isinstance(mode, str) and mode == known.value):
            return known
    raise ValueError(f"autoreset_mode={shown(mode)} is not one of {[known.value for known in AutoresetMode]}")


def seeds_of(seed: Any, n: int) -> list[int | None]:
    """One for each of n worlds, None where its generator goes on: from one that is counted up, or from as many."""
    if seed is None:
        return [None] * n
    if isinstance(seed, np.ndarray):
        seed = seed.tolist()
    if hasattr(seed, "__index__"):
        return [operator.index(seed) + i for i in range(n)]
    if not isinstance(seed, (list, tuple)) or not all(s is None or hasattr(s, "__index__") for s in seed):
        raise TypeError(f"seed={shown(seed)}, expected an integer, a list of {n} of them or None, or None")
    if len(seed) != n:
        raise ValueError(f"{len(seed)} seeds for {n} worlds")
    return [None if s is None else operator.index(s) for s in seed]


def mask_of(mask: Any, n: int) -> np.ndarray:
    """(n,) which worlds are reset, as `gymnasium.vector.SyncVectorEnv` takes them, or TypeError, ValueError."""
    name = "options['reset_mask']"
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"{name}={shown(mask)}, expected an array of bool, shape ({n},)")
    if mask.shape != (n,):
        raise ValueError(f"{name} has shape {mask.shape}, expected ({n},)")
    if not mask.any():
        raise ValueError(f"{name} is False everywhere: no world to reset")
    return mask.copy()


class DojoVectorEnv(VectorEnv):
    """num_envs worlds; world i with seed s + i lives the same episode as a DojoEnv with that seed, bit for bit.

    A world is over where the task ends or after max_episode_steps actions, the task's horizon by default. autoreset_mode, one of
    `gymnasium.vector.AutoresetMode` or its value: "NextStep" (default), it starts anew at the next step, whose action it ignores;
    "SameStep", at once, and infos hold what it last saw as `final_obs` and its infos as `final_info`; "Disabled", by
    `reset(options={"reset_mask": terminated | truncated})`. threads: at most so many at a time, all cores by default. The other
    arguments are DojoEnv's.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 20, "autoreset_mode": AutoresetMode.NEXT_STEP}

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
        autoreset_mode: Any = AutoresetMode.NEXT_STEP,
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
        self.autoreset_mode = autoreset_of(autoreset_mode)
        fps = max(1, round(1 / self.task.dt))
        self.metadata = {**type(self).metadata, "render_fps": fps, "autoreset_mode": self.autoreset_mode}
        self.horizon = self.task.horizon if max_episode_steps is None else max_episode_steps
        self.single_observation_space, self.single_action_space = spaces(self.task)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        self._gradients, self._kappa, self._size = check_extras(self.task, gradients, kappa, width, height)
        self._threads = min(os.cpu_count() or 1 if threads is None else threads, num_envs)
        self._pool: ThreadPoolExecutor | None = None
        self._generators = [gymnasium.utils.seeding.np_random() for _ in range(num_envs)]
        self._loops: list[Loop] = []
        self._seen = np.zeros(self.observation_space.shape)
        self._elapsed = np.zeros(num_envs, dtype=int)
        self._over = np.zeros(num_envs, dtype=bool)

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy, or for another process: everything but the threads, which start at the next step."""
        return {**vars(self), "_pool": None}

    @property
    def states(self) -> list[State]:
        """Of the worlds; empty before the first reset."""
        return [loop.state() for loop in self._loops]

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """The worlds' generators of random numbers, num_envs of them."""
        return tuple(generator for generator, _ in self._generators)

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """What the worlds' generators were last seeded with."""
        return tuple(seed for _, seed in self._generators)

    def _start(self, i: int, given: State | None = None) -> None:
        """A fresh start of world i, or one in a given state; random numbers are drawn either way, as DojoEnv does."""
        task = self._loops[i].task  # (`self.task` may have been replaced since)
        drawn = task.initial_state(self._generators[i][0])
        state = drawn if given is None else given
        self._loops[i].start(state)
        self._elapsed[i] = 0
        self._over[i] = False
        self._seen[i] = observed(task, state, None)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Fresh starts. Returns observations (num_envs, no) and no infos.

        seed: of world 0, counted up; or num_envs of them, None where a world's random numbers go on.
        options: "reset_mask", (num_envs,) of bool: the worlds to reset, all by default; the others stay where they are, and their
        last observations are returned. "state": a State in which these worlds start, in place of random ones; or a list of
        num_envs, one each. ValueError for others. The dict stays as it is.
        """
        n = self.num_envs
        seeds = seeds_of(seed, n)
        wanted = reset_options(options, ("state", "reset_mask"))
        mask = mask_of(wanted["reset_mask"], n) if "reset_mask" in wanted else np.ones(n, dtype=bool)
        if not self._loops and not mask.all():
            raise RuntimeError("reset all worlds before you reset some")
        given = self._given(wanted.get("state"))
        fresh = {i: gymnasium.utils.seeding.np_random(s) for i, s in enumerate(seeds) if s is not None and mask[i]}
        for i, generator in fresh.items():
            self._generators[i] = generator
        if not self._loops or (mask.all() and self._loops[0].task is not self.task):
            self._loops = [loop_of(self.task) for _ in range(n)]
        for i in np.flatnonzero(mask).tolist():
            self._start(i, given[i])
        return self._seen.copy(), {}

    def _given(self, states: Any) -> list[State | None]:
        """The states in which worlds start, num_envs of them; None: a random one."""
        if states is None or isinstance(states, State):
            return [states] * self.num_envs
        if not isinstance(states, Sequence):
            raise TypeError(f"options['state']={shown(states)}, expected a State, or a list of {self.num_envs}")
        if len(states) != self.num_envs:
            raise ValueError(f"options['state'] holds {len(states)} states for {self.num_envs} worlds")
        return [state_of(state, f"options['state'][{i}]") for i, state in enumerate(states)]

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action each, (num_envs, na). Infos as Gymnasium's vector environments give them: name -> (num_envs, ...)."""
        if not self._loops:
            raise RuntimeError("call reset before step")
        if self._over.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            raise RuntimeError(
                f"worlds {np.flatnonzero(self._over).tolist()} are over, and autoreset_mode is 'Disabled': "
                "call reset(options={'reset_mask': terminated | truncated}) before step"
            )
        if isinstance(actions, np.ndarray) and actions.shape == self.action_space.shape and self._over.any():
            actions = np.where(self._over[:, None], 0, actions)  # those that are ignored may be anything
        u = action_of("actions", actions, self.action_space.shape)
        n = self.num_envs
        live = np.flatnonzero(~self._over)
        infos: dict[str, Any] = {}
        rewards, terminated, truncated = np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        task = self._loops[0].task
        derivatives = [gradients(task, self._loops[i].state(), u[i], self._kappa) for i in live] if self._gradients else []
        self._move(live, u)
        parts: list[dict[str, Any]] = []
        for i in live:
            self._seen[i], rewards[i], terminated[i], found = self._loops[i].outcome()
            parts.append(without(derivatives[0], found) if derivatives else found)
        self._elapsed[live] += 1
        truncated[live] = self._elapsed[live] >= self.horizon
        ended = terminated | truncated
        for world in np.flatnonzero(self._over).tolist():
            self._start(world)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            infos = self._with_final(live, ended, derivatives, parts)
        else:
            for i, found in zip(live, derivatives, strict=False):  # (none of them without gradients)
                infos = self._add_info(infos, found, i)
            infos = self._with_parts(infos, live, parts)
            self._over = ended
        return self._seen.copy(), rewards, terminated, truncated, infos

    def _with_final(
        self, live: np.ndarray, ended: np.ndarray, derivatives: list[dict[str, Any]], parts: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """The infos where worlds that ended start anew at once: what these last saw and found stands under names of its own."""
        infos: dict[str, Any] = {}
        for k, i in enumerate(live):
            found = (derivatives[k] if derivatives else {}) | parts[k]
            if ended[i]:
                found = {"final_obs": self._seen[i].copy(), "final_info": found}
                self._start(i)
            infos = self._add_info(infos, found, i)
        return infos

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
            moved = own[0].task.move([loop.state() for loop in own], actions[live], self._threads)
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

        return tuple(render_task(loop.task, loop.state(), *self._size) for loop in self._loops)
