"""What an experiment hands back: a table, named curves, a drawing, motions; and how these become text, CSV, PNG and PDF."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.reproduce.palette import set_style
from dojo_py.reproduce.text import format_table
from dojo_py.whole_file import whole_file


class MissingPackage(RuntimeError):
    """A package of an extra is not installed; the message says which command installs it."""


@dataclass(frozen=True)
class Report:
    """An experiment's outcome."""

    name: str
    """Stem of the files."""
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    notes: Sequence[str] = ()
    """Lines under the table."""
    curves: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    """File suffix -> heading -> column."""
    figure: Callable[[Any, Any], Any] | None = None
    """Draws on (matplotlib.pyplot, report) and returns the figure."""
    holds: bool = True
    """Whether what the experiment must show was shown."""
    replays: Mapping[str, Any] = field(default_factory=dict)
    """What it is called -> Trajectory that the page plays."""

    def __str__(self) -> str:
        return "\n".join([self.title, "", format_table(self.columns, self.rows), *([""] if self.notes else []), *self.notes])


def write_csv(report: Report, folder: Path) -> list[Path]:
    """The table as NAME.csv and each group of curves as NAME_SUFFIX.csv. Returns the files."""
    files = [folder / f"{report.name}.csv"]
    _write(files[0], report.columns, report.rows)
    for suffix, columns in report.curves.items():
        files.append(folder / f"{report.name}_{suffix}.csv")
        length = max(len(column) for column in columns.values())
        rows = [[column[i] if i < len(column) else "" for column in columns.values()] for i in range(length)]
        _write(files[-1], list(columns), rows)
    return files


def _write(file: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with whole_file(file) as draft, open(draft, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([["" if value is None else value for value in row] for row in rows])


def drawings(report: Report, formats: Sequence[str] = ("png", "pdf")) -> dict[str, bytes]:
    """Format -> the figure's file; nothing when the experiment has none. MissingPackage without matplotlib."""
    if report.figure is None:
        return {}
    try:
        import matplotlib
    except ImportError:
        raise MissingPackage('matplotlib is not installed; pip install "dojo-sim[plot]"') from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = {}
    with set_style(matplotlib):
        figure = report.figure(plt, report)
        for kind in formats:
            stream = io.BytesIO()
            figure.savefig(stream, format=kind, dpi=120, bbox_inches="tight")
            found[kind] = stream.getvalue()
        plt.close(figure)
    return found


def draw(report: Report, folder: Path) -> list[Path]:
    """The figure as NAME.png and, for print, NAME.pdf; the files written. MissingPackage without matplotlib."""
    files = []
    for kind, content in drawings(report).items():
        files.append(folder / f"{report.name}.{kind}")
        with whole_file(files[-1]) as draft:
            draft.write_bytes(content)
    return files


def import_mujoco(required: bool = False) -> Any:
    """The mujoco wheel, or None; MissingPackage when it is required."""
    try:
        import mujoco
    except ImportError:
        if required:
            raise MissingPackage('mujoco is not installed; pip install "dojo-sim[mujoco]"') from None
        return None
    return mujoco
