"""When a descent at fixed multipliers has converged, and which regularisation μ its next step has.

A large μ makes any step short and any predicted decrease small. So convergence is judged at μ = 0, or with what μ the backward pass
needs to be positive definite:

    feedforward   max |k| / (1 + |u|) is at most `gradient_tolerance`, and there are no gaps
    accepted      the step is idle, i.e. lowers the merit by less than `Planner.small` says; and it is a full one (α = 1), or the
                  last of `patience` idle ones in a row, and the model does not promise much more (`stuck`)
    refused       the line search finds no lower merit, and the model promises less than `Planner.small` says
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from dojo_py.planning.backward import AffinePolicy
from dojo_py.planning.line_search import Accepted
from dojo_py.planning.smooth_to_hard import PATIENCE

if TYPE_CHECKING:
    from dojo_py.planning.solver import Planner


class After(Enum):
    """How a descent goes on after a line search."""

    NEXT = auto()
    AGAIN = auto()
    """From the same model, now at μ = 0; the line search counts as no iteration."""
    CONVERGED = auto()
    STALLED = auto()


class Descent:
    """What one descent remembers of its line searches."""

    def __init__(self, planner: Planner, patience: int):
        self.planner, self.regularisation, self.patience = planner, planner.regularisation, patience
        self.idle = 0
        """Idle steps in a row."""
        self.stuck = False
        """The last step without μ was short and idle although the model promised much: it is wrong there, at a kink or jump."""
        self.released = False
        """μ was set to 0 as the steps had become short, and no step since was more than idle."""
        self.tried_at_zero = False
        """The present model was tried at μ = 0: what μ there is now, the backward pass needs."""
        self.refused = 0.0
        """Largest decrease, −slope, that the present model promised of a step that the line search refused."""

    def after(self, policy: AffinePolicy, accepted: Accepted | None, objective: float) -> After:
        """How to go on from the result of a line search at this objective; sets the next μ unless it was refused."""
        planner, at_zero = self.planner, self.regularisation.value == 0.0
        converged = planner.gradient(policy) <= planner.options.gradient_tolerance and planner.path.gap == 0.0
        if converged and not (at_zero or self.released or planner.explore):
            self.regularisation.value, self.released, converged = 0.0, True, False
            if accepted is None:
                return After.AGAIN
        if accepted is None:
            return self._after_refused(policy, objective, converged)
        return self._after_step(policy, accepted, objective, at_zero, converged)

    def _after_step(self, policy: AffinePolicy, accepted: Accepted, objective: float, at_zero: bool, converged: bool) -> After:
        self.idle = self.idle + 1 if accepted.decrease < self.planner.small(objective) else 0
        self.released = self.released and self.idle > 0
        self.tried_at_zero, self.refused = False, 0.0
        full = accepted.alpha == 1.0 and at_zero
        if self.idle == 0 or at_zero:
            self.stuck = self.idle > 0 and not full and self.planner.promises(policy, objective)
        enough = full or (self.idle >= (self.patience if at_zero else PATIENCE) and not self.stuck)
        converged = converged or (self.idle > 0 and enough and accepted.path.gap == 0.0)
        fine = self._weigh_next(accepted.alpha)
        return After.CONVERGED if converged else After.NEXT if fine else After.STALLED

    def _weigh_next(self, alpha: float) -> bool:
        """Set μ after a step of this length α. False if it exceeds its bound where the descent is stuck."""
        if self.stuck:
            return self.regularisation.grow()
        if self.idle and not self.planner.explore:
            self.regularisation.value = 0.0
        elif alpha < self.planner.cautious_step:
            self.regularisation.grow()
        else:
            self.regularisation.shrink()
        return True

    def _after_refused(self, policy: AffinePolicy, objective: float, converged: bool) -> After:
        promised, small = -policy.slope, self.planner.small(objective)
        if self.regularisation.value > 0.0 and not self.tried_at_zero and self.refused == 0.0 and promised < small:
            self.regularisation.value, self.tried_at_zero = 0.0, True
            return After.AGAIN
        self.refused = max(self.refused, promised)
        return After.CONVERGED if self.refused < small or (converged and self.refused <= promised) else After.NEXT
