"""The contacts of a step as the user sees them: all candidates with planes, those left out of the step included; then the features
of pairs of bodies that took part.
"""

from typing import Any

import numpy as np

from dojo_py.algebra.vectors import cross, dot, put_vector, three, times, to_world
from dojo_py.arrays import scratch
from dojo_py.collision.contact_columns import APPLIED, FRAME, GAP, GEOMS, IMPULSE, POSITION, TORQUE, WIDTH
from dojo_py.collision.participation import NOW, takes_part
from dojo_py.hard.compiled_apart import END, distance_of_shapes, feature_place
from dojo_py.hard.elements.contact_rows import physical_impulse, plane_gap, pushed
from dojo_py.hard.elements.feature_rows import tangents_at_end
from dojo_py.hard.elements.pair_contacts import tangents
from dojo_py.hard.elements.plane_contacts import touching
from dojo_py.hard.elements.start_normals import SHARE, start_normal
from dojo_py.hard.workspace import contact_room
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of

BESIDE = 1e-9
"""A feature that overlaps by more [m] is compared with its shapes: it may have left the region where it is their distance."""


def empty_table(world: Any, room: int, *steps: int) -> np.ndarray:
    """(*steps, n, WIDTH) zeros: what `fill_contacts` writes with room for so many features of pairs."""
    return np.zeros((*steps, contact_room(world.planes, room), WIDTH))


def used_rows(world: Any, table: np.ndarray) -> np.ndarray:
    """The rows of a table (n, WIDTH) that hold a contact."""
    planes = len(world.planes.body)
    return table[: planes + int(np.count_nonzero(table[planes:, GEOMS]))]


def geoms_of(world: Any, row: np.ndarray, found: np.ndarray) -> np.ndarray:
    """(m, 2) geoms of rows of a table: their numbers (m,) and themselves (m, WIDTH); -1 where no feature was chosen."""
    fixed = world.planes.geom.astype(int)
    geoms = found[:, GEOMS : GEOMS + 2].astype(int) - 1
    own = row < len(fixed)
    geoms[own] = fixed[row[own]]
    return geoms


@kernel
def fill_contacts(L, P, Q, W, out):
    """out (n, WIDTH): planes, then the features chosen, after the step whose results W holds; then zeros.

    Only rows of chosen features hold their geoms.
    """
    for i in range(P.body.shape[0]):
        _plane_row(P, i, W, out[i])
    first = P.body.shape[0]
    used = first
    _find_shown(P, W)
    for i in range(W.n_features[NOW]):
        if W.fplace[i] < 0:
            continue
        W.fplace[i] = used
        _feature_row(L, P, Q, i, W, out[used])
        for side in range(2):
            out[used, GEOMS + side] = W.fshape[i, side] + 1.0
        used += 1
    for i in range(used, out.shape[0]):
        if out[i, GEOMS] == 0.0:
            break
        out[i, :] = 0.0
    for i in range(used):
        for k in range(3):
            out[i, IMPULSE + k] = out[i, TORQUE + k] = 0.0
            out[i, APPLIED + k] = out[i, POSITION + k]
    F, f = scratch(MOST_ROWS), scratch(MOST_ROWS)
    for c in range(W.n_active[0]):
        row = out[W.active[c]]
        if W.active[c] >= first:
            if W.fplace[W.active[c] - first] < 0:
                continue
            row = out[W.fplace[W.active[c] - first]]
        impulse_of(W.claw[c], W.con[c], F)
        physical_impulse(W, c, F, f)
        for k in range(ROWS[W.claw[c]]):
            row[IMPULSE + k if k < 3 else TORQUE + k - 3] = W.cweight[c] * f[k]
        if W.active[c] >= first:  # the impulse's directions: the frame of the start, rotated with the normal
            _follow(W, c, row)
        if W.parts[max(W.cbody[c, 0], W.cbody[c, 1])] > 1:
            _sum_of_parts(W.summed[c], row)
        else:
            f_world, moment = pushed(W, c, 0 if W.cbody[c, 0] >= 0 else 1, F)
            _put_applied(f_world, moment, row)


@kernel
def _find_shown(P, W):
    """W.fplace of the features is 0 of those that took part at the end of the step, or pushed in an earlier part of it
    (part_features.py), and -1 of the others.
    """
    for f in range(W.n_features[NOW]):
        W.fplace[f] = 0 if takes_part(W, f) else -1
    for c in range(W.n_active[1], W.n_active[0]):
        if W.parts[max(W.cbody[c, 0], W.cbody[c, 1])] > 1:
            for i in range(6):
                if W.summed[c, i] != 0.0:
                    W.fplace[W.active[c] - P.body.shape[0]] = 0


@kernel
def _plane_row(P, i, W, row):
    b, n = P.body[i], P.normal[i]
    p, _ = touching(P, i, W.Rn[b])
    surface = to_world(W.Rn[b], W.xn[b], p)
    gap = plane_gap(P, i, W.xn, W.Rn)
    row[GAP] = gap
    for k in range(3):
        row[POSITION + k] = surface[k] - P.radius[i] * n[k] - 0.5 * gap * n[k]
        row[FRAME + k] = n[k]
        row[FRAME + 3 + k] = P.tangent[i, 0, k]
        row[FRAME + 6 + k] = P.tangent[i, 1, k]


@kernel
def _put_frame(row, n, c):
    T = scratch((2, 3))
    tangents(n, T)
    for k in range(3):
        row[POSITION + k] = c[k]
        row[FRAME + k] = n[k]
        row[FRAME + 3 + k], row[FRAME + 6 + k] = T[0, k], T[1, k]


@kernel
def _feature_row(L, P, Q, f, W, row):
    row[GAP] = feature_place(L, P, Q, W, f, END)
    if row[GAP] < -BESIDE:  # (where a corner lies beyond its face, the shapes may be apart)
        row[GAP] = max(row[GAP], distance_of_shapes(L, P, Q, W, f, END))
    if not takes_part(W, f):  # (it took part in an earlier part of the step only)
        row[GAP] = max(row[GAP], 0.0)
    _put_frame(row, W.feature.normal, W.feature.point)


@kernel
def _put_applied(f, moment, row):
    """Write the point f × M / |f|² on the line along which the impulse f acts; M: its moment about the world's origin."""
    size = dot(f, f)
    if size > 0.0:
        row[APPLIED], row[APPLIED + 1], row[APPLIED + 2] = times(1.0 / size, cross(f, moment))


@kernel
def _sum_of_parts(total, row):
    """Write impulse and torque of a step in parts, total (9,) in world axes, in the row's frame at the end of the step."""
    _put_applied((total[0], total[1], total[2]), (total[6], total[7], total[8]), row)
    for i in range(3):
        axis = row[FRAME + 3 * i : FRAME + 3 * i + 3]
        row[IMPULSE + i] = axis[0] * total[0] + axis[1] * total[1] + axis[2] * total[2]
        row[TORQUE + i] = axis[0] * total[3] + axis[1] * total[4] + axis[2] * total[5]


@kernel
def _follow(W, c, row):
    """Write the frame along which the impulse of pair contact c acts: e of start_normals.py, and the tangents rotated to it."""
    start = W.cframe[c]
    e, _, _, _ = start_normal(three(start[0]), three(row[FRAME : FRAME + 3]), W.ctouch[c, SHARE])
    T1, T2, _, _, _ = tangents_at_end(start[0], start[1:3], e)
    put_vector(row[FRAME : FRAME + 3], e)
    put_vector(row[FRAME + 3 : FRAME + 6], T1)
    put_vector(row[FRAME + 6 : FRAME + 9], T2)
