"""Samples of the past, from which what comes late or seldom is read: controls of actuators and outputs of sensors with `nsample`.

A buffer in a state's `history` holds, as in MuJoCo's `data.history`,

    phase     sensors: the last multiple of the interval at which a sample was due [s]
    cursor    which sample is the newest (here always the last)
    times     (n,) of the samples, the oldest first [s]
    samples   (n, dim)

In a step at time t: an output that comes late is what was there at t - delay, held, interpolated linearly or by a cubic
spline (Catmull and Rom, level at both ends), beyond the ends the end's value; one that comes seldom is the last sample. Then the
output at t becomes a sample, where one is due: phase + interval <= t. Before the start there were zeros. Source: the wheel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray
HOLD, LINEAR = 0, 1
"""How samples are interpolated; by cubics otherwise."""
ROUND_OFF = 1e-9
"""Of a number of steps, or of the share of the time between two samples: a delay of two steps is two steps at all times."""


class Late(NamedTuple):
    """An actuator or sensor with samples: its place in the history, and in the controls or the sensor data."""

    start: int
    samples: int
    dim: int
    address: int
    interp: int
    delay: float
    interval: float
    phase: float

    @property
    def end(self) -> int:
        """First entry of the history behind it."""
        return self.start + 2 + self.samples * (1 + self.dim)

    @property
    def outputs(self) -> slice:
        """Its entries of the controls or the sensor data."""
        return slice(self.address, self.address + self.dim)


def late_sensors(model: Any) -> list[Late]:
    """The sensors of a model, ours or mujoco.MjModel, that have samples."""
    found = []
    for i in _with_samples(model, "sensor"):
        count, interp = (int(x) for x in model.sensor_history[i])
        period, phase = (float(x) for x in model.sensor_interval[i])
        dim, address, delay = int(model.sensor_dim[i]), int(model.sensor_adr[i]), float(model.sensor_delay[i])
        found.append(Late(int(model.sensor_historyadr[i]), count, dim, address, interp, delay, period, phase))
    return found


def late_actuators(model: Any) -> list[Late]:
    """Likewise the actuators."""
    found = []
    for i in _with_samples(model, "actuator"):
        count, interp = (int(x) for x in model.actuator_history[i])
        dim, address, delay = int(model.actuator_ctrlnum[i]), int(model.actuator_ctrladr[i]), float(model.actuator_delay[i])
        found.append(Late(int(model.actuator_historyadr[i]), count, dim, address, interp, delay, 0.0, 0.0))
    return found


def _with_samples(model: Any, kind: str) -> Array:
    """Numbers of the actuators or sensors that have samples."""
    table = getattr(model, f"{kind}_history", None)
    return np.flatnonzero(table[:, 0] > 0) if table is not None and len(table) else np.zeros(0, int)


def history_size(model: Any) -> int:
    """(nhistory,) the length of a state's history."""
    return max((late.end for late in (*late_actuators(model), *late_sensors(model))), default=0)


def first_history(model: Any, timestep: float, time: float) -> Array:
    """(nhistory,) at a start: samples of zeros at the times before it."""
    out = np.zeros(history_size(model))
    for late in late_actuators(model):
        times = time - timestep * np.arange(late.samples, 0, -1)
        _put(out[late.start : late.end], 0.0, times, np.zeros((late.samples, late.dim)))
    for late in late_sensors(model):
        given = late.phase if late.interval else 0.0
        period = max(late.interval, timestep)  # (a step has one sample at most)
        phase, due = given or -(late.interval or timestep), (given or -period) - period * np.arange(late.samples - 1, -1, -1)
        times = timestep * np.ceil(due / timestep - ROUND_OFF)  # (the first step at which it is due)
        _put(out[late.start : late.end], time + phase, time + times, np.zeros((late.samples, late.dim)))
    return out


def value_of(late: Late, history: Array, time: float) -> Array:
    """(dim,) what the samples in a history (nhistory,) say of another time [s]."""
    _, times, samples = _taken(late, history)
    return value_at(times, samples, time, late.interp)


def newer_sample(late: Late, history: Array, time: float, values: Array) -> None:
    """Takes values (dim,) at a time [s] into a history (nhistory,), in place of the oldest sample; its phase is 0."""
    _, times, samples = _taken(late, history)
    _put(history[late.start : late.end], 0.0, np.append(times[1:], time), np.concatenate([samples[1:], values[None]]))


class DelayLine(NamedTuple):
    """How a step depends on controls that were sent and have not arrived: the samples of `delay` in a state's history, n numbers,
    of each actuator the oldest first. Times of samples are no unknowns; what arrives is linear in the samples.

    [δq, δv] after = A [δq, δv] + by_samples δsamples + B δcontrol,   δsamples after = samples δsamples + by_control δcontrol
    """

    places: Array
    """(n,) of the samples in the `State.history` before; the next state's are in order."""
    by_samples: Array
    """(2 nv + na, n), of maximal coordinates (12 nbody, n)"""
    samples: Array
    """(n, n) each becomes the one before it; the oldest is lost."""
    by_control: Array
    """(n, nu) the control that is sent becomes the newest."""

    def widened(self, A: Array, B: Array) -> tuple[Array, Array]:
        """A and B of the state with the samples behind it, [δq, δv, δact, δsamples]: n more rows and columns."""
        below = np.concatenate([np.zeros((len(self.samples), A.shape[1])), self.samples], axis=1)
        return np.concatenate([np.concatenate([A, self.by_samples], axis=1), below]), np.concatenate([B, self.by_control])


def split_by_delay(model: Any, history: Array, time: float, by_arriving: Array) -> tuple[Array, DelayLine]:
    """(B, the delay line) of a step at a time [s] from its derivative by the controls that arrive in it, by_arriving (rows, nu).

    history (nhistory,): of the state before. B by the controls that are sent: those that come late do nothing yet.
    """
    late = [a for a in late_actuators(model) if a.delay > 0.0]
    places = [_places(a, history) for a in late]  # (samples, dim), the oldest first
    n, nu = sum(p.size for p in places), by_arriving.shape[1]
    B, line = by_arriving.copy(), DelayLine(
        np.concatenate([p.ravel() for p in places]), np.zeros((len(by_arriving), n)), np.zeros((n, n)), np.zeros((n, nu))
    )  # fmt: skip
    first = 0
    for a, place in zip(late, places, strict=True):
        _, times, _ = _taken(a, history)
        weights = value_at(times, np.eye(a.samples), time - a.delay, a.interp)
        for k in range(a.dim):
            mine = first + a.dim * np.arange(a.samples) + k
            line.by_samples[:, mine] = by_arriving[:, a.address + k, None] * weights
            line.samples[mine[:-1], mine[1:]] = 1.0
            line.by_control[mine[-1], a.address + k] = 1.0
        B[:, a.outputs] = 0.0
        first += place.size
    return B, line


def sent(model: Any, history: Array, time: Array, moved: Array, by_arriving: Array) -> Array:
    """(T, nu) gradient by the controls that are sent at the times (T,) [s], from that by those that arrive, by_arriving (T, nu).

    history (nhistory,): at the first of the times; moved (T,): which steps did; the controls of others never arrive.
    """
    out, kept = by_arriving.copy(), np.flatnonzero(moved)
    for late in late_actuators(model):
        if not late.delay > 0.0:
            continue
        out[:, late.outputs] = 0.0
        _, times, _ = _taken(late, history)
        times = np.concatenate([times, time[kept]])
        for t in range(len(time)):
            first = int(np.searchsorted(kept, t))  # so many of the first samples are lost before step t
            weights = value_at(times[first : first + late.samples], np.eye(late.samples), time[t] - late.delay, late.interp)
            for k in range(max(first - late.samples, 0), first):
                out[kept[k], late.outputs] += weights[k + late.samples - first] * by_arriving[t, late.outputs]
    return out


def _places(late: Late, history: Array) -> Array:
    """(n, dim) where the samples are in the history, the oldest first."""
    first = late.start + 2 + late.samples
    table = first + np.arange(late.samples * late.dim).reshape(late.samples, late.dim)
    return np.roll(table, -int(history[late.start + 1]) - 1, axis=0)


def read_late(model: Any, history: Array, time: Array, moved: Array, outputs: Array) -> tuple[Array, Array]:
    """(outputs (T, nsensordata) as they come, history (T + 1, nhistory) before each step and at the end).

    history (T + 1, nhistory): whose first row is the start's, the others are completed; outputs (T, nsensordata): without delay;
    moved (T,): which steps did; a step that did not leaves no sample.
    """
    out, along = outputs.copy(), history.copy()
    for late in late_sensors(model):
        mine = slice(late.start, late.end)
        phase, times, samples = _taken(late, history[0])
        for t, now in enumerate(time):
            due = not late.interval or phase + late.interval <= now  # (added up like the wheel's, round-off included)
            if late.delay > 0.0:
                out[t, late.outputs] = value_at(times, samples, now - late.delay, late.interp)
            elif not due:
                out[t, late.outputs] = samples[-1]
            along[t + 1, mine] = along[t, mine]
            if due and moved[t]:
                phase += late.interval
                times, samples = np.append(times[1:], now), np.concatenate([samples[1:], outputs[t : t + 1, late.outputs]])
                _put(along[t + 1, mine], phase, times, samples)
    return out, along


def _taken(late: Late, history: Array) -> tuple[float, Array, Array]:
    """(phase, times (n,), samples (n, dim)) out of a history (nhistory,), the oldest first."""
    part = history[late.start : late.end]
    newest, times = int(part[1]), part[2 : 2 + late.samples]
    samples = part[2 + late.samples :].reshape(late.samples, late.dim)
    if newest != late.samples - 1:
        times, samples = np.roll(times, -newest - 1), np.roll(samples, -newest - 1, axis=0)
    return float(part[0]), times, samples


def _put(buffer: Array, phase: float, times: Array, samples: Array) -> None:
    """Writes the numbers of a buffer, a part of the history."""
    buffer[:2] = phase, len(times) - 1
    buffer[2 : 2 + len(times)] = times
    buffer[2 + len(times) :] = samples.ravel()


def value_at(times: Array, samples: Array, time: float, interp: int) -> Array:
    """(dim,) what samples (n, dim) at rising times (n,) say of another time."""
    if time <= times[0]:
        return samples[0]
    if time >= times[-1]:
        return samples[-1]
    k = int(np.searchsorted(times, time, side="right")) - 1
    length = times[k + 1] - times[k]
    s = (time - times[k]) / length
    if interp == HOLD:
        return samples[k + 1] if s >= 1.0 - ROUND_OFF else samples[k]
    if interp == LINEAR:
        return samples[k] + s * (samples[k + 1] - samples[k])
    a, b = length * _slope(times, samples, k), length * _slope(times, samples, k + 1)
    turn = s * s * (3.0 - 2.0 * s)
    return (1.0 - turn) * samples[k] + turn * samples[k + 1] + s * (1.0 - s) * ((1.0 - s) * a - s * b)


def _slope(times: Array, samples: Array, k: int) -> Array:
    """Of the spline at sample k: that of the line between its neighbours, at the ends none."""
    if k == 0 or k == len(times) - 1:
        return np.zeros(samples.shape[1])
    return (samples[k + 1] - samples[k - 1]) / (times[k + 1] - times[k - 1])
