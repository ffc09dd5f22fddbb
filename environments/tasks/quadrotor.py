"""Quadrotor: fly to a point and hover there. Own task on the Skydio-X2-like model."""

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
class Quadrotor(Task):
    """Observation (18,): to the goal (3), rotation (9), qvel (6).

    Action (4,): thrust of each rotor about hovering, thrust = hover (1 + action), so 0 carries the weight.
    """

    kernels: ClassVar[str] = "quadrotor_kernels"
    model_name: ClassVar[str] = "quadrotor"
    interval: ClassVar[float] = 0.02
    soft_skip: ClassVar[int] = 4
    horizon: ClassVar[int] = 250
    keyframe: ClassVar[str] = "hover"
    view: ClassVar[tuple[float, float, float]] = (60.0, -20.0, 3.5)
    look_height: ClassVar[float] = 1.0

    reset_noise_scale: float = 0.1
    goal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """[m]"""
    arena: float = 3.0
    """The episode ends farther from the goal [m]."""
    ctrl_cost_weight: float = 0.02

    @cached_property
    def hover(self) -> Array:
        """(4,) thrust that carries the weight [N]."""
        model = self.sim.model
        return np.array(model.key_ctrl[model.key_id("hover")])

    def control(self, action: Array) -> Array:
        """(4,) thrusts [N]"""
        return self.hover * (1.0 + np.clip(action, *self.action_bounds))

    def control_jacobian(self, action: Array) -> Array:
        """(4, 4)"""
        return np.diag(self.hover * (np.abs(action) <= 1.0))

    @cached_property
    def action_scale(self) -> Array:
        """(4,) [N]"""
        return self.hover

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(18,)"""
        return np.concatenate([np.array(self.goal) - state.qpos[:3], matrix(state.qpos[3:7]).ravel(), state.qvel])

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """1 - distance - 0.1 spin² - control cost, 1 at best."""
        distance = float(np.linalg.norm(np.array(self.goal) - after.qpos[:3]))
        spin, ctrl = -0.1 * float(after.qvel[3:] @ after.qvel[3:]), -self.ctrl_cost_weight * float(action @ action)
        return 1.0 - distance + spin + ctrl, {"distance": distance, "reward_spin": spin, "reward_ctrl": ctrl}

    def terminated(self, state: State) -> bool:
        """Out of the arena."""
        return bool(np.linalg.norm(np.array(self.goal) - state.qpos[:3]) > self.arena)
