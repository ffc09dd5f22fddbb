"""Pendulum: swing a rod up and hold it with a motor too weak to lift it at once. After Gymnasium's Pendulum-v1.

Rod 1 m, 1 kg as there; gravity 9.81 m/s² (there 10); the joint's angle is 0 when the rod hangs, the task's 0 when it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from dojo_py.environments.task import Task
from dojo_py.simulate.results import Contacts, State

Array = np.ndarray


def from_upright(angle: float) -> float:
    """Angle from the standing pose in [-π, π) [rad]."""
    return float(angle % (2 * np.pi) - np.pi)


@dataclass(frozen=True, kw_only=True)
class Pendulum(Task):
    """Observation (3,): cos, sin of the angle from upright, its rate [rad/s]; action: torque in ±max_torque [N m]."""

    kernels: ClassVar[str] = "pendulum_kernels"
    model_name: ClassVar[str] = "pendulum"
    soft_skip: ClassVar[int] = 5
    horizon: ClassVar[int] = 200
    view: ClassVar[tuple[float, float, float]] = (90.0, 0.0, 4.0)
    look_height: ClassVar[float] = 1.5

    max_torque: float = 2.0
    """[N m]"""

    @cached_property
    def action_bounds(self) -> tuple[Array, Array]:
        """± max_torque."""
        return np.array([-self.max_torque]), np.array([self.max_torque])

    @cached_property
    def action_scale(self) -> Array:
        """The action is the torque."""
        return np.ones(1)

    def initial_state(self, rng: np.random.Generator) -> State:
        """Any angle, a rate in ±1 rad/s."""
        return self.sim.initial_state(rng.uniform(-np.pi, np.pi, 1) + np.pi, rng.uniform(-1.0, 1.0, 1))

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(3,)"""
        angle = state.qpos[0] - np.pi
        return np.array([np.cos(angle), np.sin(angle), state.qvel[0]])

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """-(angle² + 0.1 rate² + 0.001 torque²), before the step."""
        torque = np.clip(action, *self.action_bounds)
        cost = from_upright(before.qpos[0]) ** 2 + 0.1 * before.qvel[0] ** 2 + 0.001 * torque @ torque
        return -float(cost), {"angle": from_upright(after.qpos[0])}
