"""Figure 7: the height of a falling robot's torso against time hardly depends on the simulation rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report
from dojo_py.reproduce.table2 import drop

RATES = (20, 50, 100, 200, 500)
"""[Hz]"""
ROBOTS = ("atlas", "quadruped")
DURATION = 2.0
"""[s]"""
QUICK: dict[str, Any] = {"rates": (20, 50, 100)}
"""Arguments of `run` for `--quick`."""


def run(rates: tuple[int, ...] = RATES, duration: float = DURATION) -> Report:
    """Height at the end and the greatest distance from the curve of the highest rate."""
    rows, curves, replays, holds = [], {}, {}, True
    for robot in ROBOTS:
        runs = {rate: drop(1.0 / rate, duration, robot) for rate in rates}
        finest = runs[max(rates)]
        for rate, trajectory in runs.items():
            height = trajectory.qpos[:, 2]
            distance = np.abs(height - np.interp(trajectory.time, finest.time, finest.qpos[:, 2])).max()
            unsolved = int(np.count_nonzero(trajectory.status))
            rows.append((robot, rate, float(height.min()), float(height[-1]), float(distance), unsolved))
            curves[f"{robot}_{rate}Hz"] = {"time": trajectory.time, "height": height}
            holds &= unsolved == 0
        replays[f"{robot}, {max(rates)} Hz"] = finest
    columns = ("robot", "rate [Hz]", "lowest [m]", f"after {duration:g} s [m]", "distance from finest [m]", "unsolved")
    return Report(
        "figure7",
        "Figure 7: torso height of dropped robots",
        columns,
        rows,
        (),
        curves,
        _figure,
        bool(holds),
        replays,
    )


def _figure(plt: Any, report: Report) -> Any:
    figure, axes = plt.subplots(len(ROBOTS), 1, sharex=True, figsize=(6, 5))
    for robot, axis in zip(ROBOTS, axes, strict=True):
        for name, curve in report.curves.items():
            if name.startswith(robot):
                axis.plot(curve["time"], curve["height"], label=name.removeprefix(robot + "_"))
        axis.set_ylabel(f"{robot} [m]")
    axes[0].legend()
    axes[-1].set_xlabel("time [s]")
    return figure
