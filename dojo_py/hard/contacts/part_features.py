"""Contact features of a part of a step: chosen where the part starts and checked where it ends, as in a whole step.

Where bodies rotate or move by much of their size in a step, the features chosen at its start (planes, edges without ends) are far
beside the shapes later. So in parts of a step pairs that have moved by a fraction FAST of their thickness have features of their
own in each part, and those of the whole step take no part. A feature that is chosen again in a later part keeps its row, and with
it the impulses it has had (summed_impulses.py).

A feature that was found at the end of the whole step may overlap where a part starts, by more than its pair does: in a short part
it would throw the bodies apart at once. It waits for a part at whose end its pair overlaps.
"""

from dojo_py.arrays import copy, copy_rows
from dojo_py.collision.participation import BEFORE_LOOK, LET_GO, MISSED, NOW, OF_PART, OF_STEP, is_suspended, suspend, takes_part
from dojo_py.hard.contacts.convex_choice import find_closing, look_at_end
from dojo_py.hard.contacts.foresight import SPARE
from dojo_py.hard.contacts.ghosts import FAST, thickness_of
from dojo_py.hard.contacts.near_pairs import gap_of_pair, near_at_end, near_by_travel
from dojo_py.hard.contacts.part_states import features_of_step, of_islands
from dojo_py.hard.contacts.passing import find_passing, way_between
from dojo_py.hard.elements.contact_rows import OVERLAP
from dojo_py.hard.elements.feature_geometry import feature_gap
from dojo_py.hard.islands import in_span
from dojo_py.jit import kernel


@kernel
def choose_in_part(L, Q, W, h):
    """Choose features of the pairs of the islands in W.span that have moved and may close in a part of length h from the poses in
    W.x: of these pairs no others take part in it. Returns 0.
    """
    features_of_step(W)
    for f in range(W.n_features[NOW]):
        if W.fwanted[f] == LET_GO and of_islands(W, f):
            W.fwanted[f] = OF_STEP  # (a ghost of another part may be met in this one)
        if takes_part(W, f) and (_moved(Q, W, W.fpair[f], W.x, W.q) or _waits(Q, W, f)):
            suspend(W, f)
    before = W.n_features[BEFORE_LOOK] = W.n_features[NOW]
    near_by_travel(L, Q, W, h, SPARE, 0.0)
    for i in range(W.sweep.found[0]):
        if _moved(Q, W, W.sweep.near[i], W.x, W.q):
            find_closing(L, Q, W, W.sweep.near[i], h, SPARE, 0.0)
    _merge(W, before)
    return 0


@kernel
def left_out_of_part(P, Q, W, h):
    """Add the features with which pairs of the islands in W.span overlap by more, where a part of length h ends, than with those
    they have in it; if there are none, features that keep pairs from passing. Returns how many, negative for the latter.
    """
    before = W.n_features[BEFORE_LOOK] = W.n_features[NOW]
    near_at_end(Q, W)
    for i in range(W.sweep.found[0]):
        if _moved(Q, W, W.sweep.near[i], W.xn, W.qn) or _any_waits(W, W.sweep.near[i]):
            look_at_end(Q, W, W.sweep.near[i], h, 0.0)
    if W.n_features[NOW] > before:
        return _merge(W, before)
    find_passing(P, Q, W, True)
    return -_merge(W, before)


@kernel
def _waits(Q, W, f):
    """Whether feature f of the islands in W.span was found where the whole step ended, and overlaps at the poses in W.x by more
    than its pair does.
    """
    if W.fwanted[f] != MISSED or not of_islands(W, f):
        return False
    gap = feature_gap(Q, W, f, W.x, W.R)
    return gap < -OVERLAP and gap < min(gap_of_pair(Q, W, W.fpair[f], W.x, W.R, 0.0), 0.0) - OVERLAP


@kernel
def _any_waits(W, k):
    """Whether a feature of pair k waits for a later part."""
    for f in range(W.n_features[NOW]):
        if W.fpair[f] == k and is_suspended(W, f, MISSED):
            return True
    return False


@kernel
def _moved(Q, W, k, x, q):
    """Whether pair k is of the islands in W.span, or of one of their bodies and the world, and has moved from where the step starts
    to the poses x (nb + 1, 3), q (nb + 1, 4) by a fraction FAST of its thickness.
    """
    one, two = Q.geom[k, 0], Q.geom[k, 1]
    a, b = Q.shape_node[one], Q.shape_node[two]
    if (a >= 0 and not in_span(W, a)) or (b >= 0 and not in_span(W, b)):
        return False
    way = 0.0 if a < 0 else way_between(Q, one, W.start_bodies[a], x[a], q[a])
    way += 0.0 if b < 0 else way_between(Q, two, W.start_bodies[b], x[b], q[b])
    return way > FAST * thickness_of(Q, k)


@kernel
def _merge(W, before):
    """The features from row `before` on take part: those that an earlier part had go to their rows there, the others stay behind.

    Returns how many they are.
    """
    found, last = W.n_features[NOW] - before, before
    for r in range(before, W.n_features[NOW]):
        place = last
        for f in range(before):
            if is_suspended(W, f, OF_PART) and W.fpair[f] == W.fpair[r] and W.fkey[f] == W.fkey[r]:
                place = f
        if place != r:
            _copy_feature(W, r, place)
        W.fwanted[place] = OF_PART
        last = last + 1 if place == last else last
    for r in range(last, W.n_features[NOW]):
        W.fwanted[r] = OF_STEP
    W.n_features[NOW] = last
    return found


@kernel
def _copy_feature(W, i, to):
    """Copy row i of the table of features to another, for the hard limit: without what only the central path uses of it."""
    W.fpair[to], W.fkey[to], W.fkind[to], W.fsign[to] = W.fpair[i], W.fkey[i], W.fkind[i], W.fsign[i]
    W.ffriction[to], W.flaw[to], W.fends[to], W.fleast_sine[to] = W.ffriction[i], W.flaw[i], W.fends[i], W.fleast_sine[i]
    W.flift[to], W.fcrossing[to], W.free_kind[to] = W.flift[i], W.fcrossing[i], 0
    for side in range(2):
        W.fbody[to, side], W.fshape[to, side], W.fradius[to, side] = W.fbody[i, side], W.fshape[i, side], W.fradius[i, side]
        copy(W.fcentre[i, side], W.fcentre[to, side])
        copy(W.fhalf[i, side], W.fhalf[to, side])
        copy(W.fpart[i, side], W.fpart[to, side])
        copy_rows(W.faxes[i, side], W.faxes[to, side])
