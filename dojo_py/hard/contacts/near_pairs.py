"""Broad phase of a step: which pairs of geoms may be near, by sweep and prune over boxes of the geoms (collision/sweep.py).

A box holds what its geom may reach in the step, or up to where its impulses fade on the central path; pairs come in their order.
"""

import math

from dojo_py.algebra.vectors import cross, dot, length, minus, plus, row
from dojo_py.arrays import body_row
from dojo_py.collision.pair_gap import pair_far
from dojo_py.collision.participation import NO_ROOM
from dojo_py.collision.sweep import find_near, overlap, pairs_of, set_box, sort_boxes
from dojo_py.collision.touching import pair_distance
from dojo_py.hard.contacts.round_pairs import round_distance
from dojo_py.hard.elements.bodies import strongest_gravity
from dojo_py.jit import kernel


@kernel
def travel(L, Q, W, g, h):
    """How far geom g may get in a step of length h [m]: as its body moves now, and twice what gravity does within it, h² g."""
    b = Q.shape_node[g]
    if b < 0:
        return 0.0
    v = W.v_prev[b]
    arm = Q.shape_reach[g] + length(row(Q.shape_centre, g))
    speed = length((v[0], v[1], v[2])) + arm * length((v[3], v[4], v[5]))
    return h * (speed + 2.0 * h * strongest_gravity(L, b))


@kernel
def closing(L, Q, W, k, h):
    """By how much the geoms of pair k may approach each other in a step of length h [s], as their bodies move now [m].

    Two bodies that fall or rotate together do not approach each other: what counts is the motion of the smaller geom relative to
    the other's body, that is the difference of both bodies' velocities at its centre, and of their spins times its size.
    """
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    i, j = Q.shape_node[a], Q.shape_node[b]
    g = a if Q.shape_reach[a] < Q.shape_reach[b] else b
    own = body_row(W.x, Q.shape_node[g])
    centre = plus(row(W.x, own), _in_world(W.R[own], Q.shape_centre[g]))
    v, spin = _twist_at(W, body_row(W.x, i), centre)
    w, turn = _twist_at(W, body_row(W.x, j), centre)
    speed = length(minus(v, w)) + Q.shape_reach[g] * length(minus(spin, turn))
    return h * (speed + 2.0 * h * max(strongest_gravity(L, i), strongest_gravity(L, j)))


@kernel
def _twist_at(W, b, point):
    """Velocity of the body in row b at a point [m/s], and its spin [rad/s], in the world's frame."""
    v = W.v_prev[b]
    spin = _in_world(W.R[b], v[3:6])
    return plus((v[0], v[1], v[2]), cross(spin, minus(point, row(W.x, b)))), spin


@kernel
def _in_world(R, p):
    """R p, R (3, 3), p (3,)."""
    return dot(R[0], p), dot(R[1], p), dot(R[2], p)


@kernel
def near_by_travel(L, Q, W, h, factor, margin):
    """Fill W.sweep.near with the pairs whose boxes overlap, enlarged by `factor` times `travel` and by half the margin [m] each."""
    S = W.sweep
    for i in range(Q.box_geom.shape[0]):
        g = Q.box_geom[i]
        _set_box(Q, S, i, W.x, W.R, factor * travel(L, Q, W, g, h) + 0.5 * margin)
    find_pairs(Q, W)


@kernel
def near_by_fade(Q, W, kappa):
    """Likewise the pairs whose impulse on the central path has not faded away (far_pairs.py)."""
    S = W.sweep
    for i in range(Q.box_geom.shape[0]):
        _set_box(Q, S, i, W.x, W.R, 2.0 * Q.shape_fade[Q.box_geom[i]] * math.sqrt(kappa))
    find_pairs(Q, W)


@kernel
def near_at_end(Q, W):
    """Likewise the pairs whose boxes overlap at the next poses."""
    for i in range(Q.box_geom.shape[0]):
        _set_box(Q, W.sweep, i, W.xn, W.Rn, 0.0)
    find_pairs(Q, W)


@kernel
def _set_box(Q, S, i, x, R, more):
    """Box i: the geom's bounding sphere and `more` [m] around it."""
    g = Q.box_geom[i]
    b = body_row(x, Q.shape_node[g])
    centre = plus(row(x, b), _in_world(R[b], Q.shape_centre[g]))
    set_box(S, i, centre[0], centre[1], centre[2], Q.shape_reach[g] + more)


@kernel
def find_pairs(Q, W):
    """Fill W.sweep.near with the pairs whose boxes overlap."""
    find_near(Q, W.sweep)
    W.n_features[NO_ROOM] += W.sweep.found[1]  # those that found no room: the caller is told


@kernel
def gap_of_pair(Q, W, k, x, R, reach=math.inf):
    """Gap [m] of pair k at poses x (nb + 1, 3), R (nb + 1, 3, 3); if above reach [m], a lower bound of it that is above reach."""
    if k < Q.rounds[0]:
        return round_distance(Q, W, k, x, R)
    return pair_distance(Q, W, k, x, R, reach)


@kernel
def smallest_distance(Q, W, least):
    """The smallest gap of all pairs at the next poses [m]; `least` where no pair has a smaller one.

    W.pair_gap: the smallest of those whose boxes overlap there, if the check at the end of the step has found them.
    """
    S = W.sweep
    for i in range(Q.box_geom.shape[0]):
        _set_box(Q, S, i, W.xn, W.Rn, 0.0)
    sort_boxes(S)
    if W.pair_gap[0] == math.inf:
        for u in range(Q.boundless.shape[0]):
            least = _closer(Q, W, Q.boundless[u], least)
    least = min(least, W.pair_gap[0])
    known = W.pair_gap[0] < math.inf
    order, a, n = S.order, S.axis[0], S.order.shape[0]
    for p in range(n):
        i = order[p]
        for q in range(p + 1, n):
            k, apart = order[q], max(least, 0.0)
            if not S.low[k, a] <= S.high[i, a] + apart:
                break
            if known and S.low[k, a] <= S.high[i, a] and overlap(S, i, k, 0.0):
                continue
            if overlap(S, i, k, apart):
                first, last = pairs_of(Q, Q.box_geom[i], Q.box_geom[k])
                for pair in range(first, last):
                    least = _closer(Q, W, Q.pair_number[pair], least)
    return least


@kernel
def _closer(Q, W, k, least):
    """The smaller of `least` and the gap of pair k at the next poses."""
    apart = max(least, 0.0)
    if pair_far(Q, k, W.xn, W.Rn, apart):
        return least
    return min(least, gap_of_pair(Q, W, k, W.xn, W.Rn, apart))
