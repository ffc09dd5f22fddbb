"""The whole step of an island after its attempts: what else may solve it, and what a solution has to have besides.

Best point, held points (held_points.py); no ghosts (ghosts.py), rebounds (impacts.py). The last point kept in W.best is the one at
which the step ends where nothing better is found.
"""

from dojo_py.hard.compiled_apart import hold_apart, hold_points, let_ghosts_go
from dojo_py.hard.contacts.ghosts import take_ghosts_back
from dojo_py.hard.contacts.held_points import any_held, release_points
from dojo_py.hard.islands import CONTACTS
from dojo_py.hard.outcome import BEST_RECOVERY, BEST_RESIDUAL, BEST_WORST, MERIT, WITH_ROUND_OFF, forget_best, is_solved
from dojo_py.hard.points import copy_point
from dojo_py.hard.report import RESIDUAL, STATUS, WORST
from dojo_py.hard.solve.first_point import release_cones, start_motion
from dojo_py.hard.solve.goal import complementarity_tolerance, steady
from dojo_py.hard.solve.residual_norm import BEYOND_ROUND_OFF, WHOLE, residual_of
from dojo_py.hard.solve.residuals import evaluate
from dojo_py.hard.solve.start import OUT_OF_REACH
from dojo_py.hard.solve.start_impulses import COLD, HERE, guess_impulses
from dojo_py.hard.statuses import SOLVED, STALLED
from dojo_py.hard.step.chain_work import chains_throw
from dojo_py.hard.step.contact_work import throws
from dojo_py.hard.step.impacts import forget_impacts, mark_impacts, rebound
from dojo_py.hard.step.momentum_matching import begin_whole
from dojo_py.hard.step.one_solve import whole
from dojo_py.hard.step.parts import turns_fast
from dojo_py.jit import kernel

MOST_HOLDS = 6
"""Most solves in each of which further points are held (`_hold_again`)."""

MOST_GHOSTS = 4
"""Most solves without the ghosts of the last one: contacts that had an impulse although their shapes ended apart (ghosts.py)."""


@kernel
def complete_whole(L, P, Q, A, W, h, recovery):
    """After the attempts at the whole step in the hard limit: further attempts if it is not solved, then completion of a solution.

    recovery: how fast the last of these attempts undid initial violations at most, 0 where they stay [m/s, rad/s].

    Attempts: the best point, accepted with the tolerance of a solve that got stuck; held points (held_points.py). A solution is
    solved again without ghosts (ghosts.py) and with rebounds (impacts.py), and rejected where bodies rotate too fast at its end or
    contacts or taut tendons create energy, or joints of one body.
    """
    if not is_solved(W):
        _take_best(L, P, Q, A, W, h)
        if is_solved(W):
            recovery = W.found[BEST_RECOVERY]
    if not is_solved(W) and hold_points(L, P, Q, W) > 0:
        whole(L, P, Q, A, W, h, recovery, 0.0, COLD, False)
    if any_held(P, W):
        if _hold_again(L, P, Q, A, W, h, recovery):
            W.found[STATUS] = STALLED
        if not is_solved(W):
            release_points(P, W)
    if is_solved(W):
        _solve_without_ghosts(L, P, Q, A, W, h, recovery)
    if is_solved(W):
        _rebound(L, P, Q, A, W, h, recovery)
    divides = W.options.subdivisions > 0.0
    if is_solved(W) and ((divides and (turns_fast(L, W, h) or throws(L, P, Q, W, h))) or chains_throw(L, W)):
        forget_impacts(W)  # (their end gaps are those of the whole step)
        W.found[STATUS] = STALLED
        forget_best(W)  # (which may be this solution)


@kernel
def _take_best(L, P, Q, A, W, h):
    """The best point is the solution if its complementarity is within what a solve that got stuck may have (`steady`)."""
    if W.found[BEST_RESIDUAL] > W.options.residual_tolerance:
        return
    end_at_best(L, P, Q, A, W, h)
    accepted = complementarity_tolerance(L, W, h, 0.0) * steady(W)
    residual = residual_of(L, W, h, BEYOND_ROUND_OFF)
    if W.found[BEST_WORST] <= accepted and residual <= W.options.residual_tolerance:
        W.found[STATUS] = SOLVED
        end_with(W, residual, residual_of(L, W, h, WHOLE), W.found[BEST_WORST])


@kernel
def _hold_again(L, P, Q, A, W, h, recovery):
    """After a solve with points held: contacts that have an impulse although their shapes end apart are held at the end poses, and
    the step is solved again from that solution, until there are none.

    (A cold start with all its attempts would take as many iterations as the first solve each time; those that are left are for
    parts.) Returns whether contacts with impulses still end apart.
    """
    for _ in range(MOST_HOLDS):
        if not is_solved(W):
            return False
        held, passed = hold_apart(L, P, Q, W)
        if held == 0:
            return passed
        whole(L, P, Q, A, W, h, recovery, 0.0, HERE, True)
    held, passed = hold_apart(L, P, Q, W)
    return is_solved(W) and (held > 0 or passed)


@kernel
def _solve_without_ghosts(L, P, Q, A, W, h, recovery):
    """After a solve: contacts that have an impulse although their shapes end apart (ghosts) are removed and the step is solved
    again, until there are none.

    Where no solution without them is found, the last one stands.
    """
    if W.span[CONTACTS, 1] == W.span[CONTACTS, 0]:
        return
    for _ in range(MOST_GHOSTS):
        _keep_solution(W, recovery)
        if let_ghosts_go(L, P, Q, W, False) == 0:
            return
        whole(L, P, Q, A, W, h, recovery, 0.0, HERE, False)
        if not is_solved(W):
            take_ghosts_back(P, W)
            _take_kept(L, P, Q, A, W, h)
            return


@kernel
def _rebound(L, P, Q, A, W, h, recovery):
    """After a solve: the step again with the rebounds of its impacts (impacts.py). Where no solution with them is found, the one
    without restitution stands.
    """
    if mark_impacts(L, P, Q, W, h) == 0:
        return
    _keep_solution(W, recovery)
    if not rebound(L, P, Q, A, W, h, recovery, False, True):
        forget_impacts(W)
        _take_kept(L, P, Q, A, W, h)


@kernel
def _take_kept(L, P, Q, A, W, h):
    """The islands end at the solution that `_keep_solution` has kept."""
    end_at_best(L, P, Q, A, W, h)
    W.found[STATUS] = SOLVED
    end_with(W, W.found[BEST_RESIDUAL], residual_of(L, W, h, WHOLE), W.found[BEST_WORST])


@kernel
def _keep_solution(W, recovery):
    """Store the solution of a whole step, found with this recovery speed, as the best point, which no later point replaces."""
    copy_point(W, W.now, W.best)
    W.found[MERIT], W.found[BEST_RESIDUAL], W.found[BEST_WORST] = 0.0, W.found[RESIDUAL], W.found[WORST]
    W.found[BEST_RECOVERY] = recovery


@kernel
def end_with(W, residual, with_round_off, complementarity):
    """The islands end with this residual [m/s, rad/s], beyond round-off and with it, and this complementarity."""
    W.found[RESIDUAL], W.found[WITH_ROUND_OFF], W.found[WORST] = residual, with_round_off, complementarity


@kernel
def end_at_best(L, P, Q, A, W, h):
    """The islands end at the best point that the attempts at the whole step found, with its recovery (`whole`)."""
    begin_whole(L, P, Q, W, h, W.found[BEST_RECOVERY])
    guess_impulses(W, COLD)
    start_motion(L, W)
    release_cones(L, W, h)
    copy_point(W, W.best, W.now)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if W.contact_allowance[c] == OUT_OF_REACH:  # (the point knows nothing of contacts that were added since, for a part)
            W.con[c, :] = 0.0
    evaluate(L, P, Q, A, W, h)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if W.contact_allowance[c] == OUT_OF_REACH:
            W.con[c, 1] = W.cval[c, 0]
