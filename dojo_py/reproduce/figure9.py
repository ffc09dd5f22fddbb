"""Figure 9: how the interior-point method's violations fall with the iterations, over the steps of three drops.

Every step is solved to the smallest tolerance of the table: with the default one a tenth of them ends above it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import keyframe

DROPS = (("atlas", "drop"), ("quadruped", "drop"), ("humanoid", "home"))
"""Robot and the keyframe it falls from."""
TOLERANCES = (1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12)
PAPER = 15
"""Iterations to any tolerance, at most."""
TIMESTEP, DURATION = 0.01, 1.5
RESIDUAL, COMPLEMENTARITY = 0, 1
"""Columns of `sim.trace`."""
QUICK: dict[str, Any] = {"duration": 0.5}
"""Arguments of `run` for `--quick`."""


def simulator(name: str) -> Any:
    """Of a robot, to the smallest tolerance."""
    from dojo_py import HardOptions, HardSimulator, load_model

    least = min(TOLERANCES)
    options = HardOptions(residual_tolerance=least, complementarity_tolerance=least)
    return HardSimulator(load_model(name), timestep=TIMESTEP, options=options)


def traces(name: str, key: str, duration: float = DURATION) -> list[np.ndarray]:
    """(iterations + 1, 2) residual and complementarity of every step of a drop."""
    sim = simulator(name)
    state, control = sim.initial_state(*keyframe(sim.model, key)), np.zeros(sim.model.nu)
    found = []
    for _ in range(round(duration / TIMESTEP)):
        found.append(np.array(sim.trace(state, control))[:, [RESIDUAL, COMPLEMENTARITY]])
        state = sim.step(state, control).state
    return found


def drop(name: str, key: str, duration: float) -> Any:
    """The Trajectory of a drop whose steps `traces` looks at."""
    sim = simulator(name)
    return sim.rollout(sim.initial_state(*keyframe(sim.model, key)), np.zeros((round(duration / TIMESTEP), sim.model.nu)))


def iterations_to(found: list[np.ndarray], tolerance: float) -> tuple[np.ndarray, int]:
    """Iterations until residual and complementarity are both at most `tolerance`, of the steps that reach it; how many do not."""
    below = [np.flatnonzero(trace.max(axis=1) <= tolerance) for trace in found]
    return np.array([int(places[0]) for places in below if len(places)], int), sum(not len(places) for places in below)


def run(duration: float = DURATION) -> Report:
    """Iterations for each tolerance; the violations' median and worst against the iteration."""
    rows: list[tuple[object, ...]] = []
    curves, holds = {}, True
    for name, key in DROPS:
        found = traces(name, key, duration)
        for tolerance in TOLERANCES:
            counts, never = iterations_to(found, tolerance)
            holds &= never == 0 and counts.max() <= PAPER
            median, worst = (float(np.median(counts)), int(counts.max())) if len(counts) else (None, None)
            rows.append((name, f"{tolerance:g}", median, worst, never, f"<= {PAPER}"))
        longest = max(len(trace) for trace in found)
        columns: dict[str, np.ndarray] = {"iteration": np.arange(longest)}
        for index, word in ((RESIDUAL, "residual"), (COMPLEMENTARITY, "complementarity")):
            padded = np.array([np.pad(t[:, index], (0, longest - len(t)), mode="edge") for t in found])
            columns[f"{word}_median"], columns[f"{word}_worst"] = np.median(padded, axis=0), padded.max(axis=0)
        curves[name] = columns
    headings = ("robot", "tolerance", "median iterations", "worst", "steps that do not reach it", "paper")
    title = f"Figure 9: iterations until both violations are below a tolerance; drops of {duration:g} s, h {TIMESTEP:g} s"
    shown = {f"{name}, {key}": drop(name, key, duration) for name, key in DROPS}
    notes = [f"bound: every step reaches every tolerance in at most {PAPER} iterations"]
    return Report("figure9", title, headings, rows, notes, curves, _figure, bool(holds), shown)


def _figure(plt: Any, report: Report) -> Any:
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(8, 3.5))
    for axis, word in zip(axes, ("residual", "complementarity"), strict=True):
        for name, columns in report.curves.items():
            (line,) = axis.semilogy(columns["iteration"], np.maximum(columns[f"{word}_median"], 1e-18), label=name)
            worst = np.maximum(columns[f"{word}_worst"], 1e-18)
            axis.semilogy(columns["iteration"], worst, ":", color=line.get_color())
        axis.set_xlabel("iteration")
        axis.set_title(f"{word} (dotted: worst step)")
    axes[0].legend()
    return figure
