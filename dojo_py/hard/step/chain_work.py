"""The work of several joints of one body in a step: they transmit what drives and rotors do along their coordinates, no more.

    created = Σ_r λ_r G_r v̄ - Σ_i λ_i θ̇̄_i        v̄, θ̇̄: means of the velocities before and after the step; i: rows of coordinates

With directions G that do not turn within the step this is 0. They turn by h ω, and so the sum is of that order of the energy.
Where the axes of hinges that are not perpendicular become dependent, two sets of coordinates lead to the same pose, and directions
turn by a radian within a step: a solution may jump to the other set, with any energy. That is no physical motion; shorter steps see
the directions turn.
"""

from dojo_py.arrays import body_row
from dojo_py.hard.elements.bodies import kinetic_energy
from dojo_py.hard.islands import NODES
from dojo_py.hard.terms import COMPOUND
from dojo_py.jit import kernel

STRETCH = 4.0
"""Rate of a hinge over the angular velocity of its body from which on its axis counts as nearly dependent on the others': 14
degrees and less."""
CREATED = 0.3
"""Fraction of the energy in `_created` that may be created. (Humanoid under random motors at 15 ms: 0.18 at most; a jump:
0.9 to 1. With 0.3 or 0.5, and STRETCH 2.5, 4 or 8, the same of 119 drawn passes gain energy.)"""


@kernel
def chains_throw(L, W):
    """Whether joints of one body create energy in the step of the islands in W.span."""
    for m in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, m]
        j = L.node_joint[n]
        if j >= 0 and L.kind[j] == COMPOUND and _nearly_dependent(L, W, j, n):
            created, scale = _created(L, W, j, n)
            if created > CREATED * scale:
                return True
    return False


@kernel
def _nearly_dependent(L, W, j, n):
    """Whether hinges of the joints j of node n move by STRETCH times as much as their body turns, where the step starts or ends."""
    k, first = L.ndof[j], L.vadr[j]
    for i in range(k):
        if L.dof_vector[first + i] >= 0 or L.dof_slide[first + i]:
            continue
        at_start, at_end, r = 0.0, 0.0, 6 - k + i
        for m in range(3, 6):
            at_start += W.Gb[n, r, m] * W.Gb[n, r, m]
            at_end += W.Cb[n, r, m] * W.Cb[n, r, m]
        if max(at_start, at_end) > STRETCH * STRETCH:
            return True
    return False


@kernel
def _created(L, W, j, n):
    """(energy that the joints j of node n create, what it is compared with) [J].

    Compared with the larger kinetic energy of before and after, and what the joints carry from one body to the other.
    """
    a, b, k, first = L.parent[j], L.child[j], L.ndof[j], L.vadr[j]
    before, after, on_parent, on_child = 0.0, 0.0, 0.0, 0.0
    for side in range(2):
        body, G = (a, W.Ga[n]) if side == 0 else (b, W.Gb[n])
        if body < 0:
            continue
        u, v, work = W.v_prev[body_row(W.v_prev, body)], W.v[body], 0.0
        before, after = before + kinetic_energy(L, body, u), after + kinetic_energy(L, body, v)
        for r in range(6):
            for i in range(6):
                work += 0.5 * W.lam[n, r] * G[r, i] * (u[i] + v[i])
        on_parent, on_child = (work, on_child) if side == 0 else (on_parent, work)
    created = on_parent + on_child
    for i in range(k):
        old, new, rotor = W.rate_prev[first + i], W.rows[n, 6 - k + i], L.dof_armature[first + i]
        created -= 0.5 * W.lam[n, 6 - k + i] * (old + new)
        before, after = before + 0.5 * rotor * old * old, after + 0.5 * rotor * new * new
    return created, max(before, after) + min(abs(on_parent), abs(on_child))
