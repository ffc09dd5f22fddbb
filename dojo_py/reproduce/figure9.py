"""Figure 9: how the interior-point method's violations fall with the iterations, over the steps of three drops."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import keyframe

DROPS = (("atlas", "drop"), ("quadruped", "drop"), ("humanoid", "home"))
"""Robot and the keyframe it falls from."""
TOLERANCES = (1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12)
TIMESTEP, DURATION = 0.01, 1.5
RESIDUAL, COMPLEMENTARITY = 0, 1
"""Columns of `sim.trace`."""
QUICK: dict[str, Any] = {"duration": 0.5}
"""Arguments of `run` for `--quick`."""


def traces(name: str, key: str, duration: float = DURATION) -> list[np.ndarray]:
    """(iterations + 1, 2) residual and complementarity of every step of a drop."""
    from dojo_py import HardSimulator, load_model

    model = load_model(name)
    sim = HardSimulator(model, timestep=TIMESTEP)
    state, control = sim.initial_state(*keyframe(model, key)), np.zeros(model.nu)
    found = []
    for _ in range(round(duration / TIMESTEP)):
        found.append(np.array(sim.trace(state, control))[:, [RESIDUAL, COMPLEMENTARITY]])
        state = sim.step(state, control).state
    return found


def drop(name: str, key: str, duration: float) -> Any:
    """The Trajectory of a drop whose steps `traces` looks at."""
    from dojo_py import HardSimulator, load_model

    model = load_model(name)
    sim = HardSimulator(model, timestep=TIMESTEP)
    return sim.rollout(sim.initial_state(*keyframe(model, key)), np.zeros((round(duration / TIMESTEP), model.nu)))


def iterations_to(found: list[np.ndarray], tolerance: float) -> np.ndarray:
    """Iterations until residual and complementarity are both at most `tolerance`; the last where that is not reached."""
    counts = []
    for trace in found:
        below = np.flatnonzero(trace.max(axis=1) <= tolerance)
        counts.append(int(below[0]) if len(below) else len(trace) - 1)
    return np.array(counts)


def run(duration: float = DURATION) -> Report:
    """Iterations for each tolerance; the violations' median and worst against the iteration."""
    rows, curves = [], {}
    for name, key in DROPS:
        found = traces(name, key, duration)
        for tolerance in TOLERANCES:
            counts = iterations_to(found, tolerance)
            rows.append((name, f"{tolerance:g}", float(np.median(counts)), int(counts.max()), "<= 15"))
        longest = max(len(trace) for trace in found)
        columns: dict[str, np.ndarray] = {"iteration": np.arange(longest)}
        for index, word in ((RESIDUAL, "residual"), (COMPLEMENTARITY, "complementarity")):
            padded = np.array([np.pad(t[:, index], (0, longest - len(t)), mode="edge") for t in found])
            columns[f"{word}_median"], columns[f"{word}_worst"] = np.median(padded, axis=0), padded.max(axis=0)
        curves[name] = columns
    headings = ("robot", "tolerance", "median iterations", "worst", "paper")
    title = f"Figure 9: iterations until both violations are below a tolerance; drops of {duration:g} s, h {TIMESTEP:g} s"
    shown = {f"{name}, {key}": drop(name, key, duration) for name, key in DROPS}
    return Report("figure9", title, headings, rows, (), curves, _figure, replays=shown)


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
