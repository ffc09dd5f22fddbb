"""How a feature of two bodies changes with a size of one of its shapes, where the step ends and where it starts, the bodies held.

A size acts like a translation of its shape by w (collision/by_size.py), except for two. Radii that round points, edges and axes
lengthen the rounding: the gap falls by as much, and the point, half way between both surfaces, moves by half of it. The length of
an axis that crosses another moves its relaxed nearest points, which are not those of a common normal (pair_contacts.py).

Where the step starts, on the central path, the ends of faces and edges move as well, by which the term of what hangs over them
changes, and so does the direction in which both shapes look at each other (collision/overhang.py, facing_change.py).
"""

from dojo_py.algebra.vectors import along, matrix, minus, row, times, turned, turned_back
from dojo_py.arrays import body_row
from dojo_py.collision.by_size import ZERO, at_by_size, point_by_size, support_by_size
from dojo_py.collision.convex_shapes import CAPSULE, CYLINDER, SPHERE
from dojo_py.collision.facing_change import is_turned_away, turned_away_by_size
from dojo_py.collision.features import BALL_FEATURE, CROSSING, ELLIPSOID_PLANE, NEAREST, RIM_EDGE, RIM_PLANE, RIM_RIM
from dojo_py.collision.overhang import STEEPNESS, overhang_by_size
from dojo_py.collision.participation import OF_STEP
from dojo_py.collision.shown_polygons import pose_of
from dojo_py.hard.contacts.start_places import DGAP, DPOINT, GAP, start_band, start_gap_of
from dojo_py.hard.elements.feature_geometry import SMOOTH, feature_geometry, relaxation, rim_softness
from dojo_py.hard.elements.pair_contacts import crossing_by_length
from dojo_py.jit import kernel

END, START, BEYOND, LONGER, NUMBERS = 0, 7, 14, 15, 16
"""Where in W.by_size: change of gap, normal and point at the end; at the start; of the term there; of the rounding."""


@kernel
def size_change(Q, W, f, side, k):
    """W.by_size (NUMBERS,): how feature f changes for each metre of size k of the shape on one side."""
    out, place = W.by_size, W.feature
    a, b = body_row(W.x, W.fbody[f, 0]), body_row(W.x, W.fbody[f, 1])
    gap = feature_geometry(Q, W, f, W.xn[a], W.Rn[a], W.xn[b], W.Rn[b], place.normal, place.point, place.dgap, place.dn, place.dc)
    out[BEYOND], out[LONGER] = 0.0, 1.0 if _lengthens(Q, W, f, side, k) else 0.0
    _put(out, END, _change(Q, W, f, side, k, gap, place.dgap, place.dc[0], place.dc[1], place.dc[2], W.xn, W.Rn))
    gap = start_gap_of(Q, W, f) - W.beyond[0]
    if W.kappa[0] == 0.0 or W.free_kind[f] != 0:
        _put(out, START, _change(Q, W, f, side, k, gap, place.dgap, place.dc[0], place.dc[1], place.dc[2], W.x, W.R))
        return
    kept = W.fstart[f]
    dx, dy, dz = kept[DPOINT : DPOINT + 12], kept[DPOINT + 12 : DPOINT + 24], kept[DPOINT + 24 : DPOINT + 36]
    change = _change(Q, W, f, side, k, kept[GAP], kept[DGAP : DGAP + 12], dx, dy, dz, W.x, W.R)
    _put(out, START, change)
    if W.fwanted[f] != OF_STEP:
        return
    band = start_band(Q, W, f)
    if W.fends[f] > 0:
        at_start = (change[0], change[1], change[2], out[LONGER])
        out[BEYOND] += overhang_by_size(Q, W, f, side, k, band, kept[GAP], place.normal, place.point, at_start, W.x, W.R)
    if is_turned_away(W, f):
        out[BEYOND] += turned_away_by_size(Q, W, f, side, k, STEEPNESS * band, W.x, W.R)


@kernel
def _put(out, at, change):
    """(gap, normal, point) into an array."""
    gap, normal, point = change
    out[at] = gap
    for r in range(3):
        out[at + 1 + r], out[at + 4 + r] = normal[r], point[r]


@kernel
def _lengthens(Q, W, f, side, k):
    """Whether the size is that of a rounding which rolls (feature_rows.py)."""
    ball = Q.shape_kind[W.fshape[f, side]] == SPHERE or Q.shape_kind[W.fshape[f, side]] == CAPSULE
    return _is_rounding(Q, W, f, side, k) or (k == 0 and W.fkind[f] == NEAREST and ball)


@kernel
def _is_rounding(Q, W, f, side, k):
    """Whether the size is the radius by which feature f is rounded on that side."""
    shape, kind = Q.shape_kind[W.fshape[f, side]], W.fkind[f]
    if k != 0 or kind == NEAREST or kind == ELLIPSOID_PLANE or _is_rim(W, f, side):
        return False
    return (shape == SPHERE or shape == CAPSULE or shape == CYLINDER) and W.fradius[f, side] > 0.0


@kernel
def _is_rim(W, f, side):
    """Whether feature f is a rim on that side."""
    kind = W.fkind[f]
    return kind == RIM_RIM or ((kind == RIM_PLANE or kind == RIM_EDGE) and (W.fsign[f] > 0.0) == (side == 0))


@kernel
def _change(Q, W, f, side, k, gap, dgap, dx, dy, dz, x, R):
    """Change of (gap, n, c) of feature f at poses x (nb + 1, 3), R (nb + 1, 3, 3).

    dgap, dx, dy, dz (12,): derivatives of the gap and of the point by both bodies' motion, dn in W.feature with n and c.
    """
    n = (W.feature.normal[0], W.feature.normal[1], W.feature.normal[2])
    if W.fkind[f] == CROSSING and k == 1:
        a, b = body_row(x, W.fbody[f, 0]), body_row(x, W.fbody[f, 1])
        tau = relaxation(Q, W, f)
        return crossing_by_length(x[a], R[a], x[b], R[b], W.fcentre[f], W.faxes[f], W.fhalf[f], W.fradius[f], tau, side)
    at, w, dn = 6 * side, _displacement(Q, W, f, side, k, gap, n, x, R), W.feature.dn
    change = _by(dgap, at, w)
    normal, point = (_by(dn[0], at, w), _by(dn[1], at, w), _by(dn[2], at, w)), (_by(dx, at, w), _by(dy, at, w), _by(dz, at, w))
    if _is_rounding(Q, W, f, side, k):
        return change - 1.0, normal, along(point, 0.5 if side == 1 else -0.5, n)
    return change, normal, point


@kernel
def _by(row_by, at, w):
    """Change by the displacement w (3,) of one body: derivatives by it stand from `at` on."""
    return row_by[at] * w[0] + row_by[at + 1] * w[1] + row_by[at + 2] * w[2]


@kernel
def _displacement(Q, W, f, side, k, gap, n, x, R):
    """w (3,) of one side of feature f, in the world."""
    g, kind, b = W.fshape[f, side], W.fkind[f], body_row(x, W.fbody[f, side])
    shape, size, outwards = Q.shape_kind[g], row(Q.shape_size, g), times(-1.0 if side == 0 else 1.0, n)
    position, A = pose_of(Q, g, x[b], R[b])
    c = (W.feature.point[0], W.feature.point[1], W.feature.point[2])
    surface = turned_back(A, minus(along(c, -0.5 * gap, outwards), position))
    if _is_rounding(Q, W, f, side, k):
        return ZERO
    if kind == NEAREST or kind == ELLIPSOID_PLANE:
        v = turned_back(A, outwards)
        if shape == SPHERE or shape == CAPSULE:
            surface = along(surface, -size[0], v)
        return turned(A, support_by_size(shape, size, k, surface, v))
    if _is_rim(W, f, side) and k == 0:
        share = 1.0 / size[0]
        if kind == RIM_PLANE and rim_softness(Q, W, f, size[0]) > SMOOTH:  # ε falls as the radius grows
            share *= 2.0 - (surface[0] * surface[0] + surface[1] * surface[1]) / (size[0] * size[0])
        return turned(A, (share * surface[0], share * surface[1], 0.0))
    if kind == BALL_FEATURE and side == 1:
        if shape == CYLINDER:  # its wall, without ends
            return ZERO
        return turned(A, point_by_size(shape, size, k, along(surface, -W.fradius[f, 1], turned_back(A, outwards))))
    return turned(matrix(R[b]), at_by_size(Q, g, k, W.fcentre[f, side]))
