"""`inline`: a replay inside a notebook."""

from __future__ import annotations

import html
import tempfile
from pathlib import Path
from typing import Any

from dojo_py.simulate.values import count, having
from dojo_py.view.recording import replay


class Inline:
    """A replay that a notebook shows when it is a cell's last value. `page`: its HTML, which needs no other file."""

    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {self.height}px; border: 1px solid #ddd"
        return f'<iframe srcdoc="{html.escape(self.page)}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<replay, {len(self.page) / 1e6:.2g} MB of HTML: shown in a notebook>"


def inline(trajectory: Any, model: Any = None, *, height: int = 420, fps: float = 30.0, contacts: bool = True) -> Inline:
    """The replay of a trajectory for the last line of a notebook's cell (about 1 MB in the saved notebook).

    trajectory: of either simulator. model: the Model or simulator, where the trajectory does not carry it. height: of the frame
    [pixels]. fps, contacts: as in `replay`. Needs viser (extra `view`).
    """
    having("trajectory", trajectory, ("qpos", "metadata", "state"), "a Trajectory")
    height = count("height", height, 100, 4000)
    shown = trajectory.model if model is None else model
    if shown is None:
        raise ValueError("trajectory: it does not carry its model; pass model=")
    with tempfile.TemporaryDirectory() as folder:
        page = replay(shown, trajectory, Path(folder) / "run.html", fps=fps, contacts=contacts)
        return Inline(page.read_text(encoding="utf-8"), height)
