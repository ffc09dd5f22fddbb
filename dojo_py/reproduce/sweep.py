"""Every shipped model at time steps from 0.001 to 0.1 s under random controls: is every step solved, is nothing below ground?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import random_controls
from dojo_py.reproduce.speed import start_of

TIMESTEPS = (0.001, 0.003, 0.01, 0.03, 0.1)
STEPS = 1000
"""Steps a model and time step: 20 models x 5 time steps x 1000 = 100 000."""
DEEPEST = -1e-9
"""Smallest gap accepted [m]."""


class Outcome(NamedTuple):
    """What a run of one model at one time step came to."""

    unsolved: int
    not_finite: int
    smallest_gap: float
    """[m], inf without contacts"""
    median_iterations: float
    most_iterations: int

    @property
    def holds(self) -> bool:
        """Nothing unsolved, nothing infinite, nothing below ground."""
        return self.unsolved == 0 and self.not_finite == 0 and self.smallest_gap >= DEEPEST


def sweep(name: str, timestep: float, steps: int = STEPS, seed: int = 0) -> Outcome:
    """Random controls from the model's customary start, in runs of 200 steps that each start there anew."""
    from dojo_py import HardSimulator, load_model

    model = load_model(name)
    sim = HardSimulator(model, timestep=timestep)
    state = sim.initial_state(*start_of(model))
    controls = random_controls(model, steps, seed)
    runs: list[Any] = [sim.rollout(state, controls[i : i + 200]) for i in range(0, steps, 200)]
    iterations = np.concatenate([run.iterations for run in runs])
    return Outcome(
        unsolved=sum(int(np.count_nonzero(run.status)) for run in runs),
        not_finite=sum(int(np.count_nonzero(~np.isfinite(run.qpos).all(axis=1))) for run in runs),
        smallest_gap=min(float(run.min_gap.min()) for run in runs),
        median_iterations=float(np.median(iterations)),
        most_iterations=int(iterations.max()),
    )


def run(timesteps: tuple[float, ...] = TIMESTEPS, steps: int = STEPS) -> Report:
    """One row a model and time step."""
    from dojo_py import models

    rows, holds = [], True
    for name in models.names():
        for h in timesteps:
            outcome = sweep(name, h, steps)
            holds &= outcome.holds
            gap = f"{outcome.smallest_gap:.1e}" if np.isfinite(outcome.smallest_gap) else "-"
            iterations = f"{outcome.median_iterations:g} / {outcome.most_iterations}"
            rows.append((name, h, steps, outcome.unsolved, outcome.not_finite, gap, iterations))
    columns = ("model", "h [s]", "steps", "unsolved", "not finite", "smallest gap [m]", "iterations (median / worst)")
    total = len(rows) * steps
    notes = [
        f"{total} steps, {sum(row[3] for row in rows)} unsolved; bounds: 0 unsolved, 0 not finite, gap >= {DEEPEST:g} m"
    ]
    return Report("sweep", "All models, random controls", columns, rows, notes, holds=bool(holds))
