"""Features where the step starts: gap, normal and point there, and on the central path the terms by which gaps grow where a feature
hangs over an end or faces away (collision/overhang.py, facing.py).

All of it is a function of the poses at the start, which do not change while Newton's method moves the bodies. On the central path
it is needed several times a step: which features have faded, the frames of contacts, derivatives. So it is kept in W.fstart,
together with the poses for which it was computed: each part of a divided step (parts.py) starts from other poses.
"""

import math

from dojo_py.arrays import body_row, copy, scratch
from dojo_py.collision.candidates import FELT
from dojo_py.collision.facing_change import is_turned_away, turned_away
from dojo_py.collision.overhang import STEEPNESS, overhang
from dojo_py.collision.participation import AT_START, OF_STEP
from dojo_py.hard.elements.feature_geometry import feature_geometry
from dojo_py.jit import kernel

POSES, GAP, NORMAL, POINT, DGAP, DNORMAL, BEYOND, DPOINT, NUMBERS = 0, 24, 25, 28, 31, 43, 79, 92, 128
"""Where in a row of W.fstart: x (3,) and R (9,) of both bodies, then as in `start_gap_of`; the derivative of the point."""


@kernel
def start_gap_of(Q, W, f):
    """Gap [m] of feature f where the step starts, with the term for its overhang and for facing away (collision/overhang.py,
    facing.py).

    W.feature: its normal, point and derivatives; dgap contains the derivative of that term.
    W.beyond (13,): the term alone, then its derivative.
    """
    place = W.feature
    for k in range(13):
        W.beyond[k] = 0.0
    a, b = body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1])
    if W.kappa[0] == 0.0 or W.free_kind[f] != 0:
        return feature_geometry(Q, W, f, W.x[a], W.R[a], W.x[b], W.R[b], place.normal, place.point, place.dgap, place.dn, place.dc)
    kept = W.fstart[f]
    if f >= W.n_features[AT_START] or not (_is_pose(W, a, kept[0:12]) and _is_pose(W, b, kept[12:24])):
        look_at_start(Q, W, f)
    if W.fwanted[f] == OF_STEP:
        copy(kept[BEYOND:DPOINT], W.beyond)
    for r in range(3):
        place.normal[r], place.point[r] = kept[NORMAL + r], kept[POINT + r]
        copy(kept[DNORMAL + 12 * r : DNORMAL + 12 * r + 12], place.dn[r])
        copy(kept[DPOINT + 12 * r : DPOINT + 12 * r + 12], place.dc[r])
    for k in range(12):
        place.dgap[k] = kept[DGAP + k] + W.beyond[1 + k]
    return kept[GAP] + W.beyond[0]


@kernel
def start_band(Q, W, f):
    """ℓ [m] of the pair of feature f (collision/overhang.py)."""
    return math.sqrt(FELT * W.kappa[0]) * Q.fade[W.fpair[f]]


@kernel
def look_at_start(Q, W, f):
    """Compute row f of W.fstart, on the central path."""
    kept, a, b = W.fstart[f], body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1])
    n, c, term = kept[NORMAL:POINT], kept[POINT:DGAP], kept[BEYOND:DPOINT]
    dgap, dn, dc = scratch(12), scratch((3, 12)), scratch((3, 12))
    _put_pose(W, a, kept[0:12])
    _put_pose(W, b, kept[12:24])
    gap = feature_geometry(Q, W, f, W.x[a], W.R[a], W.x[b], W.R[b], n, c, dgap, dn, dc)
    kept[GAP] = gap
    copy(dgap, kept[DGAP:DNORMAL])
    for r in range(3):
        copy(dn[r], kept[DNORMAL + 12 * r : DNORMAL + 12 * r + 12])
        copy(dc[r], kept[DPOINT + 12 * r : DPOINT + 12 * r + 12])
    for k in range(13):
        term[k] = 0.0
    band, by = start_band(Q, W, f), term[1:]
    if W.fends[f] > 0 or W.fleast_sine[f] > 0.0:
        term[0] = overhang(W, f, band, gap, n, c, dgap, dn, dc, W.x, W.R, by)
    if is_turned_away(W, f):
        term[0] += turned_away(Q, W, f, STEEPNESS * band, W.x, W.R, by)


@kernel
def _put_pose(W, b, out):
    """out (12,) = pose of the body in row b where the step starts."""
    for i in range(3):
        out[i] = W.x[b, i]
        for j in range(3):
            out[3 + 3 * i + j] = W.R[b, i, j]


@kernel
def _is_pose(W, b, pose):
    """Whether that is the pose (12,) of the body in row b."""
    for i in range(3):
        if pose[i] != W.x[b, i]:
            return False
        for j in range(3):
            if pose[3 + 3 * i + j] != W.R[b, i, j]:
                return False
    return True
