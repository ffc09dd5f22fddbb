"""Pendulum in the closed loop: the formulas of pendulum.py as kernels."""

import math

from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = ("max_torque",)
PARTS = ("angle",)


@kernel
def from_upright(angle):
    """Angle from the standing pose in [-π, π) [rad]."""
    return angle % (2.0 * math.pi) - math.pi


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (3,)"""
    angle = qpos[0] - math.pi
    out[0], out[1], out[2] = math.cos(angle), math.sin(angle), qvel[0]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """-(angle² + 0.1 rate² + 0.001 torque²), before the step."""
    torque, angle = min(max(action[0], -D.numbers[0]), D.numbers[0]), from_upright(qpos[0])
    parts[0] = from_upright(qpos_after[0])
    return -(angle * angle + 0.1 * qvel[0] * qvel[0] + 0.001 * torque * torque)


act, back = entries_of(observe, reward)
