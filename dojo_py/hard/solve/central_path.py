"""Following the central path of an island around its folds: the attempt at a step where Mehrotra's method fails.

The points with r(w) = 0, γ s = κ, ξ∘η = κ_f e form a curve over κ. Where friction couples contacts it can fold: on the way to the
hard limit κ has to grow again for a while. A Newton method that only reduces κ stops at the fold, although the step has a solution.
So the curve is followed by its arc length (Allgower and Georg, Introduction to Numerical Continuation Methods, 2003, chapters 2, 3
and 6), κ being one of the unknowns: a step along the curve's parabola, then Newton's method in the plane normal to its tangent.

    enter       Mehrotra's method at κ = θ of the start; where it fails, from a start at a tenth of θ, and so on
    tangent     J w' = (∂κ/∂t) e t' - (∂r/∂t) t',  |w'|² + t'² = 1,  t = ln θ   (θ: complementarity of gaps [N m s])
    sense       sign(t') sign(det J) is constant along a curve (the sign of w' · w'_last alone can reverse the direction when a long
                step meets a fold): at large θ, where the path begins, t decreases and det J has the sign of the motion without
                contacts, `_free_sign`
    bend        half of w'': what Mehrotra's second-order terms add to the tangent's step, normal to the tangent
    step        w + l w' + l² bend
    correction  J δw = -r + (∂κ/∂t) e δt - (∂r/∂t) δt,  w'·δw + t' δt = 0

|w'| is the norm of the relative changes of contact impulses, `_product`. det J has the sign of the condensed matrix, because the
determinants of the pairs that are condensed are positive inside the cones.

On the way to the hard limit shapes whose gaps have kinks there (rims that lie flat, crossed capsules) are smoothed, with a κ that
lags behind that of the point (`_lagging`): at a kink the path would end. So their rows depend on t, too.
"""

import math

from dojo_py.arrays import copy, scratch
from dojo_py.collision.features import CROSSING, RIM_PLANE
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.solve.assemble import assemble
from dojo_py.hard.solve.complementarity import centring
from dojo_py.hard.solve.first_point import hold_cones, release_cones, start_motion
from dojo_py.hard.solve.goal import Goal
from dojo_py.hard.solve.interior_point import iterate
from dojo_py.hard.solve.recover import recover
from dojo_py.hard.solve.residual_norm import BEYOND_ROUND_OFF, residual_of, worse
from dojo_py.hard.solve.residuals import evaluate_motion, evaluate_rows
from dojo_py.hard.solve.start_impulses import COLD, guess_impulses
from dojo_py.hard.solve.start_pairs import start_at
from dojo_py.hard.solve.step_bounds import inside_rotation_domain, largest_step
from dojo_py.hard.statuses import SINGULAR, SOLVED, STALLED
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import determinant_sign, factorise, solve
from dojo_py.solver.cones.contact import ROWS, bound_place, impulse_of
from dojo_py.solver.cones.standoff import NEAREST

NEAR = 0.03
"""Relative error of products below which a point counts as on the path. (With 0.1, 4 of 176 piles fail: Newton's method does not
return to the path near a fold.)"""

FAR_OFF, SLOW = 1e3, 0.5
"""Corrections are given up where the error is larger than FAR_OFF, or where one, after three, leaves more than the fraction SLOW of
the error before it."""

LAG = 100.0
"""Factor by which friction's products and the smoothing of shapes start higher up the path than gaps; it falls to 1 on the way.
(With 1, one of 44 piles at μ = 1 fails.)"""

TURN, BEND = 1.6, 0.5
"""In a step an impulse changes by at most TURN times itself along the tangent, and the second-order term is at most BEND times the
tangent's."""

INSIDE, SHORTENED = 0.95, 10
"""Fraction of the distance to the boundary of the cones that a step may go, and how often it is shortened to that at most."""

SHORTEST, LONGEST = 0.01, 4.0
"""Where steps fail down to SHORTEST of the length that tangent and bend allow, there is a kink, or round-off, and the path is given
up. LONGEST: largest length of a step; along a straight path it is the change of ln θ."""

GROWTH = (2.5, 2.5, 2.0, 1.3, 0.8, 0.8)
"""Length of the next step over this one's, by the number of corrections that this one took: two are aimed at."""

BESIDE = 1e-3
"""Finite difference of ln θ for the derivative of the rows of smoothed shapes."""

RETRY = 0.35
"""Length of a step whose corrections failed, over what it was. It is tried again from the same point."""

ENTRIES, ENTRY_LIMIT = 5, 60
"""Most starts, each at a tenth of the last one's θ, and most iterations from one onto the path. (Of 14 steps of a pile of 100 in
which Mehrotra's method to the hard limit had failed, 20 Newton steps at the start's θ reached the path in 5, this in all.)"""


@kernel
def _targets(t, first, last, weight, least, out):
    """out (4,): κ of gaps [N m s] and of friction [N m], and their derivatives by t = ln θ on the way from first to last."""
    out[0], out[2] = math.exp(t) + least, math.exp(t)
    out[1] = _lagging(t, first, last) / weight
    out[3] = (1.0 + _lag(first, last)) * out[1]


@kernel
def _lag(first, last):
    """d ln θ_f/dt - 1, with θ_f of `_lagging`."""
    return math.log(LAG) / max(first - last, 1.0)


@kernel
def _lagging(t, first, last):
    """θ_f [N m s], which friction's products and the smoothing of shapes follow in place of θ.

    θ_f/θ falls from LAG at the start to 1 at the end, and is larger above the start:  ln θ_f = t + ln LAG (t - last)/(first - last)
    """
    return math.exp(t + _lag(first, last) * (t - last))


@kernel
def _product(W, one, two):
    """(inner product of two changes of the cones' impulses, largest entry of the first one), relative to the present impulses."""
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
    """(largest error of the products relative to their targets; the larger of this and of the residual, in the same scale).

    A residual [m/s] at its tolerance counts as NEAR. Infinite where something is not finite.
    """
    sums = scratch(6)
    centring(W, targets[0], targets[1], 0.0, sums)
    products = worse(sums[0] / targets[0], sums[3] / targets[1])
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

    t: ln θ of the point; first, last, push: see `_soften`. Rows of smoothed shapes have a derivative by t, too.
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
    """Whether a contact of the islands in W.span is a feature whose smoothing depends on the point of the path."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if c >= W.n_active[1]:
            kind = W.fkind[W.active[c] - P.body.shape[0]]
            if kind == RIM_PLANE or kind == CROSSING:
                return True
    return False


@kernel
def _add_softening(L, P, Q, W, h, t, first, last, push):
    """Add to the rows of momentum and of contacts their derivative by t; the rows without it go into W.path_rb, W.path_cdy."""
    _soften(W, t + BESIDE, first, last, push)
    evaluate_rows(L, P, Q, W, h)
    _copy_rows(W, W.rb, W.cval, W.path_rb, W.path_cdy)
    _soften(W, t, first, last, push)
    evaluate_rows(L, P, Q, W, h)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        _add_rate(W.rb[b], W.path_rb[b], W.rb[b])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        _add_rate(W.cval[c], W.path_cdy[c], W.cdy[c])


@kernel
def _add_rate(here, beside, rows):
    """rows (n,) += the derivative by t of numbers that are `here` at t, `beside` at t + BESIDE; beside becomes the old rows."""
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
    """Follow the path from a point near it to θ = `end` [N m s]. Returns (status, factorisations); SOLVED: it got there.

    The motion has been evaluated. weight: of friction's products relative to those of gaps at the end, as in `Goal`.
    tol_residual [m/s]. most: factorisations.

    In the hard limit gaps go on the path not to zero but to the smallest gap that counts as arrived (standoff.py), from which they
    are counted. With the whole band of gaps that count as arrived, products would jump, one contact after the other, and there
    would be no path to follow.
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
    """Count gaps from the smallest that counts as arrived, NEAREST times the standoff, and set the standoffs to 0."""
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
    """Undo `_count_from_standoff`, for the slacks of the present point, too."""
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
    """On the way to the hard limit smooth shapes as at the lagging κ of t and the largest impulse `push` [N s]; see W.softness."""
    if W.kappa[0] == 0.0:
        theta = _lagging(t, first, last)
        W.softness[0], W.softness[1] = theta, theta / push


@kernel
def _enter(L, P, Q, A, W, h, weight, end, tol_residual, most, start):
    """Bring a point near a path onto it, in `most` iterations at most. Returns (status, iterations); SOLVED: it is there.

    start (2,): θ of the point [N m s]; the largest impulse [N s], for `_soften`.
    """
    targets, sums = W.path_targets, scratch(6)
    evaluate_rows(L, P, Q, W, h)
    centring(W, 0.0, 0.0, 0.0, sums)
    theta = sums[1] / sums[2] if sums[2] > 0.0 else weight * sums[4] / max(sums[5], 1.0)
    status, total = STALLED, 0
    for entry in range(ENTRIES):
        if not theta > 0.0 or total >= most:
            return STALLED, total
        if entry > 0:
            guess_impulses(W, COLD)
            start_motion(L, W)
            evaluate_motion(L, A, W, h)
            evaluate_rows(L, P, Q, W, h)
            release_cones(L, W, h)
            start_at(L, W, h, theta, weight)
        t = math.log(theta)
        _targets(t, t, math.log(end), weight, _least(weight, end), targets)
        start[0], start[1] = theta, _largest_impulse(W)
        _soften(W, t, t, math.log(end), start[1])
        lead, limit = targets[1] / targets[0], min(most - total, ENTRY_LIMIT)
        near = NEAR * theta
        goal = Goal(targets[0], lead, 1.0 / lead, tol_residual, near, near, near, W.solver.at_rest, limit, False)
        status, count, _, _ = iterate(L, P, Q, A, W, h, goal)
        total += count
        if status == SOLVED:
            break
        theta *= 0.1
    clear_cones(W, W.affine)  # (left by the last solve: the first tangent has no second-order terms)
    return status, total


@kernel
def _free_sign(L, W, h):
    """Sign of det J of the motion without contacts, limits and dry friction: that of the path at large θ."""
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
    # terms of second order in l: of κ(t + t' l), and products of the tangent's changes, as in Mehrotra's corrector
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
    """W.change = the step along the path from W.base. Returns `length`, shortened so that the step stays inside the cones."""
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
        evaluate_motion(L, A, W, h)
        evaluate_rows(L, P, Q, W, h)
    return STALLED, count
