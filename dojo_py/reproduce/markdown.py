"""The tables of all experiments as two pages of the documentation, accuracy.md and speed.md: nothing in them is typed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dojo_py.reproduce.page import Outcome, made_here, processor
from dojo_py.reproduce.report import Report
from dojo_py.reproduce.text import cell
from dojo_py.whole_file import write_text

SPEED = ("table5", "speed", "soft_speed")
"""Experiments of the page on speed; all others are on the page on accuracy."""
TITLES = {"accuracy": "Accuracy", "speed": "Speed"}


def write_pages(outcomes: Sequence[Outcome], folder: Path, command: str) -> list[Path]:
    """Write accuracy.md and speed.md. command: what made the outcomes."""
    files = []
    for name, title in TITLES.items():
        shown = [outcome for outcome in outcomes if (outcome.name in SPEED) == (name == "speed")]
        files.append(folder / f"{name}.md")
        write_text(files[-1], page(title, shown, command))
    return files


def page(title: str, outcomes: Sequence[Outcome], command: str) -> str:
    """One page: where and how it was made, then each experiment with its table."""
    parts = [
        f"# {title}",
        f"Written by `{command}`: {made_here()}, {processor()}.",
        "What must hold is said by each experiment itself; its limits are in its file under `dojo_py/reproduce/`.",
    ]
    for outcome in outcomes:
        parts += section(outcome)
    return "\n\n".join(parts) + "\n"


def section(outcome: Outcome) -> list[str]:
    """Heading, verdict, what the paper says, table and notes of an experiment."""
    report = outcome.report
    parts = [f"## {outcome.name}: {report.title if report else 'did not run'}", f"{_verdict(outcome)} ({outcome.seconds:.0f} s)"]
    if outcome.paper:
        parts.append(f"The paper: {outcome.paper}")
    if report is not None:
        parts.append(table(report))
        parts += ["\n".join(f"- {_plain(note)}" for note in report.notes)] if report.notes else []
    return parts


def table(report: Report) -> str:
    """The report's table in Markdown."""
    rows = [[_plain(cell(value)) for value in row] for row in report.rows]
    head = [_plain(str(name)) for name in report.columns]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def _verdict(outcome: Outcome) -> str:
    if outcome.report is None:
        return f"Did not run: {_plain(outcome.message)}."
    if not outcome.judged:
        return "Ran, at a size too small to judge its bounds."
    return "What must hold, holds." if outcome.holds else "**What must hold does not.**"


def _plain(text: str) -> str:
    """Without what Markdown would read."""
    for mark in "\\|*_<>`":
        text = text.replace(mark, f"\\{mark}")
    return text
