"""Why the planner stopped, and what to try."""

from __future__ import annotations

from enum import Enum


class PlanStatus(Enum):
    """The value is a sentence for the user."""

    SOLVED = "converged: no constraint is violated beyond constraint_tolerance"
    MAX_ITERATIONS = "iteration limit: raise max_iterations or max_total_iterations, or start from a better guess"
    MAX_UPDATES = "constraints still violated after max_updates: raise it or the penalty; the goal may be out of reach"
    STALLED = (
        "no step lowers the cost at any regularisation: the gradients do not fit the motion; try another kappa, "
        "rollout_kappa='gradient', or a shorter horizon"
    )
    NO_BETTER = (
        "the first controls are the best found, the plan holds them: the gradients do not fit the costs or the motion; check the "
        "derivatives, try another kappa"
    )
    STOPPED = "the callback asked to stop"
    BAD_START = "the first rollout fails: its controls or its state guess lead to motions that cannot be simulated"
