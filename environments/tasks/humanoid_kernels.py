"""Humanoid in the closed loop: the formulas of humanoid.py as kernels."""

from dojo_py.environments.body_kernels import add_wrenches, place, squares
from dojo_py.environments.kinematics_kernels import inertia_row
from dojo_py.jit import kernel
from dojo_py.policy.loop_kernels import entries_of

NUMBERS = (
    "dt", "timestep", "forward_reward_weight", "ctrl_cost_weight", "contact_cost_weight", "contact_cost_range", "healthy_reward",
    "terminate_when_unhealthy", "healthy_z_range",
)  # fmt: skip
PARTS = (
    "x_position", "y_position", "x_velocity", "y_velocity", "reward_forward", "reward_ctrl", "reward_contact", "reward_survive",
)  # fmt: skip


@kernel
def observe(D, qpos, qvel, contacts, out):
    """out (26 + 27 + 22 a body,)"""
    n, nv, bodies = qpos.shape[0] - 2, qvel.shape[0], D.parent.shape[0] - 1
    for i in range(n):
        out[i] = qpos[2 + i]
    for i in range(nv):
        out[n + i] = qvel[i]
    centre, offset = D.small[0, 0], D.small[0, 1]
    place(D, qpos, qvel, centre)
    add_wrenches(D, contacts, centre, D.numbers[1])
    at = n + nv
    for b in range(1, bodies + 1):
        R, p = D.rotation[b], D.body_ipos[b]
        for i in range(3):
            offset[i] = D.position[b, i] + R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2] - centre[i]
        inertia_row(D.body_mass[b], D.body_inertia[b], D.body_iquat[b], R, offset, D.small[1:2], out[at : at + 10])
        at += 10
    for b in range(1, bodies + 1):
        w, v = D.angular[b], D.linear[b]
        for i in range(3):
            k, l = (i + 1) % 3, (i + 2) % 3
            out[at + i], out[at + 3 + i] = w[i], v[i] + w[k] * centre[l] - w[l] * centre[k]
        at += 6
    for b in range(1, bodies + 1):
        for i in range(6):
            out[at + i] = D.wrench[b, i]
        at += 6


@kernel
def healthy(D, qpos):
    """Torso height within its range."""
    return D.numbers[9] < qpos[2] < D.numbers[10]


@kernel
def reward(D, qpos, qvel, action, qpos_after, qvel_after, contacts, parts):
    """Forward speed of the centre of mass + healthy - control cost - contact cost."""
    before, after = D.small[0, 1], D.small[0, 0]
    place(D, qpos, qvel, before)
    place(D, qpos_after, qvel_after, after)
    add_wrenches(D, contacts, after, D.numbers[1])
    force = 0.0
    for b in range(1, D.wrench.shape[0]):
        force += squares(D.wrench[b])
    x, y = (after[0] - before[0]) / D.numbers[0], (after[1] - before[1]) / D.numbers[0]
    parts[0], parts[1], parts[2], parts[3] = qpos_after[0], qpos_after[1], x, y
    parts[4], parts[5] = D.numbers[2] * x, -D.numbers[3] * squares(action)
    parts[6] = -min(max(D.numbers[4] * force, D.numbers[5]), D.numbers[6])
    parts[7] = D.numbers[7] if healthy(D, qpos_after) else 0.0
    return parts[4] + parts[7] + parts[5] + parts[6]


@kernel
def over(D, qpos, qvel):
    """It fell."""
    return D.numbers[8] != 0.0 and not healthy(D, qpos)


act, back = entries_of(observe, reward, over)
