"""HalfCheetah in the closed loop: the formulas of half_cheetah.py as kernels."""

from dojo_py.environments.body_kernels import squares
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = ("dt", "forward_reward_weight", "ctrl_cost_weight")
PARTS = ("x_position", "x_velocity", "reward_forward", "reward_ctrl")


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (17,)"""
    n = qpos.shape[0] - 1
    for i in range(n):
        out[i] = qpos[1 + i]
    for i in range(qvel.shape[0]):
        out[n + i] = qvel[i]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """Forward speed - control cost."""
    speed = (qpos_after[0] - qpos[0]) / D.numbers[0]
    parts[0], parts[1] = qpos_after[0], speed
    parts[2], parts[3] = D.numbers[1] * speed, -D.numbers[2] * squares(action)
    return parts[2] + parts[3]


act, back = entries_of(observe, reward)
