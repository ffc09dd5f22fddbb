"""Steps that start from coordinates and rates alone, where jointed bodies rotate by more than a whole step may.

Velocities are chords of the motion over the interval before. A hinge that rotates by two radians moves a centre of mass beside its
axis along an arc: the chord over h differs in length and direction from that over a part, with which a step in parts starts. So
the velocities of such a tree are computed again from its coordinates and rates, over h/FAST_PARTS, and it is solved in FAST_PARTS
parts. (Centres of free bodies move straight: fast_rotation.py.)
"""

from dojo_py.arrays import scratch
from dojo_py.hard.elements.coordinates import to_maximal
from dojo_py.hard.islands import BODIES
from dojo_py.hard.step.fast_rotation import rotation_in
from dojo_py.hard.terms import FAST_PARTS, FREE_TURN
from dojo_py.jit import kernel


@kernel
def find_fast_trees(L, W, bodies, qpos, qvel, h):
    """W.fast: 1 for the bodies of such trees; W.fast_bodies has their velocities over a part. bodies (nb, 13).

    W.carried is that of the start: bodies with a carried momentum need no other velocities.
    """
    found, v = False, scratch(6)
    for b in range(bodies.shape[0]):
        for i in range(3):
            v[3 + i] = bodies[b, 10 + i]
        W.fast[b] = 1 if FREE_TURN < L.most_turn[b] < rotation_in(v, h) and W.carried[b] == 0.0 else 0
        found = found or W.fast[b] == 1
    if not found:
        return
    while _spread(L, W):
        pass
    to_maximal(L, qpos, qvel, h / FAST_PARTS, W.fast_bodies)


@kernel
def _spread(L, W):
    """Add to W.fast all bodies that are joined to one in it, by joints or closures. Returns whether there were any."""
    more = False
    for j in range(L.kind.shape[0]):
        if L.parent[j] >= 0 and W.fast[L.parent[j]] != W.fast[L.child[j]]:
            W.fast[L.parent[j]] = W.fast[L.child[j]] = 1
            more = True
    for e in range(L.eq_bodies.shape[0]):
        some, every = False, True
        for slot in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[e, slot]
            if b >= 0:
                some, every = some or W.fast[b] == 1, every and W.fast[b] == 1
        for slot in range(L.eq_bodies.shape[1]):
            b = L.eq_bodies[e, slot]
            if some and not every and b >= 0:
                W.fast[b] = 1
                more = True
    return more


@kernel
def all_alike(W):
    """Whether all bodies of the islands in W.span are of such trees, or none is."""
    first = W.fast[W.members[BODIES, W.span[BODIES, 0]]]
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.fast[W.members[BODIES, k]] != first:
            return False
    return True
