"""Ant: a ball on four legs walks. Gymnasium's Ant-v5, and the paper's variant of it (Dojo, section V-C; its scripts' figures).

v5: velocity + 1 - 0.5 u² - 5e-4 Σ clip(contact wrench, ±1)²; paper: 2 velocity + 0.05 - 0.05 u² - 5e-4 Σ clip(γ, ±1)², γ the normal
impulses of the candidate contacts [N s], which its observation holds in place of the wrenches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dojo_py.environments.kinematics import contact_wrenches, poses_of
from dojo_py.environments.tangents import coordinate_jacobian, forward_gradient
from dojo_py.environments.task import Task
from dojo_py.simulate.results import Contacts, State
from dojo_py.simulate.values import text_of

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Ant(Task):
    """Observation: qpos without x and y (13), qvel (14), contact wrenches (9 x 6 here) or normal impulses; action (8,)."""

    PAPER: ClassVar[dict[str, Any]] = {
        "reset_noise_scale": 0.0,
        "forward_reward_weight": 2.0,
        "ctrl_cost_weight": 0.05,
        "healthy_reward": 0.05,
        "contact_form": "impulses",
    }
    kernels: ClassVar[str] = "ant_kernels"
    model_name: ClassVar[str] = "ant"
    wants_contacts: ClassVar[bool] = True
    view: ClassVar[tuple[float, float, float]] = (60.0, -25.0, 5.0)
    follow: ClassVar[tuple[int, int]] = (0, 1)
    look_height: ClassVar[float] = 0.4

    reset_noise_scale: float = 0.1
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.5
    contact_cost_weight: float = 5e-4
    healthy_reward: float = 1.0
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (0.2, 1.0)
    """Torso height [m]."""
    contact_form: str = "wrenches"
    """"wrenches" of the bodies (v5) or normal "impulses" of the candidate contacts (paper)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        text_of("contact_form", self.contact_form, ("wrenches", "impulses"))

    @property
    def impulse_places(self) -> Array:
        """(ngeom,) where a geom's normal impulse stands in the observation, -1: nowhere; (0,) where wrenches are observed."""
        if self.contact_form != "impulses":
            return np.zeros(0)
        touching = self.sim.model.geom_contype != 0
        return np.where(touching, np.cumsum(touching) - 1.0, -1.0)

    def forces(self, state: State, contacts: Contacts | None) -> Array:
        """(n,) contact wrenches of the moving bodies or normal impulses, clipped to ±1."""
        model = self.sim.model
        if self.contact_form == "impulses":
            touching = np.flatnonzero(model.geom_contype)
            found = np.zeros(model.ngeom)
            if contacts is not None:
                np.add.at(found, contacts.geoms[:, 0], contacts.impulse[:, 0])
            return np.clip(found[touching], -1.0, 1.0)
        if contacts is None:
            return np.zeros(6 * (model.nbody - 1))
        centre = poses_of(model, state)[1]
        assert self.timestep is not None
        return np.clip(contact_wrenches(model, contacts, centre, self.timestep)[1:].ravel(), -1.0, 1.0)

    def observe(self, state: State, contacts: Contacts | None) -> Array:
        """(27 + contacts,)"""
        return np.concatenate([state.qpos[2:], state.qvel, self.forces(state, contacts)])

    def healthy(self, state: State) -> bool:
        """Torso height within its range."""
        return bool(self.healthy_z_range[0] <= state.qpos[2] <= self.healthy_z_range[1])

    def reward(self, before: State, action: Array, after: State, contacts: Contacts | None) -> tuple[float, dict[str, float]]:
        """Forward speed + healthy - control cost - contact cost."""
        moved = (after.qpos[:2] - before.qpos[:2]) / self.dt
        force = self.forces(after, contacts)
        forward = self.forward_reward_weight * float(moved[0])
        survive = self.healthy_reward * self.healthy(after)
        ctrl, touch = -self.ctrl_cost_weight * float(action @ action), -self.contact_cost_weight * float(force @ force)
        parts = {"x_position": float(after.qpos[0]), "y_position": float(after.qpos[1])}
        parts |= {"x_velocity": float(moved[0]), "y_velocity": float(moved[1]), "reward_forward": forward}
        parts |= {"reward_ctrl": ctrl, "reward_contact": touch, "reward_survive": float(survive)}
        return forward + survive + ctrl + touch, parts

    def observation_jacobian(self, state: State) -> Array:
        """(27 + contacts, 28)"""
        rows = coordinate_jacobian(self.sim.model, state.qpos)[2:]
        return np.vstack([rows, np.zeros((self.observation_size - len(rows), rows.shape[1]))])

    def reward_gradient(self, before: State, action: Array, after: State) -> tuple[Array, Array, Array]:
        """By the state before, the action, the state after."""
        by_before, by_after = forward_gradient(self.sim.model, self.forward_reward_weight / self.dt)
        return by_before, -2.0 * self.ctrl_cost_weight * action, by_after

    def terminated(self, state: State) -> bool:
        """It fell or took off."""
        return self.terminate_when_unhealthy and not self.healthy(state)
