"""Contacts whose points move over their shapes within a step: where it fails they are held, that is, replaced by points fixed on
one body over planes fixed on the other.

The lowest point of a rim, the nearest points of two round shapes, a rim that crosses an edge or another rim: within a step these
may run round the rim, or jump where two corners meet and any normal between those of both is valid; edges that cross may slide past
each other's ends. With the normal n from B to A and the points a, b that are nearest where the step starts,

    gap = n · (a - b),   a fixed on A, b and n on B                                     (POINT_PLANE, features.py)

is smooth, and no larger than the distance of what the plane separates. Contacts that still overlap at the end are added in the same
way, with the points that are deepest there (manifold.py). A contact that has an impulse although its shapes end apart gets the
points and the normal that they have there, and the step is solved again; if they stay apart the step is not solved.
"""

import math

from dojo_py.arrays import body_row, copy, copy_rows, scratch
from dojo_py.collision.features import POINT_PLANE, RIM_PLANE
from dojo_py.collision.height_fields import HFIELD
from dojo_py.collision.pair_gap import gap_of
from dojo_py.collision.shown_polygons import pose_of
from dojo_py.hard.contacts.ghosts import APART
from dojo_py.hard.elements.feature_geometry import feature_geometry
from dojo_py.hard.elements.limits import ROUND_OFF
from dojo_py.hard.islands import CONTACTS
from dojo_py.jit import kernel

CARRIES = 1e-6
"""Fraction of the largest impulse above which a contact counts as loaded."""


@kernel
def _wanders(P, Q, W, c):
    """The feature of active contact c, if its point may move over the shapes, so that it can be held; else -1."""
    f = W.active[c] - P.body.shape[0]
    return -1 if f < 0 or W.fpair[f] < Q.rounds[0] or W.fkind[f] == POINT_PLANE else f


@kernel
def hold_points(P, Q, W):
    """Hold contacts of the islands in W.span whose points may move over the shapes, at the step's start. Returns their number."""
    count, n, c, a, b = 0, scratch(3), scratch(3), scratch(3), scratch(3)
    dgap, dn, dc = scratch(12), scratch((3, 12)), scratch((3, 12))
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        f = _wanders(P, Q, W, W.members[CONTACTS, k])
        if f < 0:
            continue
        _keep_free(W, f)
        i, j = body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1])
        gap = feature_geometry(Q, W, f, W.x[i], W.R[i], W.x[j], W.R[j], n, c, dgap, dn, dc)
        for r in range(3):
            a[r], b[r] = c[r] + 0.5 * gap * n[r], c[r] - 0.5 * gap * n[r]
        _hold(W, f, a, b, n, W.x, W.R)
        count += 1
    return count


@kernel
def hold_corners(L, P, Q, W, h):
    """Hold the contacts of the islands in W.span whose normal or point the present poses do not determine. Returns their number.

    Where a corner or a rim meets another, the nearest points are only the gap apart: the round-off of the poses rotates the normal,
    and with it the impulse, by more than the tolerance of the momentum rows. Any normal between those of the two corners is valid.

    The lowest point of a rim whose cap comes to lie on a face runs round it. Where an error of the gap by h times the tolerance of
    residuals moves it so far that its impulse violates the momentum rows by the tolerance, any point of the rim is valid.
    """
    count, n, c, a, b = 0, scratch(3), scratch(3), scratch(3), scratch(3)
    dgap, dn, dc = scratch(12), scratch((3, 12)), scratch((3, 12))
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        place = W.members[CONTACTS, k]
        f = _wanders(P, Q, W, place)
        if f < 0:
            continue
        i, j = body_row(W.xn, W.fbody[f, 0]), body_row(W.xn, W.fbody[f, 1])
        gap = feature_geometry(Q, W, f, W.xn[i], W.Rn[i], W.xn[j], W.Rn[j], n, c, dgap, dn, dc)
        steepest, extent, mass = _steepest(dn), 0.0, math.inf
        for r in range(3):
            extent = max(extent, abs(W.xn[i, r]), abs(W.xn[j, r]))
        for side in range(2):
            if W.cbody[place, side] >= 0:
                mass = min(mass, L.mass[W.cbody[place, side]])
        runs = W.fkind[f] == RIM_PLANE and _runs_round(L, W, place, dc, h)
        if runs or W.con[place, 0] * steepest * ROUND_OFF * extent > W.options.residual_tolerance * mass:
            _keep_free(W, f)
            for r in range(3):
                a[r], b[r] = c[r] + 0.5 * gap * n[r], c[r] - 0.5 * gap * n[r]
            _hold(W, f, a, b, n, W.xn, W.Rn)
            count += 1
    return count


@kernel
def _runs_round(L, W, c, dc, h):
    """Whether contact c's point moves so far with a body's rotation that its torque is not determined: γ |dc/dθ| h > I.

    dc (3, 12) [m, m/rad] by both bodies' δx, δθ; I [kg m²]: the body's largest moment of inertia.
    """
    for side in range(2):
        b = W.cbody[c, side]
        if b < 0:
            continue
        inertia = max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2])
        if W.con[c, 0] * _steepest(dc[:, 6 * side + 3 : 6 * side + 6]) * h > inertia:
            return True
    return False


@kernel
def _steepest(rows):
    """The largest absolute entry of rows (m, n)."""
    most = 0.0
    for r in range(rows.shape[0]):
        for m in range(rows.shape[1]):
            most = max(most, abs(rows[r, m]))
    return most


@kernel
def any_held(P, W):
    """Whether a contact of the islands in W.span is held."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        f = W.active[W.members[CONTACTS, k]] - P.body.shape[0]
        if f >= 0 and W.free_kind[f] > 0:
            return True
    return False


@kernel
def release_points(P, W):
    """Give the held contacts of the islands in W.span their own features back."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        f = W.active[W.members[CONTACTS, k]] - P.body.shape[0]
        if f >= 0 and W.free_kind[f] > 0:
            W.fkind[f], W.fsign[f] = W.free_kind[f] - 1, W.free_sign[f]
            for side in range(2):
                copy(W.free_centre[f, side], W.fcentre[f, side])
                copy_rows(W.free_axes[f, side], W.faxes[f, side])
                W.fradius[f, side] = W.free_radius[f, side]
            W.free_kind[f] = 0


@kernel
def _keep_free(W, f):
    """Save what feature f is before it is held, for `release_points`."""
    if W.free_kind[f] > 0:
        return
    W.free_kind[f], W.free_sign[f] = W.fkind[f] + 1, W.fsign[f]
    for side in range(2):
        copy(W.fcentre[f, side], W.free_centre[f, side])
        copy_rows(W.faxes[f, side], W.free_axes[f, side])
        W.free_radius[f, side] = W.fradius[f, side]


@kernel
def hold_apart(P, Q, W):
    """Hold, at the end poses, the contacts of the islands in W.span that have an impulse although their shapes end apart.

    Returns (how many, whether others have passed to the other side of their plane, where they cannot be held). Those that keep fast
    bodies on their side (passing.py, keys below zero) may have an impulse there.
    """
    most, count, passed, n, p, q = 0.0, 0, False, scratch(3), scratch(3), scratch(3)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        most = max(most, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        f = W.active[c] - P.body.shape[0]
        if f < 0 or W.fpair[f] < Q.rounds[0] or W.fkey[f] < 0 or not (W.con[c, 0] > CARRIES * most and W.con[c, 1] < APART):
            continue
        first, second = W.fshape[f, 0], W.fshape[f, 1]
        if Q.shape_kind[first] == HFIELD or Q.shape_kind[second] == HFIELD:
            continue  # features of a height field are of single triangles
        i, j = body_row(W.xn, W.fbody[f, 0]), body_row(W.xn, W.fbody[f, 1])
        pose_first, pose_second = pose_of(Q, first, W.xn[i], W.Rn[i]), pose_of(Q, second, W.xn[j], W.Rn[j])
        gap, normal, a, b = gap_of(Q, W, first, pose_first, second, pose_second, math.inf)
        if gap > APART:
            facing = 0.0
            for r in range(3):
                n[r] = -normal[r]
                for axis in range(3):
                    facing += n[r] * W.Rn[j, r, axis] * W.faxes[f, 1, axis, 2]
            if W.fkind[f] == POINT_PLANE and W.fsign[f] > 0.0 and facing <= 0.0:
                passed = True
                continue
            _keep_free(W, f)
            p[0], p[1], p[2] = a
            q[0], q[1], q[2] = b
            _hold(W, f, p, q, n, W.xn, W.Rn)
            count += 1
    return count, passed


@kernel
def _hold(W, f, a, b, n, x, R):
    """Make feature f a point a (3,) of its first body over the plane through b (3,) of its second, normal n (3,); at poses x, R."""
    i, j = body_row(x, W.fbody[f, 0]), body_row(x, W.fbody[f, 1])
    for r in range(3):
        on_a, on_b, normal = 0.0, 0.0, 0.0
        for k in range(3):
            on_a += R[i, k, r] * (a[k] - x[i, k])
            on_b += R[j, k, r] * (b[k] - x[j, k])
            normal += R[j, k, r] * n[k]
        W.fcentre[f, 0, r], W.fcentre[f, 1, r], W.faxes[f, 1, r, 2] = on_a, on_b, normal
    W.fkind[f], W.fsign[f], W.fradius[f, 0], W.fradius[f, 1] = POINT_PLANE, 1.0, 0.0, 0.0
