"""Files of height fields: MuJoCo's binary format and PNG pictures -> heights (nrow, ncol), the row of the largest y first.

Binary: int32 nrow, int32 ncol, then nrow times ncol float32, all little-endian, rows with ascending y. A picture's rows come from
the top, where y is largest; of colours the red one counts, of 16 bits the upper 8, as in MuJoCo. PNG needs Pillow (extra `view`).
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path, PurePosixPath

import numpy as np

from ..mechanism.compile_hfields import MAX_POINTS
from .mesh_data import MeshFileError
from .mesh_files import file_bytes

Array = np.ndarray

CONTENT_TYPES = {"image/png": ".png", "image/vnd.mujoco.hfield": ""}
HEADER = 8
"""Bytes before the heights of a binary file."""


def read_hfield(path: Path, name: str, content_type: str = "") -> Array:
    """The heights (nrow, ncol) float32 of a file; `name` as the user gave it. Raises `ModelError` for a file that is bad."""
    try:
        if content_type and content_type not in CONTENT_TYPES:
            raise MeshFileError(f"content_type '{content_type}' is not one of {list(CONTENT_TYPES)}")
        suffix = CONTENT_TYPES[content_type] if content_type else PurePosixPath(name).suffix.lower()
        return _picture(file_bytes(path)) if suffix == ".png" else _binary(file_bytes(path))
    except MeshFileError as error:
        raise error.in_file(str(path), "hfield") from None


def _binary(data: bytes) -> Array:
    if len(data) < HEADER:
        raise MeshFileError(f"{len(data)} bytes; two int32 numbers of rows and columns are needed, or the extension .png")
    nrow, ncol = (int(x) for x in np.frombuffer(data, "<i4", 2))
    _check_counts(nrow, ncol)
    expected = HEADER + 4 * nrow * ncol
    if len(data) != expected:
        raise MeshFileError(f"{nrow} rows of {ncol} float32 heights need {expected} bytes; {len(data)} were read")
    return np.frombuffer(data, "<f4", nrow * ncol, HEADER).astype(np.float32).reshape(nrow, ncol)[::-1]


def _picture(data: bytes) -> Array:
    try:
        from PIL import Image
    except ImportError:
        raise MeshFileError("PNG files need Pillow: pip install 'dojo-sim[view]'; or give the heights as a binary file") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a picture that is too large
            picture = Image.open(io.BytesIO(data), formats=("PNG",))
            _check_counts(picture.height, picture.width)
            if picture.mode.startswith("I"):  # 16 bits
                return (np.asarray(picture).astype(np.uint32) >> 8).astype(np.float32)
            return np.asarray(picture.convert("RGBA"))[:, :, 0].astype(np.float32)
    except MeshFileError:
        raise
    except Exception as error:  # Pillow raises many kinds
        raise MeshFileError(f"is not a PNG picture that can be read: {error}") from None


def _check_counts(nrow: int, ncol: int) -> None:
    if nrow < 2 or ncol < 2 or nrow * ncol > MAX_POINTS:
        raise MeshFileError(f"{nrow} rows and {ncol} columns; at least 2 of each and at most {MAX_POINTS} points are accepted")
