"""Rows of one contact between two bodies: gap, relative tangential velocity, their Jacobians and the impulse maps.

    gap, n, c      from the feature at the next poses (feature_geometry.py); n points from body B to body A
    e              the normal where the step starts; n where shapes meet in the step (start_normals.py)
    T              the tangents of the start of the step, rotated to e by the smallest rotation
    v_t = T (u_A - u_B),   u = v + (m - Q m)/h + ω × (ρ + ρ')/2     world axes, next poses; m + ρ = c - x₊, Q = R R₊ᵀ of each body
    spinning e · (ω_A - ω_B), rolling T (ω_A - ω_B); their impulses are torques on A, and opposite ones on B
    impulse: F = w (γ e + Tᵀ ξ) on A and -F on B, at one common point c*, seen from the poses at the start of the step, so that both
             momenta are conserved exactly,

             c* = p, or where the bodies touch as the step starts (start_points.py)
             p = β p_A + (1 - β) p_B,   p_A, p_B = x + Q m' + ρ',   m' = c ± ½ gap n - x₊ ± r n

This is where the body's own point of contact, half the gap from c and fixed in the body but for what rolls, is at the start: ρ' is
the body's own rounding, ∓r e; of rims and curved shapes that of rolling_arms.py, from z below to c, and m' = z - x₊. An arm of
what is fixed at the end of the step would add energy of first order in h to bodies that rotate about what they touch
(docs/contact.md). The two p differ by how far the bodies slide on each other in the step. β is 1 or 0 where a point, an edge, a
rim or an ellipsoid of one body meets a face of the other: there the contact itself is at the start; if one side alone is a ball
or rolls: its point at the start is known; and if one alone is round: what rolls on it is not braked by the load. Else, as for
edges, the difference, whose torque does not exist, is divided in proportion to the bodies' rotational inertia,
1 - β = I_A / (I_A + I_B), I the least moment of inertia, that of a roller about its axis; the world takes it all.

ρ, the same for both bodies, is the sum of their roundings: -r n for points, edges and axes of A that are rounded by r, r n for
those of B, and c - z for rims and curved shapes, z the centre of the shape (`rolls`); ρ' is the same with e for n, and that of
rolling_arms.py: where the step starts, so that ω × ρ is taken at the middle of the step. The rest of the arm, m, is fixed in the
body: how far it has moved in the step counts as slip, see plane_contacts.py; ρ rolls by the difference of both spins. So bodies
that move as one, a ball in a hand that swings, have no slip at all. (With each rounding rolling by the spin of its own body they
slipped by h ω² r/2: a foot that was wedged against its own trunk crept under any friction, and its loads grew without end.) Q
rotates vectors fixed in a body from the end of the step back to its start.

w: 1, but for far pairs on the central path (far_pairs.py).

Derivatives are by the motions of both bodies: (v, ω) of each as Newton's method has them, or the displacement (δx₊, δθ₊) of its
next pose at fixed v and body-frame ω, from which derivatives by the state start (gradients/contact_change.py). The matrix `moves`
of a body, (δx₊, δθ₊) by its motion, says which of these it is, with `direct`: 1 where v and ω themselves change, else 0. All that
depends on the shapes is in the rows of δn, δc and δgap, eight numbers for each body; the rest are combinations of these (octet.py):

    T_t = T⁰_t - f_t N,   N = e + n₀,   f_t = (e·T⁰_t)/b,   b = 1 + e·n₀
    δT_t = -N (p_t · δe) - f_t δe,   p_t = (T⁰_t - f_t n₀)/b,   δe = M δn
    T_t·δ(u_A - u_B) = K_A·(δc - δx₊_A) - K_B·(δc - δx₊_B) + G·δρ + …,   K = (T_t - Qᵀ T_t)/h,   G = K_B - K_A + T_t × (ω_A - ω_B)
    δF = w (z δe - N (y · δe)),   z = γ - ξ·f,   y = Σ ξ_t p_t
    δtorque = ± R₀ᵀ (δc* × F + (c* - x) × δF),   δc* = N δp,   δp_A = Q (δm' - δθ₊ × m') + δρ'
    δρ' = M δ(c - x₊ - z) of rims and curved shapes
"""

from dojo_py.algebra.vectors import (
    ZERO,
    along,
    cross,
    dot,
    matrix,
    minus,
    plus,
    put,
    put_matrix,
    put_vector,
    row,
    three,
    times,
    turned,
    turned_back,
)
from dojo_py.arrays import body_row
from dojo_py.hard.elements.feature_geometry import feature_geometry
from dojo_py.hard.elements.feature_place import ALONG, FORCE, GAP, NORMAL, PLACE, POINT, TORQUE
from dojo_py.hard.elements.rolling_arms import IDENTITY, halfway, rolling_arm
from dojo_py.hard.elements.rolling_sides import place_share, rolls, rounding_of, runs_on_both, square_of_size
from dojo_py.hard.elements.start_normals import SHARE, SQUARE, start_normal
from dojo_py.hard.elements.start_points import start_point
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import ROWS
from dojo_py.solver.octet import WIDTH, combine, load, store, zeros
from dojo_py.solver.octet import minus as less
from dojo_py.solver.octet import plus as add
from dojo_py.solver.octet import times as scaled


@kernel
def turned_to_start(R0, R):
    """R₀ Rᵀ, nine numbers: vectors that are fixed in a body, from axes R where a step ends to R₀ where it starts."""
    a, b, c = row(R, 0), row(R, 1), row(R, 2)
    x, y, z = row(R0, 0), row(R0, 1), row(R0, 2)
    return dot(x, a), dot(x, b), dot(x, c), dot(y, a), dot(y, b), dot(y, c), dot(z, a), dot(z, b), dot(z, c)


@kernel
def lever_change(back, radius, longer, dp, n, dn, e, de):
    """Change of p by that of the feature, its bodies held, where ρ' is radius e. back: Q.

    longer: change of the radius, signed as it is; dp, dn, de (3,): changes of c ± ½ gap n, of the normal n and of e.
    """
    held = minus(dp, along(times(radius, dn), longer, n))
    return along(along(turned(back, held), radius, de), longer, e)


@kernel
def slip_change(back_a, back_b, spin, h, dm, drolling):
    """Change of u_A - u_B by that of m and of what ω is multiplied by, at fixed motions of the bodies. back: Q; spin: ω_A - ω_B."""
    return plus(times(1.0 / h, minus(turned(back_b, dm), turned(back_a, dm))), cross(spin, drolling))


@kernel
def tangents_at_end(n0, T0, e):
    """(T₁, T₂, f, p₁, p₂): the tangents T0 (2, 3) rotated by the smallest rotation from n0 (3,) to e, see above; f: (f₁, f₂)."""
    start, t1, t2 = three(n0), row(T0, 0), row(T0, 1)
    b = max(1.0 + dot(e, start), 1e-6)  # a normal that flips within a step: any continuation is as good
    f1, f2, N = dot(e, t1) / b, dot(e, t2) / b, plus(e, start)
    p1, p2 = times(1.0 / b, along(t1, -f1, start)), times(1.0 / b, along(t2, -f2, start))
    return along(t1, -f1, N), along(t2, -f2, N), (f1, f2), p1, p2


@kernel
def tangents_change(n0, T0, e, de):
    """(δT₁, δT₂) of `tangents_at_end` when e changes by de."""
    _, _, fold, p1, p2 = tangents_at_end(n0, T0, e)
    N = plus(e, three(n0))
    return along(times(-dot(p1, de), N), -fold[0], de), along(times(-dot(p2, de), N), -fold[1], de)


@kernel
def pair_motion(Q, W, i, f, by_a, by_b, direct, h, impulse, value, C, B, H):
    """Active contact i, feature f, at the next poses, of ROWS[its law] rows. h [s].

    impulse (nr,): γ and those along the other rows [N s, N m s]; by (6, 8): `moves` of both bodies; direct: see above.
    Out: value = (gap, v_t, …) and, by the motions of A and B, C (2, nr, 8) its derivative; B (2, nr, 8); H (2, 6, 16) derivative of
    the impulses on A and B at fixed (γ, ξ). Entries of the world, if it is one of the two, are not written. W.motion gets the
    intermediate results.
    """
    m, D, count, weight = W.motion, W.by_moves, ROWS[W.claw[i]], W.cweight[i]
    a, b, n0, T0 = W.fbody[f, 0], W.fbody[f, 1], W.cframe[i, 0], W.cframe[i, 1:3]
    on_a, on_b, a, b = a >= 0, b >= 0, body_row(W.xn, a), body_row(W.xn, b)
    xa, xb, Ra, Rb, v_a, v_b, R0a, R0b = W.xn[a], W.xn[b], W.Rn[a], W.Rn[b], W.v[a], W.v[b], W.R[a], W.R[b]
    value[0] = feature_geometry(Q, W, f, xa, Ra, xb, Rb, m.normal, m.point, m.dgap, m.dn, m.dc)
    if on_a:
        _by_motion(m, by_a, 0, D)
        store(load(D, GAP, 0), C[0], 0, 0)
    if on_b:
        _by_motion(m, by_b, 1, D)
        store(load(D, GAP, WIDTH), C[1], 0, 0)
    n, c = three(m.normal), three(m.point)
    e, by_end, by_start, by_touch = start_normal(three(n0), n, W.ctouch[i, SHARE])
    put_vector(m.along, e)
    put_matrix(m.by_normal[0], by_end)
    put_matrix(m.by_normal[1], by_start)
    put_vector(m.by_touch, by_touch)
    T1, T2, fold, p1, p2 = tangents_at_end(n0, T0, e)
    N = plus(e, three(n0))
    put(m.tangents, 0, T1)
    put(m.tangents, 1, T2)
    # relative velocity u at c
    spin_a, spin_b = turned(matrix(Ra), (v_a[3], v_a[4], v_a[5])), turned(matrix(Rb), (v_b[3], v_b[4], v_b[5]))
    arm_a, arm_b = minus(c, (xa[0], xa[1], xa[2])), minus(c, (xb[0], xb[1], xb[2]))
    whole_a, whole_b, rounding = rolls(Q, W, f, 0), rolls(Q, W, f, 1), rounding_of(Q, W, f, 0) - rounding_of(Q, W, f, 1)
    centre_a = turned(matrix(Ra), row(Q.shape_centre, W.fshape[f, 0])) if whole_a else ZERO
    centre_b = turned(matrix(Rb), row(Q.shape_centre, W.fshape[f, 1])) if whole_b else ZERO
    rolling, pushed_a, pushed_b, M_a, M_b = times(-rounding, n), ZERO, ZERO, IDENTITY, IDENTITY
    middle = times(-0.5 * rounding, plus(n, e))
    if whole_a:
        whole = minus(arm_a, centre_a)
        pushed_a, M_a = rolling_arm(row(W.crolling[i], 0), whole, square_of_size(Q, W, f, 0))
        rolling, middle = plus(rolling, whole), plus(middle, times(0.5, plus(whole, pushed_a)))
    if whole_b:
        whole = minus(arm_b, centre_b)
        pushed_b, M_b = rolling_arm(row(W.crolling[i], 1), whole, square_of_size(Q, W, f, 1))
        rolling, middle = plus(rolling, whole), plus(middle, times(0.5, plus(whole, pushed_b)))
    put_matrix(m.mixed[0], M_a)
    put_matrix(m.mixed[1], M_b)
    behind_a, behind_b, spin = minus(arm_a, rolling), minus(arm_b, rolling), minus(spin_a, spin_b)
    back_a, back_b = turned_to_start(R0a, Ra), turned_to_start(R0b, Rb)
    u = minus(
        _slip((v_a[0], v_a[1], v_a[2]), spin_a, behind_a, middle, back_a, h, m.behind[0]),
        _slip((v_b[0], v_b[1], v_b[2]), spin_b, behind_b, middle, back_b, h, m.behind[1]),
    )
    m.slip[0], m.slip[1], m.slip[2] = u
    for t in range(2):
        T, p, f_t = (T1, p1, fold[0]) if t == 0 else (T2, p2, fold[1])
        value[1 + t] = dot(T, u)
        k_a, turn_a = _slip_rows(T, spin_a, behind_a, middle, back_a, h)
        k_b, turn_b = _slip_rows(T, spin_b, behind_b, middle, back_b, h)
        by_moved, by_spin = minus(k_b, k_a), cross(T, spin)
        if whole_a:
            by_whole = plus(by_moved, turned(halfway(M_a), by_spin))
            k_a, turn_a = plus(k_a, by_whole), minus(turn_a, cross(centre_a, by_whole))
        if whole_b:
            by_whole = plus(by_moved, turned(halfway(M_b), by_spin))
            k_b, turn_b = minus(k_b, by_whole), plus(turn_b, cross(centre_b, by_whole))
        by_e = along(along(times(-dot(N, u), p), -f_t, u), -0.5 * rounding, by_spin)  # (by the change of T, then by that of ρ')
        by_n = along(turned_back(by_end, by_e), -rounding, along(by_moved, 0.5, by_spin))  # (and by that of ρ)
        if on_a:
            _put_row(D, 0, by_n, minus(k_a, k_b), by_a, times(-1.0, k_a), turn_a, C[0], 1 + t)
            _add_direct(C[0], 1 + t, times(direct, T), times(direct, cross(middle, T)), Ra)
        if on_b:
            _put_row(D, WIDTH, by_n, minus(k_a, k_b), by_b, k_b, times(-1.0, turn_b), C[1], 1 + t)
            _add_direct(C[1], 1 + t, times(-direct, T), times(-direct, cross(middle, T)), Rb)
    if count > 3:
        _spin_rows(count, m, T1, T2, fold, p1, p2, N, spin_a, spin_b, Ra, Rb, on_a, on_b, by_a, by_b, direct, D, value, C)
    # the application point c*, seen from the two bodies at the start of the step
    share, round_a, round_b, half = place_share(Q, W, f), -rounding_of(Q, W, f, 0), rounding_of(Q, W, f, 1), 0.5 * value[0]
    m.half_gap[0] = half
    arm_a, arm_b = along(arm_a, half, n), along(arm_b, -half, n)
    fixed_a, fixed_b = centre_a if whole_a else along(arm_a, -round_a, n), centre_b if whole_b else along(arm_b, -round_b, n)
    carried_a, carried_b = turned(back_a, fixed_a), turned(back_b, fixed_b)
    put(m.carried, 0, carried_a)
    put(m.carried, 1, carried_b)
    at_a = plus(carried_a, pushed_a if whole_a else times(round_a, e))
    at_b = plus(carried_b, pushed_b if whole_b else times(round_b, e))
    apart = plus(minus(row(W.x, b), row(W.x, a)), minus(at_b, at_a))  # p_B - p_A
    p = plus(row(W.x, a), along(at_a, 1.0 - share, apart))
    place, N_place, by_touch, by_length = p, IDENTITY, ZERO, ZERO
    if runs_on_both(Q, W, f):
        place, N_place, by_touch, by_length = start_point(p, row(W.cpoint, i), W.ctouch[i, SHARE], W.ctouch[i, SQUARE])
    put_matrix(m.placed, N_place)
    put(m.place_by, 0, by_touch)
    put(m.place_by, 1, by_length)
    arm_a, arm_b = minus(place, row(W.x, a)), minus(place, row(W.x, b))
    put(m.arms, 0, arm_a)
    put(m.arms, 1, arm_b)
    for r in range(count):
        d = e if r == 0 or r == 3 else T1 if r == 1 or r == 4 else T2
        _put_impulse(r, d, arm_a, R0a, weight, B[0])
        _put_impulse(r, d, arm_b, R0b, -weight, B[1])
    f1, f2 = fold
    F = _turning_sum(weight * impulse[0], weight * impulse[1], weight * impulse[2], e, T1, T2)
    m.force[0], m.force[1], m.force[2] = F
    for side in range(2):
        if not (on_a if side == 0 else on_b):
            continue
        at, by, of_a = WIDTH * side, by_a if side == 0 else by_b, side == 0
        for i in range(3):
            store(zeros(), D, PLACE + i, at)
        _mix_rows(D, NORMAL, at, by_end, ALONG)  # δe = M δn
        if share > 0.0:
            _place_rows(D, at, share, back_a, whole_a, M_a, round_a, fixed_a, of_a, by, n, half)
        if share < 1.0:
            _place_rows(D, at, 1.0 - share, back_b, whole_b, M_b, round_b, fixed_b, not of_a, by, times(-1.0, n), -half)
        _mix_rows(D, PLACE, at, N_place, PLACE)
        _turning_rows(D, at, weight * impulse[0], weight * impulse[1], weight * impulse[2], f1, f2, p1, p2, N, FORCE)
        if count > 3:
            second, third = (impulse[4], impulse[5]) if count > 4 else (0.0, 0.0)
            _turning_rows(D, at, weight * impulse[3], weight * second, weight * third, f1, f2, p1, p2, N, TORQUE)
        if on_a:
            _wrench_rows(count > 3, D, at, F, arm_a, R0a, 1.0, H[0])
        if on_b:
            _wrench_rows(count > 3, D, at, F, arm_b, R0b, -1.0, H[1])


@kernel
def _by_motion(m, by, side, D):
    """Rows of D by the motion of the body of one side, from the derivatives of the feature by its translation and rotation."""
    first, last = 6 * side, 6 * side + 6
    for i in range(3):
        store(combine(by, m.dn[i, first:last]), D, NORMAL + i, WIDTH * side)
        store(combine(by, m.dc[i, first:last]), D, POINT + i, WIDTH * side)
    store(combine(by, m.dgap[first:last]), D, GAP, WIDTH * side)


@kernel
def _mix_rows(D, first, at, M, to):
    """Three rows of D by the motion of one body, from row `to` on: M, nine numbers, times those from `first` on."""
    x, y, z = load(D, first, at), load(D, first + 1, at), load(D, first + 2, at)
    for i in range(3):
        store(add(add(scaled(x, M[3 * i]), M[3 * i + 1], y), M[3 * i + 2], z), D, to + i, at)


@kernel
def _slip(v, spin, behind, rolling, back, h, out):
    """v + (m - Q m)/h + ω × ρ; Q m into out."""
    before = turned(back, behind)
    out[0], out[1], out[2] = before[0], before[1], before[2]
    return plus(along(v, 1.0 / h, minus(behind, before)), cross(spin, rolling))


@kernel
def _slip_rows(T, spin, behind, rolling, back, h):
    """(K, by δθ₊) of T · `_slip`; K, by the change of m: (T - Qᵀ T)/h."""
    before = turned_back(back, T)
    return times(1.0 / h, minus(T, before)), along(cross(spin, cross(rolling, T)), 1.0 / h, cross(behind, before))


@kernel
def _put_row(D, at, by_n, by_c, by, shift, turn, C, r):
    """Row r of C by the motion of one body: by_n · δn + by_c · δc + shift · δx₊ + turn · δθ₊."""
    x = add(add(scaled(load(D, 0, at), by_n[0]), by_n[1], load(D, 1, at)), by_n[2], load(D, 2, at))
    y = add(add(scaled(load(D, 3, at), by_c[0]), by_c[1], load(D, 4, at)), by_c[2], load(D, 5, at))
    x = add(add(add(x, shift[0], load(by, 0, 0)), shift[1], load(by, 1, 0)), shift[2], load(by, 2, 0))
    y = add(add(add(y, turn[0], load(by, 3, 0)), turn[1], load(by, 4, 0)), turn[2], load(by, 5, 0))
    store(add(x, 1.0, y), C, r, 0)


@kernel
def _add_direct(C, r, by_v, by_spin, R):
    """Row r of C += by_v · δv + by_spin · R δω."""
    by_w = turned_back(matrix(R), by_spin)
    for i in range(3):
        C[r, i] += by_v[i]
        C[r, 3 + i] += by_w[i]


@kernel
def _spin_rows(count, m, T1, T2, fold, p1, p2, N, spin_a, spin_b, Ra, Rb, on_a, on_b, by_a, by_b, direct, D, value, C):
    """Rows of spinning and rolling, d · (ω_A - ω_B); ω rotates with its body, δω₊ = δθ₊ × ω."""
    rate = minus(spin_a, spin_b)
    for r in range(3, count):
        d, by_e = three(m.along), rate
        if r == 4:
            d, by_e = T1, along(times(-dot(N, rate), p1), -fold[0], rate)
        elif r == 5:
            d, by_e = T2, along(times(-dot(N, rate), p2), -fold[1], rate)
        by_n = turned_back(matrix(m.by_normal[0]), by_e)
        value[r] = dot(d, rate)
        if on_a:
            _put_row(D, 0, by_n, ZERO, by_a, ZERO, cross(spin_a, d), C[0], r)
            _add_direct(C[0], r, ZERO, times(direct, d), Ra)
        if on_b:
            _put_row(D, WIDTH, by_n, ZERO, by_b, ZERO, cross(d, spin_b), C[1], r)
            _add_direct(C[1], r, ZERO, times(-direct, d), Rb)


@kernel
def _put_impulse(r, d, arm, R0, weight, B):
    """Row r of B: impulse along d, or from the fourth row on a torque about it."""
    linear, torque = times(weight, d), cross(arm, d)
    if r > 2:
        linear, torque = ZERO, d
    torque = turned_back(matrix(R0), torque)
    for i in range(3):
        B[r, i], B[r, 3 + i] = linear[i], weight * torque[i]


@kernel
def _turning_sum(y0, y1, y2, e, T1, T2):
    """y₀ e + y₁ T₁ + y₂ T₂."""
    return along(along(times(y0, e), y1, T1), y2, T2)


@kernel
def _turning_rows(D, at, y0, y1, y2, f1, f2, p1, p2, N, to):
    """Rows of `_turning_sum` into D, from row `to` on: z δe - N (y · δe)."""
    z, y = y0 - y1 * f1 - y2 * f2, along(times(y1, p1), y2, p2)
    d0, d1, d2 = load(D, ALONG, at), load(D, ALONG + 1, at), load(D, ALONG + 2, at)
    q = add(add(scaled(d0, y[0]), y[1], d1), y[2], d2)
    store(less(scaled(d0, z), N[0], q), D, to, at)
    store(less(scaled(d1, z), N[1], q), D, to + 1, at)
    store(less(scaled(d2, z), N[2], q), D, to + 2, at)


@kernel
def _place_rows(D, at, share, back, whole, M, radius, fixed, moves, by, out, half):
    """Rows PLACE of D += share δp of one body, by the motion of one body; moves: whether it is the same. fixed: m'; whole: of a rim
    or a curved shape, with M; else ρ' is radius e. out: ± n and half: ± ½ gap, + for A.
    """
    gap = load(D, GAP, at)
    for i in range(3):
        k, l = (i + 1) % 3, (i + 2) % 3
        r = load(D, POINT + i, at)
        if not whole:
            r = add(add(r, 0.5 * out[i], gap), half, load(D, NORMAL + i, at))
        if moves:
            r = less(less(add(r, fixed[k], load(by, 3 + l, 0)), fixed[l], load(by, 3 + k, 0)), 1.0, load(by, i, 0))
        if whole:
            for j in range(3):
                store(add(load(D, PLACE + j, at), share * M[3 * j + i], r), D, PLACE + j, at)
            continue
        r = less(r, radius, load(D, NORMAL + i, at))
        store(add(load(D, PLACE + i, at), share * radius, load(D, ALONG + i, at)), D, PLACE + i, at)
        for j in range(3):
            store(add(load(D, PLACE + j, at), share * back[3 * j + i], r), D, PLACE + j, at)


@kernel
def _wrench_rows(spins, D, at, F, arm, R0, sign, H):
    """Rows of H of one body, by the motion of one body: ± δF, ± R₀ᵀ (δc* × F + arm × δF).

    spins: with the torques about the normal and the tangents.
    """
    d0, d1, d2 = load(D, FORCE, at), load(D, FORCE + 1, at), load(D, FORCE + 2, at)
    store(scaled(d0, sign), H, 0, at)
    store(scaled(d1, sign), H, 1, at)
    store(scaled(d2, sign), H, 2, at)
    m0, m1, m2 = scaled(d2, arm[1]), scaled(d0, arm[2]), scaled(d1, arm[0])
    m0, m1, m2 = less(m0, arm[2], d1), less(m1, arm[0], d2), less(m2, arm[1], d0)
    c0, c1, c2 = load(D, PLACE, at), load(D, PLACE + 1, at), load(D, PLACE + 2, at)
    m0, m1, m2 = add(m0, F[2], c1), add(m1, F[0], c2), add(m2, F[1], c0)
    m0, m1, m2 = less(m0, F[1], c2), less(m1, F[2], c0), less(m2, F[0], c1)
    if spins:
        m0, m1, m2 = add(m0, 1.0, load(D, TORQUE, at)), add(m1, 1.0, load(D, TORQUE + 1, at)), add(m2, 1.0, load(D, TORQUE + 2, at))
    for i in range(3):
        torque = scaled(m0, sign * R0[0, i])
        torque = add(add(torque, sign * R0[1, i], m1), sign * R0[2, i], m2)
        store(torque, H, 3 + i, at)
