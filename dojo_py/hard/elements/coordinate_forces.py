"""Generalised forces along the coordinates of hinges and slides, of wrenches on the bodies below.

Along coordinate i, whose screw is (u, ψ) at its child's centre of mass, wrenches (F, τ) at the bodies' centres of mass x do

    Q_i = Σ u·F + ψ·((x - x_child) × F + τ)    over the bodies below

Their sums over each body and its descendants are taken about the world's origin, in one pass.
"""

from dojo_py.algebra.rotations import turn_back
from dojo_py.arrays import scratch
from dojo_py.hard.elements.chain_coordinates import entries, read_chain
from dojo_py.hard.elements.joints.compound import chain_pose
from dojo_py.hard.terms import BALL, FREE
from dojo_py.jit import kernel


@kernel
def about_origin(bodies, wrench, load):
    """load (nb, 6) = wrenches (nb, 6) about the bodies' centres of mass, about the world's origin."""
    for b in range(load.shape[0]):
        for i in range(3):
            k, n = (i + 1) % 3, (i + 2) % 3
            load[b, i] = wrench[b, i]
            load[b, 3 + i] = wrench[b, 3 + i] + bodies[b, k] * wrench[b, n] - bodies[b, n] * wrench[b, k]


@kernel
def sum_below(L, load):
    """Add to each row of load (nb, 6), wrenches about the world's origin, those of the body's descendants."""
    for b in range(load.shape[0] - 1, -1, -1):
        a = L.parent[b]
        if a >= 0:
            for i in range(6):
                load[a, i] += load[b, i]


@kernel
def load_on(L, bodies, load, j, F, M):
    """F, M (3,): force on the child of joint j and all below, and its torque about the child's centre. load: of `sum_below`."""
    b = L.child[j]
    for i in range(3):
        k, n = (i + 1) % 3, (i + 2) % 3
        F[i] = load[b, i]
        M[i] = load[b, 3 + i] - bodies[b, k] * load[b, n] + bodies[b, n] * load[b, k]


@kernel
def chain_work(L, j, bodies, qpos, F, M, out):
    """out (n,) = Q of the coordinates of joint j, a chain of hinges and slides, from the load (F, M) of `load_on`."""
    a, b, n = L.parent[j], L.child[j], L.ndof[j]
    theta, turn, force, torque = scratch(6)[0:n], scratch(4), scratch(3), scratch(3)
    p, q, S = scratch(3), scratch(4), scratch((6, 6))[:, 0:n]
    read_chain(L, j, qpos[L.qadr[j] : L.qadr[j] + entries(L, j)], theta, turn)
    chain_pose(L, j, theta, turn, p, q, S)
    if a >= 0:  # the screws' directions are in the parent's frame, their rotations in the child's
        turn_back(bodies[a, 6:10], F, force)
    else:
        force[0], force[1], force[2] = F[0], F[1], F[2]
    turn_back(bodies[b, 6:10], M, torque)
    for i in range(n):
        out[i] = 0.0
        for m in range(3):
            out[i] += S[m, i] * force[m] + S[3 + m, i] * torque[m]


@kernel
def along_chains(L, bodies, qpos, load, out):
    """out (nd,) = Q of all hinges and slides, 0 of other coordinates. load (nb, 6): of `about_origin`; sums on return."""
    F, M = scratch(3), scratch(3)
    sum_below(L, load)
    out[:] = 0.0
    for j in range(L.kind.shape[0]):
        first, n = L.vadr[j], L.ndof[j]
        if n > 0 and L.kind[j] != FREE and L.kind[j] != BALL:
            load_on(L, bodies, load, j, F, M)
            chain_work(L, j, bodies, qpos, F, M, out[first : first + n])
