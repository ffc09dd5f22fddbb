"""Round pairs: sphere-sphere, sphere-capsule, sphere-box, capsule-capsule. The features that they may touch with are fixed:

    a sphere against a point, segment or box       its centre, a ball, against the other, rounded
    two capsules                                   the nearest points of their axes (feature 0), the ends of the first against the
                                                   axis of the second (1, 2), the ends of the second (3, 4)

Gaps and their derivatives are those of pair_contacts.py. On the central path the nearest points of two axes are relaxed
(collision/segments.py): unique, and smooth where axes are parallel. Features stand in the table of features only in the steps that
they take part in; impulses are found again by pair and feature.
"""

import math

from dojo_py.arrays import body_row
from dojo_py.collision.convex_shapes import CAPSULE
from dojo_py.collision.facing import WHOLE
from dojo_py.collision.features import BALL_FEATURE, CROSSING
from dojo_py.collision.participation import BEFORE_LOOK, NO_ROOM, NOW, takes_part
from dojo_py.collision.segments import PARALLEL
from dojo_py.hard.elements.feature_geometry import feature_gap, round_gap
from dojo_py.jit import kernel

ENDS = 4
"""Number of ends of the axes of two capsules."""


@kernel
def count_features(Q, k):
    """How many features round pair k has."""
    return 1 + ENDS if Q.shape_kind[Q.geom[k, 0]] == CAPSULE else 1


@kernel
def _put_feature(Q, W, k, number, i):
    """Make row i of the table of features the feature `number` of round pair k."""
    crossing = number == 0 and count_features(Q, k) > 1
    ball = 1 if number > 2 else 0  # the side whose ball it is
    W.fpair[i], W.fkey[i], W.fsign[i] = k, number, 1.0
    W.fkind[i] = CROSSING if crossing else BALL_FEATURE
    W.ffriction[i], W.flaw[i], W.fends[i], W.fleast_sine[i] = Q.friction[k], Q.law[k], 0, 0.0
    W.fpart[i, 0, 0] = W.fpart[i, 1, 0] = WHOLE
    for place in range(2):
        g = Q.geom[k, place if ball == 0 else 1 - place]
        end = 0.0
        if place == 0 and number > 0:
            end = Q.round_half[g, 2] if number % 2 == 0 else -Q.round_half[g, 2]
        W.fshape[i, place], W.fbody[i, place], W.fradius[i, place] = g, Q.shape_node[g], Q.round_radius[g]
        for r in range(3):
            W.fcentre[i, place, r] = Q.round_centre[g, r] + end * Q.shape_axes[g, r, 2]
            W.fhalf[i, place, r] = Q.round_half[g, r] if crossing or place == 1 else 0.0
            for c in range(3):
                W.faxes[i, place, r, c] = Q.shape_axes[g, r, c]


@kernel
def _first_is_nearest(Q, k, R):
    """Whether no feature of round pair k is nearer than feature 0: of capsules if their axes are not parallel (segments.py)."""
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    if Q.shape_kind[a] != CAPSULE:
        return True
    A, B, u, w = R[body_row(R, Q.shape_node[a])], R[body_row(R, Q.shape_node[b])], Q.shape_axes[a], Q.shape_axes[b]
    cosine = 0.0
    for r in range(3):
        across = A[r, 0] * u[0, 2] + A[r, 1] * u[1, 2] + A[r, 2] * u[2, 2]
        cosine += across * (B[r, 0] * w[0, 2] + B[r, 1] * w[1, 2] + B[r, 2] * w[2, 2])
    return 1.0 - cosine * cosine > 2.0 * PARALLEL


@kernel
def round_distance(Q, W, k, x, R):
    """Gap [m] of round pair k at poses x (nb + 1, 3), R (nb + 1, 3, 3)."""
    return put_nearest(Q, W, k, W.fpair.shape[0] - 1, x, R)


@kernel
def put_nearest(Q, W, k, i, x, R):
    """Row i of the table becomes the feature of round pair k with the smallest gap, which is returned."""
    best, nearest = 0, math.inf
    looked_at = 1 if _first_is_nearest(Q, k, R) else count_features(Q, k)
    for number in range(looked_at):
        _put_feature(Q, W, k, number, i)
        gap = round_gap(W, i, x, R)
        best, nearest = (number, gap) if gap < nearest else (best, nearest)
    if best < looked_at - 1:
        _put_feature(Q, W, k, best, i)
    return nearest


@kernel
def find_round(Q, W, k, x, R, reach):
    """Append the features of round pair k with gaps up to reach [m] to the table, except those that are in it already. Returns the
    pair's gap: the distance of its shapes, not of the relaxed points of the central path.

    x (nb + 1, 3), R (nb + 1, 3, 3): poses.
    """
    nearest = math.inf
    for number in range(count_features(Q, k)):
        i = W.n_features[NOW]  # (the table has one spare row)
        _put_feature(Q, W, k, number, i)
        gap = feature_gap(Q, W, i, x, R)
        is_relaxed = W.fkind[i] == CROSSING and W.softness[0] > 0.0
        nearest = min(nearest, round_gap(W, i, x, R) if is_relaxed else gap)
        if number == 0 and gap > reach and _first_is_nearest(Q, k, R):
            break
        if gap > reach or _known(W, i):
            continue
        if i + 1 < W.fpair.shape[0]:
            W.n_features[NOW] = i + 1
        else:
            W.n_features[NO_ROOM] += 1
    return nearest


@kernel
def _known(W, i):
    """Whether the feature in row i was there before this choice (pairs come once in each)."""
    for j in range(W.n_features[BEFORE_LOOK]):
        if W.fpair[j] == W.fpair[i] and W.fkey[j] == W.fkey[i] and takes_part(W, j):
            return True
    return False
