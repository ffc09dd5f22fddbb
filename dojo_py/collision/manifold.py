"""Contact manifold of two convex shapes: which of their features may touch within a step.

Both shapes show a polygon along the normal n of the pair: a box or mesh the face at its support point whose normal is nearest to n,
a capsule its axis, a cylinder its cap (4 points of the rim), a point of its rim or its axis. The corners of the intersection of
both polygons, projected along n, are features (common_area.py, features.py); cylinders have those of rim_choice.py in addition.
Each has a smooth gap, so that a face that lands on a face has four contacts rather than one that jumps. If none of them is as near
as the pair, and for shapes without faces, the witness points take part: in the hard limit, if one lies on a face, the other one
over the plane of that face (POINT_PLANE), else both as they move (NEAREST).

On the central path features may overhang the ends of what they touch, within a band in which they fade (overhang.py). Boxes and
meshes seen from between the normals of their faces show more than one face, of which those that face away fade (facing.py).
"""

import math

from dojo_py.algebra.vectors import dot, minus, put, row, times
from dojo_py.arrays import body_row
from dojo_py.collision.candidates import AROUND, FELT
from dojo_py.collision.common_area import DEEPER, common_corners
from dojo_py.collision.convex_shapes import MESH, PLANE
from dojo_py.collision.crossing_edges import ALIGNED
from dojo_py.collision.features import NEAREST, POINT_PLANE
from dojo_py.collision.found_features import NUMBERS, add_feature, keep_spread
from dojo_py.collision.pair_gap import gap_of
from dojo_py.collision.participation import NOW, takes_part
from dojo_py.collision.rim_choice import rim_features
from dojo_py.collision.shown_parts import list_shown, show_part
from dojo_py.collision.shown_polygons import FOUND, no_ends, pose_of, shows_polygon
from dojo_py.jit import kernel

MOST = 8
"""Largest number of features of a pair in the hard limit: those that spread most."""
MISSED = 1e-3
"""Over the size: the witness points take part, too, if the pair's gap is smaller than that of every feature by more than this."""
ASLANT = 0.25
"""Where faces fade, this fraction of the gap is added: the height of an edge over a face is larger than its distance."""


@kernel
def find_convex(Q, W, k, x, R, reach):
    """Append the features of convex pair k with gaps up to reach [m] to the table, except those that it holds already.

    x (nb + 1, 3), R (nb + 1, 3, 3): poses; reach is 0 in the check at the end of a step. Returns (gap of the pair, a lower bound if
    it is above reach; number of features added).
    """
    a, b = Q.geom[k, 0], Q.geom[k, 1]
    i, j = body_row(x, Q.shape_node[a]), body_row(x, Q.shape_node[b])
    pose_a, pose_b = pose_of(Q, a, x[i], R[i]), pose_of(Q, b, x[j], R[j])
    around = (AROUND if W.kappa[0] > 0.0 else 1.0) * reach
    gap, n, p, q = gap_of(Q, W, a, pose_a, b, pose_b, around)
    if gap > around:
        return gap, 0
    before, M = W.n_features[NOW], W.manifold
    missed, hard, at_end = True, W.kappa[0] == 0.0, reach == 0.0
    M.found[0] = 0
    M.has_face[0] = M.has_face[1] = False
    M.band[0] = 0.0 if hard or at_end else math.sqrt(FELT * W.kappa[0]) * Q.fade[k]
    no_ends(M)
    held, looked_at = at_end and _is_held(W, k), not at_end and _has_features(W, k)
    if not held and shows_polygon(Q, a) and shows_polygon(Q, b):
        _find_on_polygons(Q, W, k, a, pose_a, b, pose_b, n, gap, reach)
        missed = not _add_found(Q, W, k, gap, x, R)
    missed = missed and gap <= reach
    if not looked_at and (missed or (gap < 0.0 and W.n_features[NOW] == before)):  # (at the start once is enough)
        if not (hard and _point_over_face(Q, M, p, q, n, W.n_features[NOW], held)):
            M.kind[0], M.corner[0, 0], M.corner[0, 1], M.side[0], M.sign[0] = NEAREST, 0, 0, 0, 1.0
        if M.kind[0] != NEAREST or not (Q.shape_kind[a] == PLANE or Q.shape_kind[b] == PLANE):
            add_feature(Q, W, k, M, 0, x, R)
    return gap, W.n_features[NOW] - before


@kernel
def _find_on_polygons(Q, W, k, a, pose_a, b, pose_b, n, gap, reach):
    """Write into M the features of all polygons that both shapes of pair k show along the normal n, with gaps up to reach [m]."""
    M, hard = W.manifold, W.kappa[0] == 0.0
    M.size[0], M.geom[0], M.geom[1] = 0.0, a, b
    list_shown(Q, W, k, pose_a, pose_b)
    for i in range(max(M.faces[0], 1)):
        show_part(Q, M, 0, i, pose_a, n)
        for j in range(max(M.faces[1], 1)):
            show_part(Q, M, 1, j, pose_b, times(-1.0, n))
            common_corners(Q, W, a, pose_a, b, pose_b, n, gap, reach)
    no_ends(M)
    if gap > -MISSED * M.size[0]:  # crossings of overlapping shapes mean nothing
        rim_features(Q, M, a, pose_a, b, pose_b, n, gap, reach, hard)
    keep_spread(M, MOST if hard else FOUND)


@kernel
def _add_found(Q, W, k, gap, x, R):
    """Add the features of M that are kept. Returns whether any that was found is as near as the pair; gap: of the pair [m]."""
    M, as_near = W.manifold, False
    near = (1.0 + ASLANT * (M.faces[0] + M.faces[1] > 0)) * gap + MISSED * M.size[0]
    for f in range(M.found[0]):
        as_near = as_near or not (M.gap[f] > near or M.gap[f] < M.least[0])
        if M.kept[f]:
            add_feature(Q, W, k, M, f, x, R)
    return as_near


@kernel
def _is_held(W, k):
    """Whether features of pair k are held (hard/contacts/held_points.py)."""
    for f in range(W.n_features[NOW]):
        if W.fpair[f] == k and W.free_kind[f] > 0:
            return True
    return False


@kernel
def _has_features(W, k):
    """Whether pair k has features in this step."""
    for f in range(W.n_features[NOW]):
        if W.fpair[f] == k and takes_part(W, f):
            return True
    return False


@kernel
def _point_over_face(Q, M, p, q, n, number, any_plane):
    """Write into M's first row one of the witness points p of A, q of B over a face of the other shape; False if n is of no face.

    Which point of a face is nearest jumps if the face is nearly parallel to what it touches; the other shape's present witness
    point over the plane of that face does not. any_plane: if n is of no face, use the supporting plane of B through q.
    The vertices of a mesh's face are coplanar only to single precision, in which files store them: its plane is put through the
    witness point on the face, otherwise pairs would stay as deep as the face bulges.
    """
    for face in range(2):
        m = row(M.normal, face)
        if M.has_face[face] and abs(dot(m, n)) > ALIGNED:
            side = 1 - face
            M.kind[0], M.side[0], M.sign[0] = POINT_PLANE, side, 1.0 if side == 0 else -1.0
            M.corner[0, 0], M.corner[0, 1] = NUMBERS - 1 - number, M.face[face]
            put(M.at[0], side, p if side == 0 else q)
            on_face, corner = q if side == 0 else p, row(M.origin, face)
            bulges = Q.shape_kind[M.geom[face]] == MESH and abs(dot(m, minus(on_face, corner))) < DEEPER * M.size[0]
            put(M.at[0], face, on_face if bulges else corner)
            put(M.along[0], face, m)
            M.rounding[0, 0] = M.rounding[0, 1] = 0.0
            return True
    if any_plane:
        M.kind[0], M.side[0], M.sign[0] = POINT_PLANE, 0, 1.0
        M.corner[0, 0], M.corner[0, 1] = NUMBERS - 1 - number, 0
        put(M.at[0], 0, p)
        put(M.at[0], 1, q)
        put(M.along[0], 1, times(-1.0, n))
        M.rounding[0, 0] = M.rounding[0, 1] = 0.0
    return any_plane
