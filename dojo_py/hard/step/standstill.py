"""Ends of a step that parts do not cover, or that has no usable end: bodies stay where they are for the rest of it."""

from dojo_py.arrays import copy
from dojo_py.hard.islands import BODIES, DOFS
from dojo_py.hard.solve.first_point import start_motion
from dojo_py.hard.solve.residuals import evaluate
from dojo_py.hard.solve.start import load_state, start_step
from dojo_py.hard.solve.start_impulses import COLD, guess_impulses
from dojo_py.hard.step.momentum_matching import match_momentum, rescale_to_interval, start_parts
from dojo_py.hard.step.summed_impulses import keep_sums, take_sums_back
from dojo_py.jit import kernel

COVERED, LAST_LENGTH, HALT_WORST = range(3)
"""Entries of W.halt (3,), of a step whose parts end early: the fraction that they cover, the last part's length [s], the worst
complementarity."""


@kernel
def keep_progress(L, W, share, h, longer, complementarity):
    """For `stand_still`: the state at the end of the last part that was solved, with velocities over h; the sums of impulses up to
    there; the fraction of the interval that is covered (`share`).

    longer: that part was half as long as h. complementarity: the worst of all parts.
    """
    if share <= W.halt[COVERED]:
        return
    if longer:
        rescale_to_interval(L, W, h, 0.5 * h)
        h *= 0.5
    W.halt[COVERED], W.halt[LAST_LENGTH], W.halt[HALT_WORST] = share, h, complementarity
    _copy_state(W, W.sub_bodies, W.sub_angle, W.sub_rate, W.halt_bodies, W.halt_angle, W.halt_rate)
    keep_sums(L, W)


@kernel
def _copy_state(W, bodies, angle, rate, to_bodies, to_angle, to_rate):
    """Copy the state of the islands in W.span: bodies (nb, 13), coordinates and rates (nv,)."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(bodies[b], to_bodies[b])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        d = W.members[DOFS, k]
        to_angle[d], to_rate[d] = angle[d], rate[d]


@kernel
def stand_still(L, P, Q, A, W, h):
    """The end of the last part that was solved is the end of the interval h: for the rest of it bodies stay where they are.

    They keep their velocities, with which the next step goes on. Returns the error of positions over h: the largest velocity
    times the fraction of the interval that is missing [m/s, rad/s].
    """
    _copy_state(W, W.halt_bodies, W.halt_angle, W.halt_rate, W.sub_bodies, W.sub_angle, W.sub_rate)
    take_sums_back(L, W)
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, W.halt[LAST_LENGTH])
    fastest = _start_at_rest(L, P, Q, W, W.halt[LAST_LENGTH])
    evaluate(L, P, Q, A, W, W.halt[LAST_LENGTH])
    match_momentum(L, P, Q, A, W, h, W.halt[LAST_LENGTH])
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.unmatched[W.members[BODIES, k]] = 0  # (the differences of their poses are not their velocities)
    return (1.0 - W.halt[COVERED]) * fastest


@kernel
def _start_at_rest(L, P, Q, W, h):
    """Start a step of length h from the loaded state, without impulses, and set velocities to zero. Returns the largest of them."""
    start_step(L, P, Q, W, h, 0.0)
    guess_impulses(W, COLD)
    start_motion(L, W)
    fastest = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(6):
            fastest = max(fastest, abs(W.v[b, i]))
            W.v[b, i] = 0.0
    return fastest


@kernel
def stop(L, P, Q, A, W, h):
    """The islands' bodies stay where they start, and stop there. Returns their largest velocity, which is lost [m/s, rad/s]."""
    start_parts(L, W, h, 1)
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
    fastest = _start_at_rest(L, P, Q, W, h)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.next_carried[W.members[BODIES, k]] = 0.0
        W.unmatched[W.members[BODIES, k]] = 0
    evaluate(L, P, Q, A, W, h)
    return fastest
