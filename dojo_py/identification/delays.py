"""Controls that act later than they were recorded: by a known delay, or by one that is fitted as any other unknown.

A control holds from its sample to the next, u(t). In a step of length h it acts with its mean over the step, a delay δ later:

    u_i(δ) = (U(t_i + h - δ) - U(t_i - δ)) / h,    ∂u_i/∂δ = -(u(t_i + h - δ) - u(t_i - δ)) / h,    U = ∫ u dt

Before the first sample the first control held. A simulator's control acts at the start of its step, half a step before its mean, so
that a fitted delay is that of the simulator: longer by half a step than in the limit of short steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dojo_py.identification.bounds import check_given
from dojo_py.identification.data import Recording, check_recordings
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.values import having, real_number

Array = np.ndarray
NAME = "delay"


@dataclass(frozen=True)
class Delay:
    """By how much later all controls act than they were recorded [s]."""

    start: float = 0.0
    lower: float = 0.0
    upper: float = 1.0
    prior: float | None = None
    """Deviation of what is known beforehand of it, about its start [s]."""

    def __post_init__(self) -> None:
        for name in ("start", "lower", "upper"):
            real_number(f"Delay: {name}", getattr(self, name), least=0.0, unit="s")
        check_given("Delay", self.start, self.lower, self.upper)

    def prepare(self, sim: Any) -> tuple[Array, Array, Array, list[str], str]:
        """(start, lower, upper) of the delay [s], (1,) each, label and unit."""
        return np.array([self.start]), np.array([self.lower]), np.array([self.upper]), [NAME], "s"

    def parameters(self) -> tuple[str, ...]:
        """None of the simulator's."""
        return ()

    def values(self, present: dict[str, Array], z: Array) -> dict[str, Array]:
        """None of the simulator's."""
        return {}

    def columns(self, present: dict[str, Array], z: Array, given: dict[str, Array]) -> Array:
        """(…, rows, 1) what steps' ends change by, B ∂u/∂δ, given as a parameter's."""
        return given[NAME]

    def report(self, z: Array) -> tuple[Array, Array]:
        """The delay (1,) [s]."""
        return z, np.ones((1, 1))


def controls_later(controls: Array, interval: float, delay: float, steps: int) -> tuple[Array, Array]:
    """Means over steps (T steps, nu) of controls (T, nu), each for an interval [s], a delay [s] later; their derivatives by it."""
    T, h = len(controls), interval / steps
    ends = h * np.arange(T * steps + 1) - delay
    place = ends / interval
    before = np.clip(np.ceil(place - 1e-9).astype(int) - 1, 0, T - 1)  # the control that ends there, or goes on
    whole = np.concatenate([np.zeros((1, controls.shape[1])), np.cumsum(controls, axis=0)])
    integral = interval * (whole[before] + (place - before)[:, None] * controls[before])
    return np.diff(integral, axis=0) / h, -np.diff(controls[before], axis=0) / h


def delayed(sim: Simulator, recordings: Sequence[Recording], delay: float) -> list[Recording]:
    """The recordings with controls that act a delay [s] later, as means over the samples' intervals: to simulate a found delay."""
    having("sim", sim, ("model", "timestep"), "a HardSimulator or a SoftSimulator")
    check_recordings(sim, recordings)
    delay = real_number("delay", delay, least=0.0, unit="s")
    nu = sim.model.nu
    return [replace(r, control=controls_later(r.controls(nu), sim.timestep * r.stride, delay, 1)[0]) for r in recordings]
