"""Hard beside soft contact on the same models: sliding, creeping on a slope, a robot's fall, a grasp, a bouncing ball.

The soft mode's contact is a spring-damper behind a convex program: it sinks in and creeps by design, and can bounce.
The hard mode's is an inequality: no gap below zero, friction that holds, impact with Newton's restitution.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dojo_py.reproduce import figure5
from dojo_py.reproduce.report import Report
from dojo_py.reproduce.scenes import idle, keyframe, steps_of, with_friction, with_gravity

SLIDES = (("hard", "cone"), ("hard", "pyramid"), ("soft", 1), ("soft", 0))
"""Mode, friction model (soft: MuJoCo's code)."""
SLOPE, SLOPE_FRICTION, SLOPE_TIME = 15.0, 0.5, 4.0
"""Angle [deg], friction coefficient (tan 15° = 0.27: the box must hold), duration [s]."""
ATLAS_STEPS, ATLAS_TIME = (0.1, 0.01, 0.001), 2.0
GRASP_TIME, BALL_TIME = 5.0, 3.0
GRASP_STEP, BALL_STEP = 0.002, 0.001
ELASTIC = (-1000.0, 0.0)
"""Contact reference of the bouncing ball in the direct format: stiffness 1000 1/s², no damping."""

FINGER = """<body name="{name}" pos="{x} 0 0.1"><joint name="{name}" type="slide" axis="{push} 0 0" damping="1"/>
      <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
      <geom type="sphere" size="0.01" pos="0 -0.01 -0.008"/><geom type="sphere" size="0.01" pos="0 0.01 -0.008"/>
      <geom type="sphere" size="0.01" pos="0 0 0.012"/></body>"""
PINCH = (
    """<mujoco model="pinch"><option timestep="0.002"/><default><geom friction="0.8 0.005 0.0001"/></default><worldbody>
    <body name="cube" pos="0 0 0.1"><freejoint/><geom type="box" size="0.02 0.02 0.02" mass="0.1"/></body>"""
    + FINGER.format(name="left", x=-0.03, push=1)
    + FINGER.format(name="right", x=0.03, push=-1)
    + """</worldbody><actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>"""
)
"""Two fingers of three balls each squeeze a cube of 0.1 kg."""
SQUEEZE = 5.0
"""Force of each finger [N]; friction could carry 8 N, the cube weighs 1 N."""
BALL = """<mujoco model="ball"><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="1" solref="{} {}" priority="1"/></body></worldbody></mujoco>"""
QUICK: dict[str, Any] = {"timesteps": (0.1, 0.01), "hold": 2.0}
"""Arguments of `run` for `--quick`."""


def simulator(mode: str, model: Any, timestep: float, friction: Any = "cone") -> Any:
    """Either simulator; friction: the hard mode's name, or the soft mode's cone code."""
    from dojo_py import HardSimulator, SoftSimulator

    if mode == "hard":
        return HardSimulator(model, timestep, friction=friction, unsupported="skip")
    if not isinstance(friction, str):
        model = model.replace(opt=dataclasses.replace(model.opt, cone=friction))
    return SoftSimulator(model, timestep)


def creep(mode: str, duration: float = SLOPE_TIME, friction: Any = "cone") -> Any:
    """Trajectory of a box at rest on a slope: gravity leans instead of the floor."""
    from dojo_py import load_model

    angle = np.radians(SLOPE)
    model = with_friction(load_model("box"), SLOPE_FRICTION)
    model = with_gravity(model, (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)))
    sim = simulator(mode, model, 0.01, friction)
    return sim.rollout(sim.initial_state(), idle(model, duration, 0.01))


def atlas(mode: str, timestep: float, duration: float = ATLAS_TIME) -> Any:
    """Trajectory of the fall of Table II."""
    from dojo_py import load_model

    model = load_model("atlas")
    sim = simulator(mode, model, timestep)
    return sim.rollout(sim.initial_state(*keyframe(model, "drop")), idle(model, duration, timestep))


def grasp(mode: str, duration: float = GRASP_TIME) -> Any:
    """Trajectory of a cube between two fingers."""
    from dojo_py import load_model

    model = load_model(PINCH)
    sim = simulator(mode, model, GRASP_STEP)
    return sim.rollout(sim.initial_state(), np.full((steps_of(duration, GRASP_STEP), 2), SQUEEZE))


def bounce(mode: str, duration: float = BALL_TIME) -> Any:
    """Trajectory of a ball dropped from 0.9 m above the floor."""
    from dojo_py import load_model

    model = load_model(BALL.format(*ELASTIC))
    sim = simulator(mode, model, BALL_STEP)
    return sim.rollout(sim.initial_state(), idle(model, duration, BALL_STEP))


def settled_speed(trajectory: Any) -> float:
    """Mean speed [m/s] of the first body over the second half of a trajectory, from its positions."""
    half = len(trajectory) // 2
    moved = np.linalg.norm(trajectory.qpos[-1, :3] - trajectory.qpos[half, :3])
    return float(moved / (trajectory.time[-1] - trajectory.time[half]))


def rebound(trajectory: Any, radius: float = 0.1) -> float:
    """Height of the first rebound over the height of the fall."""
    height = trajectory.qpos[:, 2] - radius
    touch = int(np.argmax(height <= 1e-3))
    return float(max(0.0, height[touch:].max()) / height[0])


def _gap(trajectory: Any) -> str:
    """Smallest gap [mm]."""
    return f"{1e3 * float(trajectory.min_gap.min()):.3g}"


def _row(scene: str, mode: str, setting: str, measure: str, value: str, trajectory: Any) -> tuple[Any, ...]:
    unsolved = int(np.count_nonzero(trajectory.status))
    broken = unsolved == len(trajectory) or np.any(np.isin(trajectory.status, (3, 5)))
    return scene, mode, setting, measure, "diverges" if broken else value, _gap(trajectory), unsolved


def _slide_rows(duration: float, curves: dict[str, Any]) -> list[tuple[Any, ...]]:
    rows = []
    for mode, friction in SLIDES:
        trajectory = figure5.slide(mode, friction, duration=duration)
        _, aside = figure5.along_and_aside(trajectory)
        setting = str(friction) if mode == "hard" else ("pyramid", "elliptic")[int(friction)]
        rows.append(_row("sliding box", mode, setting, "leaves its line by [m]", f"{np.abs(aside).max():.2g}", trajectory))
        curves[f"slide_{mode}_{setting}"] = {"x": trajectory.qpos[:, 0], "y": trajectory.qpos[:, 1]}
    return rows


def run(
    slide: float = figure5.DURATION,
    slope: float = SLOPE_TIME,
    timesteps: tuple[float, ...] = ATLAS_STEPS,
    fall: float = ATLAS_TIME,
    hold: float = GRASP_TIME,
    bouncing: float = BALL_TIME,
) -> Report:
    """All scenes in both modes; durations [s]. Holds when every hard step is solved without penetration."""
    curves: dict[str, Any] = {}
    replays: dict[str, Any] = {}
    rows = _slide_rows(slide, curves)
    for mode in ("hard", "soft"):
        t = creep(mode, slope, "cone" if mode == "hard" else 1)
        rows.append(_row("slope of 15°", mode, "friction 0.5", "creeps at [m/s]", f"{settled_speed(t):.2g}", t))
        curves[f"slope_{mode}"] = {"time": t.time, "x": t.qpos[:, 0]}
    for h in timesteps:
        for mode in ("hard", "soft"):
            t = atlas(mode, h, fall)
            rows.append(_row("Atlas drop", mode, f"h = {h:g} s", "lowest gap [mm]", _gap(t), t))
            if h == 0.01:
                replays[f"Atlas, {mode}"] = t
            curves[f"atlas_{mode}_h{h:g}"] = {"time": t.time[1:], "min_gap": t.min_gap}
    for mode in ("hard", "soft"):
        t = grasp(mode, hold)
        rows.append(_row("pinch grasp", mode, "5 N, 1 N weight", "slips at [m/s]", f"{settled_speed(t):.2g}", t))
        replays[f"grasp, {mode}"] = t
        curves[f"grasp_{mode}"] = {"time": t.time, "z": t.qpos[:, 2]}
    for mode in ("hard", "soft"):
        t = bounce(mode, bouncing)
        rows.append(_row("bouncing ball", mode, "solref -1000 0", "rebound / drop height", f"{rebound(t):.3f}", t))
        curves[f"ball_{mode}"] = {"time": t.time, "z": t.qpos[:, 2]}
    columns = ("scene", "mode", "setting", "measure", "value", "lowest gap [mm]", "unsolved")
    notes = [
        "soft: MuJoCo's model with the files' default contact parameters; negative gaps are penetration",
        "the ball's solref is a spring without damper: in the hard mode a restitution of 1",
        "the soft rows are what mj_step makes of these files, Atlas at 0.1 s too: it sinks half a metre but does not diverge",
    ]
    hard = [row for row in rows if row[1] == "hard"]
    holds = all(row[6] == 0 and float(row[5]) >= 0.0 for row in hard)
    return Report("soft_vs_hard", "Soft and hard contact on the same models", columns, rows, notes, curves, _figure, holds, replays)


def _figure(plt: Any, report: Report) -> Any:
    panels = (
        ("slide", "a box thrown along the floor", "x", "y", "x [m]", "y [m]"),
        ("slope", "a box at rest on a slope of 15°", "time", "x", "time [s]", "down the slope [m]"),
        ("atlas", "Atlas dropped", "time", "min_gap", "time [s]", "smallest gap [m]"),
        ("grasp", "a cube between two fingers", "time", "z", "time [s]", "height [m]"),
        ("ball", "a ball dropped", "time", "z", "time [s]", "height [m]"),
    )
    figure, axes = plt.subplots(len(panels), 1, figsize=(7, 13), layout="constrained")
    for axis, (scene, title, across, up, across_label, up_label) in zip(axes, panels, strict=True):
        colours: dict[str, str] = {}  # both modes of a setting in one colour
        for name, curve in report.curves.items():
            if name.startswith(scene):
                label = name.removeprefix(scene + "_").replace("_", ", ")
                setting = label.partition(", ")[2]
                colour = colours.setdefault(setting if scene == "atlas" else label, f"C{len(colours)}")
                style = "-" if "hard" in name else "--"
                axis.plot(curve[across], curve[up], style, color=colour, label=label.replace("h0", "h 0"))
        axis.set_title(title)
        axis.set_xlabel(across_label)
        axis.set_ylabel(up_label)
        axis.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes[2].set_yscale("symlog", linthresh=1e-3)  # 0.5 m deep at 0.1 s, and the hard mode at 1e-14 m, in one picture
    axes[2].set_ylim(-1.0, 1.0)
    return figure
