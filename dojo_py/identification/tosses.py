"""Recorded tosses of a cube: those shipped with the package, or a folder of CSV files; their length unit by gravity.

Recordings: ContactNets (Pfrommer, Halm, Posa, 2020), lengths in half widths of the cube, 148 samples a second; attribution and
licences are in data/cube_tosses.LICENSE.txt. Free flight in them shows 183.45 half widths/s² of gravity instead of
9.81/0.0524 = 187.2; lengths scaled so that gravity is right (`length_unit`) also bring the resting height to the nominal
half width.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from dojo_py.identification.data import Recording, check_samples

Array = np.ndarray
RATE, GRAVITY = 148.0, 9.81
"""Samples a second; gravity [m/s²]."""
FLIES = 1.9
"""Height of a flying cube's centre [half widths]: farther than half a diagonal from the table."""
SHIPPED = Path(__file__).parent / "data" / "cube_tosses.npz"
"""Arrays number (n,), samples (n,), pose (sum of samples, 7)."""


def toss_files(folder: Path) -> list[Path]:
    """The tosses of a folder in numeric order."""
    files = sorted((f for f in Path(folder).glob("*.csv") if f.stem.isdigit()), key=lambda f: int(f.stem))
    if not files:
        raise ValueError(f"{folder}: no toss files (0.csv, 1.csv, …)")
    return files


def read_poses(folder: Path | None = None) -> dict[str, Array]:
    """Number of a toss -> its poses (samples, 7) in half widths: of a folder of CSV files, or the shipped ones."""
    if folder is not None:
        return {file.stem: _poses_of(file) for file in toss_files(folder)}
    with open(SHIPPED, "rb") as stream, np.load(stream, allow_pickle=False) as file:
        pose, ends, numbers = file["pose"].astype(float), np.cumsum(file["samples"])[:-1], file["number"]
    return {str(number): table for number, table in zip(numbers, np.split(pose, ends), strict=True)}


def _poses_of(file: Path) -> Array:
    """(samples, 7) of a CSV file; ValueError names the file that holds none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a file without rows
            table = np.loadtxt(file, delimiter=",", usecols=range(7), ndmin=2)
    except ValueError as error:
        raise ValueError(f"{file}: {error}; expected rows of seven numbers or more: position and quaternion") from error
    if not len(table):
        raise ValueError(f"{file}: holds no rows")
    check_samples(str(file), table)
    return table


def free_fall(poses: dict[str, Array]) -> float:
    """Gravity in the recordings' length unit [1/s²]: mean second difference of heights while the cube flies."""
    falls: list[Array] = []
    for table in poses.values():
        fall, high = np.diff(table[:, 2], 2) * RATE**2, table[:, 2] > FLIES
        falls.append(fall[high[:-2] & high[1:-1] & high[2:]])
    together = np.concatenate(falls)
    if not len(together):
        raise ValueError("no toss flies freely, give the length unit")
    return float(-np.mean(together))


def read_tosses(folder: Path | None = None, length_unit: float | None = None) -> list[Recording]:
    """All tosses of a folder, or the shipped ones; lengths times length_unit [m], by default the one that makes gravity 9.81."""
    poses = read_poses(folder)
    unit = GRAVITY / free_fall(poses) if length_unit is None else length_unit
    return [Recording(number, table * np.array([unit] * 3 + [1.0] * 4)) for number, table in poses.items()]
