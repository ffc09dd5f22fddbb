"""Signed distance, normal and witness points of two convex shapes, by the same method for separated and overlapping shapes.

    gap = max over unit n of  g(n) = n · (s_B(-n) - s_A(n)) - r_A - r_B          n from A to B

GJK finds n for separated cores, EPA for overlapping ones. For curved shapes both find it to a few digits only, so Newton's method
completes it on the features found (vertex, edge, face, curve):

    w(n) = p_B - p_A = g n     on tangents along which neither feature is flat,     n · t = 0 for directions t in which one is.

Every n gives a lower bound g(n), and the best of all is taken, so that a wrong guess of features does no harm. The rounding radii
r_A, r_B are applied at the end, so that spheres and capsules have exact normals until their cores meet.
"""

import math

from dojo_py.algebra.vectors import along, cross, dot, length, minus, perpendicular, plus, row, times, turned, unit
from dojo_py.collision.convex_shapes import (
    BOX,
    CAP,
    CAPSULE,
    CYLINDER,
    FEW,
    MESH,
    RIM,
    SIDE,
    feature_support,
    follow,
    is_curved,
    rounding,
    support,
)
from dojo_py.collision.epa import MOST_POINTS, epa
from dojo_py.collision.gjk import core_size, gjk
from dojo_py.jit import kernel

LEAST_WEIGHT = 1e-8
"""Barycentric weight above which a simplex point belongs to the feature."""
INDEPENDENT = 1e-7
"""Sine of the angle between two flat directions above which they span a plane."""
NEARLY = 0.05
"""A cylinder's cap is tried if the sine of the angle from its axis to the normal is below this, its side if the cosine is."""
IN_PLANE = 1e-6
"""Sine of the angle between an edge and the supporting plane below which the edge belongs to the touching face: the vertices of a
mesh's face are coplanar only to single precision, in which files store them."""
BROAD = 1e-2
"""Sine of the angle between that edge and the one found above which the two span the face."""
SUPPORTING = 1e-11
"""Tolerance, over the size, within which both features must lie in their supporting planes."""
ON_EDGE = 1e-11
"""How far outside of an edge or face, over the size, a point still belongs to it."""
MOST_STEPS = 24
LONGEST_STEP = 0.2
"""Largest rotation of the normal in one Newton step [rad]."""
LEVELS = 3
"""Tolerances of GJK or EPA that are tried, coarse to fine, until the features found are consistent."""
NEAR = 1e-3
"""Distance over size below which EPA is tried where GJK leads to none."""


@kernel
def nearest(A, pose_a, B, pose_b, n, hulls, work, reach):
    """(gap [m], n, point of A, point of B, features, rounds); features: see `_finish`; n: a guess, such as the last normal.

    Poses are (position, matrix); work: `epa.polytope()`, modified in place. For overlapping shapes the witness points are those of
    the shortest separating translation. Nothing is assumed of the guess, and no pose gives NaN. For shapes farther apart than
    `reach` [m] the gap returned is a lower bound above `reach`, and the points mean nothing.
    """
    simplex, r_a, r_b = work.simplex, rounding(A), rounding(B)
    v, count, rounds = gjk(simplex, A, pose_a, B, pose_b, unit(n), hulls, 0, reach + r_a + r_b)
    apart = count > 0
    core, features = -math.inf, _features(simplex, 0, A, pose_a, RIM, B, pose_b, RIM, False)
    if count == 0:
        return length(v) - r_a - r_b, unit(v), pose_a[0], pose_b[0], features, rounds
    a, b = pose_a[0], pose_b[0]
    for trial in range(2 * LEVELS):
        level = trial % LEVELS
        if trial == LEVELS:  # cores that nearly touch: EPA may see what GJK does not
            if not apart or length(v) > NEAR * core_size(A, B, hulls):
                break
            apart = False
        if apart and level > 0:
            v, count, more = gjk(simplex, A, pose_a, B, pose_b, n, hulls, level, math.inf)
            rounds += more
        direction = unit(v)
        if not apart:
            direction, count, more = epa(work, abs(count), A, pose_a, B, pose_b, hulls, level)
            rounds += more
        lower, direction, found = _finish(simplex, count, A, pose_a, B, pose_b, direction, hulls)
        if lower > core or (found[4] and lower >= core - 4e-15 * core_size(A, B, hulls)):
            core, n, features = lower, direction, found
            a, b = _points(simplex, count, A, pose_a, B, pose_b, n, core, features)
        if found[4] or rounds >= MOST_POINTS:  # EPA's work space is full: a tie in all directions
            break
    return core - r_a - r_b, n, along(a, r_a, n), along(b, -r_b, n), features, rounds


@kernel
def bound(A, pose_a, B, pose_b, n, hulls):
    """g(n) of the cores: a lower bound of their signed distance."""
    a, _ = support(A, pose_a, n, hulls, -1)
    b, _ = support(B, pose_b, times(-1.0, n), hulls, -1)
    return dot(n, minus(b, a))


@kernel
def flats(shape, pose, simplex, mask, side, part):
    """(number, t1, t2): orthonormal directions, world, in which the feature is flat (0: vertex or curve, 1: edge, 2: face).

    The feature of a polytope is spanned by the simplex points whose bits are set in `mask`; part: that of a cylinder.
    """
    zero = (0.0, 0.0, 0.0)
    R = pose[1]
    if shape[0] == CYLINDER:
        if part == SIDE:
            return 1, (R[2], R[5], R[8]), zero
        if part == CAP:
            return 2, (R[0], R[3], R[6]), (R[1], R[4], R[7])
        return 0, zero, zero
    if shape[0] != BOX and shape[0] != MESH and shape[0] != CAPSULE:
        return 0, zero, zero
    array = simplex.a if side == 0 else simplex.b
    first = -1
    number, t1 = 0, zero
    for i in range(3):
        if mask >> i & 1:
            if first < 0:
                first = i
            elif simplex.corner[i, side] != simplex.corner[first, side]:
                e = unit(minus(row(array, i), row(array, first)))
                if number == 0:
                    number, t1 = 1, e
                else:
                    e = along(e, -dot(e, t1), t1)
                    if length(e) > INDEPENDENT:
                        return 2, t1, unit(e)
    return number, t1, zero


@kernel
def _finish(simplex, count, A, pose_a, B, pose_b, n, hulls):
    """(g, n, features) for the best guess of features: (part of A, `flats` of A, part of B, `flats` of B, consistent or not).

    First the vertices of all simplex points with weight are tried; if they are not consistent, every subset of the simplex points,
    of which the best counts.
    """
    best = bound(A, pose_a, B, pose_b, n, hulls)
    size = core_size(A, B, hulls) + abs(best)
    chosen, start = n, n
    full, held = 0, 0
    for i in range(min(count, 3)):
        if simplex.weight[i] > LEAST_WEIGHT:
            full |= 1 << i
    features = _features(simplex, full, A, pose_a, RIM, B, pose_b, RIM, False)
    mask = full
    for trial in range(8):
        for part_a in (CAP, SIDE, RIM):  # the flattest first
            if not _possible(A, pose_a, start, part_a):
                continue
            for part_b in (CAP, SIDE, RIM):
                if not _possible(B, pose_b, start, part_b):
                    continue
                guess = _features(simplex, mask, A, pose_a, part_a, B, pose_b, part_b, True)
                good, m, g = _newton(simplex, mask, A, pose_a, B, pose_b, start, guess, size)
                if good:
                    lower = bound(A, pose_a, B, pose_b, m, hulls)
                    holds = abs(lower - g) < SUPPORTING * size  # both features lie in their supporting planes
                    holds = holds and _meet(simplex, mask, A, pose_a, B, pose_b, m, g, guess, size)
                    if holds and (lower > best + 1e-15 * size or (not features[4] and lower >= best - 4e-15 * size)):
                        best, chosen, features, held = lower, m, guess, mask
        if features[4] and trial == 0:
            break
        mask = trial + 1
        if mask >= 1 << min(count, 3):
            break
    if features[4]:
        whole_a = _whole_face(simplex, held, 0, A, pose_a, chosen, features[1], hulls)
        whole_b = _whole_face(simplex, held, 1, B, pose_b, chosen, features[3], hulls)
        features = features[0], whole_a, features[2], whole_b, True
    return best, chosen, features


@kernel
def _whole_face(simplex, mask, side, shape, pose, n, flat, hulls):
    """`flats` of a shape, completed: where the feature found is a segment between two vertices of a face, the whole face.

    The centre of a square lies on both of its diagonals. A diagonal is no edge: the normal cannot rotate about it.
    """
    number, t, none = flat
    if number != 1 or not (shape[0] == BOX or shape[0] == MESH):
        return number, t, none
    i = 0
    while i < 2 and not mask >> i & 1:
        i += 1
    corner, R, few = simplex.corner[i, side], pose[1], shape[3] <= FEW
    first, last = 0, 3
    if shape[0] == MESH:
        first, last = (shape[2], shape[2] + shape[3]) if few else (hulls.first[corner], hulls.first[corner + 1])
    for k in range(first, last):
        e = (R[k % 3], R[3 + k % 3], R[6 + k % 3])
        if shape[0] == MESH:
            other = k if few else hulls.neighbour[k]
            if other == corner:
                continue
            e = unit(turned(R, minus(row(hulls.corner, other), row(hulls.corner, corner))))
        across = along(e, -dot(e, t), t)
        if abs(dot(e, n)) < IN_PLANE and length(across) > BROAD:
            return 2, t, unit(along(across, -dot(across, n), n))
    return number, t, none


@kernel
def _features(simplex, mask, A, pose_a, part_a, B, pose_b, part_b, good):
    flat_a = flats(A, pose_a, simplex, mask, 0, part_a)
    flat_b = flats(B, pose_b, simplex, mask, 1, part_b)
    return part_a, flat_a, part_b, flat_b, good


@kernel
def _possible(shape, pose, n, part):
    """Whether a part of a cylinder may touch along n; other shapes have a single part, RIM."""
    if shape[0] != CYLINDER:
        return part == RIM
    R = pose[1]
    z = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
    across = math.sqrt(max(0.0, 1.0 - z * z))
    if part == CAP:
        return across < NEARLY
    return across > 1e-9 and (part == RIM or abs(z) < NEARLY)


@kernel
def spanned(features):
    """(number, e1, e2): orthonormal basis of the flat directions of both features together."""
    _, (ka, a1, a2), _, (kb, b1, b2), _ = features
    number, e1, e2 = ka, a1, a2
    if number < 2 and kb > 0:
        number, e1, e2 = _with(number, e1, e2, b1)
    if number < 2 and kb > 1:
        number, e1, e2 = _with(number, e1, e2, b2)
    return number, e1, e2


@kernel
def _with(number, e1, e2, t):
    if number == 0:
        return 1, t, e2
    f = along(t, -dot(t, e1), e1)
    if length(f) > INDEPENDENT:
        return 2, e1, unit(f)
    return number, e1, e2


@kernel
def _anchor(simplex, mask, shape, pose, n, part, side):
    """A point of the feature: its support point along n if it is curved, else one of its vertices."""
    if is_curved(shape):
        return feature_support(shape, pose, n, part)
    i = 0
    while i < 2 and not mask >> i & 1:
        i += 1
    return row(simplex.a, i) if side == 0 else row(simplex.b, i)


@kernel
def _meet(simplex, mask, A, pose_a, B, pose_b, n, g, features, size):
    """Whether the features have points a, b with b - a = g n: without, their planes support both shapes, but others are nearer.

    Of two faces, a face and an edge, and parallel edges this is not asked.
    """
    part_a, (ka, a1, _), part_b, (kb, b1, _), _ = features
    if ka + kb > 2 or (ka == 1 and kb == 1 and 1.0 - dot(a1, b1) ** 2 < INDEPENDENT):
        return True
    a = _anchor(simplex, mask, A, pose_a, n, part_a, 0)
    b = _anchor(simplex, mask, B, pose_b, times(-1.0, n), part_b, 1)
    move_a, move_b = shared(minus(minus(b, a), times(g, n)), features)
    on_a = ka == 0 or _is_on(simplex, mask, A, pose_a, 0, features[1], a, move_a, size)
    return on_a and (kb == 0 or _is_on(simplex, mask, B, pose_b, 1, features[3], b, move_b, size))


@kernel
def _is_on(simplex, mask, shape, pose, side, flat, anchor, move, size):
    """Whether a point of an edge or face, moved along it, is still on the shape; of a mesh's faces this is not known."""
    spare, number = ON_EDGE * size, flat[0]
    if shape[0] == MESH:
        low, high, at = 0.0, 0.0, dot(flat[1], move)
        for i in range(3):
            if mask >> i & 1:
                end = dot(flat[1], minus(row(simplex.a, i) if side == 0 else row(simplex.b, i), anchor))
                low, high = min(low, end), max(high, end)
        return number == 2 or low - spare <= at <= high + spare
    R, d, half = pose[1], minus(plus(anchor, move), pose[0]), shape[1]
    x, y, z = (
        abs(R[0] * d[0] + R[3] * d[1] + R[6] * d[2]), abs(R[1] * d[0] + R[4] * d[1] + R[7] * d[2]),
        abs(R[2] * d[0] + R[5] * d[1] + R[8] * d[2]),
    )  # fmt: skip
    if shape[0] == BOX:
        return x <= half[0] + spare and y <= half[1] + spare and z <= half[2] + spare
    return z <= half[1] + spare and (shape[0] == CAPSULE or math.hypot(x, y) <= half[0] + spare)


@kernel
def _newton(simplex, mask, A, pose_a, B, pose_b, n, features, size):
    """(whether it converged, n, distance of the features along n): Newton's method for the given features."""
    part_a, part_b = features[0], features[2]
    number, e1, e2 = spanned(features)
    if number == 2:
        m = unit(cross(e1, e2))
        n = m if dot(m, n) >= 0.0 else times(-1.0, m)
        a = _anchor(simplex, mask, A, pose_a, n, part_a, 0)
        return True, n, dot(n, minus(_anchor(simplex, mask, B, pose_b, times(-1.0, n), part_b, 1), a))
    if number == 1:
        m = along(n, -dot(n, e1), e1)
        if length(m) < 0.1:
            return False, n, 0.0
        n = unit(m)
    curved = is_curved(A) or is_curved(B)
    before = math.inf
    for _ in range(MOST_STEPS):
        a = _anchor(simplex, mask, A, pose_a, n, part_a, 0)
        b = _anchor(simplex, mask, B, pose_b, times(-1.0, n), part_b, 1)
        w = minus(b, a)
        g = dot(n, w)
        c1 = cross(n, e1) if number == 1 else perpendicular(n)
        f1 = plus(follow(A, pose_a, n, part_a, c1), follow(B, pose_b, n, part_b, c1))
        m11 = dot(c1, f1) + g
        r1 = dot(c1, w)
        if number == 1:
            if not (curved or m11 > 0.0):
                return False, n, g
            step = times(_damped(m11, r1, size), c1)
        else:
            c2 = cross(n, c1)
            f2 = plus(follow(A, pose_a, n, part_a, c2), follow(B, pose_b, n, part_b, c2))
            m12, m22, r2 = dot(c1, f2), dot(c2, f2) + g, dot(c2, w)
            if not (curved or (m11 > 0.0 and m11 * m22 > m12 * m12)):
                return False, n, g
            s1, s2 = _damped_two(m11, m12, m22, r1, r2, size)
            step = plus(times(s1, c1), times(s2, c2))
        change = length(step)
        if change > LONGEST_STEP:
            step = times(LONGEST_STEP / change, step)
        n = unit(plus(n, step))
        if change < 1e-15 or (change < 1e-9 and change >= 0.5 * before):
            return True, n, g
        before = change
    return False, n, 0.0


@kernel
def _damped(m, r, size):
    """r / m; if the slope m of the residual r vanishes or has the wrong sign, an ascent step of limited length."""
    if abs(r) <= 1e-15 * size:
        return 0.0
    return r / max(m, abs(r) / LONGEST_STEP)


@kernel
def _damped_two(m11, m12, m22, r1, r2, size):
    """The same for a symmetric 2 × 2 matrix, whose eigenvalues are raised."""
    r = math.sqrt(r1 * r1 + r2 * r2)
    if r <= 1e-15 * size:
        return 0.0, 0.0
    least = 0.5 * (m11 + m22) - math.sqrt(0.25 * (m11 - m22) ** 2 + m12 * m12)
    raised = max(0.0, r / LONGEST_STEP - least) if least < r / (10.0 * LONGEST_STEP) else 0.0
    m11, m22 = m11 + raised, m22 + raised
    det = m11 * m22 - m12 * m12
    return (m22 * r1 - m12 * r2) / det, (m11 * r2 - m12 * r1) / det


@kernel
def _points(simplex, count, A, pose_a, B, pose_b, n, core, features):
    """Witness points of the two cores; points of flat features slide so that b - a = g n, as far as they can."""
    a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(count):
        a = along(a, simplex.weight[i], row(simplex.a, i))
        b = along(b, simplex.weight[i], row(simplex.b, i))
    part_a, (ka, a1, a2), part_b, (kb, b1, b2), good = features
    if not good:
        return _made_to_agree(a, b, n, core, simplex, A, B)
    simplex_a, simplex_b = a, b
    if is_curved(A):
        a = feature_support(A, pose_a, n, part_a)
        if ka > 0:
            d = minus(simplex_a, a)
            a = along(along(a, dot(d, a1), a1), dot(d, a2), a2)
    if is_curved(B):
        b = feature_support(B, pose_b, times(-1.0, n), part_b)
        if kb > 0:
            d = minus(simplex_b, b)
            b = along(along(b, dot(d, b1), b1), dot(d, b2), b2)
    move_a, move_b = shared(minus(minus(b, a), times(core, n)), features)
    return plus(a, move_a), plus(b, move_b)


@kernel
def _made_to_agree(a, b, n, core, simplex, A, B):
    """Witness points with b - a = g n if features are unknown: a single touching vertex stays, else both points move by half."""
    r = minus(minus(b, a), times(core, n))
    lone_a = not is_curved(A) and simplex.corner[0, 0] == simplex.corner[1, 0] == simplex.corner[2, 0]
    lone_b = not is_curved(B) and simplex.corner[0, 1] == simplex.corner[1, 1] == simplex.corner[2, 1]
    if lone_a:
        return a, minus(b, r)
    if lone_b:
        return plus(a, r), b
    return along(a, 0.5, r), along(b, -0.5, r)


@kernel
def shared(r, features):
    """(move of A, move of B) along their flat directions that cancels a tangential difference r (3), B minus A, if possible."""
    _, (ka, a1, a2), _, (kb, b1, b2), _ = features
    zero = (0.0, 0.0, 0.0)
    if ka == 0 and kb == 0:
        return zero, zero
    if ka == 2 or (ka == 1 and kb == 0):
        return along(times(dot(r, a1), a1), dot(r, a2) if ka == 2 else 0.0, a2), zero
    if kb == 2 or ka == 0:
        return zero, times(-1.0, along(times(dot(r, b1), b1), dot(r, b2) if kb == 2 else 0.0, b2))
    c = dot(a1, b1)
    det = 1.0 - c * c
    ra, rb = dot(r, a1), dot(r, b1)
    if det < INDEPENDENT:  # parallel edges
        return times(0.5 * ra, a1), times(-0.5 * rb, b1)
    return times((ra - c * rb) / det, a1), times((c * ra - rb) / det, b1)
