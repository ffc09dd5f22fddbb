"""No impulses where bodies do not touch: features that push beside their shapes ("ghosts") are removed from the step.

Faces, edges and axes have no ends within a step (collision/features.py): a corner over a face stays over its plane, and a body
that moves by a good part of its size may run into the plane beside the face. The solution shows it: the feature has an impulse, and
its contact point is on only one of the shapes, or on none. Then the island is solved again without it. Where the pair overlaps
without it, the check at the end of the step adds the features with which it touches there (convex_choice.py); these are never
removed.

The impulse of a ghost may rotate its body so that it touches in the end, which is a solution, too. So features that the shapes miss
in the motion foreseen are removed before anything is solved (`let_misses_go`).
"""

from dojo_py.arrays import body_row, scratch
from dojo_py.collision.height_fields import HFIELD
from dojo_py.collision.pair_gap import distance_apart, distance_of_point
from dojo_py.collision.participation import LET_GO, NOW, OF_STEP
from dojo_py.hard.contacts.near_pairs import closing
from dojo_py.hard.contacts.passing import way_of_geom
from dojo_py.hard.elements.bodies import strongest_gravity
from dojo_py.hard.elements.feature_geometry import feature_gap, feature_point
from dojo_py.hard.islands import CONTACTS
from dojo_py.jit import kernel

APART = 1e-7
"""Distance [m] at the end of a step up to which shapes touch, and a contact point is on its shape."""
NOTABLE = 1e-4
"""Impulse of a ghost, as a fraction of the largest one of the islands, from which it is removed: that costs another solve."""
FAST = 0.2
"""Fraction of a pair's thickness. Features that touch at the start of the step are examined only if the pair moves by more than
this: otherwise they are beside their faces by less. (Those that do not touch there may be beside them from the start.) And in a
part of a step a feature is a ghost if its point is farther beside its shapes than this, even where the pair touches elsewhere:
other features can be found in each part."""


@kernel
def let_ghosts_go(P, Q, W, in_part):
    """Remove the ghosts in the solution of the islands in W.span, of a whole step or of a part. Returns how many there are."""
    most, count = 0.0, 0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        most = max(most, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        f = W.active[c] - P.body.shape[0]
        if f < 0 or W.fwanted[f] != OF_STEP or not (W.con[c, 1] < APART and W.con[c, 0] > NOTABLE * most):
            continue
        pair = W.fpair[f]
        if not has_ends(Q, pair) or not (moves_fast(Q, W, pair) or feature_gap(Q, W, f, W.x, W.R) > APART):
            continue
        if _beside(Q, W, f, in_part):
            W.fwanted[f] = LET_GO
            W.con[c, :] = 0.0
            count += 1
    return count


@kernel
def let_misses_go(L, Q, W, k, first, h):
    """Remove the features of pair k from number `first` on that overlap at the poses foreseen although its shapes are apart there.

    Apart by more than gravity can close in h [s]. Features that touch at the start of the step stay, as do pairs that may pass
    through each other.
    """
    if not has_ends(Q, k) or closing(L, Q, W, k, h) > thickness_of(Q, k):
        return
    gravity = max(strongest_gravity(L, Q.shape_node[Q.geom[k, 0]]), strongest_gravity(L, Q.shape_node[Q.geom[k, 1]]))
    spare = APART + 2.0 * h * h * gravity
    apart = -1.0
    for f in range(first, W.n_features[NOW]):
        if feature_gap(Q, W, f, W.x, W.R) > APART and feature_gap(Q, W, f, W.x_ahead, W.R_ahead) < 0.0:
            if apart < 0.0:
                apart = distance_apart(Q, W, k, W.x_ahead, W.R_ahead)
            if apart > spare:
                W.fwanted[f] = LET_GO


@kernel
def take_ghosts_back(P, W):
    """Let the ghosts that touch in W.best, the last solution, take part again: there was no solution without them.

    Those that were removed before W.best was found stay removed.
    """
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        f = W.active[c] - P.body.shape[0]
        if f >= 0 and W.fwanted[f] == LET_GO and W.best.con[c, 1] < APART:
            W.fwanted[f] = OF_STEP


@kernel
def _beside(Q, W, f, in_part):
    """Whether the contact point of feature f is beside one of its shapes and these end apart; or, in a part of a step, it is beside
    by more than FAST of their thickness, and not held there (held_points.py).
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
    """Thickness of pair k [m], the sum of both shapes'; twice that of a shape that moves over the fixed world, whose size says
    nothing: a coin moves by much of its size while a floor of metres does not.
    """
    one, two = Q.geom[k, 0], Q.geom[k, 1]
    first, second = Q.shape_inner[one], Q.shape_inner[two]
    return 2.0 * second if Q.shape_node[one] < 0 else 2.0 * first if Q.shape_node[two] < 0 else first + second


@kernel
def has_ends(Q, k):
    """Whether features of pair k may be beside its shapes: not those of round ones, nor of a height field's single triangles."""
    return k >= Q.rounds[0] and Q.shape_kind[Q.geom[k, 1]] != HFIELD


@kernel
def moves_fast(Q, W, k):
    """Whether the geoms of pair k move by more than FAST of their thickness."""
    return way_of_geom(Q, W, Q.geom[k, 0]) + way_of_geom(Q, W, Q.geom[k, 1]) > FAST * thickness_of(Q, k)
