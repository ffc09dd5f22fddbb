"""HalfCheetah: a planar two-legged runner. Observation, reward and end of Gymnasium's HalfCheetah-v5.

The paper's reward is the same, v_x - 0.1 u² (Dojo, section V-C); its runs take 80 actions and start at rest in one pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dojo_py.environments.tangents import coordinate_jacobian, forward_gradient
from dojo_py.environments.task import Task
from dojo_py.simulate.results import Contacts, State

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class HalfCheetah(Task):
    """Observation (17,): qpos without x, qvel; action (6,): share of the motors' torque."""

    PAPER: ClassVar[dict[str, Any]] = {"reset_noise_scale": 0.0}
    kernels: ClassVar[str] = "half_cheetah_kernels"
    model_name: ClassVar[str] = "half_cheetah"
    follow: ClassVar[tuple[int, int]] = (0, -1)

    reset_noise_scale: float = 0.1
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.1

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(17,)"""
        return np.concatenate([state.qpos[1:], state.qvel])

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """Forward speed - control cost."""
        speed = float(after.qpos[0] - before.qpos[0]) / self.dt
        forward, ctrl = self.forward_reward_weight * speed, -self.ctrl_cost_weight * float(action @ action)
        parts = {"x_position": float(after.qpos[0]), "x_velocity": speed}
        return forward + ctrl, {**parts, "reward_forward": forward, "reward_ctrl": ctrl}

    def observation_jacobian(self, state: State) -> Array:
        """(17, 18)"""
        return coordinate_jacobian(self.sim.model, state.qpos)[1:]

    def reward_gradient(self, before: State, action: Array, after: State) -> tuple[Array, Array, Array]:
        """By the state before, the action, the state after."""
        by_before, by_after = forward_gradient(self.sim.model, self.forward_reward_weight / self.dt)
        return by_before, -2.0 * self.ctrl_cost_weight * action, by_after
