"""Options of the planner: one sentence and one unit each, checked when built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.values import check_fields, real_array, real_number, shown, text_of

DEFAULT_KAPPA = 3e-4
"""Of "auto" where there is nothing to choose it by [N m s], the paper's."""


@dataclass(frozen=True)
class Options:
    """Settings of `ilqr`. Costs are in the user's unit of cost, violations in the units of the constraints."""

    max_iterations: int = 100
    """Iterations between two updates of the multipliers."""
    max_total_iterations: int = 1000
    """Iterations in all."""
    max_updates: int = 10
    """Updates of the multipliers."""
    cost_tolerance: float = 1e-4
    """The inner loop ends when an iteration lowers the merit by less than this share of it [-]; of a thousandth of the first merit,
    where it is smaller than that. Below about 1e-12 round-off decides."""
    absolute_tolerance: float = 0.0
    """Added to that [cost]."""
    gradient_tolerance: float = 1e-6
    """The inner loop ends when no entry of the feedforward step k is larger, relative to 1 + |u| [-]."""
    constraint_tolerance: float = 5e-3
    """Largest violation of a constraint accepted."""
    penalty: float = 1.0
    """First penalty ρ of the augmented Lagrangian [cost per violation²]."""
    penalty_growth: float = 10.0
    """Its factor at every update."""
    largest_penalty: float = 1e8
    """Beyond about 1e8 the backward pass loses its digits."""
    armijo: float = 1e-4
    """Share of the decrease that the slope promises which a step must deliver [-]."""
    shortest_step: float = 1e-5
    """Of the line search, which halves from 1 [-]."""
    cautious_step: float = 0.0
    """μ also grows after a step shorter than this, which says that the model does not hold so far away [-]; 0: it never does."""
    regularise: Literal["control", "state"] = "control"
    """What μ holds back: the controls, or the next state (Tassa 2012, eq. 10), which needs B of full rank or a control cost."""
    regularisation: float = 0.0
    """First μ."""
    smallest_regularisation: float = 1e-6
    """A smaller μ counts as 0."""
    largest_regularisation: float = 1e8
    """A larger μ ends the loop with status STALLED."""
    kappa: float | Sequence[float] | Literal["auto"] | None = "auto"
    """Central-path parameter of the gradients [N m s]; several: one for each stage between multiplier updates, the last one kept.

    "auto": from the model's largest to the hard limit, as fast as the relaxed motion foretells the hard one (smooth_to_hard.py);
    3e-4 where no contact carries anything, in the soft mode and where only gradients are relaxed. None: the simulator's own choice.
    Of the hard mode: the soft one has no central path.
    """
    rollout_kappa: float | Literal["gradient"] | None = "gradient"
    """Central-path parameter of the motion itself: "gradient" is the gradients' own, None the hard limit, in which a contact that
    no small push opens hides what a large one would do."""
    harden: bool = True
    """When the plan holds in relaxed motion, go on from it in the hard limit until it holds there too."""
    difference_width: float | None = None
    """Width of the soft mode's finite differences [m, rad, m/s, …]; None: the simulator's own, too narrow for motions that graze
    a contact, where the soft mode's step is not continuous. Only for simulators whose `linearize` takes `epsilon`."""
    gap_weight: float = 1.0
    """Least weight of the gaps of an infeasible start in the merit [cost per unit of gap]."""
    check_derivatives: bool = True
    """Compare the derivatives of costs and constraints with differences at the first knot where each acts; ValueError names the
    row that is wrong."""
    threads: int = 1
    """Knots linearised at the same time; the result is the same for any number."""

    def __post_init__(self) -> None:
        check_fields(self, prefix="Options: ")
        text_of("Options: regularise", self.regularise, ("control", "state"))
        for name in ("max_iterations", "max_total_iterations", "max_updates", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"Options: {name}={getattr(self, name)!r} must be at least 1")
        for name in ("penalty", "shortest_step", "constraint_tolerance", "largest_penalty", "largest_regularisation"):
            if not getattr(self, name) > 0:
                raise ValueError(f"Options: {name}={getattr(self, name)!r} must be positive")
        tolerances = ("cost_tolerance", "absolute_tolerance", "gradient_tolerance")
        for name in (*tolerances, "regularisation", "smallest_regularisation", "gap_weight"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"Options: {name}={getattr(self, name)!r} must not be negative")
        if not 0 < self.armijo < 0.5:
            raise ValueError(f"Options: armijo={self.armijo!r} must lie between 0 and 0.5")
        if not 0 <= self.cautious_step <= 1:
            raise ValueError(f"Options: cautious_step={self.cautious_step!r} must lie between 0 and 1")
        if self.penalty_growth < 1:
            raise ValueError(f"Options: penalty_growth={self.penalty_growth!r} must be at least 1")
        if isinstance(self.rollout_kappa, str):
            if self.rollout_kappa != "gradient":
                raise ValueError(f"Options: rollout_kappa={self.rollout_kappa!r} is neither a number, None nor 'gradient'")
        elif self.rollout_kappa is not None:
            real_number("Options: rollout_kappa", self.rollout_kappa, least=0.0, unit="N m s")
        if self.difference_width is not None:
            real_number("Options: difference_width", self.difference_width, above=0.0)
        if isinstance(self.kappa, str):
            text_of("Options: kappa", self.kappa, ("auto",))
        if self.kappa is None or isinstance(self.kappa, str):
            return
        levels = np.atleast_1d(real_array("Options: kappa", self.kappa))
        if levels.ndim != 1 or not len(levels) or not (np.all(levels > 0) and np.all(np.isfinite(levels))):
            raise ValueError(f"Options: kappa={shown(self.kappa)} must be positive [N m s], one number or several")

    def of_mode(self, sim: Stepping) -> Options:
        """The same for this simulator: without κ in the soft mode."""
        return self if getattr(sim, "mode", "hard") == "hard" else replace(self, kappa=None, rollout_kappa=None)

    @property
    def kappas(self) -> tuple[float | None, ...]:
        """Of the gradients, stage by stage."""
        if self.kappa is None:
            return (None,)
        if isinstance(self.kappa, str):
            return (DEFAULT_KAPPA,)
        return tuple(float(k) for k in np.atleast_1d(np.asarray(self.kappa)))

    def motion_kappa(self, gradient_kappa: float | None) -> float | None:
        """Of the motion, while the gradients use `gradient_kappa`."""
        return gradient_kappa if isinstance(self.rollout_kappa, str) else self.rollout_kappa
