"""Readings: the sensors of a motion, read when somebody asks for the first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dojo_py.mechanism.errors import listing, nearest

Array = np.ndarray
Places = dict[str, tuple[int, int]]
"""Name of a sensor -> its first entry in `sensordata`, how many it has."""


def places_of(model: Any) -> Places:
    """Of the named sensors of a model, ours or mujoco.MjModel."""
    n = int(getattr(model, "nsensor", 0))
    names = model.sensor_names if hasattr(model, "sensor_names") else [model.sensor(i).name for i in range(n)]
    return {name: (int(model.sensor_adr[i]), int(model.sensor_dim[i])) for i, name in enumerate(names) if name}


class Readings:
    """Sensor data of T steps: `data` (T, nsensordata)."""

    def __init__(self, places: Places, read: Callable[[], Array] | Array):
        self.places = places
        self._read: Callable[[], Array] | None = read if callable(read) else None
        self._data: Array = np.zeros((0, 0)) if callable(read) else read

    @property
    def data(self) -> Array:
        """(T, nsensordata); whatever is not a number (of a step that failed) is zero."""
        if self._read is not None:
            self._data, self._read = np.nan_to_num(self._read(), posinf=0.0, neginf=0.0), None
        return self._data

    def __getstate__(self) -> dict[str, Any]:
        return {"places": self.places, "_data": self.data, "_read": None}

    def sensor(self, name: str) -> Array:
        """(T, dim) the outputs of one sensor."""
        if not isinstance(name, str):
            raise TypeError(f"name={name!r} is a {type(name).__name__}, expected the name of a sensor")
        if name not in self.places:
            raise ValueError(f"no sensor is named '{name}'{listing(self.places)}{nearest(name, self.places)}")
        first, count = self.places[name]
        return self.data[:, first : first + count]


NOTHING = Readings({}, np.zeros((1, 0)))
