"""BlockPush in the closed loop: the formulas of block_push.py as kernels."""

import math

from dojo_py.environments.body_kernels import put_rotation, squares
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = ("ctrl_cost_weight", "reach")
PARTS = ("distance", "reached", "reward_ctrl")
FAR = 5.0
"""The episode ends there [m]."""


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (15,)"""
    out[0], out[1], out[2] = -qpos[0], -qpos[1], qpos[2]
    put_rotation(qpos[3:7], 2, out[3:9])
    for i in range(6):
        out[9 + i] = qvel[i]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """-distance to the goal + 1 when reached - control cost."""
    parts[0], parts[2] = math.hypot(qpos_after[0], qpos_after[1]), -D.numbers[0] * squares(action)
    parts[1] = 1.0 if parts[0] < D.numbers[1] else 0.0
    return -parts[0] + parts[1] + parts[2]


@kernel
def over(D, qpos, qvel):
    """Pushed far away."""
    return math.hypot(qpos[0], qpos[1]) > FAR


act, back = entries_of(observe, reward, over)
