"""Curves along a trajectory as SVG, one below the other over the same time axis."""

from __future__ import annotations

import html

import numpy as np

from dojo_py.view.record import Curve

Array = np.ndarray

WIDTH, HEIGHT = 300.0, 84.0
"""Of one curve's drawing, in its own units; the page stretches it."""
KINDS = ("curve", "curve second")
"""Classes of the curves of a group."""
MOST = 400
"""Points of a polyline: of more, the smallest and the largest of each group are kept."""


def charts(curves: list[Curve], failed: Array, duration: float) -> str:
    """A figure for each curve; its present value goes into the element of class `now`."""
    return paired_charts([[curve] for curve in curves], [], failed, duration)


def paired_charts(groups: list[list[Curve]], names: list[str], failed: Array, duration: float) -> str:
    """A figure for each group of curves over the same axes; their present values go into elements of class `now`, in order.

    names: of the curves in a group, in the colours of the classes `curve` and `curve second`; none for a single curve.
    """
    marks = "".join(f'<path class="failed" d="M{_x(t, duration):.1f} 0V{HEIGHT:g}"/>' for t in failed[:MOST])
    return "\n".join(_chart(group, names, marks, duration) for group in groups)


def _chart(group: list[Curve], names: list[str], marks: str, duration: float) -> str:
    lowest, highest = zip(*(limits(curve) for curve in group if np.isfinite(curve.value).any()), strict=True)
    low, high, first = min(lowest), max(highest), group[0]
    head = f"{html.escape(first.title)}{f' [{html.escape(first.unit)}]' if first.unit else ''}"
    values = "".join(
        f'<span class="{kind}">{html.escape(name)} <output class="now"></output></span>'
        for kind, name in zip(KINDS, names or [""], strict=False)
    )
    drawn = "".join(
        f'<path class="{kind}" d="{path(curve, low, high, duration)}"/>' for kind, curve in zip(KINDS, group, strict=False)
    )
    return (
        f"<figure><figcaption>{head}{values}</figcaption>"
        f'<div class="chart"><span class="high">{number(high)}</span><span class="low">{number(low)}</span>'
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" preserveAspectRatio="none">{marks}{drawn}</svg></div></figure>'
    )


def number(value: float) -> str:
    """A figure as short as it can be read."""
    return "–" if not np.isfinite(value) else f"{value:.4g}"


def limits(curve: Curve) -> tuple[float, float]:
    """Smallest and largest value shown; powers of ten on a logarithmic axis."""
    value = curve.value[np.isfinite(curve.value)]
    if curve.logarithmic:
        value = value[value > 0.0]
        if not len(value):
            return 1e-16, 1.0
        return float(10.0 ** np.floor(np.log10(value.min()))), float(10.0 ** np.ceil(np.log10(value.max()) + 1e-9))
    low, high = float(value.min()), float(value.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def path(curve: Curve, low: float, high: float, duration: float) -> str:
    """The `d` of an SVG path; gaps where the value is not finite."""
    value, bottom, top = curve.value, low, high
    if curve.logarithmic:
        value, bottom, top = np.log10(np.maximum(value, low)), np.log10(low), np.log10(high)
    words, drawing = [], False
    for k in _kept(value):
        if not np.isfinite(value[k]):
            drawing = False
            continue
        y = HEIGHT * (1.0 - (value[k] - bottom) / max(top - bottom, 1e-300))
        words.append(f"{'L' if drawing else 'M'}{_x(curve.time[k], duration):.1f} {y:.1f}")
        drawing = True
    return "".join(words)


def _kept(value: Array) -> Array:
    """Rows of a polyline: all, or the smallest and the largest of every group, in order."""
    if len(value) <= MOST:
        return np.arange(len(value))
    groups = np.array_split(np.arange(len(value)), MOST // 2)
    filled = np.where(np.isfinite(value), value, 0.0)
    ends = [group[[int(np.argmin(filled[group])), int(np.argmax(filled[group]))]] for group in groups]
    return np.unique(np.concatenate(ends))


def _x(time: float, duration: float) -> float:
    return WIDTH * float(time) / max(duration, 1e-12)


def at(curve: Curve, time: Array) -> list[str]:
    """The curve's values, as they are read, at times: the last one known."""
    k = np.clip(np.searchsorted(curve.time, time + 1e-9, side="right") - 1, 0, len(curve.time) - 1)
    return [number(value) for value in curve.value[k]]
