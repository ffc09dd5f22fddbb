"""Figure 4: next position of a pushed box and its derivative by the force: relaxed, point-wise, and by randomised smoothing.

A box of 1 kg at rest on the ground, μ 1, gravity 1 m/s², h 0.1 s, is pushed along x (friction holds it up to 1 N) or up (its weight
holds it up to 1 N). It moves in the plane without turning, so one contact point stands for its corners. Beyond the switch the next
position grows by h²/m per newton, before it by nothing: the point-wise derivative is a step and tells nothing of what lies beyond.
Smoothing: the least-squares slope through 500 steps in the hard limit at normally distributed forces (Suh 2022).
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report

XML = """<mujoco model="planar box"><option timestep="0.1" gravity="0 0 -1"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction="1 0 0"/>
<body name="box" pos="0 0 0.25"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom name="shape" type="box" size="0.25 0.25 0.25" mass="1" contype="0" conaffinity="0"/>
<geom name="foot" type="sphere" size="0.01" pos="0 0 -0.24" mass="0" friction="1 0 0"/></body>
</worldbody><actuator><motor joint="x"/><motor joint="z"/></actuator></mujoco>"""
TIMESTEP, MASS, SWITCH = 0.1, 1.0, 1.0
"""[s], [kg], force at which the box starts to move [N]."""
CASES = (("friction", 0), ("impact", 1))
"""Case and the coordinate that is pushed and watched."""
KAPPAS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""[N m s]"""
VARIANCES = (1e-2, 1e-3, 1e-4)
"""Of the force in randomised smoothing [N²]."""
SAMPLES, FORCES, REACH = 500, 81, 2.0
"""Samples of one smoothed derivative; forces swept, from 0 to REACH [N]."""
PAPER = {"friction": 1.52, "impact": 2.56}
"""Largest difference of the next position between κ 1e-4 and 1e-8 [mm]."""
DIFFERENCE = 1e-6
"""Half the width of the point-wise derivative's central difference [N]."""
AWAY = 0.5
"""Distance from the switch at which derivatives are compared with the point-wise ones [N]."""
QUICK: dict[str, Any] = {"count": 41, "samples": 100}
"""Arguments of `run` for `--quick`."""


class Box:
    """The box at rest, and its next position for batches of forces."""

    def __init__(self) -> None:
        from dojo_py import HardSimulator, load_model

        self.sim = HardSimulator(load_model(XML), TIMESTEP)
        self.start = self.sim.initial_state()
        self.unsolved = 0

    def pushed(self, axis: int, steps: int = 20) -> Any:
        """The Trajectory of the box under a force along an axis that grows from 0 to REACH."""
        controls = np.zeros((steps, 2))
        controls[:, axis] = np.linspace(0.0, REACH, steps)
        return self.sim.rollout(self.start, controls)

    def push(self, axis: int, forces: np.ndarray, kappa: float | None, linearize: bool) -> tuple[np.ndarray, np.ndarray]:
        """(next positions [m], derivatives by the force [m/N] or zeros), (n,) each, for forces (n,) along an axis."""
        controls = np.zeros((len(forces), 1, 2))
        controls[:, 0, axis] = forces
        found = self.sim.rollout_batch(self.start, controls, threads=1, kappa=kappa, linearize=linearize)
        self.unsolved += sum(t.unsolved for t in found)
        position = np.array([t.qpos[1, axis] for t in found])
        return position, np.array([t.B[0, axis, axis] for t in found]) if linearize else np.zeros(len(found))

    def point_wise(self, axis: int, force: float) -> float:
        """Central difference of the hard step [m/N]."""
        position, _ = self.push(axis, force + DIFFERENCE * np.array([1.0, -1.0]), None, False)
        return float(position[0] - position[1]) / (2.0 * DIFFERENCE)

    def smoothed(self, axis: int, force: float, variance: float, samples: int, generator: np.random.Generator) -> float:
        """Least-squares slope of the next position about the force [m/N]."""
        change = math.sqrt(variance) * generator.standard_normal(samples)
        position, _ = self.push(axis, np.concatenate([[force], force + change]), None, False)
        return float(change @ (position[1:] - position[0]) / (change @ change))


def expected(force: float, variance: float) -> float:
    """What the smoothed derivative is with infinitely many samples [m/N]: the exact slope of a kink under a normal density.

    E[w max(w - a, 0)] / σ² = Φ(-a/σ) for the distance a of the force from the switch; about the value at the force itself.
    """
    return TIMESTEP**2 / MASS * 0.5 * math.erfc((SWITCH - force) / math.sqrt(2.0 * variance))


def timed(function: Any, *arguments: Any) -> tuple[Any, float]:
    """(result, seconds)."""
    begin = time.perf_counter()
    return function(*arguments), time.perf_counter() - begin


def sweep(box: Box, case: str, axis: int, count: int, samples: int) -> tuple[list[tuple[object, ...]], dict[str, np.ndarray], bool]:
    """Rows of one case, its curves, and whether what must be true is."""
    forces = np.linspace(0.0, REACH, count)
    away = np.abs(forces - SWITCH) >= AWAY
    generator = np.random.default_rng(0)
    hard, _ = box.push(axis, forces, None, False)
    box.push(axis, forces, KAPPAS[0], True)  # what is loaded on first use is not timed
    slopes, seconds = timed(lambda: np.array([box.point_wise(axis, f) for f in forces]))
    full = TIMESTEP**2 / MASS
    curves = {"force": forces, "hard": hard, "point-wise": slopes}
    rows: list[tuple[object, ...]] = [(case, "point-wise", None, 0.0, None, 0.0, 0.0, 1e6 * seconds / count)]
    holds, widths, cost = True, [], 0.0
    for kappa in KAPPAS:
        (position, slope), seconds = timed(box.push, axis, forces, kappa, True)
        cost = max(cost, seconds)
        # its own error: against central differences of the relaxed step, whose solutions jump by some 1e-11 m from one force to
        # the next where one iteration more is taken
        e = 3e-5
        numeric = (box.push(axis, forces + e, kappa, False)[0] - box.push(axis, forces - e, kappa, False)[0]) / (2 * e)
        error = float(np.abs(slope - numeric).max())
        apart = float(np.abs(slope - slopes)[away].max())
        before = float(np.interp(SWITCH - 0.1, forces, slope))
        holds &= before > 0.0 and error < 1e-3 * full and bool(np.all(np.diff(slope) > -1e-9))
        widths.append(apart)
        name = f"kappa {kappa:g}"
        curves[f"{name} position"], curves[name] = position, slope
        moved = 1e3 * float(np.abs(position - hard).max())
        rows.append((case, "relaxed", name, moved, 1e3 * before, 1e3 * error, 1e3 * apart, 1e6 * seconds / count))
    holds &= widths == sorted(widths, reverse=True) and widths[-1] < 1e-3 * full  # κ → 0: the point-wise derivative
    cheapest = np.inf
    for variance in VARIANCES:
        found, seconds = timed(lambda v=variance: np.array([box.smoothed(axis, f, v, samples, generator) for f in forces]))
        cheapest = min(cheapest, seconds)
        error = float(np.abs(found - [expected(f, variance) for f in forces]).max())
        name = f"variance {variance:g}"
        curves[name] = found
        before = float(np.interp(SWITCH - 0.1, forces, found))
        apart = float(np.abs(found - slopes)[away].max())
        rows.append((case, "smoothing", name, None, 1e3 * before, 1e3 * error, 1e3 * apart, 1e6 * seconds / count))
    return rows, curves, bool(holds and cheapest > cost)


def run(count: int = FORCES, samples: int = SAMPLES) -> Report:
    """The table and the curves of both cases."""
    box = Box()
    rows: list[tuple[object, ...]] = []
    curves, notes, holds = {}, [], True
    for case, axis in CASES:
        found, columns, good = sweep(box, case, axis, count, samples)
        rows += found
        curves[case] = columns
        holds &= good
        apart = 1e3 * np.abs(columns["kappa 0.0001 position"] - columns["kappa 1e-08 position"]).max()
        notes.append(f"{case}: next position at kappa 1e-4 and 1e-8 differs by up to {apart:.2f} mm (paper {PAPER[case]:g} mm)")
    notes += [
        "error: from central differences of the same relaxed step; smoothing: from the exact expectation (its noise)",
        f"far from point-wise: at least {AWAY:g} N from the switch, where the true derivative is 0 or h^2/m = 10 mm/N",
        f"time: one derivative, one thread, calls included; smoothing takes {samples} steps; unsolved steps: {box.unsolved}",
    ]
    headings = (
        "case",
        "derivative",
        "parameter",
        "position off [mm]",
        "0.1 N before the switch [mm/N]",
        "error [mm/N]",
        "far from point-wise [mm/N]",
        "time [us]",
    )
    title = f"Figure 4: box pushed from rest by 0 to {REACH:g} N, h {TIMESTEP:g} s: next position and its derivative"
    shown = {f"{case}: the push grows from 0 to {REACH:g} N": box.pushed(axis) for case, axis in CASES}
    return Report("figure4", title, headings, rows, notes, curves, _figure, bool(holds and box.unsolved == 0), shown)


def _figure(plt: Any, report: Report) -> Any:
    figure, axes = plt.subplots(len(CASES), 3, sharex=True, figsize=(11, 5.5))
    for (case, _), row in zip(CASES, axes, strict=True):
        curve = report.curves[case]
        force = curve["force"]
        row[0].plot(force, 1e3 * (curve["hard"] - curve["hard"][0]), "k", label="hard")
        for axis in row[1:]:
            axis.plot(force, 1e3 * curve["point-wise"], "k", label="point-wise")
        for i, kappa in enumerate(KAPPAS):
            shade = dict(color="m", alpha=1.0 - 0.17 * i)
            row[0].plot(force, 1e3 * (curve[f"kappa {kappa:g} position"] - curve["hard"][0]), **shade)
            row[1].plot(force, 1e3 * curve[f"kappa {kappa:g}"], label=f"κ {kappa:g}", **shade)
        for variance in VARIANCES:
            row[2].plot(force, 1e3 * curve[f"variance {variance:g}"], label=f"variance {variance:g}")
        row[0].set_ylabel(f"{case}: moved [mm]")
        row[1].set_ylabel("derivative [mm/N]")
    for axis, title in zip(axes[0], ("next position", "relaxed", "randomised smoothing"), strict=True):
        axis.set_title(title)
        axis.legend(fontsize="small")
    for axis in axes[-1]:
        axis.set_xlabel("force [N]")
    return figure
