"""`compare`: a model in both modes from the same start under the same controls, side by side in one page, with what differs."""

from __future__ import annotations

import dataclasses
import html
import time
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.drawing.poses import body_poses, centres_of_mass, moving_mass
from dojo_py.simulate.arguments import controls_of
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.trajectory import Trajectory
from dojo_py.simulate.values import having, path_of, real_number, truth_of
from dojo_py.view.curves import paired_charts
from dojo_py.view.extra import imported
from dojo_py.view.page import compose
from dojo_py.view.record import Curve, Record, frames_of, record
from dojo_py.view.recording import Lane, ball_around, recording
from dojo_py.view.scene import endless, extent
from dojo_py.whole_file import write_text

Array = np.ndarray

APART = 2.4
"""Between the two, in sizes of the model."""
DEEP = 1e-6
"""Gaps below minus this count as penetration [m]."""
LATE = 0.2
"""Share of the run, its end, over which the creep is measured."""


SHARED = ("energy", "smallest gap", "iterations")
"""Curves that mean the same in both modes."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Both motions and what is measured of them."""

    hard: Trajectory
    soft: Trajectory
    rows: list[tuple[str, str, float, float]]
    """(measure, unit, hard, soft); what is one number for both stands under hard, with NaN under soft."""
    path: Path | None
    """The page, if one was written."""

    def __str__(self) -> str:
        width = max(len(f"{name} [{unit}]") for name, unit, _, _ in self.rows)
        lines = [f"{'':{width}}  {'hard':>12}  {'soft':>12}"]
        lines += [f"{_head(name, unit):{width}}  {_text(hard):>12}  {_text(soft):>12}" for name, unit, hard, soft in self.rows]
        return "\n".join(lines)


def compare(
    model: Any, path: str | PathLike | None = None, *, timestep: float | None = None, duration: float = 5.0,
    controls: Array | None = None, keyframe: str | int | None = None, qpos: Array | None = None, qvel: Array | None = None,
    fps: float = 60.0, contacts: bool = True,
) -> Comparison:  # fmt: skip
    """Simulate a model in the hard and in the soft mode; measure both, and write them as one HTML page.

    model: a Model, a file or a shipped name. path: of the page (needs the extra `view`); None: only measure. timestep [s]: by
    default the file's. duration [s]: of the motion under zero control; or controls (T, nu). keyframe, qpos (nq,), qvel (nv,): the
    start, as in `initial_state`. fps, contacts: of the page, as in `replay`.
    """
    from dojo_py.hard.simulator import HardSimulator
    from dojo_py.soft import SoftSimulator

    target = None if path is None else Path(path_of("path", path))
    duration = real_number("duration", duration, above=0.0, most=1e4, unit="s")
    fps, contacts = real_number("fps", fps, above=0.0, most=1000.0, unit="1/s"), truth_of("contacts", contacts)
    if isinstance(model, (str, bytes, PathLike)):
        from dojo_py.formats import load_model

        model = load_model(model)
    having("model", model, ("opt", "nq", "body_mass", "joint_names"), "a Model, a file or the name of a model")
    if target is not None:
        imported("viser")
    sims: list[Simulator] = [HardSimulator(model, timestep), SoftSimulator(model, timestep)]
    u = np.zeros((max(1, round(duration / sims[0].timestep)), model.nu)) if controls is None else controls_of(model, controls)
    if not len(u):
        raise ValueError("controls hold no steps to compare")
    runs, seconds = [], []
    for sim in sims:
        start = sim.initial_state(qpos=qpos, qvel=qvel, keyframe=keyframe)
        sim.rollout(start, u[:1])  # compiles or loads the kernels
        began = time.perf_counter()
        runs.append(sim.rollout(start, u))
        seconds.append(time.perf_counter() - began)
    rows = measures(model, sims, runs, seconds)
    if target is not None:
        _write(target, model, sims, runs, rows, fps, contacts)
    return Comparison(runs[0], runs[1], rows, target)


def measures(model: Any, sims: list[Any], runs: list[Trajectory], seconds: list[float]) -> list[tuple[str, str, float, float]]:
    """(measure, unit, hard, soft) of two motions."""
    energies = [np.array([sim.energy(run.state(k)) for k in _some(len(run))]) for sim, run in zip(sims, runs, strict=True)]
    com = [centre_of_mass(model, run) for run in runs]
    gained = [float(np.max(e) - e[0]) for e in energies]
    table: list[tuple[str, str, list[float]]] = [
        ("smallest gap", "mm", [1e3 * float(run.min_gap.min()) for run in runs]),
        ("steps with penetration", "%", [100.0 * float(np.mean(run.min_gap < -DEEP)) for run in runs]),
        ("creep at the end", "mm/s", [1e3 * creep(run, x) for run, x in zip(runs, com, strict=True)]),
        ("energy at the start", "J", [float(e[0]) for e in energies]),
        ("energy at the end", "J", [float(e[-1]) for e in energies]),
        ("most energy gained", "J", gained),
        ("unsolved steps", "", [float(run.unsolved) for run in runs]),
        ("iterations, median", "", [float(np.median(run.iterations)) for run in runs]),
        ("iterations, most", "", [float(np.max(run.iterations)) for run in runs]),
        ("time a step", "us", [1e6 * s / len(run) for s, run in zip(seconds, runs, strict=True)]),
    ]
    apart = float(np.linalg.norm(com[0][-1] - com[1][-1]))
    return [(name, unit, hard, soft) for name, unit, (hard, soft) in table] + [("ends apart by", "m", apart, np.nan)]


def _some(steps: int) -> Array:
    """Numbers of at most 500 states, the last one among them."""
    return np.unique(np.append(np.arange(0, steps + 1, max(1, steps // 500)), steps))


def centre_of_mass(model: Any, run: Trajectory) -> Array:
    """(T + 1, 3) of all that can move [m], world axes."""
    x, q = body_poses(model, run.qpos, run)
    mass = moving_mass(model)
    return np.asarray(np.einsum("b,tbi->ti", mass, centres_of_mass(model, x, q)) / max(float(mass.sum()), 1e-300))


def creep(run: Trajectory, com: Array) -> float:
    """Mean speed of the centre of mass over the last fifth of a motion [m/s]: of what rests, how fast it creeps."""
    begin = int(np.ceil((1.0 - LATE) * len(run)))
    passed = float(run.time[-1] - run.time[begin])
    return float(np.linalg.norm(com[-1] - com[begin])) / passed if passed > 0.0 else 0.0


def _text(value: float) -> str:
    return "" if np.isnan(value) else "no contact" if np.isinf(value) else f"{value:.4g}"


def _head(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def _write(target: Path, model: Any, sims: list[Any], runs: list[Trajectory], rows: list[Any], fps: float, contacts: bool) -> None:
    centre, size = extent(model, runs[0].qpos[0], runs[0])
    chosen = frames_of(runs[0], fps)
    shown = _same_curves([record(sim, run, chosen, size, contacts) for sim, run in zip(sims, runs, strict=True)])
    names, side = ["hard", "soft"], (0.0, APART * size, 0.0)
    lanes = [
        Lane("/hard", model, shown[0], label=names[0]), Lane("/soft", model, shown[1], side, names[1], floor=not endless(model)),
    ]  # fmt: skip
    middle, radius = ball_around(model, shown[0], centre, size)
    viewer = recording(lanes, size, (middle + 0.5 * np.array(side), radius + 0.4 * APART * size), azimuth=5.0)
    groups = [list(group) for group in zip(shown[0].curves, shown[1].curves, strict=True)]
    failed = np.concatenate([one.failed for one in shown])
    page = compose(viewer, f"{model.name or 'model'}: hard beside soft", _lines(runs, shown), _table(rows) + paired_charts(
        groups, names, failed, float(shown[0].time[-1])
    ))  # fmt: skip
    write_text(target, page)


def _same_curves(shown: list[Record]) -> list[Record]:
    """The records with the curves that both modes have a meaning for and at least one has numbers for."""
    there = [{curve.title: curve for curve in one.curves} for one in shown]
    kept = [title for title in SHARED if any(title in curves for curves in there)]
    lists = []
    for one, curves in zip(shown, there, strict=True):
        none = Curve("", "", one.time, np.full(len(one.time), np.nan))
        lists.append([curves.get(title) or dataclasses.replace(none, title=title) for title in kept])
    return [dataclasses.replace(one, curves=curves) for one, curves in zip(shown, lists, strict=True)]


def _table(rows: list[Any]) -> str:
    body = "".join(
        f"<tr><td>{html.escape(_head(name, unit))}</td><td>{_text(hard)}</td><td>{_text(soft)}</td></tr>"
        for name, unit, hard, soft in rows
    )
    return f"<table><tr><th></th><th>hard</th><th>soft</th></tr>{body}</table>"


def _lines(runs: list[Trajectory], shown: list[Record]) -> list[str]:
    lines = [f"{shown[0].time[-1]:.4g} s, {len(runs[0])} steps of {runs[0].metadata['timestep']:g} s, the same controls in both"]
    if shown[0].scale:
        lines.append(f"Arrows: contact forces (impulse / step), 0.1 m = {0.1 / shown[0].scale:.3g} N")
    return lines + [note for one in shown for note in one.notes]
