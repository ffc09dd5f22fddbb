"""Recorded motion: joint coordinates (and controls) at equal intervals, from arrays, CSV or npz files, with units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
UNITS = {
    "m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "rad": 1.0, "deg": np.pi / 180, "s": 1.0, "ms": 1e-3, "N": 1.0, "N m": 1.0,
    "N mm": 1e-3, "m/s": 1.0, "mm/s": 1e-3, "rad/s": 1.0, "deg/s": np.pi / 180, "1": 1.0,
}  # fmt: skip
"""Name of a unit -> factor to SI."""


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples k = 0 … T of one motion at the simulator's time step. control[k] acts from sample k to k + 1."""

    name: str
    qpos: Array
    """(T + 1, nq) as in `State.qpos`."""
    control: Array | None = None
    """(T, nu), None: no actuator acts."""
    qvel: Array | None = field(default=None, repr=False)
    """(T + 1, nv) measured velocities; None: those of the hard mode, differences of successive samples, are taken."""

    def velocity(self, model: Any, timestep: float, k: int) -> Array:
        """(nv,) velocity over the interval that led to sample k (k ≥ 1 unless qvel was given)."""
        if self.qvel is not None:
            return self.qvel[k]
        return model.difference(self.qpos[k], self.qpos[k - 1]) / timestep

    def controls(self, nu: int) -> Array:
        """(T, nu)"""
        return np.zeros((len(self.qpos) - 1, nu)) if self.control is None else self.control

    @property
    def first(self) -> int:
        """First sample that has a velocity."""
        return 1 if self.qvel is None else 0


def factor(unit: str | float) -> float:
    """Factor to SI of a unit's name, or the number itself."""
    if isinstance(unit, str):
        if unit not in UNITS:
            raise ValueError(f"unit '{unit}' is not one of {sorted(UNITS)}, nor a number")
        return UNITS[unit]
    return float(unit)


def _factors(units: Any, width: int) -> Array:
    one = isinstance(units, (str, int, float))
    return np.array([factor(units)] * width if one else [factor(u) for u in units])


def read_recording(
    file: str | PathLike,
    columns: Mapping[str, Sequence[int]] | None = None,
    units: Mapping[str, str | float | Sequence[str | float]] | None = None,
    model: Any = None,
) -> Recording:
    """A Recording from a .csv (no or one heading line) or .npz file.

    columns: "qpos", "control", "qvel" -> places of the columns (CSV). An .npz holds arrays of these names (a saved Trajectory
    does). units: the same words -> a unit, a factor to SI, or one of these a column. model: checks the widths.
    """
    path, units = Path(file), units or {}
    raw = _npz(path) if path.suffix == ".npz" else _csv(path, columns or {})
    if "qpos" not in raw:
        raise ValueError(f"{path}: no qpos")
    widths = {} if model is None else {"qpos": model.nq, "control": model.nu, "qvel": model.nv}
    for word, table in raw.items():
        if table.ndim != 2 or table.shape[1] != widths.get(word, table.shape[1]):
            raise ValueError(f"{path}: {word} has shape {table.shape}, expected (samples, {widths.get(word, 'n')})")
        if not np.all(np.isfinite(table)):
            raise ValueError(f"{path}: {word} has entries that are not finite")
        raw[word] = table * _factors(units.get(word, 1.0), table.shape[1])
    samples = len(raw["qpos"])
    control = raw.get("control")
    if control is not None:
        if len(control) not in (samples - 1, samples):
            raise ValueError(f"{path}: {len(control)} controls for {samples} samples")
        control = control[: samples - 1]
    if "qvel" in raw and len(raw["qvel"]) != samples:
        raise ValueError(f"{path}: {len(raw['qvel'])} velocities for {samples} samples")
    return Recording(path.stem, raw["qpos"], control, raw.get("qvel"))


def _npz(path: Path) -> dict[str, Array]:
    with np.load(path, allow_pickle=False) as file:
        return {word: np.asarray(file[word], float) for word in ("qpos", "control", "qvel") if word in file.files}


def _csv(path: Path, columns: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    unknown = set(columns) - {"qpos", "control", "qvel"}
    if unknown:
        raise ValueError(f"columns of {sorted(unknown)}: only qpos, control, qvel are read")
    with open(path, encoding="utf-8") as stream:
        words = stream.readline().split(",")
    try:
        [float(word) for word in words]
        skip = 0
    except ValueError:
        skip = 1
    try:
        table = np.loadtxt(path, delimiter=",", skiprows=skip, ndmin=2)
        return {word: table[:, list(places)] for word, places in columns.items()}
    except (ValueError, IndexError) as error:
        raise ValueError(f"{path}: {error}") from error
