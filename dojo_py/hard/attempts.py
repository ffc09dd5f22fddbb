"""The loaded step of an island by Mehrotra's method: one start and direction after another, until one solves it."""

import math

from dojo_py.hard.central_path import follow
from dojo_py.hard.interior_point import MAX_ITERATIONS, NOT_FINITE, SINGULAR, SOLVED, STALLED, TOO_FAST, iterate, steady
from dojo_py.hard.islands import BODIES, NODES
from dojo_py.hard.progress import residual_of
from dojo_py.hard.start import (
    COLD,
    HERE,
    any_cone,
    guess_impulses,
    hold_cones,
    release_cones,
    start_motion,
    start_pairs,
)
from dojo_py.jit import kernel

STARTS = (0.1, 1.0, 10.0, 100.0, 1.0)
"""Attempts at a step, and how far up the central path each starts: a share of the violations that remain although the last impulses
act again; then multiples of the scale of the step's violations."""
SCALED, CAREFUL, FOLLOW = 2, 3, 4
"""The attempts with the other linearisation of the cones, in short steps, and along the path around its folds (central_path.py).
Friction's products shrink with the others in the first two: rigid chains from ground to ground drown in round-off where gaps get
much smaller than they must. The second is for bodies that are joined, the third for islands without joints. (With it for all, one
of 1000 random steps of a walker at h 0.1 is not solved: what it takes from the budget is missing for the step in parts.)"""
SOLVE_LIMIT = 50
"""Most iterations of one solve."""


@kernel
def attempts(L, P, Q, A, W, h, kappa, source, whole, budget, out):
    """Solve the loaded step of the islands in W.span: one start and direction after another, each taken up again where it stuck.

    source: impulses that are tried first (WARM, HERE), or COLD. whole: of a step that is not a part of one the best point is kept.
    out (9,): status, iterations, residual beyond round-off, complementarity; over all calls for an island: its best point, see
    `keep_best` (4 to 6), and the number of solves (7); the residual with its round-off (8).
    """
    scheme = W.options.springs
    tightest = complementarity_tolerance(L, W, kappa)
    nothing = W.scratch[105, 0:3]
    nothing[0] = -1.0
    total = 0.0
    joined = W.span[NODES, 1] > W.span[NODES, 0]
    for attempt in range(1 if source == COLD else 0, len(STARTS)):
        if attempt == (FOLLOW if joined else CAREFUL):
            continue
        if (attempt == 0 and W.solver.attempt_warm == 0.0) or (attempt == 1 and W.solver.attempt_cold == 0.0):
            continue
        if (attempt == 2 and W.solver.attempt_scaled == 0.0) or (attempt == 3 and W.solver.attempt_careful == 0.0):
            continue
        if attempt == 4 and W.solver.attempt_path == 0.0:
            continue
        for again in range(2):
            tol_comp = tightest if again == 0 or kappa > 0.0 else tightest * steady(W)
            weight = 1.0 if attempt == SCALED or attempt == CAREFUL else min(h, 1.0) ** W.solver.slow_friction
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
                if part == 1 and first == 0 and attempt == FOLLOW:
                    end = weight * (kappa if kappa > 0.0 else 0.5 * tol_comp)
                    _, count = follow(L, P, Q, A, W, h, scheme, weight, end, W.options.residual_tolerance, int(budget - total))
                    total += count
                most = 1 if part == 0 else max(min(int(W.solver.solve_limit), int(budget - total)), 1)
                tolerance = max(W.options.residual_tolerance, W.solver.quiet * h) if part == 0 else W.options.residual_tolerance
                status, count, residual, worst = iterate(
                    L, P, Q, A, W, h, scheme, kappa, weight, tolerance, tol_comp, most, attempt == SCALED, attempt == CAREFUL,
                    part > first, out[4:7] if whole and part == 1 else nothing,
                )  # fmt: skip
                total += count
                if part == 0 and (status == SINGULAR or status == NOT_FINITE):
                    break
            out[0], out[1], out[2], out[3] = status, total, residual, worst
            out[7] += 1.0
            out[8] = residual_of(L, W, h, 0.0)
            if status == SOLVED or status == TOO_FAST or total >= budget:
                return
            if again == 1 or not (status == STALLED or status == MAX_ITERATIONS) or not residual < W.solver.close:
                break


@kernel
def complementarity_tolerance(L, W, kappa):
    """Largest |b∘c - κe| accepted of the islands in W.span [N s m, N s m/s].

    On the central path ξ∘η of a fast slide is a difference of terms near 1: it cannot be told from κ to better than 1e-14.
    """
    if kappa > 0.0:
        return max(1e-8 * kappa, min(1e-3 * kappa, 1e-14))
    return W.options.complementarity_tolerance * _mass_scale(L, W)


@kernel
def _mass_scale(L, W):
    """What the smallest mass of the islands in W.span makes of the tolerance of complementarity, which is meant for 1 to 100 kg.

    Impulses κ / gap move light bodies more; of heavy ones γ s drowns in the round-off of s.
    """
    least = math.inf
    for k in range(W.span[BODIES, 0], W.span[BODIES, 1]):
        least = min(least, L.mass[W.members[BODIES, k]])
    return min(least, 1.0) * max(0.01 * least, 1.0)
