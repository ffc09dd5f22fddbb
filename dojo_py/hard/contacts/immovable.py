"""Contacts along whose normal the joints let nothing move: a sphere on a slider that runs along the plane which it touches.

    gap' = n · (v_A + ω_A × r_A - v_B - ω_B × r_B) = 0      for every coordinate of the joints between the two bodies

The joints would balance any normal impulse there, so that the model does not determine it, nor friction with it. Such a contact
takes no part in the step: neither its normal impulse nor friction. (Zero is the smallest of the forces that solve the problem.)
So do overlaps that cannot get deeper: capsules whose axes meet, if their bodies are jointed (where a loop closes), or, in the hard
limit, once separating them has failed. On the central path the gap s alone determines the impulse, γ = κ/s, and friction with it,
whether or not joints let s change: contacts that are apart take part there. Otherwise a step would be discontinuous where a joint
reaches a pose at which the gap is stationary: a pendulum that hangs straight down.

An overlap where pushing only jams the joints has no friction: with friction a step has solutions with any load, or none, and
impulses grow until they are round-off (1e22 N s). Its normal impulse without friction still keeps it from getting deeper.
"""

import math

from dojo_py.algebra.vectors import to_world
from dojo_py.arrays import scratch
from dojo_py.collision.features import BALL_FEATURE
from dojo_py.hard.compiled_apart import START, distance_of_shapes, feature_place
from dojo_py.hard.elements.contact_rows import OVERLAP
from dojo_py.hard.elements.plane_contacts import touching
from dojo_py.hard.terms import FREE
from dojo_py.jit import kernel

STILL = 1e-10
"""A normal velocity below this fraction of the point's velocity counts as zero: round-off of axes and anchors is 1e-15, a tilt of a
plane by 1e-6 is a motion."""
TILT = 1e-3
"""The same fraction for an overlap, if opening it would take more than a radian: the round-off of numbers in files tilts faces
against joints' axes, in meshes of single precision by 1e-7, with π/2 written as 1.57 by 8e-4. Impulses with such levers would stop
the joint."""


@kernel
def immovable(L, P, Q, W, c, overlap):
    """Whether no coordinate changes the gap of active contact c at the start of the step. Reads the joints' rows there.

    overlap: how deep it is [m], 0 where it is not.
    """
    return not _opened(L, P, Q, W, c, overlap, TILT)


@kernel
def jams(L, P, Q, W, c, overlap):
    """Whether pushing at active contact c, this deep [m] at the start of the step, only jams the joints: every coordinate moves it
    within friction's cone, and would not open it in a radian.
    """
    return not _opened(L, P, Q, W, c, overlap, W.cmu[c])


@kernel
def _opened(L, P, Q, W, c, overlap, share):
    """Whether a coordinate opens active contact c: more than the fraction `share` of the point's velocity is along the normal, or
    it opens all of the overlap [m] within a radian.
    """
    a, b = W.cbody[c, 0], W.cbody[c, 1]
    if _reaches_free(L, a, b) or _reaches_free(L, b, a):
        return True
    n, point = scratch(3), scratch(3)
    _place(L, P, Q, W, c, n, point)
    return _moves(L, W, a, b, n, point, overlap, share) or _moves(L, W, b, a, n, point, overlap, share)


@kernel
def deepest(L, P, Q, W, c):
    """Whether active contact c overlaps at the start of the step as much as it can: the axes, or centres, of its round shapes meet.

    Their distance d defines no normal there, and the overlap can grow by d at most.
    """
    f = W.active[c] - P.body.shape[0]
    if f < 0 or W.fpair[f] >= Q.rounds[0]:
        return False
    flat = W.fkind[f] == BALL_FEATURE and (W.fhalf[f, 1, 0] > 0.0 or W.fhalf[f, 1, 1] > 0.0)  # (a ball against a box)
    return not flat and distance_of_shapes(L, P, Q, W, f, START) + W.fradius[f, 0] + W.fradius[f, 1] < OVERLAP


@kernel
def jointed(L, W, a, b):
    """Whether joints and closures connect bodies a and b, one of which may be the world (-1)."""
    if a >= 0 and b >= 0:
        return W.group[a] == W.group[b]
    return not _reaches_free(L, max(a, b), -1)


@kernel
def _above(L, b, other):
    """Whether body b is `other` or one of its ancestors."""
    while other >= 0:
        if other == b:
            return True
        other = L.parent[other]
    return False


@kernel
def _reaches_free(L, b, other):
    """Whether a free joint lies between body b and its nearest common ancestor with `other` (joints have their child's number)."""
    while b >= 0 and not _above(L, b, other):
        if L.kind[b] == FREE:
            return True
        b = L.parent[b]
    return False


@kernel
def _place(L, P, Q, W, c, n, point):
    """Normal n (3,) and point (3,) of contact c at the start of the step."""
    i, planes = W.active[c], P.body.shape[0]
    if i >= planes:
        feature_place(L, P, Q, W, i - planes, START)
        for k in range(3):
            n[k], point[k] = W.feature.normal[k], W.feature.point[k]
        return
    b = P.body[i]
    p, _ = touching(P, i, W.R[b])
    surface = to_world(W.R[b], W.x[b], p)
    for k in range(3):
        n[k], point[k] = P.normal[i, k], surface[k]


@kernel
def _moves(L, W, b, other, n, point, overlap, share):
    """Whether a coordinate between body b and its nearest common ancestor with `other` moves the point (3,) of b along n (3,), see
    `_opened`.
    """
    G, m = scratch((6, 7)), scratch(6)
    while b >= 0 and not _above(L, b, other):
        node, k = L.node[b], L.ndof[b]
        for i in range(k):
            # rows of the joint by the motion of its child: 0 but for coordinate i
            for r in range(6):
                for col in range(6):
                    G[r, col] = W.Gb[node, r, col]
                G[r, 6] = 1.0 if r == 6 - k + i else 0.0
            if not _solve_six(G, m):
                return True
            R = W.R[b]
            w0 = R[0, 0] * m[3] + R[0, 1] * m[4] + R[0, 2] * m[5]
            w1 = R[1, 0] * m[3] + R[1, 1] * m[4] + R[1, 2] * m[5]
            w2 = R[2, 0] * m[3] + R[2, 1] * m[4] + R[2, 2] * m[5]
            r0, r1, r2 = point[0] - W.x[b, 0], point[1] - W.x[b, 1], point[2] - W.x[b, 2]
            along = n[0] * (m[0] + w1 * r2 - w2 * r1) + n[1] * (m[1] + w2 * r0 - w0 * r2) + n[2] * (m[2] + w0 * r1 - w1 * r0)
            size = abs(m[0]) + abs(m[1]) + abs(m[2]) + (abs(w0) + abs(w1) + abs(w2)) * (abs(r0) + abs(r1) + abs(r2))
            if abs(along) > max(STILL * size, min(share * size, overlap)):
                return True
        b = L.parent[b]
    return False


@kernel
def _solve_six(G, m):
    """m (6,) from [matrix | right-hand side] G (6, 7), overwritten, by elimination with row exchanges. False if singular."""
    for k in range(6):
        best = k
        for r in range(k + 1, 6):
            if abs(G[r, k]) > abs(G[best, k]):
                best = r
        if not abs(G[best, k]) > 0.0:
            return False
        for col in range(7):
            G[k, col], G[best, col] = G[best, col], G[k, col]
        for r in range(k + 1, 6):
            f = G[r, k] / G[k, k]
            for col in range(k, 7):
                G[r, col] -= f * G[k, col]
    for k in range(5, -1, -1):
        t = G[k, 6]
        for col in range(k + 1, 6):
            t -= G[k, col] * m[col]
        m[k] = t / G[k, k]
    return math.isfinite(m[0] + m[1] + m[2] + m[3] + m[4] + m[5])
