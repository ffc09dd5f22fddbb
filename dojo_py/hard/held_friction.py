"""The last resort of a whole step: friction with held bounds (held_bounds.py), a convex problem, which always ends."""

from dojo_py.hard.held_bounds import hold_bounds, release_bounds
from dojo_py.hard.outcome import WORST, allow, is_solved, left
from dojo_py.hard.parts import whole
from dojo_py.hard.start import COLD
from dojo_py.jit import kernel

ROUNDS_HELD = 3
"""Solves with held bounds of friction after the one without friction; with more of them the estimates often cycle."""


@kernel
def whole_with_held_bounds(L, P, Q, A, W, h, kappa):
    """The whole step with the bounds of friction held at estimates.

    First without friction, then with bounds from the normal impulses of the last round, ROUNDS_HELD times; initial violations may
    stay. The complementarity in W.found is that of the last impulses in their true cones.
    """
    for estimate in range(ROUNDS_HELD + 1):
        hold_bounds(P, W, estimate > 0)
        allow(W, max(left(W), 1.0))
        whole(L, P, Q, A, W, h, 0.0, kappa, COLD, False)
        if not is_solved(W):
            break
    W.found[WORST] = max(W.found[WORST], release_bounds(P, W))
