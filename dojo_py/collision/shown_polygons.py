"""The polygon that a convex shape shows along a normal: a face, a cylinder's cap or an axis; and the work space of a manifold."""

import math
from typing import NamedTuple

import numpy as np

from dojo_py.algebra.vectors import along, dot, length, plus, put, row, times, turned, turned_back
from dojo_py.collision.convex_shapes import CAPSULE, CYLINDER, ELLIPSOID, PLANE, SPHERE
from dojo_py.collision.features import RIM_PLANE
from dojo_py.jit import kernel

RING = 48
"""Largest number of corners of a polygon that are used."""
FOUND = 256
"""Room for features of a pair: in the hard limit those of one face of each shape, on the central path of several."""
FACES = 12
"""Largest number of faces that a shape shows on the central path (facing.py)."""
SAME_PLACE = 1e-4
"""Over the size: features closer than this, projected along the normal, are one."""
RIM_POINTS = 4
"""Points of the rim that represent a cap."""
CAP_COSINE, SIDE_COSINE = 0.9, 0.3
"""A cylinder shows its cap if the cosine of the angle from its axis to the normal is above the first, its side if it is below the
second, and a point of its rim between them."""
ENDS = 4
"""Largest number of ends of edges and faces that a feature may overhang (overhang.py)."""
CORNERS = 1 << 12
"""Numbers of corners and faces are below this, where the number of a feature is made of them."""


class Manifold(NamedTuple):
    """Work space of `find_convex`, modified in place. Arrays of 2 rows: what shapes A and B show; of FOUND rows: the features."""

    seen: np.ndarray  # (3, 3) projection along the normal: origin [m], two axes
    corners: np.ndarray  # (2,) number of corners of the polygon; 2: an axis, 1: a point of a rim, 0: a plane
    radius: np.ndarray  # (2,) rounding of the corners [m]
    disc: np.ndarray  # (2,) radius of a cylinder, 0 for other shapes [m]
    has_face: np.ndarray  # (2,) whether the polygon is a face; if so, its
    normal: np.ndarray  # (2, 3) outward normal, world
    origin: np.ndarray  # (2, 3) and a point of its plane [m]
    point: np.ndarray  # (2, RING, 3) the corners, world [m]
    number: np.ndarray  # (2, RING) their numbers
    flat: np.ndarray  # (2, RING, 2) projected along the normal [m]
    face: np.ndarray  # (2,) number of the face
    size: np.ndarray  # (1,) of what both show [m]
    least: np.ndarray  # (1,) the smallest gap that a feature may have [m]
    found: np.ndarray  # (1,) number of features found
    kind: np.ndarray  # (FOUND,)
    gap: np.ndarray  # (FOUND,) [m]
    sign: np.ndarray  # (FOUND,) see features.py; 1 if the point, or the disc, is A's
    place: np.ndarray  # (FOUND, 2) projected along the normal [m]
    side: np.ndarray  # (FOUND,) whose point, disc or ball it is
    corner: np.ndarray  # (FOUND, 2) numbers of the corner, edge, face or rim of both sides
    at: np.ndarray  # (FOUND, 2, 3) the two reference points, world [m]
    along: np.ndarray  # (FOUND, 2, 3) direction of an edge or axis, normal of a plane
    across: np.ndarray  # (FOUND, 2, 3) direction in a face perpendicular to its edge
    rounding: np.ndarray  # (FOUND, 2) [m]; of a rim: the radius of its disc
    angle: np.ndarray  # (FOUND, 2) angle of the contact on a rim [rad]
    turn: np.ndarray  # (FOUND,) sign of the normal of a rim and an edge
    band: np.ndarray  # (1,) how far features may overhang the end of what they touch [m] (overhang.py); 0 in the hard limit
    # what each overhangs, ENDS at most; row FOUND is of the current feature, which is being made
    ends: np.ndarray  # (FOUND + 1,) number of ends
    end_side: np.ndarray  # (FOUND + 1, ENDS) whose end it is
    end_at: np.ndarray  # (FOUND + 1, ENDS, 3) a point of it, world [m]
    end_along: np.ndarray  # (FOUND + 1, ENDS, 3) the direction outwards, or the axis of a cap
    end_disc: np.ndarray  # (FOUND + 1, ENDS) radius of that cap [m]; 0: an edge's end, or a face's edge
    farther: np.ndarray  # (FOUND + 1,) growth of the gap by overhang and facing [m]
    lift: np.ndarray  # (FOUND + 1,) sign of the normal's direction from the contact point to the edge; 0: not used
    geom: np.ndarray  # (2,) numbers of the geoms
    seen_along: np.ndarray  # (2, 3) direction in which each is seen, in its frame
    faces: np.ndarray  # (2,) number of faces that each shows on the central path; 0: what `show_polygon` shows
    shown: np.ndarray  # (2, FACES) their numbers in the table of all faces
    sigma: np.ndarray  # (2, FACES, 4) their facing σ and its derivative (facing.py)
    face_shown: np.ndarray  # (2,) the one that is the polygon now
    part: np.ndarray  # (FOUND + 1, 2, 3) part of each shape that a feature involves (facing.py)
    axes: np.ndarray  # (2, 9) the geoms' matrices, by rows
    faces_at: np.ndarray  # (FOUND + 1, 2, 2, 3) of two edges: normals of both faces at each, world (crossing.py)
    least_sine: np.ndarray  # (FOUND + 1,) sine of the angle between two edges below which they count as parallel; 0: no edges
    kept: np.ndarray  # (FOUND,) whether it is kept
    far: np.ndarray  # (FOUND,) squared distance from the features kept [m²], see `keep_spread`


def allocate_manifold() -> Manifold:
    """Work space for one pair at a time."""
    z, i, each = np.zeros, np.int64, (FOUND, 2, 3)
    return Manifold(
        seen=z((3, 3)), corners=z(2, i), radius=z(2), disc=z(2), has_face=z(2, np.bool_), normal=z((2, 3)), origin=z((2, 3)),
        point=z((2, RING, 3)), number=z((2, RING), i), flat=z((2, RING, 2)), face=z(2, i), size=z(1), least=z(1), found=z(1, i),
        kind=z(FOUND, i), gap=z(FOUND), sign=z(FOUND), place=z((FOUND, 2)), side=z(FOUND, i), corner=z((FOUND, 2), i), at=z(each),
        along=z(each), across=z(each), rounding=z((FOUND, 2)), angle=z((FOUND, 2)), turn=z(FOUND), kept=z(FOUND, np.bool_),
        far=z(FOUND), band=z(1), ends=z(FOUND + 1, i), end_side=z((FOUND + 1, ENDS), i), end_at=z((FOUND + 1, ENDS, 3)),
        end_along=z((FOUND + 1, ENDS, 3)), end_disc=z((FOUND + 1, ENDS)), farther=z(FOUND + 1), lift=z(FOUND + 1),
        least_sine=z(FOUND + 1), geom=z(2, i), seen_along=z((2, 3)), faces=z(2, i), shown=z((2, FACES), i), face_shown=z(2, i),
        sigma=z((2, FACES, 4)), part=z((FOUND + 1, 2, 3), i), axes=z((2, 9)), faces_at=z((FOUND + 1, 2, 2, 3)),
    )  # fmt: skip


@kernel
def shape_of(Q, g):
    """Geom g as a shape tuple of convex_shapes.py."""
    return Q.shape_kind[g], (Q.shape_size[g, 0], Q.shape_size[g, 1], Q.shape_size[g, 2]), Q.shape_hull[g, 0], Q.shape_hull[g, 1]


@kernel
def pose_of(Q, g, x, R):
    """(position, matrix) of geom g, whose body has its centre of mass at x (3,) and orientation R (3, 3)."""
    return placed(Q.shape_centre[g], Q.shape_axes[g], x, R)


@kernel
def placed(c, A, x, R):
    """(position, matrix) in the world of a frame with origin c (3,) and axes A (3, 3) in the frame of a body at x, R."""
    position = (
        x[0] + R[0, 0] * c[0] + R[0, 1] * c[1] + R[0, 2] * c[2],
        x[1] + R[1, 0] * c[0] + R[1, 1] * c[1] + R[1, 2] * c[2],
        x[2] + R[2, 0] * c[0] + R[2, 1] * c[1] + R[2, 2] * c[2],
    )
    return position, (
        R[0, 0] * A[0, 0] + R[0, 1] * A[1, 0] + R[0, 2] * A[2, 0],
        R[0, 0] * A[0, 1] + R[0, 1] * A[1, 1] + R[0, 2] * A[2, 1],
        R[0, 0] * A[0, 2] + R[0, 1] * A[1, 2] + R[0, 2] * A[2, 2],
        R[1, 0] * A[0, 0] + R[1, 1] * A[1, 0] + R[1, 2] * A[2, 0],
        R[1, 0] * A[0, 1] + R[1, 1] * A[1, 1] + R[1, 2] * A[2, 1],
        R[1, 0] * A[0, 2] + R[1, 1] * A[1, 2] + R[1, 2] * A[2, 2],
        R[2, 0] * A[0, 0] + R[2, 1] * A[1, 0] + R[2, 2] * A[2, 0],
        R[2, 0] * A[0, 1] + R[2, 1] * A[1, 1] + R[2, 2] * A[2, 1],
        R[2, 0] * A[0, 2] + R[2, 1] * A[1, 2] + R[2, 2] * A[2, 2],
    )


@kernel
def shows_polygon(Q, g):
    """Whether geom g shows a polygon: spheres and ellipsoids do not."""
    return Q.shape_kind[g] != SPHERE and Q.shape_kind[g] != ELLIPSOID


@kernel
def show_polygon(Q, M, side, g, pose, n):
    """Write what geom g shows along n into M's row `side`: corners (world), their numbers, rounding, the plane of a face."""
    kind = Q.shape_kind[g]
    M.radius[side], M.has_face[side], M.disc[side] = 0.0, False, 0.0
    R = pose[1]
    z = (R[2], R[5], R[8])
    if kind == PLANE:
        M.corners[side], M.has_face[side], M.face[side] = 0, True, 0
        put(M.normal, side, z)
        put(M.origin, side, pose[0])
        return
    if kind == CAPSULE or kind == CYLINDER:
        half, radius = Q.shape_size[g, 1], Q.shape_size[g, 0]
        tilt = dot(z, n)
        if kind == CYLINDER:
            M.disc[side] = radius
            if abs(tilt) > CAP_COSINE:
                _cap(M, side, pose, z, radius, half, 1.0 if tilt > 0.0 else -1.0)
                return
            if abs(tilt) >= SIDE_COSINE:
                sign = 1.0 if tilt > 0.0 else -1.0
                lowest = along(n, -tilt, z)
                put(M.point[side], 0, along(along(pose[0], sign * half, z), radius / length(lowest), lowest))
                M.corners[side], M.number[side, 0] = 1, 0
                return
        M.corners[side], M.radius[side] = 2, radius
        put(M.point[side], 0, along(pose[0], -half, z))
        put(M.point[side], 1, along(pose[0], half, z))
        M.number[side, 0], M.number[side, 1] = 0, 1
        return
    face, lead = _face_along(Q, g, turned_back(R, n))
    show_face(Q, M, side, g, pose, face, lead)


@kernel
def show_face(Q, M, side, g, pose, face, lead):
    """Write a face of a box or mesh into M's row `side`, with its corners from place `lead` in its ring on."""
    M.radius[side], M.disc[side], R = 0.0, 0.0, pose[1]
    first, number = Q.ring[face], Q.ring[face + 1] - Q.ring[face]
    step = (number + RING - 1) // RING
    count = 0
    for r in range(0, number, step):  # of many corners a subset, always with the one at `lead`
        c = Q.ring_corner[first + (lead + r) % number]
        put(M.point[side], count, plus(pose[0], turned(R, row(Q.corner, c))))
        M.number[side, count] = c - Q.shape_hull[g, 0]
        count += 1
    M.corners[side], M.has_face[side], M.face[side] = count, True, face - Q.shape_faces[g, 0]
    put(M.normal, side, turned(R, row(Q.face_normal, face)))
    put(M.origin, side, row(M.point[side], 0))


@kernel
def _cap(M, side, pose, z, radius, half, sign):
    """The cap of a cylinder whose outward normal is sign z: points of its rim, counterclockwise from outside."""
    R = pose[1]
    centre = along(pose[0], sign * half, z)
    for i in range(RIM_POINTS):
        angle = sign * 2.0 * math.pi * i / RIM_POINTS
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        put(M.point[side], i, plus(centre, turned(R, (x, y, 0.0))))
        M.number[side, i] = i if sign > 0.0 else 2 * RIM_POINTS - 1 - i
    M.corners[side], M.has_face[side], M.face[side] = RIM_POINTS, True, 1 * (sign > 0.0)
    put(M.normal, side, times(sign, z))
    put(M.origin, side, centre)


@kernel
def _face_along(Q, g, m):
    """(face, lead) of geom g, a box or mesh: of the faces at its support point along m, in its frame, the one whose normal is
    nearest to m; the place of the support point in that face's ring.
    """
    top, c = -math.inf, Q.shape_hull[g, 0]
    for i in range(Q.shape_hull[g, 0], Q.shape_hull[g, 0] + Q.shape_hull[g, 1]):
        d = dot(row(Q.corner, i), m)
        if d > top and Q.around[i] < Q.around[i + 1]:  # (a vertex inside a face or an edge is a corner of none)
            top, c = d, i
    best, most = Q.shape_faces[g, 0], -2.0
    for r in range(Q.around[c], Q.around[c + 1]):
        f = Q.around_face[r]
        d = dot(row(Q.face_normal, f), m)
        if d > most:
            best, most = f, d
    lead = 0
    for r in range(Q.ring[best], Q.ring[best + 1]):
        if Q.ring_corner[r] == c:
            lead = r - Q.ring[best]
    return best, lead


@kernel
def put_feature(M, kind, x, y, gap, side, first, second, sign):
    """Add a feature to M and return its row; -1 if there is no room, or another one is at its place.

    On the central path features at one place are all added, since they fade separately; only the same feature is not added again.
    side: whose point it is; first, second: numbers of the corners, edges, faces or rims involved.
    """
    if M.found[0] >= FOUND:
        return -1
    near = SAME_PLACE * M.size[0]
    for f in range(M.found[0] if M.band[0] == 0.0 else 0):
        if abs(M.place[f, 0] - x) < near and abs(M.place[f, 1] - y) < near and M.kind[f] != RIM_PLANE and kind != RIM_PLANE:
            return -1
    if M.band[0] > 0.0 and M.faces[0] + M.faces[1] > 1 and _is_found(M, kind, side, first, second):
        return -1
    f = M.found[0]
    M.found[0] = f + 1
    M.kind[f], M.gap[f], M.sign[f] = kind, gap, sign
    M.place[f, 0], M.place[f, 1] = x, y
    M.side[f], M.corner[f, 0], M.corner[f, 1] = side, first, second
    _take_ends(M, f)
    return f


@kernel
def _is_found(M, kind, side, first, second):
    """Whether this feature, a corner or an edge that several faces share, has been added for another face of the same shape."""
    for f in range(M.found[0]):
        if M.kind[f] == kind and M.side[f] == side and M.corner[f, 0] == first and M.corner[f, 1] == second:
            return True
    return False


@kernel
def _take_ends(M, f):
    """Move the ends and parts recorded in the last row, for the current feature, to feature f."""
    for side in range(2):
        for r in range(3):
            M.part[f, side, r] = M.part[FOUND, side, r]
            M.faces_at[f, side, 0, r], M.faces_at[f, side, 1, r] = M.faces_at[FOUND, side, 0, r], M.faces_at[FOUND, side, 1, r]
    M.ends[f], M.farther[f], M.lift[f], M.least_sine[f] = M.ends[FOUND], M.farther[FOUND], M.lift[FOUND], M.least_sine[FOUND]
    for j in range(M.ends[FOUND]):
        M.end_side[f, j], M.end_disc[f, j] = M.end_side[FOUND, j], M.end_disc[FOUND, j]
        put(M.end_at[f], j, row(M.end_at[FOUND], j))
        put(M.end_along[f], j, row(M.end_along[FOUND], j))
    no_ends(M)


@kernel
def no_ends(M):
    """Clear the ends and parts recorded for the current feature."""
    M.ends[FOUND], M.farther[FOUND], M.lift[FOUND], M.least_sine[FOUND] = 0, 0.0, 0.0, 0.0
    M.part[FOUND, 0, 0] = M.part[FOUND, 1, 0] = 0


@kernel
def edge_number(M, side, i, j):
    """Number of the edge between corners i and j of a side's polygon, the same for both of its faces; at least CORNERS."""
    a, b = M.number[side, i] % CORNERS, M.number[side, j] % CORNERS
    return max(a, b) * CORNERS + min(a, b)


@kernel
def border_number(M, side, i, j):
    """Number of that edge as a border of one of its faces: the other face traverses it in the opposite direction."""
    return (M.number[side, i] % CORNERS) * CORNERS + M.number[side, j] % CORNERS
