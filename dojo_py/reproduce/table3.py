"""Table III: plans through contact by iterative LQR, beside the paper's figures, with the split of the wall time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dojo_py.planning import Plan, ilqr
from dojo_py.reproduce import planning_problems as problems
from dojo_py.reproduce.report import Report

ROWS: dict[str, Callable[[], problems.PlanningProblem]] = {
    "box right": lambda: problems.box("right"),
    "box up": lambda: problems.box("up"),
    "hopper": problems.hopper,
    "quadruped": problems.quadruped,
    "box right, soft": lambda: problems.box("right", "soft"),
    "box up, soft": lambda: problems.box("up", "soft"),
    "hopper, soft": lambda: problems.hopper("soft"),
}
PAPER: dict[str, tuple[float | None, float, int | None]] = {
    "box right": (14.5, 3e-3, 30),
    "box up": (14.5, 3e-3, 106),
    "hopper": (8.9, 1e-3, 96),
    "quadruped": (2e-2, 3e-4, 20),
    "box right, soft": (13.5, 3e-3, 95),
    "box up, soft": (None, 1.0, None),
    "hopper, soft": (26.7, 2e-3, 66),
}
"""Cost, goal violation, iterations of the paper: Dojo, and MuJoCo beside the soft mode."""
COLUMNS = (
    "problem", "cost", "violation", "iterations", "status", "paper: cost", "violation", "iterations",
    "seconds", "simulate + gradients", "backward pass", "line search",
)  # fmt: skip
QUICK: dict[str, Any] = {"names": ("box right", "box up", "hopper")}
"""Arguments of `run` for `--quick`."""


def solve(name: str, progress: bool = False) -> tuple[Plan, float]:
    """(plan, wall time [s]) of one row, kernels compiled before."""
    problem = ROWS[name]()
    kappa = {"kappa": problems.KAPPA} if problem.sim.mode == "hard" else {}
    problem.sim.linearize(problem.start, problem.controls[0], **kappa)
    problem.sim.step(problem.start, problem.controls[0], **kappa)
    clock = time.perf_counter()
    plan = ilqr(problem.sim, problem.start, problem.controls, progress=progress, **problem.arguments())
    return plan, time.perf_counter() - clock


def within_bounds(name: str, plan: Plan) -> bool:
    """Whether a plan of the hard mode misses its goal by no more than the paper's, to the digit that the paper prints, in as many
    iterations; the soft mode's are printed only.
    """
    _, violation, iterations = PAPER[name]
    missed = float(f"{plan.hard_violation:.0e}")
    return "soft" in name or (missed <= violation and iterations is not None and plan.iterations <= iterations)


def run(names: Sequence[str] = tuple(ROWS)) -> Report:
    """All rows."""
    rows, curves, replays, missed = [], {}, {}, []
    for name in names:
        plan, seconds = solve(name)
        cost, violation, iterations = PAPER[name]
        split = plan.seconds
        rows.append(
            (
                name, plan.cost, plan.violation, plan.iterations, plan.status.name.lower(), cost, violation, iterations,
                seconds, *(f"{100 * part / max(sum(split.values()), 1e-9):.0f} %" for part in split.values()),
            )
        )  # fmt: skip
        curves[name.replace(", ", "_").replace(" ", "_")] = {
            "iteration": np.array([r.iteration for r in plan.log]),
            "cost": np.array([r.cost for r in plan.log]),
            "violation": np.array([r.violation for r in plan.log]),
        }
        if "soft" not in name:
            replays[name] = plan.hard_trajectory
        missed += [] if within_bounds(name, plan) else [name]
    notes = [
        f"gradients at kappa {problems.KAPPA:g}; plans begin in relaxed motion and end in the hard limit, where they are measured",
        "bounds, hard mode: violation, to one digit, and iterations at most the paper's: "
        + (f"missed by {', '.join(missed)}" if missed else "met by all"),
        "the quadruped's cost cannot be compared: the paper says neither its reference gait nor how its weights count controls, "
        "which are impulses there",
        "soft mode: time step 0.01 s, finite differences; stage costs scaled with the time step. It is not known which contact "
        "parameters, differences and tolerances the paper's MuJoCo rows have",
    ]
    return Report("table3", "Planning through contact (Table III)", COLUMNS, rows, notes, curves, _figure, not missed, replays)


def _figure(plt: Any, report: Report) -> Any:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5))
    for name, curve in report.curves.items():
        style = "--" if name.endswith("soft") else "-"
        axes[0].semilogy(curve["iteration"], curve["cost"], style, label=name.replace("_", " "))
        axes[1].semilogy(curve["iteration"], np.maximum(curve["violation"], 1e-6), style)
    axes[1].axhline(problems.OPTIONS.constraint_tolerance, color="0.6", lw=0.8)
    axes[0].set_ylabel("cost")
    axes[1].set_ylabel("goal violation")
    for axis in axes:
        axis.set_xlabel("iteration")
    axes[0].legend(fontsize=7)
    figure.tight_layout()
    return figure
