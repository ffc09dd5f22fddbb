"""What became of each island in a step, and the worst of all."""

import math

from dojo_py.arrays import copy
from dojo_py.hard.interior_point import INEXACT, SOLVED
from dojo_py.hard.islands import BODIES, CONTACTS
from dojo_py.jit import kernel
from dojo_py.rotation import quat_to_matrix

STATUS, COUNT, RESIDUAL, WORST, MIN_GAP, PARTS, ATTEMPTS, MOVED, ROUND_OFF = range(9)
"""Entries of a step's report (9,): status, iterations, residual [m/s], complementarity [N m s], smallest gap with a plane or body
[m], the most parts an island was solved in, the most solves it took, how many islands moved,
round-off within the residual [m/s]. Of several islands the worst."""

FAILED, STAYED, WAITS = -1.0, 2.0, 3.0
"""W.solved of a body for which no usable end was found; of one in an island whose overlaps stayed, which nothing could undo; of one
whose island Newton's method at the end of the path (at_end.py) did not solve, which waits for this minus WAITS steps."""
WAIT = 4.0
"""Steps that it waits after it was in vain. (Of a hopper's steps under random controls it solves one in ten.)"""

GAVE_WAY = -2.0
"""W.solved of bodies of an island whose closures and overlaps gave way (giving_way.py): this minus k + x/(1 + x).

x is the residual that was left [m/s, rad/s], k the number of steps in a row that left as much, to a share AS_MUCH. All other
attempts were in vain; they are made again only where k is a power of two, in the end after every MOST_STEPS steps.
"""
MOST_STEPS = 8
AS_MUCH = 0.1


@kernel
def report_island(W, status, iterations, out, parts):
    """The outcome of the island in W.span. parts: 0 when it failed and stays where it was. out: as in `attempts.attempts`."""
    outcome = W.outcome[W.members[BODIES, W.span[BODIES, 0]]]
    outcome[STATUS], outcome[COUNT], outcome[PARTS] = status, iterations, parts
    outcome[RESIDUAL], outcome[WORST], outcome[ATTEMPTS] = out[8], out[3], out[7]
    outcome[ROUND_OFF] = out[8] - out[2] if math.isfinite(out[8]) else 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.parts[b] = parts
        W.solved[b] = (1.0 if status == SOLVED else 0.0) if parts == 1 else 0.0 if parts > 1 else FAILED
        if parts == 0:
            _stay(W, b)
    if parts == 0:
        for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
            W.con[W.members[CONTACTS, k], :] = 0.0


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
    """For how many steps Newton's method at the end of the path still waits in the islands in W.span, after the last one."""
    steps = 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        steps = max(steps, W.warm[W.members[BODIES, k]] - WAITS)
    return steps


@kernel
def report_all(W, islands, report):
    """The report of the step: of all its islands the worst."""
    for i in range(9):
        report[i] = 0.0
    report[STATUS] = SOLVED
    for k in range(islands):
        outcome = W.outcome[W.members[BODIES, W.island_first[BODIES, k]]]
        if report[STATUS] == SOLVED or (report[STATUS] == INEXACT and outcome[STATUS] != SOLVED):
            report[STATUS] = outcome[STATUS]
        for i in (COUNT, RESIDUAL, WORST, PARTS, ATTEMPTS, ROUND_OFF):
            report[i] = max(report[i], outcome[i])
        report[MOVED] += 1.0 if outcome[PARTS] > 0.0 else 0.0


@kernel
def was(W, what):
    """Whether the last step left this in W.solved of all bodies of the islands."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.warm[W.members[BODIES, k]] != what:
            return False
    return True


@kernel
def note(W, what):
    """W.solved of all bodies of the islands is that, which the next step finds in W.warm."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.solved[W.members[BODIES, k]] = what


@kernel
def gave_way(W):
    """(k, x) of the islands in W.span, see GAVE_WAY: (0, 0) where not all gave way, (1, 0) where they did each for itself."""
    last, same = W.warm[W.members[BODIES, W.span[BODIES, 0]]], True
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        number = W.warm[W.members[BODIES, k]]
        if number > GAVE_WAY - 1.0:
            return 0, 0.0
        same = same and number == last
    if not same:
        return 1, 0.0
    steps = int(GAVE_WAY - last)
    share = GAVE_WAY - last - steps
    return steps, share / (1.0 - share)


@kernel
def note_gave_way(W, left):
    """The islands in W.span gave way, with this residual left [m/s, rad/s]."""
    steps, before = gave_way(W)
    steps = steps + 1 if steps > 0 and as_much(left, before) else 1
    if steps == 2 * MOST_STEPS:
        steps = MOST_STEPS
    note(W, GAVE_WAY - steps - min(left / (1.0 + left), 0.999))


@kernel
def as_much(left, before):
    """Whether the residual that is left is that of the last step."""
    return abs(left - before) <= AS_MUCH * before


@kernel
def in_vain(steps):
    """Whether attempts that failed in so many steps in a row are not made in the next one."""
    return steps & (steps - 1) != 0
