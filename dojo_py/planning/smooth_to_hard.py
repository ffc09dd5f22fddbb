"""κ by itself: plan where contacts are smooth, then go to the hard limit as fast as the relaxed motion foretells the hard one.

At rest friction holds: a small push changes nothing, so gradients near the hard limit say that nothing can be done. At a large κ
bodies float and slide, and every push counts. Between the two lies a homotopy:

1. descend for some iterations at κ, beginning where roll-outs begin to mean something (`HardSimulator.largest_kappa`);
2. roll the plan out in the hard motion: where that costs what the relaxed motion said, go on there;
3. otherwise lower κ and follow the path with feedback; where that makes the plan much worse, the step in κ was too long: halve it
   (in the logarithm), as far as that goes; where even then it is worse than the plan that the descent began with, the path is lost
   (a box has tipped over) and the descent ends;
4. in the hard motion, go on from the best plan seen there, with gradients at several κ in turn, as long as one of them helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.planning.hard_motion import HardMotion, hard_motion, open_loop, states_of
from dojo_py.planning.options import DEFAULT_KAPPA, Options
from dojo_py.planning.shooting import Path, follow, roll
from dojo_py.planning.status import FORETOLD, PlanStatus
from dojo_py.simulate.simulator import Stepping

if TYPE_CHECKING:
    from dojo_py.planning.solver import Planner

LAST, RATIO, SHORTEST_RATIO = 3e-4, 0.5, 0.9
"""Smallest κ over the largest; κ over the one before; the closest that two may come."""
ITERATIONS = 25
"""At one κ."""
WORSE = 2.0
"""A step in κ is too long when it makes the merit larger than this times what it was, or than the first merit's share below."""
SHARE = 0.02
GAINS = (1.0, 0.3, 0.0)
"""Shares of the gains with which a path is followed into the motion at another κ; the best one counts."""
CAUTIOUS, HOLD = 0.6, 1.0
"""Step length below which regularisation grows; first regularisation, of the mean curvature by a control."""
PATIENCE = 5
"""Iterations in a row that change nothing, after which a descent ends; one full step that changes nothing is enough."""
STARTS = (0.01, 0.3, 1.0, 0.1)
"""First κ of the descents, over the largest one."""
REACHED = 0.01
"""No further descent is begun when the hard motion costs at most this share of the start's and violates no constraint."""
HARD_KAPPAS = (1.0, 0.1, 0.01, 10.0)
"""κ of gradients in the hard motion, over the κ at which the relaxed motion foretold it."""
HELPS = 0.01
"""Gradients at a κ help when they lower the merit by this share."""


def ladder_of(sim: Stepping, options: Options) -> tuple[float, float] | None:
    """(largest κ, smallest) to go through; None where κ is fixed, or has no effect to go by."""
    if options.kappa != "auto" or options.rollout_kappa != "gradient" or not hasattr(sim, "largest_kappa"):
        return None
    largest = float(sim.largest_kappa())
    return (largest, LAST * largest) if np.isfinite(largest) and largest > 0.0 else None


@dataclass(frozen=True, eq=False)
class Found:
    """A plan of the relaxed motion at κ, and its hard motion."""

    hard: HardMotion
    kappa: float
    path: Path
    policy: Any


def smooth_to_hard(planner: Planner, ladder: tuple[float, float], controls: Any) -> PlanStatus:
    """From the start once at every κ of STARTS, then in the hard motion from the best plan seen there."""
    options, problem, first = planner.options, planner.problem, planner.path
    tolerance, (largest, last) = options.constraint_tolerance, ladder
    planner.explore, planner.cautious_step, planner.patience = True, max(CAUTIOUS, options.cautious_step), PATIENCE
    begun = open_loop(problem, first.states[0], controls)
    goals, best, status = bool(problem.constraints), Found(begun, DEFAULT_KAPPA, first, None), PlanStatus.STALLED
    for share in STARTS:
        kappa = share * largest
        if not planner.restart(first if first.gap else roll(problem.sim, first.states[0], controls, kappa), kappa):
            continue
        status, found = descend_ladder(planner, kappa, last)
        if found.hard.better_than(best.hard, tolerance):
            best = found
        if status is PlanStatus.STOPPED or len(planner.log) >= options.max_total_iterations:
            break
        if best.hard.violation <= tolerance and (best.hard.cost <= REACHED * abs(begun.cost) or (goals and best.hard is not begun)):
            break
    planner.path, planner.policy, planner.kept = best.path, best.policy, best.hard
    if best.hard is begun or not options.harden or status is PlanStatus.STOPPED:
        return status
    status = harden(planner, best.hard, best.kappa)
    reached = planner.problem.value(planner.path.states, planner.path.controls) <= REACHED * abs(begun.cost)
    return PlanStatus.SOLVED if status is PlanStatus.STALLED and reached else status  # no κ of the gradients leads further down


def descend_ladder(planner: Planner, kappa: float, last: float) -> tuple[PlanStatus, Found]:
    """Descend from this κ to the last one, and the best plan by its hard motion."""
    options, tolerance = planner.options, planner.options.constraint_tolerance
    best, updates = Found(HardMotion(None, np.inf, np.inf), kappa, planner.path, None), 0
    planner.hold_back(HOLD, kappa)
    while True:
        before = planner.path
        status = planner.descend(kappa, min(ITERATIONS, options.max_iterations))
        hard = hard_motion(planner.problem, planner.path, planner.gains, tolerance)
        if hard.better_than(best.hard, tolerance):
            best = Found(hard, kappa, planner.path, planner.policy)
        if status is PlanStatus.STOPPED or len(planner.log) >= options.max_total_iterations:
            return status, best
        trusted = foretold(planner, hard)
        stuck = planner.path is before or updates >= options.max_updates
        if kappa <= last or (trusted and (stuck or planner.violation() <= tolerance)):
            return status, best
        planner.update_multipliers()
        if trusted:  # the penalties are too weak yet to meet the goals; at a smaller κ less can be seen of the way there
            updates += 1
            continue
        smaller = next_kappa(planner, kappa, last)
        if smaller is None:
            return status, best
        kappa = smaller


def foretold(planner: Planner, hard: HardMotion) -> bool:
    """Whether the hard motion costs what the relaxed one said."""
    relaxed, tolerance = planner.problem.value(planner.path.states, planner.path.controls), planner.options.constraint_tolerance
    return abs(hard.cost - relaxed) <= FORETOLD * abs(relaxed) and hard.violation <= max(tolerance, planner.violation() + tolerance)


def next_kappa(planner: Planner, kappa: float, last: float) -> float | None:
    """Move the path into the motion at a smaller κ, which is returned; None where every step is too long."""
    ratio, before = RATIO, planner.objective(planner.path)
    limit = max(WORSE * before, before + SHARE * planner.first_merit)
    while True:
        smaller = max(last, ratio * kappa)
        moved = moved_to(planner, smaller)
        if ratio >= SHORTEST_RATIO:  # what lost only a part of the gain is worth going on from
            limit = max(limit, planner.first_merit)
        if moved is not None and planner.objective(moved) <= limit:
            planner.path, planner.motion = moved, smaller
            return smaller
        if ratio >= SHORTEST_RATIO:
            return None
        ratio = float(np.sqrt(ratio))


def moved_to(planner: Planner, motion: float | None) -> Path | None:
    """The cheapest path of the plan's controls in the motion at another κ, with all of the gains, a part or none."""
    if planner.gains is None:
        return None
    none, gains = np.zeros_like(planner.path.controls), planner.gains
    paths = [follow(planner.problem.sim, planner.path, none, share * gains, 0.0, planner.limits, motion) for share in GAINS]
    found = [path for path in paths if path is not None]
    return min(found, key=planner.objective) if found else None


def harden(planner: Planner, hard: HardMotion, kappa: float) -> PlanStatus:
    """Go on in the hard motion from the best plan seen there, at several κ of the gradients, as long as one of them helps."""
    if hard.trajectory is None:
        return PlanStatus.STALLED
    planner.motion = None
    planner.path = Path(states_of(hard.trajectory), hard.trajectory.control, np.zeros_like(planner.path.gaps))
    status, tolerance = PlanStatus.STALLED, planner.options.constraint_tolerance
    for share in HARD_KAPPAS:
        before = planner.objective(planner.path)
        planner.regularisation.value = 0.0
        status = planner.descend_all((share * kappa,))
        if status is PlanStatus.STOPPED or len(planner.log) >= planner.options.max_total_iterations:
            break
        helped = before - planner.objective(planner.path) > HELPS * abs(before)
        if not helped and share != HARD_KAPPAS[0] and planner.violation() <= tolerance:
            break
    return status
