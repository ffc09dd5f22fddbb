"""Table II: how deep Atlas's feet sink into the ground when it is dropped, for three time steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.report import Report, import_mujoco
from dojo_py.reproduce.scenes import idle, keyframe, median_and_worst, steps_of

TIMESTEPS = (0.1, 0.01, 0.001)
DURATION = 5.0
"""[s]"""
PAPER = {0.1: ("1e-12", "fails"), 0.01: ("1e-07", "-28"), 0.001: ("8e-06", "-46")}
"""Time step -> the paper's figures for Dojo and MuJoCo [mm]."""
QUICK: dict[str, Any] = {"timesteps": (0.1, 0.01)}
"""Arguments of `run` for `--quick`."""


def drop(timestep: float, duration: float = DURATION, name: str = "atlas", key: str = "drop") -> Any:
    """Trajectory of a robot's fall from a keyframe in the hard mode."""
    from dojo_py import HardSimulator, load_model

    model = load_model(name)
    sim = HardSimulator(model, timestep=timestep)
    return sim.rollout(sim.initial_state(*keyframe(model, key)), idle(model, duration, timestep))


def mujoco_depth(timestep: float, duration: float = DURATION, name: str = "atlas") -> float | None:
    """Smallest contact distance [mm] in MuJoCo's own simulation of the same file; None when it diverges or is missing."""
    mujoco = import_mujoco()
    if mujoco is None:
        return None
    from dojo_py import models

    model = mujoco.MjModel.from_xml_path(str(models.path(name)))
    model.opt.timestep = timestep
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("drop").id)
    mujoco.set_mju_user_warning(lambda message: None)  # or it writes a log file where we stand
    smallest = np.inf
    for _ in range(steps_of(duration, timestep)):
        mujoco.mj_step(model, data)
        if data.warning[int(mujoco.mjtWarning.mjWARN_BADQACC)].number or not np.isfinite(data.qpos).all():
            return None
        if data.ncon:
            smallest = min(smallest, float(data.contact.dist.min()))
    return 1e3 * smallest


def run(timesteps: tuple[float, ...] = TIMESTEPS, duration: float = DURATION) -> Report:
    """The table, and the smallest gap against time."""
    rows, curves, replays, holds = [], {}, {}, True
    installed = import_mujoco() is not None
    for h in timesteps:
        trajectory = drop(h, duration)
        gap = 1e3 * float(trajectory.min_gap.min())
        unsolved = int(np.count_nonzero(trajectory.status))
        depth = mujoco_depth(h, duration)
        own = ("diverges" if depth is None else f"{depth:.3g}") if installed else "-"
        dojo, mujoco = PAPER.get(h, ("-", "-"))
        rows.append((h, f"{gap:.2g}", dojo, own, mujoco, median_and_worst(trajectory.iterations), unsolved))
        curves[f"h{h:g}"] = {
            "time": trajectory.time[1:],
            "min_gap": trajectory.min_gap,
            "height": trajectory.qpos[1:, 2],
        }
        replays[f"h = {h:g} s"] = trajectory
        holds &= gap >= 0.0 and unsolved == 0
    columns = (
        "h [s]",
        "gap [mm]",
        "paper's Dojo",
        "MuJoCo 4",
        "paper's MuJoCo",
        "iterations (median / worst)",
        "unsolved",
    )
    title = f"Table II: Atlas drop, {duration:g} s: smallest gap of all contact points; negative is penetration"
    return Report("table2", title, columns, rows, curves=curves, figure=_figure, holds=bool(holds), replays=replays)


def _figure(plt: Any, report: Report) -> Any:
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(6, 5))
    for name, curve in report.curves.items():
        axes[0].plot(curve["time"], curve["height"], label=f"h = {name[1:]} s")
        axes[1].semilogy(curve["time"], np.maximum(curve["min_gap"], 1e-18))
    axes[0].set_ylabel("pelvis height [m]")
    axes[1].set_ylabel("smallest gap [m]")
    axes[1].set_xlabel("time [s]")
    axes[0].legend()
    return figure
