"""Bodies that touch bodies: scenes that stand, fall, hold and close loops, beside MuJoCo on the same files in the same run.

    stand     how far anything moves in the second half of a minute            MuJoCo's default contacts creep
    hold      how fast what is held, or lies on a slope, slips
    loops     how far apart the ends of closed loops are                        by the wheel's own rows of equalities
    heaps     a hundred mixed bodies come to rest
    overlap   the smallest gap of any pair, by mj_geomDistance, in a hundred states of every scene
    cost      time of a step over that of mj_step, both in turn by blocks of 50 steps
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce.contact_scenes import OVERLAP, SCENES, Motion, Scene, controls_of, simulate, smallest_gap
from dojo_py.reproduce.report import Report

SHOWN = ("tower", "arch", "pyramid", "card_house", "dominoes", "gripper", "hand", "stewart", "two_arms_box", "stairs", "pile")
"""Scenes that the page plays, their first seconds."""
PLAYED = 3.0
"""[s]"""
COLUMNS = (
    "scene", "what", "h [s]", "time [s]", "dojo_py", "MuJoCo", "bound", "unit", "unsolved", "iterations (median / worst)",
    "smallest gap [m]", "MuJoCo's gap [m]", "step [ms]", "over mj_step",
)  # fmt: skip
QUICK: dict[str, Any] = {"shorter": 20.0}
"""Arguments of `run` for `--quick`."""


def judge(scene: Scene, duration: float) -> tuple[tuple[object, ...], bool, dict[str, np.ndarray], Motion]:
    """(row of the table, whether it holds, curves, our motion) of one scene."""
    ours, theirs, wheel = simulate(scene, duration)
    value, other = scene.measure(ours, wheel), scene.measure(theirs, wheel)
    gap = min(smallest_gap(ours, wheel), float(ours.min_gap.min()))
    unsolved = int(np.count_nonzero(ours.status))
    ratio = ours.seconds / theirs.seconds
    holds = bool(value <= scene.bound and unsolved == 0 and gap >= -OVERLAP and ratio <= scene.slowest)
    steps = len(ours.status)
    shown = f"{np.median(ours.iterations):g} / {ours.iterations.max()}"
    row = (
        scene.name, scene.what, scene.timestep, f"{duration:g}", f"{value:.2g}", f"{other:.2g}", f"{scene.bound:g}", scene.unit,
        unsolved, shown, f"{gap:.1e}", f"{smallest_gap(theirs, wheel):.1e}", f"{1e3 * ours.seconds / steps:.3f}", f"{ratio:.2f}",
    )  # fmt: skip
    half = len(ours.qpos) // 2
    curve = {
        "time": np.arange(len(ours.qpos)) * scene.timestep,
        "dojo_py": np.abs(ours.qpos - ours.qpos[half]).max(axis=1),
        "mujoco": np.abs(theirs.qpos - theirs.qpos[half]).max(axis=1),
    }
    return row, holds, curve, ours


def _replay(scene: Scene) -> Any:
    """The first seconds as a Trajectory with contacts to play."""
    from dojo_py import HardSimulator, load_model

    model = load_model(scene.name)
    sim = HardSimulator(model, timestep=scene.timestep)
    controls = controls_of(scene, model.nu, min(PLAYED, scene.duration))
    return sim.rollout(sim.initial_state(keyframe=scene.keyframe), controls)


def run(names: tuple[str, ...] | None = None, shorter: float = 1.0) -> Report:
    """All scenes, or those named. shorter: durations over this, but for what needs its time."""
    rows, curves, replays, failed = [], {}, {}, []
    for scene in SCENES:
        if names is not None and scene.name not in names:
            continue
        duration = max(scene.duration / shorter, min(scene.after, scene.duration))
        row, holds, curve, _ = judge(scene, duration)
        rows.append(row)
        curves[scene.name] = curve
        if not holds:
            failed.append(f"{scene.name} ({scene.what})")
        if scene.name in SHOWN and scene.name not in replays:
            replays[scene.name] = _replay(scene)
    notes = [
        f"every step SOLVED, no gap below -{OVERLAP:g} m (of all steps by our report, of 100 states by mj_geomDistance), values "
        "within bounds: " + ("all scenes" if not failed else f"not {', '.join(failed)}"),
        "MuJoCo: the same file, time step and controls, default contact parameters; its gap is how deep bodies sink",
        "times: both in turn by blocks of 50 steps, one thread",
    ]
    return Report("contact", "Bodies touch bodies", COLUMNS, rows, notes, curves, _figure, not failed, replays)


def _figure(plt: Any, report: Report) -> Any:
    names = list(report.curves)
    across = min(4, len(names))
    down = -(-len(names) // across)
    figure, axes = plt.subplots(down, across, figsize=(3.0 * across, 2.4 * down), squeeze=False, layout="constrained")
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.flat, names, strict=False):
        curve = report.curves[name]
        for who in ("dojo_py", "mujoco"):
            axis.semilogy(curve["time"], np.maximum(curve[who], 1e-14), label=who)
        axis.set_title(name)
        axis.set_xlabel("time [s]")
    axes[0, 0].set_ylabel("distance from half time [m, rad]")
    axes[0, 0].legend(fontsize=7)
    return figure
