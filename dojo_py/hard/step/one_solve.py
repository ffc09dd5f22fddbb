"""The attempts at an island's step in one part: the whole step, or a part of it."""

from dojo_py.hard.outcome import BEST_RECOVERY, MERIT
from dojo_py.hard.solve.start import load_state, start_step
from dojo_py.hard.solve.start_impulses import HERE
from dojo_py.hard.step.attempts import attempts
from dojo_py.hard.step.momentum_matching import begin_whole, take_carried
from dojo_py.jit import kernel

MOST_CORNERS = 4
"""Most solves of a whole step in a row, each with contacts held whose normals the last one did not determine (`hold_corners`)."""


@kernel
def whole(L, P, Q, A, W, h, recovery, kappa, source, once):
    """The step of the islands in W.span in one part, of which W.found tells (outcome.py).

    recovery: how fast an initial violation is undone at most [m/s, rad/s]. source, once: as in `attempts.attempts`.
    """
    best = W.found[MERIT]
    for _ in range(MOST_CORNERS):
        begin_whole(L, P, Q, W, h, recovery)
        if not attempts(L, P, Q, A, W, h, kappa, source, True, False, once):
            break
        source = HERE
    if W.found[MERIT] < best:
        W.found[BEST_RECOVERY] = recovery


@kernel
def part(L, P, Q, A, W, h, recovery, kappa, source, first, last, once):
    """The part of length h from the state in W.sub…, the first of a step or not. last, once: as in `attempts.attempts`."""
    load_part(L, W, h, first)
    start_step(L, P, Q, W, h, recovery)
    attempts(L, P, Q, A, W, h, kappa, source, False, last, once)


@kernel
def load_part(L, W, h, first):
    """Load the state in W.sub…, where a part of length h starts; first: with the momenta that bodies carry into the step."""
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
    if first:
        take_carried(W)
