"""Readings: the sensors of a motion, read when somebody asks for the first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.mechanism.views import alternatives
from dojo_py.simulate.history import read_late

Array = np.ndarray
Places = dict[str, tuple[int, int]]
"""Name of a sensor -> its first entry in `sensordata`, how many it has."""


def places_of(model: Any) -> Places:
    """Of the named sensors of a model, ours or mujoco.MjModel."""
    n = int(getattr(model, "nsensor", 0))
    names = model.sensor_names if hasattr(model, "sensor_names") else [model.sensor(i).name for i in range(n)]
    return {name: (int(model.sensor_adr[i]), int(model.sensor_dim[i])) for i, name in enumerate(names) if name}


class Before(NamedTuple):
    """What the outputs of sensors with samples depend on beside the steps that are read."""

    model: Any
    history: Array
    """(T + 1, nhistory) of the states: the first one's, and the samples of controls of all."""
    time: Array
    """(T,) [s]"""
    moved: Array
    """(T,) bool: which steps did; the others leave no samples."""


class Readings:
    """Sensor data of T steps: `data` (T, nsensordata).

    before: for models with sensors that come late or seldom; of those that have been read the history (T + 1, nhistory).
    """

    def __init__(self, places: Places, read: Callable[[], Array] | Array, before: Before | Array | None = None):
        self.places = places
        self._before = before if isinstance(before, Before) else None
        self._history = None if isinstance(before, Before) else before
        self._read: Callable[[], Array] | None = read if callable(read) else None
        self._data: Array = np.zeros((0, 0)) if callable(read) else read

    @property
    def data(self) -> Array:
        """(T, nsensordata); whatever is not a number (of a step that failed) is zero."""
        if self._read is not None:
            self._data, self._read = np.nan_to_num(self._read(), posinf=0.0, neginf=0.0), None
            if self._before is not None:
                self._data, self._history = read_late(*self._before, self._data)
                self._before = None
        return self._data

    @property
    def history(self) -> Array | None:
        """(T + 1, nhistory) samples of the states, as in `State.history`; None where no sensor has any. Reads the sensors."""
        if self._before is not None:
            _ = self.data
        return self._history

    def history_at(self, k: int) -> Array | None:
        """(nhistory,) of state k of 0 … T, likewise."""
        return None if self.history is None else self.history[k]

    def __getstate__(self) -> dict[str, Any]:
        return {"places": self.places, "_data": self.data, "_read": None, "_before": None, "_history": self._history}

    def sensor(self, name: str) -> Array:
        """(T, dim) the outputs of one sensor."""
        if not isinstance(name, str):
            raise TypeError(f"name={name!r} is a {type(name).__name__}, expected the name of a sensor")
        if name not in self.places:
            raise ValueError(f"no sensor is named '{name}'{alternatives(name, self.places)}")
        first, count = self.places[name]
        return self.data[:, first : first + count]


NOTHING = Readings({}, np.zeros((1, 0)))
