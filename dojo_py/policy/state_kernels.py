"""Kernels of StateTask: the observation is [qpos, qvel] and the reward 0; for losses computed outside the closed loop."""

from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (nq + nv,) = qpos (nq,), qvel (nv,)."""
    for i in range(qpos.shape[0]):
        out[i] = qpos[i]
    for i in range(qvel.shape[0]):
        out[qpos.shape[0] + i] = qvel[i]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """0"""
    return 0.0


act, back = entries_of(observe, reward)
