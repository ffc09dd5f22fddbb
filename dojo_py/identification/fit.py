"""Identification: scipy's least_squares on the exact Jacobian, then covariance and confidence intervals.

    covariance of z = s² (JᵀJ)⁻¹,  s² = 2 cost / (m - n);  of the values by their derivative;  intervals by Student's t

With initial states as unknowns the covariance is that of the parameters after these are eliminated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.sparse import issparse
from scipy.stats import t as student

from dojo_py.identification.data import Recording, check_recordings
from dojo_py.identification.problem import Problem
from dojo_py.identification.segments import Segment
from dojo_py.identification.unknowns import PseudoInertia, Unknown, Unknowns
from dojo_py.simulate.values import count, function_of, having, real_array, real_number, shown, text_of, truth_of

Array = np.ndarray
LOSSES = ("linear", "soft_l1", "huber", "cauchy", "arctan")
"""scipy's."""


@dataclass(frozen=True, eq=False)
class Result:
    """What was found."""

    unknowns: Unknowns = field(repr=False)
    z: Array
    """(n,) free numbers."""
    values: dict[str, Array]
    """Parameter values by name."""
    simulator: Any = field(repr=False)
    """With these values."""
    cost: float
    """Half the (robust) sum of squares."""
    covariance: Array = field(repr=False)
    """(n, n) of the reported values; infinite where the data say nothing."""
    freedom: int
    """Residuals minus unknowns."""
    evaluations: int
    unsolved: int
    """Stretches with a step that was not solved, at the end."""
    message: str
    states: Array = field(repr=False)
    """Offsets of the stretches' initial states, (stretches, 2 nv), when these were unknown too."""

    @property
    def estimates(self) -> Array:
        """(n,) values in the order of `labels`."""
        return self.unknowns.report(self.z)[0]

    @property
    def deviations(self) -> Array:
        """(n,) standard deviations of the estimates."""
        return np.sqrt(np.diag(self.covariance))

    def interval(self, level: float = 0.95) -> Array:
        """(n, 2) confidence intervals of the estimates."""
        half = student.ppf(0.5 + 0.5 * level, max(self.freedom, 1)) * self.deviations
        return np.stack([self.estimates - half, self.estimates + half], axis=1)

    def table(self, level: float = 0.95) -> list[tuple[str, str, str, str]]:
        """Rows (name, value, ± half interval, unit)."""
        half = np.diff(self.interval(level), axis=1)[:, 0] / 2
        rows = zip(self.unknowns.labels, self.estimates, half, self.unknowns.units, strict=True)
        return [(label, f"{value:.6g}", f"{width:.2g}", unit) for label, value, width, unit in rows]


def identify(
    sim: Any,
    recordings: Sequence[Recording],
    unknowns: Unknowns | Sequence[Unknown | PseudoInertia],
    kappa: float | Sequence[float] = 3e-4,
    horizon: int = 1,
    free_states: bool = False,
    weights: Any = 1.0,
    continuity: float = 10.0,
    loss: str = "linear",
    loss_scale: float = 1.0,
    every: int = 1,
    choose: Callable[[Recording, Segment], bool] | None = None,
    prior: float = 0.0,
    optimiser: Callable[..., Any] = least_squares,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Result:
    """Fit the unknowns to recordings at the simulator's time step.

    kappa [N m s]: of steps and derivatives; several are used one after another, each from the last one's result. horizon: steps
    of a prediction. free_states: initial states are unknown too (multiple shooting), `continuity` times as stiff between
    stretches as a measurement. weights (nv,): inverse deviation of each coordinate's misfit. loss, loss_scale: scipy's robust
    losses ("soft_l1", "huber", …), in weighted misfits. every, choose: which
    stretches are predicted. prior: weight that holds free numbers to their start, for directions that the data leave open. options
    go to the optimiser, `least_squares` or one with its interface.
    """
    having("sim", sim, ("parameter", "with_parameters", "linearize"), "a HardSimulator")
    check_recordings(sim, recordings)
    horizon, every = count("horizon", horizon), count("every", every)
    for name, value in (("continuity", continuity), ("prior", prior)):
        real_number(name, value, least=0.0, most=1e12)
    real_number("loss_scale", loss_scale, above=0.0)
    text_of("loss", loss, LOSSES)
    truth_of("free_states", free_states)
    for name, function in (("choose", choose), ("progress", progress), ("optimiser", optimiser)):
        if function is not None:
            function_of(name, function)
    if not isinstance(unknowns, (Unknowns, Sequence)):
        raise TypeError(f"unknowns={shown(unknowns)}, expected Unknowns or a list of Unknown and PseudoInertia")
    given = unknowns if isinstance(unknowns, Unknowns) else Unknowns(sim, list(unknowns))
    w = real_array("weights", weights)
    if w.shape not in ((), (1,), (sim.model.nv,)) or not np.all(np.abs(w) <= 1e12):
        raise ValueError(f"weights has shape {w.shape}, expected one number or ({sim.model.nv},), at most 1e12")
    w = np.broadcast_to(w, (sim.model.nv,)).copy()
    levels = np.atleast_1d(real_array("kappa", kappa))
    if levels.ndim != 1 or not len(levels) or not np.all((levels > 0) & np.isfinite(levels)):
        raise ValueError(f"kappa={shown(kappa)} must be positive [N m s], one number or several")
    y: Array | None = None
    evaluations = 0
    for level in levels.tolist():
        problem = Problem(list(recordings), given, level, horizon, w, free_states, continuity, every, choose, prior)
        lower, upper = problem.bounds()
        y = np.clip(problem.start() if y is None else y, lower, upper)
        inside = 1e-10 * np.minimum(1.0, np.where(np.isfinite(upper - lower), upper - lower, 1.0))
        y = np.clip(y, lower + inside, upper - inside)
        outcome = optimiser(
            problem.residuals, y, problem.jacobian, bounds=(lower, upper), loss=loss, f_scale=loss_scale,
            **{"x_scale": "jac", "xtol": 1e-10, "ftol": 1e-10, "gtol": 1e-12, **options},
        )  # fmt: skip
        y = outcome.x
        evaluations += outcome.nfev
        if progress is not None:
            progress(f"kappa {level:g}: cost {outcome.cost:.6g} after {outcome.nfev} evaluations, {problem.unsolved} unsolved")
    assert y is not None
    n = len(given)
    z, freedom = y[:n], len(outcome.fun) - len(y)
    covariance = _covariance(outcome.jac, n, 2 * outcome.cost / max(freedom, 1))
    slope = given.report(z)[1]
    with np.errstate(invalid="ignore"):
        covariance = slope @ covariance @ slope.T
    values = given.values(z)
    return Result(
        given, z, values, sim.with_parameters(values), float(outcome.cost), covariance, freedom, evaluations, problem.unsolved,
        str(outcome.message), y[n:].reshape(-1, 2 * sim.model.nv),
    )  # fmt: skip


def _covariance(jacobian: Any, n: int, variance: float) -> Array:
    """(n, n) of the first n unknowns, the others eliminated; directions without information get a huge variance."""
    J = jacobian.toarray() if issparse(jacobian) else np.asarray(jacobian)
    H = J.T @ J
    if H.shape[0] > n:
        rest = H[n:, n:] + 1e-12 * np.diag(np.maximum(np.diag(H[n:, n:]), 1e-300))
        H = H[:n, :n] - H[:n, n:] @ np.linalg.solve(rest, H[n:, :n])
    scale = 1.0 / np.sqrt(np.maximum(np.diag(H), 1e-300))
    values, vectors = np.linalg.eigh(H * np.outer(scale, scale))
    floor = max(values[-1], 1e-300) * len(values) * np.finfo(float).eps
    inverse = (vectors / np.maximum(values, floor)) @ vectors.T
    return variance * inverse * np.outer(scale, scale)
