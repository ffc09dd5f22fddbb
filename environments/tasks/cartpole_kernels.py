"""CartPole in the closed loop: the formulas of cartpole.py as kernels."""

from dojo_py.environments.tasks.pendulum_kernels import from_upright
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = ("max_angle",)
PARTS = ("reward_survive",)


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (4,)"""
    out[0], out[1], out[2], out[3] = qpos[0], from_upright(qpos[1]), qvel[0], qvel[1]


@kernel
def over(D, qpos, qvel):
    """The pole leans too far."""
    return not abs(from_upright(qpos[1])) <= D.numbers[0]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """1 as long as the pole stands."""
    parts[0] = 0.0 if over(D, qpos_after, qvel_after) else 1.0
    return parts[0]


act, back = entries_of(observe, reward, over)
