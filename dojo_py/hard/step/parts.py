"""The step of an island in one part, or in shorter ones."""

from dojo_py.collision.participation import NOW, WITH_CONTACTS, takes_part
from dojo_py.hard.compiled_apart import choose_in_part, left_out_of_part, let_ghosts_go
from dojo_py.hard.contacts.choice import add_contacts_of_features
from dojo_py.hard.contacts.foresight import foresee_islands
from dojo_py.hard.island_memory import FAILED, all_were
from dojo_py.hard.islands import BODIES, CONTACTS, find_islands, take_islands
from dojo_py.hard.outcome import WITH_ROUND_OFF, allow, is_solved, left
from dojo_py.hard.report import RESIDUAL, STATUS, WORST
from dojo_py.hard.solve.start import start_step
from dojo_py.hard.solve.start_impulses import COLD, HERE
from dojo_py.hard.statuses import STALLED
from dojo_py.hard.step.attempts import attempts
from dojo_py.hard.step.chain_work import chains_throw
from dojo_py.hard.step.contact_work import throws
from dojo_py.hard.step.fast_rotation import rotation_in
from dojo_py.hard.step.held_bounds import hold_bounds, release_bounds
from dojo_py.hard.step.impacts import forget_impacts, mark_impacts, rebound
from dojo_py.hard.step.momentum_matching import (
    match_momentum,
    next_part,
    rescale_to_interval,
    start_parts,
)
from dojo_py.hard.step.one_solve import load_part, part
from dojo_py.hard.step.standstill import COVERED, keep_progress
from dojo_py.hard.step.summed_impulses import add_impulses, double_impulses
from dojo_py.jit import kernel

LOOKS = 4
"""Most times that a part is solved again because its contacts have changed: ghosts were removed, or missing contacts were added."""

PART_NEEDS, FEW = 4.0, 3
"""Where bodies rotate too fast for a whole step: iterations of each part that do not count towards `max_iterations`, of up to FEW
bodies; of more bodies fewer, so that a step stays bounded in work.

A ball of 2 mm that rolls at 16 m/s makes 60 revolutions in a step of 45 ms: in 512 parts of 3 iterations each."""


@kernel
def in_parts(L, P, Q, A, W, h, recovery, halvings, kappa, held):
    """The step of the islands in W.span in parts; a part that fails is halved; after `wait` solved ones the next is twice as long.

    halvings: how often the step is halved at least, because bodies rotate too fast for longer parts (see PART_NEEDS); 0: no need.
    Where the last step had no usable end parts begin with the shortest, of which some are solved before the iterations are spent.
    held: with the bounds of friction held in each part at those of the part before, see `_solve_with_held_bounds`.
    recovery: as in `whole`. Returns the number of parts; W.found has the worst residual and complementarity of all. Where parts do
    not reach the end of the interval, W.halt says how far they got: see `stand_still`.
    """
    most = int(W.options.subdivisions)
    first = max(halvings, 1)
    level, done, count = most if kappa == 0.0 and all_were(W, FAILED) else first, 0, 0
    run, wait, longer = 0, 1, False
    residual, complementarity, with_round_off = 0.0, 0.0, 0.0
    add_impulses(L, W, True)
    if not held:  # (parts with held bounds replace those before where they get farther)
        W.halt[COVERED] = 0.0
    fresh = True
    own = PART_NEEDS * min(FEW / (W.span[BODIES, 1] - W.span[BODIES, 0]), 1.0)
    start_parts(L, W, h, 1 << level)
    while done < 1 << most:
        part_h = h / (1 << level)
        before = left(W)
        one_part(L, P, Q, A, W, part_h, recovery, kappa, COLD if fresh else HERE, done == 0, level == most, longer, held)
        if is_solved(W):
            residual, complementarity = max(residual, W.found[RESIDUAL]), max(complementarity, W.found[WORST])
            with_round_off = max(with_round_off, W.found[WITH_ROUND_OFF])
            done += 1 << (most - level)
            count += 1
            if halvings > 0:
                allow(W, left(W) + min(before - left(W), own))
            fresh = False
            add_impulses(L, W, False)
            next_part(L, W, part_h)
            run += 1
            pair = 1 << (most - level + 1)
            longer = level > first and run >= wait and done % pair == 0 and done < 1 << most and _slow(L, W, part_h)
            if longer:
                level -= 1
                rescale_to_interval(L, W, part_h, 2.0 * part_h)
                double_impulses(W)
            continue
        if level == most or left(W) <= 0.0 or kappa > 0.0:
            keep_progress(L, W, done / (1 << most), part_h, longer, complementarity)
            return count
        if longer:
            wait *= 2
        level, run, longer, fresh = level + 1, 0, False, True
        if done == 0:
            start_parts(L, W, h, 1 << level)
        else:
            rescale_to_interval(L, W, part_h, 0.5 * part_h)
    match_momentum(L, P, Q, A, W, h, h / (1 << level))
    W.found[RESIDUAL], W.found[WORST], W.found[WITH_ROUND_OFF] = residual, complementarity, with_round_off
    return count


@kernel
def one_part(L, P, Q, A, W, h, recovery, kappa, source, first, last, once, held):
    """The part of length h from the state in W.sub…; solved again with rebounds (impacts.py), without ghosts (ghosts.py), and with
    contacts that took no part but are violated at its end.

    first: it is the first part of the step; held: with the bounds of friction held; the rest as in `attempts.attempts`.
    """
    passed = False
    for look in range(LOOKS + 1):
        load_part(L, W, h, first)
        if look == 0:
            forget_impacts(W)
        if kappa == 0.0 and look == 0:
            foresee_islands(W, h)
            choose_in_part(L, P, Q, W, h)
            _take_features(L, P, Q, W)
        if held:
            _solve_with_held_bounds(L, P, Q, A, W, h, recovery, source)
        else:
            part(L, P, Q, A, W, h, recovery, kappa, source, first, last, once)
            if is_solved(W) and kappa == 0.0:
                _rebound(L, P, Q, A, W, h, recovery, first, last)
        if not is_solved(W) or kappa > 0.0:
            break
        ghosts = let_ghosts_go(L, P, Q, W, True)
        missing = left_out_of_part(L, P, Q, W, h) if ghosts == 0 else 0
        if ghosts == 0 and missing == 0:
            if not last and (turns_fast(L, W, h) or throws(L, P, Q, W, h)):
                W.found[STATUS] = STALLED
            break
        if look == LOOKS or (passed and missing < 0):  # (where bodies pass through each other twice, only shorter parts help)
            W.found[STATUS] = STALLED
            break
        _take_features(L, P, Q, W)
        source, passed = COLD if missing < 0 else HERE, passed or missing < 0
    if is_solved(W) and chains_throw(L, W):
        W.found[STATUS] = STALLED


@kernel
def _rebound(L, P, Q, A, W, h, recovery, first, last):
    """After a solve of a part: again with the rebounds of its impacts (impacts.py), without them where that finds no solution."""
    if mark_impacts(L, P, Q, W, h) > 0 and not rebound(L, P, Q, A, W, h, recovery, True, first):
        forget_impacts(W)
        part(L, P, Q, A, W, h, recovery, 0.0, COLD, first, last, False)


@kernel
def _solve_with_held_bounds(L, P, Q, A, W, h, recovery, source):
    """Solve a part with the bounds of friction held at those of the present impulses; where source is COLD, of impulses that are
    found without friction first.
    """
    for estimate in range(0 if source == COLD else 1, 2):
        hold_bounds(P, W, estimate > 0)
        start_step(L, P, Q, W, h, recovery)
        attempts(L, P, Q, A, W, h, 0.0, COLD, False, False, True)
        if not is_solved(W):
            break
    W.found[WORST] = max(W.found[WORST], release_bounds(P, W))


@kernel
def _take_features(L, P, Q, W):
    """The features chosen for a part take part in it, and no others of the islands; W.span is the same island afterwards."""
    b = W.members[BODIES, W.span[BODIES, 0]]
    if W.n_features[WITH_CONTACTS] < W.n_features[NOW]:
        add_contacts_of_features(L, P, Q, W)
        find_islands(L, W)
        take_islands(W, W.island[b], W.island[b] + 1)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if c >= W.n_active[1] and not takes_part(W, W.active[c] - P.body.shape[0]):
            W.con[c, :] = 0.0


@kernel
def _slow(L, W, h):
    """Whether all bodies of the islands would rotate by half of the largest rotation allowed at most, in parts of length 2 h."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if 2.0 * rotation_in(W.v[b], h) > 0.5 * L.most_turn[b]:
            return False
    return True


@kernel
def turns_fast(L, W, h):
    """Whether a body of the islands rotates by more than it may in one part (`L.most_turn`), at the end of a step of h [s]."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if rotation_in(W.v[b], h) > L.most_turn[b]:
            return True
    return False
