"""Options of the sampling planners, checked when built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dojo_py.mechanism.enums import GainType
from dojo_py.planning.splines import KINDS
from dojo_py.simulate.values import check_fields, real_array, text_of

Array = np.ndarray

ACCELERATION = 10.0
"""Acceleration that sets the initial standard deviation of controls without limits [m/s², rad/s²]: about gravity, enough to lift a
body or to push it against friction."""


@dataclass(frozen=True)
class SamplingOptions:
    """Settings of `predictive_sampling`, `cem` and `mppi`."""

    samples: int = 64
    """Number of roll-outs per iteration."""
    max_iterations: int = 50
    """Largest number of iterations."""
    knots: int = 8
    """Number of knots of the control spline; T or more: one per step."""
    spline: Literal["cubic", "linear", "constant"] = "cubic"
    """Interpolation of the controls between the knots."""
    spread: float | Array | None = None
    """Initial standard deviation of the knots, a number or (nu,) [unit of the control]; None: a quarter of the control range;
    without limits, the largest initial control plus the control that accelerates the model by about gravity."""
    smallest_spread: float = 1e-3
    """Smallest standard deviation, relative to the initial one [-]."""
    shrink: float = 0.9
    """Factor on the standard deviation per iteration; `cem` uses that of the elites instead [-]."""
    elites: int = 10
    """`cem`: number of best samples from which the next mean and standard deviation are computed."""
    inertia: float = 0.3
    """`cem`: weight of the old mean and standard deviation in the new ones [-]."""
    temperature: float = 0.1
    """`mppi`: samples have the weights exp(−(score − best) / λ); λ is this times (median score − best score) [-]."""
    penalty: float = 10.0
    """Initial weight of the sum of violations in the score [cost per unit of violation]; where the costs' curvature is below 1e-6
    or above 1e6, times that."""
    penalty_growth: float = 1.5
    """Factor on the penalty after an iteration in which the best sample violates a constraint beyond the tolerance [-]."""
    constraint_tolerance: float = 5e-3
    """Largest accepted violation of a constraint, in the constraint's unit."""
    cost_tolerance: float = 1e-4
    """The search ends when `patience` iterations lowered the score by less than this fraction of it [-]."""
    patience: int = 20
    """Number of iterations for `cost_tolerance`."""
    threads: int | None = None
    """Number of roll-outs in parallel; None: all cores. The result does not depend on it."""

    def __post_init__(self) -> None:
        check_fields(self, prefix="SamplingOptions: ")
        text_of("SamplingOptions: spline", self.spline, KINDS)
        for name, least in (("samples", 2), ("max_iterations", 1), ("knots", 1), ("elites", 1), ("patience", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"SamplingOptions: {name}={getattr(self, name)!r} must be at least {least}")
        if self.elites > self.samples:
            raise ValueError(f"SamplingOptions: elites={self.elites} must be at most samples={self.samples}")
        if self.threads is not None and self.threads < 1:
            raise ValueError(f"SamplingOptions: threads={self.threads!r} must be at least 1, or None for all cores")
        for name in ("temperature", "constraint_tolerance", "smallest_spread"):
            if not getattr(self, name) > 0:
                raise ValueError(f"SamplingOptions: {name}={getattr(self, name)!r} must be positive")
        for name, low, high in (("shrink", 0.0, 1.0), ("inertia", 0.0, 0.999)):
            if not low <= getattr(self, name) <= high or (name == "shrink" and self.shrink == 0.0):
                raise ValueError(f"SamplingOptions: {name}={getattr(self, name)!r} must lie between {low:g} and {high:g}")
        if not self.penalty >= 0 or not self.cost_tolerance >= 0:
            raise ValueError("SamplingOptions: penalty and cost_tolerance must not be negative")
        if not self.penalty_growth >= 1:
            raise ValueError(f"SamplingOptions: penalty_growth={self.penalty_growth!r} must be at least 1")

    def spreads(self, model: Any, low: Array, high: Array, controls: Array) -> Array:
        """(nu,) initial standard deviations for controls (T, nu) within low, high (nu,)."""
        if self.spread is None:
            free = _strong_controls(model) + np.abs(controls).max(axis=0)
            return np.where(np.isfinite(high - low), 0.25 * (high - low), free)
        found: Any = real_array("SamplingOptions: spread", self.spread)
        good = np.all(np.isfinite(found)) and np.all(found >= 0) and np.any(found > 0)
        if found.shape not in ((), (1,), low.shape) or not good:
            raise ValueError(f"SamplingOptions: spread={self.spread!r} must be a number or ({len(low)},) numbers, not negative")
        return np.broadcast_to(found, low.shape).astype(float)


def _strong_controls(model: Any) -> Array:
    """(nu,) controls that accelerate the model by ACCELERATION at qpos0; 1 if unknown or if a control moves nothing there."""
    if not hasattr(model, "actuator_acc0"):
        return np.ones(int(model.nu))
    gain = np.where(np.asarray(model.actuator_gaintype) == GainType.FIXED, np.abs(model.actuator_gainprm[:, 0]), 1.0)
    first, controls = np.asarray(model.actuator_outadr), np.asarray(model.actuator_ctrlnum)
    acceleration = np.repeat(np.asarray(model.actuator_acc0)[first] * gain, controls)
    return np.where(acceleration > 0.0, ACCELERATION / np.where(acceleration > 0.0, acceleration, 1.0), 1.0)
