"""The step of one island: by one start after another until one solves it whole; else in shorter steps.

An island that cannot be solved at all ends at the best point found, INEXACT; where there is no usable point it stays, and a named
failure says why.
"""

import math

from dojo_py.hard.apart import hold_apart, hold_points, let_ghosts_go
from dojo_py.hard.attempts import complementarity_tolerance
from dojo_py.hard.choice import want_all
from dojo_py.hard.contact_rows import OVERLAP, start_gap
from dojo_py.hard.contact_work import throws
from dojo_py.hard.ghosts import take_ghosts_back
from dojo_py.hard.giving_way import any_closure, give_way
from dojo_py.hard.held_friction import hold_bounds
from dojo_py.hard.held_points import any_held, release_points
from dojo_py.hard.impacts import rebound
from dojo_py.hard.interior_point import INEXACT, SOLVED, STALLED, TOO_FAST, steady
from dojo_py.hard.islands import BODIES, CONTACTS, LIMITS
from dojo_py.hard.outcome import (
    FAILED,
    STAYED,
    WAIT,
    WAITS,
    as_much,
    gave_way,
    in_vain,
    note,
    note_gave_way,
    report_island,
    waiting,
    was,
)
from dojo_py.hard.parts import in_parts, stand_still, start_parts, stop, take_carried, turns_fast, whole
from dojo_py.hard.points import copy_point
from dojo_py.hard.progress import residual_of
from dojo_py.hard.residuals import evaluate
from dojo_py.hard.start import (
    COLD,
    HERE,
    WARM,
    all_warm,
    guess_impulses,
    load_state,
    release_cones,
    start_motion,
    start_step,
)
from dojo_py.jit import kernel

FAR_OFF = 1.0
"""Residual [m/s, rad/s] of a point that is no better than none: at a step of 0.01 s a gap of 1 cm is closed that should not be."""

MOST_HOLDS = 6
"""Most solves with points held anew."""

MOST_GHOSTS = 4
"""Most solves without what carried in the last one although its shapes ended apart."""


@kernel
def solve_island(L, P, Q, A, W, angle, rate, wrench, h, kappa, may_ask):
    """The step of the islands in W.span: whole, else in parts, else the best there is (`_give_up`).

    Returns whether it is to be tried again, with contacts and limits that had been left out; not unless it may_ask.

    On the central path (kappa > 0) a step is divided only because bodies rotate too fast for a whole one. Dividing those that fail
    would make the end of a step a discontinuous function of its start.
    """
    out, budget = W.scratch[106, 0:11], W.solver.ladder * W.options.max_iterations
    out[4], out[5], out[6], out[7], out[9], out[10] = math.inf, math.inf, math.inf, 0.0, W.options.recovery_speed, 0.0
    first = 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        v = W.start_bodies[b]
        angle_of_step = h * math.sqrt(v[10] ** 2 + v[11] ** 2 + v[12] ** 2)
        if W.carried[b] > 0.0:  # (no velocity over the whole step has its momentum)
            first = max(first, 1)
        while first < W.options.subdivisions and angle_of_step > L.most_turn[b] * 2.0**first:
            first += 1
    total, parts, recovery = 0.0, 1, W.options.recovery_speed
    W.halt[0] = 0.0
    steps, remained = gave_way(W) if kappa == 0.0 and first == 0 else (0, 0.0)
    waits = in_vain(steps) and (any_closure(L, W) or _overlap(L, P, Q, W))
    gives_way = waits or (steps > 0 and any_closure(L, W))
    if gives_way:
        total += give_way(L, P, Q, A, W, angle, rate, wrench, h, budget, out)
        if out[0] == SOLVED and (out[2] > W.options.recovery_speed or (waits and as_much(out[2], remained))):
            _report_gave_way(W, total, out)
            return False
        gives_way = out[0] == SOLVED and any_closure(L, W)
    if first == 0:
        source = HERE if gives_way else WARM if all_warm(W) else COLD
        again = kappa == 0.0 and was(W, STAYED) and _overlap(L, P, Q, W)  # nothing undid it in the last step: one start is enough
        once = gives_way or again
        total += whole(L, P, Q, A, W, angle, rate, wrench, h, W.options.recovery_speed, kappa, source, once, budget, out)
        if out[0] != SOLVED:
            _let_points_go(P, W, out)
            if may_ask and not gives_way and want_all(L, P, Q, W, h) > 0:
                return True
            if _overlap(L, P, Q, W):  # perhaps nothing can undo it: it may stay for this step, whole or in parts
                recovery = 0.0
                total += whole(L, P, Q, A, W, angle, rate, wrench, h, recovery, kappa, COLD, False, budget - total, out)
            if gives_way and out[0] != SOLVED:
                total += give_way(L, P, Q, A, W, angle, rate, wrench, h, budget - total, out)
                if out[0] == SOLVED:
                    _report_gave_way(W, total, out)
                    return False
        if out[0] != SOLVED and kappa == 0.0 and out[5] <= W.options.residual_tolerance:
            _end_at_best(L, P, Q, A, W, angle, rate, wrench, h, out[9])
            residual = residual_of(L, W, h, 1.0)
            if residual <= W.options.residual_tolerance and out[6] <= complementarity_tolerance(L, W, h, kappa) * steady(W):
                out[0], out[2], out[3], out[8] = SOLVED, residual, out[6], residual_of(L, W, h, 0.0)
        if out[0] != SOLVED and kappa == 0.0 and hold_points(L, P, Q, W) > 0:
            total += whole(L, P, Q, A, W, angle, rate, wrench, h, W.options.recovery_speed, 0.0, COLD, False, budget - total, out)
        if any_held(P, W):
            count, apart = _hold_again(L, P, Q, A, W, angle, rate, wrench, h, budget - total, out)
            total += count
            if apart:
                out[0] = STALLED
            if out[0] != SOLVED:
                _let_points_go(P, W, out)
        if out[0] == SOLVED and kappa == 0.0:
            total += _solve_without_ghosts(L, P, Q, A, W, angle, rate, wrench, h, budget - total, out)
        if out[0] == SOLVED and kappa == 0.0:
            total += rebound(L, P, Q, A, W, angle, rate, wrench, h, budget - total, out)
        if out[0] == SOLVED and kappa == 0.0 and W.options.subdivisions > 0.0 and (turns_fast(L, W, h) or throws(L, P, Q, W, h)):
            out[0] = STALLED
    if first > 0 or (out[0] != SOLVED and kappa == 0.0 and W.options.subdivisions > 0.0):
        left = max(budget - total, 1.0)
        count, parts = in_parts(L, P, Q, A, W, angle, rate, wrench, h, recovery, max(first, 1), kappa, left, out)
        total += count
        stuck = out[0] != SOLVED and kappa == 0.0 and W.halt[0] == 0.0 and total < budget
        if stuck and recovery > 0.0 and _overlap(L, P, Q, W):  # as above, of bodies that turn too fast for a whole step
            recovery = 0.0
            count, parts = in_parts(L, P, Q, A, W, angle, rate, wrench, h, recovery, max(first, 1), kappa, budget - total, out)
            total += count
        if out[0] != SOLVED and first > 0 and may_ask and want_all(L, P, Q, W, h) > 0:
            return True
    if out[0] == SOLVED:
        report_island(W, SOLVED, total, out, parts)
        if recovery == 0.0 and parts == 1:
            note(W, STAYED)
        elif parts == 1 and (out[10] > 0.0 or waiting(W) > 1.0):
            note(W, WAITS + (WAIT if out[10] > 0.0 else waiting(W) - 1.0))
    else:
        _give_up(L, P, Q, A, W, angle, rate, wrench, h, kappa, first, total, parts, out)
    return False


@kernel
def _let_points_go(P, W, out):
    """Held points are free again. A best point that was found with them is none of the step without."""
    if any_held(P, W):
        out[4], out[5], out[6] = math.inf, math.inf, math.inf
    release_points(P, W)


@kernel
def _hold_again(L, P, Q, A, W, angle, rate, wrench, h, budget, out):
    """After a solve with points held: what carries and ends apart is held where it ends, and solved from there, until none does.

    From nothing, by all attempts, each would take as much as the first solve; what is left is for parts.

    Returns (iterations, whether something still does); out as in `attempts.attempts`.
    """
    total = 0.0
    for _ in range(MOST_HOLDS):
        if out[0] != SOLVED:
            return total, False
        held, passed = hold_apart(L, P, Q, W)
        if held == 0:
            return total, passed
        total += whole(L, P, Q, A, W, angle, rate, wrench, h, W.options.recovery_speed, 0.0, HERE, True, budget - total, out)
    held, passed = hold_apart(L, P, Q, W)
    return total, out[0] == SOLVED and (held > 0 or passed)


@kernel
def _solve_without_ghosts(L, P, Q, A, W, angle, rate, wrench, h, budget, out):
    """After a solve: what carries although its shapes end apart is let go and the step solved again, until nothing does.

    Where no solution without it is found, the last one is the end. Returns the iterations; out as in `attempts.attempts`.
    """
    total = 0.0
    if W.span[CONTACTS, 1] == W.span[CONTACTS, 0]:
        return total
    recovery = W.crecovery[W.members[CONTACTS, W.span[CONTACTS, 0]]]
    for _ in range(MOST_GHOSTS):
        _keep_solution(W, recovery, out)
        if let_ghosts_go(L, P, Q, W, False) == 0:
            return total
        total += whole(L, P, Q, A, W, angle, rate, wrench, h, recovery, 0.0, HERE, False, budget - total, out)
        if out[0] != SOLVED:
            take_ghosts_back(P, W)
            _end_at_best(L, P, Q, A, W, angle, rate, wrench, h, recovery)
            out[0], out[2], out[3] = SOLVED, out[5], out[6]
            out[8] = residual_of(L, W, h, 0.0)
            return total
    return total


@kernel
def _keep_solution(W, recovery, out):
    """The solution of a whole step, with this recovery (`whole`), is the best point: none is better."""
    copy_point(W, W.now, W.best)
    out[4], out[5], out[6], out[9] = 0.0, out[2], out[3], recovery


@kernel
def _give_up(L, P, Q, A, W, angle, rate, wrench, h, kappa, first, total, parts, out):
    """The islands' step ends INEXACT at the best there is; without a usable end they stay where they are, under a named failure.

    In this order: the best point of a whole step if it is nearly solved; closures and overlaps that give way; parts, if they cover
    half of the interval; friction with held bounds; any usable point of a whole step; what parts cover. Bodies for which there is
    none of these stay where they are. In the hard limit they also stop if that was so in the last step: the next would fail like
    this one.
    """
    failure = TOO_FAST if first > 0 else int(out[0])
    covered = W.halt[0]
    nearly = out[5] < W.solver.close
    budget = (1.0 - W.solver.ladder) * W.options.max_iterations
    if not nearly and kappa == 0.0 and first == 0 and (any_closure(L, W) or _overlap(L, P, Q, W)):
        total += give_way(L, P, Q, A, W, angle, rate, wrench, h, budget, out)
        if out[0] == SOLVED:
            _report_gave_way(W, total, out)
            return
    if not nearly and covered < 0.5:
        total += hold_bounds(L, P, Q, A, W, angle, rate, wrench, h, kappa, budget, out)
        if out[0] == SOLVED:
            report_island(W, INEXACT, total, out, 1)
            return
    if nearly or (covered < 0.5 and out[5] < FAR_OFF):
        _end_at_best(L, P, Q, A, W, angle, rate, wrench, h, out[9])
        out[2], out[3], out[8] = out[5], out[6], residual_of(L, W, h, 0.0)
        report_island(W, INEXACT, total, out, 1)
    elif covered > 0.0:
        out[2] = out[8] = stand_still(L, P, Q, A, W, wrench, h)
        out[3] = W.halt[2]
        report_island(W, INEXACT, total, out, max(parts, 1) + 1)
    elif kappa == 0.0 and _failed_before(W) and _moves(W):
        out[2] = out[8] = stop(L, P, Q, A, W, angle, rate, wrench, h)
        out[3] = 0.0
        report_island(W, INEXACT, total, out, 1)
    else:
        report_island(W, failure, total, out, 0)


@kernel
def _report_gave_way(W, total, out):
    """The islands' step ends where closures and overlaps gave way."""
    report_island(W, INEXACT, total, out, 1)
    note_gave_way(W, out[2])


@kernel
def _failed_before(W):
    """Whether all bodies of the islands stayed where they were in the last step, for want of a usable end."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.warm[W.members[BODIES, k]] != FAILED:
            return False
    return True


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
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        if start_gap(L, P, Q, W, W.active[W.members[CONTACTS, k]]) < -OVERLAP:
            return True
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        l = W.limit_active[W.members[LIMITS, k]]
        if L.limit_sign[l] != 0.0 and L.limit_sign[l] * (W.angle0[L.limit_dof[l]] - L.limit_bound[l]) < -OVERLAP:
            return True
    return False


@kernel
def _end_at_best(L, P, Q, A, W, angle, rate, wrench, h, recovery):
    """The islands end at the best point that the attempts at the whole step found, with this recovery (`whole`)."""
    start_parts(L, W, angle, rate, h, 1)
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
    take_carried(W)
    start_step(L, P, Q, W, wrench, h, recovery)
    guess_impulses(W, COLD)
    start_motion(L, W)
    release_cones(L, W, h)
    copy_point(W, W.best, W.now)
    evaluate(L, P, Q, A, W, h, W.options.springs)
