"""One hard step: contacts are chosen, each island is solved by itself, and contacts found to be violated at the end are added.

Only the islands that these touch are solved again. A step always covers the whole interval; an island that cannot be solved does
not affect the others (island_step.py).
"""

import math

from dojo_py.arrays import copy, copy_rows
from dojo_py.collision.participation import AT_START, NO_ROOM, NOW, OF_STEP
from dojo_py.hard.compiled_apart import choose_features, left_out_passing, smallest_distance
from dojo_py.hard.contacts.choice import add_contacts_of_features, choose_contacts, left_out_contact
from dojo_py.hard.contacts.followed_rims import take_over_impulses
from dojo_py.hard.contacts.foresight import foresee, foresee_islands
from dojo_py.hard.contacts.held_points import release_points
from dojo_py.hard.contacts.part_states import features_of_step
from dojo_py.hard.elements.adhesion import adhere
from dojo_py.hard.elements.contact_rows import plane_gap
from dojo_py.hard.islands import BODIES, CONTACTS, LIMITS, MOVED_CONTACTS, MOVED_LIMITS, find_islands, take_islands
from dojo_py.hard.outcome import report_all
from dojo_py.hard.report import COUNT, ENDED, ENDED_MISSING, MIN_GAP, MOVED, STATUS
from dojo_py.hard.solve.start import load_bodies, load_state
from dojo_py.hard.solve.start_impulses import keep_impulses
from dojo_py.hard.statuses import INEXACT, SOLVED
from dojo_py.hard.step.island_step import solve_island
from dojo_py.jit import kernel

ROUNDS = 16
"""Most solves of a step, after each of which, but for the last, contacts that it had left out are added. Holding the deepest point
of a rim makes its overlap four times smaller each time: from a centimetre to TOUCHING takes twelve."""


ENOUGH = 3.0
"""A round that begins after an island has taken more than so many times `max_iterations` is the last one. (Falling piles of 100
bodies take up to 3.2 times.)"""


@kernel
def hard_step(L, P, Q, A, W, bodies, angle, rate, force, wrench, h, kappa, report):
    """One step of length h [s] from the state (bodies (nb, 13), angle (nv,), rate (nv,)) under force (nv,) and wrench (nb, 6),
    to which adhesion is added.

    kappa: 0 for the hard limit, else the central path. report (COLUMNS,): report.py. W.xn, W.qn, W.v hold the result, W.parts in
    how many parts it was found (0: the body stays). Returns whether there was room for all features of pairs; without it nothing
    is solved.
    """
    _begin(W, bodies, angle, rate, force, wrench, kappa)
    added, without_added, all_moved_before = False, False, False
    for solution in range(ROUNDS):
        last = solution >= ROUNDS - 1 or _spent(W) > ENOUGH * W.options.max_iterations
        marked = _count_marked(W)
        if not added and not _choose(L, P, Q, A, W, bodies, angle, rate, wrench, h, kappa, solution == 0):
            return False
        again = _solve_islands(L, P, Q, A, W, bodies, h, kappa, added, not (last or without_added))
        islands = W.taken[1]
        report_all(W, islands, report)
        if W.n_features[NO_ROOM] > 0:
            return False
        if not again:
            missing, all_moved = _missing(L, P, Q, W, h), report[MOVED] == islands
            if missing > 0 and (last or without_added) and report[STATUS] == SOLVED:
                report[STATUS], report[ENDED] = INEXACT, ENDED_MISSING
            if last or without_added or (missing == 0 and (all_moved or not all_moved_before)):
                break
            if missing == 0:  # with what was added an island fails that moved without it
                _leave_out(P, W)
                added, without_added = False, True
                continue
            all_moved_before = all_moved_before or all_moved
            _start_next_round_here(W)
        if W.n_features[NO_ROOM] > 0:
            return False
        added = kappa == 0.0 and _count_marked(W) == marked
        if added:
            add_contacts_of_features(L, P, Q, W)
    if W.n_features[NO_ROOM] > 0:
        return False
    _end(L, P, Q, W, report)
    return True


@kernel
def _missing(L, P, Q, W, h):
    """How many contacts and limits that were left out are violated where the islands end, or else pairs that passed each other."""
    missing = left_out_contact(L, P, Q, W, h)
    return missing if missing > 0 else left_out_passing(L, P, Q, W)


@kernel
def _spent(W):
    """The most iterations that an island has taken in the step so far."""
    most = 0.0
    for b in range(W.spent.shape[0]):
        most = max(most, W.spent[b])
    return most


@kernel
def _choose(L, P, Q, A, W, bodies, angle, rate, wrench, h, kappa, first):
    """Choose the contacts that may act in the step, where it starts. first: in its first round. Returns whether all features had
    room.
    """
    load_bodies(L, W, bodies)
    copy(angle, W.angle0)  # (an earlier round may have left those of a part)
    copy(rate, W.rate_prev)
    foresee(L, W, h)
    if first:
        choose_features(L, P, Q, W, h, kappa, W.options.contact_margin)
    if W.n_features[NO_ROOM] > 0:
        return False
    choose_contacts(L, P, Q, W, h, kappa > 0.0, W.options.contact_margin)
    W.unsolved[:] = 1
    if first and A.pull_body.shape[0] > 0:
        adhere(L, P, Q, A, W, wrench)
        copy_rows(wrench, W.wrench)
    return True


@kernel
def _solve_islands(L, P, Q, A, W, bodies, h, kappa, added, may_ask):
    """Solve the islands that have contacts which they were not solved with; W.span holds all islands afterwards.

    added: contacts were added to those of the last round. Returns whether an island is to be solved again with contacts that had
    been left out; only if may_ask.
    """
    islands, again = find_islands(L, W), False
    for k in range(islands):
        take_islands(W, k, k + 1)
        if not _is_unsolved(W):
            continue
        if added:
            _begin_again(L, W, h)
        features_of_step(W)
        asked = solve_island(L, P, Q, A, W, h, kappa, may_ask)
        for i in range(W.span[BODIES, 0], W.span[BODIES, 1]):
            b = W.members[BODIES, i]
            W.unsolved[b] = 1 if asked else 0
            W.spent[b] = W.found[COUNT]
            copy(bodies[b], W.from_bodies[b])
        again = asked or again
    take_islands(W, 0, islands)
    _count_all(W)
    return again


@kernel
def _start_next_round_here(W):
    """The next round starts from the impulses of this solution: the one with the missing contacts is near it."""
    keep_impulses(W)
    take_over_impulses(W)


@kernel
def _end(L, P, Q, W, report):
    """Keep what the next step starts from, and report the smallest gap."""
    if L.mass.shape[0] == 0:
        report[MOVED] = 1.0  # no bodies: none failed to move
    keep_impulses(W)
    copy_rows(W.next_memory, W.memory)
    copy(W.next_carried, W.carried)
    copy_rows(W.next_carry, W.carry)
    report[MIN_GAP] = smallest_gap(L, P, Q, W)


@kernel
def _begin(W, bodies, angle, rate, force, wrench, kappa):
    """Copy the inputs of the step into W, and clear what an earlier step has left there."""
    copy(force, W.force)
    copy_rows(wrench, W.wrench)
    copy_rows(bodies, W.start_bodies)
    for b in range(bodies.shape[0]):  # (what parts of other islands see of a body that has not been solved yet)
        copy(bodies[b, 0:3], W.xn[b])
        copy(bodies[b, 6:10], W.qn[b])
    copy_rows(W.memory, W.next_memory)  # (as long as a round does not come to an end)
    copy(angle, W.start_angle)
    copy(rate, W.start_rate)
    W.kappa[0], W.softness[0], W.softness[1], W.pair_gap[0] = kappa, kappa, 0.0, math.inf
    W.in_hard_limit[0] = 1.0 if kappa == 0.0 else 0.0
    W.n_active[0] = W.n_active[1] = W.n_limits[0] = W.checks[0] = 0
    W.wanted[:] = 0
    W.fwanted[:] = OF_STEP
    W.asked[:] = 0
    W.spent[:] = 0.0
    W.hasty[:] = 0
    W.looks[:] = 0
    W.free_kind[:] = 0
    W.freplaced[:] = 0
    W.wanted_limit[:] = 0


@kernel
def _count_marked(W):
    """How many contacts with planes and limits are marked as missing: when there are more, all contacts are chosen anew."""
    count = 0
    for i in range(W.wanted.shape[0]):
        count += W.wanted[i]
    for l in range(W.wanted_limit.shape[0]):
        count += W.wanted_limit[l]
    return count


@kernel
def _is_unsolved(W):
    """Whether the islands in W.span have contacts that they were not solved with."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        if W.unsolved[W.members[BODIES, k]] == 1:
            return True
    return False


@kernel
def _begin_again(L, W, h):
    """Reset the islands in W.span to the start of the step, and undo what an earlier solve of this step did to their contacts."""
    load_state(L, W, W.start_bodies, W.start_angle, W.start_rate, h)
    foresee_islands(W, h)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.cheld[c] = W.cimpact[c] = 0
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        W.limpact[W.limit_active[W.members[LIMITS, k]]] = 0


@kernel
def _leave_out(P, W):
    """Drop all contacts and limits added since, and release what was held: only those chosen where the step starts take part."""
    release_points(P, W)
    W.wanted[:] = 0
    W.wanted_limit[:] = 0
    W.fwanted[:] = OF_STEP
    W.n_features[NOW] = W.n_features[AT_START]


@kernel
def _count_all(W):
    """All contacts and limits of all islands count as moved by Newton's method, for evaluation and derivatives after the step."""
    for i in range(2):
        W.span[MOVED_CONTACTS, i], W.span[MOVED_LIMITS, i] = W.span[CONTACTS, i], W.span[LIMITS, i]


@kernel
def smallest_gap(L, P, Q, W):
    """The smallest gap of all candidates at the next poses [m]; infinite where there are none."""
    gap = math.inf
    for i in range(P.body.shape[0]):
        gap = min(gap, plane_gap(P, i, W.xn, W.Rn))
    return smallest_distance(L, P, Q, W, gap)
