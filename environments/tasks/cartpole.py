"""CartPole: keep a pole upright on a cart. Observation, reward and end of Gymnasium's InvertedPendulum-v5.

The model is the paper's (cart and pole 1 kg each, rod 1 m); its pole hangs at angle 0, the task's angle is 0 upright.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from dojo_py.environments.task import Task, planar_noise
from dojo_py.environments.tasks.pendulum import from_upright
from dojo_py.simulate.results import Contacts, State

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class CartPole(Task):
    """Observation (4,): cart [m], pole from upright [rad], their rates; action: force in ±max_force [N]."""

    kernels: ClassVar[str] = "cartpole_kernels"
    model_name: ClassVar[str] = "cartpole"
    interval: ClassVar[float] = 0.04
    soft_skip: ClassVar[int] = 2
    keyframe: ClassVar[str] = "upright"
    view: ClassVar[tuple[float, float, float]] = (90.0, 0.0, 6.0)
    look_height: ClassVar[float] = 1.8

    reset_noise_scale: float = 0.01
    max_force: float = 10.0
    """[N]"""
    max_angle: float = 0.2
    """The episode ends beyond it [rad]."""

    @cached_property
    def action_bounds(self) -> tuple[Array, Array]:
        """± max_force."""
        return np.array([-self.max_force]), np.array([self.max_force])

    @cached_property
    def action_scale(self) -> Array:
        """The action is the force."""
        return np.ones(1)

    def initial_state(self, rng: np.random.Generator) -> State:
        """Upright at rest, uniform noise on both."""
        return planar_noise(self, rng)

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(4,)"""
        return np.array([state.qpos[0], from_upright(state.qpos[1]), state.qvel[0], state.qvel[1]])

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """1 as long as the pole stands."""
        survive = float(not self.terminated(after))
        return survive, {"reward_survive": survive}

    def terminated(self, state: State) -> bool:
        """The pole leans too far."""
        return not abs(from_upright(state.qpos[1])) <= self.max_angle
