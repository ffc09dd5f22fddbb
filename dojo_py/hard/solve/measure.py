"""How far the present point is from the goal of a solve, and whether the solve terminates there."""

import math
from typing import NamedTuple

from dojo_py.arrays import scratch
from dojo_py.hard.islands import CONTACTS, DOFS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS
from dojo_py.hard.solve.complementarity import centring
from dojo_py.hard.solve.goal import steady
from dojo_py.hard.solve.residual_norm import BEYOND_IMPULSES, BEYOND_ROUND_OFF, UNCLEAR, residual_of, worse
from dojo_py.hard.solve.residuals import evaluate_rows
from dojo_py.hard.statuses import GOES_ON, MAX_ITERATIONS, NOT_FINITE, SOLVED, STALLED, TOO_FAST
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import ROWS
from dojo_py.solver.cones.standoff import has_arrived

NO_STEP = 1e-3
"""A solve is stuck after STUCK step lengths in a row that are shorter than this."""
STUCK = 3
UNCENTRED = 1e-3
"""Most that round-off may keep products off, over κ, where a solve to κ > 0 is stuck."""


class Measure(NamedTuple):
    """How far the present point is from the goal."""

    residual: float  # largest row beyond its round-off [m/s]
    worst: float  # largest |b∘c - κe| [N s m, N s m/s]
    gaps: float  # largest |γ s - κ| [N s m]
    mean: float  # mean product in excess of its end, friction's times the weight [N s m] (`mean_product`)
    typical: float  # mean product of gaps; 0 on the central path, where all products have the same target (`assemble`)


class Course(NamedTuple):
    """How the iterations went so far."""

    least_residual: float  # at the last iteration that counted as progress
    least_mean: float
    idle: int  # iterations since
    short: int  # steps in a row that were shorter than NO_STEP
    fast: int  # steps in a row that were halved because a body would have rotated by more than a step can (`JOINTED_TURN`)
    cut: bool  # whether a step since that iteration was halved for it


@kernel
def measure(L, P, Q, W, h, goal):
    """The Measure of the present point, whose motion has been evaluated."""
    sums = scratch(6)
    evaluate_rows(L, P, Q, W, h)
    settle_slacks(W)
    centring(W, goal.kappa, goal.lead * goal.kappa, 0.0, sums)
    typical = sums[1] / max(sums[2], 1.0) if goal.kappa == 0.0 else 0.0
    worst = worse(sums[0], sums[3] / goal.lead)
    return Measure(residual_of(L, W, h, BEYOND_ROUND_OFF), worst, sums[0], mean_product(sums, goal), typical)


@kernel
def settle_slacks(W):
    """Where a slack and its gap have both arrived at the standoff, set the slack to the gap.

    A slack of 1e-10 m that is off by 1e-13 would move a thousandth of the load to other contacts, although both have arrived.
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
def mean_product(sums, goal):
    """Mean product, friction's times weight [N s m], from the sums of `centring` (Dojo, eq. 52), in excess of its end.

    What counts as no excess: κ of gaps; in the hard limit what friction's products have at their end by `lead` alone. At κ > 0
    friction's products count in full.
    """
    at_end = 0.5 * (goal.lead - 1.0) * goal.tol_comp * sums[5] if goal.kappa == 0.0 else 0.0
    excess = max(sums[1] - sums[2] * goal.kappa, 0.0) + goal.weight * max(sums[4] - at_end, 0.0)
    return excess / max(sums[2] + sums[5], 1.0)


@kernel
def begin_course(at):
    """The Course of a solve that starts at this Measure."""
    return Course(at.residual, at.mean, 0, 0, 0, False)


@kernel
def go_on(course, at, alpha, rotates_too_far):
    """The Course after a step alpha to this Measure."""
    short = course.short + 1 if alpha < NO_STEP else 0
    fast = course.fast + 1 if rotates_too_far else 0
    if at.residual < 0.5 * course.least_residual or at.mean < 0.5 * course.least_mean:
        return Course(min(at.residual, course.least_residual), min(at.mean, course.least_mean), 0, short, fast, rotates_too_far)
    return Course(course.least_residual, course.least_mean, course.idle + 1, short, fast, course.cut or rotates_too_far)


@kernel
def verdict(L, W, h, goal, at, course, iteration):
    """(status, residual) of a solve that ends here, or (GOES_ON, residual).

    The starting point may meet the tolerances although small forces are unbalanced, which would then never act: so a first step is
    taken, unless the residual is below `Goal.at_rest` times its tolerance. A solve that got stuck is accepted where what exceeds
    the tolerances is round-off of products and of joint rows.
    """
    if at.residual <= goal.tol_residual and at.worst <= goal.tol_comp and at.gaps <= goal.tol_gap:
        if iteration > 0 or at.residual <= goal.at_rest * goal.tol_residual:
            return SOLVED, at.residual
    if not (math.isfinite(at.residual) and math.isfinite(at.worst)):
        return NOT_FINITE, at.residual
    if course.fast >= W.solver.rotation_bound:
        return TOO_FAST, at.residual
    stuck = course.short >= STUCK or course.idle >= W.solver.patience
    if not stuck and iteration < goal.most:
        return GOES_ON, at.residual
    residual, accepted = at.residual, goal.tol_stuck * (steady(W) if goal.kappa == 0.0 else 1.0)
    accepted = max(accepted, min(_product_round_off(W) / goal.lead, UNCENTRED * goal.kappa if goal.kappa > 0.0 else math.inf))
    if residual > goal.tol_residual and at.worst <= accepted:
        residual = residual_of(L, W, h, BEYOND_IMPULSES)
    if residual <= goal.tol_residual and at.worst <= accepted:
        return SOLVED, residual
    if stuck and course.cut and goal.kappa > 0.0:  # (in the hard limit other starts, then parts, are tried)
        return TOO_FAST, residual
    return STALLED if stuck else MAX_ITERATIONS, residual


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
