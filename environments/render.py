"""Pictures of a task's state from the task's camera; no window, no graphics driver."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dojo_py.drawing.picture import Painter, camera

Array = np.ndarray


@lru_cache(maxsize=8)
def painter_of(model: Any) -> Painter:
    """The painter of a model, kept from one picture to the next."""
    return Painter(model)


def render(model: Any, state: Any, view: tuple[float, float, float], target: Array, width: int, height: int) -> Array:
    """(height, width, 3) uint8 picture of a State. view: azimuth, elevation [degrees], distance [m]."""
    return painter_of(model).picture(state.qpos, *camera(*view, target), width, height, placed=state)


def render_task(task: Any, state: Any, width: int, height: int) -> Array:
    """The picture of a task's state from the task's camera."""
    x, y = (0.0 if i < 0 else float(state.qpos[i]) for i in task.follow)
    return render(task.sim.model, state, task.view, np.array([x, y, task.look_height]), width, height)
