"""Quadruped in the closed loop: the formulas of quadruped.py as kernels."""

import math

from dojo_py.environments.body_kernels import put_rotation, squares
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = (
    "dt", "target_speed", "ctrl_cost_weight", "healthy_reward", "terminate_when_unhealthy", "healthy_z_range", "upright",
)  # fmt: skip
PARTS = ("x_position", "x_velocity", "reward_forward", "reward_ctrl", "reward_drift", "reward_survive")


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (34,)"""
    R = D.row
    put_rotation(qpos[3:7], 3, R)
    out[0] = qpos[2]
    for i in range(3):
        out[1 + i] = -R[6 + i]
    n = qpos.shape[0] - 7
    for i in range(n):
        out[4 + i] = qpos[7 + i]
    for i in range(qvel.shape[0]):
        out[4 + n + i] = qvel[i]


@kernel
def healthy(D, qpos):
    """Height and tilt of the trunk within their ranges."""
    R = D.row
    put_rotation(qpos[3:7], 3, R)
    return D.numbers[5] < qpos[2] < D.numbers[6] and R[8] > D.numbers[7]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """exp(-4 (v_x - target)²/target²) + healthy - control cost - sideways speed²."""
    x, y = (qpos_after[0] - qpos[0]) / D.numbers[0], (qpos_after[1] - qpos[1]) / D.numbers[0]
    off = (x - D.numbers[1]) / D.numbers[1]
    parts[0], parts[1], parts[2] = qpos_after[0], x, math.exp(-4.0 * off * off)
    parts[3], parts[4] = -D.numbers[2] * squares(action), -y * y
    parts[5] = D.numbers[3] if healthy(D, qpos_after) else 0.0
    return parts[2] + parts[5] + parts[3] + parts[4]


@kernel
def over(D, qpos, qvel):
    """It fell."""
    return D.numbers[4] != 0.0 and not healthy(D, qpos)


act, back = entries_of(observe, reward, over)
