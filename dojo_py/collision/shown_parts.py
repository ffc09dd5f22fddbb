"""What both shapes of a pair show on the central path, recorded in the manifold: faces, and the parts of features that fade.

A part is (WHOLE, FACE, EDGE or CORNER; its number, of an edge those of both faces); its facing adds to the gap (facing.py).
"""

import math

from dojo_py.algebra.vectors import put, row, times, turned, turned_back
from dojo_py.collision.convex_shapes import CYLINDER
from dojo_py.collision.crossing import crossing_fade
from dojo_py.collision.facing import CORNER, EDGE, FACE, WHOLE, face_beside, facing, has_faces, list_faces
from dojo_py.collision.facing_change import direction
from dojo_py.collision.overhang import STEEPNESS
from dojo_py.collision.shown_polygons import FOUND, show_face, show_polygon
from dojo_py.jit import kernel


@kernel
def list_shown(Q, W, k, pose_a, pose_b):
    """List the faces that both shapes of pair k show, in W.manifold; none in the hard limit or if one is a cylinder."""
    M = W.manifold
    M.faces[0] = M.faces[1] = 0
    if M.band[0] == 0.0 or Q.shape_kind[M.geom[0]] == CYLINDER or Q.shape_kind[M.geom[1]] == CYLINDER:
        return
    n = direction(Q, W, k, M.geom[0], pose_a, M.geom[1], pose_b)
    for side in range(2):
        R, outwards = (pose_a[1], n) if side == 0 else (pose_b[1], times(-1.0, n))
        for r in range(9):
            M.axes[side, r] = R[r]
        v = turned_back(R, outwards)
        put(M.seen_along, side, v)
        if has_faces(Q, M.geom[side]):
            list_faces(Q, M, side, M.geom[side], v)


@kernel
def show_part(Q, M, side, i, pose, n):
    """Write the polygon of a side into M: face i of those listed or, if none are, what it shows along n."""
    if M.faces[side] == 0:
        show_polygon(Q, M, side, M.geom[side], pose, n)
        return
    M.face_shown[side] = M.shown[side, i]
    show_face(Q, M, side, M.geom[side], pose, M.shown[side, i], 0)


@kernel
def _listed(M, side):
    """The side, if its faces have been listed; else -1."""
    return side if M.faces[side] > 0 else -1


@kernel
def farther_away(Q, M, part_a, part_b):
    """d₂ (1/σ_A + 1/σ_B) [m]: by how much the gap of a feature grows because these parts of both shapes face away."""
    less = 0.0
    for side in range(2):
        part = part_a if side == 0 else part_b
        less += 1.0 / facing(Q, M, _listed(M, side), part, row(M.seen_along, side))[0]
    return STEEPNESS * M.band[0] * less


@kernel
def note_parts(Q, M, part_a, part_b, farther):
    """Record the parts of the current feature, which add `farther` to its gap; those that are shown in full as WHOLE."""
    M.farther[FOUND] += farther
    for side in range(2):
        part = part_a if side == 0 else part_b
        whole = farther == 0.0 or facing(Q, M, _listed(M, side), part, row(M.seen_along, side))[0] == math.inf
        M.part[FOUND, side, 0], M.part[FOUND, side, 1], M.part[FOUND, side, 2] = WHOLE if whole else part[0], part[1], part[2]


@kernel
def corner_part(Q, M, side, i):
    """Corner i of a side as a part (facing.py); WHOLE if its faces are not listed."""
    return (CORNER, Q.shape_hull[M.geom[side], 0] + M.number[side, i], 0) if M.faces[side] > 0 else (WHOLE, 0, 0)


@kernel
def edge_part(Q, M, side, i, j):
    """Likewise the edge between two corners."""
    if M.faces[side] == 0:
        return (WHOLE, 0, 0)
    face, first = M.face_shown[side], Q.shape_hull[M.geom[side], 0]
    return (EDGE, face, face_beside(Q, face, first + M.number[side, i], first + M.number[side, j]))


@kernel
def face_part(M, side):
    """Likewise the face."""
    return (FACE, M.face_shown[side], 0) if M.faces[side] > 0 else (WHOLE, 0, 0)


@kernel
def note_normals(Q, M, side, part):
    """Record the normals, world, of the two faces of the edge that is a part of a side (crossing.py); zero for an axis."""
    R = M.axes[side]
    A = (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8])
    for i in range(2):
        put(M.faces_at[FOUND, side], i, turned(A, row(Q.face_normal, part[1 + i])) if part[0] == EDGE else (0.0, 0.0, 0.0))


@kernel
def fade_of_crossing(M, u, w, sign):
    """`crossing_fade` of the edges whose faces have been recorded."""
    a, b = M.faces_at[FOUND, 0], M.faces_at[FOUND, 1]
    return crossing_fade(u, w, sign, (row(a, 0), row(a, 1)), (row(b, 0), row(b, 1)))[0]
