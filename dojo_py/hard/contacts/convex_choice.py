"""Features of pairs of bodies: chosen at the start of the step, checked at its end, with more added where a pair overlaps there."""

import math

from dojo_py.collision.candidates import AROUND
from dojo_py.collision.facing_change import is_turned_away
from dojo_py.collision.pair_gap import pair_far
from dojo_py.collision.participation import AT_START, BEFORE_LOOK, MISSED, NOW, OF_STEP, takes_part
from dojo_py.collision.relaxed_points import PAIR
from dojo_py.collision.touching import find_features, pair_distance
from dojo_py.hard.contacts.followed_rims import follow_rims
from dojo_py.hard.contacts.foresight import SPARE, may_close
from dojo_py.hard.contacts.ghosts import let_misses_go, moves_fast
from dojo_py.hard.contacts.near_pairs import closing, gap_of_pair, near_at_end, near_by_fade, near_by_travel
from dojo_py.hard.contacts.passing import poses_at
from dojo_py.hard.contacts.round_pairs import find_round
from dojo_py.hard.contacts.start_places import look_at_start, start_gap_of
from dojo_py.hard.elements.contact_rows import OVERLAP
from dojo_py.hard.elements.far_pairs import full_distance, share
from dojo_py.hard.elements.feature_geometry import feature_gap
from dojo_py.hard.island_memory import HOW, STAYED
from dojo_py.jit import kernel

TOUCHING = 5e-10
"""A convex pair that overlaps at the end of a step by more than this [m], and by more than this deeper than its features, touches
with something that took no part: half of the overlap that is promised never to occur."""
NEGATIVE = -1e-300
"""The same for a round pair, whose gap has a closed form."""

SAME = 1e-12
"""Depths [m] that differ by no more than this count as equal."""

MORE = 4.0
"""After a step has failed, features are looked for within this many times the reach of a step."""


@kernel
def choose_features(L, P, Q, W, h, kappa, margin):
    """Fill the table of features of this step: those of pairs within reach at its start, with their impulses of the last step."""
    W.n_features[:] = 0
    W.relaxed[PAIR] = -1.0
    if kappa > 0.0:
        near_by_fade(Q, W, kappa)
        for i in range(W.sweep.found[0]):
            k, first = W.sweep.near[i], W.n_features[NOW]
            _find(Q, W, k, 2.0 * full_distance(Q, k, kappa))
            for f in range(first, W.n_features[NOW]):
                look_at_start(Q, W, f)
    else:
        near_by_travel(L, Q, W, h, SPARE, margin)
        for i in range(W.sweep.found[0]):
            k, first = W.sweep.near[i], W.n_features[NOW]
            find_closing(L, Q, W, k, h, SPARE, margin)
            let_misses_go(L, Q, W, k, first, h)
    W.n_features[AT_START] = W.n_features[NOW]
    _remember(P, W, 0)


@kernel
def find_closing(L, Q, W, k, h, spare, margin):
    """Add the features of pair k if one of them may close in the step: by `spare` times the present motion, to the margin [m].

    Or if the geoms may pass through each other and be apart again at the poses foreseen.
    """
    first, way = W.n_features[NOW], closing(L, Q, W, k, h)
    _find(Q, W, k, margin + spare * way)
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    thickness, a, b = Q.shape_inner[a] + Q.shape_inner[b], Q.shape_node[a], Q.shape_node[b]
    for f in range(first, W.n_features[NOW]):
        gap, foreseen = feature_gap(Q, W, f, W.x, W.R), feature_gap(Q, W, f, W.x_ahead, W.R_ahead)
        if way > gap + thickness or may_close(L, a, b, gap, foreseen, h, spare, margin):
            return
    W.n_features[NOW] = first


@kernel
def _find(Q, W, k, reach):
    """Add the features of pair k within reach [m] at the start of the step."""
    around = AROUND if k >= Q.rounds[0] and W.kappa[0] > 0.0 else 1.0
    if pair_far(Q, k, W.x, W.R, around * reach):
        return
    if k < Q.rounds[0]:
        find_round(Q, W, k, W.x, W.R, reach)
    else:
        find_features(Q, W, k, W.x, W.R, reach)


@kernel
def _remember(P, W, first):
    """Look up the last step's impulses of the features from number `first` on; both lists are nearly in the order of pairs."""
    planes, old, known, at = P.body.shape[0], W.warm_feature, 0, 0
    while known < old.shape[0] and old[known, 0] > 0.0:
        known += 1
    for f in range(first, W.n_features[NOW]):
        impulse = W.warm_con[planes + f]
        for r in range(impulse.shape[0]):
            impulse[r] = 0.0
        for ahead in range(known):
            i = (at + ahead) % known
            if old[i, 0] == W.fpair[f] + 1.0 and old[i, 1] == float(W.fkey[f]):
                for r in range(impulse.shape[0]):
                    impulse[r] = old[i, 2 + r]
                at = i + 1
                break


@kernel
def left_out_features(P, Q, W, h):
    """Add features of pairs that overlap at the next poses by more than all their features do; returns how many, with those that
    are marked by `_want_faded`.

    W.pair_gap: the smallest gap. h: length of the step [s].
    """
    W.checks[0] += 1
    before = W.n_features[BEFORE_LOOK] = W.n_features[NOW]
    W.pair_gap[0] = math.inf
    near_at_end(Q, W)
    for i in range(W.sweep.found[0]):
        k = W.sweep.near[i]
        apart = max(W.pair_gap[0], 0.0)
        if not pair_far(Q, k, W.xn, W.Rn, apart):
            W.pair_gap[0] = min(W.pair_gap[0], look_at_end(Q, W, k, h, apart))
    W.fwanted[before : W.n_features[NOW]] = MISSED
    if W.kappa[0] == 0.0:
        follow_rims(W, before)
    _mark_hasty(Q, W, before)
    _remember(P, W, before)
    return W.n_features[NOW] - before + _want_faded(Q, W, before)


@kernel
def _mark_hasty(Q, W, first):
    """Mark in W.hasty the bodies of features from number `first` on whose pairs move by a good part of their size in the step."""
    for f in range(first, W.n_features[NOW]):
        if moves_fast(Q, W, W.fpair[f]):
            for side in range(2):
                if W.fbody[f, side] >= 0:
                    W.hasty[W.fbody[f, side]] = 1


@kernel
def look_at_end(Q, W, k, h, reach):
    """Add the features of pair k if it overlaps at the next poses, after h [s], by more than all its features do.

    Returns its gap there [m]; where that is beyond reach [m], 0 at least, a lower bound of it.
    """
    if k < Q.rounds[0]:
        return find_round(Q, W, k, W.xn, W.Rn, NEGATIVE)
    gap = pair_distance(Q, W, k, W.xn, W.Rn, reach)
    if gap < -TOUCHING and gap < _known_gap(Q, W, k) - TOUCHING and not _opens(Q, W, k, gap, h):
        find_features(Q, W, k, W.xn, W.Rn, 0.0)
    return gap


@kernel
def _want_faded(Q, W, count):
    """Mark which of the first `count` features have faded, wholly or in part, and are needed after all: their pairs overlap at the
    next poses.
    """
    marked = 0
    for f in range(count):
        less = W.fends[f] > 0 or is_turned_away(W, f) or faded(Q, W, f)
        if W.fwanted[f] == OF_STEP and less and feature_gap(Q, W, f, W.xn, W.Rn) < -TOUCHING:
            if gap_of_pair(Q, W, W.fpair[f], W.xn, W.Rn, 0.0) < -TOUCHING:
                W.fwanted[f] = MISSED
                marked += 1
    return marked


@kernel
def faded(Q, W, f):
    """Whether the impulse of feature f has faded away where the step starts (far_pairs.py)."""
    if not W.kappa[0] > 0.0:
        return False
    gap = start_gap_of(Q, W, f)
    return share(gap, full_distance(Q, W.fpair[f], W.kappa[0]))[0] == 0.0


@kernel
def _known_gap(Q, W, k):
    """The smallest gap [m] at the next poses of the features of pair k that take part: an overlap at the start may remain."""
    least = math.inf
    for f in range(W.n_features[NOW]):
        if W.fpair[f] == k and takes_part(W, f) and (W.fwanted[f] != OF_STEP or not faded(Q, W, f)):
            least = min(least, feature_gap(Q, W, f, W.xn, W.Rn))
    return least


@kernel
def _opens(Q, W, k, gap, h):
    """Whether pair k, with this gap [m] at the next poses, overlapped at the start by no less, and by more than a step undoes.

    Then its present features push it out, step by step, whatever else of it is deepest meanwhile: the rim of a wheel that rotates
    as it is lifted off the ground has no deepest corner for long. Where overlaps stay because nothing can undo them, a step undoes
    nothing.
    """
    poses_at(Q, W, k, 0.0)
    start = gap_of_pair(Q, W, k, W.x_before, W.R_before, 0.0)
    b = max(Q.shape_node[Q.geom[k, 0]], Q.shape_node[Q.geom[k, 1]])
    undone = 0.0 if W.next_memory[b, HOW] == STAYED else h * W.options.recovery_speed
    return start < -max(undone, OVERLAP) and start <= gap + SAME and _known_gap(Q, W, k) < math.inf


@kernel
def want_features(L, P, Q, W, h):
    """Add the features of pairs of the islands in W.span that may close by MORE times what is foreseen. Returns how many.

    None on the central path: there all features that have not faded to zero take part.
    """
    if W.kappa[0] > 0.0:
        return 0
    before = W.n_features[BEFORE_LOOK] = W.n_features[NOW]
    near_by_travel(L, Q, W, h, MORE * SPARE, 0.0)
    for i in range(W.sweep.found[0]):
        k = W.sweep.near[i]
        a, b = Q.shape_node[Q.geom[k, 0]], Q.shape_node[Q.geom[k, 1]]
        if a < 0 or b < 0 or W.island[a] == W.island[b]:
            if W.taken[0] <= W.island[max(a, b)] < W.taken[1]:
                find_closing(L, Q, W, k, h, MORE * SPARE, 0.0)
    _remember(P, W, before)
    return W.n_features[NOW] - before
