"""The step of an island in one part, or in shorter ones; momenta where the length of a step changes.

A step of length h leaves the discrete momentum p(v; h) of its velocities (bodies.py). Steps of another length h' go on from
velocities v' with p(v'; h') = p(v; h), not from v: what a free group conserves is p.
"""

from dojo_py.arrays import copy, copy_rows, scratch
from dojo_py.hard.apart import choose_in_part, left_out_of_part, let_ghosts_go
from dojo_py.hard.attempts import SOLVE_LIMIT, attempts
from dojo_py.hard.bodies import old_momentum, turn_of_momentum
from dojo_py.hard.chain_work import chains_throw
from dojo_py.hard.choice import add_contacts_of_features
from dojo_py.hard.closures import add_loop, start_closures
from dojo_py.hard.contact_work import throws
from dojo_py.hard.coordinates import HALF_TURN
from dojo_py.hard.fast_rotation import in_shorter_intervals, parts_of_rotation, rotation_in
from dojo_py.hard.foresight import foresee_islands
from dojo_py.hard.held_bounds import hold_bounds, release_bounds
from dojo_py.hard.interior_point import iterate
from dojo_py.hard.islands import BODIES, CONTACTS, DOFS, LIMITS, NODES, find_islands, take_islands
from dojo_py.hard.joint_rows import start_joints
from dojo_py.hard.measure import motion_alone
from dojo_py.hard.outcome import BEST_RECOVERY, MERIT, RESIDUAL, STATUS, WITH_ROUND_OFF, WORST, all_stood, allow, is_solved, left
from dojo_py.hard.residuals import evaluate, evaluate_motion
from dojo_py.hard.start import COLD, HERE, guess_impulses, hold_cones, load_state, start_motion, start_step
from dojo_py.hard.statuses import SOLVED, STALLED
from dojo_py.hard.terms import FAST_PARTS
from dojo_py.jit import kernel
from dojo_py.solver.cones.contact import MOST_ROWS, ROWS, impulse_of

LOOKS = 4
"""Most times that a part is solved again because its contacts have changed: ghosts were removed, or missing contacts were added."""

PART_NEEDS, FEW = 4.0, 3
"""Where bodies rotate too fast for a whole step: iterations of each part that do not count towards `max_iterations`, of up to FEW
bodies; of more bodies fewer, so that a step stays bounded in work.

A ball of 2 mm that rolls at 16 m/s makes 60 revolutions in a step of 45 ms: in 512 parts of 3 iterations each."""

MOST_CORNERS = 4
"""Most solves of a whole step in a row, each with contacts held whose normals the last one did not determine (`hold_corners`)."""


@kernel
def whole(L, P, Q, A, W, h, recovery, kappa, source, once):
    """The step of the islands in W.span in one part, of which W.found tells (outcome.py).

    recovery: how fast an initial violation is undone at most [m/s, rad/s]. source, once: as in `attempts.attempts`.
    """
    best = W.found[MERIT]
    for _ in range(MOST_CORNERS):
        start_parts(L, W, h, 1)
        load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
        take_carried(W)
        start_step(L, P, Q, W, h, recovery)
        if not attempts(L, P, Q, A, W, h, kappa, source, True, False, once):
            break
        source = HERE
    if W.found[MERIT] < best:
        W.found[BEST_RECOVERY] = recovery


@kernel
def in_parts(L, P, Q, A, W, h, recovery, halvings, kappa, held):
    """The step of the islands in W.span in parts; a part that fails is halved; after `wait` solved ones the next is twice as long.

    halvings: how often the step is halved at least, because bodies rotate too fast for longer parts (see PART_NEEDS); 0: no need.
    Where the last step had no usable end parts begin with the shortest, of which some are solved before the iterations are spent.
    held: with the bounds of friction held in each part at those of the part before, see `_with_held_bounds`.
    recovery: as in `whole`. Returns the number of parts; W.found has the worst residual and complementarity of all. Where parts do
    not reach the end of the interval, W.halt says how far they got: see `stand_still`.
    """
    most = int(W.options.subdivisions)
    first = max(halvings, 1)
    level, done, count = most if kappa == 0.0 and all_stood(W) else first, 0, 0
    run, wait, longer = 0, 1, False
    residual, complementarity, with_round_off = 0.0, 0.0, 0.0
    _add_impulses(L, W, True)
    if not held:  # (parts with held bounds replace those before where they get farther)
        W.halt[0] = 0.0
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
            _add_impulses(L, W, False)
            next_part(L, W, part_h)
            run += 1
            pair = 1 << (most - level + 1)
            longer = level > first and run >= wait and done % pair == 0 and done < 1 << most and _slow(L, W, part_h)
            if longer:
                level -= 1
                _rescale(L, W, part_h, 2.0 * part_h)
                _double_impulses(W)
            continue
        if level == most or left(W) <= 0.0 or kappa > 0.0:
            _keep_progress(L, W, done / (1 << most), part_h, longer, complementarity)
            return count
        if longer:
            wait *= 2
        level, run, longer, fresh = level + 1, 0, False, True
        if done == 0:
            start_parts(L, W, h, 1 << level)
        else:
            _rescale(L, W, part_h, 0.5 * part_h)
    _match_momentum(L, P, Q, A, W, h, h / (1 << level))
    W.found[RESIDUAL], W.found[WORST], W.found[WITH_ROUND_OFF] = residual, complementarity, with_round_off
    return count


@kernel
def one_part(L, P, Q, A, W, h, recovery, kappa, source, first, last, once, held):
    """The part of length h from the state in W.sub…; solved again without ghosts (ghosts.py), and with contacts that took no part
    but are violated at its end.

    first: it is the first part of the step; held: with the bounds of friction held; the rest as in `attempts.attempts`.
    """
    passed = False
    for look in range(LOOKS + 1):
        load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
        if first:
            take_carried(W)
        if kappa == 0.0 and look == 0:
            foresee_islands(W, h)
            choose_in_part(L, P, Q, W, h)
            _take_features(L, P, Q, W)
        if held:
            _with_held_bounds(L, P, Q, A, W, h, recovery, source)
        else:
            start_step(L, P, Q, W, h, recovery)
            attempts(L, P, Q, A, W, h, kappa, source, False, last, once)
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
def _with_held_bounds(L, P, Q, A, W, h, recovery, source):
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
    if W.n_features[4] < W.n_features[0]:
        add_contacts_of_features(L, P, Q, W)
        find_islands(L, W)
        take_islands(W, W.island[b], W.island[b] + 1)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if c >= W.n_active[1] and W.fwanted[W.active[c] - P.body.shape[0]] < 0:
            W.con[c, :] = 0.0


@kernel
def _add_impulses(L, W, anew):
    """Add the impulses of the islands' contacts, limits and loops in this part to W.summed…; anew: set them to zero."""
    _add_loops(L, W, anew)
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        m = W.members[LIMITS, k]
        W.summed_limit[m] = 0.0 if anew else W.summed_limit[m] + W.lim[m, 0]
    F = scratch(MOST_ROWS)
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        if anew:
            W.summed[c, :] = 0.0
            continue
        impulse_of(W.claw[c], W.con[c], F)
        side = 0 if W.cbody[c, 0] >= 0 else 1
        for i in range(3):
            total = 0.0
            for r in range(ROWS[W.claw[c]]):
                total += W.cB[c, side, r, i] * F[r]
            spun = 0.0  # (rows of torsional and rolling friction are in the body's frame where the part starts)
            for r in range(3, ROWS[W.claw[c]]):
                B, R = W.cB[c, side, r], W.R[W.cbody[c, side]]
                spun += (R[i, 0] * B[3] + R[i, 1] * B[4] + R[i, 2] * B[5]) * F[r]
            W.summed[c, i] += total if side == 0 else -total
            W.summed[c, 3 + i] += spun if side == 0 else -spun


@kernel
def _add_loops(L, W, anew):
    """The part of `_add_impulses` for connects, welds and spatial tendons."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        if not anew:
            add_loop(L, W, n, 1.0, W.summed_loops)
        elif L.node_joint[n] < 0:
            W.summed_loops[-1 - L.node_joint[n], :] = 0.0


@kernel
def _keep_progress(L, W, share, h, longer, complementarity):
    """For `stand_still`: the state at the end of the last part that was solved, with velocities over h; the fraction of the
    interval that is covered (`share`).

    longer: that part was half as long as h. complementarity: the worst of all parts.
    """
    if share <= W.halt[0]:
        return
    if longer:
        _rescale(L, W, h, 0.5 * h)
        h *= 0.5
    W.halt[0], W.halt[1], W.halt[2] = share, h, complementarity
    _copy_state(W, W.sub_bodies, W.sub_angle, W.sub_rate, W.halt_bodies, W.halt_angle, W.halt_rate)


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
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, W.halt[1])
    fastest = _start_at_rest(L, P, Q, W, W.halt[1])
    evaluate(L, P, Q, A, W, W.halt[1], W.options.springs)
    _match_momentum(L, P, Q, A, W, h, W.halt[1])
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        W.unmatched[W.members[BODIES, k]] = 0  # (the differences of their poses are not their velocities)
    return (1.0 - W.halt[0]) * fastest


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
    evaluate(L, P, Q, A, W, h, W.options.springs)
    return fastest


@kernel
def _slow(L, W, h):
    """Whether all bodies of the islands would rotate by half of the largest rotation allowed at most, in parts of length 2 h."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if 2.0 * rotation_in(W.v[b], h) > 0.5 * L.most_turn[b]:
            return False
    return True


@kernel
def _double_impulses(W):
    """Double the impulses of the present point: the same forces act for twice the time."""
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        for i in range(6):
            W.lam[n, i] *= 2.0
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        W.fric[W.members[DOFS, k], 0] *= 2.0
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        W.lim[W.members[LIMITS, k], 0] *= 2.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        for i in range(W.con.shape[1]):
            W.con[W.members[CONTACTS, k], i] *= 2.0


@kernel
def _rescale(L, W, h, to):
    """Velocities in W.sub_bodies over an interval h become those over the interval `to` with the same momentum."""
    momentum, v = scratch(6), scratch(6)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(3):
            v[i], v[3 + i] = W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i]
        old_momentum(L.mass[b], L.inertia[b], v, h, momentum)
        turn_of_momentum(L.inertia[b], momentum, to, W.sub_bodies[b, 10:13])


@kernel
def take_carried(W):
    """Bodies that carry a momentum which no velocity over a step has start with it; none is carried on yet."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.next_carried[b] = 0.0
        W.unmatched[b] = 0
        if W.carried[b] > 0.0:
            copy(W.carry[b], W.begin[b])


@kernel
def turns_fast(L, W, h):
    """Whether a body of the islands rotates by more than it may in one part (`L.most_turn`), at the end of a step of h [s]."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        if rotation_in(W.v[b], h) > L.most_turn[b]:
            return True
    return False


@kernel
def start_parts(L, W, h, parts):
    """W.sub… = the start of the step. In parts, velocities are those over a part that have the same momentum.

    Where a body rotates too fast for a whole step, its momentum is that over a shorter interval, in which it rotates by the same
    fraction of the rotation (fast_rotation.py); velocities of joined bodies are those of fast_start.py then.
    """
    momentum = scratch(6)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.start_bodies[b], W.sub_bodies[b])
        if parts > 1:
            v = W.v_prev[b]
            for i in range(3):
                v[i], v[3 + i] = W.start_bodies[b, 3 + i], W.start_bodies[b, 10 + i]
            if W.carried[b] > 0.0:
                copy(W.carry[b], momentum)
            elif W.fast[b] == 1:
                for i in range(3):
                    v[i], v[3 + i] = W.fast_bodies[b, 3 + i], W.fast_bodies[b, 10 + i]
                    W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i] = v[i], v[3 + i]
                old_momentum(L.mass[b], L.inertia[b], v, h / FAST_PARTS, momentum)
            else:
                own = parts_of_rotation(rotation_in(v, h), L.most_turn[b], parts)
                in_shorter_intervals(v, h, own)
                old_momentum(L.mass[b], L.inertia[b], v, h / own, momentum)
                for i in range(3):
                    W.sub_bodies[b, 10 + i] = v[3 + i]
            turn_of_momentum(L.inertia[b], momentum, h / parts, W.sub_bodies[b, 10:13])
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        i = W.members[DOFS, k]
        W.sub_angle[i], W.sub_rate[i] = W.start_angle[i], W.start_rate[i]


@kernel
def next_part(L, W, h):
    """The state after one part of a subdivided step becomes the start of the next."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(3):
            W.sub_bodies[b, i], W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
        for i in range(4):
            W.sub_bodies[b, 6 + i] = W.qn[b, i]
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        dof = W.members[DOFS, k]
        W.sub_rate[dof] = W.rows[L.dof_node[dof], L.dof_row[dof]]
        W.sub_angle[dof] += h * W.sub_rate[dof]


@kernel
def _match_momentum(L, P, Q, A, W, h, part_h):
    """W.v = velocities over the whole step h that have the momentum at the end of its last part, of length part_h.

    The momentum at the end of an interval is that at the start of the interval run backwards (bodies.py with -h): a step of length
    -h from the end, with that momentum and no forces and contacts, has these velocities; joints hold at the poses one interval
    before. Bodies that rotate by more than they may in one part have no such velocity: their momentum is carried on beside the
    velocities, with h/part_h as its flag, and measures.py computes velocities from both where they are asked for.
    """
    found = end_velocities(L, P, Q, A, W, h, part_h)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.begin[b], W.next_carry[b])
        W.next_carried[b] = 0.0 if found else h / part_h
        W.unmatched[b] = 0 if found else 1
        if not found:
            copy(W.v_prev[b], W.v[b])
        copy(W.x[b], W.xn[b])
        copy(W.q[b], W.qn[b])
        copy_rows(W.R[b], W.Rn[b])


@kernel
def pose_differences(W, old, h, new):
    """Velocities of bodies whose step was in parts and whose momentum no velocity over h has: differences of their poses over h.

    old, new (nb, 13): before and after the step. Returns whether all these bodies have one: not from half a revolution on.
    """
    found = True
    for b in range(old.shape[0]):
        if W.parts[b] <= 1 or not W.unmatched[b]:
            continue
        q, p = old[b, 6:10], new[b, 6:10]
        cosine = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3]
        if abs(cosine) <= HALF_TURN:  # half a turn and more has no velocity over h: those over the last part stay
            found = False
            continue
        scale = 2.0 / h if cosine > 0.0 else -2.0 / h
        for i in range(3):
            j, k = 1 + (i + 1) % 3, 1 + (i + 2) % 3
            new[b, 3 + i] = (new[b, i] - old[b, i]) / h
            # vec(q* ⊗ p)
            new[b, 10 + i] = scale * (q[0] * p[1 + i] - p[0] * q[1 + i] - (q[j] * p[k] - q[k] * p[j]))
    return found


@kernel
def end_velocities(L, P, Q, A, W, h, part_h):
    """W.v of `_match_momentum`. Returns whether all bodies have such velocities and rotate by no more than they may in one part."""
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, part_h)
    found = _free_velocities(L, W, h) if W.span[NODES, 1] == W.span[NODES, 0] else _joined_velocities(L, P, Q, A, W, h)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        found = found and rotation_in(W.v[b], h) <= L.most_turn[b]
    return found


@kernel
def _free_velocities(L, W, h):
    """W.v of `_match_momentum` for bodies without joints, each by itself. Returns whether all have such a velocity."""
    found, momentum = True, scratch(6)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.v_prev[b], W.v[b])
        turn_of_momentum(L.inertia[b], W.begin[b], h, W.v[b, 3:6])
        old_momentum(L.mass[b], L.inertia[b], W.v[b], h, momentum)
        for i in range(3, 6):
            size = abs(W.begin[b, 3]) + abs(W.begin[b, 4]) + abs(W.begin[b, 5])
            found = found and abs(momentum[i] - W.begin[b, i]) <= 1e-13 * size
    return found


@kernel
def _joined_velocities(L, P, Q, A, W, h):
    """W.v of `_match_momentum` for bodies with joints, by a step of length -h. Returns whether that was solved."""
    contacts, limits = W.span[CONTACTS, 1], W.span[LIMITS, 1]
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = W.span[CONTACTS, 0], W.span[LIMITS, 0]
    start_joints(L, W)
    start_closures(L, W)
    guess_impulses(W, COLD)
    start_motion(L, W)
    hold_cones(W)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.begin[b], W.momentum[b])
    evaluate_motion(L, A, W, -h, W.options.springs)
    status, _, _, _ = iterate(L, P, Q, A, W, -h, motion_alone(W.options.residual_tolerance, SOLVE_LIMIT))
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = contacts, limits
    return status == SOLVED
