"""Derivatives of a body's rows through its contacts by its displacement and rotation, with multipliers held and contacts condensed.

In closed form, by the same row functions as the step. Both poses of a body move rigidly, (u, ψ) about its centre where the step
starts, and its velocities rotate with it:

    δx₊ = u + ψ × d,   δθ₊ = ψ,   δv = ψ × v,   d = x₊ - x = h v           ω is constant in the body's frame, R₀ rotates with it

and so does the arm R c of the point behind a contact at the start, from which slip is measured (plane_contacts.py).

Pairs of bodies. Let the second move (the first when the second is fixed); derivatives by the motion of the first follow, because a
rigid motion of both changes nothing but directions. With the rows Y (by δx) and Z (by δθ) of `pair_motion` on the side that moves,
σ = 1 for A, -1 for B, and the wrench (F, τ) of the contact in the same terms,

    δ(gap, v_t)  = Y u + (Z + Y [·×d]) ψ + σ T (ψ × (v - R c/h))
    δ(F, τ)      = likewise,  and  δτ += σ R₀ᵀ (δa × F),  δa = β (u + ψ × Q m'), less u on the mover;  δτ -= R₀ᵀψ × τ on the mover

where β is the mover's part of the point p and Q m' what it carries of it (feature_rows.py), with N β for β by start_points.py; and
what normal n₀ and point c₀ where the step starts make (start_normals.py, start_points.py), of rims and curved shapes also what ρ₀
does, from their centre to that point (rolling_arms.py);

less, where an overlap may stay, the change of the gap where the step starts; plus, on the central path, the change of what the
overhang of a feature there adds to its gap (collision/overhang.py).

The frame. T are tangents across n: those of the start, rotated by the smallest rotation from n₀ to n. A round cone does not depend
on the choice of tangents: a rotation of T about e rotates ξ, v_t and K with it. So for it T₀ is held, which is exact. A
pyramid, and a cone with unequal coefficients along its tangents, depend on the angle about e by which T is rotated,

    α = t₂ · δt₁,   t₁ = t₁⁰ - f (e + n₀),   f = e·t₁⁰ / (1 + e·n₀),   t₁⁰ = n₀ × z / abs(n₀ × z)       z: `upright`,  T = (-t₂, t₁)

by δn₀ and δt₁⁰ at fixed e (the effect of δe is told of above). When both bodies rotate by ψ, T should rotate with them, but z is
fixed in the world, so T lags behind.
"""

import math

from dojo_py.algebra.vectors import ZERO, along, cross, dot, matrix, minus, plus, row, three, times, turned, turned_back
from dojo_py.arrays import body_row, copy, scratch
from dojo_py.hard.compiled_apart import START, displace_pair, feature_place
from dojo_py.hard.elements.contact_rows import feels_frame, physical_impulse, scale_rows
from dojo_py.hard.elements.feature_rows import tangents_change
from dojo_py.hard.elements.pair_contacts import upright
from dojo_py.hard.elements.plane_contacts import plane_rows, rolling_by_start, touching
from dojo_py.hard.elements.rolling_arms import from_start
from dojo_py.hard.elements.rolling_sides import place_share, rolls, rounding_of
from dojo_py.hard.elements.start_normals import BY_GAP
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of
from dojo_py.solver.octet import WIDTH


@kernel
def plane_changes(P, W, G, h):
    """G.contact[b] (6, 6): right-hand side of body b by (u, ψ), the rigid displacement of both its poses about its centre at the
    start; velocities rotate with it. The impulses, whose direction is fixed in the world, are added to G.force.
    """
    F, f, y = scratch(MOST_ROWS), scratch(MOST_ROWS), scratch((MOST_ROWS, 6))
    C, B, H = scratch((3, 6)), scratch((3, 6)), scratch((3, 3))
    for c in range(W.n_active[1]):
        i, b = W.active[c], W.cbody[c, 0]
        impulse_of(W.claw[c], W.con[c], F)
        physical_impulse(W, c, F, f)
        R, rows = W.Rn[b], ROWS[W.claw[c]]
        turn = (R[0, 0], R[1, 0], R[2, 0], R[0, 1], R[1, 1], R[2, 1], R[0, 2], R[1, 2], R[2, 2])  # δφ₊ = R₊ᵀ ψ
        plane_rows(P, i, W, turn, h, 0.0, (f[0], f[1], f[2]), C, B, H)
        n, t, v, K, point, R0 = P.normal[i], P.tangent[i], W.v[b], W.cK[c], P.point[i], W.R[b]
        d0, d1, d2 = W.xn[b, 0] - W.x[b, 0], W.xn[b, 1] - W.x[b, 1], W.xn[b, 2] - W.x[b, 2]
        for r in range(3):
            G.force[b, r] += n[r] * f[0] + t[0, r] * f[1] + t[1, r] * f[2]
            y[0, r], y[1, r], y[2, r] = n[r], 0.0, 0.0
            y[0, 3 + r] = C[0, 3 + r]
            y[1, 3 + r], y[2, 3 + r] = C[1, 3 + r], C[2, 3 + r]
        if W.contact_allowance[c] > 0.0:  # an overlap that may stay: less the change of the gap where the step starts
            _less_start_gap(P, i, W.R[b], y[0])
        # n · (ψ × d) = ψ · (d × n),  t · (ψ × (v - R c/h)) = ψ · ((v - R c/h) × t)
        u0 = v[0] - (R0[0, 0] * point[0] + R0[0, 1] * point[1] + R0[0, 2] * point[2]) / h
        u1 = v[1] - (R0[1, 0] * point[0] + R0[1, 1] * point[1] + R0[1, 2] * point[2]) / h
        u2 = v[2] - (R0[2, 0] * point[0] + R0[2, 1] * point[1] + R0[2, 2] * point[2]) / h
        y[0, 3] += d1 * n[2] - d2 * n[1]
        y[0, 4] += d2 * n[0] - d0 * n[2]
        y[0, 5] += d0 * n[1] - d1 * n[0]
        for k in range(2):
            y[1 + k, 3] += u1 * t[k, 2] - u2 * t[k, 1]
            y[1 + k, 4] += u2 * t[k, 0] - u0 * t[k, 2]
            y[1 + k, 5] += u0 * t[k, 1] - u1 * t[k, 0]
        for k in range(3, rows):  # d · (ψ × Rω) = ψ · (Rω × d)
            d, w = n if k == 3 else t[k - 4], v[3:6]
            u0 = R[0, 0] * w[0] + R[0, 1] * w[1] + R[0, 2] * w[2]
            u1 = R[1, 0] * w[0] + R[1, 1] * w[1] + R[1, 2] * w[2]
            u2 = R[2, 0] * w[0] + R[2, 1] * w[1] + R[2, 2] * w[2]
            y[k, 0] = y[k, 1] = y[k, 2] = 0.0
            y[k, 3], y[k, 4], y[k, 5] = u1 * d[2] - u2 * d[1], u2 * d[0] - u0 * d[2], u0 * d[1] - u1 * d[0]
        F_world = along(along(times(f[0], row(P.normal, i)), f[1], row(t, 0)), f[2], row(t, 1))
        out = G.contact[b]
        if P.curved[i]:
            _rolled_at_start(P, i, W, F_world, y, out)
        scale_rows(W, c, y)
        for k in range(rows):
            copy(y[k], G.motion[c, k])
        subtract_impulses(rows, W.cB[c, 0], K, y, out, 0)
        # H is for a fixed frame of the start; here that rotates with the body, which subtracts (Rᵀ ψ) × torque
        t0, t1, t2 = torque_of(rows, W.cB[c, 0], F)
        for k in range(3):
            out[3, 3 + k] += H[0, k] + t1 * R0[k, 2] - t2 * R0[k, 1]
            out[4, 3 + k] += H[1, k] + t2 * R0[k, 0] - t0 * R0[k, 2]
            out[5, 3 + k] += H[2, k] + t0 * R0[k, 1] - t1 * R0[k, 0]
        # the arm a = R c at the start rotates:  Rᵀ ((ψ × a) × F) = c (ψ·F) - Rᵀ ψ (a·F)
        reach = dot(turned(matrix(R0), row(P.point, i)), F_world)
        for k in range(3):
            for j in range(3):
                out[3 + j, 3 + k] += point[j] * F_world[k] - reach * R0[k, j]


@kernel
def _rolled_at_start(P, i, W, F, y, out):
    """The parts by ψ of plane candidate i's motion y (rows, 6) and wrench out (6, 6) that ρ₀ makes (rolling_arms.py).

    F (3,): its impulse, world axes.
    """
    b = P.body[i]
    by_start, by_turn = rolling_by_start(P, i, W)
    spin, R = turned(matrix(W.Rn[b]), (W.v[b, 3], W.v[b, 4], W.v[b, 5])), matrix(W.R[b])
    for k in range(3):
        change = turned(by_start, (by_turn[k], by_turn[3 + k], by_turn[6 + k]))
        slip, torque = cross(spin, times(0.5, change)), turned_back(R, cross(change, F))
        for r in range(3):
            out[3 + r, 3 + k] += torque[r]
        for t in range(2):
            y[1 + t, 3 + k] += dot(row(P.tangent[i], t), slip)


@kernel
def subtract_impulses(rows, B, K, y, out, first):
    """Rows first … first + 5 of out (…, 6) -= Bᵀ K y: the impulses of a condensed contact whose motion changes by y (rows, 6).

    B (rows, 6), K (rows, rows): of one body and the contact, see cones/contact.py.
    """
    for k in range(6):
        for r in range(rows):
            f = K[r, 0] * y[0, k]
            for i in range(1, rows):
                f += K[r, i] * y[i, k]
            for i in range(6):
                out[first + i, k] -= B[r, i] * f


@kernel
def torque_of(rows, B, F):
    """Angular part of the impulse Bᵀ F; B (rows, 6), F (rows,)."""
    t0, t1, t2 = B[0, 3] * F[0], B[0, 4] * F[0], B[0, 5] * F[0]
    for r in range(1, rows):
        t0 += B[r, 3] * F[r]
        t1 += B[r, 4] * F[r]
        t2 += B[r, 5] * F[r]
    return t0, t1, t2


@kernel
def _less_start_gap(P, i, R, out):
    """out (6,) -= derivative of the gap of plane candidate i by (u, ψ) at the start."""
    n = P.normal[i]
    p, _ = touching(P, i, R)
    torque = cross(turned(matrix(R), p), n)
    for r in range(3):
        out[r] -= n[r]
        out[3 + r] -= torque[r]


@kernel
def pair_changes(L, P, Q, W, G, h):
    """G.pair_rows[c] (12, 6): right-hand sides of both bodies by (u, ψ) of the second (of the first when the second is fixed)."""
    motion, start = W.motion, W.feature
    F, y, f = scratch(MOST_ROWS), scratch((MOST_ROWS, 6)), scratch((2, 6, 6))
    for c in range(W.n_active[1], W.n_active[0]):
        impulse_of(W.claw[c], W.con[c], F)
        side = 1 if W.cbody[c, 1] >= 0 else 0
        displace_pair(L, P, Q, W, c, h)
        for i in range(3):
            G.pair_force[c, i] = motion.force[i] if side == 0 else -motion.force[i]
        _move_rows(W, c, side, motion.tangents, motion.behind[side], h, y)
        _move_wrench(P, Q, W, c, side, F, motion.force, f)
        faded, felt = W.cslope[c] != 0.0, feels_frame(W, c)
        feature_place(L, P, Q, W, W.active[c] - P.body.shape[0], START)
        _roll_at_start(P, Q, W, c, side, y, f)
        _normal_at_start(P, Q, W, c, side, F, y, f)
        if faded:  # the fraction of the impulse that acts is a function of the gap where the step starts
            _fade(W, c, F, start.dgap[6 * side : 6 * side + 6], f)
            copy(start.dgap[6 * side : 6 * side + 6], G.fade[c])
        for k in range(6):
            y[0, k] += W.cbeyond_by[c, 6 * side + k]
        if W.contact_allowance[c] > 0.0:
            for k in range(6):
                y[0, k] -= start.dgap[6 * side + k]
        for r in range(ROWS[W.claw[c]]):
            copy(y[r], G.motion[c, r])
        _condense_pair(W, c, y, f, G.pair_rows[c])
        if felt:
            _tangent_spin(W.cframe[c, 0], W.cframe[c, 1], G.pair_spin[c])
            twist_rows(W, c, F, G.pair_twist[c])
            for k in range(6):
                angle = frame_angle(W.cframe[c], motion.along, motion.tangents[0], start.dn[:, 6 * side + k])
                for i in range(12):
                    G.pair_rows[c, i, k] += angle * G.pair_twist[c, i]


@kernel
def _move_rows(W, c, side, T, arm, h, y):
    """y (6, 6): change of the motion along the rows of pair c by (u, ψ) of its body on one side.

    T (2, 3): its tangents; arm (3,): R c of that body.
    """
    b, sign = W.cbody[c, side], 1.0 if side == 0 else -1.0
    d = (W.xn[b, 0] - W.x[b, 0], W.xn[b, 1] - W.x[b, 1], W.xn[b, 2] - W.x[b, 2])
    v = (W.v[b, 0] - arm[0] / h, W.v[b, 1] - arm[1] / h, W.v[b, 2] - arm[2] / h)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for r in range(ROWS[W.claw[c]]):
            own = W.drows[side, r]
            y[r, k] = own[k]
            y[r, 3 + k] = own[3 + k] + d[i] * own[j] - d[j] * own[i]
            if 0 < r < 3:
                y[r, 3 + k] += sign * W.cratio[c, r - 1] * (v[i] * T[r - 1, j] - v[j] * T[r - 1, i])


@kernel
def _move_wrench(P, Q, W, c, side, impulse, F, f):
    """f (2, 6, 6): change of the impulses on both bodies of pair c by (u, ψ) of its body on one side. F (3,): on A, world axes."""
    b, at = W.cbody[c, side], WIDTH * side
    d, carried = (W.xn[b, 0] - W.x[b, 0], W.xn[b, 1] - W.x[b, 1], W.xn[b, 2] - W.x[b, 2]), row(W.motion.carried, side)
    t0, t1, t2 = torque_of(ROWS[W.claw[c]], W.cB[c, side], impulse)
    share = place_share(Q, W, W.active[c] - P.body.shape[0])
    share = share if side == 0 else 1.0 - share
    force, N = (F[0], F[1], F[2]), matrix(W.motion.placed)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        e = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        moved, turning = times(share, turned(N, e)), times(share, turned(N, cross(e, carried)))
        for side_of in range(2):
            R, sign = matrix(W.R[body_row(W.R, W.cbody[c, side_of])]), 1.0 if side_of == 0 else -1.0
            shift = minus(moved, e) if side_of == side else moved
            by_shift, by_turning = turned_back(R, cross(shift, force)), turned_back(R, cross(turning, force))
            for r in range(6):
                own = W.dwrench[side_of, r, at : at + 6]
                f[side_of, r, k] = own[k]
                f[side_of, r, 3 + k] = own[3 + k] + d[i] * own[j] - d[j] * own[i]
            for r in range(3):
                f[side_of, 3 + r, k] += sign * by_shift[r]
                f[side_of, 3 + r, 3 + k] += sign * by_turning[r]
        R = W.R[b]
        f[side, 3, 3 + k] -= R[k, 1] * t2 - R[k, 2] * t1
        f[side, 4, 3 + k] -= R[k, 2] * t0 - R[k, 0] * t2
        f[side, 5, 3 + k] -= R[k, 0] * t1 - R[k, 1] * t0


@kernel
def _roll_at_start(P, Q, W, c, side, y, f):
    """The parts of y (rows, 6) and f (2, 6, 6) by (u, ψ) of one side of pair c that ρ₀ of both sides make (rolling_arms.py)."""
    feature, F, dc = W.active[c] - P.body.shape[0], three(W.motion.force), W.feature.dc
    rate, share, N = relative_rate(W, c), place_share(Q, W, feature), matrix(W.motion.placed)
    for of in range(2):
        if not rolls(Q, W, feature, of):
            continue
        b, by_start = body_row(W.R, W.cbody[c, of]), from_start(matrix(W.motion.mixed[of]))
        centre = turned(matrix(W.R[b]), row(Q.shape_centre, W.fshape[feature, of]))
        for k in range(6):
            change = (dc[0, 6 * side + k], dc[1, 6 * side + k], dc[2, 6 * side + k])
            if of == side:
                e = (1.0 * (k % 3 == 0), 1.0 * (k % 3 == 1), 1.0 * (k % 3 == 2))
                change = minus(change, e if k < 3 else cross(e, centre))
            change = turned(by_start, change)
            place = turned(N, times(share if of == 0 else 1.0 - share, change))
            slip, moment = cross(rate, times(0.5, change)), cross(place, F)
            for t in range(2):
                y[1 + t, k] += W.cratio[c, t] * dot(row(W.motion.tangents, t), slip)
            for m in range(2):
                torque = turned_back(matrix(W.R[body_row(W.R, W.cbody[c, m])]), moment)
                for r in range(3):
                    f[m, 3 + r, k] += torque[r] if m == 0 else -torque[r]


@kernel
def _normal_at_start(P, Q, W, c, side, impulse, y, f):
    """The parts of y (rows, 6) and f (2, 6, 6) by (u, ψ) of one side of pair c that e and c* make by where the step starts
    (start_normals.py, start_points.py).

    impulse (rows,): its impulse.
    """
    feature, m, dn, dc, pushed = W.active[c] - P.body.shape[0], W.motion, W.feature.dn, W.feature.dc, scratch(MOST_ROWS)
    physical_impulse(W, c, impulse, pushed)
    by_start, lever = matrix(m.by_normal[1]), lever_by_normal(Q, W, feature)
    rate, slip = relative_rate(W, c), three(m.slip)
    rolling = 0.5 * (rounding_of(Q, W, feature, 1) - rounding_of(Q, W, feature, 0))
    for k in range(6):
        de = turned(by_start, (dn[0, 6 * side + k], dn[1, 6 * side + k], dn[2, 6 * side + k]))
        ds = W.ctouch[c, BY_GAP] * W.feature.dgap[6 * side + k]
        de = along(de, ds, three(m.by_touch))
        dT1, dT2 = tangents_change(W.cframe[c, 0], W.cframe[c, 1:3], three(m.along), de)
        for r in range(1, ROWS[W.claw[c]]):
            d = dT1 if r == 1 or r == 4 else dT2 if r == 2 or r == 5 else de
            change = dot(d, slip if r < 3 else rate)
            if r < 3:
                change += dot(row(m.tangents, r - 1), cross(rate, times(rolling, de)))
            y[r, k] += W.cratio[c, r - 1] * change
        dF, torque = impulse_change(W, c, pushed, de, dT1, dT2)
        place = place_change(m, times(lever, de), (dc[0, 6 * side + k], dc[1, 6 * side + k], dc[2, 6 * side + k]), ds)
        for body in range(2):
            angular = moment_change(W, c, body, place, dF, torque)
            for r in range(3):
                f[body, r, k] += dF[r] if body == 0 else -dF[r]
                f[body, 3 + r, k] += angular[r] if body == 0 else -angular[r]


@kernel
def place_change(m, dp, dc0, ds):
    """δc* (3,) by δp, δc₀ (3,) and δs, see start_points.py. m: `PairMotion`."""
    N = matrix(m.placed)
    return along(plus(turned(N, dp), turned(from_start(N), dc0)), ds, row(m.place_by, 0))


@kernel
def lever_by_normal(Q, W, f):
    """How far [m] the point p of feature f moves along with e, its roundings."""
    share = place_share(Q, W, f)
    return (1.0 - share) * rounding_of(Q, W, f, 1) - share * rounding_of(Q, W, f, 0)


@kernel
def impulse_change(W, c, pushed, de, dT1, dT2):
    """(δF, δtorque) of the impulse on A of pair contact c, world axes, as its directions change. pushed (rows,): along the rows."""
    dF, torque, weight = along(along(times(pushed[0], de), pushed[1], dT1), pushed[2], dT2), ZERO, W.cweight[c]
    for k in range(3, ROWS[W.claw[c]]):
        torque = along(torque, pushed[k], de if k == 3 else dT1 if k == 4 else dT2)
    return times(weight, dF), times(weight, torque)


@kernel
def moment_change(W, c, side, place, dF, torque):
    """R₀ᵀ (δc* × F + arm × δF + δtorque) of one body of pair contact c, for A; of B its opposite. place (3,): δc*."""
    m = W.motion
    change = plus(plus(cross(place, three(m.force)), cross(row(m.arms, side), dF)), torque)
    return turned_back(matrix(W.R[body_row(W.R, W.cbody[c, side])]), change)


@kernel
def relative_rate(W, c):
    """ω_A - ω_B of pair contact c, world axes."""
    a, b = body_row(W.Rn, W.cbody[c, 0]), body_row(W.Rn, W.cbody[c, 1])
    spin_a = turned(matrix(W.Rn[a]), (W.v[a, 3], W.v[a, 4], W.v[a, 5]))
    return minus(spin_a, turned(matrix(W.Rn[b]), (W.v[b, 3], W.v[b, 4], W.v[b, 5])))


@kernel
def _fade(W, c, impulse, dgap, f):
    """f (2, 6, 6) += change of the impulses on both bodies of pair c by that of their fading factor w (far_pairs.py).

    dgap (6,): derivative of the gap.
    """
    for m in range(2):
        B = W.cB[c, m]
        for r in range(6):
            y = 0.0
            for i in range(ROWS[W.claw[c]]):
                y += W.cslope[c] * B[i, r] * impulse[i]
            for k in range(6):
                f[m, r, k] += y * dgap[k]


@kernel
def _condense_pair(W, c, y, f, out):
    """out (12, 6) = f - Bᵀ K y: right-hand sides of both bodies of pair c."""
    for m in range(2):
        for i in range(6):
            for k in range(6):
                out[6 * m + i, k] = f[m, i, k]
        subtract_impulses(ROWS[W.claw[c]], W.cB[c, m], W.cK[c], y, out, 6 * m)


@kernel
def frame_angle(frame, e, tangent, dn):
    """Angle about e by which the tangents rotate when the normal at the start of the step changes. frame (3, 3): of the start.

    e, tangent (3,): along which the contact pushes, and its first tangent; dn (3,): change of the normal at the start.
    """
    n0, t, i, t2 = frame[0], frame[2], upright(frame[0]), (-tangent[0], -tangent[1], -tangent[2])
    j, k = (i + 1) % 3, (i + 2) % 3
    # δn₀ × z, across t:  z = axis i
    size = math.sqrt(1.0 - n0[i] * n0[i])
    xj, xk = dn[k] / size, -dn[j] / size
    along = t[j] * xj + t[k] * xk
    b = max(1.0 + e[0] * n0[0] + e[1] * n0[1] + e[2] * n0[2], 1e-6)
    f = (e[0] * t[0] + e[1] * t[1] + e[2] * t[2]) / b
    da = e[j] * xj + e[k] * xk - along * f * b
    df = (da - f * (e[0] * dn[0] + e[1] * dn[1] + e[2] * dn[2])) / b
    angle = t2[j] * xj + t2[k] * xk
    for r in range(3):
        angle -= t2[r] * (along * t[r] + df * (e[r] + n0[r]) + f * dn[r])
    return angle


@kernel
def _tangent_spin(n, tangent, out):
    """out (3,): angle about n (3,) by which the tangents lag behind when n rotates by ψ, per unit of ψ. tangent (3,): T₁ = -t₂.

    t₁ = n × e / abs(n × e):   t₂ · (δt₁ - ψ × t₁) = -(n·e) t₂·ψ / abs(n × e) - n·ψ
    """
    i = upright(n)
    share = n[i] / math.sqrt(1.0 - n[i] * n[i])
    for k in range(3):
        out[k] = share * tangent[k] - n[k]


@kernel
def twist_rows(W, c, F, out):
    """out (12,): right-hand sides of both bodies of pair c when its tangents T rotate about the normal, δT₁ = T₂, δT₂ = -T₁.

    In scaled rows, q the quotient of the ratios of T₁ and T₂:  δη₁ = q η₂, δη₂ = -η₁/q;  the impulse by ξ changes by (-ξ₂/q, q ξ₁).
    F (rows,): the impulse.
    """
    K, v, rows = W.cK[c], W.cval[c], ROWS[W.claw[c]]
    for i in range(12):
        out[i] = 0.0
    for first in range(1, rows, 3):
        second = first + 1
        q = W.cratio[c, first - 1] / W.cratio[c, second - 1]
        a, b = q * v[second], -v[first] / q
        for r in range(1, rows):
            f = K[r, first] * a + K[r, second] * b
            if r == first:
                f += F[second] / q
            elif r == second:
                f -= F[first] * q
            for m in range(2):
                for i in range(6):
                    out[6 * m + i] -= W.cB[c, m, r, i] * f
