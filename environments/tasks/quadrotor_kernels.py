"""Quadrotor in the closed loop: the formulas of quadrotor.py as kernels."""

import math

from dojo_py.environments.body_kernels import put_rotation, squares
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = ("goal", "arena", "ctrl_cost_weight")
PARTS = ("distance", "reward_spin", "reward_ctrl")


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (18,)"""
    for i in range(3):
        out[i] = D.numbers[i] - qpos[i]
    put_rotation(qpos[3:7], 3, out[3:12])
    for i in range(6):
        out[12 + i] = qvel[i]


@kernel
def distance(D, qpos):
    """To the goal [m]."""
    x, y, z = D.numbers[0] - qpos[0], D.numbers[1] - qpos[1], D.numbers[2] - qpos[2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """1 - distance - 0.1 spin² - control cost, 1 at best."""
    parts[0], parts[1] = distance(D, qpos_after), -0.1 * squares(qvel_after[3:])
    parts[2] = -D.numbers[4] * squares(action)
    return 1.0 - parts[0] + parts[1] + parts[2]


@kernel
def over(D, qpos, qvel):
    """Out of the arena."""
    return distance(D, qpos) > D.numbers[3]


act, back = entries_of(observe, reward, over)
