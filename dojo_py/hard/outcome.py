"""What became of each island in a step, and the worst of all."""

import math

from dojo_py.algebra.rotations import quat_to_matrix
from dojo_py.arrays import copy
from dojo_py.hard.island_memory import DIVIDED, FAILED, WHOLE, remember
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

(
    MERIT, BEST_RESIDUAL, BEST_WORST, BEST_RECOVERY, SOLVES, WITH_ROUND_OFF, SMOOTHED_FAILED, BUDGET, SLIPS,
) = range(COLUMNS, COLUMNS + 9)  # fmt: skip
"""Entries of W.found (19,), what the attempts at the step of an island have come to. STATUS, RESIDUAL (beyond round-off), WORST as
in report.py, and WITH_ROUND_OFF (the whole residual): of the last solve. COUNT: iterations of all solves, BUDGET: how many they may
be; SOLVES: how many there were. MERIT, BEST_RESIDUAL, BEST_WORST: of W.best, see `keep_best`, BEST_RECOVERY: its
recovery speed. SMOOTHED_FAILED: 1 where Newton's method on smoothed equations did not solve it. SLIPS: 1 where stopping all slip
takes more than undoing violations does (start_pairs.py)."""


@kernel
def begin_attempts(W, budget):
    """Clear the counts and the best point of W.found; residuals of the last solve stay until the next one.

    budget: how many iterations all attempts may take, in addition to those of earlier rounds of the step.
    """
    found = W.found
    found[STATUS], found[COUNT], found[SOLVES], found[SMOOTHED_FAILED] = STALLED, 0.0, 0.0, 0.0
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
def report_island(W, status, parts, ended):
    """The outcome of the island in W.span. parts: 0 when it failed and stays where it was. ended: see report.py."""
    outcome, found = W.outcome[W.members[BODIES, W.span[BODIES, 0]]], W.found
    outcome[STATUS], outcome[COUNT], outcome[PARTS], outcome[ENDED] = status, found[COUNT], parts, ended
    outcome[RESIDUAL], outcome[WORST], outcome[ATTEMPTS] = found[WITH_ROUND_OFF], found[WORST], found[SOLVES]
    outcome[ROUND_OFF] = found[WITH_ROUND_OFF] - found[RESIDUAL] if math.isfinite(found[WITH_ROUND_OFF]) else 0.0
    remember(W, FAILED if parts == 0 else WHOLE if parts == 1 and status == SOLVED else DIVIDED, 0, 0.0)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.parts[b] = parts
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
