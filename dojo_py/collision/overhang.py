"""Overhang: on the central path the gap of a feature grows with its distance beyond the end of a face or edge, so that it fades.

A corner either is over a face or it is not. That rule would make the smooth problem jump where the corner leaves the face, by all
that it carried, and ties (two boxes of equal width, exactly above one another) lie on such a jump. So features are also chosen
within a band ℓ beyond the ends of what they touch, and their gap, at the start of the step, is

    gap + d₂ Σ_j (max(e_j, 0)/ℓ)³,    ℓ = sqrt(h κ/m),    d₂ = 20 ℓ

e_j is the distance of the feature's point p beyond end j (an edge of the face, a corner of the edge, the rim of a cap), minus 1.5
times the gap: shapes that are far apart see each other's ends obliquely. An impulse κ/ℓ moves the lighter body by ℓ in a step.
Beyond d₂ impulses are zero (hard/elements/far_pairs.py), so that a feature has faded, twice continuously differentiably, where its
selection ends. The crossing of two edges is not determined where they become parallel; it fades as well,

    + d₂ (max(2 L - sin(u, w), 0)/L)³         L: the sine below which edges do not cross (crossing_edges.py)

The gap of an edge u that crosses an edge w of a face with normal m is its height over the face (EDGE_OVER) where it is nearly
level, and its distance from w along u × w (EDGE_EDGE) where it is steep and this normal well defined. Between, both act, faded by

    + d₂ (max(ρ - s, 0)/s)³    of the first,    + d₂ (max(2 - ρ/(s/2), 0))³    of the second,    s = 1/4

with the slope ρ of crossing.py, which has the other terms of EDGE_EDGE.

The term is evaluated at the start of the step and constant in Newton's iterations, so that a contact resists motion along its
normal only. An end is a point q and an outward direction d fixed in a body, or a disc with the axis d through q:

    e = d · (p - q),    or    e = |r| - radius,  r = (p - q) without its part along d,  and then d = r/|r|
    ∂e = d · δp - d · (δx + δθ × (p - x)),  the latter with the motion of the body of the end
"""

from dojo_py.algebra.vectors import along, cross, dot, length, matrix, minus, plus, row, times, turned, unit
from dojo_py.arrays import body_row
from dojo_py.collision.by_size import at_by_size
from dojo_py.collision.crossing import STEEP_EDGE, crossing_fade, over_fade
from dojo_py.collision.features import EDGE_EDGE, EDGE_OVER
from dojo_py.collision.shown_polygons import ENDS, FOUND
from dojo_py.jit import kernel

STEEPNESS = 20.0
"""d₂/ℓ: beyond the end by ℓ, where features are no longer chosen, a gap has grown by d₂, where impulses end."""
APART = 1.5
"""Tangent of the angle from a face's normal within which a point does not count as beyond the end of the face: at the corner of a
box every outward direction is that close to the normal of one of its faces (√2 at most)."""


@kernel
def hangs_less(M, side, p, gap, q, d):
    """Record how far the point p of the current feature overhangs an end of a side; False if by more than the band.

    q, d: a point of the end and the direction outwards.
    """
    return _note(M, side, dot(d, minus(p, q)) - APART * gap, q, d, 0.0)


@kernel
def over_polygon(M, side, p, gap):
    """`hangs_less` of a point for all ends of the polygon that a side shows: its edges, or the rim of its cap. A plane has none."""
    m, count = row(M.normal, side), M.corners[side]
    if M.disc[side] > 0.0:
        q = row(M.origin, side)
        r = minus(p, q)
        r = along(r, -dot(r, m), m)
        return _note(M, side, length(r) - M.disc[side] - APART * gap, q, m, M.disc[side])
    for k in range(count):
        q = row(M.point[side], k)
        if not hangs_less(M, side, p, gap, q, unit(cross(minus(row(M.point[side], (k + 1) % count), q), m))):
            return False
    return True


@kernel
def within_edge(M, side, p, gap, a, b):
    """`hangs_less` of a point for both ends of the edge from a to b of a side."""
    u = unit(minus(b, a))
    return hangs_less(M, side, p, gap, a, times(-1.0, u)) and hangs_less(M, side, p, gap, b, u)


@kernel
def _note(M, side, e, q, d, disc):
    i = FOUND
    if e >= M.band[0]:
        return False
    if e > 0.0 and M.ends[i] < ENDS:
        j = M.ends[i]
        M.ends[i] = j + 1
        M.end_side[i, j], M.end_disc[i, j] = side, disc
        for r in range(3):
            M.end_at[i, j, r], M.end_along[i, j, r] = q[r], d[r]
        M.farther[i] += STEEPNESS * M.band[0] * (e / M.band[0]) ** 3
    return True


@kernel
def keep_ends(M, i, W, f, place_of_side, x, R):
    """Copy the ends in row i of M to feature f of the table, in the frames of the bodies; poses x (nb + 1, 3), R (nb + 1, 3, 3)."""
    W.fends[f], W.flift[f], W.fleast_sine[f] = M.ends[i], M.lift[i], M.least_sine[i]
    for j in range(M.ends[i]):
        place = place_of_side if M.end_side[i, j] == 0 else 1 - place_of_side
        b = body_row(x, W.fbody[f, place])
        W.fend_place[f, j], W.fend_disc[f, j] = place, M.end_disc[i, j]
        for r in range(3):
            at, direction = 0.0, 0.0
            for c in range(3):
                at += R[b, c, r] * (M.end_at[i, j, c] - x[b, c])
                direction += R[b, c, r] * M.end_along[i, j, c]
            W.fend[f, j, 0, r], W.fend[f, j, 1, r] = at, direction
    W.fcrossing[f] = 1 * (M.kind[i] == EDGE_EDGE and M.faces[0] + M.faces[1] > 0)
    if W.fcrossing[f] == 1:
        for side in range(2):
            b = body_row(x, W.fbody[f, side])
            for k in range(2):
                m = row(M.faces_at[i, side], k)
                for r in range(3):
                    W.ffaces_at[f, side, k, r] = R[b, 0, r] * m[0] + R[b, 1, r] * m[1] + R[b, 2, r] * m[2]


@kernel
def overhang(W, f, band, gap, n, c, dgap, dn, dc, x, R, by):
    """The term of feature f [m]; its derivative by (δx_A, δθ_A, δx_B, δθ_B) is added to `by` (12,). band: ℓ [m].

    gap, n (3,), c (3,), dgap (12,), dn, dc (3, 12): of the feature without the term, at poses x (nb + 1, 3), R (nb + 1, 3, 3).
    """
    term, back = 0.0, W.flift[f] * (W.fradius[f, 0] + W.fradius[f, 1] + 0.5 * gap)
    p = (c[0] + back * n[0], c[1] + back * n[1], c[2] + back * n[2])
    for j in range(W.fends[f]):
        place = W.fend_place[f, j]
        b = body_row(x, W.fbody[f, place])
        own = (x[b, 0], x[b, 1], x[b, 2])
        arm, d = turned(matrix(R[b]), W.fend[f, j, 0]), turned(matrix(R[b]), W.fend[f, j, 1])
        away = minus(minus(p, own), arm)
        if W.fend_disc[f, j] > 0.0:
            away = along(away, -dot(away, d), d)
            e = length(away) - W.fend_disc[f, j]
            d = unit(away)
        else:
            e = dot(d, away)
        e -= APART * gap
        if e <= 0.0:
            continue
        t = e / band
        term += STEEPNESS * band * t * t * t
        slope = 3.0 * STEEPNESS * t * t
        half = 0.5 * W.flift[f]
        for k in range(12):
            by[k] += slope * (
                -APART * dgap[k]
                + d[0] * (dc[0, k] + half * dgap[k] * n[0] + back * dn[0, k])
                + d[1] * (dc[1, k] + half * dgap[k] * n[1] + back * dn[1, k])
                + d[2] * (dc[2, k] + half * dgap[k] * n[2] + back * dn[2, k])
            )
        turn = cross(minus(p, own), d)  # d · (e_k × r) = e_k · (r × d)
        for k in range(3):
            by[6 * place + k] -= slope * d[k]
            by[6 * place + 3 + k] -= slope * turn[k]
    return term + _crossing(W, f, band, R, by)


@kernel
def overhang_by_size(Q, W, f, side, k, band, gap, n, c, change, x, R):
    """Derivative of that term by size k of the shape on one side of feature f, the bodies held.

    gap, n (3,), c (3,) as of `overhang`; change: (theirs, how much of the size is a rounding).
    """
    dgap, dn, dc, longer = change
    back, term = W.flift[f] * (W.fradius[f, 0] + W.fradius[f, 1] + 0.5 * gap), 0.0
    p, dp = along((c[0], c[1], c[2]), back, (n[0], n[1], n[2])), along(dc, back, dn)
    dp = along(dp, W.flift[f] * (longer + 0.5 * dgap), (n[0], n[1], n[2]))
    for j in range(W.fends[f]):
        place = W.fend_place[f, j]
        b, g = body_row(x, W.fbody[f, place]), W.fshape[f, place]
        at, d, disc = W.fend[f, j, 0], turned(matrix(R[b]), W.fend[f, j, 1]), W.fend_disc[f, j]
        away = minus(p, plus((x[b, 0], x[b, 1], x[b, 2]), turned(matrix(R[b]), at)))
        if disc > 0.0:
            away = along(away, -dot(away, d), d)
            d = unit(away)
        e = (length(away) - disc if disc > 0.0 else dot(d, away)) - APART * gap
        if e <= 0.0:
            continue
        change_e = dot(d, dp) - APART * dgap
        if place == side and disc > 0.0:
            change_e -= 1.0 * (k == 0)
        elif place == side:
            change_e -= dot(d, turned(matrix(R[b]), at_by_size(Q, g, k, at)))
        term += 3.0 * STEEPNESS * (e / band) ** 2 * change_e
    return term


@kernel
def _crossing(W, f, band, R, by):
    """Likewise the terms of the angles between two edges, and between one edge and the other's face."""
    kind, Ra, Rb = W.fkind[f], R[body_row(R, W.fbody[f, 0])], R[body_row(R, W.fbody[f, 1])]
    if kind == EDGE_OVER:
        edge = 0 if W.fsign[f] > 0.0 else 1
        own, other = (Ra, Rb) if edge == 0 else (Rb, Ra)
        u, across = turned(matrix(own), W.faxes[f, edge, :, 2]), turned(matrix(other), W.faxes[f, 1 - edge, :, 0])
        term = _angle(W, f, band, edge, u, across, 2.0 * W.fleast_sine[f], -W.fleast_sine[f], by)
        less, by_u = over_fade(u, across, turned(matrix(other), W.faxes[f, 1 - edge, :, 2]))
        _add_turn(STEEPNESS * band, cross(u, by_u), edge, by)
        return term + STEEPNESS * band * less
    if kind != EDGE_EDGE:
        return 0.0
    u, w = turned(matrix(Ra), W.faxes[f, 0, :, 2]), turned(matrix(Rb), W.faxes[f, 1, :, 2])
    if W.fcrossing[f] == 1:
        at = W.ffaces_at[f]
        faces_a = turned(matrix(Ra), at[0, 0]), turned(matrix(Ra), at[0, 1])
        less, turn = crossing_fade(u, w, W.fsign[f], faces_a, (turned(matrix(Rb), at[1, 0]), turned(matrix(Rb), at[1, 1])))
        _add_turn(STEEPNESS * band, turn, 0, by)
        return STEEPNESS * band * less + _parallel(W, f, band, u, w, by)
    for face in range(2):
        m = turned(matrix(Ra if face == 0 else Rb), W.faxes[f, face, :, 0])
        if dot(m, m) > 0.0:
            return _angle(W, f, band, 1 - face, w if face == 0 else u, m, STEEP_EDGE, -0.5 * STEEP_EDGE, by)
    return _parallel(W, f, band, u, w, by)


@kernel
def _parallel(W, f, band, u, w, by):
    """Likewise the term of the sine of the angle between both edges."""
    least, N = W.fleast_sine[f], cross(u, w)
    sine = length(N)
    t = 2.0 - sine / least
    if t <= 0.0:
        return 0.0
    N = times(1.0 / sine, N)
    # N · ((e × u) × w) = e · (u × (w × N)),  N · (u × (e × w)) = e · (w × (N × u))
    by_a, by_b = cross(u, cross(w, N)), cross(w, cross(N, u))
    slope = -3.0 * STEEPNESS * band * t * t / least
    for k in range(3):
        by[3 + k] += slope * by_a[k]
        by[9 + k] += slope * by_b[k]
    return STEEPNESS * band * t * t * t


@kernel
def _add_turn(scale, turn, side, by):
    """Add to `by` (12,) for a term that depends on relative orientation only; turn: its derivative by the rotation of one side."""
    for r in range(3):
        by[6 * side + 3 + r] += scale * turn[r]
        by[9 - 6 * side + r] -= scale * turn[r]


@kernel
def _angle(W, f, band, edge, u, k, start, width, by):
    """d₂ t³, t = max((|u · k| - start)/width, 0), and its derivative: u rotates with body `edge`, k with the other."""
    value = dot(u, k)
    t = (abs(value) - start) / width
    if t <= 0.0:
        return 0.0
    slope = 3.0 * STEEPNESS * band * t * t / width * (1.0 if value > 0.0 else -1.0)
    turn = cross(u, k)  # (e × u) · k = e · (u × k)
    for r in range(3):
        by[6 * edge + 3 + r] += slope * turn[r]
        by[6 * (1 - edge) + 3 + r] -= slope * turn[r]
    return STEEPNESS * band * t * t * t
