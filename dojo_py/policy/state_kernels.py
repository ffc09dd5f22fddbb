"""A closed loop whose policy sees the state itself, [qpos, qvel], and earns nothing: for losses written elsewhere."""

from dojo_py.jit import entry, kernel
from dojo_py.policy.loop_kernels import decide_with, loop_at, pull_with


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (nq + nv,)"""
    for i in range(qpos.shape[0]):
        out[i] = qpos[i]
    for i in range(qvel.shape[0]):
        out[qpos.shape[0] + i] = qvel[i]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """Nothing."""
    return 0.0


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
