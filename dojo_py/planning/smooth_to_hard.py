"""kappa="auto": a homotopy in κ from smooth contacts to the hard limit, as fast as the relaxed motion predicts the hard one.

With a body at rest under friction a small force changes nothing, so that gradients near the hard limit vanish. At a large κ bodies
float and slide, and every force has an effect. From several initial κ, fractions of `HardSimulator.largest_kappa` (STARTS):

1. run some iterations of iLQR at κ;
2. roll the plan out in the hard motion (hard_motion.py): if its cost agrees with that of the relaxed motion, go to 4;
3. otherwise lower κ and roll the plan out at the new κ with feedback. If that makes it much worse, halve the step in log κ; if the
   shortest step makes it worse than the plan at the start of the descent, the homotopy has failed (a box has tipped over, say) and
   this descent ends. Otherwise go to 1;
4. in the hard motion, continue from the best plan of all descents, with gradients at several κ in turn, as long as one improves it.

A start that is good already (a plan of `cem`) may be all but forgotten at the large κ, where contacts slip and bodies float: if no
descent ends with a better plan than the start, the start is refined at the sharp end, the smallest κ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.planning.hard_motion import HardMotion, hard_motion, path_of, usable
from dojo_py.planning.options import DEFAULT_KAPPA, Options
from dojo_py.planning.shooting import Path, follow, roll
from dojo_py.planning.status import FORETOLD, PlanStatus
from dojo_py.simulate.simulator import Stepping

if TYPE_CHECKING:
    from dojo_py.planning.solver import Planner

LAST, RATIO, SHORTEST_RATIO = 3e-4, 0.5, 0.9
"""Smallest κ over the largest; ratio of two successive κ; the ratio at which a step in κ is not halved again."""
ITERATIONS = 25
"""Largest number of iterations at one κ."""
WORSE = 2.0
"""A step in κ is too long if the merit after it exceeds both WORSE · (merit before) and merit before + SHARE · (initial merit)."""
SHARE = 0.02
GAINS = (1.0, 0.3, 0.0)
"""Factors on the feedback gains in the roll-outs of a plan at another κ; the best roll-out is taken."""
CAUTIOUS, HOLD = 0.6, 1.0
"""Step length α below which the regularisation grows; initial μ over the mean diagonal of Q_uu."""
PATIENCE = 5
"""A descent ends after so many iterations in a row without improvement, or after one with α = 1 and μ = 0."""
STARTS = (0.01, 0.3, 1.0, 0.1)
"""Initial κ of the descents, over the largest κ."""
REACHED = 0.01
"""No further descent if the cost in the hard motion is at most this fraction of the initial one, neither below zero, and no
constraint is violated. (A cost below zero has no scale: it is searched from all starts.)"""
HARD_KAPPAS = (1.0, 0.1, 0.01, 10.0)
"""κ of the gradients in the hard motion, over the κ of the relaxed motion that led to the best plan."""
HELPS = 0.01
"""Relative decrease of the merit from which gradients at a κ count as helpful."""


def ladder_of(sim: Stepping, options: Options) -> tuple[float, float] | None:
    """(largest κ, smallest κ) of the homotopy; None if κ is fixed, or no contact gives a scale for it."""
    if options.kappa != "auto" or options.rollout_kappa != "gradient" or not hasattr(sim, "largest_kappa"):
        return None
    largest = float(sim.largest_kappa())
    return (largest, LAST * largest) if np.isfinite(largest) and largest > 0.0 else None


@dataclass(frozen=True, eq=False)
class Found:
    """A plan from the relaxed motion at κ, and its evaluation in the hard motion."""

    hard: HardMotion
    kappa: float
    path: Path
    policy: Any
    lagrangian: Any


def smooth_to_hard(planner: Planner, ladder: tuple[float, float], begun: HardMotion) -> PlanStatus:
    """Descend from the initial controls once for every κ of STARTS, then in the hard motion from the best plan.

    begun: the hard motion of the initial controls.
    """
    options, problem, first = planner.options, planner.problem, planner.path
    tolerance, (largest, last) = options.constraint_tolerance, ladder
    planner.explore, planner.cautious_step = True, max(CAUTIOUS, options.cautious_step)
    controls, goals, status = first.controls, bool(problem.constraints), PlanStatus.STALLED
    best = Found(begun, DEFAULT_KAPPA, first, None, planner.lagrangian)
    for share in STARTS:
        kappa = share * largest
        guess = first.states if first.gap else None
        if not planner.restart(roll(problem.sim, first.states[0], controls, kappa, guess), kappa):
            continue
        status, found = descend_ladder(planner, kappa, last)
        if found.hard.better_than(best.hard, tolerance):
            best = found
        if status is PlanStatus.STOPPED or len(planner.log) >= options.max_total_iterations:
            break
        if best.hard.violation <= tolerance and (nearly_nothing(best.hard.cost, begun) or (goals and best.hard is not begun)):
            break
    if best.hard is begun:
        return refine(planner, begun, controls, last, status)
    return finish(planner, best, begun, status)


def finish(planner: Planner, best: Found, begun: HardMotion, status: PlanStatus) -> PlanStatus:
    """Go on from the best plan in the hard motion; the final status. status: of the descents that led to it."""
    planner.path, planner.policy, planner.kept, planner.lagrangian = best.path, best.policy, best.hard, best.lagrangian
    if not planner.options.harden or status is PlanStatus.STOPPED:
        return status
    status = harden(planner, best.hard, best.kappa)
    reached = nearly_nothing(planner.problem.value(planner.path.states, planner.path.controls), begun)
    return PlanStatus.SOLVED if status is PlanStatus.STALLED and reached else status  # no κ of the gradients leads further down


def refine_start(planner: Planner, begun: HardMotion, controls: Any, status: PlanStatus) -> PlanStatus:
    """Where no contact gives κ a scale: the status after one more descent from the initial controls, if the first was no better."""
    tolerance = planner.options.constraint_tolerance
    if hard_motion(planner.problem, planner.path, planner.gains, tolerance).better_than(begun, tolerance):
        return status
    return refine(planner, begun, controls, sharp_kappa(planner, begun, controls, DEFAULT_KAPPA), status)


def refine(planner: Planner, begun: HardMotion, controls: Any, kappa: float, status: PlanStatus) -> PlanStatus:
    """Descend once more from the initial controls, at a κ where the relaxed motion is close to the hard one, then in the latter.

    At most as many iterations again as there were, or 4 ITERATIONS, half of them in each motion. Where these controls meet the
    constraints, a violation by the tolerance costs half a unit of cost from the beginning: with the penalty of a start that knows
    nothing the goals are left first and found again later, or not. status: of the descents so far, which ended no better than these
    controls.
    """
    options, done, tolerance, scale = planner.options, len(planner.log), planner.options.constraint_tolerance, planner.first_merit
    tried = status is not PlanStatus.STOPPED and planner.lowered() and done < options.max_total_iterations
    if tried and planner.restart(roll(planner.problem.sim, planner.path.states[0], controls, kappa), kappa):
        half, most = max(done // 2, 2 * ITERATIONS), options.max_total_iterations
        planner.explore, planner.cautious_step = False, options.cautious_step
        if begun.violation <= tolerance:  # what the start has is not to be found again
            planner.lagrangian.penalty = min(options.penalty / tolerance**2, options.largest_penalty)
        planner.options = replace(options, max_total_iterations=min(most, done + half), harden=False)
        status = planner.descend_all((kappa,))
        planner.options = replace(options, max_total_iterations=min(most, len(planner.log) + half))
        hard = hard_motion(planner.problem, planner.path, planner.gains, tolerance)
        best = hard if hard.better_than(begun, tolerance) else begun
        found = Found(best, kappa, planner.path, planner.policy, planner.lagrangian)
        status = finish(planner, found, begun, status)
        planner.options = options
    elif begun.trajectory is not None and usable(begun.trajectory):
        planner.restart(path_of(begun.trajectory, planner.problem.n), None)  # (the plan speaks of the motion of its own controls)
    planner.first_merit = max(scale, planner.first_merit)  # of which a fraction counts as nothing
    return status


def sharp_kappa(planner: Planner, begun: HardMotion, controls: Any, kappa: float) -> float:
    """Where no contact gives κ a scale: the largest κ, at most the given one, whose motion predicts the hard one of these controls.

    In cost within FORETOLD, in violation within the tolerance; at least LAST times the given one.
    """
    problem, least = planner.problem, LAST * kappa
    while kappa > least:
        path = roll(problem.sim, planner.path.states[0], controls, kappa)
        if path is not None:
            cost, violation = problem.value(path.states, path.controls), problem.violation(path.states, path.controls)
            near = abs(violation - begun.violation) <= planner.options.constraint_tolerance
            if near and abs(cost - begun.cost) <= FORETOLD * abs(begun.cost):
                return kappa
        kappa *= RATIO
    return least


def nearly_nothing(cost: float, begun: HardMotion) -> bool:
    """Whether a cost, which is not negative, is at most REACHED of that of the initial controls."""
    return 0.0 <= cost <= REACHED * begun.cost


def descend_ladder(planner: Planner, kappa: float, last: float) -> tuple[PlanStatus, Found]:
    """Descend at κ and below, at most down to `last`. Returns the status and the plan that is best in the hard motion."""
    options, tolerance = planner.options, planner.options.constraint_tolerance
    best, updates = Found(HardMotion(None, np.inf, np.inf), kappa, planner.path, None, planner.lagrangian), 0
    planner.hold_back(HOLD, kappa)
    while True:
        before = planner.path
        status = planner.descend(kappa, min(ITERATIONS, options.max_iterations))
        hard = hard_motion(planner.problem, planner.path, planner.gains, tolerance)
        if hard.better_than(best.hard, tolerance):
            best = Found(hard, kappa, planner.path, planner.policy, planner.lagrangian.copy())
        if status is PlanStatus.STOPPED or len(planner.log) >= options.max_total_iterations:
            return status, best
        trusted = foretold(planner, hard)
        stuck = planner.path is before or updates >= options.max_updates
        if kappa <= last or (trusted and (stuck or planner.violation() <= tolerance)):
            return status, best
        planner.update_multipliers()
        if trusted:  # constraints are still violated: stay at this κ with the new multipliers, gradients at smaller κ tell less
            updates += 1
            continue
        smaller = next_kappa(planner, kappa, last)
        if smaller is None:
            return status, best
        kappa = smaller


def foretold(planner: Planner, hard: HardMotion) -> bool:
    """Whether the relaxed motion predicts the cost of the hard one within FORETOLD, and its violation within the tolerance."""
    relaxed, tolerance = planner.problem.value(planner.path.states, planner.path.controls), planner.options.constraint_tolerance
    return abs(hard.cost - relaxed) <= FORETOLD * abs(relaxed) and hard.violation <= max(tolerance, planner.violation() + tolerance)


def next_kappa(planner: Planner, kappa: float, last: float) -> float | None:
    """Replace the path by its roll-out at a smaller κ, which is returned; None if every step in κ is too long."""
    ratio, before = RATIO, planner.objective(planner.path)
    limit = max(WORSE * before, before + SHARE * planner.first_merit)
    while True:
        smaller = max(last, ratio * kappa)
        moved = moved_to(planner, smaller)
        if ratio >= SHORTEST_RATIO:  # at the shortest step, accept any path that is better than the start of the descent
            limit = max(limit, planner.first_merit)
        if moved is not None and planner.objective(moved) <= limit:
            planner.path, planner.motion = moved, smaller
            return smaller
        if ratio >= SHORTEST_RATIO:
            return None
        ratio = float(np.sqrt(ratio))


def moved_to(planner: Planner, motion: float | None) -> Path | None:
    """The cheapest roll-out of the plan at another κ (None: hard limit) with the gains times each of GAINS; None if all fail."""
    if planner.gains is None:
        return None
    none, gains = np.zeros_like(planner.path.controls), planner.gains
    paths = [follow(planner.problem.sim, planner.path, none, share * gains, 0.0, planner.limits, motion) for share in GAINS]
    return planner.cheapest(path for path in paths if path is not None)


def harden(planner: Planner, hard: HardMotion, kappa: float) -> PlanStatus:
    """Continue in the hard motion from this plan, with gradients at HARD_KAPPAS times κ in turn, as long as one of them helps."""
    if hard.trajectory is None:
        return PlanStatus.STALLED
    planner.motion = None
    planner.path = path_of(hard.trajectory, planner.problem.n)
    status, tolerance = PlanStatus.STALLED, planner.options.constraint_tolerance
    for share in HARD_KAPPAS:
        before = planner.objective(planner.path)
        planner.regularisation.value = 0.0
        last = planner.descend_all((share * kappa,))
        helped = before - planner.objective(planner.path) > HELPS * abs(before)
        if helped or status is not PlanStatus.SOLVED or last is PlanStatus.STOPPED:
            status = last  # gradients that lead nowhere do not undo the convergence of others
        if status is PlanStatus.STOPPED or len(planner.log) >= planner.options.max_total_iterations:
            break
        if not helped and share != HARD_KAPPAS[0] and planner.violation() <= tolerance:
            break
    return status
