"""Every shipped model at time steps from 0.001 to 0.1 s under random controls: is every step solved, is nothing below ground?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import measured_motion, random_controls, start_of

TIMESTEPS = (0.001, 0.003, 0.01, 0.03, 0.1)
STEPS = 1000
"""Steps a model and time step: 20 models x 5 time steps x 1000 = 100 000."""
RUN = 200
"""Steps of a run: each starts anew."""
DEEPEST = -1e-9
"""Smallest gap accepted [m]."""
SHOWN = 3
"""Failures of one model and time step that are named."""
SHOWN_MODELS = ("humanoid", "raibert_hopper", "tippetop")
"""Of which the page has replays, of their first run."""
QUICK: dict[str, Any] = {"timesteps": (0.05, 0.01), "steps": 20}
"""Arguments of `run` for `--quick`."""


class Outcome(NamedTuple):
    """What a run of one model at one time step came to."""

    unsolved: int
    not_finite: int
    smallest_gap: float
    """[m], inf without contacts"""
    median_iterations: float
    most_iterations: int
    failures: tuple[int, ...] = ()
    """The first few steps, counted over all runs, that break a bound."""

    @property
    def holds(self) -> bool:
        """Nothing unsolved, nothing infinite, nothing below ground."""
        return self.unsolved == 0 and self.not_finite == 0 and self.smallest_gap >= DEEPEST


def sweep(name: str, timestep: float, steps: int = STEPS, seed: int = 0) -> Outcome:
    """Random controls from the model's customary start, in runs of `RUN` steps that each start there anew."""
    from dojo_py import HardSimulator, load_model

    model = load_model(name)
    sim = HardSimulator(model, timestep=timestep)
    state = sim.initial_state(*start_of(model))
    controls = random_controls(model, steps, seed)
    runs: list[Any] = [sim.rollout(state, controls[i : i + RUN]) for i in range(0, steps, RUN)]
    iterations = np.concatenate([run.iterations for run in runs])
    bad = np.concatenate([(run.status != 0) | ~np.isfinite(run.qpos[1:]).all(axis=1) | (run.min_gap < DEEPEST) for run in runs])
    return Outcome(
        unsolved=sum(int(np.count_nonzero(run.status)) for run in runs),
        not_finite=sum(int(np.count_nonzero(~np.isfinite(run.qpos).all(axis=1))) for run in runs),
        smallest_gap=min(float(run.min_gap.min()) for run in runs),
        median_iterations=float(np.median(iterations)),
        most_iterations=int(iterations.max()),
        failures=tuple(int(k) for k in np.flatnonzero(bad)[:SHOWN]),
    )


def run(timesteps: tuple[float, ...] = TIMESTEPS, steps: int = STEPS, seed: int = 0) -> Report:
    """One row a model and time step; under the table, where to find what failed."""
    from dojo_py import models

    rows, failures, curves, holds = [], [], {}, True
    for name in models.names():
        medians, worst = [], []
        for h in timesteps:
            outcome = sweep(name, h, steps, seed)
            holds &= outcome.holds
            medians.append(outcome.median_iterations)
            worst.append(outcome.most_iterations)
            gap = f"{outcome.smallest_gap:.1e}" if np.isfinite(outcome.smallest_gap) else "-"
            iterations = f"{outcome.median_iterations:g} / {outcome.most_iterations}"
            failures += [f"failed: {name}, h {h:g}, seed {seed}, run {k // RUN}, step {k % RUN}" for k in outcome.failures]
            rows.append((name, h, steps, outcome.unsolved, outcome.not_finite, gap, iterations))
        curves[name] = {"h": np.array(timesteps), "median": np.array(medians), "worst": np.array(worst)}
    columns = ("model", "h [s]", "steps", "unsolved", "not finite", "smallest gap [m]", "iterations (median / worst)")
    total = len(rows) * steps
    notes = [
        f"{total} steps, {sum(row[3] for row in rows)} unsolved; bounds: 0 unsolved, 0 not finite, gap >= {DEEPEST:g} m",
        *failures,
    ]
    length = min(steps, RUN)
    shown = {f"{name}, h {h:g} s": measured_motion(name, h, length, seed) for name in SHOWN_MODELS for h in timesteps[-1:]}
    return Report("sweep", "All models, random controls", columns, rows, notes, curves, _figure, bool(holds), shown)


def _figure(plt: Any, report: Report) -> Any:
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(9, 4.5))
    for axis, word in zip(axes, ("median", "worst"), strict=True):
        for k, (name, curve) in enumerate(report.curves.items()):
            axis.loglog(curve["h"], np.maximum(curve[word], 1), "-" if k < 10 else "--", label=name)
        axis.set_xlabel("h [s]")
        axis.set_title(f"iterations, {word}")
    axes[1].legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.02, 1.0))
    return figure
