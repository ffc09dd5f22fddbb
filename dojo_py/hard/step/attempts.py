"""The step of an island whose contacts carry load: solved from one start after another, then along the central path."""

import math

from dojo_py.friction_laws import FRICTIONLESS
from dojo_py.hard.compiled_apart import hold_corners
from dojo_py.hard.contacts.held_points import any_held
from dojo_py.hard.island_memory import in_vain, is_left_out
from dojo_py.hard.islands import CONTACTS
from dojo_py.hard.outcome import SLIPS, SMOOTHED_FAILED, SOLVES, WITH_ROUND_OFF, left
from dojo_py.hard.report import COUNT, RESIDUAL, STATUS, WORST
from dojo_py.hard.solve.central_path import follow
from dojo_py.hard.solve.first_point import any_cone, fly, hold_cones, release_cones, stand, start_motion
from dojo_py.hard.solve.goal import complementarity_tolerance, goal_of, motion_alone
from dojo_py.hard.solve.interior_point import iterate
from dojo_py.hard.solve.least_stress import relieve_stress
from dojo_py.hard.solve.residual_norm import BEYOND_ROUND_OFF, WHOLE, residual_of
from dojo_py.hard.solve.residuals import evaluate_motion, evaluate_rows
from dojo_py.hard.solve.smoothed_newton import any_pyramid, smoothed_newton
from dojo_py.hard.solve.start_impulses import COLD, HERE, WARM, guess_impulses
from dojo_py.hard.solve.start_pairs import slips_more, start_pairs
from dojo_py.hard.solve.unloaded import let_go, nothing_touches, slacks_of_motion
from dojo_py.hard.statuses import MAX_ITERATIONS, SOLVED, STALLED, TOO_FAST
from dojo_py.hard.step.held_bounds import bounds_held
from dojo_py.jit import kernel

(
    SMOOTHED, WARM_START, AGAIN_WARM, COLD_START, AGAIN_COLD, HIGH_START, AGAIN_HIGH, STANDING, AGAIN_STANDING, PATH, AGAIN_PATH,
) = range(11)  # fmt: skip
"""Attempts at a step, in this order: Newton's method on smoothed equations (smoothed_newton.py) from the last step's impulses
(warm); the interior-point method from these, then from none (cold), then from high up the path, at the products that stopping all
slip takes (`start_pairs._slip_scale`), then, at kappa > 0, from bodies that stand still; along the central path, around the folds
that friction makes (central_path.py). AGAIN_…: once more, from where the attempt before got stuck close to the solution; these keep
the gaps of contacts that rested before (`assemble._aim`).

Cold, contacts and joints are linearised first at the end of the motion without impulses: bodies that would rotate into a floor meet
it with the corner that is deepest there. A leg that swings through a box in one step would be pushed on, out at the far side; if it
stands at first, it meets the near one. (In the hard limit parts of the step do this better: two balls that meet at 120 m/s may also
be wedged side by side, each sticking to the other.)"""
HEIGHT = (0.0, 0.1, 0.1, 1.0, 0.1, 1.0, 0.1, 1.0, 0.1, 1.0, 0.1)
"""How far up the central path each starts: the fraction of a scale of impulse times displacement. Warm and AGAIN_…: of violations
left under their impulses; cold, standing and path: of all violations; high: of what stopping all slip takes."""

PATH_SHARE = 0.5
"""Fraction of the remaining iterations that following the path may take: as many are left to the step in parts."""

SOLVE_LIMIT = 50
"""Most iterations of one solve. (With 200 as many steps are solved, after as many iterations.)"""
UNLOADED_LIMIT = 8
"""Most iterations to the motion without impulses of an island in which nothing touches; two or three are usual."""
QUIET = 5.0
"""The motion under the initial impulses is solved, before the complementarity pairs get their first values, only where its residual
is more than this times h [m/s²]. (Solved everywhere, drawn `shapes` take 3 % more iterations, and as many steps are solved.)"""


@kernel
def attempts(L, P, Q, A, W, h, kappa, source, whole, last, once):
    """Solve the step of the islands in W.span by one attempt after another, until one solves it. The results are in W.found.

    source: the impulses that come first, WARM, HERE (the present ones) or COLD. whole: a whole step, for which the path is followed
    and the best point is kept, unless points or bounds of friction are held: those are other equations (held_points.py,
    held_bounds.py). In a part of a step the path is followed only as the last resort (`last`). once: only attempts from `source`.
    Returns True where a solve found its impulses, but contacts whose normals these poses do not determine: these are held now
    (`hold_corners`), and the step is to be solved again from the present impulses.
    """
    tightest = complementarity_tolerance(L, W, h, kappa)
    first = COLD_START if source == COLD else SMOOTHED if source == WARM and _is_smoothed(W, whole) else WARM_START
    last_one = AGAIN_PATH if not once else AGAIN_COLD if first == COLD_START else AGAIN_WARM
    keeps_best = whole and not any_held(P, W) and not bounds_held(W)
    for attempt in range(first, last_one + 1):
        near = attempt > max(first, WARM_START) and W.found[RESIDUAL] < W.solver.close and W.found[WORST] <= tightest
        if whole and kappa == 0.0 and near and hold_corners(L, P, Q, W, h) > 0:
            return True
        if _is_due(W, kappa, attempt, whole or last):
            impulses = HERE if _takes_up(attempt) else source if attempt <= WARM_START else COLD
            if _attempt(L, P, Q, A, W, h, kappa, attempt, impulses, keeps_best, tightest):
                return False
    return False


@kernel
def _takes_up(attempt):
    """Whether an attempt continues the one before from where that got stuck."""
    return attempt in (AGAIN_WARM, AGAIN_COLD, AGAIN_STANDING, AGAIN_HIGH, AGAIN_PATH)


@kernel
def _is_due(W, kappa, attempt, may_follow):
    """Whether to make an attempt, given the result of the last one. may_follow: whether the path is an option in the hard limit.

    What gets stuck close to the solution is taken up again wherever an AGAIN_… follows, also where the attempt before it was not
    due: some solves end only then (a tower of blocks at the second time, after 34 iterations instead of 270 along the path).
    """
    if _takes_up(attempt):
        stuck = W.found[STATUS] == STALLED or W.found[STATUS] == MAX_ITERATIONS
        return stuck and W.found[RESIDUAL] < W.solver.close
    if attempt == HIGH_START:
        return W.found[SLIPS] > 0.0
    if attempt == STANDING:
        return kappa > 0.0
    return attempt != PATH or kappa > 0.0 or (may_follow and any_friction(W))


@kernel
def _attempt(L, P, Q, A, W, h, kappa, attempt, impulses, keeps_best, tightest):
    """One attempt from these impulses. Returns whether it is the last: solved, too fast where parts of a step are an option, or no
    iterations are left.

    tightest: the tolerance of complementarity, see `goal_of`.
    """
    found, again = W.found, _takes_up(attempt)
    W.keeps_rest[0] = 1.0 if again else 0.0
    goal = goal_of(L, W, h, kappa, tightest, again, _most(W, SOLVE_LIMIT), keeps_best)
    if _start(L, P, Q, A, W, h, kappa, attempt, impulses, goal.weight, _most(W, UNLOADED_LIMIT)):
        _note(L, W, h, SOLVED, residual_of(L, W, h, BEYOND_ROUND_OFF), 0.0)
        return True
    if attempt == SMOOTHED:
        status, residual, worst = _solve(L, P, Q, A, W, h, goal, True, False)
        if status != SOLVED:
            found[SMOOTHED_FAILED] = 1.0
            found[SOLVES] += 1.0
            return False
        _note(L, W, h, SOLVED, residual, worst)
        return True
    if attempt == PATH and any_cone(L, W):
        end = goal.weight * (kappa if kappa > 0.0 else 0.5 * goal.tol_comp)
        most = int(PATH_SHARE * left(W))
        _, count = follow(L, P, Q, A, W, h, goal.weight / goal.lead, end, goal.tol_residual, most)
        found[COUNT] += count
        goal = goal_of(L, W, h, kappa, tightest, again, _most(W, SOLVE_LIMIT), keeps_best)
    status, residual, worst = _solve(L, P, Q, A, W, h, goal, False, False)
    _note(L, W, h, status, residual, worst)
    return status == SOLVED or (status == TOO_FAST and kappa == 0.0) or left(W) <= 0.0


@kernel
def _solve(L, P, Q, A, W, h, goal, smoothed, cones_held):
    """Solve to the Goal: smoothed by Newton's method on smoothed equations, else by the interior-point method.

    Once more from there where it left stress (least_stress.py), whose round-off the first residual may hold. cones_held: only the
    motion is solved, at fixed impulses of contacts (`hold_cones`). Returns (status, residual, worst) as `iterate`, whose iterations
    are added to COUNT.
    """
    status, residual, worst = STALLED, 0.0, 0.0
    for relieved in range(2):
        if smoothed:
            status, count, residual, worst = smoothed_newton(L, P, Q, A, W, h, goal)
        else:
            status, count, residual, worst = iterate(L, P, Q, A, W, h, goal)
        W.found[COUNT] += count
        if relieved or not relieve_stress(L, W, h, status, count, cones_held):
            break
    return status, residual, worst


@kernel
def _most(W, limit):
    """The smaller of `limit` and the iterations that are left, 1 at least."""
    return max(min(limit, int(left(W))), 1)


@kernel
def _is_smoothed(W, whole):
    """Whether Newton's method on smoothed equations is tried: for whole steps, unless it failed recently."""
    return whole and not is_left_out(in_vain(W)) and not any_pyramid(W)


@kernel
def _note(L, W, h, status, residual, worst):
    """Record in W.found how a solve ended at the present point."""
    W.found[STATUS], W.found[RESIDUAL], W.found[WORST] = status, residual, worst
    W.found[SOLVES] += 1.0
    W.found[WITH_ROUND_OFF] = residual_of(L, W, h, WHOLE)


@kernel
def any_friction(W):
    """Whether a contact of the islands in W.span has friction."""
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        if W.claw[W.members[CONTACTS, k]] != FRICTIONLESS:
            return True
    return False


@kernel
def _start(L, P, Q, A, W, h, kappa, attempt, impulses, weight, most):
    """Solve the motion under the initial impulses, then give the pairs of contacts, limits and dry friction their first values.

    Newton's method on smoothed equations begins with the old velocities instead: its first step takes the contacts that carried
    load for those that do.
    Returns whether nothing touches in the hard limit: then the motion without impulses, found in at most `most` further iterations,
    is the solution.
    """
    height, again, slips = HEIGHT[attempt], _takes_up(attempt), attempt == HIGH_START
    remembered = again or attempt <= WARM_START  # (these impulses may be nearly right)
    guess_impulses(W, impulses)
    start_motion(L, W)
    fly(L, W, h)
    hold_cones(W)
    cones = any_cone(L, W)
    tolerance = max(W.options.residual_tolerance, QUIET * h) if cones else math.inf
    evaluate_motion(L, A, W, h)
    if attempt == SMOOTHED:
        evaluate_rows(L, P, Q, W, h)
    else:
        _, count, _, _ = iterate(L, P, Q, A, W, h, motion_alone(tolerance, 1.0, 1))
        W.found[COUNT] += count
    if cones and kappa == 0.0 and not again and nothing_touches(L, W, h):
        let_go(W)
        motion = motion_alone(W.options.residual_tolerance, W.solver.at_rest, most)
        status, _, _ = _solve(L, P, Q, A, W, h, motion, False, True)
        if status == SOLVED and nothing_touches(L, W, h):
            release_cones(L, W, h)
            slacks_of_motion(W)
            return True
    if cones and height > 0.0:
        start_pairs(L, W, h, height, kappa, weight, remembered, slips)
        if not remembered:  # (the start from high up is made only where it lies higher on the path than the cold one)
            W.found[SLIPS] = 1.0 if slips_more(L, W, h) else 0.0
        if attempt == STANDING:
            stand(L, W)
    release_cones(L, W, h)
    return False
