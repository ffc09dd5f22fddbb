"""Figure 5: a box thrown along the floor. A cone of friction keeps it on its line, a pyramid pulls it aside."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import idle, keyframe, with_friction

TIMESTEP, DURATION, FRICTION = 0.01, 4.0, 0.25
CASES = (
    ("hard, cone", "hard", "cone"),
    ("hard, pyramid", "hard", "pyramid"),
    ("soft, elliptic", "soft", 1),
    ("soft, pyramid", "soft", 0),
)
"""What it is called, mode, friction model (soft: MuJoCo's code)."""
QUICK: dict[str, Any] = {}
"""Arguments of `run` for `--quick`: it is quick."""


def slide(mode: str, friction: Any, timestep: float = TIMESTEP, duration: float = DURATION, height: float | None = None) -> Any:
    """Trajectory of the box from its `slide` keyframe; `height` [m] replaces that of the start."""
    from dojo_py import HardSimulator, SoftSimulator, load_model

    model = with_friction(load_model("box"), FRICTION)
    if mode == "soft":
        model = model.replace(opt=dataclasses.replace(model.opt, cone=friction))
    sim: Any = HardSimulator(model, timestep, friction=friction) if mode == "hard" else SoftSimulator(model, timestep)
    qpos, qvel = keyframe(model, "slide")
    if height is not None:
        qpos[2] = height
    return sim.rollout(sim.initial_state(qpos, qvel), idle(model, duration, timestep))


def along_and_aside(trajectory: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distance along the first velocity and to its left [m], (T+1,) each."""
    direction = trajectory.qvel[0, :2] / np.linalg.norm(trajectory.qvel[0, :2])
    moved = trajectory.qpos[:, :2] - trajectory.qpos[0, :2]
    return moved @ direction, moved @ np.array([-direction[1], direction[0]])


def yaw(trajectory: Any) -> np.ndarray:
    """Heading of the box [rad], (T+1,)."""
    w, x, y, z = trajectory.qpos[:, 3:7].T
    return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def run(duration: float = DURATION) -> Report:
    """The table of drifts, and the four paths."""
    rows, curves, replays = [], {}, {}
    for name, mode, friction in CASES:
        trajectory = slide(mode, friction, duration=duration)
        along, aside = along_and_aside(trajectory)
        drift = float(np.abs(aside).max())
        turned = float(np.degrees(np.abs(yaw(trajectory)).max()))
        rows.append((name, float(along[-1]), f"{drift:.2g}", f"{turned:.2g}", int(np.count_nonzero(trajectory.status))))
        replays[name] = trajectory
        curves[name.replace(", ", "_")] = {"x": trajectory.qpos[:, 0], "y": trajectory.qpos[:, 1]}
    columns = ("friction", "distance [m]", "leaves its line by [m]", "turns by [deg]", "unsolved")
    notes = ["paper: the nonlinear cone gives a straight line, pyramids drift aside, MuJoCo's cone turns a little"]
    title = "Figure 5: box of edge 0.5 m, friction 0.25, from 0.5 m above the floor at (4, 0.8) m/s"
    shown = {name: replays[name] for name in ("hard, cone", "hard, pyramid")}
    solved = all(row[-1] == 0 for row in rows[:2])
    return Report("figure5", title, columns, rows, notes, curves, _figure, solved, shown)


def _figure(plt: Any, report: Report) -> Any:
    figure, axis = plt.subplots(figsize=(6, 3))
    for style, (name, curve) in zip(("-", "--", "-.", ":"), report.curves.items(), strict=True):
        axis.plot(curve["x"], curve["y"], style, label=name.replace("_", ", "))
    axis.set_xlabel("x [m]")
    axis.set_ylabel("y [m]")
    axis.legend()
    return figure
