"""Colours and style of all figures: the palette of Okabe and Ito (2008), told apart with every kind of colour vision."""

from __future__ import annotations

from typing import Any

BLACK, ORANGE, SKY, GREEN = "#000000", "#e69f00", "#56b4e9", "#009e73"
YELLOW, BLUE, RED, PURPLE = "#f0e442", "#0072b2", "#d55e00", "#cc79a7"
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
"""In the order in which curves take them; yellow is too pale for lines."""

STYLE: dict[str, Any] = {
    "font.size": 9.0, "axes.titlesize": 9.0, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.alpha": 0.25, "grid.linewidth": 0.6, "legend.frameon": False, "legend.fontsize": 8.0, "lines.linewidth": 1.4,
    "figure.constrained_layout.use": False, "svg.hashsalt": "dojo_py", "svg.fonttype": "path", "pdf.fonttype": 42,
}  # fmt: skip
"""matplotlib's parameters; a fixed salt, so that the same figure is the same file."""


def set_style(matplotlib: Any) -> Any:
    """A context in which figures are drawn in this style."""
    return matplotlib.rc_context({**STYLE, "axes.prop_cycle": matplotlib.cycler(color=COLOURS)})
