"""Figure of a plan: coordinates in both motions, controls, and cost by iteration. Needs matplotlib."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.simulate.values import having, path_of, real_array
from dojo_py.whole_file import whole_file

if TYPE_CHECKING:
    from dojo_py.planning.plan import Plan

Array = np.ndarray

FREE, BALL = ("x", "y", "z", "qw", "qx", "qy", "qz"), ("qw", "qx", "qy", "qz")
MOST = 12
"""Largest number of lines for which a legend is drawn."""


def drawn(plan: Plan, model: Any, rows: Any, path: str | PathLike | None) -> Any:
    """The figure."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError('matplotlib is not installed; pip install "dojo-sim[plot]"') from None
    chosen = _rows(rows, plan.qpos.shape[1])
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    motion, pushes, progress = figure.subplots(1, 3)
    time = np.array([s.time for s in plan.states])
    names = coordinate_names(model, plan.qpos.shape[1])
    for i, row in enumerate(chosen):
        colour = f"C{i % 10}"
        if plan.hard_trajectory is not None:
            motion.plot(plan.hard_trajectory.time, plan.hard_trajectory.qpos[:, row], color=colour, label=names[row])
        motion.plot(time, plan.qpos[:, row], ":", color=colour, label=names[row] if plan.hard_trajectory is None else None)
    motion.set(xlabel="time [s]", title="coordinates (dotted: as planned)")
    applied = plan.controls if plan.hard_trajectory is None else plan.hard_trajectory.control
    actuators = getattr(model, "actuator_names", ()) or [f"u{i}" for i in range(applied.shape[1])]
    for i in range(applied.shape[1]):
        label = (actuators[i] if i < len(actuators) else "") or f"u{i}"
        pushes.step(time, np.append(applied[:, i], applied[-1:, i]), where="post", color=f"C{i % 10}", label=label)
    pushes.set(xlabel="time [s]", title="controls")
    _progress(progress, plan)
    for axis, count in ((motion, len(chosen)), (pushes, applied.shape[1])):
        if 0 < count <= MOST:
            axis.legend(fontsize=7)
    if path is not None:
        with whole_file(path_of("path", path)) as draft:
            figure.savefig(draft, dpi=120)
    return figure


def _progress(axis: Any, plan: Plan) -> None:
    """Cost and violation by iteration, with a vertical line where κ changes."""
    at = np.array([r.iteration for r in plan.log])
    for name, style in (("cost", "C0"), ("violation", "C1--")):
        values = np.array([getattr(r, name) for r in plan.log])
        if np.any(values > 0.0):
            axis.plot(at, np.where(values > 0.0, values, np.nan), style, label=name)
            axis.set_yscale("log")
    for before, record in zip(plan.log, plan.log[1:], strict=False):
        if record.kappa != before.kappa:
            axis.axvline(record.iteration - 0.5, color="0.85", lw=0.8, zorder=0)
    if np.isfinite(plan.hard_cost) and plan.hard_cost > 0.0:
        axis.axhline(plan.hard_cost, color="0.5", ls=":", lw=1.0, label="cost, hard motion")
    axis.set(xlabel="iteration", title=plan.status.name)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=7)


def coordinate_names(model: Any, count: int) -> list[str]:
    """A name for each coordinate: that of the joint, with x … qz for free and ball joints; q0, q1 … without a model."""
    if model is None:
        return [f"q{i}" for i in range(count)]
    having("model", model, ("jnt_type", "jnt_qposadr", "joint_names", "nq"), "a Model, as load_model returns it")
    if int(model.nq) != count:
        raise ValueError(f"model: it has {model.nq} coordinates, the plan {count}: it is of another model")
    names = [f"q{i}" for i in range(count)]
    for joint, (kind, first) in enumerate(zip(model.jnt_type, model.jnt_qposadr, strict=True)):
        parts = {0: FREE, 1: BALL}.get(int(kind), ("",))
        for i, part in enumerate(parts):
            name = f"{model.joint_names[joint]} {part}".strip()
            names[int(first) + i] = name or names[int(first) + i]
    return names


def _rows(rows: Any, count: int) -> Array:
    """Indices of the coordinates to draw, checked."""
    if rows is None:
        return np.arange(count)
    found = np.atleast_1d(real_array("rows", rows))
    if found.ndim != 1 or np.any(found != np.floor(found)) or np.any(found < -count) or np.any(found >= count):
        raise ValueError(f"rows must be indices of the {count} coordinates")
    return found.astype(int) % count
