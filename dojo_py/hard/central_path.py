"""Following the central path of an island around its folds: the attempt at a step behind Mehrotra's method.

The points with r(w) = 0, γ s = κ, ξ∘η = κ_f e form a curve over κ. Where friction couples contacts it can turn back: on the way to
the hard limit κ has to grow again for a while. A Newton method that only lets κ fall stops at the fold, although the step has a
solution. So the curve is followed by its arc length (Allgower and Georg, Introduction to Numerical Continuation Methods, 2003,
chapters 2, 3 and 6), κ being one of the unknowns: a step along the curve's parabola, then Newton's method in the plane across it.

    enter       Mehrotra's method at κ = θ of the start; where it fails, from a start of a tenth of it
    tangent     J w' = (∂κ/∂t) e t' - (∂r/∂t) t',  |w'|² + t'² = 1,  t = ln θ   (θ: complementarity of gaps [N m s])
    sense       sign(t') sign(det J) is the same all along a curve (by w' · w'_last alone a long step turns back beside a fold): far
                up, where the path comes from, t falls and det J has the sign of the motion without contacts, `_free_sign`
    bend        half of w'': what Mehrotra's second-order terms add to the tangent's step, across the tangent
    step        w + l w' + l² bend
    correction  J δw = -r + (∂κ/∂t) e δt - (∂r/∂t) δt,  w'·δw + t' δt = 0

|w'| is that of the changes of contact impulses relative to what they are, `_product`. det J has the sign of the condensed matrix,
because the determinants of the pairs that are condensed are positive inside the cones.

On the way to the hard limit shapes whose gaps have kinks there (rims that lie flat, crossed capsules) are smooth, by a κ that lags
behind that of the point (`_lagging`): at a kink the path would end. So their rows have a derivative by t of their own.
"""

import math

from dojo_py.arrays import copy, scratch
from dojo_py.collision.features import CROSSING, RIM_PLANE
from dojo_py.hard.assemble import assemble
from dojo_py.hard.interior_point import iterate
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS
from dojo_py.hard.measure import Goal
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.progress import BEYOND_ROUND_OFF, centring, inside_rotation_domain, largest_step, residual_of
from dojo_py.hard.recover import recover
from dojo_py.hard.residuals import evaluate_motion, evaluate_rows
from dojo_py.hard.start import COLD, guess_impulses, hold_cones, release_cones, start_at, start_motion
from dojo_py.hard.statuses import SINGULAR, SOLVED, STALLED
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import determinant_sign, factorise, solve
from dojo_py.solver.cones.contact import ROWS, bound_place, impulse_of
from dojo_py.solver.cones.standoff import NEAREST

NEAR = 0.03
"""Relative error of products at which a point counts as one of the path. With 0.1 four of 176 piles are lost: Newton's method does
not come back to the path beside a fold."""

FAR_OFF, SLOW = 1e3, 0.5
"""A correction that starts from a larger error, or after three leaves more than this share of the error before, is given up."""

LAG = 100.0
"""How many times as far up the path friction's products start, and the softness of shapes; they catch up on the way. With 1 one of
44 piles is lost at μ 1."""

TURN, BEND = 1.6, 0.5
"""In a step an impulse changes by at most TURN times itself along the tangent, and the bend moves at most BEND of the tangent."""

INSIDE, SHORTENED = 0.95, 10
"""Share of the way to the boundary of the cones that a step may go, and how often it is shortened for it at most."""

SHORTEST, LONGEST = 0.01, 4.0
"""Steps that fail at SHORTEST of what tangent and bend allow have met a kink or the round-off, and the path is given up. LONGEST:
of a step; along a straight path a length is a change of ln θ."""

GROWTH = (2.5, 2.5, 2.0, 1.3, 0.8, 0.8)
"""Length of the next step over this one's, by the number of corrections that this one took: two are aimed at."""

BESIDE = 1e-3
"""Difference of ln θ by which rows of shapes that soften are differentiated."""

RETRY = 0.35
"""Length of a step whose corrections failed, over what it was. It is tried again from the same point."""

ENTRIES, ENTRY_LIMIT = 5, 60
"""Starts tried, each a tenth of the last one's height, and most iterations from one onto the path. (Of 14 steps of a pile of 100
at which Mehrotra's method to the hard limit had failed 20 Newton steps at the start's θ came onto the path of 5, this of all.)"""


@kernel
def _targets(t, first, last, weight, least, out):
    """out (4,): κ of gaps [N m s] and of friction [N m], and their derivatives by t = ln θ on the way from first to last."""
    out[0], out[2] = math.exp(t) + least, math.exp(t)
    out[1] = _lagging(t, first, last) / weight
    out[3] = (1.0 + _lag(first, last)) * out[1]


@kernel
def _lag(first, last):
    """d ln(what lags)/dt, beyond 1."""
    return math.log(LAG) / max(first - last, 1.0)


@kernel
def _lagging(t, first, last):
    """What friction's products and the softness of shapes follow in place of θ [N m s].

    It lags by a factor that falls from LAG to 1, and rises beyond the start:  ln θ_f = t + ln LAG (t - last)/(first - last)
    """
    return math.exp(t + _lag(first, last) * (t - last))


@kernel
def _product(W, one, two):
    """(inner product of two changes, largest entry of the first): of the impulses of cones, relative to what they are now."""
    total, most, count, first, second = 0.0, 0.0, 0, W.path_impulses[0], W.path_impulses[1]
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        total += one.lim[m, 0] * two.lim[m, 0] / (W.lim[m, 0] * W.lim[m, 0])
        most = max(most, abs(one.lim[m, 0]) / W.lim[m, 0])
        count += 1
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        if W.bound[d] > 0.0:
            total += one.fric[d, 0] * two.fric[d, 0] / (W.bound[d] * W.bound[d])
            most = max(most, abs(one.fric[d, 0]) / W.bound[d])
            count += 1
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        impulse_of(W.claw[c], one.con[c], first)
        impulse_of(W.claw[c], two.con[c], second)
        normal, bound = W.con[c, 0], W.cmu[c] * W.con[c, 0]
        if W.cheld[c]:
            bound += W.con[c, bound_place(W.claw[c])]
        total += first[0] * second[0] / (normal * normal)
        most = max(most, abs(first[0]) / normal)
        if bound > 0.0:
            for r in range(1, ROWS[W.claw[c]]):
                total += first[r] * second[r] / (bound * bound)
                most = max(most, abs(first[r]) / bound)
        count += 1
    return total / max(count, 1), most


@kernel
def _errors(L, W, h, targets, tol_residual):
    """Largest error of the products relative to the targets; and that, or what the residual makes of them if it is larger.

    A residual [m/s] within its tolerance counts as near. Infinite where something is not finite.
    """
    sums = scratch(6)
    centring(W, targets[0], targets[1], 0.0, sums)
    products = max(sums[0] / targets[0], sums[3] / targets[1])
    rows = residual_of(L, W, h, BEYOND_ROUND_OFF) / max(tol_residual / NEAR, targets[0] / (h * _largest_impulse(W)))
    if math.isfinite(products) and math.isfinite(rows):
        return products, max(products, rows)
    return math.inf, math.inf


@kernel
def _largest_impulse(W):
    """The largest normal impulse of contacts and limits [N s]."""
    push = 1e-300
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        push = max(push, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        push = max(push, W.lim[W.members[LIMITS, k], 0])
    return push


@kernel
def _newton(L, P, Q, W, h, t, first, last, push, targets, tol_residual):
    """Newton's step to the targets in W.newton, and in W.change that to the targets plus their derivatives. False if singular.

    t: ln θ of the point; first, last, push: see `_soften`. Rows of shapes that soften have a derivative by t, too.
    """
    softens = W.kappa[0] == 0.0 and _any_that_softens(P, W)
    for aim in range(2):
        kn, kf = targets[0] + aim * targets[2], targets[1] + aim * targets[3]
        if aim > 0 and softens:
            _add_softening(L, P, Q, W, h, t, first, last, push)
        assemble(L, W, h, kn, kf, 0.0, aim > 0)
        if aim == 0 and factorise(W.pattern, W.blocks) >= 0:
            return False
        solve(W.pattern, W.blocks, W.step)
        recover(L, W, h, kn, kf, aim > 0, 0.1 * tol_residual)
        if aim == 0:
            copy_point(W, W.change, W.newton)
    if softens:
        _copy_rows(W, W.path_rb, W.path_cdy, W.rb, W.cdy)
    return True


@kernel
def _any_that_softens(P, W):
    """Whether a contact of the islands in W.span is a feature that is as soft as the point of the path."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if c >= W.n_active[1]:
            kind = W.fkind[W.active[c] - P.body.shape[0]]
            if kind == RIM_PLANE or kind == CROSSING:
                return True
    return False


@kernel
def _add_softening(L, P, Q, W, h, t, first, last, push):
    """Add to the rows of momentum and of contacts what they change with t. What these are goes into W.path_rb, W.path_cdy."""
    _soften(W, t + BESIDE, first, last, push)
    evaluate_rows(L, P, Q, W, h, W.options.springs)
    _copy_rows(W, W.rb, W.cval, W.path_rb, W.path_cdy)
    _soften(W, t, first, last, push)
    evaluate_rows(L, P, Q, W, h, W.options.springs)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        _add_rate(W.rb[b], W.path_rb[b], W.rb[b])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        _add_rate(W.cval[c], W.path_cdy[c], W.cdy[c])


@kernel
def _add_rate(here, beside, rows):
    """rows (n,) += the derivative by t of numbers that are `here` at t, `beside` at t + BESIDE, where the old rows go."""
    for i in range(here.shape[0]):
        rate = (beside[i] - here[i]) / BESIDE
        beside[i] = rows[i]
        rows[i] += rate


@kernel
def _copy_rows(W, rb, cdy, to_rb, to_cdy):
    """Copy the rows of momentum and of contacts of the islands in W.span."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(rb[b], to_rb[b])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        copy(cdy[c], to_cdy[c])


@kernel
def follow(L, P, Q, A, W, h, weight, end, tol_residual, most):
    """From contacts near a path to where its θ is `end` [N m s]. Returns (status, factorisations); SOLVED: there.

    The motion has been evaluated. weight: of friction's products beside those of gaps at the end, as in `iterate`.
    tol_residual [m/s]. most: factorisations.

    In the hard limit gaps do not go to zero on the path but to the nearest that has arrived (standoff.py): counted from there.
    With the band of gaps that have arrived products would jump, one contact after the other, and there would be no path to follow.
    """
    _count_from_standoff(W)
    start, sense = W.path_targets[4:6], -_free_sign(L, W, h)
    status, count = _enter(L, P, Q, A, W, h, weight, end, tol_residual, most - 1, start)
    count += 1
    if status == SOLVED:
        status, more = _along(L, P, Q, A, W, h, weight, end, tol_residual, most - count, start, sense)
        count += more
    W.softness[0], W.softness[1] = W.kappa[0], 0.0
    _count_from_touch(W)
    return status, count


@kernel
def _count_from_standoff(W):
    """Gaps are counted from the nearest that has arrived, and end where that is zero."""
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        l = W.limit_active[W.members[LIMITS, k]]
        W.limit_standoff_kept[l], W.limit_standoff[l] = W.limit_standoff[l], 0.0
        W.limit_allowance[l] -= NEAREST * W.limit_standoff_kept[l]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.standoff_kept[c], W.standoff[c] = W.standoff[c], 0.0
        W.contact_allowance[c] -= NEAREST * W.standoff_kept[c]


@kernel
def _count_from_touch(W):
    """What `_count_from_standoff` has done is undone, at the present point too."""
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        l = W.limit_active[m]
        W.limit_standoff[l] = W.limit_standoff_kept[l]
        W.limit_allowance[l] += NEAREST * W.limit_standoff[l]
        W.lim[m, 1] += NEAREST * W.limit_standoff[l]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.standoff[c] = W.standoff_kept[c]
        W.contact_allowance[c] += NEAREST * W.standoff[c]
        W.con[c, 1] += NEAREST * W.standoff[c]


@kernel
def _least(weight, end):
    """What is added to θ for the κ of gaps [N m s]: they end at the κ of friction, which is θ over the weight."""
    return end / weight if weight < 1.0 else 0.0


@kernel
def _soften(W, t, first, last, push):
    """On the way to the hard limit shapes are as smooth as at a lagging κ that presses with `push` [N s]; see W.softness."""
    if W.kappa[0] == 0.0:
        theta = _lagging(t, first, last)
        W.softness[0], W.softness[1] = theta, theta / push


@kernel
def _enter(L, P, Q, A, W, h, weight, end, tol_residual, most, start):
    """From contacts near a path onto it, in `most` iterations at most. Returns (status, iterations); SOLVED: there.

    start (2,): θ of the point [N m s]; the largest impulse [N s], for `_soften`.
    """
    targets, sums = W.path_targets, scratch(6)
    evaluate_rows(L, P, Q, W, h, W.options.springs)
    centring(W, 0.0, 0.0, 0.0, sums)
    theta = sums[1] / sums[2] if sums[2] > 0.0 else weight * sums[4] / max(sums[5], 1.0)
    status, total = STALLED, 0
    for entry in range(ENTRIES):
        if not theta > 0.0 or total >= most:
            return STALLED, total
        if entry > 0:
            guess_impulses(W, COLD)
            start_motion(L, W)
            evaluate_motion(L, A, W, h, W.options.springs)
            evaluate_rows(L, P, Q, W, h, W.options.springs)
            release_cones(L, W, h)
            start_at(L, W, h, theta, weight)
        t = math.log(theta)
        _targets(t, t, math.log(end), weight, _least(weight, end), targets)
        start[0], start[1] = theta, _largest_impulse(W)
        _soften(W, t, t, math.log(end), start[1])
        lead, limit = targets[1] / targets[0], min(most - total, ENTRY_LIMIT)
        goal = Goal(targets[0], lead, 1.0 / lead, tol_residual, NEAR * theta, limit, False)
        status, count, _, _ = iterate(L, P, Q, A, W, h, goal)
        total += count
        if status == SOLVED:
            break
        theta *= 0.1
    return status, total


@kernel
def _free_sign(L, W, h):
    """Sign of det J of the motion without contacts, limits and dry friction: the path's, far up."""
    hold_cones(W)
    assemble(L, W, h, 0.0, 0.0, 0.0, False)
    sign = 1.0
    if factorise(W.pattern, W.blocks) < 0:
        sign = determinant_sign(W.pattern, W.blocks)
    release_cones(L, W, h)
    return sign


@kernel
def _tangent(L, W, h, targets, slope, tol_residual):
    """W.tangent and W.bend of the path at W.now, which becomes W.base. W.change: the tangent over t', as `_newton` leaves it.

    slope: t'. Returns (half of -t''/t', longest step that TURN and BEND allow).
    """
    combine(W, 0.0, W.newton, slope, W.change, W.change)
    copy_point(W, W.change, W.tangent)
    copy_point(W, W.change, W.affine)
    copy_point(W, W.now, W.base)
    _, most = _product(W, W.tangent, W.tangent)
    # κ(t + t' l) to second order in l, and in the products those of the tangent's changes: the terms of a corrector
    gaps = targets[0] + 0.5 * slope * slope * targets[2]
    friction = targets[1] + 0.5 * slope * slope * targets[3] * targets[3] / targets[1]
    assemble(L, W, h, gaps, friction, 0.0, True)
    solve(W.pattern, W.blocks, W.step)
    recover(L, W, h, gaps, friction, True, 0.1 * tol_residual)
    clear_cones(W, W.affine)
    combine(W, -1.0, W.newton, 1.0, W.change, W.change)
    turn, _ = _product(W, W.tangent, W.change)
    combine(W, -turn, W.tangent, 1.0, W.change, W.bend)
    square, _ = _product(W, W.bend, W.bend)
    return turn, 1.0 / max(most / TURN, math.sqrt(square + (slope * turn) ** 2) / BEND, 1e-9)


@kernel
def _step_inside(W, h, length):
    """The step along the path from W.base in W.change, and what of `length` keeps it inside the cones."""
    for _ in range(SHORTENED):
        combine(W, 1.0, W.tangent, length, W.bend, W.change)
        reach = INSIDE * largest_step(W)
        if length <= reach:
            break
        length = max(0.7 * length, min(reach, length))
    return inside_rotation_domain(W, h, length)


@kernel
def _along(L, P, Q, A, W, h, weight, end, tol_residual, most, start, sense):
    """`follow` from the point of the path at W.now. start: of `_enter`. sense: sign(t') sign(det J)."""
    targets, push = W.path_targets, start[1]
    t, last = math.log(start[0]), math.log(end)
    first, base_t, slope, turn = t, t, 0.0, 0.0
    length, longest, corrections, before, count = 1.0, LONGEST, 0, math.inf, 0
    for _ in range(2 * most):  # (a step that is tried again takes no factorisation)
        _targets(t, first, last, weight, _least(weight, end), targets)
        products, error = _errors(L, W, h, targets, tol_residual)
        arrived = error < NEAR
        lost = not arrived and (
            corrections >= len(GROWTH) - 1 or not products < FAR_OFF or (corrections >= 3 and error > SLOW * before)
        )
        if arrived and t <= last:
            return SOLVED, count
        if not lost:
            if count >= most:
                return STALLED, count
            count += 1
            lost = not _newton(L, P, Q, W, h, t, first, last, push, targets, tol_residual)
        if lost and arrived:
            return SINGULAR, count
        if arrived:
            sign = determinant_sign(W.pattern, W.blocks)
            combine(W, -1.0, W.newton, 1.0, W.change, W.change)
            square, _ = _product(W, W.change, W.change)
            slope, base_t = sense * sign / math.sqrt(1.0 + square), t
            turn, longest = _tangent(L, W, h, targets, slope, tol_residual)
            longest = min(longest, LONGEST)
            length = min(GROWTH[corrections] * length, longest)
        elif lost:
            length *= RETRY
            copy_point(W, W.base, W.now)
        if arrived or lost:
            length = _step_inside(W, h, length)
            if not length > SHORTEST * longest:
                return STALLED, count
            alpha, t, corrections, before = length, base_t + length * slope * (1.0 - length * turn), 0, math.inf
        else:
            along, _ = _product(W, W.tangent, W.newton)
            beyond, _ = _product(W, W.tangent, W.change)
            ahead = -along / (beyond - along + slope)
            combine(W, 1.0 - ahead, W.newton, ahead, W.change, W.change)
            alpha = inside_rotation_domain(W, h, min(1.0, INSIDE * largest_step(W)))
            t, corrections, before = t + alpha * ahead, corrections + 1, error
        _soften(W, t, first, last, push)
        copy_point(W, W.now, W.saved)
        combine(W, 1.0, W.saved, alpha, W.change, W.now)
        evaluate_motion(L, A, W, h, W.options.springs)
        evaluate_rows(L, P, Q, W, h, W.options.springs)
    return STALLED, count
