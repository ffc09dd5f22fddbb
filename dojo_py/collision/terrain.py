"""Features of a convex shape and a height field that may touch within a step.

The field is a set of convex prisms (height_fields.py); the shape's gap is the least of its gaps from the prisms below its bounding
box. For each prism within reach, the nearest point q of the field and the normal n there say which part of the terrain is touched:
a triangle, an edge, a point of the grid. It counts only if n is a normal of the terrain: no neighbour rises above the plane at q,

    n · (w - q) <= 0    for the corners w of all triangles that contain q,    n out of the terrain

otherwise one of these neighbours is what is touched. So internal edges between prisms, and edges of flat or concave terrain, are
never hit. The triangle is then to the shape what a face of a mesh is (manifold.py): features are the corners of the shape over it
and, where the terrain is convex, its edges and points. A ball touches a triangle's plane, an edge or a point. Features are numbered
by triangle, edge and point of the grid.
"""

import math

from dojo_py.algebra.vectors import (
    along,
    cross,
    dot,
    length,
    minus,
    perpendicular,
    plus,
    put,
    row,
    times,
    turned,
    turned_back,
    unit,
)
from dojo_py.arrays import body_row
from dojo_py.collision.common_area import common_corners
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import CYLINDER, ELLIPSOID, is_curved, rounding, support
from dojo_py.collision.features import (
    BALL_FEATURE,
    EDGE_EDGE,
    EDGE_OVER,
    ELLIPSOID_PLANE,
    NEAREST,
    POINT_PLANE,
    RIM_EDGE,
    RIM_PLANE,
)
from dojo_py.collision.found_features import NUMBERS, add_feature, keep_spread
from dojo_py.collision.height_fields import (
    box_in_field,
    cells_below,
    terrain_triangle,
)
from dojo_py.collision.manifold import MISSED, MOST
from dojo_py.collision.participation import NOW, takes_part
from dojo_py.collision.rim_choice import rim_features
from dojo_py.collision.shown_polygons import CORNERS, FOUND, no_ends, pose_of, shape_of, show_polygon, shows_polygon
from dojo_py.collision.terrain_gap import prism_at
from dojo_py.collision.terrain_grid import (
    FLAT,
    ON_EDGE,
    PARALLEL,
    bends_out,
    edge_number,
    is_normal_above,
    is_normal_below,
    is_peak,
    part_of_triangle,
    point_number,
    shares_of,
    triangle_in_field,
    triangle_number,
)
from dojo_py.jit import kernel

LEVEL = 4.0 * PARALLEL
"""Distance of n from a triangle's unit normal below which they are the same: above PARALLEL, so that edges of a flat terrain have
no other normal."""
SAME_POINT = 1e-12
"""Distance [m] below which two points are one."""
OF_PRISM = 1
"""First number of a nearest point of a whole prism; those of an edge or a point of the terrain have 0 (`_round`). The second ones,
a triangle's and an edge's or point's, may be equal."""


@kernel
def find_terrain(Q, W, k, x, R, reach):
    """As `manifold.find_convex`, for pair k of a shape and a height field: (gap, number of features added)."""
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    i, j = body_row(x, Q.shape_node[a]), body_row(x, Q.shape_node[b])
    A, pose_a, pose_b = shape_of(Q, a), pose_of(Q, a, x[i], R[i]), pose_of(Q, b, x[j], R[j])
    f, least, before = Q.shape_faces[b, 0], math.inf, W.n_features[NOW]
    W.manifold.band[0] = 0.0
    W.manifold.faces[0] = W.manifold.faces[1] = 0
    no_ends(W.manifold)
    low, high = box_in_field(A, pose_a, pose_b, reach, Q)
    first_row, rows, first_column, columns = cells_below(Q, f, low, high)
    deep_r, deep_c, deep_half = -1, -1, 0
    for r in range(first_row, rows):
        for c in range(first_column, columns):
            for half in range(2):
                corners = terrain_triangle(Q, f, r, c, half)
                if max(corners[0][2], corners[1][2], corners[2][2]) < low[2]:
                    continue
                B, place = prism_at(Q, b, r, c, half, corners, pose_b)
                gap, n, p, q, _, _ = nearest(A, pose_a, B, place, minus(place[0], pose_a[0]), Q, W.polytope, reach)
                if gap < least:
                    least, deep_r, deep_c, deep_half = gap, r, c, half
                if gap <= reach:
                    _touch(Q, W, k, x, R, (a, pose_a, b, pose_b), (r, c, half), (gap, n, p, q), reach)
    if least < 0.0 and W.n_features[NOW] == before:
        _push_up(Q, W, k, x, R, (a, pose_a, b, pose_b), (deep_r, deep_c, deep_half))
    return least, W.n_features[NOW] - before


@kernel
def _touch(Q, W, k, x, R, geoms, cell, near, reach):
    """Add the features of the shape and one triangle; near: (gap, n, p, q) of the shape and the triangle's prism."""
    a, pose_a, b, pose_b = geoms
    gap, n, p, q = near
    f = Q.shape_faces[b, 0]
    corners, m = triangle_in_field(Q, b, cell)
    here = turned_back(pose_b[1], minus(q, pose_b[0]))
    out = times(-1.0, turned_back(pose_b[1], n))
    shares = shares_of(corners, here)
    size = length(minus(corners[1], corners[0])) + length(minus(corners[2], corners[0]))
    if dot(m, minus(here, corners[0])) < -ON_EDGE * size:  # a side of the border, or the bottom
        if is_normal_below(Q, f, cell, out, here):
            _witnesses(Q, W, k, x, R, geoms, cell, p, q, n)
        return
    part, level = part_of_triangle(shares), length(minus(out, m)) < LEVEL
    if not (level or is_normal_above(Q, f, cell, out, here, part)):
        if W.kappa[0] > 0.0 and reach > 0.0 and shows_polygon(Q, a):
            _add_corners_over(Q, W, k, x, R, geoms, cell, (corners, m, gap), reach)
        return
    if not shows_polygon(Q, a):
        _round(Q, W, k, x, R, geoms, cell, part, level, pose_a[0], 0)
        return
    M = W.manifold
    M.found[0], M.size[0] = 0, 0.0
    show_polygon(Q, M, 0, a, pose_a, n)
    _show_triangle(Q, M, b, cell, pose_b)
    common_corners(Q, W, a, pose_a, b, pose_b, n, gap, reach)
    if gap > -MISSED * M.size[0]:
        rim_features(Q, M, a, pose_a, b, pose_b, n, gap, reach, W.kappa[0] == 0.0)
    missed = _number(Q, W, k, f, cell, corners, m, gap, pose_b)
    keep_spread(M, MOST if W.kappa[0] == 0.0 else FOUND)
    for s in range(M.found[0]):
        if M.kept[s]:
            add_feature(Q, W, k, M, s, x, R)
    if missed and not level:
        if Q.shape_kind[a] == CYLINDER:
            if W.kappa[0] > 0.0:
                _round(Q, W, k, x, R, geoms, cell, part, level, p, 0)
                return
        elif M.radius[0] > 0.0 or W.kappa[0] > 0.0:  # in the hard limit a sharp corner that touches has no normal of its own
            for i in range(M.corners[0]):
                centre = row(M.point[0], i)
                if length(minus(along(p, -M.radius[0], n), centre)) < ON_EDGE * M.size[0]:
                    _round(Q, W, k, x, R, geoms, cell, part, level, centre, M.number[0, i])
                    return
        _witnesses(Q, W, k, x, R, geoms, cell, p, q, n)


@kernel
def _add_corners_over(Q, W, k, x, R, geoms, cell, triangle, reach):
    """On the central path: the corners of the shape over a triangle, although a point beside it is nearer to the triangle's prism.

    Contact at a distance acts on all corners. With the corners over the triangle of the nearest point alone, a box over a flat
    field had four contacts when level and two when tilted by 1e-5.
    """
    a, pose_a, b, pose_b = geoms
    corners, m, gap = triangle
    M, towards = W.manifold, times(-1.0, turned(pose_b[1], m))
    M.found[0], M.size[0] = 0, 0.0
    show_polygon(Q, M, 0, a, pose_a, towards)
    _show_triangle(Q, M, b, cell, pose_b)
    common_corners(Q, W, a, pose_a, b, pose_b, towards, gap, reach)
    _number(Q, W, k, Q.shape_faces[b, 0], cell, corners, m, gap, pose_b)
    keep_spread(M, FOUND)
    for s in range(M.found[0]):
        if M.kept[s] and M.side[s] == 0 and (M.kind[s] == POINT_PLANE or M.kind[s] == RIM_PLANE):
            add_feature(Q, W, k, M, s, x, R)


@kernel
def _show_triangle(Q, M, b, cell, pose_b):
    """Write the triangle into M's second row, counterclockwise from outside like the faces of a mesh."""
    corners, m = triangle_in_field(Q, b, cell)
    M.radius[1], M.disc[1], M.corners[1], M.has_face[1] = 0.0, 0.0, 3, True
    M.face[1] = triangle_number(Q, Q.shape_faces[b, 0], cell)
    for i in range(3):
        place = i if cell[2] == 0 else 2 - i  # in MuJoCo's order the second triangle of a cell runs clockwise
        put(M.point[1], place, plus(pose_b[0], turned(pose_b[1], corners[i])))
        M.number[1, place] = i
    put(M.normal, 1, turned(pose_b[1], m))
    put(M.origin, 1, row(M.point[1], 0))


@kernel
def _number(Q, W, k, f, cell, corners, m, gap, pose_b):
    """Number the features in M by the grid. Edges and points where the terrain is not convex get a gap of NaN, and are not kept.

    Returns whether none of the other features is as near as the pair.
    """
    M, missed = W.manifold, True
    for s in range(M.found[0]):
        good = True
        if M.kind[s] == EDGE_EDGE or M.kind[s] == EDGE_OVER or M.kind[s] == RIM_EDGE:
            if M.kind[s] == RIM_EDGE:
                w = turned_back(pose_b[1], row(M.along[s], 1))
                M.corner[s, 0] ^= 1 * (w[0] + w[1] < 0.0)  # the number of the crossing is the same from both triangles
            i = 3 - M.corner[s, 1] // CORNERS - M.corner[s, 1] % CORNERS
            good = bends_out(Q, f, cell, corners, m, i)
            M.corner[s, 1] = edge_number(Q, f, cell, i)
        elif M.side[s] == 1:
            i = M.corner[s, 0]
            good = is_peak(Q, f, cell, i)
            M.corner[s, 0] = point_number(Q, f, cell, i)
        elif _is_double(W, k, M, s):
            good, missed = False, False
        if good:
            missed = missed and (M.gap[s] > gap + MISSED * M.size[0] or M.gap[s] < M.least[0])
        else:
            M.gap[s] = math.nan
    return missed


@kernel
def _is_double(W, k, M, s):
    """Whether the table has the same point of the shape already, over another triangle in the same plane."""
    part = (2 * M.kind[s] + M.side[s]) * NUMBERS + M.corner[s, 0]
    m, at = row(M.along[s], 1), row(M.at[s], 1)
    for i in range(W.n_features[NOW]):
        if W.fpair[i] == k and W.fkey[i] // NUMBERS == part and takes_part(W, i):
            n = (W.faxes[i, 1, 0, 2], W.faxes[i, 1, 1, 2], W.faxes[i, 1, 2, 2])
            d = minus(at, row(W.fcentre[i], 1))
            if length(minus(n, m)) < FLAT and abs(dot(m, d)) < FLAT * length(d):
                return True
    return False


@kernel
def _round(Q, W, k, x, R, geoms, cell, part, level, centre, end):
    """Add a ball or corner of the shape, its number `end`, over the triangle's plane (`level`), or at an edge or a point of it.

    For an ellipsoid or cylinder: its lowest point over the plane, or its witness points.
    """
    a, _, b, pose_b = geoms
    curved = is_curved(shape_of(Q, a))
    f, M = Q.shape_faces[b, 0], W.manifold
    corners, m = triangle_in_field(Q, b, cell)
    size, i = part
    M.side[0], M.sign[0] = 0, 1.0
    put(M.at[0], 0, centre)
    M.rounding[0, 0], M.rounding[0, 1] = rounding(shape_of(Q, a)), 0.0
    if level or size == 3:
        M.kind[0] = ELLIPSOID_PLANE if curved else POINT_PLANE
        M.corner[0, 0], M.corner[0, 1] = end, triangle_number(Q, f, cell)
        put(M.at[0], 1, plus(pose_b[0], turned(pose_b[1], corners[0])))
        put(M.along[0], 1, turned(pose_b[1], m))
        if not _is_double(W, k, M, 0):
            add_feature(Q, W, k, M, 0, x, R)
        return
    M.kind[0] = NEAREST if curved else BALL_FEATURE
    one, two = (corners[i], corners[i]) if size == 1 else (corners[(i + 1) % 3], corners[(i + 2) % 3])
    M.corner[0, 0], M.corner[0, 1] = end, 4 * point_number(Q, f, cell, i) + 3 if size == 1 else edge_number(Q, f, cell, i)
    before = W.n_features[NOW]
    add_feature(Q, W, k, M, 0, x, R)
    if W.n_features[NOW] > before:
        middle = plus(pose_b[0], turned(pose_b[1], times(0.5, plus(one, two))))
        _put_segment(W, before, middle, turned(pose_b[1], times(0.5, minus(two, one))))


@kernel
def _put_segment(W, i, middle, half):
    """Make a segment, in the world's frame, the second side of feature i."""
    reach = length(half)
    z = unit(half)
    y = unit(perpendicular(z))
    u = cross(y, z)
    for r in range(3):
        W.fcentre[i, 1, r] = middle[r]
        W.faxes[i, 1, r, 0], W.faxes[i, 1, r, 1], W.faxes[i, 1, r, 2] = u[r], y[r], z[r]
        W.fhalf[i, 1, r] = reach if r == 2 else 0.0


@kernel
def _witnesses(Q, W, k, x, R, geoms, cell, p, q, n):
    """Add what keeps the shape away from a prism by their witness points p, q.

    On the central path, where A and B need what happens to these as the shape moves, the nearest points of both, as for other
    pairs: a plane through the present ones would stay where it is.
    """
    if W.kappa[0] == 0.0:
        _plane_feature(Q, W, k, x, R, geoms, cell, p, q, n)
        return
    b, pose_b, M, before = geoms[2], geoms[3], W.manifold, W.n_features[NOW]
    number = triangle_number(Q, Q.shape_faces[b, 0], cell)
    M.kind[0], M.side[0], M.sign[0] = NEAREST, 0, 1.0
    M.corner[0, 0], M.corner[0, 1] = OF_PRISM, number
    M.rounding[0, 0], M.rounding[0, 1] = rounding(shape_of(Q, geoms[0])), 0.0
    add_feature(Q, W, k, M, 0, x, R)
    if W.n_features[NOW] > before:
        corners = terrain_triangle(Q, Q.shape_faces[b, 0], cell[0], cell[1], cell[2])
        _, (middle, _) = prism_at(Q, b, cell[0], cell[1], cell[2], corners, pose_b)
        for r in range(3):  # (fields are fixed to the world)
            W.fcentre[before, 1, r] = middle[r]
        W.fhalf[before, 1, 0], W.fhalf[before, 1, 2] = 1.0 + number, 0.0


@kernel
def _plane_feature(Q, W, k, x, R, geoms, cell, p, q, n):
    """Add the present witness point of the shape over the separating plane through that of the field, unless it is there already.

    For an ellipsoid: its lowest point over that plane.
    """
    a, before = geoms[0], W.n_features[NOW]
    M, radius = W.manifold, rounding(shape_of(Q, a))
    M.kind[0], M.side[0], M.sign[0] = ELLIPSOID_PLANE if Q.shape_kind[a] == ELLIPSOID else POINT_PLANE, 0, 1.0
    # (a number of its own for each: the check at the end of a step may find another point over another plane of the triangle)
    M.corner[0, 0] = NUMBERS - 1 - W.n_features[NOW]
    M.corner[0, 1] = triangle_number(Q, Q.shape_faces[geoms[2], 0], cell)
    put(M.at[0], 0, along(p, -radius, n))
    put(M.at[0], 1, q)
    put(M.along[0], 1, times(-1.0, n))
    M.rounding[0, 0], M.rounding[0, 1] = radius, 0.0
    add_feature(Q, W, k, M, 0, x, R)
    if W.n_features[NOW] > before and _is_there(W, before):
        W.n_features[NOW] = before


@kernel
def _is_there(W, f):
    """Whether an earlier feature of the table is that of its last row, f: the same point of a shape over the same plane."""
    for i in range(f):
        if W.fpair[i] == W.fpair[f] and W.fkind[i] == W.fkind[f] and takes_part(W, i):
            apart, turned_by = 0.0, 0.0
            for r in range(3):
                apart = max(apart, abs(W.fcentre[i, 0, r] - W.fcentre[f, 0, r]), abs(W.fcentre[i, 1, r] - W.fcentre[f, 1, r]))
                turned_by = max(turned_by, abs(W.faxes[i, 1, r, 2] - W.faxes[f, 1, r, 2]))
            if apart < SAME_POINT and turned_by < FLAT:
                return True
    return False


@kernel
def _push_up(Q, W, k, x, R, geoms, cell):
    """Add the lowest point of the shape over the plane of a triangle, where the overlap is so deep that no feature was found."""
    a, pose_a, b, pose_b = geoms
    corners, m = triangle_in_field(Q, b, cell)
    up, A = turned(pose_b[1], m), shape_of(Q, a)
    lowest, _ = support(A, pose_a, times(-1.0, up), Q, -1)
    place = plus(pose_b[0], turned(pose_b[1], corners[0]))
    if W.kappa[0] == 0.0 or Q.shape_kind[a] != CYLINDER:
        _plane_feature(Q, W, k, x, R, geoms, cell, along(lowest, -rounding(A), up), place, times(-1.0, up))
        return
    M, z = W.manifold, (pose_a[1][2], pose_a[1][5], pose_a[1][8])
    end = 0 if dot(z, up) < 0.0 else 1
    M.kind[0], M.side[0], M.sign[0] = RIM_PLANE, 0, 1.0
    M.corner[0, 0], M.corner[0, 1] = end, triangle_number(Q, Q.shape_faces[b, 0], cell)
    put(M.at[0], 0, along(pose_a[0], Q.shape_size[a, 1] * (1.0 - 2.0 * end), z))
    put(M.along[0], 0, z)
    put(M.at[0], 1, place)
    put(M.along[0], 1, up)
    M.rounding[0, 0], M.rounding[0, 1] = Q.shape_size[a, 0], 0.0
    add_feature(Q, W, k, M, 0, x, R)
