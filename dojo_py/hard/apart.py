"""What a hard step calls by its address, because it is compiled apart: when a model or a task first needs it (by_address.py).

    PAIRS          contacts between bodies: which pairs are near, what they touch with, gaps, rows (`pair_tasks.py`)
    DERIVATIVES    A and B of a step, or their products with cotangents (`gradients/derivatives.py`)
    PARAMETERS     derivatives of a step by parameters (`parameters/columns.py`)

A model whose bodies touch only planes, and a roll-out without derivatives, need none: they wait for little more than half of
what there is to compile.

A kernel is compiled together with all kernels that it calls. So the step calls the functions below, which go by an address to those
of the same name that do the work: `choose_features` here asks, by address, `pairs(CHOOSE, …)` for `choose_features` of
convex_choice.py. All about pairs is asked of this one function, with a task as its first argument, so that what tasks share
(closest points, features) is compiled once. A model without pairs asks nothing: the answers here are then those of an empty list.
"""

import math

from dojo_py.by_address import call_apart
from dojo_py.jit import kernel

PAIRS, DERIVATIVES, PARAMETERS = 0, 1, 3
"""2 is the soft mode's (soft/sparse_hessian.py)."""

(
    CHOOSE,
    LEFT_OUT,
    WANT,
    PASSING,
    SMALLEST,
    GEOMETRY,
    ROWS,
    DISPLACE,
    HOLD,
    HOLD_CORNERS,
    HOLD_APART,
    FADED,
    GHOSTS,
    APART_AT_START,
    CHOOSE_IN_PART,
    LEFT_OUT_OF_PART,
) = range(16)
"""What PAIRS is asked for."""

START, END, BEFORE = 0, 1, 2
"""Poses that a feature is looked at in: where the step starts, where it ends, W.x_before."""


@kernel
def _ask(task, L, P, Q, W, i, j, a, b, c):
    """The answer of `pair_tasks.pairs`, whose arguments these are: 0 for those that a task has no use for."""
    return call_apart(W.apart, PAIRS, (task, L, P, Q, W, i, j, float(a), float(b), float(c)))


@kernel
def choose_features(L, P, Q, W, h, kappa, margin):
    """The table of features of this step (convex_choice.py)."""
    W.n_features[:] = 0
    if Q.geom.shape[0] > 0:
        _ask(CHOOSE, L, P, Q, W, 0, 0, h, kappa, margin)


@kernel
def left_out_features(L, P, Q, W, h):
    """Add features of pairs that are deeper at the next poses than all they have (convex_choice.py); returns how many."""
    W.pair_gap[0] = math.inf
    return int(_ask(LEFT_OUT, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def want_features(L, P, Q, W, h):
    """Add the features of pairs of the islands in W.span that may close more than a step should; returns how many."""
    return int(_ask(WANT, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def faded(L, P, Q, W, f):
    """Whether the impulse of feature f has faded away where the step starts (far_pairs.py)."""
    return W.kappa[0] > 0.0 and _ask(FADED, L, P, Q, W, f, 0, 0.0, 0.0, 0.0) > 0.0


@kernel
def choose_in_part(L, P, Q, W, h):
    """The features of the islands in W.span for a part of the step of length h (part_features.py)."""
    if Q.geom.shape[0] > 0:
        _ask(CHOOSE_IN_PART, L, P, Q, W, 0, 0, h, 0.0, 0.0)


@kernel
def left_out_of_part(L, P, Q, W, h):
    """Add the features that were missing in a part of the step of length h; returns how many (part_features.py)."""
    return int(_ask(LEFT_OUT_OF_PART, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def left_out_passing(L, P, Q, W):
    """Add a feature for every pair that passed in the step (passing.py); returns how many."""
    return int(_ask(PASSING, L, P, Q, W, 0, 0, 0.0, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def smallest_distance(L, P, Q, W, least):
    """The smallest gap of all pairs at the next poses [m]; least: or any that is not smaller than this (near_pairs.py)."""
    return _ask(SMALLEST, L, P, Q, W, 0, 0, least, 0.0, 0.0) if Q.geom.shape[0] > 0 else least


@kernel
def feature_place(L, P, Q, W, f, poses):
    """Gap [m] of feature f at START, END or BEFORE, with all of `feature_geometry` in W.feature.

    At START, on the central path, with what it hangs over, which is alone in W.beyond (collision/overhang.py), and without dc.
    """
    return _ask(GEOMETRY, L, P, Q, W, f, poses, 0.0, 0.0, 0.0)


@kernel
def distance_at_start(L, P, Q, W, f):
    """The distance [m] of the shapes of feature f where the step starts, negative where they overlap."""
    return _ask(APART_AT_START, L, P, Q, W, f, 0, 0.0, 0.0, 0.0)


@kernel
def pair_contact_rows(L, P, Q, W, c, h):
    """Rows of active contact c, a pair, at the next poses into W.cval, W.cC, W.cB, W.cH, with the impulse that it has."""
    _ask(ROWS, L, P, Q, W, c, 0, h, 0.0, 0.0)


@kernel
def displace_pair(L, P, Q, W, c, h):
    """`pair_motion` of active contact c, a pair, at the next poses, its rows scaled, with the impulse that it has.

    Into W.drows, W.dwrench, beside what `pair_motion` keeps in W.motion.
    """
    _ask(DISPLACE, L, P, Q, W, c, 0, h, 0.0, 0.0)


@kernel
def hold_points(L, P, Q, W):
    """Hold the wandering contacts of the islands in W.span where the step starts (held_points.py). Returns how many there are."""
    return int(_ask(HOLD, L, P, Q, W, 0, 0, 0.0, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def hold_corners(L, P, Q, W, h):
    """Hold the contacts of the islands that the present poses do not determine (held_points.py). Returns how many."""
    return int(_ask(HOLD_CORNERS, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def hold_apart(L, P, Q, W):
    """Hold the contacts that carry although their shapes end apart (held_points.py).

    Returns (how many, whether others have passed to the other side of their plane).
    """
    if Q.geom.shape[0] == 0:
        return 0, False
    answer = int(_ask(HOLD_APART, L, P, Q, W, 0, 0, 0.0, 0.0, 0.0))
    return answer // 2, answer % 2 == 1


@kernel
def let_ghosts_go(L, P, Q, W, in_part):
    """Let go what carries in the islands in W.span although its shapes end apart (ghosts.py). Returns how many features do."""
    return int(_ask(GHOSTS, L, P, Q, W, int(in_part), 0, 0.0, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


(
    FORWARDS,
    BACKWARDS,
    BEGIN_PARTS,
    WHOLE_ISLAND,
    FIRST_PART,
    NEXT_PART,
    MATCHED_END,
    OPEN_END,
    GIVE,
    GIVE_BACK,
) = range(10)
"""What DERIVATIVES is asked for: the derivative of a step, or a product with it; from BEGIN_PARTS on what makes up that of a step
in parts, in the order in which it is asked for (divided_derivative.py)."""


@kernel
def differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, task):
    """What `task` says of step t of the Record Z, whose solution at κ is in W: rows t of Z.A and Z.B, or of the cotangents.

    control (nu,). Returns whether Newton's matrix is regular; of BEGIN_PARTS whether there are derivatives.
    """
    state = Z.qpos[t], Z.qvel[t], Z.act[t]
    tables = Z.A, Z.B, Z.cotangents, Z.by_control, Z.by_contacts
    numbers = t, float(h), float(kappa), int(task)
    return call_apart(W.apart, DERIVATIVES, (L, P, Q, T, W, V, G, *state, control, *tables, *numbers)) > 0.0


@kernel
def differentiate_by_parameters(L, P, Q, T, W, G, K, Z, control, outside, t, h):
    """Derivatives of step t of the Record Z by the data of K, a Parametric: row t of Z.by_parameters.

    The step was just differentiated in this W and G. control (nu,); outside: an Outside.
    """
    state, around = (Z.qpos[t], Z.qvel[t], Z.act[t], control), (outside.wrenches, outside.joint_forces)
    call_apart(W.apart, PARAMETERS, (L, P, Q, T, W, G, K, *state, *around, t, float(h), Z.by_parameters))
