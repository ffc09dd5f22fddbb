"""The step of an island whose contacts carry load: solved from one start after another, then along the central path."""

import math

from dojo_py.friction_laws import FRICTIONLESS
from dojo_py.hard.compiled_apart import hold_corners
from dojo_py.hard.contacts.held_points import any_held
from dojo_py.hard.elements.bodies import strongest_gravity
from dojo_py.hard.islands import BODIES, CONTACTS
from dojo_py.hard.outcome import END_IN_VAIN, SLIPS, SOLVES, WITH_ROUND_OFF, in_vain, left, waiting
from dojo_py.hard.report import COUNT, RESIDUAL, STATUS, WORST
from dojo_py.hard.solve.at_end import any_pyramid, newton_at_end
from dojo_py.hard.solve.central_path import follow
from dojo_py.hard.solve.first_point import any_cone, fly, hold_cones, release_cones, stand, start_motion
from dojo_py.hard.solve.interior_point import iterate
from dojo_py.hard.solve.least_stress import relieve_stress
from dojo_py.hard.solve.measure import Goal, motion_alone, steady
from dojo_py.hard.solve.residual_norm import BEYOND_ROUND_OFF, SMALL, UNCLEAR, WHOLE, residual_of
from dojo_py.hard.solve.residuals import evaluate_motion
from dojo_py.hard.solve.start_impulses import COLD, HERE, WARM, guess_impulses
from dojo_py.hard.solve.start_pairs import slips_more, start_pairs
from dojo_py.hard.solve.unloaded import let_go, nothing_touches, slacks_of_motion
from dojo_py.hard.statuses import MAX_ITERATIONS, SOLVED, STALLED, TOO_FAST
from dojo_py.hard.step.held_bounds import bounds_held
from dojo_py.jit import kernel

(
    AT_END, WARM_START, AGAIN_WARM, COLD_START, AGAIN_COLD, HIGH_START, AGAIN_HIGH, STANDING, AGAIN_STANDING, PATH, AGAIN_PATH,
) = range(11)  # fmt: skip
"""Attempts at a step, in this order: Newton's method at the end of the path (at_end.py) from the last step's impulses (warm); the
interior-point method from these, then from none (cold), then from high up the path, at the products that stopping all slip takes
(`start_pairs._slip_scale`), then, at kappa > 0, from bodies that stand still; along the central path, around the folds that
friction makes (central_path.py). AGAIN_…: once more, from where the attempt before got stuck close to the solution; these keep
the gaps of contacts that rested before (`assemble._aim`).

Cold, contacts and joints are linearised first at the end of the motion without impulses: bodies that would rotate into a floor meet
it with the corner that is deepest there. A leg that swings through a box in one step would be pushed on, out at the far side; if it
stands at first, it meets the near one. (In the hard limit parts of the step do this better: two balls that meet at 120 m/s may also
be wedged side by side, each sticking to the other.)"""
HEIGHT = (0.0, 0.1, 0.1, 1.0, 0.1, 1.0, 0.1, 1.0, 0.1, 1.0, 0.1)
"""How far up the central path each starts: a fraction of the violations that remain under the impulses, or of all violations, or of
all slip."""

PATH_SHARE = 0.5
"""Fraction of the remaining iterations that following the path may take: as many are left to the step in parts."""

CENTRED = 1e-5
"""Largest |b∘c - κe| over κ of a step on the central path whose derivatives count as SOLVED. Steps that round-off keeps farther off
are SOLVED, their derivatives INEXACT (rollout.py)."""

SOLVE_LIMIT = 50
"""Most iterations of one solve. (With 200 as many steps are solved, after as many iterations.)"""
UNLOADED_LIMIT = 8
"""Most iterations to the motion without impulses of an island in which nothing touches; two or three are usual."""
QUIET = 5.0
"""The motion under the initial impulses is solved, before the complementarity pairs get their first values, only where that changes
velocities by more than this times h [m/s²]. (With 0 as many steps are solved, after 1 to 5 % more iterations.)"""


@kernel
def attempts(L, P, Q, A, W, h, kappa, source, whole, last, once):
    """Solve the step of the islands in W.span by one attempt after another, until one solves it. The results are in W.found.

    source: the impulses that come first, WARM, HERE (the present ones) or COLD. whole: a whole step, for which the path is followed
    and the best point is kept, unless points or bounds of friction are held: those are other equations (held_points.py,
    held_bounds.py). In a part of a step the path is followed only as the last resort (`last`). once: only attempts from `source`.
    Returns True where a solve came near the solution and contacts were then held (`hold_corners`): to be solved again from there.
    """
    tightest = complementarity_tolerance(L, W, h, kappa)
    first = COLD_START if source == COLD else AT_END if source == WARM and _may_end_soon(W, kappa, whole) else WARM_START
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

    tightest: the tolerance of complementarity; an attempt that continues another may leave more (`steady`).
    """
    found, again = W.found, _takes_up(attempt)
    lead = 1.0 if kappa > 0.0 else 1.0 / _small(L, W, h)
    weight = min(h, 1.0)
    W.keeps_rest[0] = 1.0 if again else 0.0
    tol_residual, tol_comp = W.options.residual_tolerance, tightest * steady(W) if again and kappa == 0.0 else tightest
    # friction within its tolerance has gaps at `weight` times that, on one path with it; where it ends before them (lead > 1), they
    # are asked for this, or light bodies would separate several times as fast
    tol_gap = tol_comp * (weight if lead > 1.0 else 1.0)
    count, unloaded = _start(L, P, Q, A, W, h, kappa, attempt, impulses, weight, _most(W, UNLOADED_LIMIT))
    found[COUNT] += count
    if unloaded:
        _note(L, W, h, SOLVED, residual_of(L, W, h, BEYOND_ROUND_OFF), 0.0)
        return True
    if attempt == AT_END:
        goal = Goal(0.0, lead, weight, tol_residual, tol_comp, tol_gap, 0, False)
        for relieved in range(2):  # (once more without stress, whose round-off the first residual may hold)
            status, count, residual, worst = newton_at_end(L, P, Q, A, W, h, goal)
            found[COUNT] += count
            if relieved or not relieve_stress(L, W, h, status, count):
                break
        if status != SOLVED:
            found[END_IN_VAIN] = 1.0
            return False
        _note(L, W, h, SOLVED, residual, worst)
        return True
    if attempt == PATH and any_cone(L, W):
        end = weight * (kappa if kappa > 0.0 else 0.5 * tol_comp)
        _, count = follow(L, P, Q, A, W, h, weight / lead, end, tol_residual, int(PATH_SHARE * left(W)))
        found[COUNT] += count
    goal = Goal(kappa, lead, weight, tol_residual, tol_comp, tol_gap, _most(W, SOLVE_LIMIT), keeps_best)
    for relieved in range(2):
        status, count, residual, worst = iterate(L, P, Q, A, W, h, goal)
        found[COUNT] += count
        if relieved or not relieve_stress(L, W, h, status, count):
            break
    _note(L, W, h, status, residual, worst)
    return status == SOLVED or (status == TOO_FAST and kappa == 0.0) or left(W) <= 0.0


@kernel
def _most(W, limit):
    """The smaller of `limit` and the iterations that are left, 1 at least."""
    return max(min(limit, int(left(W))), 1)


@kernel
def _may_end_soon(W, kappa, whole):
    """Whether Newton's method at the end of the path is tried: for whole steps in the hard limit, unless it failed recently."""
    return whole and kappa == 0.0 and not in_vain(waiting(W)) and not any_pyramid(W)


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

    Returns (iterations, whether nothing touches in the hard limit). In that case the motion without impulses, found in at most
    `most` further iterations, is the solution.
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
    _, count, _, _ = iterate(L, P, Q, A, W, h, motion_alone(tolerance, 1))
    if cones and kappa == 0.0 and not again and nothing_touches(L, W, h):
        let_go(W)
        for relieved in range(2):
            status, more, _, _ = iterate(L, P, Q, A, W, h, motion_alone(W.options.residual_tolerance, most))
            count += more
            if relieved or not relieve_stress(L, W, h, status, more):
                break
            hold_cones(W)
        if status == SOLVED and nothing_touches(L, W, h):
            release_cones(L, W, h)
            slacks_of_motion(W)
            return count, True
    if cones and height > 0.0:
        start_pairs(L, W, h, height, kappa, weight, remembered, slips)
        if not remembered:  # (the start from high up is made only where it lies higher on the path than the cold one)
            W.found[SLIPS] = 1.0 if slips_more(L, W, h) else 0.0
        if attempt == STANDING:
            stand(L, W)
    release_cones(L, W, h)
    return count, False


@kernel
def complementarity_tolerance(L, W, h, kappa):
    """Largest |b∘c - κe| accepted of the islands in W.span [N s m]; of friction's products [N s m/s] `Goal.lead` times as much.

    On the central path ξ∘η of a fast slide is a difference of terms near 1, and known to 1e-14 at best; where there is no further
    progress `verdict` accepts the round-off of the terms.
    """
    if kappa > 0.0:
        return max(1e-8 * kappa, min(CENTRED * kappa, 1e-14))
    return W.options.complementarity_tolerance * _mass_scale(L, W) * _small(L, W, h)


@kernel
def _mass_scale(L, W):
    """Factor of the tolerance of complementarity by the masses of the islands in W.span: it is meant for bodies of 1 to 100 kg."""
    least = math.inf
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        least = min(least, L.mass[W.members[BODIES, k]])
    return min(least, 1.0) * max(0.01 * least, 1.0)


@kernel
def _small(L, W, h):
    """Factor, 1 at most, of the tolerance of gaps' complementarity (not friction's) by body sizes in the islands in W.span.

    Impulses κ / gap move light bodies more, and two that only touch separate at √(κ / m h): for small ones that is far. (Those of
    the size SMALL at 7e-6 m/s in a step of 0.01 s, a third of a thousandth of this radius a second.) The factor is the square of
    the size over SMALL, but no smaller than round-off allows: for small fast bodies γ s is known to about momentum times the
    round-off of positions. Friction's products let a contact creep at κ / bound, independent of size: their tolerance depends on
    masses only (`Goal.lead`), otherwise slips would have to be accurate to 1e-16 m/s.
    """
    small, momentum, way = 1.0, 0.0, 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        v, x = W.v_prev[b], W.x[b]
        small = min(small, max(L.inertia[b, 0, 0], L.inertia[b, 1, 1], L.inertia[b, 2, 2]) / (L.mass[b] * SMALL**2))
        speed = max(abs(v[0]), abs(v[1]), abs(v[2])) + h * strongest_gravity(L, b)
        momentum = max(momentum, L.mass[b] * speed)
        way = max(way, h * speed + max(abs(x[0]), abs(x[1]), abs(x[2])))
    round_off = UNCLEAR * momentum * way / (W.options.complementarity_tolerance * _mass_scale(L, W))
    return min(max(small, round_off), 1.0)
