"""What a step leaves to the next one about each body: how it ended, and which attempts failed.

W.memory (nb, 3) is of the last step and stays as it is while a step is solved, in several rounds perhaps; W.next_memory is of this
one. The bodies of an island get the same. What failed in the last step and would fail again is not tried in every step: after k
failures in a row only where k is a power of two, in the end after every MOST_STEPS steps.
"""

from dojo_py.hard.islands import BODIES
from dojo_py.jit import kernel

HOW, IN_VAIN, REMAINED = range(3)
"""Columns of W.memory. HOW: one of the numbers below. IN_VAIN: in how many steps in a row an attempt failed: after a WHOLE step
Newton's method on smoothed equations (smoothed_newton.py), where closures gave way all others. REMAINED: the residual with which
they gave way [m/s, rad/s]."""
MEMORIES = REMAINED + 1

GAVE_WAY, FAILED, DIVIDED, WHOLE, STAYED = range(-2, 3)
"""GAVE_WAY: closures and overlaps gave way (giving_way.py). FAILED: no usable end was found, the body stayed where it was. DIVIDED:
the step was solved in parts, or INEXACT. WHOLE: it was solved whole. STAYED: likewise, and overlaps stayed that nothing could undo.
(The numbers above DIVIDED leave impulses that the next step can start from.)"""

MOST_STEPS = 8
"""After how many steps all attempts are made again at the latest: in a step out of eight they cost an eighth."""
AS_MUCH = 0.1
"""Fraction by which the residual that remains may change for a failure to count as the same."""


@kernel
def remember(W, how, in_vain, remained):
    """How the step of the islands in W.span ended, for the next one."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        memory = W.next_memory[W.members[BODIES, k]]
        memory[HOW], memory[IN_VAIN], memory[REMAINED] = how, in_vain, remained


@kernel
def all_were(W, how):
    """Whether the last step of all bodies of the islands ended so."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.memory[W.members[BODIES, k], HOW] != how:
            return False
    return True


@kernel
def in_vain(W):
    """In how many steps in a row Newton's method on smoothed equations has not solved the islands in W.span."""
    steps = 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        memory = W.memory[W.members[BODIES, k]]
        if memory[HOW] == WHOLE:
            steps = max(steps, int(memory[IN_VAIN]))
    return steps


@kernel
def gave_way(W):
    """(k, x): the islands in W.span gave way in k steps in a row, with a residual x; (0, 0) where not all bodies did, (1, 0) where
    they differ.
    """
    if not all_were(W, GAVE_WAY):
        return 0, 0.0
    first = W.memory[W.members[BODIES, W.span[BODIES, 0]]]
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        memory = W.memory[W.members[BODIES, k]]
        if memory[IN_VAIN] != first[IN_VAIN] or memory[REMAINED] != first[REMAINED]:
            return 1, 0.0
    return int(first[IN_VAIN]), first[REMAINED]


@kernel
def remember_gave_way(W, remains):
    """The islands in W.span gave way, with this residual remaining [m/s, rad/s]."""
    steps, before = gave_way(W)
    remember(W, GAVE_WAY, one_more(steps) if steps > 0 and as_much(remains, before) else 1, remains)


@kernel
def one_more(steps):
    """The number of steps in a row in which an attempt failed, one more: 2 MOST_STEPS is replaced by MOST_STEPS."""
    return steps + 1 if steps < 2 * MOST_STEPS - 1 else MOST_STEPS


@kernel
def as_much(remains, before):
    """Whether the residual that remains equals that of the last step, up to the fraction AS_MUCH."""
    return abs(remains - before) <= AS_MUCH * before


@kernel
def is_left_out(steps):
    """Whether attempts that failed in so many steps in a row are not made in the next one."""
    return steps & (steps - 1) != 0
