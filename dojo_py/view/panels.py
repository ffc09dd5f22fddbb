"""The viewer's panel: buttons, time line, sliders, curves; each widget calls the session and is set from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dojo_py.drawing.poses import moved_by_joints, moving_mass
from dojo_py.mechanism.actuator_sizes import bounded
from dojo_py.mechanism.enums import JointType
from dojo_py.view.ghost import LOWEST
from dojo_py.view.overlays import Overlays
from dojo_py.view.session import Session

Array = np.ndarray

SPEEDS = (0.05, 2.0)
"""Of the slider: simulated seconds a second."""
UNLIMITED = 1.0
"""Ends of the slider of an input without a range."""
WINDOW = 300
"""Moments in the curves."""
COLOURS = ("#2a62b8", "#d9822b")
CURVES = {
    "energy": ("energy [J]", False), "gap": ("smallest gap [m]", False), "residual": ("residual, power of 10", True),
    "iterations": ("iterations", False),
}  # fmt: skip
"""Field of a moment -> title, and whether its logarithm is drawn."""


class Panel:
    """All widgets of a session. A widget is set when the session has changed, not at each frame: a click may be on its way."""

    def __init__(self, gui: Any, session: Session, overlays: list[Overlays]):
        self.gui, self.session, self.overlays = gui, session, overlays
        self._span = 0
        self._seen: tuple[Any, ...] = ()
        self.status = gui.add_markdown("")
        self._add_time()
        self._add_starts()
        with gui.add_folder("Show", expand_by_default=False):
            for name in overlays[0].on:
                self._add_switch(name)
        self.controls = self._add_controls()
        self.joints = self._add_joints()
        self._add_push()
        self._add_kappa()
        self.charts = self._add_charts()

    # widgets

    def _add_time(self) -> None:
        gui, session = self.gui, self.session
        self.play = gui.add_checkbox("Play", session.playing, hint="Go on; into the future by simulating")
        self.play.on_update(self._heard(lambda: session.play(self.play.value)))
        self.move = gui.add_button_group("Step", ("back", "on", "to the end"))
        self.move.on_click(self._heard(lambda: self._moved(self.move.value)))
        self.speed = gui.add_slider("Speed", *SPEEDS, 0.05, 1.0, hint="Simulated seconds a second")
        self.speed.on_update(self._heard(lambda: setattr(session, "speed", float(self.speed.value))))
        self.line = gui.add_slider("Time line", 0, 1, 1, 0, hint="Numbers of the time steps")
        self.line.on_update(self._heard(lambda: session.seek(int(self.line.value))))

    def _moved(self, where: str) -> None:
        session = self.session
        session.play(False)
        if where == "on":
            session.step()
        else:
            session.seek(session.k - 1 if where == "back" else session.last)

    def _add_starts(self) -> None:
        gui, session = self.gui, self.session
        names = [str(name) or f"number {k}" for k, name in enumerate(getattr(session.model, "key_names", ()))]
        self.reset = gui.add_button("Reset")
        self.reset.on_click(self._heard(session.reset))
        self.keyframe = gui.add_dropdown("Keyframe", ("initial pose", *names), initial_value=self._start(names)) if names else None
        if self.keyframe is not None:
            self.keyframe.on_update(self._heard(lambda: self._to_keyframe(names)))

    def _start(self, names: list[str]) -> str:
        """The keyframe at which the session begins."""
        qpos = self.session.moment().state.qpos
        found = (name for k, name in enumerate(names) if np.array_equal(self.session.model.key_qpos[k], qpos))
        return next(found, "initial pose")

    def _to_keyframe(self, names: list[str]) -> None:
        assert self.keyframe is not None
        chosen = self.keyframe.value
        if chosen in names:
            self.session.reset(keyframe=names.index(chosen))
        else:
            self.session.reset(qpos=np.array(self.session.model.qpos0, float))

    def _add_switch(self, name: str) -> None:
        box = self.gui.add_checkbox(name, self.overlays[0].on[name])

        def switch(event: Any) -> None:
            for overlay in self.overlays:
                overlay.on[name] = bool(box.value)

        box.on_update(switch)

    def _add_controls(self) -> list[Any]:
        model, sliders = self.session.model, []
        if not model.nu:
            return []
        with self.gui.add_folder("Controls", expand_by_default=int(model.nu) <= 12):
            zero = self.gui.add_button("All zero")
            for i, (name, low, high) in enumerate(control_ranges(model)):
                slider = self.gui.add_slider(name, low, high, (high - low) / 200.0, float(np.clip(0.0, low, high)))
                slider.on_update(self._heard(partial(self._set_control, i, slider)))
                sliders.append(slider)

            def all_zero(event: Any) -> None:
                for i, slider in enumerate(sliders):
                    slider.value = float(np.clip(0.0, slider.min, slider.max))
                    self._set_control(i, slider)

            zero.on_click(all_zero)
        return sliders

    def _set_control(self, i: int, slider: Any) -> None:
        self.session.set_control(i, float(slider.value))

    def _add_joints(self) -> list[tuple[int, Any]]:
        model, sliders = self.session.model, []
        rows = [j for j in range(int(model.njnt)) if model.jnt_type[j] in (JointType.SLIDE, JointType.HINGE)]
        if not rows:
            return []
        with self.gui.add_folder("Joints (begin anew)", expand_by_default=False):
            for j in rows:
                at = int(model.jnt_qposadr[j])
                low, high = joint_range(model, j)
                name = str(model.joint_names[j]) or f"joint {j}"
                value = float(np.clip(self.session.moment().state.qpos[at], low, high))
                slider = self.gui.add_slider(name, low, high, (high - low) / 200.0, value)
                slider.on_update(self._heard(partial(self._set_joint, at, slider)))
                sliders.append((at, slider))
        return sliders

    def _set_joint(self, at: int, slider: Any) -> None:
        self.session.play(False)
        self.session.set_coordinate(at, float(slider.value))

    def _add_push(self) -> None:
        model = self.session.model
        bodies = {f"{b} {model.body_names[b]}".strip(): b for b in np.flatnonzero(moved_by_joints(model)).tolist()}
        if not bodies:
            return
        scale = float(np.sum(moving_mass(model)))
        with self.gui.add_folder("Push", expand_by_default=False):
            body = self.gui.add_dropdown("Body", tuple(bodies), initial_value=next(iter(bodies)))
            impulse = self.gui.add_vector3("Impulse [N s]", (round(0.5 * scale, 6), 0.0, 0.0))
            button = self.gui.add_button("Push", hint="Or drag a body with the mouse while it plays")
            button.on_click(self._heard(lambda: self.session.push(bodies[body.value], np.array(impulse.value))))

    def _add_kappa(self) -> None:
        ghost = next((lane.ghost for lane in self.session.lanes if lane.ghost is not None), None)
        if ghost is None:
            return
        largest = ghost.sim.largest_kappa()
        highest = kappa_power(largest)
        with self.gui.add_folder("Relaxed motion (ghost)", expand_by_default=False):
            shown = self.gui.add_checkbox("Show", False, hint="The same controls and pushes at κ > 0, since 100 steps ago")
            power = self.gui.add_slider("κ, power of 10", LOWEST, highest, 0.1, max(LOWEST, highest - 2.0), hint="[N m s]")
            said = self.gui.add_markdown("")

        def choose() -> None:
            kappa = 10.0 ** float(power.value)
            self.session.set_kappa(kappa if shown.value else None)
            said.content = kappa_text(kappa, largest) if shown.value else ""

        shown.on_update(self._heard(choose))
        power.on_update(self._heard(choose))
        self.kappa = shown, power, said

    def _add_charts(self) -> dict[str, Any]:
        from viser import uplot

        lanes = self.session.lanes
        series = (uplot.Series(label="t [s]"), *(
            uplot.Series(label=lane.name, stroke=colour, width=1.5, spanGaps=False)
            for lane, colour in zip(lanes, COLOURS, strict=False)
        ))  # fmt: skip
        empty = tuple(np.zeros(2) for _ in range(len(series)))
        with self.gui.add_folder("Curves", expand_by_default=True):
            return {
                field: self.gui.add_uplot(
                    empty, series, title=title, height=130, scales={"x": uplot.Scale(time=False)},
                    legend=uplot.Legend(show=False),
                )
                for field, (title, _) in CURVES.items()
            }  # fmt: skip

    def _heard(self, act: Callable[[], Any]) -> Callable[[Any], Any]:
        """A callback for what the user does, not for what the program sets; it says what went wrong."""

        async def heard(event: Any) -> None:  # viser calls it before anything else can change the widget
            if event.client is None:
                return
            try:
                act()
            except (ValueError, RuntimeError) as error:
                self.session.play(False)
                self.session.message = str(error)

        return heard

    # from the session

    def refresh(self) -> None:
        """Set the widgets to what the session shows."""
        session, moment = self.session, self.session.moment()
        seen = session.playing, session.k, session.last, moment
        before, self._seen = self._seen or (None, None, None, None), seen
        if seen[0] != before[0]:
            self.play.value = session.playing
        if session.last > self._span or session.last < 0.3 * self._span:
            # its end changes seldom: each time the browser builds the slider anew
            self._span = max(session.last, 100, int(1.5 * self._span) if session.last > self._span else 0)
            self.line.max = self._span
        if seen[1] != before[1]:
            self.line.value = min(session.k, self._span)
        if not session.playing and (seen[0], seen[3]) != (before[0], before[3]):
            for at, slider in self.joints:
                slider.value = float(np.clip(moment.state.qpos[at], slider.min, slider.max))
        self.status.content = status_text(session)

    def draw_curves(self) -> None:
        """The last moments of every lane."""
        session = self.session
        with session.lock:
            rows = range(max(0, session.k - WINDOW), session.k + 1)
            pasts = [[lane.past[k] for k in rows] for lane in session.lanes]
        if len(rows) < 2:
            return
        time = np.array([moment.state.time for moment in pasts[0]])
        for field, (_, logarithmic) in CURVES.items():
            values = [np.array([float(getattr(moment, field)) for moment in past]) for past in pasts]
            values = [np.where(np.isfinite(v), v, np.nan) for v in values]
            if logarithmic:
                values = [np.log10(np.maximum(v, 1e-17)) for v in values]
            if any(np.isfinite(v).any() for v in values):
                self.charts[field].data = (time, *values)


def control_ranges(model: Any) -> list[tuple[str, float, float]]:
    """Name and ends of each input's slider."""
    rows = [("", -UNLIMITED, UNLIMITED)] * int(model.nu)
    for a in range(int(model.nactuator)):
        first, many = int(model.actuator_ctrladr[a]), int(model.actuator_ctrlnum[a])
        for i in range(first, first + many):
            low, high = (float(end) for end in model.actuator_ctrlrange[i])
            if not model.actuator_ctrllimited[i] or not low < high or not bounded(low, high):
                low, high = -UNLIMITED, UNLIMITED
            rows[i] = (str(model.actuator_names[a]) or f"input {i}", low, high)
    return [(name or f"input {i}", low, high) for i, (name, low, high) in enumerate(rows)]


def kappa_power(largest: float) -> float:
    """Upper end of the slider of κ: the power of ten of the largest that means anything for a model; 1 N m s without contact."""
    return max(LOWEST + 1.0, round(float(np.log10(largest)), 1)) if 0.0 < largest < np.inf else 0.0


def kappa_text(kappa: float, largest: float) -> str:
    """What a κ [N m s] means for a model."""
    text = f"κ = {kappa:.1e} N m s"
    return text + (f": what rests floats at {100.0 * kappa / largest:.2g} % of its size" if 0.0 < largest < np.inf else "")


def joint_range(model: Any, joint: int) -> tuple[float, float]:
    """Ends of a joint's slider [rad, m]: its limits, else half a turn or a metre about where it begins."""
    low, high = (float(end) for end in model.jnt_range[joint])
    if model.jnt_limited[joint] and low < high:
        return low, high
    start, half = float(model.qpos0[model.jnt_qposadr[joint]]), np.pi if model.jnt_type[joint] == JointType.HINGE else 1.0
    return start - half, start + half


def status_text(session: Session) -> str:
    """The lines at the top of the panel, in Markdown."""
    from dojo_py.simulate.status import Status

    lines = [f"**{plain(session.model.name) or 'model'}**  t = {session.time:.3f} s"]
    if session.playing:
        lines[0] += f"  ({100 * session.pace:.0f} % of the speed asked for)" if session.pace < 0.95 else ""
    for lane in session.lanes:
        moment = lane.past[session.k]
        text = f"{lane.name}: {Status(moment.status).name.lower()}"
        if np.isfinite(moment.iterations):
            text += f", {moment.iterations:.0f} iterations, residual {moment.residual:.1e}"
        if np.isfinite(moment.gap):
            text += f", gap {moment.gap:.1e} m"
        lines.append(text)
        if lane.ghost is not None and lane.ghost.message:
            lines.append(plain(lane.ghost.message))
    if session.message:
        lines.append(f"**{plain(session.message)}**")
    return "\n\n".join(lines)


def plain(text: str) -> str:
    """A text in Markdown that shows as it is: viser runs what is HTML in Markdown, and names come from files of others."""
    return re.sub(r"([\\`*\[\]<>&!~]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(text.split()))
