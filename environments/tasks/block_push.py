"""BlockPush: push a cube over the ground, against friction, to a goal beside it. Own task on the paper's box (Table III)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from dojo_py.environments.kinematics import matrix
from dojo_py.environments.task import Task
from dojo_py.simulate.results import Contacts, State

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class BlockPush(Task):
    """Observation (15,): to the goal at the origin (2), height, two columns of the rotation (6), qvel (6).

    Action (2,): horizontal force on the centre of mass over max_force. The goal is the origin; the cube starts around it at random.
    """

    kernels: ClassVar[str] = "block_push_kernels"
    model_name: ClassVar[str] = "box"
    interval: ClassVar[float] = 0.05
    soft_skip: ClassVar[int] = 10
    horizon: ClassVar[int] = 100
    view: ClassVar[tuple[float, float, float]] = (60.0, -30.0, 5.0)
    look_height: ClassVar[float] = 0.2

    reset_noise_scale: float = 0.0
    start_distance: tuple[float, float] = (0.5, 1.0)
    """Of the cube from the goal [m]."""
    reach: float = 0.05
    """The goal is reached within this distance [m]; the reward is then 1 more."""
    ctrl_cost_weight: float = 0.01
    max_force: float = 15.0
    """Of an action of 1 [N]; friction holds against 4.9 N."""

    @cached_property
    def action_bounds(self) -> tuple[Array, Array]:
        """±1 along x and y."""
        return -np.ones(2), np.ones(2)

    def control(self, action: Array) -> Array:
        """(3,) force [N], none upwards."""
        return np.append(self.max_force * np.clip(action, *self.action_bounds), 0.0)

    def control_jacobian(self, action: Array) -> Array:
        """(3, 2)"""
        return np.eye(3)[:, :2] * (self.max_force * (np.abs(action) <= 1.0))

    def initial_state(self, rng: np.random.Generator) -> State:
        """At rest on the ground, at a random place and heading."""
        angle, distance, heading = rng.uniform(-np.pi, np.pi), rng.uniform(*self.start_distance), rng.uniform(-np.pi, np.pi)
        height = self.sim.model.key_qpos[self.sim.model.key_id("home")][2]
        turned = [np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)]
        return self.sim.initial_state(np.array([distance * np.cos(angle), distance * np.sin(angle), height, *turned]))

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(15,)"""
        return np.concatenate([-state.qpos[:2], state.qpos[2:3], matrix(state.qpos[3:7])[:, :2].ravel(), state.qvel])

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """-distance to the goal + 1 when reached - control cost."""
        distance = float(np.hypot(*after.qpos[:2]))
        ctrl = -self.ctrl_cost_weight * float(action @ action)
        reached = float(distance < self.reach)
        return -distance + reached + ctrl, {"distance": distance, "reached": reached, "reward_ctrl": ctrl}

    def terminated(self, state: State) -> bool:
        """Pushed far away."""
        return bool(np.hypot(*state.qpos[:2]) > 5.0)
