"""Bodies do not pass through each other within a step of the hard limit, however fast they are.

Gaps are looked at where a step starts and where it ends; a body that moves by more than its size may be in front of another and
then behind it, with no gap below zero. So pairs of geoms that move by more than they are thick are followed along the step,
straight from its start to its end, by conservative advancement (Mirtich 1996): with a gap g they cannot touch before they have
moved by g.

    passing    somewhere in between they are in one another by more than DEEP of their thickness
    then       the point of one that touched first stays on its side of the plane that it touched: a feature of the pair in this
               step, which is solved again

Pairs that overlap by less in between are ignored, and so are those that end on their side of the plane that was touched: they have
only cut a corner, and the feature would have no impulse. The plane depends on the whole step, a dependence that is not
differentiated: a step on the central path in which such a feature takes part has no derivatives.
"""

import math

from dojo_py.algebra.rotations import quat_conj_mul, quat_exp, quat_mul, quat_to_matrix, rotation_vector
from dojo_py.algebra.vectors import cross, length, matrix, minus, plus, row, times, turned
from dojo_py.arrays import body_row, copy, copy_rows, scratch
from dojo_py.collision.convex_pair import nearest
from dojo_py.collision.convex_shapes import PLANE
from dojo_py.collision.facing import WHOLE
from dojo_py.collision.features import POINT_PLANE
from dojo_py.collision.height_fields import HFIELD
from dojo_py.collision.participation import MISSED, NO_ROOM, NOW, takes_part
from dojo_py.collision.shown_polygons import pose_of, shape_of
from dojo_py.collision.sweep import set_box
from dojo_py.collision.terrain_gap import terrain_nearest
from dojo_py.hard.contacts.near_pairs import find_pairs, gap_of_pair
from dojo_py.hard.contacts.round_pairs import put_nearest
from dojo_py.hard.elements.feature_geometry import feature_gap, feature_point
from dojo_py.hard.islands import in_span
from dojo_py.jit import kernel

DEEP, TOUCH = 0.1, 1e-3
"""Fractions of the thickness of a pair: the overlap from which on it passes, the gap below which it touches."""
LOOKS = 400
"""Most poses of a pair that are looked at."""


@kernel
def left_out_passing(P, Q, W):
    """Add a feature for every pair that passed in the step whose end is at the next poses. Returns how many.

    What was solved in parts has been looked at part by part (part_features.py).
    """
    return find_passing(P, Q, W, False)


@kernel
def any_passing(W):
    """Whether a feature that keeps a pair from passing takes part in the step."""
    for f in range(W.n_features[NOW]):
        if W.fkey[f] < 0 and takes_part(W, f):
            return True
    return False


@kernel
def find_passing(P, Q, W, in_part):
    """Add a feature for every pair that passed on the way from W.from_bodies to the next poses; in_part: of the islands in W.span.

    Returns how many.
    """
    if not _any_fast(Q, W):
        return 0
    before = W.n_features[NOW]
    _sweep_paths(Q, W)
    for i in range(W.sweep.found[0]):
        k = W.sweep.near[i]
        one, two = Q.geom[k, 0], Q.geom[k, 1]
        thickness, way = Q.shape_inner[one] + Q.shape_inner[two], way_of_geom(Q, W, one) + way_of_geom(Q, W, two)
        if in_part != _in_parts(Q, W, k, in_part):
            continue
        if way > thickness and Q.shape_kind[one] != PLANE and Q.shape_kind[two] != PLANE:
            way = min(way, _path_between(Q, W, k))
        if way > thickness:
            when = _touch(Q, W, k, max(thickness, 1e-3 * way), way)
            if when >= 0.0:
                _add(P, Q, W, k, when)
    return W.n_features[NOW] - before


@kernel
def _in_parts(Q, W, k, in_part):
    """Whether pair k, within an island or of one of its bodies and the world, is solved in parts: in the present ones (in_part), or
    in earlier ones.
    """
    a, b = Q.shape_node[Q.geom[k, 0]], Q.shape_node[Q.geom[k, 1]]
    if a >= 0 and b >= 0 and W.island[a] != W.island[b]:
        return False
    return in_span(W, max(a, b)) if in_part else W.parts[max(a, b)] > 1


@kernel
def way_of_geom(Q, W, g):
    """An upper bound of how far the points of geom g move in the step [m]."""
    b = Q.shape_node[g]
    if b < 0:
        return 0.0
    return way_between(Q, g, W.from_bodies[b], W.xn[b], W.qn[b])


@kernel
def way_between(Q, g, start, end, p):
    """Likewise from the state start (13,) of its body to the position end (3,) and quaternion p (4,)."""
    c, q = Q.shape_centre[g], start[6:10]
    x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    cosine = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3]  # of half the angle φ, which is at most π sin(φ/2)
    angle = math.pi * math.sqrt(max(1.0 - cosine * cosine, 0.0))
    arm = Q.shape_reach[g] + math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    return math.sqrt(x * x + y * y + z * z) + angle * arm


@kernel
def _path_between(Q, W, k):
    """An upper bound of how far the points of one geom of pair k move in the step relative to the other's body [m].

    The centre c of the smaller geom, of a body that moves by d and rotates by θ about x, has, relative to a body that moves by e
    and rotates by φ about y, the velocity u = d + θ×(c - x) - e - φ×(c - y) (unit of time: the step), and
    u' = (θ - φ)×(θ×(c - x)) - φ×(d - e).
    """
    one, two = Q.geom[k, 0], Q.geom[k, 1]
    g, other = (one, two) if Q.shape_reach[one] < Q.shape_reach[two] else (two, one)
    poses_at(Q, W, k, 0.0)
    own, seen_from = body_row(W.x, Q.shape_node[g]), body_row(W.x, Q.shape_node[other])
    arm = turned(matrix(W.R_before[own]), row(Q.shape_centre, g))
    apart = minus(plus(row(W.x_before, own), arm), row(W.x_before, seen_from))
    d, turn = _motion_of(W, Q.shape_node[g])
    e, spin = _motion_of(W, Q.shape_node[other])
    swing, moved, sheared = cross(turn, arm), minus(d, e), minus(turn, spin)
    u = minus(plus(moved, swing), cross(spin, apart))
    bend = length(sheared) * length(swing) + length(spin) * length(moved)
    return length(u) + length(sheared) * Q.shape_reach[g] + bend


@kernel
def _motion_of(W, b):
    """(displacement [m], rotation vector [rad]) of body b in the step, world axes; W.R_before: of where it starts."""
    if b < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    start, p, v = W.from_bodies[b], scratch(4), scratch(3)
    quat_conj_mul(start[6:10], W.qn[b], p)
    rotation_vector(p, v)
    d = minus(row(W.xn, b), (start[0], start[1], start[2]))
    return d, turned(matrix(W.R_before[b]), (v[0], v[1], v[2]))


@kernel
def _any_fast(Q, W):
    """Whether a geom moves by more than half its thickness: else no pair moves by more than both have."""
    for i in range(Q.box_geom.shape[0]):
        if way_of_geom(Q, W, Q.box_geom[i]) > Q.shape_inner[Q.box_geom[i]]:
            return True
    return False


@kernel
def _sweep_paths(Q, W):
    """Fill W.sweep.near with the pairs whose geoms' paths may come near."""
    for i in range(Q.box_geom.shape[0]):
        g = Q.box_geom[i]
        b = body_row(W.x, Q.shape_node[g])
        _pose_at(W, Q.shape_node[g], 0.5)
        middle, _ = pose_of(Q, g, W.x_before[b], W.R_before[b])
        set_box(W.sweep, i, middle[0], middle[1], middle[2], Q.shape_reach[g] + 0.5 * way_of_geom(Q, W, g))
    find_pairs(Q, W)


@kernel
def _pose_at(W, b, s):
    """W.x_before, W.R_before of body b: its pose at the fraction s of the step."""
    p, q, v = scratch(4), scratch(4), scratch(3)
    if b < 0:
        world = body_row(W.x, b)
        copy(W.x[world], W.x_before[world])
        copy_rows(W.R[world], W.R_before[world])
        return
    start = W.from_bodies[b]
    for i in range(3):
        W.x_before[b, i] = start[i] + s * (W.xn[b, i] - start[i])
    quat_conj_mul(start[6:10], W.qn[b], p)
    rotation_vector(p, v)
    quat_exp(v, s, p)
    quat_mul(start[6:10], p, q)
    quat_to_matrix(q, W.R_before[b])


@kernel
def poses_at(Q, W, k, s):
    """W.x_before, W.R_before of the bodies of pair k at the fraction s of the step."""
    _pose_at(W, Q.shape_node[Q.geom[k, 0]], s)
    _pose_at(W, Q.shape_node[Q.geom[k, 1]], s)


@kernel
def _touch(Q, W, k, thickness, way):
    """The fraction of the step at which pair k touches before it is DEEP, or -1. way: how far it moves at most [m].

    A pair that is DEEP where the step starts does not pass in it: its own features open it.
    """
    s, touched = 0.0, -1.0
    for _ in range(LOOKS):
        poses_at(Q, W, k, s)
        gap = gap_of_pair(Q, W, k, W.x_before, W.R_before, (1.0 - s) * way)
        if s == 0.0 and gap < -DEEP * thickness:
            return -1.0
        if gap > TOUCH * thickness:
            touched = -1.0
        elif touched < 0.0:
            touched = s
        if gap < -DEEP * thickness or s >= 1.0:
            return touched if s < 1.0 else -1.0
        s = min(s + max(abs(gap), 0.5 * TOUCH * thickness) / way, 1.0)
    return -1.0


@kernel
def _add(P, Q, W, k, when):
    """Add the feature with which pair k touches at this fraction of the step: a rounded point of one over a plane of the other."""
    f = W.n_features[NOW]
    if f + 1 >= W.fpair.shape[0]:
        W.n_features[NO_ROOM] += 1
        return
    poses_at(Q, W, k, when)
    x, R = W.x_before, W.R_before
    n, p, q = _witnesses(Q, W, k, f, x, R)
    a, b = W.fbody[f, 0], W.fbody[f, 1]
    of_a = a < 0 or way_of_geom(Q, W, W.fshape[f, 0]) > way_of_geom(Q, W, W.fshape[f, 1])  # the slower has the plane
    of_a = (of_a and a >= 0) or b < 0
    r_a, r_b = (Q.round_radius[W.fshape[f, 0]], 0.0) if of_a else (0.0, Q.round_radius[W.fshape[f, 1]])
    p, q = plus(p, times(r_a, n)), plus(q, times(-r_b, n))
    W.fpair[f], W.fkey[f], W.fkind[f], W.fsign[f] = k, -1 - f, POINT_PLANE, 1.0 if of_a else -1.0
    W.ffriction[f], W.flaw[f], W.fends[f], W.fleast_sine[f] = Q.friction[k], Q.law[k], 0, 0.0
    W.fpart[f, 0, 0] = W.fpart[f, 1, 0] = WHOLE
    W.fradius[f, 0], W.fradius[f, 1] = r_a, r_b
    for side in range(2):
        body = body_row(x, a if side == 0 else b)
        point, normal = (p, times(-1.0, n)) if side == 0 else (q, n)
        arm = minus(point, (x[body, 0], x[body, 1], x[body, 2]))
        for r in range(3):
            W.fcentre[f, side, r] = R[body, 0, r] * arm[0] + R[body, 1, r] * arm[1] + R[body, 2, r] * arm[2]
            W.faxes[f, side, r, 2] = R[body, 0, r] * normal[0] + R[body, 1, r] * normal[1] + R[body, 2, r] * normal[2]
            W.fhalf[f, side, r] = 0.0
    if feature_gap(Q, W, f, W.xn, W.Rn) >= 0.0:
        return
    W.n_features[NOW], W.fwanted[f] = f + 1, MISSED
    W.warm_con[P.body.shape[0] + f, :] = 0.0


@kernel
def _witnesses(Q, W, k, f, x, R):
    """(normal from the second to the first, point of the first, of the second) of pair k; row f: which geoms these are."""
    if k < Q.rounds[0]:
        put_nearest(Q, W, k, f, x, R)
        n, c = scratch(3), scratch(3)
        gap = feature_point(Q, W, f, x, R, n, c)
        normal, middle = (n[0], n[1], n[2]), (c[0], c[1], c[2])
        return normal, plus(middle, times(0.5 * gap, normal)), plus(middle, times(-0.5 * gap, normal))
    one, two = Q.geom[k, 0], Q.geom[k, 1]
    W.fshape[f, 0], W.fshape[f, 1], W.fbody[f, 0], W.fbody[f, 1] = one, two, Q.shape_node[one], Q.shape_node[two]
    if Q.shape_kind[two] == HFIELD:
        _, n, p, q = terrain_nearest(Q, W, k, x, R, math.inf)
        return times(-1.0, n), p, q
    a, b = body_row(x, Q.shape_node[one]), body_row(x, Q.shape_node[two])
    pose_a, pose_b = pose_of(Q, one, x[a], R[a]), pose_of(Q, two, x[b], R[b])
    near = nearest(shape_of(Q, one), pose_a, shape_of(Q, two), pose_b, minus(pose_b[0], pose_a[0]), Q, W.polytope, math.inf)
    return times(-1.0, near[1]), near[2], near[3]
