"""Recorded motion: joint coordinates (and controls) at equal intervals, from arrays, CSV or npz files, with units."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.hard.checks import wrong_quaternion
from dojo_py.simulate.simulator import Simulator
from dojo_py.simulate.table import table_and_lines
from dojo_py.simulate.values import count, file_of, having, real_array, real_number, shown, text_of, vector

Array = np.ndarray
UNITS = {
    "m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "rad": 1.0, "deg": np.pi / 180, "s": 1.0, "ms": 1e-3, "N": 1.0, "N m": 1.0,
    "N mm": 1e-3, "m/s": 1.0, "mm/s": 1e-3, "rad/s": 1.0, "deg/s": np.pi / 180, "1": 1.0,
}  # fmt: skip
"""Name of a unit -> factor to SI."""
JITTER, DRIFT = 0.1, 1e-3
"""Times of samples may be off equal intervals by the first part of one; so may the simulator's steps over a whole recording, or by
the second part of an interval each. (Files round times: 60 Hz in ms are 16, 17, 17, …)"""


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples k = 0 … T of one motion at equal intervals. control[k] acts from sample k to k + 1."""

    name: str
    qpos: Array
    """(T + 1, nq) as in `State.qpos`."""
    control: Array | None = None
    """(T, nu), None: no actuator acts. Of (T + 1, nu), as tables with a row a sample have, the last row leads nowhere: left out."""
    qvel: Array | None = field(default=None, repr=False)
    """(T + 1, nv) measured velocities; None: those of the hard mode, differences of successive samples, are taken."""
    stride: int = 1
    """Steps of the simulator from one sample to the next: more where its time step is shorter than the samples' interval."""
    start: tuple[Array, Array] | None = field(default=None, repr=False)
    """(qpos, qvel) at the first sample, where that is known better than by the samples there, as by `with_estimated_starts`."""
    act: Array | None = field(default=None, repr=False)
    """(na,) activations at the first sample; None: 0. Those at later samples follow from the controls (activations.py)."""
    interval: float | None = None
    """[s] between samples, where that is known, as from a file with times: `stride` steps of the simulator, or it is refused."""

    def __post_init__(self) -> None:
        text_of("name", self.name)
        object.__setattr__(self, "stride", count("stride", self.stride, most=10**6))
        if self.interval is not None:
            real_number(f"recording '{self.name}': interval", self.interval, above=0.0, unit="s")
        qpos = _table("qpos", self.qpos, self.name)
        object.__setattr__(self, "qpos", qpos)
        for name, rows in (("control", len(qpos) - 1), ("qvel", len(qpos))):
            value = getattr(self, name)
            if value is None:
                continue
            table = _table(name, value, self.name)
            if name == "control" and len(table) == rows + 1:  # the last one leads nowhere
                table = table[:-1]
            if len(table) != rows:
                wanted = f"{rows}, or {rows + 1} of which the last leads nowhere" if name == "control" else f"{rows}"
                shapes = f"{name} has shape {table.shape}, qpos {qpos.shape}"
                raise ValueError(f"recording '{self.name}': {shapes}; expected {wanted} rows of {name}")
            object.__setattr__(self, name, table)
        if self.act is not None:
            act = real_array("act", self.act)
            object.__setattr__(self, "act", vector(f"recording '{self.name}': act", act, (act.size,)))

    def velocity(self, model: Any, timestep: float, k: int) -> Array:
        """(nv,) velocity over the last of the steps that led to sample k (k ≥ 1 unless qvel was given).

        Of several steps a sample, it is interpolated between the mean velocities over two intervals, before and after the sample or
        the last two: over one interval alone it would be that of half an interval earlier.
        """
        if self.qvel is not None:
            return self.qvel[k]
        before = self._mean_velocity(model, timestep, k)
        if self.stride == 1 or len(self.qpos) < 3:
            return before
        ahead = 0.5 * (self.stride - 1) / self.stride
        if k + 1 < len(self.qpos):
            return before + ahead * (self._mean_velocity(model, timestep, k + 1) - before)
        return before + ahead * (before - self._mean_velocity(model, timestep, k - 1))

    def _mean_velocity(self, model: Any, timestep: float, k: int) -> Array:
        """(nv,) over the interval before sample k."""
        return model.difference(self.qpos[k], self.qpos[k - 1]) / (timestep * self.stride)

    def controls(self, nu: int) -> Array:
        """(T, nu)"""
        return np.zeros((len(self.qpos) - 1, nu)) if self.control is None else self.control

    @property
    def first(self) -> int:
        """First sample that has a velocity."""
        return 1 if self.qvel is None and self.start is None else 0


def measured_state(recording: Recording, sim: Simulator, k: int) -> tuple[Array, Array]:
    """(qpos, qvel) of sample k as measured; of the first one `start`, or the velocity is that to the next sample."""
    if k == 0 and recording.start is not None:
        return recording.start
    return recording.qpos[k], recording.velocity(sim.model, sim.timestep, max(k, 0 if recording.qvel is not None else 1))


def check_recordings(sim: Simulator, recordings: Any, later: bool = False, name: str = "recordings", timed: bool = True) -> None:
    """TypeError or ValueError unless these are recordings of the simulator's model.

    later: each has a sample after the first one from which a roll-out can start. timed: at the simulator's time step.
    """
    if not isinstance(recordings, Sequence) or not all(isinstance(r, Recording) for r in recordings):
        raise TypeError(f"{name}={shown(recordings)}, expected a list of Recording")
    for r in recordings:
        for part, width in (("qpos", sim.model.nq), ("control", sim.model.nu), ("qvel", sim.model.nv)):
            table = getattr(r, part)
            if table is not None and table.shape[1] != width:
                raise ValueError(f"{name}: {part} of '{r.name}' has shape {table.shape}, expected (samples, {width})")
        if r.start is not None and [np.shape(x) for x in r.start] != [(sim.model.nq,), (sim.model.nv,)]:
            raise ValueError(f"{name}: start of '{r.name}', expected qpos ({sim.model.nq},) and qvel ({sim.model.nv},)")
        if r.act is not None and r.act.shape != (sim.model.na,):
            raise ValueError(f"{name}: act of '{r.name}' has shape {r.act.shape}, expected ({sim.model.na},)")
        _check_turns(sim.model, r)
        if later and len(r.qpos) <= r.first + 1:
            known = "the first two samples give its velocity" if r.first else "a roll-out starts from the first"
            raise ValueError(f"{name}: '{r.name}' has {len(r.qpos)} samples, none to compare: {known}")
    if timed:
        check_intervals(sim, recordings, name)


def check_intervals(sim: Simulator, recordings: Sequence[Recording], name: str = "recordings") -> None:
    """ValueError where the interval of a recording is known, and is not `stride` time steps."""
    for recording in recordings:
        steps, known = recording.stride * sim.timestep, recording.interval
        if known is not None and abs(known - steps) > max(DRIFT, JITTER / max(len(recording.qpos) - 1, 1)) * steps:
            raise ValueError(
                f"{name}: '{recording.name}' has a sample every {known:.6g} s, but stride={recording.stride} of the simulator's "
                f"time steps of {sim.timestep:.6g} s are {steps:.6g} s; give a simulator of that step, or of a part and the stride"
            )


def _check_turns(model: Any, recording: Recording) -> None:
    """ValueError unless the quaternions of all samples have length 1, to what simulators accept."""
    wrong = wrong_quaternion(model, recording.qpos)
    if wrong is not None:
        where = f"qpos[{wrong.row}, {wrong.part.start}:{wrong.part.stop}] of '{recording.name}'"
        raise ValueError("recordings: " + wrong.said(where))


def _table(name: str, value: Any, owner: str) -> Array:
    """(samples, n) finite numbers, or ValueError."""
    table = real_array(name, value)
    if table.ndim != 2:
        raise ValueError(f"recording '{owner}': {name} has shape {table.shape}, expected (samples, n) finite numbers")
    check_samples(f"recording '{owner}': {name}", table)
    return table


WITHOUT_GAPS = "expected finite numbers: leave out samples that are missing, with their times, and give the others to `resample`"


def check_samples(name: str, table: Array) -> None:
    """ValueError names the first entry of a table (samples, n) that is no number, and what to do without such samples."""
    missing = np.argwhere(~np.isfinite(table))
    if len(missing):
        k, column = (int(i) for i in missing[0])
        raise ValueError(f"{name}[{k}, {column}] is {table[k, column]}, {WITHOUT_GAPS}")


def factor(unit: str | float) -> float:
    """Factor to SI of a unit's name, or the number itself."""
    if isinstance(unit, str):
        if unit not in UNITS:
            raise ValueError(f"unit '{unit}' is not one of {sorted(UNITS)}, nor a number")
        return UNITS[unit]
    return real_number("units", unit)


def _factors(units: Any, width: int) -> Array:
    if not isinstance(units, (Sequence, np.ndarray)) or isinstance(units, str):
        return np.array([factor(units)] * width)
    if len(units) != width:
        raise ValueError(f"units: {len(units)} of them for {width} columns")
    return np.array([factor(u) for u in units])


def read_recording(
    file: str | PathLike,
    columns: Mapping[str, Sequence[int]] | None = None,
    units: Mapping[str, str | float | Sequence[str | float]] | None = None,
    model: Any = None,
) -> Recording:
    """A Recording from a .csv (no or one heading line) or .npz file.

    columns: "qpos", "control", "qvel", "time" -> places of the columns (CSV). An .npz holds arrays of these names (a saved
    Trajectory does). Of as many controls as samples the last is left out, as in `Recording`. Times must be at equal intervals, of
    which `Recording.interval` is the length; of others, `resample`. units: the same words -> a unit, a factor to SI, or one of
    these a column. model: checks the widths.
    """
    file_of("file", file)
    _check_words("columns", columns)
    _check_words("units", units)
    if model is not None:
        having("model", model, ("nq", "nv", "nu"), "a Model, as load_model returns it")
    path, units = Path(file), units or {}
    if columns is not None and path.suffix == ".npz":
        raise ValueError(f"columns: {path} has no columns, it holds arrays by their names")
    raw = _npz(path) if path.suffix == ".npz" else _csv(path, columns or {})
    if "qpos" not in raw:
        raise ValueError(f"{path}: no qpos; name its columns if it is a table")
    if set(units) - set(raw):
        raise ValueError(f"units of {shown(set(units) - set(raw))}: of {path} only {sorted(raw)} are read")
    widths = {"time": 1} if model is None else {"qpos": model.nq, "control": model.nu, "qvel": model.nv, "time": 1}
    for word, table in raw.items():
        if table.ndim != 2 or table.shape[1] != widths.get(word, table.shape[1]):
            raise ValueError(f"{path}: {word} has shape {table.shape}, expected (samples, {widths.get(word, 'n')})")
        check_samples(f"{path}: {word}", table)
        raw[word] = table * _factors(units.get(word, 1.0), table.shape[1])
    samples, control = len(raw["qpos"]), raw.get("control")
    if control is not None:
        if len(control) not in (samples - 1, samples):
            raise ValueError(f"{path}: {len(control)} controls for {samples} samples")
        control = control[: samples - 1]
    if "qvel" in raw and len(raw["qvel"]) != samples:
        raise ValueError(f"{path}: {len(raw['qvel'])} velocities for {samples} samples")
    interval = None
    if "time" in raw:
        if len(raw["time"]) != samples:
            raise ValueError(f"{path}: {len(raw['time'])} times for {samples} samples")
        interval = _interval(f"{path}: time", raw["time"][:, 0])
    return Recording(path.stem, raw["qpos"], control, raw.get("qvel"), interval=interval)


def _interval(name: str, time: Array) -> float | None:
    """[s] between samples; ValueError where times are not at equal intervals; None of a single one."""
    if len(time) < 2:
        return None
    check_increasing(name, time)
    steps = np.diff(time)
    usual = float(np.median(steps))
    k = int(np.argmax(np.abs(steps - usual)))
    if abs(steps[k] - usual) > 2 * JITTER * usual:
        raise ValueError(
            f"{name} goes from {time[k]:.6g} to {time[k + 1]:.6g} s at sample {k + 1}, by {steps[k]:.6g} s, "
            f"elsewhere by {usual:.6g} s: cut the recording there, or bring it to equal intervals by `resample`"
        )
    return float(time[-1] - time[0]) / (len(time) - 1)


def check_increasing(name: str, time: Array) -> None:
    """ValueError names the first of the times (n,) that is no number, or not later than the one before."""
    missing, back = np.flatnonzero(~np.isfinite(time)), np.flatnonzero(~(np.diff(time) > 0))
    if len(missing):
        raise ValueError(f"{name}[{missing[0]}] is {time[missing[0]]}, expected increasing times (n,) [s]")
    if len(back):
        k = int(back[0]) + 1
        raise ValueError(f"{name}[{k}] is {time[k]:.9g} after {time[k - 1]:.9g}, expected increasing times (n,) [s]")


def _check_words(name: str, given: Any) -> None:
    """TypeError or ValueError unless it is None or a dict whose words are those of a recording's tables."""
    words = {"qpos", "control", "qvel", "time"}
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{name}={shown(given)}, expected a dict with some of {sorted(words)}")
    if given is not None and set(given) - words:
        raise ValueError(f"{name} of {shown(set(given) - words)}: only qpos, control, qvel, time are read")


def _npz(path: Path) -> dict[str, Array]:
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            found = {word: real_array(word, file[word]) for word in ("qpos", "control", "qvel", "time") if word in file.files}
    except (ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: not an .npz file of arrays ({error})") from error
    if "time" in found and found["time"].ndim == 1:
        found["time"] = found["time"][:, None]
    return found


def _csv(path: Path, columns: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    for word, places in columns.items():
        if isinstance(places, (str, bytes)) or not isinstance(places, (Sequence, range, np.ndarray)):
            raise TypeError(f"columns[{word!r}]={shown(places)}, expected places of columns")
    wanted = {word: [count(f"columns[{word!r}]", k, least=0) for k in places] for word, places in columns.items()}
    try:
        table, lines = table_and_lines(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    for word, places in wanted.items():
        for place in places:
            if place >= table.shape[1]:
                there = f"{path} has the columns 0 … {table.shape[1] - 1}" if table.size else f"{path} is empty"
                raise ValueError(f"columns[{word!r}]: there is no column {place}, {there}")
            if not np.isfinite(table[:, place]).all():
                row = int(np.flatnonzero(~np.isfinite(table[:, place]))[0])
                raise ValueError(f"{path}: line {lines[row]}, column {place + 1}: {word} is {table[row, place]}, {WITHOUT_GAPS}")
    return {word: table[:, places] for word, places in wanted.items()}
