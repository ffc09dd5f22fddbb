"""All that a hard step asks of contacts between bodies, compiled together and apart from the rest (apart.py)."""

from dojo_py.arrays import body_row
from dojo_py.by_address import Apart
from dojo_py.hard import apart
from dojo_py.hard.contact_rows import physical_impulse, scale_rows
from dojo_py.hard.convex_choice import choose_features, faded, left_out_features, want_features
from dojo_py.hard.feature_geometry import feature_geometry
from dojo_py.hard.feature_rows import pair_motion
from dojo_py.hard.ghosts import let_ghosts_go
from dojo_py.hard.held_points import hold_apart, hold_corners, hold_points
from dojo_py.hard.near_pairs import gap_of_pair, smallest_distance
from dojo_py.hard.part_features import choose_in_part, left_out_of_part
from dojo_py.hard.passing import left_out_passing
from dojo_py.hard.start_places import start_gap_of
from dojo_py.jit import kernel


def pairs(task, L, P, Q, W, i, j, k, a, b, c):
    """The answer to `task`, as its function in apart.py asks it with integers i, j, k and numbers a, b, c; 0: none."""
    if task == apart.ROWS:
        _rows(P, Q, W, i, a)
    elif task == apart.GEOMETRY:
        return _geometry(Q, W, i, j, k)
    elif task == apart.CHOOSE:
        choose_features(L, P, Q, W, a, b, c)
    elif task == apart.LEFT_OUT:
        return float(left_out_features(P, Q, W, a))
    elif task == apart.WANT:
        return float(want_features(L, P, Q, W, a))
    elif task == apart.FADED:
        return 1.0 if faded(Q, W, i) else 0.0
    elif task == apart.PASSING:
        return float(left_out_passing(P, Q, W))
    elif task == apart.SMALLEST:
        return smallest_distance(Q, W, a)
    elif task == apart.DISPLACE:
        _displace(P, Q, W, i, a)
    elif task == apart.HOLD:
        return float(hold_points(P, Q, W))
    elif task == apart.HOLD_CORNERS:
        return float(hold_corners(L, P, Q, W, a))
    elif task == apart.HOLD_APART:
        held, passed = hold_apart(P, Q, W)
        return 2.0 * held + (1.0 if passed else 0.0)
    elif task == apart.GHOSTS:
        return float(let_ghosts_go(P, Q, W, i == 1))
    elif task == apart.CHOOSE_IN_PART:
        choose_in_part(L, Q, W, a)
    elif task == apart.LEFT_OUT_OF_PART:
        return float(left_out_of_part(P, Q, W, a))
    elif task == apart.APART_AT_START:
        return gap_of_pair(Q, W, W.fpair[i], W.x, W.R)
    return 0.0


PAIRS = Apart(apart.PAIRS, pairs, "contacts between bodies")


def load_pairs(L, P, Q, W):
    """Compile or load it. Handles of the tables and work arrays."""
    PAIRS.load(0, L, P, Q, W, 0, 0, 0, 0.0, 0.0, 0.0)


@kernel
def _geometry(Q, W, f, poses, row):
    """See `feature_place`."""
    s, a, b = W.scratch, body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1])
    if poses == apart.START:
        return start_gap_of(Q, W, f, s[row, 0:3], s)
    x, R = W.xn, W.Rn
    if poses == apart.BEFORE:
        x, R = W.x_before, W.R_before
    return feature_geometry(Q, W, f, x[a], R[a], x[b], R[b], s[row, 0:3], s[41, 0:3], s[48], s[42:45], s[45:48], s)


@kernel
def _rows(P, Q, W, c, h):
    """See `pair_contact_rows`."""
    f, nr = W.active[c] - P.body.shape[0], W.cf.shape[1]
    impulse, a, b = W.scratch[99, 0:nr], body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1])
    physical_impulse(W, c, W.scratch[100, 0:nr], impulse)
    pair_motion(Q, W, c, f, W.moves[a], W.moves[b], 1.0, h, impulse, W.cval[c], W.cC[c], W.cB[c], W.cH[c])


@kernel
def _displace(P, Q, W, c, h):
    """See `displace_pair`."""
    f, nr = W.active[c] - P.body.shape[0], W.cf.shape[1]
    value, impulse, whole = W.scratch[92, 0:nr], W.scratch[99, 0:nr], W.moves[W.moves.shape[0] - 1]
    physical_impulse(W, c, W.scratch[120, 0:nr], impulse)
    pair_motion(Q, W, c, f, whole, whole, 0.0, h, impulse, value, W.drows, W.cB[c], W.dwrench)
    for side in range(2):
        scale_rows(W, c, W.drows[side])
        scale_rows(W, c, W.cB[c, side])
