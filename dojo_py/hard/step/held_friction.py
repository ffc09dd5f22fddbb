"""The last resort of a whole step: friction with held bounds (held_bounds.py), a convex problem, which always ends."""

from dojo_py.hard.outcome import allow, is_solved, left
from dojo_py.hard.report import WORST
from dojo_py.hard.solve.start_impulses import COLD, HERE
from dojo_py.hard.step.held_bounds import hold_again, hold_bounds, into_own_cones, release_bounds
from dojo_py.hard.step.one_solve import whole
from dojo_py.jit import kernel

ROUNDS_HELD = 3
"""Solves with held bounds of friction after the one without friction; with more of them the estimates often cycle."""


@kernel
def whole_with_held_bounds(L, P, Q, A, W, h, kappa):
    """The whole step with the bounds of friction held at estimates; then, from that solution, with its true bounds.

    First without friction, then with bounds from the normal impulses of the last round, ROUNDS_HELD times; initial violations may
    stay. Returns whether the true problem is solved. Otherwise W.found tells of the last one with held bounds, with the
    complementarity of its impulses in their true cones.
    """
    for estimate in range(ROUNDS_HELD + 1):
        hold_bounds(P, W, estimate > 0)
        _solve(L, P, Q, A, W, h, kappa, COLD, False)
        if not is_solved(W):
            release_bounds(P, W)
            return False
    release_bounds(P, W)
    into_own_cones(P, W)
    _solve(L, P, Q, A, W, h, kappa, HERE, True)
    if is_solved(W):
        return True
    hold_again(W)
    _solve(L, P, Q, A, W, h, kappa, COLD, False)
    W.found[WORST] = max(W.found[WORST], release_bounds(P, W))
    return False


@kernel
def _solve(L, P, Q, A, W, h, kappa, source, once):
    """The whole step with the bounds as they are held, initial violations may stay; at least one iteration."""
    allow(W, max(left(W), 1.0))
    whole(L, P, Q, A, W, h, 0.0, kappa, source, once)
