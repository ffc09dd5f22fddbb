"""Quadruped: the A1-like robot trots forward at a wanted speed. Own task; rewards in the form of Ant-v5.

The action moves the joints' torque about a spring-like hold of the standing pose, as the robot's own motor controllers do:
torque = scale * action + stiffness (q_home - q) - damping q', held over the interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dojo_py.environments.kinematics import matrix
from dojo_py.environments.task import Task
from dojo_py.simulate.results import Contacts, State

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Quadruped(Task):
    """Observation (34,): height, gravity direction in the trunk (3), joints (12), qvel (18); action (12,)."""

    kernels: ClassVar[str] = "quadruped_kernels"
    model_name: ClassVar[str] = "quadruped"
    interval: ClassVar[float] = 0.02
    soft_skip: ClassVar[int] = 10
    horizon: ClassVar[int] = 500
    view: ClassVar[tuple[float, float, float]] = (60.0, -15.0, 1.6)
    follow: ClassVar[tuple[int, int]] = (0, 1)
    look_height: ClassVar[float] = 0.2

    reset_noise_scale: float = 0.02
    target_speed: float = 0.5
    """[m/s], not 0: the reward is told by the speed's ratio to it."""
    torque_scale: float = 10.0
    """Torque of action 1 [N m]."""
    hold_stiffness: float = 60.0
    """Of the hold of the standing pose [N m/rad]."""
    ctrl_cost_weight: float = 0.02
    healthy_reward: float = 0.5
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (0.12, 0.6)
    """Trunk height [m]."""
    upright: float = 0.6
    """Least cosine of the trunk's tilt."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target_speed == 0.0:
            raise ValueError("target_speed=0.0 must not be 0 [m/s]")

    def prepare(self, model: Any) -> Any:
        """Joint springs hold the standing pose."""
        rest = np.array(model.qpos_spring)
        home = model.key_qpos[model.key_id("home")]
        stiffness = np.array(model.jnt_stiffness)
        hinges = np.flatnonzero(model.jnt_type == 3)
        stiffness[hinges] = self.hold_stiffness
        rest[model.jnt_qposadr[hinges]] = home[model.jnt_qposadr[hinges]]
        return model.replace(jnt_stiffness=stiffness, qpos_spring=rest)

    @cached_property
    def action_scale(self) -> Array:
        """(12,) [N m]"""
        return np.full(self.sim.model.nu, self.torque_scale)

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(34,)"""
        down = -matrix(state.qpos[3:7])[2]
        return np.concatenate([state.qpos[2:3], down, state.qpos[7:], state.qvel])

    def healthy(self, state: State) -> bool:
        """Height and tilt of the trunk within their ranges."""
        low, high = self.healthy_z_range
        return bool(low < state.qpos[2] < high and matrix(state.qpos[3:7])[2, 2] > self.upright)

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """exp(-4 (v_x - target)²/target²) + healthy - control cost - sideways speed²."""
        moved = (after.qpos[:2] - before.qpos[:2]) / self.dt
        forward = float(np.exp(-4.0 * ((moved[0] - self.target_speed) / self.target_speed) ** 2))
        ctrl, drift = -self.ctrl_cost_weight * float(action @ action), -float(moved[1] ** 2)
        survive = self.healthy_reward * self.healthy(after)
        parts = {"x_position": float(after.qpos[0]), "x_velocity": float(moved[0]), "reward_forward": forward}
        parts |= {"reward_ctrl": ctrl, "reward_drift": drift, "reward_survive": float(survive)}
        return forward + survive + ctrl + drift, parts

    def terminated(self, state: State) -> bool:
        """It fell."""
        return self.terminate_when_unhealthy and not self.healthy(state)
