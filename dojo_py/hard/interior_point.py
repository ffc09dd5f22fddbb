"""Dojo, Algorithm 2: a primal-dual interior-point method with Mehrotra's predictor and corrector, for one step.

    find w, b, c with   r(w) = 0,   b ∘ c = κ e,   b, c in their cones,   κ → 0 (or to the κ asked for)         (Dojo, eq. 26-27)

w: velocities of the bodies, impulses of joints. (b, c): impulse and gap of contacts and limits, bound and slip of friction.

    measure     residual |r|, complementarity |b∘c - κe|, mean product ν
    predict     Newton's step to κ = 0 (affine); α_aff: how far it stays in the cones
    centre      σ = (ν(α_aff)/ν)³,  target σ ν
    correct     Newton's step to the target, with the second-order terms of the affine step
    recentre    where the corrected step is blocked by the cones: a step to a higher target without them
    line search α: inside the cones, then halved until residual or complementarity fall
    move        w, b, c += α times the step

Normal impulses and limits bound positions (γ s, in N s m), friction bounds velocities (ξ∘η, in N s m/s). While gaps shrink with
κ, bodies move by s, at velocities s/h = κ/(h γ): friction at the same κ takes these for slip, and clings one way, then the other.
So friction's products stay 1/h times larger all the way to the hard limit: `weight` h. (With weight 1 a pile takes five times the
iterations: docs/algorithm.md.)
"""

import math

from dojo_py.hard.assemble import assemble
from dojo_py.hard.closures import forget_unmet, keep_unmet
from dojo_py.hard.correction import weigh_correction
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS
from dojo_py.hard.points import clear_cones, combine, copy_point
from dojo_py.hard.progress import centring, inside_rotation_domain, inside_servo_ranges, largest_step, residual_of
from dojo_py.hard.recover import recover
from dojo_py.hard.residuals import evaluate_motion, evaluate_rows
from dojo_py.jit import kernel
from dojo_py.simulate.status import Status
from dojo_py.solver.block_ldu import factorise, solve
from dojo_py.solver.cones.contact import ROWS
from dojo_py.solver.cones.standoff import has_arrived

SOLVED, MAX_ITERATIONS, STALLED, SINGULAR, TOO_FAST, NOT_FINITE, _, INEXACT = map(int, Status)

LINE_SEARCH = 8
"""Most halvings of a step."""

LEAST_CENTRING = 0.3
"""Smallest σ of a step without the second-order terms of a prediction that could go far."""

NO_STEP = 1e-3
"""Steps shorter than this, STUCK times in a row, lead nowhere."""
STUCK = 3

UNCLEAR = 1e-14
"""Round-off of a difference, relative to its terms."""


@kernel
def iterate(L, P, Q, A, W, h, kappa, lead, weight, tol_residual, tol_comp, most, evaluated, kept):
    """Dojo, Algorithm 2: from here to residual ≤ tol_residual [m/s] and |b∘c - κe| ≤ tol_comp, in `most` iterations at most.

    Returns (status, iterations, residual, complementarity). kappa = 0 asks for the hard limit: then tol_comp bounds the
    complementarity itself. lead: κ of friction's products over κ of the gaps'; weight: the same on the way there. evaluated: the
    motion has been, at these velocities. kept (3,): merit, residual and complementarity of the best point so far, see `keep_best`.
    """
    end = kappa if kappa > 0.0 else 0.5 * tol_comp
    floor = weight * lead * end
    clear_cones(W, W.change)
    clear_cones(W, W.affine)
    forget_unmet(L, W)
    if not evaluated:
        evaluate_motion(L, A, W, h, W.options.springs)
    residual, worst, mean, typical = measure(L, P, Q, W, h, kappa, lead, weight)
    least_residual, least_mean, idle, short, fast = residual, mean, 0, 0, 0
    for iteration in range(most + 1):
        keep_best(W, max(residual / tol_residual, worst / tol_comp), residual, worst, kept)
        row = W.trace[min(iteration, W.trace.shape[0] - 1)]
        row[0], row[1], row[2], row[3], row[4], row[5] = residual, worst, mean, 0.0, 0.0, 0.0
        # (the start may meet the tolerances with forces too small for them that would never act: not without a step)
        if residual <= tol_residual and worst <= tol_comp and (iteration > 0 or residual <= W.solver.at_rest * tol_residual):
            return SOLVED, iteration, residual, worst
        if not (math.isfinite(residual) and math.isfinite(worst)):
            return NOT_FINITE, iteration, residual, worst
        if fast >= W.solver.rotation_bound:
            return TOO_FAST, iteration, residual, worst
        stuck = short >= STUCK or idle >= W.solver.patience
        if stuck or iteration == most:
            accepted = tol_comp * steady(W) if kappa == 0.0 else tol_comp
            accepted = max(accepted, min(_product_round_off(W), 1e-3 * kappa if kappa > 0.0 else math.inf))
            if residual > tol_residual and worst <= accepted:  # (joints held by large impulses: their round-off moves the bodies)
                residual = residual_of(L, W, h, 2.0)
            good = residual <= tol_residual and worst <= accepted
            return SOLVED if good else STALLED if stuck else MAX_ITERATIONS, iteration, residual, worst

        affine, sigma = 1.0, 1.0
        enough = 1e-2 * max(residual, tol_residual)
        predicted = mean > W.solver.arrived * floor  # (nearer, the correction would be for a step that is not taken)
        if predicted:
            if not newton(L, W, h, kappa, 0.0, typical, False, math.inf):
                return SINGULAR, iteration, residual, worst
            affine = min(1.0, largest_step(W))
            sigma = _centring_parameter(W, affine, weight, mean, kappa)
            copy_point(W, W.change, W.affine)
            target = max(sigma * mean, floor, min(W.solver.bend * _bend(W, h), W.solver.leap * mean))
        else:
            target = floor
        if not newton(L, W, h, max(target, kappa), target / weight, typical, predicted, enough):
            return SINGULAR, iteration, residual, worst
        reach = largest_step(W)
        if predicted:
            reach = weigh_correction(W, affine, reach)
        elif kappa > 0.0 and reach > 1.0:
            reach = correct_full_step(L, W, h, max(target, kappa), target / weight, typical, enough, reach)
        for _ in range(2):  # the pairs are near the end of the path and the motion is not: aim higher
            if predicted or mean <= 0.0 or reach >= W.solver.cramped:
                break
            clear_cones(W, W.affine)
            target *= W.solver.rise
            newton(L, W, h, max(target, kappa), target / weight, typical, True, enough)
            reach = largest_step(W)
        if predicted and reach < W.solver.blocked and kappa == 0.0:
            # the pairs have shrunk before the motion fits them: higher up the path, or where the prediction could go, uncorrected
            clear_cones(W, W.affine)
            target = max((W.solver.rise if affine < W.solver.blocked else max(sigma, LEAST_CENTRING)) * mean, floor)
            newton(L, W, h, max(target, kappa), target / weight, typical, True, enough)
            reach = largest_step(W)

        # the better the prediction and the fuller the step, the closer to the boundary: convergence is superlinear at the end
        within = min(1.0, max(W.solver.to_boundary, min(1.0 - sigma ** (1.0 / 3.0), reach)) * reach)
        alpha = inside_rotation_domain(W, h, within)
        fast = fast + 1 if alpha <= 0.5 * within else 0
        alpha = inside_servo_ranges(L, W, A, h, alpha)
        copy_point(W, W.now, W.saved)
        for _ in range(LINE_SEARCH):
            combine(W, 1.0, W.saved, alpha, W.change, W.now)
            evaluate_motion(L, A, W, h, W.options.springs)
            new_residual, new_worst, mean, typical = measure(L, P, Q, W, h, kappa, lead, weight)
            if new_residual <= max(W.solver.growth * residual, 1e3 * tol_residual) or new_worst <= worst:
                break
            alpha *= 0.5
        residual, worst = new_residual, new_worst
        row[3], row[4], row[5] = alpha, affine, sigma
        short = short + 1 if alpha < NO_STEP else 0
        idle = 0 if residual < 0.5 * least_residual or mean < 0.5 * least_mean else idle + 1
        if idle == 0:
            least_residual, least_mean = min(residual, least_residual), min(mean, least_mean)
    return MAX_ITERATIONS, most, residual, worst


@kernel
def measure(L, P, Q, W, h, kappa, lead, weight):
    """(residual [m/s], largest |b∘c - κe|, mean product with friction's times weight, mean product of gaps) of the present point.

    The last is 0 on the central path, where all products are to be the same (`assemble`).
    """
    sums = W.scratch[104, 0:6]
    evaluate_rows(L, P, Q, W, h, W.options.springs)
    settle_slacks(W)
    centring(W, kappa, lead * kappa, 0.0, sums)
    typical = sums[1] / max(sums[2], 1.0) if kappa == 0.0 else 0.0
    return residual_of(L, W, h, 1.0), max(sums[0], sums[3] / lead), _mean(sums, weight, kappa), typical


@kernel
def settle_slacks(W):
    """Slacks of gaps that have arrived and stay so are what the motion makes of the gaps.

    A slack of 1e-10 m that is off by 1e-13 would move a thousandth of the load to other contacts, although either has arrived.
    """
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if has_arrived(W.con[c, 1], W.standoff[c]) and has_arrived(W.cval[c, 0], W.standoff[c]):
            W.con[c, 1] = W.cval[c, 0]
    for k in range(W.span[MOVED_LIMITS, 0], W.span[MOVED_LIMITS, 1]):
        m = W.members[LIMITS, k]
        standoff = W.limit_standoff[W.limit_active[m]]
        if has_arrived(W.lim[m, 1], standoff) and has_arrived(W.lgap[m], standoff):
            W.lim[m, 1] = W.lgap[m]


@kernel
def _mean(sums, weight, kappa):
    """Mean product of what still has to shrink, friction's times weight [N s m], of the sums of `centring` (Dojo, eq. 52)."""
    return (max(sums[1] - sums[2] * kappa, 0.0) + weight * sums[4]) / max(sums[2] + sums[5], 1.0)


@kernel
def _centring_parameter(W, alpha, weight, mean, kappa):
    """Mehrotra's σ = (ν(α)/ν)³ (Dojo, eq. 53-54): small when the affine step α brings the products down."""
    sums = W.scratch[104, 0:6]
    centring(W, 0.0, 0.0, alpha, sums)
    ratio = min(max(_mean(sums, weight, kappa) / mean, 0.0), 1.0)
    return ratio * ratio * ratio


@kernel
def _bend(W, h):
    """Largest product [N s m] of a contact's impulse and, about, its gap's second-order change in W.change.v: lever |δφ|² / 2."""
    worst = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        change = 0.0
        for side in range(2):
            b = W.cbody[c, side]
            if b >= 0:
                C, w = W.cC[c, side], W.change.v[b]
                turn = math.sqrt(w[3] * w[3] + w[4] * w[4] + w[5] * w[5])
                change += 0.5 * h * turn * turn * math.sqrt(C[0, 3] * C[0, 3] + C[0, 4] * C[0, 4] + C[0, 5] * C[0, 5])
        worst = max(worst, W.con[c, 0] * change)
    return worst


@kernel
def newton(L, W, h, kn, kf, typical, corrected, enough):
    """Newton's step to the products kn of gaps and kf of friction (Dojo, eq. 28-29), into W.change. False where singular.

    typical: see `assemble`. corrected: with the second-order terms of the affine step, on the matrix that it was found with.
    enough: largest imbalance [m/s] that refinement leaves.
    """
    assemble(L, W, h, kn, typical, kf, corrected)
    if not corrected and factorise(W.pattern, W.blocks) >= 0:
        return False
    solve(W.pattern, W.blocks, W.step)
    recover(L, W, h, kn, kf, corrected, enough)
    keep_unmet(L, W, h)
    return True


@kernel
def correct_full_step(L, W, h, kn, kf, typical, enough, reach):
    """W.change, a full Newton step to the products kn, kf, with its own second-order terms, if that can be taken in full, too.

    Convergence is of third order then, for one more solve with the matrix that is there. Returns how far the step may go.
    """
    copy_point(W, W.change, W.affine)
    newton(L, W, h, kn, kf, typical, True, enough)
    far = largest_step(W)
    if far > 1.0:
        return far
    copy_point(W, W.affine, W.change)
    return reach


@kernel
def _product_round_off(W):
    """Round-off of friction's products ξ∘η [N s m/s]: differences of terms as large as the bound times the speed."""
    most = 0.0
    for k in range(W.span[MOVED_CONTACTS, 0], W.span[MOVED_CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        speed = 0.0
        for r in range(1, ROWS[W.claw[c]]):
            speed += abs(W.cval[c, r])
        most = max(most, W.cmu[c] * W.con[c, 0] * speed)
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        most = max(most, W.bound[d] * (W.fric[d, 1] + W.fric[d, 2]))
    return UNCLEAR * most


@kernel
def keep_best(W, merit, residual, worst, kept):
    """Keep the present point when its merit, the violations over their tolerances, is the smallest so far and it is not solved.

    kept (3,): merit, residual and complementarity of the one that is kept; a negative merit: none is asked for.
    """
    if not (1.0 < merit < kept[0]):
        return
    kept[0], kept[1], kept[2] = merit, residual, worst
    copy_point(W, W.now, W.best)


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
