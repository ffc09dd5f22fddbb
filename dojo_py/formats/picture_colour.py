"""Pictures of textures whose pixels are in a file: their mean colour, and the pixels of those that lie flat on a surface."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..mechanism.textures import MOST

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


def pixels_of(file: Path, mirrored: bool = False, upside_down: bool = False) -> np.ndarray | None:
    """(rows, columns, 3) uint8 of a PNG file from the upper edge down, made smaller where it has more than MOST pixels a side.

    None where it cannot be read, or where Pillow (extra `view`) is not installed.
    """
    try:
        from PIL import Image
    except ImportError:
        return None
    small = _reduced(Image, file, "RGB", MOST)
    if small is None:
        return None
    pixels = np.asarray(small, np.uint8)
    return np.ascontiguousarray(pixels[:: -1 if upside_down else 1, :: -1 if mirrored else 1])


def _reduced(image: Any, file: Path, mode: str, most: int) -> Any:
    """The picture in blocks of pixels so that it has at most so many rows and columns; None where it cannot be read."""
    if not file.is_file():  # (a pipe has no end)
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a picture that is too large
            with image.open(file, formats=("PNG",)) as picture:
                if picture.width * picture.height > LARGEST:
                    return None
                return picture.convert(mode).reduce((-(-picture.width // most), -(-picture.height // most)))
    except Exception:  # Pillow raises many kinds
        return None


def _mean(image: Any, file: Path) -> np.ndarray | None:
    small = _reduced(image, file, "RGBA", CELLS)
    if small is None:
        return None
    pixels = np.asarray(small, float).reshape(-1, 4) / 255.0
    weight = pixels[:, 3].sum()
    return pixels[:, 3] @ pixels[:, :3] / weight if weight > 0.0 else None
