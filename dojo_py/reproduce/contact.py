"""Bodies that touch bodies: scenes that stand, fall, hold and close loops, beside MuJoCo on the same files in the same run.

stand     how far anything moves in the second half of a minute            MuJoCo's default contacts creep
hold      how fast what is held, or lies on a slope, slips
loops     how far apart the ends of closed loops are                        by the wheel's own rows of equalities
heaps     a hundred mixed bodies come to rest
overlap   the smallest gap of any pair, by mj_geomDistance, in a hundred states of every scene
gradients along random directions of the last state, κ 1e-2 to 1e-6, against Ridders' differences
cost      time of a step over that of mj_step, both in turn by blocks of 50 steps; of robots whose parts touch one another, a κ
          step with A and B over mj_step and mjd_transitionFD
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.reproduce import own_contacts
from dojo_py.reproduce.contact_gradients import KAPPAS, direction_error
from dojo_py.reproduce.contact_scenes import OVERLAP, SCENES, Motion, Scene, scene_controls, simulate, smallest_gap
from dojo_py.reproduce.report import Report
from dojo_py.reproduce.wheel_gaps import Wheel

SHOWN = ("tower", "arch", "pyramid", "card_house", "dominoes", "gripper", "hand", "stewart", "two_arms_box", "stairs", "pile")
"""Scenes that the page plays, their first seconds."""
PLAYED = 3.0
"""[s]"""
COLUMNS = (
    "scene", "what", "h [s]", "time [s]", "dojo_py", "MuJoCo", "bound", "unit", "unsolved", "iterations (median / worst)",
    "smallest gap [m]", "MuJoCo's gap [m]", "gradients' error", "step [ms]", "over mj_step",
)  # fmt: skip
GRADIENT = 1e-5
"""Largest error of derivatives, relative."""
QUICK: dict[str, Any] = {
    "names": (*(s.name for s in SCENES if s.name != "pile"), *own_contacts.ROBOTS),
    "shorter": 20.0,
    "kappas": (1e-4, 1e-6),
    "steps": 100,
}
"""Arguments of `run` for `--quick`."""
QUICK_JUDGED = False
"""What is at rest after seconds need not be after a twentieth of them."""


def gradient_error(scene: Scene, motion: Motion, wheel: Wheel, kappas: tuple[float, ...]) -> float:
    """The worst over κ of the last state; infinite where a relaxed step is not solved."""
    control = scene_controls(scene, motion.sim.model.nu, len(motion.status) * scene.timestep)[-1]
    rows = wheel.loop_rows(motion.end.qpos)
    return max(direction_error(motion.sim, motion.end, control, kappa, rows)[0] for kappa in kappas)


def judge(scene: Scene, duration: float, kappas: tuple[float, ...]) -> tuple[tuple[object, ...], bool, dict[str, np.ndarray]]:
    """(row of the table, whether it holds, curves) of one scene."""
    ours, theirs, wheel = simulate(scene, duration)
    value, other = scene.measure(ours, wheel), scene.measure(theirs, wheel)
    gap = min(smallest_gap(ours, wheel), float(ours.min_gap.min()))
    unsolved = int(np.count_nonzero(ours.status))
    ratio = ours.seconds / theirs.seconds
    gradients = gradient_error(scene, ours, wheel, kappas)
    holds = bool(value <= scene.bound and unsolved == 0 and gap >= -OVERLAP and ratio <= scene.slowest and gradients <= GRADIENT)
    steps = len(ours.status)
    shown = f"{np.median(ours.iterations):g} / {ours.iterations.max()}"
    row = (
        scene.name, scene.what, scene.timestep, f"{duration:g}", f"{value:.2g}", f"{other:.2g}", f"{scene.bound:g}", scene.unit,
        unsolved, shown, f"{gap:.1e}", f"{smallest_gap(theirs, wheel):.1e}", f"{gradients:.1e}",
        f"{1e3 * ours.seconds / steps:.3f}", f"{ratio:.2f}",
    )  # fmt: skip
    half = len(ours.qpos) // 2
    curve = {
        "time": np.arange(len(ours.qpos)) * scene.timestep,
        "dojo_py": np.abs(ours.qpos - ours.qpos[half]).max(axis=1),
        "mujoco": np.abs(theirs.qpos - theirs.qpos[half]).max(axis=1),
    }
    return row, holds, curve


def own_contacts_row(name: str, steps: int) -> tuple[tuple[object, ...], bool]:
    """(row of the table, whether it holds) of a robot whose parts touch one another."""
    found = own_contacts.cost(name, steps)
    h, shown = own_contacts.TIMESTEP, f"{found['iterations']:g} / {found['worst']:g}"
    row = (
        name, "own contacts: κ step, A and B", h, f"{steps * h:g}", f"{found['ratio']:.2f}", "1", f"{own_contacts.BOUND:g}",
        "of MuJoCo's", int(found["unsolved"]), shown, "-", "-", "-", f"{1e3 * found['step']:.3f}", "-",
    )  # fmt: skip
    return row, bool(found["ratio"] <= own_contacts.BOUND and found["unsolved"] == 0)


def _replay(scene: Scene) -> Any:
    """The first seconds as a Trajectory with contacts to play."""
    from dojo_py import HardSimulator, load_model

    model = load_model(scene.name)
    sim = HardSimulator(model, timestep=scene.timestep)
    controls = scene_controls(scene, model.nu, min(PLAYED, scene.duration))
    return sim.rollout(sim.initial_state(keyframe=scene.keyframe), controls)


def run(
    names: tuple[str, ...] | None = None, shorter: float = 1.0, kappas: tuple[float, ...] = KAPPAS, steps: int = own_contacts.STEPS
) -> Report:
    """All scenes and robots, or those named. shorter: durations over this, but for what needs its time.

    kappas: of gradients [N m s]. steps: of robots whose parts touch one another.
    """
    unknown = sorted(set(names or ()) - {scene.name for scene in SCENES} - set(own_contacts.ROBOTS))
    if unknown or (names is not None and not names):
        raise ValueError(f"names={names!r}: {', '.join(unknown) or 'none of them'} is neither a scene nor a robot")
    rows, curves, replays, failed = [], {}, {}, []
    for scene in SCENES:
        if names is not None and scene.name not in names:
            continue
        duration = max(scene.duration / shorter, min(scene.after, scene.duration))
        row, holds, curve = judge(scene, duration, kappas)
        rows.append(row)
        curves[scene.name if scene.name not in curves else f"{scene.name}_again"] = curve
        if not holds:
            failed.append(f"{scene.name} ({scene.what})")
        if scene.name in SHOWN and scene.name not in replays:
            replays[scene.name] = _replay(scene)
    for name in own_contacts.ROBOTS:
        if names is None or name in names:
            row, holds = own_contacts_row(name, steps)
            rows.append(row)
            if not holds:
                failed.append(f"{name} (own contacts)")
    notes = [
        f"every step SOLVED, no gap below -{OVERLAP:g} m (of all steps by our report, of 100 states by mj_geomDistance), values "
        "within bounds: " + ("all scenes" if not failed else f"not {', '.join(failed)}"),
        "MuJoCo: the same file, time step and controls, default contact parameters; its gap is how deep bodies sink",
        "gradients: relative error along a random direction of the last state, worst of " + ", ".join(f"κ {k:g}" for k in kappas),
        "times: of the processor, both in turn by blocks of 50 steps, one thread",
    ]
    figure = _figure if curves else None
    return Report("contact", "Bodies touch bodies", COLUMNS, rows, notes, curves, figure, not failed, replays)


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
