"""Options of `ilqr`, checked when built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dojo_py.simulate.simulator import Stepping
from dojo_py.simulate.values import check_fields, real_array, real_number, shown, text_of

DEFAULT_KAPPA = 3e-4
"""κ of "auto" where the simulator gives no scale for it [N m s]; value of the Dojo paper."""


@dataclass(frozen=True)
class Options:
    """Settings of `ilqr`. Costs are in the user's unit of cost, violations in the units of the constraints.

    Where the largest curvature of the costs along the first path is below 1e-6 or above 1e6, penalties, μ, its bounds and the
    weight of gaps are multiplied by it, so that the unit of cost does not matter.
    """

    max_iterations: int = 100
    """Largest number of iterations between two multiplier updates."""
    max_total_iterations: int = 1000
    """Largest number of iterations in all."""
    max_updates: int = 10
    """Largest number of multiplier updates; as many as there are values of `kappa` less one, at least."""
    cost_tolerance: float = 1e-4
    """The inner loop ends when an iteration lowers the merit by less than this fraction of it, but of at least a thousandth of the
    initial merit [-]. Below about 1e-12 round-off decides."""
    absolute_tolerance: float = 0.0
    """Added to that bound [cost]."""
    gradient_tolerance: float = 1e-6
    """The inner loop ends when no entry of the feedforward step k is larger than this, relative to 1 + |u| [-]."""
    constraint_tolerance: float = 5e-3
    """Largest accepted violation of a constraint."""
    penalty: float = 1.0
    """Initial penalty ρ of the augmented Lagrangian [cost per violation²]."""
    penalty_growth: float = 10.0
    """Factor on ρ at every multiplier update."""
    largest_penalty: float = 1e8
    """Upper bound of ρ; beyond about 1e8 the backward pass suffers from round-off."""
    armijo: float = 1e-4
    """c₁ of the line search: required fraction of the decrease that the slope predicts [-]."""
    shortest_step: float = 1e-5
    """Smallest α of the line search, which starts at 1 and halves it [-]."""
    cautious_step: float = 0.0
    """μ also grows after an accepted step with α below this, as the quadratic model is then valid nearby only [-]; 0: never."""
    regularise: Literal["control", "state"] = "control"
    """μ penalises changes of the control, or of the next state (Tassa 2012, eq. 10; needs B of full rank or a control cost)."""
    regularisation: float = 0.0
    """Initial μ."""
    smallest_regularisation: float = 1e-6
    """A smaller μ is set to 0."""
    largest_regularisation: float = 1e8
    """A larger μ ends the loop with status STALLED."""
    kappa: float | Sequence[float] | Literal["auto"] | None = "auto"
    """Central-path parameter of the gradients [N m s]; several: the next one after each multiplier update, at last the last.

    "auto": from the model's largest to the hard limit, as fast as the relaxed motion predicts the hard one (smooth_to_hard.py);
    3e-4 if no contact can carry the model, or if `rollout_kappa` is not "gradient". Where the first roll-out fails at each of its κ
    and not in the hard limit, roll-outs are in the hard limit from the beginning. None: the simulator's default. Ignored in the
    soft mode, which has no central path.
    """
    rollout_kappa: float | Literal["gradient"] | None = "gradient"
    """Central-path parameter of the roll-outs [N m s]: "gradient": the same as `kappa`; None: the hard limit, where a contact that
    small changes of the controls do not open hides the effect of large ones."""
    harden: bool = True
    """After convergence in the relaxed motion, continue in the hard limit until the plan converges there too."""
    difference_width: float | None = None
    """Width of the finite differences of the soft mode [m, rad, m/s, …]; None: the simulator's default, which is too small for
    motions that graze a contact, where a step of the soft mode is discontinuous. Only for a `linearize` that takes `epsilon`."""
    gap_weight: float = 1.0
    """Smallest weight ν of the gaps of an infeasible start in the merit [cost per unit of gap]."""
    check_derivatives: bool = True
    """Compare the derivatives of costs and constraints with differences at the first knot where each applies; ValueError names a
    wrong row."""
    look_around: int = 8
    """Before SOLVED is said of a plan that costs more than a hundredth of its start, so many random changes of its controls are
    rolled out in the hard motion; if one is better, the descent goes on from it, three times at most (look_around.py). 0: none,
    nor without `harden`."""
    threads: int = 1
    """Number of knots linearised in parallel; the result does not depend on it."""

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
        if self.look_around < 0:
            raise ValueError(f"Options: look_around={self.look_around!r} must not be negative")
        if not 0 < self.armijo < 0.5:
            raise ValueError(f"Options: armijo={self.armijo!r} must lie between 0 and 0.5")
        for name in ("cautious_step", "shortest_step"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"Options: {name}={getattr(self, name)!r} must lie between 0 and 1")
        if self.penalty_growth < 1:
            raise ValueError(f"Options: penalty_growth={self.penalty_growth!r} must be at least 1")
        if self.difference_width is not None:
            real_number("Options: difference_width", self.difference_width, above=0.0)
        self._check_kappas()

    def _check_kappas(self) -> None:
        """Check both κ; `kappa` becomes a tuple if it is an array."""
        if isinstance(self.rollout_kappa, str):
            if self.rollout_kappa != "gradient":
                raise ValueError(f"Options: rollout_kappa={self.rollout_kappa!r} is neither a number, None nor 'gradient'")
        elif self.rollout_kappa is not None:
            real_number("Options: rollout_kappa", self.rollout_kappa, least=0.0, unit="N m s")
        if isinstance(self.kappa, str):
            text_of("Options: kappa", self.kappa, ("auto",))
        if self.kappa is None or isinstance(self.kappa, str):
            return
        levels = np.atleast_1d(real_array("Options: kappa", self.kappa))
        if levels.ndim != 1 or not len(levels) or not (np.all(levels > 0) and np.all(np.isfinite(levels))):
            raise ValueError(f"Options: kappa={shown(self.kappa)} must be positive [N m s], one number or several")
        if np.ndim(self.kappa):  # an array cannot be compared with "auto"
            object.__setattr__(self, "kappa", tuple(levels.tolist()))

    def of_mode(self, sim: Stepping) -> Options:
        """These options for a simulator: without κ in the soft mode."""
        return self if getattr(sim, "mode", "hard") == "hard" else replace(self, kappa=None, rollout_kappa=None)

    def in_unit(self, unit: float) -> Options:
        """These options for costs whose unit of cost is `unit`."""
        return replace(
            self,
            penalty=unit * self.penalty,
            largest_penalty=unit * self.largest_penalty,
            gap_weight=unit * self.gap_weight,
            regularisation=unit * self.regularisation,
            smallest_regularisation=unit * self.smallest_regularisation,
            largest_regularisation=unit * self.largest_regularisation,
        )

    @property
    def kappas(self) -> tuple[float | None, ...]:
        """κ of the gradients after 0, 1, … multiplier updates."""
        if self.kappa is None:
            return (None,)
        if isinstance(self.kappa, str):
            return (DEFAULT_KAPPA,)
        return tuple(float(k) for k in np.atleast_1d(np.asarray(self.kappa)))

    def motion_kappa(self, gradient_kappa: float | None) -> float | None:
        """κ of the roll-outs while the gradients use `gradient_kappa`."""
        return gradient_kappa if isinstance(self.rollout_kappa, str) else self.rollout_kappa
