"""All that a hard step computes about contacts between bodies, compiled together, separately from the rest (compiled_apart.py)."""

from dojo_py.arrays import body_row, scratch
from dojo_py.by_address import Apart
from dojo_py.hard import compiled_apart
from dojo_py.hard.contacts.convex_choice import choose_features, faded, left_out_features, want_features
from dojo_py.hard.contacts.ghosts import let_ghosts_go
from dojo_py.hard.contacts.held_points import hold_apart, hold_corners, hold_points
from dojo_py.hard.contacts.near_pairs import gap_of_pair, smallest_distance
from dojo_py.hard.contacts.part_features import choose_in_part, left_out_of_part
from dojo_py.hard.contacts.passing import left_out_passing
from dojo_py.hard.contacts.size_change import size_change
from dojo_py.hard.contacts.start_places import start_gap_of
from dojo_py.hard.elements.contact_rows import physical_impulse, scale_rows
from dojo_py.hard.elements.feature_geometry import feature_geometry
from dojo_py.hard.elements.feature_rows import pair_motion
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, impulse_of


def pairs(task, L, P, Q, W, i, j, a, b, c):
    """The result of `task`, with integers i, j and numbers a, b, c as its function in compiled_apart.py gives them, 0
    where it has none.
    """
    if task == compiled_apart.ROWS:
        _rows(P, Q, W, i, a)
    elif task == compiled_apart.GEOMETRY:
        return _geometry(Q, W, i, j)
    elif task == compiled_apart.CHOOSE:
        choose_features(L, P, Q, W, a, b, c)
    elif task == compiled_apart.LEFT_OUT:
        return float(left_out_features(P, Q, W, a))
    elif task == compiled_apart.WANT:
        return float(want_features(L, P, Q, W, a))
    elif task == compiled_apart.FADED:
        return 1.0 if faded(Q, W, i) else 0.0
    elif task == compiled_apart.PASSING:
        return float(left_out_passing(P, Q, W))
    elif task == compiled_apart.SMALLEST:
        return smallest_distance(Q, W, a)
    elif task == compiled_apart.DISPLACE:
        _displace(P, Q, W, i, a)
    elif task == compiled_apart.HOLD:
        return float(hold_points(P, Q, W))
    elif task == compiled_apart.HOLD_CORNERS:
        return float(hold_corners(L, P, Q, W, a))
    elif task == compiled_apart.HOLD_APART:
        held, passed = hold_apart(P, Q, W)
        return 2.0 * held + (1.0 if passed else 0.0)
    elif task == compiled_apart.GHOSTS:
        return float(let_ghosts_go(P, Q, W, i == 1))
    elif task == compiled_apart.CHOOSE_IN_PART:
        choose_in_part(L, Q, W, a)
    elif task == compiled_apart.LEFT_OUT_OF_PART:
        return float(left_out_of_part(P, Q, W, a))
    elif task == compiled_apart.BY_SIZE:
        size_change(Q, W, i, j // 3, j % 3)
    elif task == compiled_apart.DISTANCE:
        if j == compiled_apart.END:
            return gap_of_pair(Q, W, W.fpair[i], W.xn, W.Rn)
        return gap_of_pair(Q, W, W.fpair[i], W.x, W.R)
    return 0.0


PAIRS = Apart(compiled_apart.PAIRS, pairs, "contacts between bodies")


def load_pairs(L, P, Q, W):
    """Compile or load it. Handles of the tables and work arrays."""
    PAIRS.load(0, L, P, Q, W, 0, 0, 0.0, 0.0, 0.0)


@kernel
def _geometry(Q, W, f, poses):
    """See `feature_place`."""
    if poses == compiled_apart.START:
        return start_gap_of(Q, W, f)
    a, b, place = body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1]), W.feature
    x, R = W.xn, W.Rn
    if poses == compiled_apart.BEFORE:
        x, R = W.x_before, W.R_before
    return feature_geometry(Q, W, f, x[a], R[a], x[b], R[b], place.normal, place.point, place.dgap, place.dn, place.dc)


@kernel
def _impulse(W, c, out):
    """out (6,) = what active contact c pushes along its unscaled rows [N s, N m s]."""
    F = scratch(MOST_ROWS)
    impulse_of(W.claw[c], W.con[c], F)
    physical_impulse(W, c, F, out)


@kernel
def _rows(P, Q, W, c, h):
    """See `pair_contact_rows`."""
    f, impulse = W.active[c] - P.body.shape[0], scratch(MOST_ROWS)
    a, b = body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1])
    _impulse(W, c, impulse)
    pair_motion(Q, W, c, f, W.moves[a], W.moves[b], 1.0, h, impulse, W.cval[c], W.cC[c], W.cB[c], W.cH[c])


@kernel
def _displace(P, Q, W, c, h):
    """See `displace_pair`."""
    f, whole = W.active[c] - P.body.shape[0], W.moves[W.moves.shape[0] - 1]
    value, impulse = scratch(MOST_ROWS), scratch(MOST_ROWS)
    _impulse(W, c, impulse)
    pair_motion(Q, W, c, f, whole, whole, 0.0, h, impulse, value, W.drows, W.cB[c], W.dwrench)
    for side in range(2):
        scale_rows(W, c, W.drows[side])
        scale_rows(W, c, W.cB[c, side])
