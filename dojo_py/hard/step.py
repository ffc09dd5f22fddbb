"""One hard step: several starts and directions until one solves it; else the step again as shorter ones."""

import math

from dojo_py.arrays import copy, copy_rows
from dojo_py.hard.contact_rows import pair_far, pair_gap, plane_gap
from dojo_py.hard.interior_point import MAX_ITERATIONS, NOT_FINITE, SINGULAR, SOLVED, STALLED, iterate
from dojo_py.hard.start import (
    any_cone,
    choose_contacts,
    hold_cones,
    keep_impulses,
    left_out_contact,
    release_cones,
    start_motion,
    start_pairs,
    start_step,
)
from dojo_py.jit import kernel

TOLERANCE, COMPLEMENTARITY, ITERATIONS, SPRINGS, RECOVERY, MARGIN, SUBDIVISIONS = 0, 1, 2, 3, 4, 5, 6
"""Places in the settings array, see options.py."""

STARTS = (0.1, 1.0, 10.0, 100.0)
"""Attempts at a step, and how far up the central path each starts: a share of the violations that remain although the last impulses
act again; then of the scale of the step's violations, with the other linearisation of the cones in the third, in short steps in the
last. In these two friction's products shrink with the others: rigid chains from ground to ground drown in round-off where gaps get
much smaller than they must."""

CLOSE = 1e-2
"""An attempt that gets stuck with less residual [m/s] is taken up once more, as if its impulses were the last step's: some pairs
had shrunk to less than the errors of their gaps, and the rest is right."""

QUIET = 5.0
"""Bodies that the impulses of the start accelerate by less [m/s²] are not moved before the cone pairs are chosen."""


@kernel
def attempts(L, P, Q, A, W, h, kappa, settings, report):
    """Solve the step that `start_step` loaded: by one start and direction after another, each taken up again where it got stuck."""
    scheme, limit = int(settings[SPRINGS]), int(settings[ITERATIONS])
    # ξ∘η of a fast slide is a difference of terms near 1: it cannot be told from κ to better than 1e-14
    tol_comp = max(1e-8 * kappa, min(1e-3 * kappa, 1e-14)) if kappa > 0.0 else settings[COMPLEMENTARITY]
    everything = kappa > 0.0
    total = 0.0
    for attempt in range(len(STARTS)):
        if attempt == 0 and not W.warm[0] > 0.0:
            continue
        for again in range(2):
            warm, share = attempt == 0 or again == 1, STARTS[0 if again == 1 else attempt]
            weight = 1.0 if attempt >= 2 else min(h, 1.0)
            for _ in range(4):
                choose_contacts(L, P, Q, W, h, everything, settings[MARGIN], h * settings[RECOVERY])
                start_motion(L, W, warm)
                first = 0 if any_cone(L, W) else 1
                for part in range(first, 2):  # the motion under the impulses of the start; then everything
                    if part == 0:
                        hold_cones(L, W)
                    else:
                        start_pairs(L, W, h, share, kappa, weight, warm)
                        release_cones(L, W, h)
                    most = 1 if part == 0 else (limit if attempt < 3 else 3 * limit)
                    tolerance = max(settings[TOLERANCE], QUIET * h) if part == 0 else settings[TOLERANCE]
                    status, count, residual, worst = iterate(
                        L, P, Q, A, W, h, scheme, kappa, weight, tolerance, tol_comp, most, attempt == 2, attempt >= 3, part > first
                    )
                    total += count
                    if part == 0 and (status == SINGULAR or status == NOT_FINITE):
                        break
                if status != SOLVED or everything or left_out_contact(L, P, Q, W, h) == 0:
                    break
                everything = True
            report[0], report[1], report[2], report[3] = status, total, residual, worst
            if status == SOLVED:
                return
            if again == 1 or not (status == STALLED or status == MAX_ITERATIONS) or not residual < CLOSE:
                break
            keep_impulses(L, P, W)


@kernel
def hard_step(L, P, Q, A, W, bodies, angle, rate, force, wrench, h, kappa, settings, report):
    """One step of length h [s] from the state (bodies (nb, 13), angle (nv,), rate (nv,)) under force (nv,) and wrench (nb, 6).

    kappa: 0 for the hard limit, else the central path. report (8,): status, iterations, residual [m/s], complementarity [N m s],
    smallest gap with a plane or body [m], number of substeps. W.xn, W.qn, W.v hold the result. A step that cannot be solved (or
    turns faster than 2/h) is redone as 2, 4, … shorter ones.
    """
    copy(force, W.force)
    level = 0
    for b in range(L.mass.shape[0]):
        w = math.sqrt(bodies[b, 10] ** 2 + bodies[b, 11] ** 2 + bodies[b, 12] ** 2)
        while level < settings[SUBDIVISIONS] and w * h > 1.6 * 2.0**level:
            level += 1
    total = 0.0
    report[3] = 0.0
    while True:
        copy_rows(bodies, W.sub_bodies)
        copy(angle, W.sub_angle)
        copy(rate, W.sub_rate)
        if level > 0:
            W.warm[0] = 0.0
        parts = 1 << level
        if parts > 1:
            _retell(W.sub_bodies, h, parts)
        for part in range(parts):
            start_step(L, W, W.sub_bodies, W.sub_angle, W.sub_rate, wrench, h / parts)
            attempts(L, P, Q, A, W, h / parts, kappa, settings, report)
            total += report[1]
            if report[0] != SOLVED:
                break
            keep_impulses(L, P, W)
            if part < parts - 1:
                _next_part(L, W, h / parts)
        if report[0] == SOLVED or level >= settings[SUBDIVISIONS]:
            break
        level += 1
    report[1], report[5] = total, parts
    if report[0] != SOLVED:
        W.warm[0] = 0.0
    gap = math.inf
    for i in range(P.body.shape[0]):
        gap = min(gap, plane_gap(P, i, W.xn, W.Rn))
    normal = W.scratch[101, 0:3]
    for i in range(Q.kind.shape[0]):
        if not pair_far(Q, i, W.xn, 0.0):
            gap = min(gap, pair_gap(Q, i, W.xn, W.Rn, normal, W.scratch))
    report[4] = gap


@kernel
def _retell(bodies, h, parts):
    """Angular velocities of bodies (nb, 13), differences over h, as differences over h / parts of the same turning."""
    for b in range(bodies.shape[0]):
        w = bodies[b, 10:13]
        sine = 0.5 * h * math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if 0.0 < sine < 1.0:
            scale = parts * math.sin(math.asin(sine) / parts) / sine
            for i in range(3):
                w[i] *= scale


@kernel
def _next_part(L, W, h):
    """The state after one part of a subdivided step becomes the start of the next."""
    for b in range(L.mass.shape[0]):
        for i in range(3):
            W.sub_bodies[b, i], W.sub_bodies[b, 3 + i], W.sub_bodies[b, 10 + i] = W.xn[b, i], W.v[b, i], W.v[b, 3 + i]
        for i in range(4):
            W.sub_bodies[b, 6 + i] = W.qn[b, i]
    for n in range(L.node_joint.shape[0]):
        j = L.node_joint[n]
        if j < 0:
            continue
        k = L.ndof[j]
        for i in range(k):
            dof = L.vadr[j] + i
            W.sub_rate[dof] = W.rows[n, 6 - k + i]
            W.sub_angle[dof] += h * W.rows[n, 6 - k + i]
