"""An experiment's report as one HTML page that needs no other file: table, notes, figure, replays; and the index of several."""

from __future__ import annotations

import base64
import html
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dojo_py.reproduce.report import MissingPackage, Report, drawings
from dojo_py.reproduce.text import cell
from dojo_py.whole_file import write_text

FPS = 30.0
"""Frames a simulated second of a replay, at most."""
TOO_SMALL = "ran, at a size too small to judge its bounds"
STYLE = """
body { max-width: 62em; margin: 2em auto; padding: 0 1em; color: #223; background: #fff; font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.93em; }
td, th { padding: 0.2em 0.7em; border-bottom: 1px solid #dde; text-align: right; }
td:first-child, th:first-child { text-align: left; }
th { border-bottom: 2px solid #99a; font-weight: 600; } .note { color: #556; margin: 0.2em 0; }
.good { color: #00684c; } .bad { color: #b33d00; font-weight: 600; }
img { max-width: 100%; height: auto; } iframe { width: 100%; height: 30em; border: 1px solid #dde; }
"""


@dataclass(frozen=True)
class Outcome:
    """What became of one experiment."""

    name: str
    report: Report | None
    """None where it did not run."""
    message: str
    """Why it did not run, or nothing."""
    seconds: float
    page: Path | None = None
    paper: str = ""
    """What the paper says."""
    judged: bool = True
    """False where the size only shows that it runs."""

    @property
    def ran(self) -> bool:
        """Whether there is a report of it."""
        return self.report is not None

    @property
    def holds(self) -> bool:
        """Whether it ran and, if its size lets one judge, showed what it must."""
        return self.report is not None and (self.report.holds or not self.judged)

    @property
    def verdict(self) -> str:
        """What became of it in words."""
        if self.report is None:
            return f"did not run: {self.message}"
        return TOO_SMALL if not self.judged else "holds" if self.holds else "bound missed"


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many ran and hold, which of them miss a bound or were too small to judge, which did not run."""
    ran = [outcome for outcome in outcomes if outcome.ran]
    missed, lost = [o.name for o in ran if not o.holds], [o.name for o in outcomes if not o.ran]
    small = [o.name for o in ran if not o.judged]
    parts = [f"{len(ran)} of {len(outcomes)} ran, {len(ran) - len(missed) - len(small)} hold"]
    parts += [f"bound missed: {', '.join(missed)}"] if missed else []
    parts += [f"too small to judge: {', '.join(small)}"] if small else []
    parts += [f"did not run: {', '.join(lost)}"] if lost else []
    return "; ".join(parts)


def write_page(report: Report, folder: Path, seconds: float | None = None, judged: bool = True) -> Path:
    """Write NAME.html. The figure is left out without matplotlib, replays without viser; the page says so.

    judged: False where the size only shows that it runs.
    """
    verdict = _verdict(report.holds) if judged else f"<p>It {TOO_SMALL}.</p>"
    parts = [f"<h1>{html.escape(report.title)}</h1>", verdict, table(report), *_notes(report.notes)]
    parts += _figure(report) + _replays(report)
    took = "" if seconds is None else f" in {seconds:.0f} s"
    parts.append(f'<p class="note">{html.escape(made_here() + took)}</p>')
    file = folder / f"{report.name}.html"
    write_text(file, document(report.title, parts))
    return file


def write_index(outcomes: Sequence[Outcome], folder: Path, title: str) -> Path:
    """Write index.html: all tables, beside what the paper says, with links to the pages."""
    rows = "".join(
        f'<tr><td><a href="#{o.name}">{o.name}</a></td><td>{_word(o)}</td><td>{o.seconds:.0f}</td></tr>' for o in outcomes
    )
    parts = [f"<h1>{html.escape(title)}</h1>", f'<p class="note">{html.escape(f"{made_here()}, {processor()}")}</p>']
    good = all(o.holds for o in outcomes)
    parts.append(f'<p class="{"good" if good else "bad"}">{html.escape(summary(outcomes))}</p>')
    parts.append(f"<table><tr><th>experiment</th><th></th><th>time [s]</th></tr>{rows}</table>")
    for o in outcomes:
        parts.append(f'<h2 id="{o.name}">{html.escape(o.report.title if o.report else o.name)}</h2>')
        parts.append(f"<p>{_word(o)}{f'<br>Paper: {html.escape(o.paper)}' if o.paper else ''}</p>")
        if o.report is not None:
            parts += [table(o.report), *_notes(o.report.notes)]
        if o.page is not None:
            parts.append(f'<p><a href="{html.escape(o.page.name)}">Figure, replays: {html.escape(o.page.name)}</a></p>')
    file = folder / "index.html"
    write_text(file, document(title, parts))
    return file


def document(title: str, parts: Sequence[str]) -> str:
    """A whole page."""
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def table(report: Report) -> str:
    """The report's table as HTML."""
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in report.columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell(value))}</td>" for value in row) + "</tr>" for row in report.rows)
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def made_here() -> str:
    """Version, machine and date."""
    from dojo_py import __version__

    return f"dojo_py {__version__}, {platform.system()} {platform.machine()}, {time.strftime('%Y-%m-%d')}"


def processor() -> str:
    """Its name, how many there are, and how busy they were at the end."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), name)
    except OSError:  # not Linux
        pass
    busy = f", load average {os.getloadavg()[1]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} × {name}{busy}"


def _notes(notes: Sequence[str]) -> list[str]:
    return [f'<p class="note">{html.escape(note)}</p>' for note in notes]


def _verdict(holds: bool) -> str:
    text = "What must hold, holds." if holds else "What must hold does not: a bound is missed (see the table and its notes)."
    return f'<p class="{"good" if holds else "bad"}">{text}</p>'


def _word(outcome: Outcome) -> str:
    text = html.escape(outcome.verdict)
    if outcome.ran and not outcome.judged:
        return text
    return f'<span class="{"good" if outcome.holds else "bad"}">{text}</span>'


def _figure(report: Report) -> list[str]:
    """The figure, drawn by the browser from vectors, and as a PDF to keep."""
    try:
        found = drawings(report, ("svg", "pdf"))
    except MissingPackage as error:
        return _notes([f"no figure: {error}"])
    if not found:
        return []
    data = {kind: base64.b64encode(content).decode() for kind, content in found.items()}
    return [
        f'<h2>Figure</h2><img alt="{html.escape(report.title)}" src="data:image/svg+xml;base64,{data["svg"]}">',
        f'<p><a download="{report.name}.pdf" href="data:application/pdf;base64,{data["pdf"]}">as PDF</a></p>',
    ]


def _replays(report: Report) -> list[str]:
    parts: list[str] = []
    for title, trajectory in report.replays.items():
        try:
            page = _replay(trajectory)
        except ImportError as error:
            return _notes([f"no replays: {error}"])
        except ValueError as error:
            parts += _notes([f"{title}: no replay: {error}"])
            continue
        parts.append(f'<h2>{html.escape(title)}</h2><iframe loading="lazy" srcdoc="{html.escape(page)}"></iframe>')
    return parts


def _replay(trajectory: Any) -> str:
    """viser's page of a trajectory."""
    from dojo_py.view import replay

    with tempfile.TemporaryDirectory() as folder:
        return replay(trajectory.model, trajectory, Path(folder) / "run.html", fps=FPS).read_text(encoding="utf-8")
