"""What a hard step calls by its address, because it is compiled apart: when a model or a task first needs it (by_address.py).

    PAIRS          contacts between bodies: which pairs are near, what they touch with, gaps, rows (`pair_tasks.py`)
    DERIVATIVES    A and B of a step, or their products with cotangents (`gradients/derivatives.py`)
    PARAMETERS     derivatives of a step by parameters (`parameters/columns.py`)

A model whose bodies touch only planes, in a roll-out without derivatives, needs none of them and waits for little more than half of
all compilation.

A kernel is compiled together with all kernels that it calls. So the step calls the functions below, which call, by address, those
of the same name that do the work: `choose_features` here calls `pairs(CHOOSE, …)` by its address, which calls `choose_features` of
convex_choice.py. All work on pairs goes through this one function, with a task as its first argument, so that what tasks share
(closest points, features) is compiled once. For a model without pairs it is not called: the functions below then return what an
empty list of pairs gives.
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
    DISTANCE,
    CHOOSE_IN_PART,
    LEFT_OUT_OF_PART,
    BY_SIZE,
) = range(17)
"""Tasks of PAIRS."""

START, END, BEFORE = 0, 1, 2
"""Poses at which a feature is evaluated: at the start of the step, at its end, or W.x_before."""


@kernel
def _ask(task, L, P, Q, W, i, j, a, b, c):
    """Call `pair_tasks.pairs` with these arguments, 0 for those that the task does not use; returns its result."""
    return call_apart(W.apart, PAIRS, (task, L, P, Q, W, i, j, float(a), float(b), float(c)))


@kernel
def choose_features(L, P, Q, W, h, kappa, margin):
    """Fill the table of features of this step (convex_choice.py)."""
    W.n_features[:] = 0
    if Q.geom.shape[0] > 0:
        _ask(CHOOSE, L, P, Q, W, 0, 0, h, kappa, margin)


@kernel
def left_out_features(L, P, Q, W, h):
    """Add features of pairs that overlap at the next poses by more than their features do (convex_choice.py); returns how many."""
    W.pair_gap[0] = math.inf
    return int(_ask(LEFT_OUT, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def want_features(L, P, Q, W, h):
    """Add, after a failed step, the features of pairs of the islands in W.span within a larger reach; returns how many."""
    return int(_ask(WANT, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def faded(L, P, Q, W, f):
    """Whether the impulse of feature f has faded to zero at the start of the step (far_pairs.py); never in the hard limit."""
    return W.kappa[0] > 0.0 and _ask(FADED, L, P, Q, W, f, 0, 0.0, 0.0, 0.0) > 0.0


@kernel
def choose_in_part(L, P, Q, W, h):
    """Choose the features of the islands in W.span for a part of the step, of length h (part_features.py)."""
    if Q.geom.shape[0] > 0:
        _ask(CHOOSE_IN_PART, L, P, Q, W, 0, 0, h, 0.0, 0.0)


@kernel
def left_out_of_part(L, P, Q, W, h):
    """Add the features that were missing in a part of the step of length h; returns how many (part_features.py)."""
    return int(_ask(LEFT_OUT_OF_PART, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def left_out_passing(L, P, Q, W):
    """Add a feature for every pair whose shapes passed through each other in the step (passing.py); returns how many."""
    return int(_ask(PASSING, L, P, Q, W, 0, 0, 0.0, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def smallest_distance(L, P, Q, W, least):
    """The smallest gap of all pairs at the next poses [m], or `least` where none is smaller (near_pairs.py)."""
    return _ask(SMALLEST, L, P, Q, W, 0, 0, least, 0.0, 0.0) if Q.geom.shape[0] > 0 else least


@kernel
def feature_place(L, P, Q, W, f, poses):
    """Gap [m] of feature f at START, END or BEFORE, with all of `feature_geometry` in W.feature.

    At START on the central path the gap includes the overhang term (collision/overhang.py), which by itself is in W.beyond.
    """
    return _ask(GEOMETRY, L, P, Q, W, f, poses, 0.0, 0.0, 0.0)


@kernel
def distance_of_shapes(L, P, Q, W, f, poses):
    """The distance [m] of the shapes of feature f at START or END, negative where they overlap."""
    return _ask(DISTANCE, L, P, Q, W, f, poses, 0.0, 0.0, 0.0)


@kernel
def pair_contact_rows(L, P, Q, W, c, h):
    """Rows of active contact c, of a pair, at the next poses and under its present impulse, into W.cval, W.cC, W.cB, W.cH."""
    _ask(ROWS, L, P, Q, W, c, 0, h, 0.0, 0.0)


@kernel
def displace_pair(L, P, Q, W, c, h):
    """`pair_motion` of active contact c, of a pair, at the next poses and under its present impulse, its rows scaled.

    Into W.drows, W.dwrench, and what `pair_motion` leaves in W.motion.
    """
    _ask(DISPLACE, L, P, Q, W, c, 0, h, 0.0, 0.0)


@kernel
def size_change(L, P, Q, W, f, side, k):
    """How feature f changes with size k of the shape on one side, into W.by_size (size_change.py)."""
    _ask(BY_SIZE, L, P, Q, W, f, 3 * side + k, 0.0, 0.0, 0.0)


@kernel
def hold_points(L, P, Q, W):
    """Fix moving contact points of the islands in W.span to the bodies, where they are at the start of the step (held_points.py).

    Returns how many there are.
    """
    return int(_ask(HOLD, L, P, Q, W, 0, 0, 0.0, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def hold_corners(L, P, Q, W, h):
    """Fix normal and point of contacts of the islands in W.span that the present poses do not determine, corners for instance
    (held_points.py). Returns how many.
    """
    return int(_ask(HOLD_CORNERS, L, P, Q, W, 0, 0, h, 0.0, 0.0)) if Q.geom.shape[0] > 0 else 0


@kernel
def hold_apart(L, P, Q, W):
    """Fix points and normals of contacts that have an impulse although their shapes end apart (held_points.py).

    Returns (how many, whether others have passed to the other side of their plane).
    """
    if Q.geom.shape[0] == 0:
        return 0, False
    answer = int(_ask(HOLD_APART, L, P, Q, W, 0, 0, 0.0, 0.0, 0.0))
    return answer // 2, answer % 2 == 1


@kernel
def let_ghosts_go(L, P, Q, W, in_part):
    """Remove the features of the islands in W.span that have an impulse although their shapes end apart (ghosts.py).

    Returns how many there are.
    """
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
"""Tasks of DERIVATIVES: the derivative of a step, or its product with cotangents; from BEGIN_PARTS on the tasks that together give
the derivative of a step in parts, in the order of their calls (divided_derivative.py)."""


@kernel
def differentiate(L, P, Q, T, W, V, G, Z, control, t, h, kappa, task):
    """Do `task` for step t of the Record Z, whose solution at κ is in W: into rows t of Z.A and Z.B, or of the cotangents.

    control (nu,). Returns whether Newton's matrix is regular; for BEGIN_PARTS whether the step has derivatives.
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
