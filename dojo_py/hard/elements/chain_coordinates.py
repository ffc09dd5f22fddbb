"""Coordinates of the joints in one body as their chain has them (joints/compound.py), and as qpos has them.

Chain: angles and displacements from the joints' zero, (k,); of a ball the rotation vector from an orientation given beside it.
qpos: angles and displacements that begin at qpos0; of a ball a quaternion.
"""

from dojo_py.algebra.rotations import quat_conj_mul, quat_exp, quat_mul, quat_normalise
from dojo_py.arrays import copy, scratch
from dojo_py.hard.elements.joints.compound import chain_pose
from dojo_py.jit import kernel


@kernel
def entries(L, j):
    """How many entries of qpos joint j has."""
    return L.ndof[j] + (1 if L.rotation[j] >= 0 else 0)


@kernel
def chain_start(L, W, j, theta):
    """theta (k,): the coordinates of joint j at the start of the step; those of a ball are 0, as they count from W.turn0."""
    for i in range(theta.shape[0]):
        dof = L.vadr[j] + i
        theta[i] = 0.0 if L.dof_vector[dof] >= 0 else W.angle0[dof] - L.qpos0[L.dof_qadr[dof]]


@kernel
def read_chain(L, j, entries, theta, turn):
    """theta (k,) and the orientation turn (4,) of the ball from joint j's entries of qpos, (k,) or one more."""
    for i in range(theta.shape[0]):
        dof = L.vadr[j] + i
        adr = L.dof_qadr[dof]
        theta[i] = 0.0 if L.dof_vector[dof] >= 0 else entries[adr - L.qadr[j]] - L.qpos0[adr]
    if L.rotation[j] >= 0:
        copy(entries[L.rotation[j] : L.rotation[j] + 4], turn)
        quat_normalise(turn)


@kernel
def write_chain(L, j, theta, turn, entries):
    """Joint j's entries of qpos from theta (k,) and turn (4,); of q and -q the one that is closer to the old entries."""
    for i in range(theta.shape[0]):
        dof = L.vadr[j] + i
        adr = L.dof_qadr[dof]
        if L.dof_vector[dof] < 0:
            entries[adr - L.qadr[j]] = theta[i] + L.qpos0[adr]
    r = L.rotation[j]
    if r >= 0:
        own, q = scratch(4), scratch(4)
        quat_exp(theta[r : r + 3], 1.0, own)
        quat_mul(turn, own, q)
        put_quaternion(q, entries[r : r + 4])


@kernel
def put_quaternion(q, out):
    """out (4,) becomes q or -q (4,), which are the same rotation: the one that is closer to the old out."""
    side = q[0] * out[0] + q[1] * out[1] + q[2] * out[2] + q[3] * out[3]
    for i in range(4):
        out[i] = q[i] if side >= 0.0 else -q[i]


@kernel
def chain_back(L, j, rates, back, theta, turn):
    """Move theta (k,), turn (4,) back in time by `back` [s] at the rates (k,)."""
    for i in range(theta.shape[0]):
        if L.dof_vector[L.vadr[j] + i] < 0:
            theta[i] -= back * rates[i]
    r = L.rotation[j]
    if r >= 0:
        own, now = scratch(4), scratch(4)
        quat_exp(rates[r : r + 3], -back, own)
        copy(turn, now)
        quat_mul(now, own, turn)


@kernel
def ball_orientation(L, j, theta, q_rel, turn):
    """turn (4,): the ball's orientation after the hinges before it in joint j, where the joint's child has that of q_rel (4,).

    The ball's coordinates in theta (k,) become 0: they count from there.
    """
    k, r = theta.shape[0], L.rotation[j]
    p, q, S = scratch(3), scratch(4), scratch((6, 6))[:, 0:k]
    for i in range(3):
        theta[r + i] = turn[1 + i] = 0.0
    turn[0] = 1.0
    chain_pose(L, j, theta, turn, p, q, S)
    quat_conj_mul(q, q_rel, turn)
    quat_normalise(turn)
