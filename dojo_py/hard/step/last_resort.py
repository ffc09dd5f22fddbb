"""The end of a step that neither the whole step nor parts of it solve: the best there is, INEXACT (items 6 to 10 of
docs/algorithm.md). Without a usable point the bodies stay where they are, and the status names the failure.
"""

from dojo_py.hard.contacts.part_states import take_features_back
from dojo_py.hard.island_memory import FAILED, all_were, remember_gave_way
from dojo_py.hard.islands import BODIES
from dojo_py.hard.outcome import (
    BEST_RESIDUAL,
    BEST_WORST,
    allow,
    is_solved,
    report_island,
)
from dojo_py.hard.report import (
    COUNT,
    ENDED_BEST_POINT,
    ENDED_GAVE_WAY,
    ENDED_HELD_BOUNDS,
    ENDED_NOWHERE,
    ENDED_STOOD_STILL,
    ENDED_STOPPED,
    ENDED_WHOLE,
    RESIDUAL,
    STATUS,
)
from dojo_py.hard.solve.residual_norm import WHOLE, residual_of
from dojo_py.hard.statuses import INEXACT, SOLVED, TOO_FAST
from dojo_py.hard.step.attempts import any_friction
from dojo_py.hard.step.completion import complete_whole, end_at_best, end_with
from dojo_py.hard.step.giving_way import any_closure, give_way
from dojo_py.hard.step.held_friction import whole_with_held_bounds
from dojo_py.hard.step.parts import in_parts
from dojo_py.hard.step.standstill import COVERED, HALT_WORST, stand_still, stop
from dojo_py.hard.step.violations import overlap
from dojo_py.jit import kernel

FAR_OFF = 1.0
"""Residual [m/s, rad/s] from which a point is not usable: at a step of 0.01 s it is an error of a gap of 1 cm."""


@kernel
def give_up(L, P, Q, A, W, h, kappa, halvings, parts, last):
    """The islands' step ends INEXACT at the best there is; without a usable end they stay where they are, under a named failure.

    In this order: the best point of a whole step if it is nearly solved; compliant closures and overlaps (giving_way.py); parts, if
    they cover half of the interval; friction with held bounds, of the whole step, then in parts; any usable point of a whole step;
    what parts cover. Without any of these the bodies stay where they are. In the hard limit their velocities become zero if they
    stayed in the last step, too: the next step would fail like this one.

    last: the number of iterations (COUNT) at which all this ends; (1 - ladder) of `max_iterations` there are in any case.
    """
    failure = TOO_FAST if halvings > 0 else int(W.found[STATUS])
    covered, nearly = W.halt[COVERED], W.found[BEST_RESIDUAL] < W.solver.close
    more = max((1.0 - W.solver.ladder) * W.options.max_iterations, last - W.found[COUNT])
    if nearly or covered < 0.5:
        take_features_back(W)
    if not nearly and kappa == 0.0 and halvings == 0 and _gives_way(L, P, Q, A, W, h, more):
        return
    if not nearly and covered < 0.5 and any_friction(W):
        allow(W, more)
        if _with_held_bounds(L, P, Q, A, W, h, kappa, halvings):
            return
        covered = W.halt[COVERED]
    if nearly or (covered < 0.5 and W.found[BEST_RESIDUAL] < FAR_OFF):
        _end_at_best_point(L, P, Q, A, W, h)
    elif covered > 0.0:
        missing = stand_still(L, P, Q, A, W, h)
        end_with(W, missing, missing, W.halt[HALT_WORST])
        report_island(W, INEXACT, max(parts, 1) + 1, ENDED_STOOD_STILL)
    elif kappa == 0.0 and all_were(W, FAILED) and _moves(W):
        lost = stop(L, P, Q, A, W, h)
        end_with(W, lost, lost, 0.0)
        report_island(W, INEXACT, 1, ENDED_STOPPED)
    else:
        report_island(W, failure, 0, ENDED_NOWHERE)


@kernel
def _gives_way(L, P, Q, A, W, h, more):
    """Whether the step is solved with compliant closures and overlaps, in `more` iterations, and reported so."""
    if not (any_closure(L, W) or overlap(L, P, Q, W)):
        return False
    take_features_back(W)
    allow(W, more)
    give_way(L, P, Q, A, W, h)
    if is_solved(W):
        report_gave_way(W)
    return is_solved(W)


@kernel
def _end_at_best_point(L, P, Q, A, W, h):
    """The islands' step ends at the best point of all attempts, with the residual and the products that it has."""
    best, worst = W.found[BEST_RESIDUAL], W.found[BEST_WORST]
    end_at_best(L, P, Q, A, W, h)
    end_with(W, best, residual_of(L, W, h, WHOLE), worst)
    report_island(W, INEXACT, 1, ENDED_BEST_POINT)


@kernel
def _with_held_bounds(L, P, Q, A, W, h, kappa, halvings):
    """The step with the bounds of friction held (held_bounds.py), whole, then in parts. Returns whether that reports its end.

    It is SOLVED where the solution with held bounds leads to one of the whole step, INEXACT otherwise. Where nothing is found,
    W.halt tells of these parts if they got farther than those before.
    """
    parts = 1
    if whole_with_held_bounds(L, P, Q, A, W, h, kappa) and not overlap(L, P, Q, W):
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
def report_gave_way(W):
    """The islands' step ends at the solution with compliant closures and overlaps (giving_way.py)."""
    report_island(W, INEXACT, 1, ENDED_GAVE_WAY)
    remember_gave_way(W, W.found[RESIDUAL])


@kernel
def _moves(W):
    """Whether a body of the islands moves where the step starts."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        body = W.start_bodies[W.members[BODIES, k]]
        for i in range(3):
            if body[3 + i] != 0.0 or body[10 + i] != 0.0:
                return True
    return False
