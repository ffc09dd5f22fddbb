"""Why the planner stopped, with a hint for the user."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dojo_py.planning.hard_motion import HardMotion
    from dojo_py.planning.options import Options

FORETOLD = 0.1
"""Relative difference of cost up to which the relaxed motion counts as a prediction of the hard one."""


class PlanStatus(Enum):
    """Outcome, judged in the hard motion. The value is a sentence for the user."""

    SOLVED = "converged, and in the hard motion no constraint is violated beyond constraint_tolerance"
    RELAXED = (
        "converged in the relaxed motion only: the hard one costs more or violates constraints (hard_cost, hard_violation); use "
        "harden=True, a smaller kappa, or kappa='auto'"
    )
    MAX_ITERATIONS = "iteration limit: raise max_iterations or max_total_iterations, or start from a better guess"
    MAX_UPDATES = "constraints still violated after max_updates: raise it or the penalty; the goal may be out of reach"
    VIOLATED = (
        "no sample found that meets the constraints: raise penalty, samples, knots or max_iterations; the goal may be out of reach"
    )
    STALLED = (
        "no step lowers the cost at any regularisation: the gradients do not fit the motion; try another kappa or a "
        "shorter horizon, and leave rollout_kappa at 'gradient'"
    )
    NO_BETTER = (
        "the first controls are the best found in the hard motion, the plan holds them: they are the best there are, or the "
        "gradients do not fit the costs or the motion; check the derivatives, try another kappa"
    )
    UNREACHED = (
        "no control of the plan changes, to first order, what costs or constraints ask of the motion: what is to be moved is where "
        "no control touches it; start from controls that touch it (planning.cem finds such), or use a larger kappa"
    )
    STOPPED = "the callback asked to stop"
    BAD_START = "the first rollout fails: its controls or its state guess lead to motions that cannot be simulated"


def judged(
    status: PlanStatus, relaxed_cost: float, hard: HardMotion, constrained: bool, progress: bool, options: Options
) -> PlanStatus:
    """The final status of a plan whose descent ended with `status`, from its hard motion.

    progress: a step was accepted, and there are equality constraints or the initial controls violated a constraint. If such a plan
    meets its constraints in the hard motion, it is SOLVED even if the descent ended with STALLED or MAX_UPDATES. A plan that
    converged, but costs more or violates constraints in the hard motion, is RELAXED.
    """
    met = hard.violation <= options.constraint_tolerance
    if status in (PlanStatus.STALLED, PlanStatus.MAX_UPDATES) and progress and met:
        return PlanStatus.SOLVED
    broken = hard.cost > relaxed_cost + FORETOLD * abs(relaxed_cost) + options.absolute_tolerance
    if status is PlanStatus.SOLVED and (broken or (constrained and not met)):
        return PlanStatus.RELAXED
    return status
