"""Hopper and Walker2d in the closed loop: the formulas of hopper.py as kernels."""

from dojo_py.environments.body_kernels import squares
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = (
    "dt", "forward_reward_weight", "ctrl_cost_weight", "healthy_reward", "terminate_when_unhealthy", "healthy_state_range",
    "healthy_z_range", "healthy_angle_range",
)  # fmt: skip
PARTS = ("x_position", "x_velocity", "reward_forward", "reward_ctrl", "reward_survive")


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (nq - 1 + nv,)"""
    n = qpos.shape[0] - 1
    for i in range(n):
        out[i] = qpos[1 + i]
    for i in range(qvel.shape[0]):
        out[n + i] = min(max(qvel[i], -10.0), 10.0)


@kernel
def healthy(D, qpos, qvel):
    """Height, pitch and the rest within their ranges."""
    low, high = D.numbers[5], D.numbers[6]
    for i in range(2, qpos.shape[0]):
        if not (low < qpos[i] < high):
            return False
    for i in range(qvel.shape[0]):
        if not (low < qvel[i] < high):
            return False
    return D.numbers[7] < qpos[1] < D.numbers[8] and D.numbers[9] < qpos[2] < D.numbers[10]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """Forward speed + 1 while healthy - control cost."""
    speed = (qpos_after[0] - qpos[0]) / D.numbers[0]
    survive = D.numbers[3] if healthy(D, qpos_after, qvel_after) else 0.0
    parts[0], parts[1], parts[2] = qpos_after[0], speed, D.numbers[1] * speed
    parts[3], parts[4] = -D.numbers[2] * squares(action), survive
    return parts[2] + survive + parts[3]


@kernel
def over(D, qpos, qvel):
    """It fell."""
    return D.numbers[4] != 0.0 and not healthy(D, qpos, qvel)


act, back = entries_of(observe, reward, over)
