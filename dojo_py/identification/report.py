"""A fit as one HTML file that opens in any browser: estimates with intervals, residuals, correlations, held-out roll-outs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dojo_py.identification.data import Recording, check_recordings
from dojo_py.identification.delays import delayed
from dojo_py.identification.fit import STOPPED, Result
from dojo_py.identification.starts import with_estimated_starts
from dojo_py.identification.validate import rollout_errors
from dojo_py.simulate.values import having, path_of
from dojo_py.whole_file import write_text

Array = np.ndarray
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}
svg{background:#fafafa;border:1px solid #ddd}.small td{padding:.15em .4em;font-size:12px}
.open{color:#b00}"""
WIDE, HIGH = 760, 130
"""Size of a curve [pixels]."""


def write_report(
    result: Result, file: str | PathLike, held_out: Sequence[Recording] = (), level: float = 0.95, starts: int | None = None
) -> Path:
    """Write the report of a fit. held_out: recordings that were not fitted, rolled out by the fitted and by the nominal model.

    starts: of held-out recordings, the number of samples that give the state from which each of the two models is rolled out
    (`with_estimated_starts`); None: as recorded.
    """
    having("result", result, ("interval", "misfits", "unknowns"), "a Result of identify")
    path_of("file", file)
    check_recordings(result.unknowns.sim, held_out, name="held_out")
    parts = [_estimates(result, level), _residuals(result), _correlations(result)]
    if held_out:
        parts.append(_held_out(result, held_out, starts))
    name = escape(str(getattr(result.simulator.model, "name", "") or "model"))
    page = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Identification of {name}</title>
<style>{STYLE}</style></head><body><h1>Identification of {name}</h1>{"".join(parts)}</body></html>"""
    path = Path(file)
    write_text(path, page)
    return path


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """Cells are HTML already."""
    line = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table class="{kind}"><tr>{line}</tr>{body}</table>'


def _estimates(result: Result, level: float) -> str:
    known = result.unknowns
    first = known.report(known.start)[0]
    rows = []
    for label, value, (low, high), start, unit in zip(
        known.labels, result.estimates, result.interval(level), first, known.units, strict=True
    ):
        name = escape(label)
        if label in result.undetermined:
            name = f'<span class="open">{name}: the data do not determine it</span>'
        elif label in result.at_bounds:
            name = f'<span class="open">{name}: at its bound</span>'
        rows.append((name, f"{value:.6g}", f"{low:.6g}", f"{high:.6g}", f"{start:.6g}", escape(unit)))
    head = ("unknown", "estimate", f"{100 * level:g} % from", "to", "start", "unit")
    text = f"{len(result.misfits)} stretches, {result.unsolved} with unsolved steps; {escape(result.message)}."
    text += "" if result.converged else f" Intervals may not hold: {STOPPED}."
    return f"<h2>Estimates</h2>{_table(head, rows)}<p>{text}</p>"


def _residuals(result: Result) -> str:
    """Of every coordinate, over the noise: a good fit stays within ±2 without a pattern."""
    if not result.misfits:
        return "<h2>Residuals</h2><p>No unknown has an effect on any stretch.</p>"
    misses = np.concatenate([miss for _, miss in result.misfits])
    size = result.noise.samples
    rows = [
        (str(j), f"{size[j]:.3g}", f"{np.sqrt(np.mean(misses[:, j] ** 2)) * size[j]:.3g}", _curve([misses[:, j]], ["#1f77b4"], 60))
        for j in range(misses.shape[1])
    ]
    head = ("coordinate", "noise [m, rad]", "rms misfit", "misfit over the noise, all stretches one after another")
    return f"<h2>Residuals</h2>{_table(head, rows)}"


def _correlations(result: Result) -> str:
    """Near ±1: only a combination of the two is determined."""
    names = [escape(label) for label in result.unknowns.labels]
    rows = []
    for name, line in zip(names, result.correlation, strict=True):
        cells = [f'<span style="color:rgb({int(200 * abs(c))},40,40)">{c:+.2f}</span>' for c in np.clip(line, -1, 1)]
        rows.append((name, *cells))
    return f"<h2>Correlations</h2>{_table(('', *names), rows, 'small')}"


def _held_out(result: Result, recordings: Sequence[Recording], starts: int | None) -> str:
    """Roll-outs from the first sample: distance to what was seen, of the fitted and the nominal model."""
    nominal: Any = result.unknowns.sim
    later = delayed(nominal, recordings, result.delay) if result.delay else list(recordings)
    if starts is not None:
        noise = result.noise.samples
        later = with_estimated_starts(result.simulator, later, starts, noise)
        recordings = with_estimated_starts(nominal, recordings, starts, noise)
    rows = []
    for recording, late in zip(recordings, later, strict=True):
        both = [rollout_errors(result.simulator, [late]), rollout_errors(nominal, [recording])]
        cells = [f"{e.position[0]:.4g}" for e in both] + [f"{e.rotation[0]:.4g}" for e in both]
        rows.append((escape(recording.name), *cells))
    all_ = [rollout_errors(result.simulator, later), rollout_errors(nominal, list(recordings))]
    means = [f"{e.position.mean():.4g}" for e in all_] + [f"{e.rotation.mean():.4g}" for e in all_]
    head = ("recording", "fitted [m or coordinates]", "nominal", "fitted [deg]", "nominal")
    return f"<h2>Held-out roll-outs</h2>{_table(head, [*rows, ('mean', *means)])}"


def _curve(lines: Sequence[Array], colors: Sequence[str], high: int = HIGH) -> str:
    """Curves over their index, on one scale."""
    top = max(float(np.abs(np.concatenate(lines)).max()), 1e-12)
    paths = []
    for line, color in zip(lines, colors, strict=True):
        x = np.linspace(0, WIDE, len(line))
        y = high / 2 - 0.47 * high * line / top
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        paths.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1"/>')
    scale = f'<text x="4" y="12" font-size="11">±{top:.3g}</text>'
    return f'<svg width="{WIDE}" height="{high}">{"".join(paths)}{scale}</svg>'
