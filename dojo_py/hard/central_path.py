"""Following the central path of a step around its folds: the solve that does not rely on luck.

The points with r(w) = 0, γ s = κ, ξ∘η = κ_f e form a curve over κ. Where friction couples contacts it can turn back: on the way to
the hard limit κ has to grow again for a while, a Newton method that only lets κ fall stops at the fold, and the step has a solution
all the same. So the curve is followed by its arc length (Allgower and Georg, Introduction to Numerical Continuation Methods, 2003,
chapters 2, 3 and 6): a step along the tangent, then Newton's method in the plane across it, κ being one of the unknowns.

    tangent     J w' = (∂κ/∂t) e t',  |w'|² + t'² = 1,  t = ln θ        θ: complementarity of gaps [N m s], see `_targets`
    sense       sign(t') sign(det J) stays: it changes where the curve folds, and only there (no step jumps to a path back)
    correction  J δw = -r + (∂κ/∂t) e δt,  w'·δw + t' δt = 0

Far up the path friction is viscous and weak (κ_f grows faster than κ): there is one solution, and the path that begins there cannot
come back to where it began. Where the contacts can open (always, but for what is wedged in) it is bounded, and so it ends in a
solution at κ = 0. (Measured on linearised piles of 27 and 54 spheres, μ 0.5, 1, 2: 264 of 264 solved, up to 26 of 88 with folds;
Mehrotra's method from a cold start: 40 and 27 of 44 at μ 0.5 and 1.)
"""

import math

from dojo_py.arrays import copy
from dojo_py.hard.assemble import assemble
from dojo_py.hard.interior_point import (
    LOOP_REGULARISATION,
    SINGULAR,
    SOLVED,
    STALLED,
    copy_point,
    move,
    save,
)
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, NODES
from dojo_py.hard.progress import centring, inside_rotation_domain, largest_step, residual_of
from dojo_py.hard.recover import recover
from dojo_py.hard.residuals import evaluate_motion, evaluate_rows
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import determinant_sign, factorise, solve
from dojo_py.solver.cones import BOUND, impulse_of

NEAR = 0.03
"""Relative error of products at which a point counts as one of the path. With 0.1 four of 176 piles are lost: Newton's method does
not come back to the path beside a fold."""

LAG = 100.0
"""How many times as far up the path friction's products start; they catch up on the way. With 1 there are twice as many folds."""

TURN = 0.8
"""An impulse changes by at most this share of itself along a tangent."""

SHORTEST, LONGEST = 1e-5, 4.0
"""Lengths of steps along the path, in ln θ."""

ROUNDS = 5
"""Corrections after which a step along the path is tried again, RETRY times as long."""

RETRY = 0.35

KEPT = 0.2
"""A last correction that started from less error gives the tangent too, without another factorisation."""

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
def _keep_direction(W, v, lam, rate, fric, lim, con):
    """The step in W.d… to arrays of the same shapes."""
    _copy_direction(W, W.dv, W.dlam, W.drate, W.dfric, W.dlim, W.dcon, v, lam, rate, fric, lim, con)


@kernel
def _copy_direction(W, v, lam, rate, fric, lim, con, to_v, to_lam, to_rate, to_fric, to_lim, to_con):
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(v[b], to_v[b])
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        copy(lam[n], to_lam[n])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        to_rate[d] = rate[d]
        copy(fric[d], to_fric[d])
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        copy(lim[m], to_lim[m])
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        copy(con[c], to_con[c])


@kernel
def _combine_direction(W, a, b):
    """W.d… = a times Newton's step + b times the present W.d…."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        i = W.members[BODIES, k]
        for m in range(6):
            W.dv[i, m] = a * W.newton_v[i, m] + b * W.dv[i, m]
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for m in range(6):
            W.dlam[n, m] = a * W.newton_lam[n, m] + b * W.dlam[n, m]
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        W.drate[d] = a * W.newton_rate[d] + b * W.drate[d]
        for m in range(3):
            W.dfric[d, m] = a * W.newton_fric[d, m] + b * W.dfric[d, m]
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        l = W.members[LIMITS, k]
        for m in range(2):
            W.dlim[l, m] = a * W.newton_lim[l, m] + b * W.dlim[l, m]
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        for m in range(12):
            W.dcon[c, m] = a * W.newton_con[c, m] + b * W.dcon[c, m]


@kernel
def _product(W, lim, fric, con, lim2, fric2, con2):
    """(inner product of two directions, largest entry of the first): changes of impulses relative to what they are now."""
    total, most, count = 0.0, 0.0, 0
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        a = lim[m, 0] / W.lim[m, 0]
        total += a * lim2[m, 0] / W.lim[m, 0]
        most = max(most, abs(a))
        count += 1
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        if W.bound[d] > 0.0:
            a = fric[d, 0] / W.bound[d]
            total += a * fric2[d, 0] / W.bound[d]
            most = max(most, abs(a))
            count += 1
    one, two = W.scratch[106, 0:3], W.scratch[107, 0:3]
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        impulse_of(W.claw[c], con[c], one)
        impulse_of(W.claw[c], con2[c], two)
        normal, bound = W.con[c, 0], W.cmu[c] * W.con[c, 0]
        if W.cheld[c]:
            bound += W.con[c, BOUND]
        total += one[0] * two[0] / (normal * normal)
        most = max(most, abs(one[0]) / normal)
        if bound > 0.0:
            total += (one[1] * two[1] + one[2] * two[2]) / (bound * bound)
            most = max(most, abs(one[1]) / bound, abs(one[2]) / bound)
        count += 1
    return total / max(count, 1), most


@kernel
def _error(L, W, h, targets, tol_residual, sums):
    """(largest relative error of the products, the residual's share of them included; whether all is finite)."""
    centring(L, W, h, targets[0], targets[1], 0.0, sums)
    residual = residual_of(L, W, h)
    push = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        push = max(push, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        push = max(push, W.lim[W.members[LIMITS, k], 0])
    products = max(sums[0] / targets[0], sums[4] / targets[1])
    rows = residual / max(tol_residual / NEAR, targets[0] / (h * max(push, 1e-300)))
    if not (math.isfinite(products) and math.isfinite(rows)):
        return math.inf
    return max(products, rows)


@kernel
def _newton(L, W, h, targets, tol_residual):
    """Newton's step to the targets in W.newton_…, and in W.d… that to the targets and their derivatives. False if singular."""
    for aim in range(2):
        kn, kf = targets[0] + aim * targets[2], targets[1] + aim * targets[3]
        assemble(L, W, h, kn, 0.0, kf, aim > 0, False, LOOP_REGULARISATION)
        if aim == 0 and factorise(W.pattern, W.blocks) >= 0:
            return False
        solve(W.pattern, W.blocks, W.step)
        recover(L, W, h, kn, kf, aim > 0, False, LOOP_REGULARISATION, 0.1 * tol_residual)
        if aim == 0:
            _keep_direction(W, W.newton_v, W.newton_lam, W.newton_rate, W.newton_fric, W.newton_lim, W.newton_con)
    return True


@kernel
def _take_tangent(W):
    """W.d… = the tangent."""
    _copy_direction(
        W, W.path_v, W.path_lam, W.path_rate, W.path_fric, W.path_lim, W.path_con, W.dv, W.dlam, W.drate, W.dfric, W.dlim, W.dcon
    )


@kernel
def follow(L, P, Q, A, W, h, scheme, weight, end, tol_residual, most):
    """From cone pairs near a path to where its θ is `end` [N m s]. Returns (status, iterations); SOLVED: there.

    The motion has been evaluated. weight: as in `iterate`. most: factorisations.
    """
    targets, sums = W.scratch[108, 0:4], W.scratch[104, 0:8]
    W.alim[:, :] = 0.0
    W.africt[:, :] = 0.0
    W.acon[:, :] = 0.0
    evaluate_rows(L, P, Q, W, h, scheme)
    centring(L, W, h, 0.0, 0.0, 0.0, sums)
    theta = sums[2] / sums[3] if sums[3] > 0.0 else weight * sums[6] / max(sums[7], 1.0)
    if not theta > 0.0:
        return STALLED, 0
    least = end / weight if weight < 1.0 else 0.0
    t, base_t, slope, sense = math.log(theta), 0.0, 0.0, 0.0
    first, last = t, math.log(end)
    ds, round_, before, correcting, ahead = 1.0, 0, math.inf, False, 0.0
    count = 0
    for _ in range(3 * most):
        _targets(t, first, last, weight, least, targets)
        error = _error(L, W, h, targets, tol_residual, sums)
        accepted = error < NEAR
        retreat = correcting and not accepted and (round_ >= ROUNDS or not error < 1e3 or (round_ >= 3 and error > 0.5 * before))
        if not accepted and not correcting and (count >= TO_CENTRE or not math.isfinite(error)):
            return STALLED, count
        reuse = accepted and correcting and before < KEPT and abs(ahead) > 1e-6
        before = error
        if accepted and t <= last:
            return SOLVED, count
        count += 1 if not retreat and not reuse else 0
        if count > most:
            return STALLED, most
        if not retreat and not reuse and not _newton(L, W, h, targets, tol_residual):
            if accepted or not correcting:
                return SINGULAR, count
            retreat = True
        if accepted:
            _combine_direction(W, -1.0 / ahead if reuse else -1.0, 1.0 / ahead if reuse else 1.0)
            size, _ = _product(W, W.dlim, W.dfric, W.dcon, W.dlim, W.dfric, W.dcon)
            sign = determinant_sign(W.pattern, W.blocks)
            if sense == 0.0:
                sense = -sign
            slope = sense * sign / math.sqrt(1.0 + size)
            _combine_direction(W, 0.0, slope)
            _keep_direction(W, W.path_v, W.path_lam, W.path_rate, W.path_fric, W.path_lim, W.path_con)
            copy_point(W, W.v, W.lam, W.fric, W.lim, W.con, W.base_v, W.base_lam, W.base_fric, W.base_lim, W.base_con)
            for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
                d = W.members[DOFS, k]
                W.base_theta[d] = W.theta[d]
            base_t = t
            ds = min(ds * (2.5 if round_ <= 1 else 2.0 if round_ == 2 else 1.3 if round_ == 3 else 0.8), LONGEST)
            _, largest = _product(W, W.dlim, W.dfric, W.dcon, W.dlim, W.dfric, W.dcon)
            ds = min(ds, TURN / max(largest, 1e-9), 0.95 * largest_step(L, W, h))
        elif retreat:
            ds *= RETRY
            copy_point(W, W.base_v, W.base_lam, W.base_fric, W.base_lim, W.base_con, W.v, W.lam, W.fric, W.lim, W.con)
            for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
                d = W.members[DOFS, k]
                W.theta[d] = W.base_theta[d]
            _take_tangent(W)
        if accepted or retreat:
            ds = inside_rotation_domain(L, W, h, ds)
            if not ds > SHORTEST:
                return STALLED, count
            alpha, t = ds, base_t + ds * slope
            correcting, round_, before, ahead = True, 0, math.inf, 0.0
        else:
            ahead = 0.0
            if correcting:
                p1, _ = _product(W, W.path_lim, W.path_fric, W.path_con, W.newton_lim, W.newton_fric, W.newton_con)
                p2, _ = _product(W, W.path_lim, W.path_fric, W.path_con, W.dlim, W.dfric, W.dcon)
                ahead = -p1 / (p2 - p1 + slope)
            _combine_direction(W, 1.0 - ahead, ahead)
            alpha = inside_rotation_domain(L, W, h, min(1.0, (0.95 if correcting else 0.9) * largest_step(L, W, h)))
            t += alpha * ahead
            round_ += 1 if correcting else 0
        save(W)
        move(L, W, h, alpha)
        evaluate_motion(L, A, W, h, scheme)
        evaluate_rows(L, P, Q, W, h, scheme)
    return STALLED, most
