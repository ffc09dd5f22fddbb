"""Mehrotra's predictor-corrector method on the complementarity problem of one step.

    solve   r(w; κ) = 0,   b ∘ c = κ e,   b, c in their cones,   κ → 0 (or to the κ asked for)              (Dojo, Algorithm 2)

The affine step aims at κ = 0 exactly; its success sets the centring σ = (ν_aff/ν)³; its second-order terms correct the step.
On the way to the hard limit, where friction has a path of its own (steps below 0.05 s), contacts keep their share of the mean
product, up to a factor (UNEVEN; Gondzio 1996): a flat foot that slides and turns leaves its corners' impulses one freedom; to even
them out takes more, at last, than curved cones let pass.

Normal impulses and limits bound positions (γ s, in N s m), friction bounds velocities (ξ∘η, in N s m/s). While gaps shrink with
κ, bodies move by s, at velocities s/h = κ/(h γ): friction at the same κ takes these for slip, and clings one way, then the other.
So friction's products stay 1/h times larger all the way to the hard limit (measured on a humanoid that lies on the ground with ten
contacts: without this, internal forces still change by their own size at κ = 1e-12), but for the last of it: gaps stop where
round-off would drown them, and friction follows a little.
"""

import math

from dojo_py.arrays import copy
from dojo_py.hard.assemble import assemble
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, NODES
from dojo_py.hard.progress import centring, inside_rotation_domain, largest_step, residual_of
from dojo_py.hard.recover import recover
from dojo_py.hard.residuals import evaluate_motion, evaluate_rows
from dojo_py.jit import kernel
from dojo_py.solver.block_ldu import factorise, solve

SOLVED, MAX_ITERATIONS, STALLED, SINGULAR, TOO_FAST, NOT_FINITE, INEXACT = 0, 1, 2, 3, 4, 5, 7

LOOP_REGULARISATION = 1e-10
"""On the diagonal of loop closures [1/kg]: lets redundant rows (planar loops) share their impulse instead of dividing by zero."""


@kernel
def copy_point(W, v, lam, fric, lim, con, to_v, to_lam, to_fric, to_lim, to_con):
    """The islands' unknowns, arrays as in Work (v, lam, fric, lim, con), to others of the same shapes."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(v[b], to_v[b])
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        copy(lam[n], to_lam[n])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        copy(fric[d], to_fric[d])
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        copy(lim[m], to_lim[m])
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        copy(con[c], to_con[c])


@kernel
def save(W):
    """The present point, to which `move` adds steps."""
    copy_point(W, W.v, W.lam, W.fric, W.lim, W.con, W.v_old, W.lam_old, W.fric_old, W.lim_old, W.con_old)
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        W.theta_old[d] = W.theta[d]


@kernel
def move(L, W, h, alpha):
    """Point = saved point + alpha * step."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(6):
            W.v[b, i] = W.v_old[b, i] + alpha * W.dv[b, i]
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for i in range(6):
            W.lam[n, i] = W.lam_old[n, i] + alpha * W.dlam[n, i]
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        W.theta[d] = W.theta_old[d] + alpha * h * W.drate[d]
        if W.bound[d] > 0.0:
            for i in range(3):
                W.fric[d, i] = W.fric_old[d, i] + alpha * W.dfric[d, i]
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        for i in range(2):
            W.lim[m, i] = W.lim_old[m, i] + alpha * W.dlim[m, i]
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        for i in range(12):
            W.con[c, i] = W.con_old[c, i] + alpha * W.dcon[c, i]


@kernel
def _clear_direction(W):
    """No step yet: whatever an earlier solve left, infinities included, has to go."""
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        W.dlim[W.members[LIMITS, k], :] = 0.0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        W.dfric[W.members[DOFS, k], :] = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        W.dcon[W.members[CONTACTS, k], :] = 0.0
    _clear_correction(W)


@kernel
def _keep_affine(W):
    """The step in W.d… is the affine one, whose second-order terms correct the next."""
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        copy(W.dlim[m], W.alim[m])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        copy(W.dfric[d], W.africt[d])
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        copy(W.dcon[c], W.acon[c])


@kernel
def _clear_correction(W):
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        W.alim[W.members[LIMITS, k], :] = 0.0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        W.africt[W.members[DOFS, k], :] = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        W.acon[W.members[CONTACTS, k], :] = 0.0


@kernel
def keep_best(W, merit, residual, worst, kept):
    """Keep the present point when its merit, the violations over their tolerances, is the smallest so far and it is not solved.

    kept (3,): merit, residual and complementarity of the one that is kept; a negative merit: none is asked for.
    """
    if not (1.0 < merit < kept[0]):
        return
    kept[0], kept[1], kept[2] = merit, residual, worst
    copy_point(W, W.v, W.lam, W.fric, W.lim, W.con, W.best_v, W.best_lam, W.best_fric, W.best_lim, W.best_con)


@kernel
def take_best(W):
    """The present point is the best one that was kept."""
    copy_point(W, W.best_v, W.best_lam, W.best_fric, W.best_lim, W.best_con, W.v, W.lam, W.fric, W.lim, W.con)


@kernel
def _mean(sums, weight, least):
    """Mean product of what still has to shrink, friction times weight [N s m]."""
    return (max(sums[2] - sums[3] * least, 0.0) + weight * sums[6]) / max(sums[3] + sums[7], 1.0)


@kernel
def _bend(L, W, h):
    """Largest product [N s m] of a contact's impulse and, about, its gap's second-order change in W.dv: lever |δφ|² / 2."""
    worst = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        change = 0.0
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                C, w = W.cC[c, side], W.dv[b]
                turn = math.sqrt(w[3] * w[3] + w[4] * w[4] + w[5] * w[5])
                change += 0.5 * h * turn * turn * math.sqrt(C[0, 3] * C[0, 3] + C[0, 4] * C[0, 4] + C[0, 5] * C[0, 5])
        worst = max(worst, W.con[c, 0] * change)
    return worst


@kernel
def _direction(L, W, h, mean, floor, least, typical, path, weight, held, scaled, enough, sums, found):
    """The step from the present point into W.d…. found (3,) out: largest and affine step, σ.

    path > 0: Newton's step to that complementarity; to a higher one when it is BLOCKED, because the pairs are near the end of the
    path and the motion is not. Otherwise Mehrotra's: phase 0 predicts, phase 1 corrects; phase 2, when the correction points out of
    the cones, aims at a more central point without it, or when HELD at a higher one. Returns False if the matrix is singular.
    (One loop, so that the compiler sees each large kernel called in one place.)
    """
    target, affine, sigma = max(path, 0.0), 1.0, 1.0
    for phase in range(3):
        kn, kf = max(target, least), target / weight
        assemble(L, W, h, kn, typical, kf, phase > 0, scaled, LOOP_REGULARISATION)
        if phase == 0 and factorise(W.pattern, W.blocks) >= 0:
            return False
        solve(W.pattern, W.blocks, W.step)
        predicts = phase == 0 and mean > 0.0 and not path > 0.0
        recover(L, W, h, kn, kf, phase > 0, scaled, LOOP_REGULARISATION, math.inf if predicts else enough)
        reach = largest_step(L, W, h)
        if not mean > 0.0 or phase == 2 or (path > 0.0 and reach >= W.solver.blocked):
            break
        if path > 0.0:
            _clear_correction(W)
            target *= W.solver.rise
            continue
        if phase == 0:
            affine = min(1.0, reach)
            centring(L, W, h, 0.0, 0.0, affine, sums)
            ratio = min(max(_mean(sums, weight, least) / max(mean, 1e-300), 0.0), 1.0)
            sigma = ratio * ratio * ratio
            _keep_affine(W)
            target = max(sigma * mean, floor, min(W.solver.bend * _bend(L, W, h), W.solver.leap * mean))
        elif reach >= max(W.solver.shortened * affine, held):
            break
        else:
            _clear_correction(W)
            target = max((W.solver.rise if affine < held else max(sigma, 0.3)) * mean, floor)
    found[0], found[1], found[2] = reach, affine, sigma
    return True


@kernel
def iterate(L, P, Q, A, W, h, scheme, kappa, weight, tol_residual, tol_comp, max_iterations, scaled, careful, evaluated, kept):
    """From the present point to residual ≤ tol_residual [m/s] and |b∘c - κe| ≤ tol_comp. Returns (status, iterations, both).

    kept (3,): merit, residual and complementarity of the best point so far, see `keep_best`.

    kappa = 0 asks for the hard limit: then tol_comp is the complementarity itself. weight: of friction's products beside the
    others, on the way. scaled: Nesterov-Todd directions.
    careful: follow the central path in short steps instead of predicting. evaluated: the motion has been, at these velocities.
    """
    end = kappa if kappa > 0.0 else 0.5 * tol_comp
    floor, least = weight * end, end if kappa > 0.0 else W.solver.least_weight * end
    least, held = least if least > floor else 0.0, W.solver.held if kappa == 0.0 or scaled else 0.0
    residual, worst, mean, path, alpha, short = math.inf, math.inf, math.inf, math.inf, 0.0, 0
    _clear_direction(W)
    best_residual, best_mean, idle, fast = math.inf, math.inf, 0, 0
    found, sums = W.scratch[102, 0:3], W.scratch[104, 0:8]
    for iteration in range(-1, max_iterations):
        if iteration >= 0:
            trace = W.trace[min(iteration, W.trace.shape[0] - 1)]
            trace[0], trace[1], trace[2] = residual, worst, mean
            # (the start may meet the tolerances with forces too small for them that would never act: not without a step)
            if residual <= tol_residual and worst <= tol_comp and (iteration > 0 or residual <= W.solver.at_rest * tol_residual):
                return SOLVED, iteration, residual, worst
            if not (math.isfinite(residual) and math.isfinite(worst)):
                return NOT_FINITE, iteration, residual, worst
            if careful and mean > 0.0:
                centring(L, W, h, max(path, least), path / weight, 0.0, sums)
                if max(sums[0], weight * sums[4]) < 0.5 * path and residual < max(1e-2 * path**0.5, tol_residual):
                    path = max(0.15 * path, floor)
            best, turn, enough = -1.0, scaled, 1e-2 * max(residual, tol_residual)
            typical = sums[2] / max(sums[3], 1.0) if kappa == 0.0 and least > 0.0 else 0.0
            for attempt in range(3):
                aim = path if careful and mean > 0.0 else 0.0
                if mean <= W.solver.no_predict * floor:  # there: no prediction, it would be corrected for what never happens
                    aim = floor
                if not _direction(L, W, h, mean, floor, least, typical, aim, weight, held, turn, enough, sums, found):
                    return SINGULAR, iteration, residual, worst
                # blocked: the other linearisation of the cones often is not; go back to the first when it is worse
                if careful or not mean > 0.0 or found[0] >= W.solver.swap or attempt == 2 or (attempt == 1 and found[0] > best):
                    break
                best, turn = found[0], not turn
            # the better the prediction, the closer to the boundary: convergence is superlinear at the end
            share = max(W.solver.share, 1.0 - found[2] ** (1.0 / 3.0))
            within = min(1.0, share * found[0])
            alpha = inside_rotation_domain(L, W, h, within)
            fast = fast + 1 if alpha <= 0.5 * within else 0
            if fast >= W.solver.turning:
                return TOO_FAST, iteration, residual, worst
            trace[3], trace[4], trace[5] = alpha, found[1], found[2]
        save(W)
        if iteration >= 0 and mean > 0.0:
            for _ in range(12):  # stay off the boundary: no pair much smaller than the mean
                centring(L, W, h, 0.0, 0.0, alpha, sums)
                if min(sums[1], weight * sums[5]) >= W.solver.near_boundary * min(_mean(sums, weight, least), mean):
                    break
                alpha *= 0.8
        for _ in range(8):
            if iteration >= 0:
                move(L, W, h, alpha)
            if iteration >= 0 or not evaluated:
                evaluate_motion(L, A, W, h, scheme)
            evaluate_rows(L, P, Q, W, h, scheme)
            new_residual = residual_of(L, W, h, 1.0)
            centring(L, W, h, kappa, kappa, 0.0, sums)
            new_worst = max(sums[0], sums[4])
            if iteration < 0 or new_residual <= max(W.solver.guard * residual, 1e3 * tol_residual) or new_worst <= worst:
                break
            alpha *= 0.5
        residual, worst, mean = new_residual, new_worst, _mean(sums, weight, least)
        keep_best(W, max(residual / tol_residual, worst / tol_comp), residual, worst, kept)
        if iteration < 0:
            path = mean
        short = short + 1 if iteration >= 0 and alpha < 1e-3 else 0
        if residual < 0.5 * best_residual or mean < 0.5 * best_mean:
            best_residual, best_mean, idle = min(residual, best_residual), min(mean, best_mean), 0
        else:
            idle += 1
        if short >= 3 or (idle >= W.solver.patience and not careful):
            accepted = tol_comp * steady(W) if kappa == 0.0 else tol_comp
            status = SOLVED if residual <= tol_residual and worst <= accepted else STALLED
            return status, iteration + 1, residual, worst
    if residual <= tol_residual and worst <= (tol_comp * steady(W) if kappa == 0.0 else tol_comp):
        return SOLVED, max_iterations, residual, worst
    return MAX_ITERATIONS, max_iterations, residual, worst


@kernel
def steady(W):
    """How much more complementarity than the tolerance a solve that got stuck may have, under the largest impulse: see STEADY."""
    most = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        most = max(most, W.con[W.members[CONTACTS, k], 0])
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        most = max(most, W.lim[W.members[LIMITS, k], 0])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        most = max(most, W.bound[W.members[DOFS, k]])
    return max(1.0, W.solver.steady * most)
