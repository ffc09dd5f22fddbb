"""Whether a plan is a minimum: random changes of its controls, rolled out in the hard motion.

A descent converges where the gradient nearly vanishes, or where a step finds little. Beside a maximum or a saddle both are so, and
the Gauss–Newton model, never indefinite, cannot tell these from a minimum. Changes are smooth: splines over KNOTS knots. Saddles
whose way down is narrow beside steep penalties (a mass held by a constraint exactly behind a post) are not found so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dojo_py.planning.end_of_plan import end_of
from dojo_py.planning.hard_motion import HardMotion, measured, path_of, usable
from dojo_py.planning.plan import Plan
from dojo_py.planning.problem import Problem
from dojo_py.planning.sampling import roll_all
from dojo_py.planning.sampling_options import SamplingOptions
from dojo_py.planning.shooting import Path, roll
from dojo_py.planning.smooth_to_hard import nearly_nothing
from dojo_py.planning.splines import spline_matrix
from dojo_py.planning.status import PlanStatus
from dojo_py.simulate.trajectory import Trajectory

if TYPE_CHECKING:
    from dojo_py.planning.solver import Planner

Array = np.ndarray

KNOTS = 5
SIZES = (1.0, 0.01)
"""Largest and smallest standard deviation of the changes, over those of the planners that sample (¼ of the range)."""
LOOKS = 3
"""So many descents at most from better plans beside one that is SOLVED."""
WORTH = 0.01
"""Relative decrease of the merit that says that a plan is no minimum."""


def changed(problem: Problem, controls: Array, samples: int, seed: int) -> Array:
    """(N, T, nu) the controls (T, nu) with random smooth changes of several sizes, within the limits."""
    matrix = spline_matrix(len(controls), KNOTS, "cubic")
    spread = SamplingOptions().spreads(problem.model, problem.low, problem.high, controls)
    noise = np.random.default_rng(seed).standard_normal((samples, matrix.shape[1], controls.shape[1]))
    changes = np.geomspace(*SIZES, samples)[:, None, None] * spread * np.einsum("tk,nkm->ntm", matrix, noise)
    return np.clip(controls + changes, problem.low, problem.high)


def better_nearby(
    problem: Problem, hard: HardMotion, merit: Callable[[Path], float], least: float, samples: int, seed: int, threads: int
) -> HardMotion | None:  # fmt: skip
    """The best of the changed plans, if its merit is lower by more than `least` and by WORTH of it; None if none is."""

    def rated(motion: Trajectory | None) -> float:
        if motion is None or not usable(motion):
            return np.inf
        found = merit(path_of(motion, problem.n))
        return found if np.isfinite(found) else np.inf

    held = hard.trajectory
    assert held is not None
    motions = roll_all(problem.sim, held.state(0), changed(problem, held.control, samples, seed), threads)
    now, merits = rated(held), [rated(motion) for motion in motions]
    best = int(np.argmin(merits))
    return measured(problem, motions[best]) if merits[best] < now - max(least, WORTH * abs(now)) else None


def look_around(planner: Planner, plan: Plan, begun: HardMotion, kappas: Sequence[float | None]) -> Plan:
    """The plan; if it is SOLVED and a random change of its controls is better, one that descends from there."""
    for look in range(LOOKS):
        options, hard = planner.options, HardMotion(plan.hard_trajectory, plan.hard_cost, plan.hard_violation)
        over = len(planner.log) >= options.max_total_iterations or nearly_nothing(hard.cost, begun)
        in_relaxed = not options.harden and planner.motion is not None  # whose plans the hard motion may well improve
        if plan.status is not PlanStatus.SOLVED or not options.look_around or over or in_relaxed:
            break
        least, samples = planner.small(hard.cost), options.look_around
        better = better_nearby(planner.problem, hard, planner.objective, least, samples, look, options.threads)
        if better is None or better.trajectory is None:
            break
        planner.kept = better if better.better_than(hard, options.constraint_tolerance) else hard
        motion, start = options.motion_kappa(kappas[0]), better.trajectory.state(0)
        if not planner.restart(roll(planner.problem.sim, start, better.trajectory.control, motion), motion):
            planner.restart(path_of(better.trajectory, planner.problem.n), None)
        planner.explore, planner.cautious_step = False, options.cautious_step
        again = end_of(planner, begun, planner.descend_all(kappas))
        found = HardMotion(again.hard_trajectory, again.hard_cost, again.hard_violation)
        if again.status is PlanStatus.STOPPED or found.better_than(hard, options.constraint_tolerance):
            plan = again
        else:
            break
    return plan
