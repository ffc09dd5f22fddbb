"""Pendulum in the closed loop: the formulas of pendulum.py as kernels."""

import math

from dojo_py.jit import entry, kernel
from dojo_py.policy.loop_kernels import decide_with, loop_at, pull_with

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


@kernel
def over(D, qpos, qvel):
    """Never."""
    return False


decide, pull = decide_with(observe, reward, over), pull_with(observe, reward)


@entry(no_cfunc_wrapper=False)
def act(t, status, data):
    """Between the steps of an episode."""
    return decide(loop_at(data), t, status)


@entry(no_cfunc_wrapper=False)
def back(t, status, data):
    """On its way back."""
    return pull(loop_at(data), t)
