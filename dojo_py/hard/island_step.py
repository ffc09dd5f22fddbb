"""The step of one island: the whole step is tried from several starting points; where none solves it, the step is divided.

An island that cannot be solved at all ends at the best point found, INEXACT; without a usable point its bodies stay where they are,
and the status names the failure.
"""

import math

from dojo_py.arrays import copy, scratch
from dojo_py.hard.attempts import any_friction
from dojo_py.hard.bodies import old_momentum
from dojo_py.hard.chain_work import chains_throw
from dojo_py.hard.choice import want_all
from dojo_py.hard.completion import complete_whole, end_at_best, end_with
from dojo_py.hard.contact_rows import OVERLAP, start_gap
from dojo_py.hard.followed_rims import any_replaced, take_points_back
from dojo_py.hard.giving_way import any_closure, give_way
from dojo_py.hard.held_friction import whole_with_held_bounds
from dojo_py.hard.held_points import release_points
from dojo_py.hard.islands import BODIES, CONTACTS, LIMITS
from dojo_py.hard.limits import start_room
from dojo_py.hard.outcome import (
    BEST_RESIDUAL,
    BEST_WORST,
    BUDGET,
    END_IN_VAIN,
    STAYED,
    WAITS,
    all_stood,
    allow,
    as_much,
    begin_attempts,
    gave_way,
    in_vain,
    is_solved,
    left,
    note,
    note_gave_way,
    one_more,
    report_island,
    waiting,
    was,
)
from dojo_py.hard.part_states import keep_features, take_features_back
from dojo_py.hard.parts import in_parts, whole
from dojo_py.hard.report import (
    COUNT,
    ENDED_BEST_POINT,
    ENDED_GAVE_WAY,
    ENDED_HELD_BOUNDS,
    ENDED_IN_PARTS,
    ENDED_NOWHERE,
    ENDED_STOOD_STILL,
    ENDED_STOPPED,
    ENDED_WHOLE,
    RESIDUAL,
    STATUS,
)
from dojo_py.hard.residual_norm import WHOLE, residual_of
from dojo_py.hard.standstill import COVERED, HALT_WORST, stand_still, stop
from dojo_py.hard.start_impulses import COLD, HERE, WARM, all_warm
from dojo_py.hard.statuses import INEXACT, SOLVED, STALLED, TOO_FAST
from dojo_py.hard.terms import FAST_PARTS, FREE_TURN, PART_TURN
from dojo_py.jit import kernel

FAST_HALVINGS = FAST_PARTS.bit_length() - 1
FAR_OFF = 1.0
"""Residual [m/s, rad/s] from which a point is not usable: at a step of 0.01 s it is an error of a gap of 1 cm."""

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
    """The step of the islands in W.span: whole, else in parts, else the best there is (`_give_up`).

    Returns whether it is to be tried again with contacts and limits that had been left out; only if may_ask.

    On the central path (kappa > 0) a step is divided only because bodies rotate too fast for a whole one. Dividing those that fail
    would make the end of a step a discontinuous function of its start.
    """
    begin_attempts(W, W.solver.ladder * W.options.max_iterations)
    last = W.found[BUDGET] + (1.0 - W.solver.ladder) * W.options.max_iterations
    W.halt[COVERED] = 0.0
    halvings, parts, recovery = _least_halvings(L, W, h, kappa), 1, W.options.recovery_speed
    if halvings == 0 and kappa == 0.0 and _looks_in_vain(W) and _divided_after_looks(L, P, Q, A, W, h, recovery):
        return False
    if halvings == 0:
        given = _give_way_first(L, P, Q, A, W, h) if kappa == 0.0 else USUAL
        if given == FINISHED:
            return False
        came, recovery = _try_whole(L, P, Q, A, W, h, kappa, given == GIVES_WAY, may_ask)
        if came != USUAL:
            return came == ASKS
        if kappa == 0.0:
            complete_whole(L, P, Q, A, W, h, recovery)
        elif is_solved(W) and chains_throw(L, W):
            W.found[STATUS] = STALLED
    may_divide = kappa == 0.0 and W.options.subdivisions > 0.0
    if not is_solved(W):
        keep_features(W)
    if halvings > 0 or (may_divide and not is_solved(W)):
        allow(W, max(left(W), 1.0))
        parts = in_parts(L, P, Q, A, W, h, recovery, halvings, kappa, False)
        stuck = not is_solved(W) and kappa == 0.0 and W.halt[COVERED] == 0.0 and left(W) > 0.0
        if stuck and recovery > 0.0 and _overlap(L, P, Q, W):  # as in `_try_whole`, of bodies that rotate too fast for it
            recovery = 0.0
            parts = in_parts(L, P, Q, A, W, h, recovery, halvings, kappa, False)
        if not is_solved(W) and halvings > 0 and may_ask and want_all(L, P, Q, W, h) > 0:
            return True
    if not is_solved(W):
        _give_up(L, P, Q, A, W, h, kappa, halvings, parts, last)
        return False
    report_island(W, SOLVED, parts, ENDED_WHOLE if parts == 1 else ENDED_IN_PARTS)
    if recovery == 0.0 and parts == 1:
        note(W, STAYED)
    elif parts == 1 and (W.found[END_IN_VAIN] > 0.0 or in_vain(waiting(W))):
        note(W, WAITS + one_more(waiting(W)))
    return False


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
def _least_halvings(L, W, h, kappa):
    """How often the step is halved at least: until no body rotates by more than it may in one part; 0 where it is solved whole, or
    may not be divided at all.

    In the hard limit at the velocities where the step starts: what fails because bodies are made to rotate faster is divided then.
    On the central path, where it is not, also at those that the torques on free bodies alone would give them by its end.
    """
    halvings = 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        v = W.start_bodies[b]
        turn = h * math.sqrt(v[10] ** 2 + v[11] ** 2 + v[12] ** 2)
        if W.carried[b] > 0.0:  # (no velocity over the whole step has its momentum)
            halvings = max(halvings, 1)
            turn = h * _spin(L.mobility[b], W.carry[b])
        loaded = h * _spin_under_load(L, W, b, h) if kappa > 0.0 and L.most_turn[b] <= FREE_TURN else 0.0
        if loaded <= L.most_turn[b] * 2.0**W.options.subdivisions:  # (beyond, no parts help)
            turn = max(turn, loaded)
        if W.fast[b] == 1:
            halvings = max(halvings, min(FAST_HALVINGS, int(W.options.subdivisions)))
        if halvings == 0 and turn <= L.most_turn[b]:
            continue
        most = PART_TURN if L.most_turn[b] > FREE_TURN else L.most_turn[b]
        while halvings < W.options.subdivisions and turn > most * 2.0**halvings:
            halvings += 1
    return min(halvings, int(W.options.subdivisions))


@kernel
def _spin(mobility, momentum):
    """How fast a body rotates in short intervals [rad/s]: |J⁻¹ p|, p: last three of its momentum (6,), J⁻¹: mobility (3, 3)."""
    x, y, z = momentum[3], momentum[4], momentum[5]
    total = 0.0
    for i in range(3):
        total += (mobility[i, 0] * x + mobility[i, 1] * y + mobility[i, 2] * z) ** 2
    return math.sqrt(total)


@kernel
def _spin_under_load(L, W, b, h):
    """How fast body b would rotate after h [s] with its momentum and the torque on it, and nothing else [rad/s]."""
    R, momentum = W.R[b], scratch(6)
    if W.carried[b] > 0.0:
        copy(W.carry[b], momentum)
    else:
        old_momentum(L.mass[b], L.inertia[b], W.v_prev[b], h, momentum)
    for i in range(3):
        momentum[3 + i] += h * (R[0, i] * W.wrench[b, 3] + R[1, i] * W.wrench[b, 4] + R[2, i] * W.wrench[b, 5])
    return _spin(L.mobility[b], momentum)


@kernel
def _give_way_first(L, P, Q, A, W, h):
    """Solve with compliant closures and overlaps first (giving_way.py), where closures gave way in the last step, or where other
    attempts failed so often that they are not made in this step (`in_vain`). Returns FINISHED, GIVES_WAY or USUAL.
    """
    steps, remained = gave_way(W)
    waits = in_vain(steps) and (any_closure(L, W) or _overlap(L, P, Q, W))
    if not (waits or (steps > 0 and any_closure(L, W))):
        return USUAL
    give_way(L, P, Q, A, W, h)
    if not is_solved(W):
        return USUAL
    remains = W.found[RESIDUAL]
    if remains > W.options.recovery_speed or (waits and as_much(remains, remained)):
        _report_gave_way(W)
        return FINISHED
    return GIVES_WAY if any_closure(L, W) else USUAL


@kernel
def _try_whole(L, P, Q, A, W, h, kappa, gives_way, may_ask):
    """The whole step, from the last step's impulses (gives_way: from those found with compliant closures), else from none.

    Returns (USUAL: W.found tells the rest; ASKS: for what was left out; FINISHED: closures gave way once more,
    how fast initial violations were undone at most [m/s, rad/s]: 0 where they may stay, in the whole step or in parts).
    """
    source, recovery = HERE if gives_way else WARM if all_warm(W) else COLD, W.options.recovery_speed
    again = kappa == 0.0 and was(W, STAYED) and _overlap(L, P, Q, W)  # the last step could not undo it: one start is enough
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
    violation = _violation(L, P, Q, W)
    if violation > OVERLAP:  # perhaps no motion can undo it as fast, or none at all: then it may stay
        recovery = SLOWLY * W.options.recovery_speed
        if kappa == 0.0 and violation > h * recovery:
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
            _report_gave_way(W)
            return FINISHED, recovery
    return USUAL, recovery


@kernel
def _give_up(L, P, Q, A, W, h, kappa, halvings, parts, last):
    """The islands' step ends INEXACT at the best there is; without a usable end they stay where they are, under a named failure.

    In this order: the best point of a whole step if it is nearly solved; compliant closures and overlaps (giving_way.py); parts, if
    they cover half of the interval; friction with held bounds, of the whole step, then in parts; any usable point of a whole step;
    what parts cover. Without any of these the bodies stay where they are. In the hard limit their velocities become zero if they
    stayed in the last step, too: the next step would fail like this one.

    last: the number of iterations (COUNT) at which all this ends; (1 - ladder) of `max_iterations` there are in any case.
    """
    failure = TOO_FAST if halvings > 0 else int(W.found[STATUS])
    covered, best = W.halt[COVERED], W.found[BEST_RESIDUAL]
    nearly = best < W.solver.close
    more = max((1.0 - W.solver.ladder) * W.options.max_iterations, last - W.found[COUNT])
    if nearly or covered < 0.5:
        take_features_back(W)
    if not nearly and kappa == 0.0 and halvings == 0 and (any_closure(L, W) or _overlap(L, P, Q, W)):
        allow(W, more)
        give_way(L, P, Q, A, W, h)
        if is_solved(W):
            _report_gave_way(W)
            return
    if not nearly and covered < 0.5 and any_friction(W):
        allow(W, more)
        if _with_held_bounds(L, P, Q, A, W, h, kappa, halvings):
            return
        covered = W.halt[COVERED]
    best = W.found[BEST_RESIDUAL]
    if nearly or (covered < 0.5 and best < FAR_OFF):
        end_at_best(L, P, Q, A, W, h)
        end_with(W, best, residual_of(L, W, h, WHOLE), W.found[BEST_WORST])
        report_island(W, INEXACT, 1, ENDED_BEST_POINT)
    elif covered > 0.0:
        missing = stand_still(L, P, Q, A, W, h)
        end_with(W, missing, missing, W.halt[HALT_WORST])
        report_island(W, INEXACT, max(parts, 1) + 1, ENDED_STOOD_STILL)
    elif kappa == 0.0 and all_stood(W) and _moves(W):
        lost = stop(L, P, Q, A, W, h)
        end_with(W, lost, lost, 0.0)
        report_island(W, INEXACT, 1, ENDED_STOPPED)
    else:
        report_island(W, failure, 0, ENDED_NOWHERE)


@kernel
def _with_held_bounds(L, P, Q, A, W, h, kappa, halvings):
    """The step with the bounds of friction held (held_bounds.py), whole, then in parts. Returns whether that reports its end.

    It is SOLVED where the solution with held bounds leads to one of the whole step, INEXACT otherwise. Where nothing is found,
    W.halt tells of these parts if they got farther than those before.
    """
    parts = 1
    if whole_with_held_bounds(L, P, Q, A, W, h, kappa) and not _overlap(L, P, Q, W):
        if kappa == 0.0:
            complete_whole(L, P, Q, A, W, h, 0.0)
        if is_solved(W):
            report_island(W, SOLVED, 1, ENDED_WHOLE)
            return True
    if not is_solved(W) and kappa == 0.0 and W.options.subdivisions > 0.0:
        parts = in_parts(L, P, Q, A, W, h, 0.0, halvings, kappa, True)
        if not is_solved(W):
            take_features_back(W)
    if is_solved(W):
        report_island(W, INEXACT, parts, ENDED_HELD_BOUNDS)
    return is_solved(W)


@kernel
def _report_gave_way(W):
    """The islands' step ends at the solution with compliant closures and overlaps (giving_way.py)."""
    report_island(W, INEXACT, 1, ENDED_GAVE_WAY)
    note_gave_way(W, W.found[RESIDUAL])


@kernel
def _moves(W):
    """Whether a body of the islands moves where the step starts."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        body = W.start_bodies[W.members[BODIES, k]]
        for i in range(3):
            if body[3 + i] != 0.0 or body[10 + i] != 0.0:
                return True
    return False


@kernel
def _overlap(L, P, Q, W):
    """Whether a contact or limit of the islands in W.span is violated at the start of the step by more than round-off."""
    return _violation(L, P, Q, W) > OVERLAP


@kernel
def _violation(L, P, Q, W):
    """The largest violation of contacts and limits of the islands in W.span at the start of the step [m, rad], 0 without one."""
    worst = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        worst = max(worst, -start_gap(L, P, Q, W, W.active[W.members[CONTACTS, k]]))
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        worst = max(worst, -start_room(L, W, W.limit_active[W.members[LIMITS, k]]))
    return worst
