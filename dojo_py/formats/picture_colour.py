"""The mean colour of a picture: what is drawn of a texture whose pixels are in a file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

LARGEST = 8192 * 8192
"""Pixels; a larger picture is not read."""
CELLS = 64
"""The mean is taken over at most so many rows and columns, each the mean of the pixels in it."""


def mean_colour(files: list[Path]) -> tuple[float, float, float] | None:
    """Red, green, blue, 0 to 1, of PNG files together; transparent pixels count by their opacity.

    None where none of them can be read, or where Pillow (extra `view`) is not installed: what only draws stops no model.
    """
    try:
        from PIL import Image
    except ImportError:
        return None
    found = [colour for file in files if (colour := _mean(Image, file)) is not None]
    if not found:
        return None
    red, green, blue = (float(c) for c in np.mean(found, axis=0))
    return red, green, blue


def _mean(image: object, file: Path) -> np.ndarray | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a picture that is too large
            with image.open(file, formats=("PNG",)) as picture:  # type: ignore[attr-defined]
                if picture.width * picture.height > LARGEST:
                    return None
                small = picture.convert("RGBA").reduce((-(-picture.width // CELLS), -(-picture.height // CELLS)))
    except Exception:  # Pillow raises many kinds
        return None
    pixels = np.asarray(small, float).reshape(-1, 4) / 255.0
    weight = pixels[:, 3].sum()
    return pixels[:, 3] @ pixels[:, :3] / weight if weight > 0.0 else None
