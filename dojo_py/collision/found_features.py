"""The features that a manifold has found: which are kept, and their copies in the frames of the bodies."""

import math

from dojo_py.arrays import body_row
from dojo_py.collision.convex_shapes import CYLINDER
from dojo_py.collision.facing import WHOLE
from dojo_py.collision.features import BALL_FEATURE, NEAREST
from dojo_py.collision.overhang import keep_ends
from dojo_py.collision.participation import NO_ROOM, NOW, takes_part
from dojo_py.collision.shown_polygons import CORNERS
from dojo_py.jit import kernel

ENDLESS = 1e6
"""Half length [m] of a cylinder's wall as one side of a feature: it has no end."""
NUMBERS = CORNERS * CORNERS


@kernel
def keep_spread(M, most):
    """Mark the features that are kept: all or, of more than `most`, the deepest, then repeatedly the one farthest from those kept.

    No feature is deeper than its pair, because a translation by the penetration depth separates the shapes everywhere. One that is
    deeper (gap below `M.least`) has its point outside of the face or edge that it refers to. As a constraint it would push where
    nothing touches, and add energy: it is not kept, nor is another one at its place.
    """
    count, real = M.found[0], 0
    for f in range(count):
        M.kept[f] = M.gap[f] + M.farther[f] >= M.least[0]
        real += M.kept[f]
    if real <= most:
        return
    best = -1
    for f in range(count):
        M.far[f] = math.inf if M.kept[f] else -1.0
        if M.kept[f] and (best < 0 or M.gap[f] < M.gap[best]):
            best = f
        M.kept[f] = False
    for _ in range(most):
        M.kept[best] = True
        last = best
        for f in range(count):
            d = (M.place[f, 0] - M.place[last, 0]) ** 2 + (M.place[f, 1] - M.place[last, 1]) ** 2
            M.far[f] = min(M.far[f], d)
            if not M.kept[f] and M.far[f] >= 0.0 and (M.kept[best] or M.far[f] > M.far[best]):
                best = f


@kernel
def add_feature(Q, W, k, M, f, x, R):
    """Add feature f of M to W's table of features, in the frames of the bodies, unless the table holds it already."""
    key = ((2 * M.kind[f] + M.side[f]) * NUMBERS + M.corner[f, 0]) * NUMBERS + M.corner[f, 1]
    s = W.n_features[NOW]
    for i in range(s):
        if W.fpair[i] == k and W.fkey[i] == key and takes_part(W, i):
            return
    if s + 1 >= W.fpair.shape[0]:
        W.n_features[NO_ROOM] += 1  # no room: counted for the caller
        return
    W.n_features[NOW] = s + 1
    i = s
    W.fpair[i], W.fkey[i], W.fkind[i], W.fsign[i] = k, key, M.kind[f], M.sign[f]
    W.ffriction[i], W.flaw[i] = Q.friction[k], Q.law[k]
    first_side = M.side[f] if M.kind[f] == BALL_FEATURE else 0  # the ball comes first
    W.fends[i], W.fleast_sine[i] = 0, 0.0
    W.fpart[i, 0, 0] = W.fpart[i, 1, 0] = WHOLE
    for place in range(2):
        side = place if first_side == 0 else 1 - place
        g = Q.geom[k, side]
        W.fshape[i, place], W.fbody[i, place] = g, Q.shape_node[g]
        W.fradius[i, place] = M.rounding[f, side]
        if M.kind[f] == NEAREST or (M.kind[f] == BALL_FEATURE and place == 1):
            _whole(Q, W, i, place, g)
            continue
        _in_body(W, i, place, M, f, side, body_row(x, Q.shape_node[g]), x, R)
    if M.band[0] > 0.0 and M.kind[f] != NEAREST:
        keep_ends(M, f, W, i, first_side, x, R)
        for side in range(2):
            for r in range(3):
                W.fpart[i, side, r] = M.part[f, side, r]


@kernel
def _in_body(W, i, place, M, f, side, b, x, R):
    """Copy one side of feature f of M to side `place` of feature i, in the frame of body b; poses x (nb + 1, 3), R."""
    for r in range(3):
        at, direction, across = 0.0, 0.0, 0.0
        for c in range(3):
            at += R[b, c, r] * (M.at[f, side, c] - x[b, c])
            direction += R[b, c, r] * M.along[f, side, c]
            across += R[b, c, r] * M.across[f, side, c]
        W.fcentre[i, place, r], W.faxes[i, place, r, 2], W.faxes[i, place, r, 0] = at, direction, across
    W.fhalf[i, place, 0], W.fhalf[i, place, 1] = M.angle[f, side], M.turn[f]


@kernel
def _whole(Q, W, i, place, g):
    """The whole geom as one side of feature i: its centre and axes, and half the length of its axis."""
    for r in range(3):
        W.fcentre[i, place, r] = Q.shape_centre[g, r]
        for c in range(3):
            W.faxes[i, place, r, c] = Q.shape_axes[g, r, c]
    W.fhalf[i, place, 0] = W.fhalf[i, place, 1] = 0.0
    W.fhalf[i, place, 2] = ENDLESS if Q.shape_kind[g] == CYLINDER else Q.shape_size[g, 1]
