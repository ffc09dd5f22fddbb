"""What a command line names: the model, the keyframe it starts from, the controls."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dojo_py.cli.mistake import Mistake
from dojo_py.reproduce.scenes import random_controls
from dojo_py.simulate.table import read_table

if TYPE_CHECKING:
    from dojo_py.mechanism.model import Model

FIRST_CHOICE = ("drop", "home")
"""Keyframes taken when none is asked for; then the file's first, then its initial pose."""


LONGEST_TIMESTEP = 1e6
"""That the simulators take [s]."""

REAL = "biuf"
"""Kinds of numpy types that hold real numbers."""


def check_times(arguments: argparse.Namespace) -> None:
    """A Mistake when a --timestep or a --duration is asked for that cannot be simulated."""
    for name, most in (("timestep", LONGEST_TIMESTEP), ("duration", np.finfo(float).max)):
        value = getattr(arguments, name, None)
        if value is not None and not 0 < value <= most:
            limit = f", at most {most:g}" if name == "timestep" else ""
            raise Mistake(f"--{name} {value:g}: must be positive{limit} [s]")


def count_steps(duration: float | None, timestep: float) -> int | None:
    """Steps of a duration [s], at least one; None when none is asked for."""
    if duration is None:
        return None
    if not np.isfinite(duration / timestep):
        raise Mistake(f"--duration {duration:g}: too many steps of {timestep:g} s")
    return max(1, round(duration / timestep))


def choose_keyframe(model: Model, name: str | None) -> tuple[str, int | None]:
    """(what it is called, number) of the keyframe asked for, or of the model's customary start; None: its initial pose."""
    if name is None:
        name = next((word for word in (*FIRST_CHOICE, *model.key_names) if word in model.key_names), None)
    if name is None:
        return ("keyframe 0", 0) if model.nkey else ("initial pose", None)
    if name not in model.key_names:
        there = ", ".join(word for word in model.key_names if word) or "none"
        raise Mistake(f"--keyframe {name}: {model.name or 'the model'} has no such keyframe; it has {there}")
    return f"keyframe '{name}'", model.key_names.index(name)


def pose_at(model: Model, keyframe: str | None) -> np.ndarray | None:
    """qpos (nq,) of the keyframe asked for; None, for qpos0, when none is."""
    return None if keyframe is None else np.array(model.key_qpos[choose_keyframe(model, keyframe)[1]])


def make_controls(model: Model, control: str, steps: int | None, default_steps: int, seed: int) -> np.ndarray:
    """(T, nu) from `zero`, `random` or a file. steps None: the file's length, else `default_steps`."""
    if control in ("zero", "random"):
        many = steps or default_steps
        try:
            return np.zeros((many, model.nu)) if control == "zero" else random_controls(model, many, seed)
        except (MemoryError, ValueError):
            raise Mistake(f"{many:.3g} steps are more than fit into memory: shorten --duration or raise --timestep") from None
    table = _read_controls(Path(control))
    if table.ndim == 1:
        table = table[:, None] if model.nu == 1 else table[None, :]
    if table.ndim != 2 or table.shape[1] != model.nu:
        raise Mistake(f"--control {control}: shape {table.shape}, expected (steps, {model.nu})")
    if not len(table):
        raise Mistake(f"--control {control}: holds no rows")
    if not np.isfinite(table).all():
        raise Mistake(f"--control {control}: holds numbers that are not finite")
    if steps is not None and len(table) < steps:
        raise Mistake(f"--control {control}: {len(table)} rows for {steps} steps; leave --duration out to use what is there")
    return table[:steps]


def _read_controls(file: Path) -> np.ndarray:
    """The table in a .npy, .npz (array `controls`, or the only one) or .csv file (a heading line is skipped)."""
    readers = {".npy": _read_npy, ".npz": _read_npz, ".csv": read_table}
    if file.suffix.lower() not in readers:
        raise Mistake(f"--control {file}: neither random, zero, nor a .npy, .npz or .csv file")
    try:
        table = np.asarray(readers[file.suffix.lower()](file))
    except FileNotFoundError:
        raise Mistake(f"--control {file}: no such file") from None
    except (OSError, ValueError, EOFError) as error:
        raise Mistake(f"--control {file}: cannot be read: {str(error).splitlines()[0]}") from None
    if table.dtype.kind not in REAL:
        raise Mistake(f"--control {file}: holds an array of type {table.dtype}, accepted are real numbers")
    return table.astype(float)


def _read_npy(file: Path) -> Any:
    return np.load(file, allow_pickle=False)


def _read_npz(file: Path) -> Any:
    with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
        names = list(archive.files)
        if "controls" not in names and len(names) != 1:
            raise ValueError(f"expected an array named 'controls', found {names}")
        return archive["controls" if "controls" in names else names[0]]
