"""One hard step: each island of bodies by itself, by one start after another until one solves it; else in shorter steps.

A step always describes the whole interval. An island that cannot be solved at all ends at the best point found, INEXACT; where
there is no usable point it stays, and a named failure says why. Nothing of this shows in other islands.
"""

import math

from dojo_py.arrays import copy, copy_rows
from dojo_py.hard.bodies import momentum_rows, old_momentum
from dojo_py.hard.closures import start_closures
from dojo_py.hard.contact_rows import pair_far, pair_gap, plane_gap
from dojo_py.hard.interior_point import (
    INEXACT,
    MAX_ITERATIONS,
    NOT_FINITE,
    SINGULAR,
    SOLVED,
    STALLED,
    TOO_FAST,
    iterate,
    most_impulse,
    take_best,
)
from dojo_py.hard.islands import (
    BODIES,
    CONTACTS,
    DOFS,
    LIMITS,
    MOVED_CONTACTS,
    MOVED_LIMITS,
    NODES,
    find_islands,
    take_islands,
)
from dojo_py.hard.joint_rows import start_joints
from dojo_py.hard.residuals import evaluate
from dojo_py.hard.start import (
    COLD,
    HERE,
    WARM,
    all_warm,
    any_cone,
    choose_contacts,
    guess_impulses,
    hold_cones,
    keep_impulses,
    left_out_contact,
    load_bodies,
    load_state,
    release_cones,
    start_motion,
    start_pairs,
    start_step,
    want_all,
)
from dojo_py.hard.terms import FAST
from dojo_py.jit import kernel
from dojo_py.rotation import quat_to_matrix
from dojo_py.solver.cones import CONE

TOLERANCE, COMPLEMENTARITY, ITERATIONS, SPRINGS, RECOVERY, MARGIN, SUBDIVISIONS = 0, 1, 2, 3, 4, 5, 6
"""Places in the settings array, see options.py."""

STATUS, COUNT, RESIDUAL, WORST, MIN_GAP, PARTS, ATTEMPTS, MOVED = range(8)
"""Entries of a step's report (8,): status, iterations, residual [m/s], complementarity [N m s], smallest gap with a plane or body
[m], the most parts an island was solved in, the most solves it took, how many islands moved. Of several islands the worst."""

STARTS = (0.1, 1.0, 10.0, 100.0)
"""Attempts at a step, and how far up the central path each starts: a share of the violations that remain although the last impulses
act again; then of the scale of the step's violations, with the other linearisation of the cones in the third, in short steps in the
last. In these two friction's products shrink with the others: rigid chains from ground to ground drown in round-off where gaps get
much smaller than they must."""
SOLVE_LIMIT = 50
"""Most iterations of one solve."""

LADDER = 0.85
"""Share of the iterations of a step that attempts and shorter steps may take; the rest is for held bounds of friction."""

CLOSE = 1e-2
"""An attempt that gets stuck with less residual [m/s] is taken up once more, as if its impulses were the last step's: some pairs
had shrunk to less than the errors of their gaps, and the rest is right."""

STEADY = 10.0
"""Complementarity κ of a contact under γ lets it creep at κ / γ: the tolerance means 1e-11 m/s at an impulse of 1 / STEADY N s. A
solve that is taken up again, or got stuck, may use that under larger ones, where gaps of κ / γ drown in round-off."""

QUIET = 5.0
"""Bodies that the impulses of the start accelerate by less [m/s²] are not moved before the cone pairs are chosen."""

FAR_OFF = 1.0
"""Residual [m/s, rad/s] of a point that is no better than none: at a step of 0.01 s a gap of 1 cm is closed that should not be."""

OUT_OF_STEP = 2.0
"""Rotation [rad] in a step beyond which the velocities of bodies with joints are the differences of their poses and nothing else:
what a momentum means for bodies whose joints have turned on by half a turn nobody knows."""

ROUNDS_HELD = 3
"""Solves with held bounds of friction after the one without friction; more of them often go round in circles."""
NO_BOUND = 1e-12
"""Bounds of friction below this [N s] are none."""

OVERLAP = 1e-9
"""Violations at the start of a step [m, rad] above this are worth a try without undoing them."""

ROUNDS = 8
"""Most times that contacts which a solve had left out are added and the step is solved again."""


@kernel
def _attempts(L, P, Q, A, W, h, kappa, settings, source, whole, budget, out):
    """Solve the loaded step of the islands in W.span: one start and direction after another, each taken up again where it stuck.

    source: impulses that are tried first (WARM, HERE), or COLD. whole: of a step that is not a part of one the best point is kept.
    out (8,): status, iterations, residual, complementarity; over all calls for an island: its best point, see `keep_best` (4 to 6),
    and the number of solves (7).
    """
    scheme = int(settings[SPRINGS])
    # ξ∘η of a fast slide is a difference of terms near 1: it cannot be told from κ to better than 1e-14
    tol_comp = max(1e-8 * kappa, min(1e-3 * kappa, 1e-14)) if kappa > 0.0 else settings[COMPLEMENTARITY] * _mass_scale(L, W)
    nothing = W.scratch[105, 0:3]
    nothing[0] = -1.0
    total = 0.0
    tightest = tol_comp
    for attempt in range(1 if source == COLD else 0, len(STARTS)):
        for again in range(2):
            tol_comp = tightest
            weight = 1.0 if attempt >= 2 else min(h, 1.0)
            if again == 1 and kappa == 0.0:
                tol_comp *= max(1.0, STEADY * most_impulse(W, kappa))
            guess_impulses(L, W, HERE if again == 1 else (source if attempt == 0 else COLD))
            start_motion(L, W)
            first = 0 if any_cone(L, W) else 1
            for part in range(first, 2):  # the motion under the impulses of the start; then everything
                if part == 0:
                    hold_cones(L, W)
                else:
                    if first == 0:
                        start_pairs(L, W, h, STARTS[0 if again == 1 else attempt], kappa, weight, attempt == 0 or again == 1)
                    release_cones(L, W, h)
                most = 1 if part == 0 else max(min(SOLVE_LIMIT, int(budget - total)), 1)
                tolerance = max(settings[TOLERANCE], QUIET * h) if part == 0 else settings[TOLERANCE]
                status, count, residual, worst = iterate(
                    L, P, Q, A, W, h, scheme, kappa, weight, tolerance, tol_comp, most, attempt == 2, attempt == 3,
                    part > first, out[4:7] if whole and part == 1 else nothing,
                )  # fmt: skip
                total += count
                if part == 0 and (status == SINGULAR or status == NOT_FINITE):
                    break
            out[0], out[1], out[2], out[3] = status, total, residual, worst
            out[7] += 1.0
            if status == SOLVED or status == TOO_FAST or total >= budget:
                return
            if again == 1 or not (status == STALLED or status == MAX_ITERATIONS) or not residual < CLOSE:
                break


@kernel
def _mass_scale(L, W):
    """What the smallest mass of the islands in W.span makes of the tolerance of complementarity, which is meant for 1 to 100 kg.

    Impulses κ / gap move light bodies more; of heavy ones γ s drowns in the round-off of s.
    """
    least = math.inf
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        least = min(least, L.mass[W.members[BODIES, k]])
    return min(least, 1.0) * max(0.01 * least, 1.0)


@kernel
def _whole(L, P, Q, A, W, angle, rate, wrench, h, recovery, kappa, settings, source, budget, out):
    """The step of the islands in W.span in one part. Returns the iterations; the rest as in `_attempts`.

    recovery: how fast an initial violation is undone at most [m/s, rad/s].
    """
    _start_parts(L, W, angle, rate, h, 1)
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
    _take_carried(W)
    start_step(L, P, Q, W, wrench, h, h * recovery)
    _attempts(L, P, Q, A, W, h, kappa, settings, source, True, budget, out)
    return out[1]


@kernel
def _in_parts(L, P, Q, A, W, angle, rate, wrench, h, first, kappa, settings, budget, out):
    """The step of the islands in W.span in 2^first parts; one that fails is halved, and so are those after it.

    Returns the iterations and the number of parts; out as in `_attempts`.
    """
    most = int(settings[SUBDIVISIONS])
    level, done, total, count = first, 0, 0.0, 0
    fresh = True
    _start_parts(L, W, angle, rate, h, 1 << level)
    while done < 1 << most:
        part_h = h / (1 << level)
        load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, part_h)
        if done == 0:
            _take_carried(W)
        start_step(L, P, Q, W, wrench, part_h, part_h * settings[RECOVERY])
        _attempts(L, P, Q, A, W, part_h, kappa, settings, COLD if fresh else HERE, False, budget - total, out)
        total += out[1]
        if out[0] == SOLVED:
            done += 1 << (most - level)
            count += 1
            fresh = False
            _next_part(L, W, part_h)
            continue
        if level == most or total >= budget or kappa > 0.0:
            return total, count
        level += 1
        fresh = True
        if done == 0:
            _start_parts(L, W, angle, rate, h, 1 << level)
        else:
            _halve(L, W, part_h)
    _match_momentum(L, P, Q, A, W, h, h / (1 << level), settings)
    return total, count


@kernel
def _halve(L, W, h):
    """Velocities in W.sub_bodies over an interval h become those over h / 2 with the same momentum."""
    momentum, v = W.scratch[9, 0:6], W.scratch[10, 0:6]
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(3):
            v[i], v[3 + i] = W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i]
        old_momentum(L.mass[b], L.inertia[b], v, h, momentum)
        turn_of_momentum(L.inertia[b], momentum, 0.5 * h, W.sub_bodies[b, 10:13], W.scratch)


@kernel
def _take_carried(W):
    """Momenta that no velocity over a step has."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.next_carried[b] = 0.0
        W.unmatched[b] = 0
        if W.carried[b] > 0.0:
            copy(W.carry[b], W.begin[b])


@kernel
def _turn(v, h):
    """|ω| h of velocities v (6,)."""
    return h * math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])


@kernel
def _start_parts(L, W, angle, rate, h, parts):
    """W.sub… = the start of the step. In parts, velocities are those over a part that have the same momentum.

    Beyond |ω| h = √2 the discrete momentum falls with the velocity and means nothing: from FAST on the body keeps its speed.
    """
    momentum = W.scratch[9, 0:6]
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.start_bodies[b], W.sub_bodies[b])
        if parts > 1:
            v = W.v_prev[b]
            for i in range(3):
                v[i], v[3 + i] = W.start_bodies[b, 3 + i], W.start_bodies[b, 10 + i]
            if W.carried[b] > 0.0:
                copy(W.carry[b], momentum)
            else:
                old_momentum(L.mass[b], L.inertia[b], v, h, momentum)
            if W.carried[b] > 0.0 or not _turn(v, h) > FAST:
                turn_of_momentum(L.inertia[b], momentum, h / parts, W.sub_bodies[b, 10:13], W.scratch)
            else:
                sine = 0.5 * _turn(v, h)
                scale = parts * math.sin(math.asin(min(sine, 1.0)) / parts) / sine
                for i in range(3):
                    W.sub_bodies[b, 10 + i] *= scale
    for k in range(W.span[DOFS, 0], W.span[DOFS, 1]):
        i = W.members[DOFS, k]
        W.sub_angle[i], W.sub_rate[i] = angle[i], rate[i]


@kernel
def _next_part(L, W, h):
    """The state after one part of a subdivided step becomes the start of the next."""
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        for i in range(3):
            W.sub_bodies[b, i], W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
        for i in range(4):
            W.sub_bodies[b, 6 + i] = W.qn[b, i]
    for k in range(W.span[NODES, 0], W.span[NODES, 1]):
        n = W.members[NODES, k]
        j = L.node_joint[n]
        if j >= 0:
            for i in range(L.ndof[j]):
                dof = L.vadr[j] + i
                W.sub_rate[dof] = W.rows[n, 6 - L.ndof[j] + i]
                W.sub_angle[dof] += h * W.sub_rate[dof]


@kernel
def _match_momentum(L, P, Q, A, W, h, part_h, settings):
    """W.v = velocities over the whole step h that have the momentum at the end of its last part, of length part_h.

    The momentum of an interval at its end is that of the interval backwards at its start (bodies.py with -h): a step of length -h
    from the end, with that momentum and no forces and contacts, has these velocities; joints hold at the poses an interval before.
    Bodies that turn by more than about a radian in h have none: their momentum is carried on beside the velocities, unless joints
    hold bodies that turn by more than OUT_OF_STEP.
    """
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, part_h)
    found = _free_velocities(L, W, h) if W.span[NODES, 1] == W.span[NODES, 0] else _joined_velocities(L, P, Q, A, W, h, settings)
    carries = True
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        found = found and _turn(W.v[b], h) <= math.sqrt(2.0)
        carries = carries and _turn(W.v_prev[b], h) <= OUT_OF_STEP
    carries = not found and (carries or W.span[NODES, 1] == W.span[NODES, 0])
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.begin[b], W.next_carry[b])
        W.next_carried[b] = 1.0 if carries else 0.0
        W.unmatched[b] = 0 if found else 1
        if not found:
            copy(W.v_prev[b], W.v[b])
        copy(W.x[b], W.xn[b])
        copy(W.q[b], W.qn[b])
        copy_rows(W.R[b], W.Rn[b])


@kernel
def _free_velocities(L, W, h):
    """`_match_momentum` of bodies without joints, each by itself. Whether all have such a velocity."""
    found, momentum = True, W.scratch[9, 0:6]
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.v_prev[b], W.v[b])
        turn_of_momentum(L.inertia[b], W.begin[b], h, W.v[b, 3:6], W.scratch)
        old_momentum(L.mass[b], L.inertia[b], W.v[b], h, momentum)
        for i in range(3, 6):
            size = abs(W.begin[b, 3]) + abs(W.begin[b, 4]) + abs(W.begin[b, 5])
            found = found and abs(momentum[i] - W.begin[b, i]) <= 1e-13 * size
    return found


@kernel
def _joined_velocities(L, P, Q, A, W, h, settings):
    """`_match_momentum` of bodies with joints: a step of length -h. Whether there is one."""
    contacts, limits = W.span[CONTACTS, 1], W.span[LIMITS, 1]
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = W.span[CONTACTS, 0], W.span[LIMITS, 0]
    start_joints(L, W, W.scratch)
    start_closures(L, W, W.scratch)
    guess_impulses(L, W, COLD)
    start_motion(L, W)
    hold_cones(L, W)
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        copy(W.begin[b], W.momentum[b])
    kept = W.scratch[105, 0:3]
    kept[0] = -1.0
    status, _, _, _ = iterate(
        L, P, Q, A, W, -h, int(settings[SPRINGS]), 0.0, 1.0, settings[TOLERANCE], 1.0, SOLVE_LIMIT, False, False, False, kept
    )
    W.span[CONTACTS, 1], W.span[LIMITS, 1] = contacts, limits
    return status == SOLVED


@kernel
def turn_of_momentum(J, momentum, h, w, s):
    """w (3,) = angular velocity over an interval h whose angular momentum at its end is momentum[3:6], body frame [rad/s].

    Newton's method from w; the shorter the interval, the larger the momenta that have one. s: work (9, 12).
    """
    now, slope, v = s[0, 0:6], s[1:7, 0:8], s[7, 0:6]
    for i in range(3):
        v[i], v[3 + i] = 0.0, w[i]
    for _ in range(30):
        momentum_rows(0.0, J, v, -h, now, slope)
        r0, r1, r2 = momentum[3] - now[3], momentum[4] - now[4], momentum[5] - now[5]
        a, b, c = slope[3, 3], slope[3, 4], slope[3, 5]
        d, e, f = slope[4, 3], slope[4, 4], slope[4, 5]
        g, k, m = slope[5, 3], slope[5, 4], slope[5, 5]
        inv = 1.0 / (a * (e * m - f * k) - b * (d * m - f * g) + c * (d * k - e * g))
        x0 = inv * ((e * m - f * k) * r0 + (c * k - b * m) * r1 + (b * f - c * e) * r2)
        x1 = inv * ((f * g - d * m) * r0 + (a * m - c * g) * r1 + (c * d - a * f) * r2)
        x2 = inv * ((d * k - e * g) * r0 + (b * g - a * k) * r1 + (a * e - b * d) * r2)
        v[3] += x0
        v[4] += x1
        v[5] += x2
        if abs(x0) + abs(x1) + abs(x2) <= 1e-15 * (abs(v[3]) + abs(v[4]) + abs(v[5])):
            break
    if math.isfinite(v[3] + v[4] + v[5]):
        w[0], w[1], w[2] = v[3], v[4], v[5]


@kernel
def _solve_island(L, P, Q, A, W, angle, rate, wrench, h, kappa, settings, report):
    """The step of the islands in W.span: whole, else as 2, 4, … shorter ones, else the best point of the whole. Adds to the report.

    Returns whether it is to be tried again, with contacts and limits that had been left out.

    On the central path (kappa > 0) a step is divided only because bodies turn too fast for a whole one: dividing it because it is
    hard would make its end jump.
    """
    out, budget = W.scratch[106, 0:8], LADDER * settings[ITERATIONS]
    out[4], out[5], out[6], out[7] = math.inf, math.inf, math.inf, 0.0
    first = 0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        v = W.start_bodies[W.members[BODIES, k]]
        turn = h * math.sqrt(v[10] ** 2 + v[11] ** 2 + v[12] ** 2)
        while first < settings[SUBDIVISIONS] and turn > FAST * 2.0**first:
            first += 1
    total, parts = 0.0, 1
    if first == 0:
        source = WARM if all_warm(W) else COLD
        total += _whole(L, P, Q, A, W, angle, rate, wrench, h, settings[RECOVERY], kappa, settings, source, budget, out)
        if out[0] != SOLVED:
            if want_all(L, P, Q, W) > 0:
                return True
            if _overlap(L, P, Q, W):  # perhaps nothing can undo it: it may stay for this step
                total += _whole(L, P, Q, A, W, angle, rate, wrench, h, 0.0, kappa, settings, COLD, budget - total, out)
        if out[0] != SOLVED and kappa == 0.0 and out[5] <= settings[TOLERANCE]:
            _end_at_best(L, P, Q, A, W, angle, rate, wrench, h, settings)
            steady = max(1.0, STEADY * most_impulse(W, kappa))
            if out[6] <= settings[COMPLEMENTARITY] * _mass_scale(L, W) * steady:
                out[0], out[2], out[3] = SOLVED, out[5], out[6]
    if first > 0 or (out[0] != SOLVED and kappa == 0.0 and settings[SUBDIVISIONS] > 0.0):
        count, parts = _in_parts(
            L, P, Q, A, W, angle, rate, wrench, h, max(first, 1), kappa, settings, max(budget - total, 1.0), out
        )
        total += count
        if out[0] != SOLVED and first > 0 and want_all(L, P, Q, W) > 0:
            return True
    if out[0] != SOLVED and first > 0:  # at least the best point of a whole step
        source = COLD
        total += _whole(
            L, P, Q, A, W, angle, rate, wrench, h, settings[RECOVERY], kappa, settings, source, float(SOLVE_LIMIT), out
        )
        parts = 1
    status = int(out[0])
    if status != SOLVED and not out[5] < CLOSE:
        total += _hold_bounds(L, P, Q, A, W, angle, rate, wrench, h, kappa, settings, out)
        if out[0] == SOLVED:
            _report_island(W, report, INEXACT, total, out, 1)
            return False
    if status != SOLVED and out[5] < FAR_OFF:
        _end_at_best(L, P, Q, A, W, angle, rate, wrench, h, settings)
        status, parts, out[2], out[3] = INEXACT, 1, out[5], out[6]
    elif status != SOLVED:
        status, parts = TOO_FAST if first > 0 else status, 0
    _report_island(W, report, status, total, out, parts)
    return False


@kernel
def _hold_bounds(L, P, Q, A, W, angle, rate, wrench, h, kappa, settings, out):
    """The whole step with the bounds of friction held at estimates: a convex problem, which always ends. Returns the iterations.

    First without friction, then with bounds from the normal impulses of the last round, ROUNDS_HELD times; initial violations may
    stay. out as in `_attempts`; its complementarity is that of the last impulses in their true cones.
    """
    total = 0.0
    for turn in range(ROUNDS_HELD + 1):
        for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
            c = W.members[CONTACTS, k]
            W.cheld[c] = 1
            W.cmu[c] = 0.0
            bound = _friction(P, Q, W, c) * W.con[c, 0] if turn > 0 else 0.0
            W.cbound[c] = bound if bound > NO_BOUND else 0.0
        budget = max((1.0 - LADDER) * settings[ITERATIONS] - total, 1.0)
        total += _whole(L, P, Q, A, W, angle, rate, wrench, h, 0.0, kappa, settings, COLD, budget, out)
        if out[0] != SOLVED:
            break
    worst = 0.0
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        c = W.members[CONTACTS, k]
        W.cheld[c] = 0
        W.cmu[c] = _friction(P, Q, W, c)
        if W.claw[c] == CONE:
            worst = max(worst, abs(W.cmu[c] * W.con[c, 0] - W.cbound[c]) * W.con[c, 4])
    out[3] = max(out[3], worst)
    return total


@kernel
def _friction(P, Q, W, c):
    """The friction coefficient of active contact c."""
    i, planes = W.active[c], P.body.shape[0]
    return P.friction[i] if i < planes else Q.friction[i - planes]


@kernel
def _overlap(L, P, Q, W):
    """Whether a contact or limit of the islands in W.span is violated at the start of the step by more than round-off."""
    n = W.scratch[101, 0:3]
    for k in range(W.span[CONTACTS, 0], W.span[CONTACTS, 1]):
        i = W.active[W.members[CONTACTS, k]]
        planes = P.body.shape[0]
        gap = plane_gap(P, i, W.x, W.R) if i < planes else pair_gap(Q, i - planes, W.x, W.R, n, W.scratch)
        if gap < -OVERLAP:
            return True
    for k in range(W.span[LIMITS, 0], W.span[LIMITS, 1]):
        l = W.limit_active[W.members[LIMITS, k]]
        if L.limit_sign[l] != 0.0 and L.limit_sign[l] * (W.angle0[L.limit_dof[l]] - L.limit_bound[l]) < -OVERLAP:
            return True
    return False


@kernel
def _end_at_best(L, P, Q, A, W, angle, rate, wrench, h, settings):
    """The islands end at the best point that the attempts at the whole step found."""
    _start_parts(L, W, angle, rate, h, 1)
    load_state(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, h)
    _take_carried(W)
    start_step(L, P, Q, W, wrench, h, h * settings[RECOVERY])
    guess_impulses(L, W, COLD)
    start_motion(L, W)
    release_cones(L, W, h)
    take_best(W)
    evaluate(L, P, Q, A, W, h, int(settings[SPRINGS]))


@kernel
def _report_island(W, report, status, iterations, out, parts):
    """Add an island's outcome to the report: the worst of all. parts: 0 when it failed and stays where it was."""
    if report[STATUS] == SOLVED or (report[STATUS] == INEXACT and status != SOLVED):
        report[STATUS] = status
    report[COUNT] = max(report[COUNT], iterations)
    report[RESIDUAL] = max(report[RESIDUAL], out[2])
    report[WORST] = max(report[WORST], out[3])
    report[PARTS] = max(report[PARTS], float(parts))
    report[ATTEMPTS] = max(report[ATTEMPTS], out[7])
    report[MOVED] += 1.0 if parts > 0 else 0.0
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        b = W.members[BODIES, k]
        W.parts[b] = parts
        W.solved[b] = 1.0 if status == SOLVED and parts == 1 else 0.0
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
def hard_step(L, P, Q, A, W, bodies, angle, rate, force, wrench, h, kappa, settings, report):
    """One step of length h [s] from the state (bodies (nb, 13), angle (nv,), rate (nv,)) under force (nv,) and wrench (nb, 6).

    kappa: 0 for the hard limit, else the central path. report (8,): see STATUS. W.xn, W.qn, W.v hold the result, W.parts in how
    many parts it was found (0: the body stays).
    """
    copy(force, W.force)
    copy_rows(bodies, W.start_bodies)
    W.n_active[0] = W.n_active[1] = W.n_limits[0] = 0
    W.wanted[:] = 0
    W.wanted_limit[:] = 0
    for turn in range(ROUNDS):
        load_bodies(L, W, bodies)
        copy(angle, W.angle0)  # (an earlier round may have left those of a part)
        copy(rate, W.rate_prev)
        choose_contacts(L, P, Q, W, h, kappa > 0.0, settings[MARGIN])
        islands = find_islands(L, W)
        for i in range(8):
            report[i] = 0.0
        again = False
        for k in range(islands):
            take_islands(W, k, k + 1)
            again = _solve_island(L, P, Q, A, W, angle, rate, wrench, h, kappa, settings, report) or again
        take_islands(W, 0, islands)
        _count_all(W)
        if again:
            continue
        if kappa > 0.0 or turn == ROUNDS - 1 or left_out_contact(L, P, Q, W, h) == 0:
            break
    keep_impulses(L, W)
    copy(W.solved, W.warm)
    copy(W.next_carried, W.carried)
    copy_rows(W.next_carry, W.carry)
    report[MIN_GAP] = smallest_gap(P, Q, W)


@kernel
def _count_all(W):
    """What takes part in the step of all islands together: for what is evaluated and differentiated after it."""
    for i in range(2):
        W.span[MOVED_CONTACTS, i], W.span[MOVED_LIMITS, i] = W.span[CONTACTS, i], W.span[LIMITS, i]


@kernel
def smallest_gap(P, Q, W):
    """The smallest gap of all candidates at the next poses [m]; infinite where there are none."""
    gap = math.inf
    for i in range(P.body.shape[0]):
        gap = min(gap, plane_gap(P, i, W.xn, W.Rn))
    normal = W.scratch[101, 0:3]
    for i in range(Q.kind.shape[0]):
        if not pair_far(Q, i, W.xn, max(gap, 0.0)):
            gap = min(gap, pair_gap(Q, i, W.xn, W.Rn, normal, W.scratch))
    return gap
