"""Columns of contacts: friction, points and radii, in closed form.

In the cone's equations μ enters only by the product ξ₁ = μγ, so  ∂ξ/∂μ = (γ/μ) ∂ξ/∂γ. A ratio r of a coefficient to μ scales
a row, η = r v, and the impulse along it, f = r ξ:  δη = η δr/r,  and the impulse changes by ξ δr/r along the scaled row. The arm δa
of a contact with a plane, in the body's frame at the next pose, moves with the point, and with the radius by -n_b:

    δgap = n_b · δa,    δv_t = t_b · (1 - R₊ᵀ R) δa/h of a point, t_b · (ω × δa) of a radius (plane_contacts.py),
    δtorque = S (δa × F_b)                                                        S = Rᵀ R₊;  _b: in that frame

less, where an overlap may stay, the change of the gap where the step starts; with that gap the fading factor of a far pair changes.

A feature of a pair that moves by δp in its body moves by w = R₊ δp in the world, as a displacement of the body would move it: so
the derivatives of gap, normal, point c, frame and impulse are those of `pair_motion`; the bodies and their velocities are held.
A radius moves the surface, not the normal:  δgap = -δr,  δc = ∓½ n δr (the point is half way between the two surfaces).

    δv_t = T (δu_A - δu_B) + δT u,  u of feature_rows.py,      δtorque = ± R₀ᵀ (δc × F + arm × δF)

Spinning and rolling depend on the direction d of their row only:  δv = δd · (ω_A - ω_B),  δtorque = ± R₀ᵀ f δd.  A pyramid, and a
cone with unequal coefficients along its tangents, depend on the frame's angle as well (gradients/contact_change.py).
"""

from dojo_py.arrays import body_row, scratch
from dojo_py.collision.vectors import along, cross, dot, matrix, minus, plus, row, times, turned, turned_back
from dojo_py.hard.apart import START, displace_pair, feature_place
from dojo_py.hard.contact_rows import feels_frame, physical_impulse
from dojo_py.hard.feature_rows import ZERO, rolls, slip_change, tangents_change, turned_to_start
from dojo_py.hard.gradients.contact_change import frame_angle, twist_rows
from dojo_py.hard.parameters.adjoint import pull, pull_one, pull_three
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import FRICTIONLESS, MOST_ROWS, ROWS, impulse_of


@kernel
def friction_column(W, D, candidate, value, out):
    """out (nv,) += column of the friction of a candidate times value."""
    c = D.slot[candidate]
    if c < 0 or W.claw[c] == FRICTIONLESS:
        return
    K = W.cK[c]
    share = value * W.con[c, 0] / (W.cmu[c] * K[0, 0])
    for r in range(1, ROWS[W.claw[c]]):
        pull_one(D.impulse[c, r], share * K[r, 0], out)


@kernel
def ratio_column(W, D, candidate, k, value, out):
    """out (nv,) += column of ratio k of a candidate times value."""
    c = D.slot[candidate]
    if c < 0 or k + 1 >= ROWS[W.claw[c]]:
        return
    F = scratch(MOST_ROWS)
    impulse_of(W.claw[c], W.con[c], F)
    share = value / W.cratio[c, k]
    pull_one(D.motion[c, 1 + k], share * W.cval[c, 1 + k], out)
    pull_one(D.impulse[c, 1 + k], share * F[1 + k], out)


@kernel
def arm_column(L, P, W, D, i, axis, value, h, out):
    """out (nv,) += column of the point (axis 0 … 2) or the radius (axis 3) of plane candidate i times value."""
    c = D.slot[i]
    if c < 0:
        return
    b, n, t = P.body[i], P.normal[i], P.tangent[i]
    impulse, F, frame = scratch(MOST_ROWS), scratch(MOST_ROWS), scratch((3, 3))
    a, y, f, x = scratch(3), scratch(3), scratch(3), scratch(3)
    R, w, S = W.Rn[b], W.v[b, 3:6], W.turn[b]
    impulse_of(W.claw[c], W.con[c], impulse)
    physical_impulse(W, c, impulse, F)
    for r in range(3):
        frame[0, r] = R[0, r] * n[0] + R[1, r] * n[1] + R[2, r] * n[2]
        frame[1, r] = R[0, r] * t[0, 0] + R[1, r] * t[0, 1] + R[2, r] * t[0, 2]
        frame[2, r] = R[0, r] * t[1, 0] + R[1, r] * t[1, 1] + R[2, r] * t[1, 2]
        f[r] = frame[0, r] * F[0] + frame[1, r] * F[1] + frame[2, r] * F[2]
        a[r] = -value * frame[0, r] if axis == 3 else (value if axis == r else 0.0)
    if axis == 3:  # a radius: ω × δa
        u0, u1, u2 = w[1] * a[2] - w[2] * a[1], w[2] * a[0] - w[0] * a[2], w[0] * a[1] - w[1] * a[0]
    else:  # (R₊ c - R c)/h in the body's axes at the end
        u0, u1, u2 = _moved_in_body(R, W.R[b], axis, value / h)
    y[0] = frame[0, 0] * a[0] + frame[0, 1] * a[1] + frame[0, 2] * a[2]
    y[1] = W.cratio[c, 0] * (frame[1, 0] * u0 + frame[1, 1] * u1 + frame[1, 2] * u2)
    y[2] = W.cratio[c, 1] * (frame[2, 0] * u0 + frame[2, 1] * u1 + frame[2, 2] * u2)
    if W.contact_allowance[c] > 0.0:
        R0 = W.R[b]
        y[0] -= -value if axis == 3 else value * (R0[0, axis] * n[0] + R0[1, axis] * n[1] + R0[2, axis] * n[2])
    pull_three(D.motion[c, 0:3], y, out)
    t0, t1, t2 = a[1] * f[2] - a[2] * f[1], a[2] * f[0] - a[0] * f[2], a[0] * f[1] - a[1] * f[0]
    for r in range(3):
        x[r] = S[r, 0] * t0 + S[r, 1] * t1 + S[r, 2] * t2
    pull_three(D.y[L.place_body[b], 3:6], x, out)


@kernel
def _moved_in_body(R, R0, axis, amount):
    """amount (1 - R₊ᵀ R) e: how far the step's rotation moves a point on axis e of a body, in its axes R₊ at the end."""
    e, back = (1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2)), (R0[0, axis], R0[1, axis], R0[2, axis])
    return times(amount, minus(e, turned_back(matrix(R), back)))


@kernel
def pair_column(L, P, Q, W, D, c, radius, part, value, h, out):
    """out (nv,) += column of the radius (part 0, 1) or a centre (part 3 side + axis) of pair contact c times value."""
    impulse, y = scratch(MOST_ROWS), scratch(MOST_ROWS)
    impulse_of(W.claw[c], W.con[c], impulse)
    displace_pair(L, P, Q, W, c, h)
    side, longer, axis = (part, value, -1) if radius else (part // 3, 0.0, part % 3)
    # change of normal and point by the feature's displacement w, or by a longer radius
    at, w, n = 6 * side, _displaced(W.Rn, W.cbody[c, side], axis, value), _three(W.motion.normal)
    dn, half = _moved(W.motion.dn, at, w), 0.5 if side == 1 else -0.5
    point = plus(_moved(W.motion.dc, at, w), times(longer * half, n))
    dT1, dT2 = tangents_change(W.cframe[c, 0], W.cframe[c, 1:3], n, dn)
    y[0] = _product(W.motion.dgap, at, w) - longer
    _slip_rows(P, W, c, side, longer, point, n, dn, dT1, dT2, h, y)
    _push_bodies(L, W, D, c, impulse, point, dn, dT1, dT2, out)
    if W.contact_allowance[c] > 0.0 or feels_frame(W, c) or W.cslope[c] != 0.0 or W.cbeyond[c] > 0.0:
        feature_place(L, P, Q, W, W.active[c] - P.body.shape[0], START)
        _start_column(L, W, D, c, side, longer, _displaced(W.R, W.cbody[c, side], axis, value), impulse, y, out)
    for k in range(ROWS[W.claw[c]]):
        pull_one(D.motion[c, k], y[k], out)


@kernel
def _displaced(R, b, axis, value):
    """(3,) displacement in the world of a point that moves by value along an axis of body b, R (nb, 3, 3); axis -1: none."""
    if axis < 0:
        return ZERO
    return (value * R[b, 0, axis], value * R[b, 1, axis], value * R[b, 2, axis])


@kernel
def _three(a):
    """An array (3,) as three numbers."""
    return (a[0], a[1], a[2])


@kernel
def _product(by, at, w):
    """Change of a number by the displacement w (3,) of a feature; by (12,): its derivatives, those by this feature from `at` on."""
    return by[at] * w[0] + by[at + 1] * w[1] + by[at + 2] * w[2]


@kernel
def _moved(by, at, w):
    """Likewise of a vector; by (3, 12)."""
    return (_product(by[0], at, w), _product(by[1], at, w), _product(by[2], at, w))


@kernel
def _slip_rows(P, W, c, side, longer, point, n, dn, dT1, dT2, h, y):
    """y (rows,), from row 1 on: change of slip, spinning and rolling of pair contact c.

    point, dn, dT1, dT2 (3,): changes of point, normal and tangents; n (3,): the normal; longer: the radius of one side [m].
    """
    # the slip of both sides: c moves, and ρ rotates with the normal; a radius lengthens ρ = ∓ r n of its own side only
    feature, T, slip = W.active[c] - P.body.shape[0], W.motion.tangents, _three(W.motion.slip)
    change = minus(
        _slip_change(W, c, feature, 0, h, dn, point, n, longer if side == 0 else 0.0),
        _slip_change(W, c, feature, 1, h, dn, point, n, longer if side == 1 else 0.0),
    )
    for t in range(2):
        y[1 + t] = W.cratio[c, t] * (dot(row(T, t), change) + dot(dT1 if t == 0 else dT2, slip))
    rate = _relative_rate(W, c)
    for k in range(3, ROWS[W.claw[c]]):
        y[k] = W.cratio[c, k - 1] * dot(dn if k == 3 else dT1 if k == 4 else dT2, rate)


@kernel
def _push_bodies(L, W, D, c, impulse, point, dn, dT1, dT2, out):
    """out (nv,) += column of the wrenches of pair contact c as its point, normal and tangents change, its impulse (rows,) held."""
    pushed, x, weight = scratch(MOST_ROWS), scratch(6), W.cweight[c]
    physical_impulse(W, c, impulse, pushed)
    F, torque = _three(W.motion.force), ZERO
    dF = times(weight, plus(plus(times(pushed[0], dn), times(pushed[1], dT1)), times(pushed[2], dT2)))
    for k in range(3, ROWS[W.claw[c]]):
        torque = along(torque, weight * pushed[k], dn if k == 3 else dT1 if k == 4 else dT2)
    for m in range(2):
        body, sign = W.cbody[c, m], 1.0 if m == 0 else -1.0
        if body < 0:
            continue
        R, linear = matrix(W.R[body]), times(sign, dF)
        by_force = turned_back(R, times(sign, _moment_change(point, F, row(W.motion.arms, m), dF)))
        angular = plus(by_force, times(sign, turned_back(R, torque)))
        for i in range(3):
            x[i], x[3 + i] = linear[i], angular[i]
        pull(D.y[L.place_body[body]], x, out)


@kernel
def _moment_change(darm, F, arm, dF):
    """δarm × F + arm × δF."""
    return (
        darm[1] * F[2] - darm[2] * F[1] + arm[1] * dF[2] - arm[2] * dF[1],
        darm[2] * F[0] - darm[0] * F[2] + arm[2] * dF[0] - arm[0] * dF[2],
        darm[0] * F[1] - darm[1] * F[0] + arm[0] * dF[1] - arm[1] * dF[0],
    )


@kernel
def _start_column(L, W, D, c, side, longer, w, impulse, y, out):
    """Effects of the gap and frame of pair contact c at the start of the step: on its gap in y[0], on its impulse in out (nv,).

    w (3,): displacement of the feature of one side there; longer: change of its radius [m]; impulse (rows,).
    """
    start, x, twist, at = W.feature, scratch(3), scratch(12), 6 * side
    for i in range(3):
        y[0] += W.cbeyond_by[c, at + i] * w[i]
    before = _product(start.dgap, at, w) - longer
    if W.contact_allowance[c] > 0.0:
        y[0] -= before
    if W.cslope[c] != 0.0:
        _faded(L, W, D, c, impulse, W.cslope[c] * before, out)
    if feels_frame(W, c):
        x[0], x[1], x[2] = _moved(start.dn, at, w)
        twist_rows(W, c, impulse, twist)
        angle = frame_angle(W.cframe[c], W.motion.normal, W.motion.tangents[0], x)
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
def _slip_change(W, c, f, side, h, dn, point, n, longer):
    """Change of u (feature_rows.py) of one side of pair contact c, feature f: point and normal move, its radius grows."""
    b, sign = W.cbody[c, side], 1.0 if side == 0 else -1.0
    if b < 0:
        return (0.0, 0.0, 0.0)
    whole, r, back = rolls(W, f, side), sign * W.fradius[f, side], turned_to_start(W.R[b], W.Rn[b])
    rate = turned(matrix(W.Rn[b]), (W.v[b, 3], W.v[b, 4], W.v[b, 5]))
    change = slip_change(whole, r, back, rate, h, dn, point)
    if whole:
        return change
    outward = times(-sign * longer, n)  # δρ;  the whole arm is unchanged, so that δm = -δρ
    opposite = times(-1.0 / h, minus(outward, turned(back, outward)))
    return plus(change, plus(opposite, cross(rate, outward)))


@kernel
def _relative_rate(W, c):
    """ω_A - ω_B of pair contact c, world axes."""
    a, b = body_row(W.Rn, W.cbody[c, 0]), body_row(W.Rn, W.cbody[c, 1])
    Ra, Rb, p, q = W.Rn[a], W.Rn[b], W.v[a], W.v[b]
    return (
        Ra[0, 0] * p[3] + Ra[0, 1] * p[4] + Ra[0, 2] * p[5] - Rb[0, 0] * q[3] - Rb[0, 1] * q[4] - Rb[0, 2] * q[5],
        Ra[1, 0] * p[3] + Ra[1, 1] * p[4] + Ra[1, 2] * p[5] - Rb[1, 0] * q[3] - Rb[1, 1] * q[4] - Rb[1, 2] * q[5],
        Ra[2, 0] * p[3] + Ra[2, 1] * p[4] + Ra[2, 2] * p[5] - Rb[2, 0] * q[3] - Rb[2, 1] * q[4] - Rb[2, 2] * q[5],
    )
