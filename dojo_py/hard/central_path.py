"""Following the central path of an island around its folds: the attempt at a step behind Mehrotra's method.

The points with r(w) = 0, γ s = κ, ξ∘η = κ_f e form a curve over κ. Where friction couples contacts it can turn back: on the way to
the hard limit κ has to grow again for a while. A Newton method that only lets κ fall stops at the fold, although the step has a
solution. So the curve is followed by its arc length (Allgower and Georg, Introduction to Numerical Continuation Methods, 2003,
chapters 2, 3 and 6): a step along the tangent, then Newton's method in the plane across it, κ being one of the unknowns.

    tangent     J w' = (∂κ/∂t) e t',  |w'|² + t'² = 1,  t = ln θ        θ: complementarity of gaps [N m s], see `_targets`
    sense       sign(t') sign(det J) is the same all along a curve (by w' · w'_last alone a long step turns back beside a fold)
    correction  J δw = -r + (∂κ/∂t) e δt,  w'·δw + t' δt = 0

|w'| is that of the changes of contact impulses relative to what they are, `_product`. det J has the sign of the condensed matrix,
because the determinants of the pairs that are condensed are positive inside the cones.

Measured with this path in numpy on the linearised piles of 27 and 54 spheres (88 each): solved 88, 88, 83 at μ 0.5, 1, 2, with
folds in 5, 16, 22, after 84, 90, 105 factorisations in the median and 208, 299, 345 at most. Mehrotra's method from a cold start
solves 25 of 44 at μ 1.
"""

import math

from dojo_py.hard.assemble import assemble
from dojo_py.hard.interior_point import SINGULAR, SOLVED, STALLED
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.progress import centring, inside_rotation_domain, largest_step, residual_of
from dojo_py.hard.recover import recover
from dojo_py.hard.residuals import evaluate_motion, evaluate_rows
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
"""How many times as far up the path friction's products start; they catch up on the way. With 1 one of 44 piles is lost at μ 1."""

TURN = 0.8
"""An impulse changes by at most this share of itself along a tangent."""

INSIDE = 0.95
"""Share of the way to the boundary of the cones that a step may go."""

SHORTEST, LONGEST = 1e-5, 4.0
"""Lengths of steps along the path; along a straight one a length is a change of ln θ."""

GROWTH = (2.5, 2.5, 2.0, 1.3, 0.8, 0.8)
"""Length of the next step over this one's, by the number of corrections that this one took: two are aimed at."""

RETRY = 0.35
"""Length of a step whose corrections failed, over what it was. It is tried again from the same point."""

KEPT, LEAST_CHANGE = 0.2, 1e-6
"""A last correction that started from less error gives the tangent too, without another factorisation, if it changed t by more."""

TO_CENTRE = 20
"""Iterations after which a start that is not on the path yet is left."""


@kernel
def _targets(t, first, last, weight, least, out):
    """out (4,): κ of gaps [N m s] and of friction [N m], and their derivatives by t = ln θ on the way from first to last.

    Friction lags by a factor that falls to 1 and rises beyond the start:  ln κ_f = t - ln weight + ln LAG (t - last)/(first - last)
    """
    share = math.log(LAG) / max(first - last, 1.0)
    theta = math.exp(t)
    out[0], out[2] = theta + least, theta
    out[1] = theta * math.exp(share * (t - last)) / weight
    out[3] = (1.0 + share) * out[1]


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
def _error(L, W, h, targets, tol_residual, sums):
    """Largest error of the products relative to the targets, or of what the residual makes of them if that is larger.

    A residual [m/s] within its tolerance counts as near. Infinite where something is not finite.
    """
    centring(W, targets[0], targets[1], 0.0, sums)
    push = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        push = max(push, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        push = max(push, W.lim[W.members[LIMITS, k], 0])
    products = max(sums[0] / targets[0], sums[3] / targets[1])
    rows = residual_of(L, W, h, 1.0) / max(tol_residual / NEAR, targets[0] / (h * max(push, 1e-300)))
    return max(products, rows) if math.isfinite(products) and math.isfinite(rows) else math.inf


@kernel
def _newton(L, W, h, targets, tol_residual):
    """Newton's step to the targets in W.newton, and in W.change that to the targets plus their derivatives. False if singular."""
    for aim in range(2):
        kn, kf = targets[0] + aim * targets[2], targets[1] + aim * targets[3]
        assemble(L, W, h, kn, 0.0, kf, aim > 0)
        if aim == 0 and factorise(W.pattern, W.blocks) >= 0:
            return False
        solve(W.pattern, W.blocks, W.step)
        recover(L, W, h, kn, kf, aim > 0, 0.1 * tol_residual)
        if aim == 0:
            copy_point(W, W.change, W.newton)
    return True


@kernel
def follow(L, P, Q, A, W, h, weight, end, tol_residual, most):
    """From contacts near a path to where its θ is `end` [N m s]. Returns (status, factorisations); SOLVED: there.

    The motion has been evaluated. weight: of friction's products beside those of gaps at the end, as in `iterate`.
    tol_residual [m/s]. most: factorisations.

    In the hard limit gaps do not go to zero on the path but to the nearest that has arrived (standoff.py): counted from there.
    With the band of gaps that have arrived products would jump, one contact after the other, and there would be no path to follow.
    """
    _count_from_standoff(W)
    status, count = _follow(L, P, Q, A, W, h, weight, end, tol_residual, most)
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
def _follow(L, P, Q, A, W, h, weight, end, tol_residual, most):
    """`follow` of the path as it is counted."""
    targets, sums = W.path_targets, W.scratch[104, 0:6]
    clear_cones(W, W.affine)  # no second-order terms in the step to the second targets
    evaluate_rows(L, P, Q, W, h, W.options.springs)
    centring(W, 0.0, 0.0, 0.0, sums)
    theta = sums[1] / sums[2] if sums[2] > 0.0 else weight * sums[4] / max(sums[5], 1.0)
    if not theta > 0.0:
        return STALLED, 0
    least = end / weight if weight < 1.0 else 0.0
    t, base_t, slope, sense = math.log(theta), 0.0, 0.0, 0.0
    first, last = t, math.log(end)
    length, corrections, before, ahead, on_path, count = 1.0, 0, math.inf, 0.0, False, 0
    for _ in range(3 * most):  # a step that is tried again, or reuses a matrix, takes no factorisation
        _targets(t, first, last, weight, least, targets)
        error = _error(L, W, h, targets, tol_residual, sums)
        arrived = error < NEAR
        lost = corrections >= len(GROWTH) - 1 or not error < FAR_OFF or (corrections >= 3 and error > SLOW * before)
        retry = on_path and not arrived and lost
        if arrived and t <= last:
            return SOLVED, count
        if not arrived and not on_path and (count >= TO_CENTRE or not math.isfinite(error)):
            return STALLED, count
        reuse = arrived and before < KEPT and abs(ahead) > LEAST_CHANGE
        if not retry and not reuse:
            if count >= most:
                return STALLED, count
            count += 1
            if not _newton(L, W, h, targets, tol_residual):
                if arrived or not on_path:
                    return SINGULAR, count
                retry = True
        before = error
        if arrived:
            share = 1.0 / ahead if reuse else 1.0
            combine(W, -share, W.newton, share, W.change, W.change)
            sign = determinant_sign(W.pattern, W.blocks)
            if not on_path:
                sense = -sign
            square, _ = _product(W, W.change, W.change)
            slope = sense * sign / math.sqrt(1.0 + square)
            combine(W, 0.0, W.newton, slope, W.change, W.change)
            copy_point(W, W.change, W.tangent)
            copy_point(W, W.now, W.base)
            base_t = t
            _, largest = _product(W, W.change, W.change)
            length = min(GROWTH[corrections] * length, LONGEST, TURN / max(largest, 1e-9), INSIDE * largest_step(W))
            on_path = True
        elif retry:
            length *= RETRY
            copy_point(W, W.base, W.now)
            copy_point(W, W.tangent, W.change)
        if arrived or retry:
            length = inside_rotation_domain(W, h, length)
            if not length > SHORTEST:
                return STALLED, count
            alpha, t, corrections, before, ahead = length, base_t + length * slope, 0, math.inf, 0.0
        else:
            ahead = 0.0
            if on_path:
                along, _ = _product(W, W.tangent, W.newton)
                beyond, _ = _product(W, W.tangent, W.change)
                ahead = -along / (beyond - along + slope)
                corrections += 1
            combine(W, 1.0 - ahead, W.newton, ahead, W.change, W.change)
            alpha = inside_rotation_domain(W, h, min(1.0, INSIDE * largest_step(W)))
            t += alpha * ahead
        copy_point(W, W.now, W.saved)
        combine(W, 1.0, W.saved, alpha, W.change, W.now)
        evaluate_motion(L, A, W, h, W.options.springs)
        evaluate_rows(L, P, Q, W, h, W.options.springs)
    return STALLED, count
