"""Fixed points of a rim give way to its lowest point, once that can be followed (hard limit only).

A cap that is nearly parallel to a face touches it with fixed points of its rim, to which the check at the end of a step adds the
one that is lowest there. From the second check on, the pose is close to the solution, and the lowest point may be followed:
RIM_PLANE (collision/common_area.py). It is lower than all other points of the rim, so the fixed ones have nothing left to hold.
Beside it they would be constraints that nearly act, at the same place and with the same normal, and an interior-point method is
slow to tell which of them do. So the lowest point takes over their impulses, and they take no part. Where that is not solved soon,
all take part again: a cap that comes to lie flat has no lowest point, and where its slope is small the point runs round the rim.

Without this a tower that rocks on a rim took 1.4 times the iterations (docs/contact.md).
"""

from dojo_py.collision.features import POINT_PLANE, RIM_PLANE
from dojo_py.collision.found_features import NUMBERS
from dojo_py.collision.participation import LET_GO, NOW, OF_STEP, takes_part
from dojo_py.collision.rim_choice import ROUND
from dojo_py.collision.shown_polygons import RIM_POINTS
from dojo_py.hard.contacts.part_states import of_islands
from dojo_py.jit import kernel


@kernel
def _end_of_rim(number):
    """End of the cylinder, 0 or 1, whose rim has a corner of this number (`shown_polygons._cap`, `flat_number`); else -1."""
    if number < 2 * RIM_POINTS:
        return 0 if number < RIM_POINTS else 1
    return number % 2 if number < 2 * RIM_POINTS + 4 * ROUND + 2 else -1


@kernel
def _is_replaced_by(W, f, rim):
    """Whether feature f is a fixed point of the rim that feature `rim` follows over the same face."""
    same = W.fpair[f] == W.fpair[rim] and W.fkey[f] % NUMBERS == W.fkey[rim] % NUMBERS and W.fsign[f] == W.fsign[rim]
    if not same or W.fkey[f] < 0 or W.fkey[f] // (2 * NUMBERS * NUMBERS) != POINT_PLANE or W.free_kind[f] > 0:
        return False
    return _end_of_rim(W.fkey[f] // NUMBERS % NUMBERS) == W.fkey[rim] // NUMBERS % NUMBERS


@kernel
def follow_rims(W, first):
    """Of the features that a check has found, number `first` and later: those that follow a rim replace its fixed points."""
    for rim in range(first, W.n_features[NOW]):
        if W.fkind[rim] == RIM_PLANE:
            for f in range(first):
                if takes_part(W, f) and _is_replaced_by(W, f, rim):
                    W.fwanted[f], W.freplaced[f] = LET_GO, rim + 1


@kernel
def take_over_impulses(W):
    """The warm-start impulses of fixed points become those of the lowest points that replace them: the frames are the same."""
    planes = W.warm_con.shape[0] - W.fpair.shape[0]
    for f in range(W.n_features[NOW]):
        if W.freplaced[f] > 0 and W.fwanted[f] == LET_GO:
            own, rim = W.warm_con[planes + f], W.warm_con[planes + W.freplaced[f] - 1]
            for r in range(own.shape[0]):
                rim[r] += own[r]
                own[r] = 0.0


@kernel
def any_replaced(W):
    """Whether fixed points of the islands in W.span are replaced."""
    for f in range(W.n_features[NOW]):
        if W.freplaced[f] > 0 and W.fwanted[f] == LET_GO and of_islands(W, f):
            return True
    return False


@kernel
def take_points_back(W):
    """The replaced points of the islands in W.span take part again."""
    for f in range(W.n_features[NOW]):
        if W.freplaced[f] > 0 and W.fwanted[f] == LET_GO and of_islands(W, f):
            W.fwanted[f], W.freplaced[f] = OF_STEP, 0
