"""Walker2d: a planar biped walks forward. Observation, reward and end of Gymnasium's Walker2d-v5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dojo_py.environments.tasks.hopper import Hopper


@dataclass(frozen=True, kw_only=True)
class Walker2d(Hopper):
    """Observation (17,): qpos without x, qvel clipped to ±10; action (6,): share of the motors' torque."""

    model_name: ClassVar[str] = "walker"

    healthy_state_range: tuple[float, float] = (-np.inf, np.inf)
    healthy_z_range: tuple[float, float] = (0.8, 2.0)
    healthy_angle_range: tuple[float, float] = (-1.0, 1.0)
