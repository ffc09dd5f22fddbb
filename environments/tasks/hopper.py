"""Hopper: a planar leg hops forward. Observation, reward and end of Gymnasium's Hopper-v5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dojo_py.environments.task import Task, planar_noise
from dojo_py.simulate.results import Contacts, State

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Hopper(Task):
    """Observation (11,): qpos without x, qvel clipped to ±10; action (3,): share of the motors' torque."""

    kernels: ClassVar[str] = "hopper_kernels"
    model_name: ClassVar[str] = "hopper"
    interval: ClassVar[float] = 0.008
    soft_skip: ClassVar[int] = 4
    follow: ClassVar[tuple[int, int]] = (0, -1)
    look_height: ClassVar[float] = 0.8

    reset_noise_scale: float = 5e-3
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 1e-3
    healthy_reward: float = 1.0
    terminate_when_unhealthy: bool = True
    healthy_state_range: tuple[float, float] = (-100.0, 100.0)
    healthy_z_range: tuple[float, float] = (0.7, np.inf)
    """Torso height [m]."""
    healthy_angle_range: tuple[float, float] = (-0.2, 0.2)
    """Torso pitch [rad]."""

    def initial_state(self, rng: np.random.Generator) -> State:
        """Standing, uniform noise on coordinates and rates."""
        return planar_noise(self, rng)

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(nq - 1 + nv,)"""
        return np.concatenate([state.qpos[1:], np.clip(state.qvel, -10.0, 10.0)])

    def healthy(self, state: State) -> bool:
        """Height, pitch and the rest within their ranges."""
        rest = np.concatenate([state.qpos[2:], state.qvel])
        low, high = self.healthy_state_range
        z, angle = state.qpos[1], state.qpos[2]
        return bool(
            np.all((rest > low) & (rest < high))
            and self.healthy_z_range[0] < z < self.healthy_z_range[1]
            and self.healthy_angle_range[0] < angle < self.healthy_angle_range[1]
        )

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """Forward speed + 1 while healthy - control cost."""
        speed = float(after.qpos[0] - before.qpos[0]) / self.dt
        survive = self.healthy_reward * self.healthy(after)
        ctrl = -self.ctrl_cost_weight * float(action @ action)
        forward = self.forward_reward_weight * speed
        parts = {"x_position": float(after.qpos[0]), "x_velocity": speed, "reward_forward": forward}
        return forward + survive + ctrl, {**parts, "reward_ctrl": ctrl, "reward_survive": float(survive)}

    def terminated(self, state: State) -> bool:
        """It fell."""
        return self.terminate_when_unhealthy and not self.healthy(state)
