"""The step of one island: the whole step is tried from several starting points; where none solves it, the step is divided.

How an island ends that cannot be solved at all: last_resort.py.
"""

from dojo_py.hard.contacts.choice import want_all
from dojo_py.hard.contacts.followed_rims import any_replaced, take_points_back
from dojo_py.hard.contacts.held_points import release_points
from dojo_py.hard.contacts.part_states import keep_features, take_features_back
from dojo_py.hard.elements.contact_rows import OVERLAP
from dojo_py.hard.island_memory import (
    STAYED,
    WHOLE,
    all_were,
    as_much,
    gave_way,
    in_vain,
    is_left_out,
    one_more,
    remember,
)
from dojo_py.hard.islands import BODIES
from dojo_py.hard.outcome import (
    BUDGET,
    SMOOTHED_FAILED,
    allow,
    begin_attempts,
    forget_best,
    is_solved,
    left,
    report_island,
)
from dojo_py.hard.report import (
    COUNT,
    ENDED_IN_PARTS,
    ENDED_WHOLE,
    RESIDUAL,
    STATUS,
)
from dojo_py.hard.solve.start_impulses import COLD, HERE, WARM, all_warm
from dojo_py.hard.statuses import SOLVED, STALLED
from dojo_py.hard.step.chain_work import chains_throw
from dojo_py.hard.step.completion import complete_whole
from dojo_py.hard.step.giving_way import any_closure, give_way
from dojo_py.hard.step.last_resort import give_up, report_gave_way
from dojo_py.hard.step.least_halvings import least_halvings
from dojo_py.hard.step.one_solve import whole
from dojo_py.hard.step.parts import in_parts
from dojo_py.hard.step.standstill import COVERED
from dojo_py.hard.step.violations import overlap, violation
from dojo_py.jit import kernel

MANY_LOOKS = 4
"""How often the check at the end of a step has to find fast pairs missing before the step is divided."""
SLOWLY = 0.1
"""Fraction of the recovery speed at which violations are undone where they cannot be at that speed. (An object on a tendon of 2 cm
that starts 4 cm long: pulled at its corner it turns, and no pull in one direction brings it there within a step of 0.01 s.)"""

NEVER = 1 << 30
"""W.looks of bodies whose step is not tried in parts again."""

USUAL, ASKS, GIVES_WAY, FINISHED = range(4)
"""Outcome of a stage of a step. USUAL: the next stage follows. ASKS: contacts and limits that were left out are to take part, and
the step begins anew. GIVES_WAY: the next stage starts from the solution with compliant closures. FINISHED: it is reported."""


@kernel
def solve_island(L, P, Q, A, W, h, kappa, may_ask):
    """The step of the islands in W.span: whole, else in parts, else the best there is (last_resort.py).

    Returns whether it is to be tried again with contacts and limits that had been left out; only if may_ask.

    On the central path (kappa > 0) a step is divided only because bodies rotate too fast for a whole one. Dividing those that fail
    would make the end of a step a discontinuous function of its start.
    """
    begin_attempts(W, W.solver.ladder * W.options.max_iterations)
    last = W.found[BUDGET] + (1.0 - W.solver.ladder) * W.options.max_iterations
    W.halt[COVERED] = 0.0
    halvings, parts, recovery = least_halvings(L, W, h, kappa), 1, W.options.recovery_speed
    if halvings == 0:
        came, recovery = _whole(L, P, Q, A, W, h, kappa, may_ask)
        if came != USUAL:
            return came == ASKS
    if not is_solved(W):
        keep_features(W)
        if halvings > 0 or (kappa == 0.0 and W.options.subdivisions > 0.0):
            parts, recovery = _divided(L, P, Q, A, W, h, kappa, recovery, halvings)
        if not is_solved(W) and halvings > 0 and may_ask and want_all(L, P, Q, W, h) > 0:
            return True
    if is_solved(W):
        _report_solved(W, parts, recovery)
    else:
        give_up(L, P, Q, A, W, h, kappa, halvings, parts, last)
    return False


@kernel
def _whole(L, P, Q, A, W, h, kappa, may_ask):
    """The whole step, and what belongs to its end. Returns what `_try_whole` does."""
    recovery, given = W.options.recovery_speed, USUAL
    if kappa == 0.0:
        if _looks_in_vain(W) and _divided_after_looks(L, P, Q, A, W, h, recovery):
            return FINISHED, recovery
        given = _give_way_first(L, P, Q, A, W, h)
        if given == FINISHED:
            return FINISHED, recovery
    came, recovery = _try_whole(L, P, Q, A, W, h, kappa, given == GIVES_WAY, may_ask)
    if came == USUAL and kappa == 0.0:
        complete_whole(L, P, Q, A, W, h, recovery)
    elif came == USUAL and is_solved(W) and chains_throw(L, W):
        W.found[STATUS] = STALLED
        forget_best(W)  # (which may be this solution)
    return came, recovery


@kernel
def _divided(L, P, Q, A, W, h, kappa, recovery, halvings):
    """The step in 2^halvings parts or more, initial violations undone at `recovery` at most.

    Where no part can be solved the violations may stay, in a second attempt. (Where a whole step was tried, they do already.)
    Returns (number of parts, the speed at which violations were undone in the end).
    """
    allow(W, max(left(W), 1.0))
    parts = in_parts(L, P, Q, A, W, h, recovery, halvings, kappa, False)
    stuck = not is_solved(W) and kappa == 0.0 and W.halt[COVERED] == 0.0 and left(W) > 0.0
    if stuck and recovery > 0.0 and overlap(L, P, Q, W):
        recovery = 0.0
        parts = in_parts(L, P, Q, A, W, h, recovery, halvings, kappa, False)
    return parts, recovery


@kernel
def _report_solved(W, parts, recovery):
    """The islands' step ends SOLVED; what the next step is to know of this one is noted."""
    report_island(W, SOLVED, parts, ENDED_WHOLE if parts == 1 else ENDED_IN_PARTS)
    if recovery == 0.0 and parts == 1:
        remember(W, STAYED, 0, 0.0)
    elif parts == 1 and (W.found[SMOOTHED_FAILED] > 0.0 or is_left_out(in_vain(W))):
        remember(W, WHOLE, one_more(in_vain(W)), 0.0)


@kernel
def _looks_in_vain(W):
    """Whether the check at the end of the step found, MANY_LOOKS times or more, pairs of the islands missing that move by a good
    part of their size (`convex_choice.left_out_features`). Counts the last check.
    """
    looks, hasty = 0, 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        looks, hasty = max(looks, W.looks[b]), max(hasty, W.hasty[b])
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.looks[b], W.hasty[b] = looks + hasty, 0
    return MANY_LOOKS <= looks + hasty < NEVER


@kernel
def _divided_after_looks(L, P, Q, A, W, h, recovery):
    """The step in parts, in each of which pairs that move fast have features of their own. Returns whether that solved it.

    Where bodies touch along curved paths, each solve of the whole step stops them at the point that was deepest in the last one.
    Then they are deepest at another point, by a fraction of the overlap before, or by as much, in turn. Where parts do not solve
    it, the whole step goes on as before.
    """
    if not W.options.subdivisions > 0.0:
        return False
    keep_features(W)
    parts = in_parts(L, P, Q, A, W, h, recovery, 0, 0.0, False)
    if is_solved(W):
        report_island(W, SOLVED, parts, ENDED_IN_PARTS)
        return True
    take_features_back(W)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.spent[b], W.looks[b] = W.found[COUNT], NEVER
    begin_attempts(W, W.solver.ladder * W.options.max_iterations)
    W.halt[COVERED] = 0.0
    return False


@kernel
def _give_way_first(L, P, Q, A, W, h):
    """Solve with compliant closures and overlaps first (giving_way.py), where closures gave way in the last step, or where other
    attempts failed so often that they are not made in this step (`is_left_out`). Returns FINISHED, GIVES_WAY or USUAL.
    """
    steps, remained = gave_way(W)
    if all_warm(W):  # (an earlier round of this step solved it)
        return USUAL
    waits = is_left_out(steps) and (any_closure(L, W) or overlap(L, P, Q, W))
    if not (waits or (steps > 0 and any_closure(L, W))):
        return USUAL
    give_way(L, P, Q, A, W, h)
    if not is_solved(W):
        return USUAL
    remains = W.found[RESIDUAL]
    if remains > W.options.recovery_speed or (waits and as_much(remains, remained)):
        report_gave_way(W)
        return FINISHED
    return GIVES_WAY if any_closure(L, W) else USUAL


@kernel
def _try_whole(L, P, Q, A, W, h, kappa, gives_way, may_ask):
    """The whole step, from the last step's impulses (gives_way: from those found with compliant closures), else from none.

    Returns (USUAL: W.found tells the rest; ASKS: for what was left out; FINISHED: closures gave way once more,
    how fast initial violations were undone at most [m/s, rad/s]: 0 where they may stay, in the whole step or in parts).
    """
    source, recovery = HERE if gives_way else WARM if all_warm(W) else COLD, W.options.recovery_speed
    again = kappa == 0.0 and all_were(W, STAYED) and overlap(L, P, Q, W)  # the last step could not undo it: one start is enough
    if any_replaced(W):
        whole(L, P, Q, A, W, h, recovery, kappa, source, True)
        if is_solved(W):
            return USUAL, recovery
        take_points_back(W)
    whole(L, P, Q, A, W, h, recovery, kappa, source, gives_way or again)
    if is_solved(W):
        return USUAL, recovery
    release_points(P, W)
    if may_ask and not gives_way and want_all(L, P, Q, W, h) > 0:
        return ASKS, recovery
    worst = violation(L, P, Q, W)
    if worst > OVERLAP:  # perhaps no motion can undo it as fast, or none at all: then it may stay
        recovery = SLOWLY * W.options.recovery_speed
        if kappa == 0.0 and worst > h * recovery:
            budget = left(W)
            whole(L, P, Q, A, W, h, recovery, kappa, COLD, True)
            allow(W, budget)  # (those after it may take as many iterations as without it)
        if not is_solved(W):
            release_points(P, W)
            recovery = 0.0
            whole(L, P, Q, A, W, h, recovery, kappa, COLD, False)
    if gives_way and not is_solved(W):
        give_way(L, P, Q, A, W, h)
        if is_solved(W):
            report_gave_way(W)
            return FINISHED, recovery
    return USUAL, recovery
