"""Tables of numbers in CSV files: controls and recordings."""

from __future__ import annotations

import io
import warnings
from os import PathLike
from pathlib import Path

import numpy as np


def read_table(file: str | PathLike) -> np.ndarray:
    """(rows, columns) of a CSV file in UTF-8, with or without a byte order mark.

    The first line may be a heading: words, none of which is a number. ValueError names the line of what is not a number.
    """
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not a text file ({error})") from error
    words = [word.strip() for word in text.split("\n", 1)[0].split(",")]
    numbers = [_is_number(word) for word in words]
    comment = words[0].startswith("#")
    if any(numbers) and not all(numbers) and not comment:
        wrong = numbers.index(False)
        raise ValueError(f"line 1, column {wrong + 1}: '{words[wrong]}' is not a number (a heading has words only)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a file without rows, which callers refuse
        return np.loadtxt(io.StringIO(text), delimiter=",", skiprows=int(not any(numbers) and not comment), ndmin=2)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
