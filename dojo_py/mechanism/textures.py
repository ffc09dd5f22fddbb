"""Pixels of textures: what MuJoCo paints of `builtin="checker" | "gradient" | "flat"` with its marks, on two-dimensional textures.

Row 0 is the upper edge. Equal to the wheel's `tex_data` for sizes up to MOST; larger ones are painted at MOST, which only makes
their marks wider.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray

MOST = 256
"""Rows and columns of a texture that is kept, at most."""
BUILTIN = ("checker", "gradient", "flat")
MARKS = ("edge", "cross")
"""Marks that are painted; `random` is not."""


def painted(
    builtin: str, first: Array, second: Array, rows: int, columns: int, mark: str = "none", paint: Array | None = None
) -> Array:
    """(rows, columns, 3) uint8 of a two-dimensional built-in texture.

    first, second, paint (3,): colours 0 to 1, the last one of the mark (black without).
    """
    rows, columns = min(rows, MOST), min(columns, MOST)
    a, b = (np.asarray(colour, float) for colour in (first, second))
    if builtin == "gradient":
        y, x = np.meshgrid(1.0 - 2.0 * _steps(rows), 2.0 * _steps(columns) - 1.0, indexing="ij")
        along = 2.0 * np.sqrt(x * x + y * y) - 1.0  # from the middle outwards
        share = np.clip(0.5 * (1.0 + along / np.sqrt(1.0 + along * along) * np.sqrt(2.0)), 0.0, 1.0)[..., None]
        out = share * b + (1.0 - share) * a
    elif builtin == "checker":
        dark = (np.arange(rows)[:, None] < rows // 2) != (np.arange(columns)[None] < columns // 2)
        out = np.where(dark[..., None], b, a)
    else:
        out = np.broadcast_to(a, (rows, columns, 3)).copy()
    ink = np.zeros(3) if paint is None else np.asarray(paint, float)
    if mark == "edge":
        out[[0, -1]] = out[:, [0, -1]] = ink
    elif mark == "cross":
        out[rows // 2] = out[:, columns // 2] = ink
    return np.asarray(np.clip(255.0 * out, 0.0, 255.0), np.uint8)


def _steps(count: int) -> Array:
    return np.arange(count) / max(count - 1, 1)
