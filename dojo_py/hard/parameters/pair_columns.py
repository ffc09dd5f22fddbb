"""Columns of the features of pairs, as shapes change or the world moves, in closed form.

What a feature that moves does to gap, normal n and point c comes from their derivatives by the motion of its body: a feature that
moves by δp in its body moves by w = R₊ δp in the world, as a displacement of the body would move it; the bodies and their
velocities are held. A radius moves the surface, not the normal:  δgap = -δr,  δc = ∓½ n δr (the point is half way between the two
surfaces). What other sizes do is in size_change.py. From these follow

    δv_t = T (δu_A - δu_B) + δT u,      δtorque = ± R₀ᵀ (δc* × F + arm × δF),      u and the application point c* of feature_rows.py

with e, along which the contact pushes, for n in T and F; it follows n, and normal and gap where the step starts (start_normals.py).
Spinning and rolling depend on the direction d of their row only:  δv = δd · (ω_A - ω_B),  δtorque = ± R₀ᵀ f δd.  A pyramid, and a
cone with unequal coefficients along its tangents, depend on the frame's angle as well (gradients/contact_change.py).

Where the step starts the gap changes, too: with it an overlap that may stay, and the fading factor of a far pair (far_pairs.py).
"""

from dojo_py.algebra.vectors import ZERO, along, dot, matrix, minus, plus, row, three, times, turned
from dojo_py.arrays import body_row, scratch
from dojo_py.hard.compiled_apart import START, displace_pair, feature_place, size_change
from dojo_py.hard.contacts.size_change import BEYOND, END, LONGER
from dojo_py.hard.contacts.size_change import START as BEGIN
from dojo_py.hard.elements.contact_rows import feels_frame, physical_impulse
from dojo_py.hard.elements.contact_size import length_by_radius, length_by_size
from dojo_py.hard.elements.feature_rows import lever_change, slip_change, tangents_change, turned_to_start
from dojo_py.hard.elements.rolling_arms import by_square, from_start
from dojo_py.hard.elements.rolling_sides import place_share, rolls, rounding_of, square_by_size, square_of_size
from dojo_py.hard.elements.start_normals import BY_GAP, BY_SQUARE
from dojo_py.hard.gradients.contact_change import (
    frame_angle,
    impulse_change,
    moment_change,
    place_change,
    relative_rate,
    twist_rows,
)
from dojo_py.hard.parameters.adjoint import pull, pull_one
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of


@kernel
def pair_column(L, P, Q, W, D, c, radius, part, value, h, out):
    """out (nv,) += column of the radius (part 0, 1) or a centre (part 3 side + axis) of pair contact c times value."""
    side, longer, axis = (part, value, -1) if radius else (part // 3, 0.0, part % 3)
    end, start = _displaced(W.Rn, W.cbody[c, side], axis, value), _displaced(W.R, W.cbody[c, side], axis, value)
    _moved_column(L, P, Q, W, D, c, side, longer, end, start, ZERO, h, out)


@kernel
def world_column(L, P, Q, W, D, c, side, shift, turn, h, out):
    """out (nv,) += column of pair contact c where the world, one side of it, moves by shift (3,) and turns by turn (3,)."""
    _moved_column(L, P, Q, W, D, c, side, 0.0, shift, shift, turn, h, out)


@kernel
def _moved_column(L, P, Q, W, D, c, side, longer, end, start, turn, h, out):
    """out (nv,) += column of pair contact c where the feature of one side moves rigidly, its body held, and is rounded by more.

    end, start (3,): displacements where the step ends and starts; turn (3,): rotation about the body's centre; longer [m].
    """
    displace_pair(L, P, Q, W, c, h)
    at, m, place, f = 6 * side, W.motion, W.feature, W.active[c] - P.body.shape[0]
    point, normal = _moved_by(m.dc, at, end, turn), _moved_by(m.dn, at, end, turn)
    point = along(point, longer * (0.5 if side == 1 else -0.5), three(m.normal))
    at_end = _change(m.dgap, at, end, turn) - longer, normal, point
    feature_place(L, P, Q, W, f, START)
    before, turned0 = _change(place.dgap, at, start, turn) - longer, _moved_by(place.dn, at, start, turn)
    point0 = along(_moved_by(place.dc, at, start, turn), longer * (0.5 if side == 1 else -0.5), row(W.cframe[c], 0))
    at_start = before, turned0, point0, _change(W.cbeyond_by[c], at, start, turn)
    square = longer * length_by_radius(Q, W, f, side)
    _feature_column(L, P, Q, W, D, c, side, longer, at_end, at_start, 0.0, square, h, out)


@kernel
def size_column(L, P, Q, W, D, c, side, k, value, h, out):
    """out (nv,) += column of size k of the shape on one side of pair contact c times value, of round pairs without their radii."""
    f, change = W.active[c] - P.body.shape[0], W.by_size
    size_change(L, P, Q, W, f, side, k)
    longer = value * change[LONGER]
    if W.fpair[f] < Q.rounds[0] and longer != 0.0:  # (a column of its own: PAIR_RADIUS)
        return
    end, start = times(value, three(change[END + 1 :])), times(value, three(change[BEGIN + 1 :]))
    at_end = value * change[END], end, times(value, three(change[END + 4 :]))
    beyond = value * change[BEYOND]
    at_start = value * change[BEGIN] + beyond, start, times(value, three(change[BEGIN + 4 :])), beyond
    displace_pair(L, P, Q, W, c, h)
    larger = value * square_by_size(Q, W, f, side, k) if rolls(Q, W, f, side) else 0.0
    square = value * length_by_size(Q, W, f, side, k)
    _feature_column(L, P, Q, W, D, c, side, longer, at_end, at_start, larger, square, h, out)


@kernel
def _feature_column(L, P, Q, W, D, c, side, longer, at_end, at_start, larger, square, h, out):
    """out (nv,) += column of a change of the feature of pair contact c, displaced by `displace_pair`.

    at_end: (gap, normal, point); at_start: (gap, normal, point, the term of the overhang alone); longer: change of the radius of
    one side [m]; larger: of L² of what rolls there [m²] (rolling_arms.py); square: of the contact's L² [m²] (contact_size.py). (No
    parameter moves the centre of a shape that rolls.)
    """
    impulse, y, n, feature = scratch(MOST_ROWS), scratch(MOST_ROWS), three(W.motion.normal), W.active[c] - P.body.shape[0]
    impulse_of(W.claw[c], W.con[c], impulse)
    (gap, dn, point), (before, dn0, point0, beyond) = at_end, at_start
    of_a = _pushed_change(Q, W, c, feature, 0, point, point0, larger if side == 0 else 0.0)
    of_b = _pushed_change(Q, W, c, feature, 1, point, point0, larger if side == 1 else 0.0)
    m = W.motion
    e, de = three(m.along), plus(turned(matrix(m.by_normal[0]), dn), turned(matrix(m.by_normal[1]), dn0))
    ds = W.ctouch[c, BY_GAP] * before + W.ctouch[c, BY_SQUARE] * square
    de = along(de, ds, three(m.by_touch))
    dT1, dT2 = tangents_change(W.cframe[c, 0], W.cframe[c, 1:3], e, de)
    y[0] = gap + beyond - (before if W.contact_allowance[c] > 0.0 else 0.0)
    _slip_rows(Q, W, c, feature, side, longer, point, (of_a, of_b), n, dn, de, dT1, dT2, h, y)
    half = along(times(0.5 * gap, n), W.motion.half_gap[0], dn)
    dp = _place_change(Q, W, c, feature, side, longer, point, (of_a, of_b), half, n, dn, e, de)
    place = along(place_change(m, dp, point0, ds), square, row(m.place_by, 1))
    _push_bodies(L, W, D, c, impulse, place, de, dT1, dT2, out)
    if W.cslope[c] != 0.0:
        _faded(L, W, D, c, impulse, W.cslope[c] * before, out)
    if feels_frame(W, c):
        _twisted(L, W, D, c, impulse, dn0, out)
    for k in range(ROWS[W.claw[c]]):
        pull_one(D.motion[c, k], y[k], out)


@kernel
def _displaced(R, b, axis, value):
    """(3,) displacement in the world of a point that moves by value along an axis of body b, R (nb, 3, 3); axis -1: none."""
    if axis < 0:
        return ZERO
    return (value * R[b, 0, axis], value * R[b, 1, axis], value * R[b, 2, axis])


@kernel
def _change(by, at, shift, turn):
    """Change of a number as a feature moves and turns, (3,) each; by (12,): its derivatives, from `at` on by this motion."""
    moved = by[at] * shift[0] + by[at + 1] * shift[1] + by[at + 2] * shift[2]
    return moved + by[at + 3] * turn[0] + by[at + 4] * turn[1] + by[at + 5] * turn[2]


@kernel
def _moved_by(by, at, shift, turn):
    """Likewise of a vector; by (3, 12)."""
    return (_change(by[0], at, shift, turn), _change(by[1], at, shift, turn), _change(by[2], at, shift, turn))


@kernel
def _slip_rows(Q, W, c, f, side, longer, point, pushed, n, dn, de, dT1, dT2, h, y):
    """y (rows,), from row 1 on: change of slip, spinning and rolling of pair contact c, feature f.

    point, dn, de, dT1, dT2 (3,): changes of point, normal, e and tangents; pushed: of ρ' of both sides; n (3,): the normal; longer:
    the radius of one side [m].
    """
    # c moves, and ρ rotates with the normal; a radius lengthens its own part of ρ only
    T, slip = W.motion.tangents, three(W.motion.slip)
    of_a = _rolling_change(Q, W, f, 0, dn, point, n, longer if side == 0 else 0.0)
    of_b = _rolling_change(Q, W, f, 1, dn, point, n, longer if side == 1 else 0.0)
    e = three(W.motion.along)
    start_a = pushed[0] if rolls(Q, W, f, 0) else _rolling_change(Q, W, f, 0, de, point, e, longer if side == 0 else 0.0)
    start_b = pushed[1] if rolls(Q, W, f, 1) else _rolling_change(Q, W, f, 1, de, point, e, longer if side == 1 else 0.0)
    dm = minus(point, plus(of_a, of_b))
    a, b, rate = body_row(W.R, W.cbody[c, 0]), body_row(W.R, W.cbody[c, 1]), relative_rate(W, c)
    back_a, back_b = turned_to_start(W.R[a], W.Rn[a]), turned_to_start(W.R[b], W.Rn[b])
    change = slip_change(back_a, back_b, rate, h, dm, times(0.5, plus(plus(of_a, start_a), plus(of_b, start_b))))
    for t in range(2):
        y[1 + t] = W.cratio[c, t] * (dot(row(T, t), change) + dot(dT1 if t == 0 else dT2, slip))
    for k in range(3, ROWS[W.claw[c]]):
        y[k] = W.cratio[c, k - 1] * dot(de if k == 3 else dT1 if k == 4 else dT2, rate)


@kernel
def _place_change(Q, W, c, f, side, longer, point, pushed, half, n, dn, e, de):
    """Change of the point p of pair contact c, feature f. half (3,): of ½ gap n; e (3,): see above;
    the rest as in `_slip_rows`.
    """
    share, (of_a, of_b) = place_share(Q, W, f), pushed
    a, b = body_row(W.R, W.cbody[c, 0]), body_row(W.R, W.cbody[c, 1])
    if not rolls(Q, W, f, 0):
        radius, more = -rounding_of(Q, W, f, 0), -longer if side == 0 else 0.0
        of_a = lever_change(turned_to_start(W.R[a], W.Rn[a]), radius, more, plus(point, half), n, dn, e, de)
    if not rolls(Q, W, f, 1):
        radius, more = rounding_of(Q, W, f, 1), longer if side == 1 else 0.0
        of_b = lever_change(turned_to_start(W.R[b], W.Rn[b]), radius, more, minus(point, half), n, dn, e, de)
    return along(times(share, of_a), 1.0 - share, of_b)


@kernel
def _pushed_change(Q, W, c, f, side, point, point0, larger):
    """Change of ρ' of one side of pair contact c, feature f, if it rolls (rolling_arms.py), by those of the point of contact where
    the step ends and starts (3,) and of L² [m²].
    """
    if not rolls(Q, W, f, side):
        return ZERO
    M, b = matrix(W.motion.mixed[side]), body_row(W.xn, W.cbody[c, side])
    change = plus(turned(M, point), turned(from_start(M), point0))
    if larger == 0.0:
        return change
    centre = turned(matrix(W.Rn[b]), row(Q.shape_centre, W.fshape[f, side]))
    end = minus(minus(three(W.motion.point), row(W.xn, b)), centre)
    return along(change, larger, by_square(row(W.crolling[c], side), end, square_of_size(Q, W, f, side)))


@kernel
def _push_bodies(L, W, D, c, impulse, place, de, dT1, dT2, out):
    """out (nv,) += column of the wrenches of pair contact c as c*, e and the tangents change, its impulse (rows,) held."""
    pushed, x = scratch(MOST_ROWS), scratch(6)
    physical_impulse(W, c, impulse, pushed)
    dF, torque = impulse_change(W, c, pushed, de, dT1, dT2)
    for m in range(2):
        body, sign = W.cbody[c, m], 1.0 if m == 0 else -1.0
        if body < 0:
            continue
        linear, angular = times(sign, dF), times(sign, moment_change(W, c, m, place, dF, torque))
        for i in range(3):
            x[i], x[3 + i] = linear[i], angular[i]
        pull(D.y[L.place_body[body]], x, out)


@kernel
def _twisted(L, W, D, c, impulse, dn0, out):
    """out (nv,) += column of a change dn0 (3,) of the normal of pair contact c where the step starts, which turns its frame."""
    x, twist = scratch(3), scratch(12)
    x[0], x[1], x[2] = dn0
    twist_rows(W, c, impulse, twist)
    angle = frame_angle(W.cframe[c], W.motion.along, W.motion.tangents[0], x)
    for m in range(2):
        if W.cbody[c, m] >= 0:
            _pull_scaled(D.y[L.place_body[W.cbody[c, m]]], angle, twist[6 * m : 6 * m + 6], out)


@kernel
def _pull_scaled(Y, factor, x, out):
    """out (nv,) += change of the rates by the right-hand side factor * x (6,) of a body; Y: its rows of `D.y`."""
    scaled = scratch(6)
    for i in range(6):
        scaled[i] = factor * x[i]
    pull(Y, scaled, out)


@kernel
def _faded(L, W, D, c, impulse, change, out):
    """out (nv,) += column of a relative change of contact c's impulse, by its fading factor."""
    x = scratch(6)
    for m in range(2):
        if W.cbody[c, m] < 0:
            continue
        for i in range(6):
            x[i] = 0.0
            for r in range(ROWS[W.claw[c]]):
                x[i] += change * W.cB[c, m, r, i] * impulse[r]
        pull(D.y[L.place_body[W.cbody[c, m]]], x, out)


@kernel
def _rolling_change(Q, W, f, side, dn, point, n, longer):
    """Change of one side's part of ρ (feature_rows.py) of feature f: point and normal move, its radius grows."""
    if rolls(Q, W, f, side):
        return point
    sign = 1.0 if side == 0 else -1.0
    return plus(times(-sign * rounding_of(Q, W, f, side), dn), times(-sign * longer, n))
