"""Seeing simulations: replays in one HTML file, pictures and films, a live viewer in the browser.

    dojo_py.view.show("humanoid")
    dojo_py.view.replay(model, trajectory, "run.html")
    dojo_py.view.compare("humanoid", "both.html")
    dojo_py.view.inline(trajectory)                                      # in a notebook
    dojo_py.view.film(model, trajectory, "run.mp4")
    dojo_py.view.picture(model, trajectory, "run.png", time=1.5)

The packages that they need come with the extra `view`: viser, which brings its own JavaScript, PyAV and Pillow.
"""

from __future__ import annotations

import importlib
from typing import Any

_EXPORTS = {
    "compare": "dojo_py.view.comparison",
    "film": "dojo_py.view.films",
    "inline": "dojo_py.view.notebook",
    "picture": "dojo_py.view.films",
    "replay": "dojo_py.view.recording",
    "show": "dojo_py.view.live",
}
"""Public name -> module that defines it."""

__all__ = list(_EXPORTS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'dojo_py.view' has no attribute '{name}'")
    return getattr(importlib.import_module(_EXPORTS[name]), name)
