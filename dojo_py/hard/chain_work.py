"""The work of several joints of one body in a step: they transmit what drives and rotors do along their coordinates, no more.

    created = Σ_r λ_r G_r v̄ - Σ_i λ_i θ̇̄_i        v̄, θ̇̄: means of the velocities before and after the step; i: rows of coordinates

With directions G that do not turn within the step this is 0. They turn by h ω, and so the sum is of that order of the energy.
Where the axes of hinges that are not perpendicular become dependent, two sets of coordinates lead to the same pose, and directions
turn by a radian within a step: a solution may jump to the other set, with any energy. That is no physical motion; shorter steps see
the directions turn.
"""

from dojo_py.arrays import body_row
from dojo_py.hard.islands import NODES
from dojo_py.hard.terms import COMPOUND
from dojo_py.jit import kernel

CREATED = 0.3
"""Fraction of the kinetic energy of the joined bodies and rotors, the larger of before and after, that may be created."""


@kernel
def chains_throw(L, W):
    """Whether joints of one body create energy in the step of the islands in W.span."""
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, m]
        j = L.node_joint[n]
        if j >= 0 and L.kind[j] == COMPOUND:
            created, scale = _created(L, W, j, n)
            if created > CREATED * scale:
                return True
    return False


@kernel
def _created(L, W, j, n):
    """(energy that the joints j of node n create, the larger kinetic energy of before and after) [J]."""
    a, b, k, first = L.parent[j], L.child[j], L.ndof[j], L.vadr[j]
    created, before, after = 0.0, 0.0, 0.0
    for side in range(2):
        body, G = (a, W.Ga[n]) if side == 0 else (b, W.Gb[n])
        if body < 0:
            continue
        u, v = W.v_prev[body_row(W.v_prev, body)], W.v[body]
        before, after = before + _kinetic(L, body, u), after + _kinetic(L, body, v)
        for r in range(6):
            for i in range(6):
                created += 0.5 * W.lam[n, r] * G[r, i] * (u[i] + v[i])
    for i in range(k):
        old, new, rotor = W.rate_prev[first + i], W.rows[n, 6 - k + i], L.dof_armature[first + i]
        created -= 0.5 * W.lam[n, 6 - k + i] * (old + new)
        before, after = before + 0.5 * rotor * old * old, after + 0.5 * rotor * new * new
    return created, max(before, after)


@kernel
def _kinetic(L, b, v):
    """Kinetic energy [J] of body b at velocity v (6,)."""
    total = 0.0
    for i in range(3):
        total += 0.5 * L.mass[b] * v[i] * v[i]
        for k in range(3):
            total += 0.5 * v[3 + i] * L.inertia[b, i, k] * v[3 + k]
    return total
