"""`show`: a live viewer in the browser, on viser."""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.drawing.poses import body_poses, moved_by_joints
from dojo_py.simulate.values import count, having, text_of, truth_of
from dojo_py.view.extra import imported, silent
from dojo_py.view.origin import own_pages_only
from dojo_py.view.overlays import Overlays
from dojo_py.view.panels import Panel
from dojo_py.view.record import check_fits, described, mode_of
from dojo_py.view.scene import Scene, endless, extent, look
from dojo_py.view.session import Session

Array = np.ndarray

FRAME, CURVES = 1.0 / 40.0, 0.25
"""Time between two frames, and between two updates of the curves [s]."""
APART = 2.2
"""Between two modes side by side, in sizes of the model."""
TINT = (150, 60, 190)
"""Colour of the relaxed motion."""
MODES = ("hard", "soft", "both")
NEEDED = ("opt", "nq", "body_mass", "joint_names")
"""What tells a Model from something else."""


def show(
    sim_or_model: Any, *, mode: str | None = None, trajectory: Any = None, keyframe: str | int | None = None, port: int = 8080,
    host: str = "127.0.0.1", block: bool = True, play: bool = False,
) -> Viewer:  # fmt: skip
    """Show a model or a simulator in the browser; returns when interrupted, or at once when block is False.

    sim_or_model: a simulator, or a model (a Model, a file, a shipped name), which is simulated in `mode`: "hard", "soft" or "both"
    side by side; by default in the trajectory's mode, else the hard one. trajectory: its states are the past that the time line
    shows; a model is simulated on with its time step and law of friction. keyframe: where to begin without one.
    port: 0 takes any that is free. host: "0.0.0.0" lets other machines look on. play: begin at once. Needs viser (extra `view`).
    """
    imported("viser")
    port = count("port", port, 0, 65535, "the number of a port")
    block, play = truth_of("block", block), truth_of("play", play)
    if trajectory is not None and keyframe is not None:
        raise ValueError("keyframe: a trajectory begins where it began; give one of them")
    if trajectory is not None:
        having("trajectory", trajectory, ("qpos", "metadata", "state"), "a Trajectory")
    sims, names = simulators_of(sim_or_model, mode, trajectory)
    if trajectory is not None:
        check_fits(sims[0].model, trajectory)
    session = Session(sims, [sim.initial_state(keyframe=keyframe) for sim in sims], names)
    if trajectory is not None:
        session.load(trajectory)
    viewer = Viewer(session, text_of("host", host), port)
    session.play(play)
    if block:
        viewer.wait()
    return viewer


def simulators_of(
    sim_or_model: Any, mode: str | None = None, trajectory: Any = None, timestep: float | None = None
) -> tuple[list[Any], list[str]]:
    """(simulators, their names): the given one, or those of a model in the modes asked for, the trajectory's first.

    trajectory: says mode, time step and law of friction where nothing else is given. timestep [s]: instead of the trajectory's or
    the model's. ModelError when a mode does not take the model.
    """
    if hasattr(sim_or_model, "rollout"):
        having("sim_or_model.model", sim_or_model.model, NEEDED, "a dojo_py Model")
        return [sim_or_model], ["hard" if hasattr(sim_or_model, "friction") else "soft"]
    metadata: dict[str, Any] = {} if trajectory is None else trajectory.metadata
    first = mode_of(metadata)
    mode = first if mode is None else text_of("mode", mode, MODES)
    model = sim_or_model
    if isinstance(model, (str, bytes)) or hasattr(model, "__fspath__"):
        from dojo_py.formats import load_model

        model = load_model(model)
    having("sim_or_model", model, NEEDED, "a simulator, a Model, a file or the name of a model")
    if trajectory is not None:
        check_fits(model, trajectory)
    names = [first, "soft" if first == "hard" else "hard"] if mode == "both" else [mode]
    return [described(model, metadata, name, timestep) for name in names], names


def check_port(host: str, port: int) -> None:
    """OSError with a clear message when a port cannot be listened at: viser would silently take another one.

    ValueError for an empty host, which sockets take for all networks.
    """
    if not host:
        raise ValueError('host="" is no address: "127.0.0.1" lets this machine look on, "0.0.0.0" all others too')
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise OSError(f"port {port} is in use: choose another one, or 0 for any that is free") from None
            raise OSError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None


class GhostScene:
    """The relaxed motion, drawn through; its geoms are sent when it is first shown."""

    def __init__(self, api: Any, model: Any, root: str, size: float):
        self.root = api.add_frame(f"{root}/relaxed", show_axes=False, visible=False)
        self._make = lambda: Scene(api, model, f"{root}/relaxed", size, tint=TINT, floor=False, opacity=0.45)
        self.scene: Scene | None = None

    def show(self, state: Any) -> None:
        """Draw it in a state; None: hide it."""
        self.root.visible = state is not None
        if state is None:
            return
        self.scene = self.scene or self._make()
        x, q = body_poses(self.scene.model, np.asarray(state.qpos)[None], state)
        self.scene.pose(x[0], q[0])


class Viewer:
    """A session shown in the browser, at `url`; advances in a thread of its own until `stop`."""

    def __init__(self, session: Session, host: str, port: int, tell: Callable[[str], Any] = lambda message: None):
        check_port(host, port)
        self.session, self.tell = session, tell
        with silent(), own_pages_only():
            self.server = imported("viser").ViserServer(host=host, port=port, verbose=False)
        model, state = session.model, session.moment().state
        centre, self.size = extent(model, state.qpos, state)
        self.scenes, self.overlays, self.ghosts = [], [], []
        for number, lane in enumerate(session.lanes):
            shift = (0.0, APART * self.size * number, 0.0)
            self.server.scene.add_frame(f"/{lane.name}", show_axes=False, position=shift)
            if len(session.lanes) > 1:
                above = (float(centre[0]), float(centre[1]), float(centre[2] + 1.1 * self.size))
                self.server.scene.add_label(f"/{lane.name}/name", lane.name, position=above)
            scene = Scene(self.server.scene, model, f"/{lane.name}", self.size, floor=number == 0 or not endless(model))
            self.scenes.append(scene)
            self.overlays.append(Overlays(scene))
            self.ghosts.append(None if lane.ghost is None else GhostScene(self.server.scene, model, f"/{lane.name}", self.size))
        middle = centre + np.array([0.0, 0.9 * APART * self.size * (len(session.lanes) - 1), 0.0])  # the panel covers the right
        several = len(session.lanes) > 1
        look(self.server.initial_camera, middle, (1.8 if several else 1.0) * self.size, azimuth=5.0 if several else 50.0)
        self.server.gui.set_panel_label(model.name or "model")
        self.server.gui.configure_theme(show_share_button=False, show_logo=False)
        self.panel = Panel(self.server.gui, session, self.overlays)
        self._let_drag()
        self.server.on_client_disconnect(lambda _: self._left())
        self._stopping, self._drawing = threading.Event(), threading.Lock()
        self.error: Exception | None = None
        """What ended the viewer, if anything went wrong."""
        self.draw()
        self._thread = threading.Thread(target=self._run, name="dojo_py viewer", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the browser finds it."""
        host = self.server.get_host()
        return f"http://{'localhost' if host in ('0.0.0.0', '127.0.0.1') else host}:{self.server.get_port()}"

    def draw(self) -> None:
        """Show the session's present moment."""
        with self._drawing:
            self._draw()

    def _draw(self) -> None:
        session = self.session
        with session.lock:
            moments = [(lane.past[session.k].state, lane.contacts(session.k)) for lane in session.lanes]
        with self.server.atomic():
            for scene, overlay, (state, contacts) in zip(self.scenes, self.overlays, moments, strict=True):
                x, q = body_poses(session.model, np.asarray(state.qpos)[None], state)
                scene.pose(x[0], q[0])
                overlay.show(contacts, session.timestep, x[0], q[0])
            for ghost, state in zip(self.ghosts, session.ghost_states(), strict=True):
                if ghost is not None:
                    ghost.show(state)
        self.panel.refresh()

    def _run(self) -> None:
        before, drawn, told = time.perf_counter(), 0.0, ""
        try:
            while not self._stopping.is_set():
                now = time.perf_counter()
                self.session.advance(now - before)
                before = now
                self.draw()
                if now - drawn > CURVES:
                    self.panel.draw_curves()
                    drawn = now
                if self.session.message != told:
                    told = self.session.message
                    if told:
                        self.tell(told)
                self._stopping.wait(max(0.001, FRAME - (time.perf_counter() - now)))
        except Exception as error:  # the thread ends: whoever waits for the viewer is told why
            self.error = error
            self._stopping.set()

    def _let_drag(self) -> None:
        """Dragging a body pulls at it by a spring."""
        moving = moved_by_joints(self.session.model)
        for lane, scene in enumerate(self.scenes):
            shift = np.array([0.0, APART * self.size * lane, 0.0])
            for geom, handle in scene.geoms.items():
                body = int(self.session.model.geom_bodyid[geom])
                if moving[body]:
                    handle.on_drag("left")(self._drag(body, shift))

    def _drag(self, body: int, shift: Array) -> Any:
        async def dragged(event: Any) -> None:
            if event.phase == "end":
                self.session.pull(body, None)
            else:
                self.session.pull(body, np.array(event.start_position) - shift, np.array(event.end_position) - shift)

        return dragged

    def _left(self) -> None:
        """The last browser tab was closed: nobody looks on, so it stands still."""
        if not self.server.get_clients():
            self.session.pull(0, None)
            self.session.play(False)
            self.session.message = f"paused: the page was closed; {self.url} opens it again"

    def wait(self) -> None:
        """Until it is stopped or interrupted; raises what went wrong."""
        try:
            while not self._stopping.wait(0.2):
                pass
        except KeyboardInterrupt:
            pass
        self.stop()
        if self.error is not None:
            raise RuntimeError(f"the viewer ended: {self.error}") from self.error

    def stop(self) -> None:
        """End it and free its port."""
        self._stopping.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)
        with silent():
            self.server.stop()
