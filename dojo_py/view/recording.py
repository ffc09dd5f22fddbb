"""`replay`: a trajectory as one HTML file that opens in any browser without a server or a network."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.simulate.values import having, path_of, real_number, truth_of
from dojo_py.view.curves import at, charts
from dojo_py.view.extra import imported, silent
from dojo_py.view.origin import own_pages_only
from dojo_py.view.page import compose, now_call
from dojo_py.view.record import Record, check_fits, frames_of, record
from dojo_py.view.scene import Scene, extent, look, triple
from dojo_py.whole_file import write_text

WIDEST = 3.0
"""A motion that is longer, in sizes of the model, is not shown whole."""


def replay(model: Any, trajectory: Any, path: str | PathLike, *, fps: float = 60.0, contacts: bool = True) -> Path:
    """Write a trajectory as one HTML page with a time line, contact forces and curves; return its path.

    model: the Model, or the simulator that made the trajectory (needed only where it has options or parameters of its own). fps: at
    most so many frames a simulated second. contacts: show forces, for which the steps before the frames are solved again.
    Needs viser (extra `view`).
    """
    having("model", model, ("timestep",), "a Model or a simulator")
    having("trajectory", trajectory, ("qpos", "metadata", "state"), "a Trajectory")
    target = Path(path_of("path", path))
    fps, contacts = real_number("fps", fps, above=0.0, most=1000.0, unit="1/s"), truth_of("contacts", contacts)
    imported("viser")
    shape = getattr(model, "model", model)
    check_fits(shape, trajectory)
    centre, size = extent(shape, trajectory.qpos[0], trajectory.state(0))
    shown = record(model, trajectory, frames_of(trajectory, fps), size, contacts)
    viewer = recording([Lane("/model", shape, shown)], size, ball_around(shape, shown, centre, size))
    duration = float(shown.time[-1])
    page = compose(viewer, _title(shape, trajectory), _lines(trajectory, shown), charts(shown.curves, shown.failed, duration))
    write_text(target, page)
    return target


@dataclass(frozen=True, eq=False)
class Lane:
    """One of the motions that are shown together."""

    root: str
    """Name of its node in viser's tree."""
    model: Any
    shown: Record
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where it stands [m]."""
    label: str = ""
    floor: bool = True


def ball_around(model: Any, shown: Record, centre: np.ndarray, size: float) -> tuple[np.ndarray, float]:
    """Centre and radius of what the camera shows at first: the whole motion, unless it leads far away."""
    moving = np.asarray(model.body_weldid) > 0
    points = shown.position[:, moving if moving.any() else slice(None)].reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    reach = 0.5 * float(np.linalg.norm(high - low))
    if reach > WIDEST * size:
        return centre, WIDEST * size
    return 0.5 * (low + high), max(size, reach + 0.3 * size)


def recording(lanes: list[Lane], size: float, ball: tuple[np.ndarray, float], azimuth: float = 50.0) -> str:
    """viser's page with the scenes and all their frames in it; the frames of all lanes are at the times of the first."""
    with silent(), own_pages_only():
        server = imported("viser").ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        scenes = []
        for lane in lanes:
            if lane.label:
                server.scene.add_frame(lane.root, show_axes=False, position=lane.shift)
                server.scene.add_label(f"{lane.root}/name", lane.label, position=(0.0, 0.0, 2.2 * size))
            scenes.append(Scene(server.scene, lane.model, lane.root, size, floor=lane.floor))
        look(server.initial_camera, *ball, azimuth=azimuth)
        serializer = server.get_scene_serializer()
        _insert_frames(serializer, lanes, scenes)
        return str(serializer.as_html())
    finally:
        with silent():
            server.stop()


def _insert_frames(serializer: Any, lanes: list[Lane], scenes: list[Scene]) -> None:
    """Every frame: poses, arrows, and the curves' values, group by group."""
    first = lanes[0].shown
    fields = [at(curve, first.time) for group in zip(*(lane.shown.curves for lane in lanes), strict=True) for curve in group]
    duration = max(float(first.time[-1]), 1e-12)
    for k, time in enumerate(first.time):
        for lane, scene in zip(lanes, scenes, strict=True):
            _insert_poses(serializer, scene, lane.shown, k)
            scene.show_arrows(lane.shown.arrows[k], lane.shown.between[k])
        _run(serializer, now_call(time / duration, [values[k] for values in fields]))
        if k + 1 < len(first.time):
            serializer.insert_sleep(max(0.0, float(first.time[k + 1] - time)))


def _insert_poses(serializer: Any, scene: Scene, shown: Record, k: int) -> None:
    """The poses of frame k that differ from those of the frame before.

    `Scene.pose` would record them too, by way of the server, which wakes its thread for each: a quarter of a replay's time.
    """
    from viser._messages import SetOrientationMessage, SetPositionMessage

    x, q, before = shown.position[k], shown.rotation[k], max(k - 1, 0)
    moved = np.any(x != shown.position[before], axis=1) | (k == 0)
    turned = np.any(q != shown.rotation[before], axis=1) | (k == 0)
    for body, frame in enumerate(scene.frames[1:], start=1):
        if moved[body]:
            serializer._insert_message(SetPositionMessage(frame.name, triple(x[body])))
        if turned[body]:
            serializer._insert_message(SetOrientationMessage(frame.name, triple(q[body])))


def _run(serializer: Any, source: str) -> None:
    """Record a call: viser has a message for it, which it uses to load plotly, but no public function."""
    from viser._messages import RunJavascriptMessage

    serializer._insert_message(RunJavascriptMessage(source))


def _title(model: Any, trajectory: Any) -> str:
    told = trajectory.metadata
    return f"{told.get('model') or getattr(model, 'name', '') or 'model'}, {told.get('mode', 'hard')} mode"


def _lines(trajectory: Any, shown: Record) -> list[str]:
    steps, step = len(trajectory.status), trajectory.metadata.get("timestep")
    lines = [f"{shown.time[-1]:.4g} s, {steps} steps" + (f" of {step:g} s" if step else "") + f", {len(shown.time)} frames"]
    if len(shown.failed):
        lines.append(f"{len(shown.failed)} steps were not solved: red lines in the curves")
    if shown.scale and any(len(arrows) for arrows in shown.arrows):
        lines.append(f"Arrows: contact forces (impulse / step), 0.1 m = {0.1 / shown.scale:.3g} N")
    return lines + shown.notes
