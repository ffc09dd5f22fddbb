"""Humanoid: a human figure walks. Observation, reward and end of Gymnasium's Humanoid-v5, on the shipped 13-body model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dojo_py.environments.kinematics import (
    BodyMotion,
    composite_inertia,
    contact_wrenches,
    poses_of,
    twists_at,
)
from dojo_py.environments.task import Task
from dojo_py.simulate.results import Contacts, State

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Humanoid(Task):
    """Observation: qpos without x and y, qvel, inertias (10 a body), twists (6), contact wrenches (6); action (21,).

    v5 also shows the motors' torques, the last action times the gear; they are left out here, as the agent chose them.
    """

    kernels: ClassVar[str] = "humanoid_kernels"
    model_name: ClassVar[str] = "humanoid"
    interval: ClassVar[float] = 0.015
    wants_contacts: ClassVar[bool] = True
    view: ClassVar[tuple[float, float, float]] = (60.0, -12.0, 4.0)
    follow: ClassVar[tuple[int, int]] = (0, 1)
    look_height: ClassVar[float] = 1.0

    reset_noise_scale: float = 1e-2
    forward_reward_weight: float = 1.25
    ctrl_cost_weight: float = 0.1
    contact_cost_weight: float = 5e-7
    contact_cost_range: tuple[float, float] = (-np.inf, 10.0)
    healthy_reward: float = 5.0
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (1.0, 2.0)
    """Torso height [m]."""

    def wrenches(self, poses: BodyMotion, centre: Array, contacts: Contacts | None) -> Array:
        """(6 (nbody - 1),) contact wrenches of the moving bodies."""
        assert self.timestep is not None
        return contact_wrenches(self.sim.model, contacts, centre, self.timestep)[1:].ravel()

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(26 + 27 + 22 a body,)"""
        model = self.sim.model
        poses, centre = poses_of(model, state)
        inertia, twist = composite_inertia(model, poses, centre)[1:], twists_at(poses, centre)[1:]
        force = self.wrenches(poses, centre, contacts)
        return np.concatenate([state.qpos[2:], state.qvel, inertia.ravel(), twist.ravel(), force])

    def healthy(self, state: State) -> bool:
        """Torso height within its range."""
        return bool(self.healthy_z_range[0] < state.qpos[2] < self.healthy_z_range[1])

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """Forward speed of the centre of mass + healthy - control cost - contact cost."""
        model = self.sim.model
        poses, centre = poses_of(model, after)
        speed = (centre - poses_of(model, before)[1])[:2] / self.dt
        force = self.wrenches(poses, centre, contacts)
        forward, ctrl = self.forward_reward_weight * float(speed[0]), -self.ctrl_cost_weight * float(action @ action)
        touch = -float(np.clip(self.contact_cost_weight * force @ force, *self.contact_cost_range))
        survive = self.healthy_reward * self.healthy(after)
        parts = {"x_position": float(after.qpos[0]), "y_position": float(after.qpos[1])}
        parts |= {"x_velocity": float(speed[0]), "y_velocity": float(speed[1]), "reward_forward": forward}
        parts |= {"reward_ctrl": ctrl, "reward_contact": touch, "reward_survive": float(survive)}
        return forward + survive + ctrl + touch, parts

    def observation_jacobian(self, state: State) -> Array:
        """(observations, 2nv)"""
        from dojo_py.policy.derivatives import differenced_observation

        return differenced_observation(self, state, None)

    def reward_gradient(self, before: State, action: Array, after: State) -> tuple[Array, Array, Array]:
        """By the state before, the action, the state after."""
        from dojo_py.policy.derivatives import differenced_reward

        return differenced_reward(self, before, action, after, None)

    def terminated(self, state: State) -> bool:
        """It fell."""
        return self.terminate_when_unhealthy and not self.healthy(state)
