"""What became of each island in a step, and the worst of all."""

import math

from dojo_py.algebra.rotations import quat_to_matrix
from dojo_py.arrays import copy
from dojo_py.hard.islands import BODIES, CONTACTS, LIMITS, NODES
from dojo_py.hard.points import copy_point
from dojo_py.hard.report import (
    ATTEMPTS,
    COLUMNS,
    COUNT,
    ENDED,
    MOVED,
    PARTS,
    RESIDUAL,
    ROUND_OFF,
    STATUS,
    WORST,
)
from dojo_py.hard.solve.residual_norm import worse
from dojo_py.hard.statuses import SOLVED, STALLED
from dojo_py.jit import kernel
from dojo_py.simulate.status import SEVERITY

MERIT, BEST_RESIDUAL, BEST_WORST, BEST_RECOVERY, SOLVES, WITH_ROUND_OFF, END_IN_VAIN, BUDGET, SLIPS = range(COLUMNS, COLUMNS + 9)
"""Entries of W.found (19,), what the attempts at the step of an island have come to. STATUS, RESIDUAL (beyond round-off), WORST as
in report.py, and WITH_ROUND_OFF (the whole residual): of the last solve. COUNT: iterations of all solves, BUDGET: how many they may
be; SOLVES: how many there were. MERIT, BEST_RESIDUAL, BEST_WORST: of W.best, see `keep_best`, BEST_RECOVERY: its
recovery speed. END_IN_VAIN: 1 where Newton's method at the end of the path did not solve it. SLIPS: 1 where stopping all slip takes
more than undoing violations does (start_pairs.py)."""

FAILED, STAYED, WAITS = -1.0, 2.0, 3.0
"""Values of W.solved. FAILED: no usable end was found for the body. STAYED: in its island overlaps stayed that nothing could undo.
WAITS + k: Newton's method at the end of the path (at_end.py) has not solved its island for k steps in a row; it is tried again
in the same steps as other attempts that failed, see GAVE_WAY_BEFORE. (Of a hopper's steps it solves a tenth.)"""

GAVE_WAY_BEFORE = -2.0
"""GAVE_WAY_BEFORE - (k + x/(1 + x)) is W.solved of bodies of an island whose closures and overlaps gave way (giving_way.py).

x is the residual that was left [m/s, rad/s], k the number of steps in a row that left the same, up to the fraction AS_MUCH. All
other attempts failed; they are made again only where k is a power of two, in the end after every MOST_STEPS steps.
"""
MOST_STEPS = 8
"""After how many steps all attempts are made again at the latest: in a step out of eight they cost an eighth."""
AS_MUCH = 0.1
"""Fraction by which the residual that is left may change for a failure to count as the same."""


@kernel
def begin_attempts(W, budget):
    """Clear the counts and the best point of W.found; residuals of the last solve stay until the next one.

    budget: how many iterations all attempts may take, in addition to those of earlier rounds of the step.
    """
    found = W.found
    found[STATUS], found[COUNT], found[SOLVES], found[END_IN_VAIN] = STALLED, 0.0, 0.0, 0.0
    found[SLIPS] = 0.0
    forget_best(W)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        found[COUNT] = max(found[COUNT], W.spent[W.members[BODIES, k]])
    found[BUDGET] = found[COUNT] + budget


@kernel
def forget_best(W):
    """There is no best point."""
    found = W.found
    found[MERIT], found[BEST_RESIDUAL], found[BEST_WORST] = math.inf, math.inf, math.inf
    found[BEST_RECOVERY] = W.options.recovery_speed


@kernel
def keep_best(W, goal, at):
    """Keep the present point, with this Measure, where its violations over their tolerances are the smallest so far.

    A solved one is not kept, nor any where the Goal does not ask for it.
    """
    merit = max(at.residual / goal.tol_residual, at.worst / goal.tol_comp)
    if goal.keeps_best and 1.0 < merit < W.found[MERIT]:
        W.found[MERIT], W.found[BEST_RESIDUAL], W.found[BEST_WORST] = merit, at.residual, at.worst
        copy_point(W, W.now, W.best)


@kernel
def left(W):
    """How many iterations attempts may still take."""
    return W.found[BUDGET] - W.found[COUNT]


@kernel
def allow(W, more):
    """Attempts may take that many iterations more."""
    W.found[BUDGET] = W.found[COUNT] + more


@kernel
def is_solved(W):
    """Whether the last attempt solved the step of the islands in W.span."""
    return W.found[STATUS] == SOLVED


@kernel
def all_stood(W):
    """Whether all bodies of the islands stayed where they were in the last step, because it had no usable end."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.stood[W.members[BODIES, k]] == 0:
            return False
    return True


@kernel
def report_island(W, status, parts, ended):
    """The outcome of the island in W.span. parts: 0 when it failed and stays where it was. ended: see report.py."""
    outcome, found = W.outcome[W.members[BODIES, W.span[BODIES, 0]]], W.found
    outcome[STATUS], outcome[COUNT], outcome[PARTS], outcome[ENDED] = status, found[COUNT], parts, ended
    outcome[RESIDUAL], outcome[WORST], outcome[ATTEMPTS] = found[WITH_ROUND_OFF], found[WORST], found[SOLVES]
    outcome[ROUND_OFF] = found[WITH_ROUND_OFF] - found[RESIDUAL] if math.isfinite(found[WITH_ROUND_OFF]) else 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.parts[b] = parts
        W.solved[b] = (1.0 if status == SOLVED else 0.0) if parts == 1 else 0.0 if parts > 1 else FAILED
        if parts == 0:
            _stay(W, b)
    if parts == 0:
        for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
            W.con[W.members[CONTACTS, k], :] = 0.0
        for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
            W.lim[W.members[LIMITS, k], :] = 0.0
        for k in range(W.span[NODES, 0], W.span[NODES, 1]):
            W.lam[W.members[NODES, k], :] = 0.0


@kernel
def _stay(W, b):
    """Body b does not move."""
    bodies = W.start_bodies[b]
    for i in range(3):
        W.xn[b, i] = bodies[i]
        W.v[b, i], W.v[b, 3 + i] = bodies[3 + i], bodies[10 + i]
    for i in range(4):
        W.qn[b, i] = bodies[6 + i]
    quat_to_matrix(W.qn[b], W.Rn[b])
    W.next_carried[b] = W.carried[b]
    copy(W.carry[b], W.next_carry[b])


@kernel
def waiting(W):
    """For how many steps in a row Newton's method at the end of the path has not solved the islands in W.span."""
    steps = 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        steps = max(steps, int(W.warm[W.members[BODIES, k]] - WAITS))
    return steps


@kernel
def report_all(W, islands, report):
    """The report of the step: the worst of all its islands."""
    report[:] = 0.0
    report[STATUS] = SOLVED
    for k in range(islands):
        outcome = W.outcome[W.members[BODIES, W.island_first[BODIES, k]]]
        if outcome[STATUS] == report[STATUS]:
            report[ENDED] = max(report[ENDED], outcome[ENDED])
        elif SEVERITY[int(outcome[STATUS])] > SEVERITY[int(report[STATUS])]:
            report[STATUS], report[ENDED] = outcome[STATUS], outcome[ENDED]
        for i in (COUNT, RESIDUAL, WORST, PARTS, ATTEMPTS, ROUND_OFF):
            report[i] = worse(report[i], outcome[i])
        report[MOVED] += 1.0 if outcome[PARTS] > 0.0 else 0.0


@kernel
def was(W, what):
    """Whether W.solved of all bodies of the islands was `what` after the last step."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.warm[W.members[BODIES, k]] != what:
            return False
    return True


@kernel
def note(W, what):
    """Set W.solved of all bodies of the islands to `what`, which the next step finds in W.warm."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.solved[W.members[BODIES, k]] = what


@kernel
def gave_way(W):
    """(k, x) of the islands in W.span, GAVE_WAY_BEFORE: (0, 0) where not all bodies gave way, (1, 0) where they differ."""
    last, same = W.warm[W.members[BODIES, W.span[BODIES, 0]]], True
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        number = W.warm[W.members[BODIES, k]]
        if number > GAVE_WAY_BEFORE - 1.0:
            return 0, 0.0
        same = same and number == last
    if not same:
        return 1, 0.0
    steps = int(GAVE_WAY_BEFORE - last)
    share = GAVE_WAY_BEFORE - last - steps
    return steps, share / (1.0 - share)


@kernel
def note_gave_way(W, left):
    """The islands in W.span gave way, with this residual left [m/s, rad/s]."""
    steps, before = gave_way(W)
    steps = one_more(steps) if steps > 0 and as_much(left, before) else 1
    note(W, GAVE_WAY_BEFORE - steps - min(left / (1.0 + left), 0.999))


@kernel
def one_more(steps):
    """The number of steps in a row in which an attempt failed, one more: 2 MOST_STEPS is replaced by MOST_STEPS."""
    return steps + 1 if steps < 2 * MOST_STEPS - 1 else MOST_STEPS


@kernel
def as_much(left, before):
    """Whether the residual that is left equals that of the last step, up to the fraction AS_MUCH."""
    return abs(left - before) <= AS_MUCH * before


@kernel
def in_vain(steps):
    """Whether attempts that failed in so many steps in a row are not made in the next one."""
    return steps & (steps - 1) != 0
