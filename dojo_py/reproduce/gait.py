"""A trot for the shipped quadruped: where trunk and feet are at any time, and the joint angles that put them there.

In the trunk's frame a foot goes back along the ground for half a cycle and returns along half an ellipse for the other half;
diagonal legs move together. Settings of the Dojo paper's quadruped plan (its published scripts): half-length of the step 0.05 m,
height of the ellipse half of that, trunk at 0.29 m, 10 steps of 0.05 s a half cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray

LEGS = {"FR": (1, -1), "FL": (1, 1), "RR": (-1, -1), "RL": (-1, 1)}
"""Name -> signs of x and y of its hip; in the order of the model's joints."""
HIP_X, HIP_Y, ABDUCTION, LINK, FOOT_RADIUS = 0.183, 0.047, 0.08505, 0.2, 0.02
"""Geometry of models/quadruped.xml [m]."""


@dataclass(frozen=True)
class Trot:
    """The gait's figures."""

    half_step: float = 0.05
    """r: the foot goes from +r to −r below its hip [m]."""
    lift: float = 0.025
    """Height of the ellipse [m]."""
    trunk_height: float = 0.29
    """[m]"""
    half_cycle: float = 0.5
    """Time of one pair's stance [s]."""
    stance_width: float = HIP_Y + ABDUCTION
    """Distance of the feet from the middle [m]."""

    @property
    def speed(self) -> float:
        """[m/s]"""
        return 2 * self.half_step / self.half_cycle

    def feet(self, time: float) -> Array:
        """(4, 3) feet's centres from the trunk's, in the order of LEGS."""
        phase = time / self.half_cycle
        half, part = int(np.floor(phase + 1e-9)), phase - np.floor(phase + 1e-9)
        out = np.zeros((4, 3))
        for i, (sx, sy) in enumerate(LEGS.values()):
            stance = (sx == sy) == (half % 2 == 0)  # FL and RR first
            along = self.half_step * (1 - 2 * part)
            z = 0.0
            if not stance:  # −r to +r, an ellipse over equal times in the angle
                along = -self.half_step * np.cos(np.pi * part)
                z = self.lift * np.sin(np.pi * part)
            out[i] = sx * HIP_X + along, sy * self.stance_width, z + FOOT_RADIUS - self.trunk_height
        return out

    def in_stance(self, time: float) -> Array:
        """(4,) which feet carry."""
        half = int(np.floor(time / self.half_cycle + 1e-9))
        return np.array([(sx == sy) == (half % 2 == 0) for sx, sy in LEGS.values()])

    def qpos(self, time: float) -> Array:
        """(19,) the quadruped's coordinates: the trunk level, on the x axis."""
        trunk = np.array([self.speed * time, 0.0, self.trunk_height, 1.0, 0.0, 0.0, 0.0])
        angles = [leg_angles(foot, *signs) for foot, signs in zip(self.feet(time), LEGS.values(), strict=True)]
        return np.concatenate([trunk, *angles])

    def reference(self, model: Any, times: Array, timestep: float) -> tuple[Array, Array]:
        """Coordinates (len(times), nq) and velocities (len(times), nv), each the difference over the time step before."""
        qpos = np.array([self.qpos(t) for t in times])
        before = [self.qpos(t - timestep) for t in times]
        return qpos, np.array([model.difference(b, a) / timestep for b, a in zip(qpos, before, strict=True)])


def leg_angles(foot: Array, sx: int, sy: int) -> Array:
    """(3,) abduction, thigh, calf that put the foot's centre there, from the trunk's frame; the knee points back.

    ValueError when it is out of reach.
    """
    x, y, z = foot - np.array([sx * HIP_X, sy * HIP_Y, 0.0])
    down2 = y * y + z * z - ABDUCTION**2
    bend = (x * x + down2) / (2 * LINK * LINK) - 1.0
    if down2 <= 0.0 or not -1.0 <= bend <= 1.0:
        raise ValueError(f"foot {foot} is out of the leg's reach")
    down = np.sqrt(down2)
    abduction = np.arctan2(z, y) - np.arctan2(-down, sy * ABDUCTION)
    calf = -np.arccos(bend)
    return np.array([abduction, np.arctan2(-x, down) - 0.5 * calf, calf])


def foot_position(angles: Array, sx: int, sy: int) -> Array:
    """(3,) the foot's centre in the trunk's frame: what `leg_angles` inverts."""
    a, t, c = angles
    x = -LINK * (np.sin(t) + np.sin(t + c))
    y, z = sy * ABDUCTION, -LINK * (np.cos(t) + np.cos(t + c))
    return np.array([sx * HIP_X + x, sy * HIP_Y + np.cos(a) * y - np.sin(a) * z, np.sin(a) * y + np.cos(a) * z])


def holding_torques(sim: Any, qpos: Array, carrying: Array) -> Array:
    """(12,) joint torques that carry the weight on the feet `carrying` (4,) in equal vertical parts, at rest [N m]."""
    model = sim.model
    weight = float(model.body_mass.sum() * -model.opt.gravity[2])
    width, torques = 1e-4, np.zeros(12)
    for j in range(12):
        energies, heights = [], []
        for sign in (1, -1):
            moved = np.array(qpos)
            moved[7 + j] += sign * width
            energies.append(sim.energy(sim.initial_state(moved)))
            leg = j // 3
            heights.append(foot_position(moved[7 + 3 * leg : 10 + 3 * leg], *list(LEGS.values())[leg])[2])
        share = weight / max(1, carrying.sum()) * carrying[j // 3]
        torques[j] = (energies[0] - energies[1] - share * (heights[0] - heights[1])) / (2 * width)
    return torques
