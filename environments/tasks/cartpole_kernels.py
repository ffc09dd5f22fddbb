"""CartPole in the closed loop: the formulas of cartpole.py as kernels."""

from dojo_py.environments.tasks.pendulum_kernels import from_upright
from dojo_py.jit import entry, kernel
from dojo_py.policy.loop_kernels import decide_with, loop_at, pull_with

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


decide, pull = decide_with(observe, reward, over), pull_with(observe, reward)


@entry(no_cfunc_wrapper=False)
def act(t, status, data):
    """Between the steps of an episode."""
    return decide(loop_at(data), t, status)


@entry(no_cfunc_wrapper=False)
def back(t, status, data):
    """On its way back."""
    return pull(loop_at(data), t)
