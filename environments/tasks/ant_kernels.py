"""Ant in the closed loop: the formulas of ant.py as kernels."""

from dojo_py.collision.contact_columns import IMPULSE
from dojo_py.environments.body_kernels import add_wrenches, geom_of, place, squares
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = (
    "dt", "timestep", "forward_reward_weight", "ctrl_cost_weight", "contact_cost_weight", "healthy_reward",
    "terminate_when_unhealthy", "healthy_z_range", "impulse_places",
)  # fmt: skip
PARTS = (
    "x_position", "y_position", "x_velocity", "y_velocity", "reward_forward", "reward_ctrl", "reward_contact", "reward_survive",
)  # fmt: skip
PLACES = 9
"""First of D.numbers of impulse_places: where a geom's normal impulse stands, -1: nowhere; without them wrenches are observed."""


@kernel
def forces(D, qpos, qvel, contacts, out):
    """out: contact wrenches of the moving bodies or normal impulses, clipped to ±1."""
    if D.numbers.shape[0] > PLACES:
        for i in range(out.shape[0]):
            out[i] = 0.0
        for i in range(contacts.shape[0]):
            geom = geom_of(D, contacts, i, 0)
            at = int(D.numbers[PLACES + geom]) if geom >= 0 else -1
            if at >= 0:
                out[at] += contacts[i, IMPULSE]
        for i in range(out.shape[0]):
            out[i] = min(max(out[i], -1.0), 1.0)
        return
    centre = D.small[0, 0]
    place(D, qpos, qvel, centre)
    add_wrenches(D, contacts, centre, D.numbers[1])
    for b in range(1, D.wrench.shape[0]):
        for i in range(6):
            out[6 * (b - 1) + i] = min(max(D.wrench[b, i], -1.0), 1.0)


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (27 + contacts,)"""
    n, nv = qpos.shape[0] - 2, qvel.shape[0]
    for i in range(n):
        out[i] = qpos[2 + i]
    for i in range(nv):
        out[n + i] = qvel[i]
    forces(D, qpos, qvel, contacts, out[n + nv :])


@kernel
def healthy(D, qpos):
    """Torso height within its range."""
    return D.numbers[7] <= qpos[2] <= D.numbers[8]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """Forward speed + healthy - control cost - contact cost."""
    x, y = (qpos_after[0] - qpos[0]) / D.numbers[0], (qpos_after[1] - qpos[1]) / D.numbers[0]
    n = D.seen.shape[1] - (qpos.shape[0] - 2) - qvel.shape[0]
    force = D.trial[2, parts.shape[0] : parts.shape[0] + n]
    forces(D, qpos_after, qvel_after, contacts, force)
    parts[0], parts[1], parts[2], parts[3] = qpos_after[0], qpos_after[1], x, y
    parts[4], parts[5], parts[6] = D.numbers[2] * x, -D.numbers[3] * squares(action), -D.numbers[4] * squares(force)
    parts[7] = D.numbers[5] if healthy(D, qpos_after) else 0.0
    return parts[4] + parts[7] + parts[5] + parts[6]


@kernel
def over(D, qpos, qvel):
    """It fell or took off."""
    return D.numbers[6] != 0.0 and not healthy(D, qpos)


act, back = entries_of(observe, reward, over)
