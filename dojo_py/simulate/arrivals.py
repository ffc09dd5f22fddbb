"""Controls on their way: those that are sent in the steps of a run, what arrives of them in each, and the samples of states.

A step that fails takes no time and leaves no sample: what is on its way stays so, and the next step tries again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dojo_py.simulate.history import Late, first_history, history_size, late_actuators, newer_sample, value_of
from dojo_py.simulate.readings import Before
from dojo_py.simulate.results import State
from dojo_py.simulate.values import vector

Array = np.ndarray


class Arrivals:
    """What arrives in T steps from a state, found from step to step, because what arrives depends on which steps before it moved.

    At first it is known for the first step. Where `waiting`, the run calls `begin` before each of its steps; elsewhere what acts
    is known beforehand, and `complete` tells afterwards which steps moved.
    """

    def __init__(self, model: Any, timestep: float, state: State, controls: Array):
        size, steps = history_size(model), len(controls)
        self.model, self._timestep, self._sent = model, timestep, controls
        self._late: list[Late] = late_actuators(model) if size else []
        delayed = any(late.delay > 0.0 for late in self._late)
        self.acting = controls.copy() if delayed else controls
        """(T, nu) controls that act."""
        self.waiting = delayed and steps > 1
        """Whether what acts in later steps depends on which steps move."""
        self._history = np.zeros((0, 0))
        self._time = np.full(steps + 1, state.time)
        self._moved = np.zeros(steps, bool)
        self._begun = 0
        if size:
            start = state.history
            start = first_history(model, timestep, state.time) if start is None else vector("history", start, (size,))
            self._history = np.repeat(start[None], steps + 1, axis=0)
            self.begin(0, True)

    @property
    def first(self) -> Array | None:
        """(nhistory,) samples of the state where the run starts; None where the model has none."""
        return self._history[0] if self._history.size else None

    def begin(self, t: int, moved: bool) -> None:
        """Before step t of 0 … T, T: at the end. moved: whether step t - 1 did."""
        self._begun = t
        if t > 0:
            self._follow(t, moved)
        if t == len(self._sent):
            return
        for late in self._late:
            if late.delay > 0.0:
                self.acting[t, late.outputs] = value_of(late, self._history[t], float(self._time[t]) - late.delay)

    def _follow(self, t: int, moved: bool) -> None:
        """The samples of controls and the time of state t, from those before step t - 1."""
        self._moved[t - 1], self._time[t], self._history[t] = moved, self._time[t - 1], self._history[t - 1]
        if moved:
            self._time[t] += self._timestep
            for late in self._late:
                newer_sample(late, self._history[t], float(self._time[t - 1]), self._sent[t - 1, late.outputs])

    def complete(self, moved: Array) -> Before | None:
        """What sensors with samples depend on, for steps of which moved (T,) tells which did; None without samples."""
        if not self._history.size:
            return None
        for t in range(self._begun, len(self._sent)):
            self.begin(t + 1, bool(moved[t]))
        return Before(self.model, self._history, self._time[:-1], self._moved)
