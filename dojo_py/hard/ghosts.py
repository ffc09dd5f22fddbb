"""No impulses where bodies do not touch: features that carry beside their shapes are let go.

Faces, edges and axes have no ends within a step (collision/features.py): a corner over a face stays over its plane, and a body
that moves by a good part of its size may run into the plane beside the face. The solve tells: the feature carries, and its point of
contact is on only one of the shapes, or on none. Then the island is solved again without it. Where the pair overlaps without it,
the check at the end of the step finds what it really touches with there (convex_choice.py), which is never let go.

The impulse of a ghost may turn its body so that it touches in the end, which is a solution, too. So what the motion foreseen does
not touch is let go before anything is solved (`let_misses_go`).
"""

from dojo_py.arrays import body_row, scratch
from dojo_py.collision.height_fields import HFIELD
from dojo_py.collision.pair_gap import distance_apart, distance_of_point
from dojo_py.hard.bodies import strongest_gravity
from dojo_py.hard.feature_geometry import feature_gap, feature_point
from dojo_py.hard.islands import CONTACTS
from dojo_py.hard.near_pairs import closing
from dojo_py.hard.passing import path_length
from dojo_py.jit import kernel

APART = 1e-7
"""Distance [m] at the end of a step up to which shapes touch, and a point of contact is on its shape."""
NOTABLE = 1e-4
"""Share of the largest impulse of its islands from which what carries is a ghost: it costs another solve."""
FAST = 0.2
"""Of its thickness: how far a pair moves in the step before a feature is looked at that touches where it starts: what moves less
is beside its faces by less. (What does not touch there may be beside them from the start, and all the way.) And how far beside its
shapes a feature of a pair that touches elsewhere may carry in a part of a step, in which others can be found."""
LET_GO = -1
"""W.fwanted of a ghost."""


@kernel
def let_ghosts_go(P, Q, W, in_part):
    """Let the ghosts go in the solution of the islands in W.span, of a whole step or of a part. Returns how many there are."""
    most, count = 0.0, 0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        most = max(most, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        f = W.active[c] - P.body.shape[0]
        if f < 0 or W.fwanted[f] != 0 or not (W.con[c, 1] < APART and W.con[c, 0] > NOTABLE * most):
            continue
        pair = W.fpair[f]
        if not has_ends(Q, pair) or not (_moves(Q, W, pair) or feature_gap(Q, W, f, W.x, W.R) > APART):
            continue
        if _beside(Q, W, f, in_part):
            W.fwanted[f] = LET_GO
            W.con[c, :] = 0.0
            count += 1
    return count


@kernel
def let_misses_go(L, Q, W, k, first, h):
    """Let go the features of pair k from number `first` on that meet where bodies are foreseen although its shapes are apart there.

    By more than gravity makes of it in h [s]. Not what touches where the step starts, or may pass through.
    """
    if not has_ends(Q, k) or closing(L, Q, W, k, h) > thickness_of(Q, k):
        return
    gravity = max(strongest_gravity(L, Q.shape_node[Q.geom[k, 0]]), strongest_gravity(L, Q.shape_node[Q.geom[k, 1]]))
    spare = APART + 2.0 * h * h * gravity
    apart = -1.0
    for f in range(first, W.n_features[0]):
        if feature_gap(Q, W, f, W.x, W.R) > APART and feature_gap(Q, W, f, W.x_ahead, W.R_ahead) < 0.0:
            if apart < 0.0:
                apart = distance_apart(Q, W, k, W.x_ahead, W.R_ahead)
            if apart > spare:
                W.fwanted[f] = LET_GO


@kernel
def take_ghosts_back(P, W):
    """The ghosts that touch in W.best, the last solution, take part again: nothing was found without them.

    Those that were let go before it stay away: it was found without them.
    """
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        f = W.active[c] - P.body.shape[0]
        if f >= 0 and W.fwanted[f] == LET_GO and W.best.con[c, 1] < APART:
            W.fwanted[f] = 0


@kernel
def _beside(Q, W, f, in_part):
    """Whether the shapes of feature f end apart; or, in a part of a step, its point of contact is beside one of them by a share of
    their thickness, and not held there (held_points.py).
    """
    n, c, pair = scratch(3), scratch(3), W.fpair[f]
    feature_point(Q, W, f, W.xn, W.Rn, n, c)
    point = c[0], c[1], c[2]
    far = 0.0
    for g in (Q.geom[pair, 0], Q.geom[pair, 1]):
        b = body_row(W.xn, Q.shape_node[g])
        far = max(far, distance_of_point(Q, W, g, W.xn[b], W.Rn[b], point))
    if not far > APART:
        return False
    if in_part and W.free_kind[f] == 0 and far > FAST * thickness_of(Q, pair):
        return True
    return distance_apart(Q, W, pair, W.xn, W.Rn) > APART


@kernel
def thickness_of(Q, k):
    """Of both shapes of pair k [m]."""
    return Q.shape_inner[Q.geom[k, 0]] + Q.shape_inner[Q.geom[k, 1]]


@kernel
def has_ends(Q, k):
    """Whether features of pair k may be beside its shapes: not those of round ones, nor of a height field's single triangles."""
    return k >= Q.rounds[0] and Q.shape_kind[Q.geom[k, 1]] != HFIELD


@kernel
def _moves(Q, W, k):
    """Whether the geoms of pair k move by a share of their thickness."""
    return path_length(Q, W, Q.geom[k, 0]) + path_length(Q, W, Q.geom[k, 1]) > FAST * thickness_of(Q, k)
