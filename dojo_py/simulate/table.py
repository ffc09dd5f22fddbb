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
    return table_and_lines(file)[0]


def table_and_lines(file: str | PathLike) -> tuple[np.ndarray, list[int]]:
    """`read_table`, and the line of the file, from 1, in which each row stands."""
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
    heading = not any(numbers) and not comment
    rows = [(k, line.partition("#")[0]) for k, line in enumerate(text.split("\n"), 1) if not (heading and k == 1)]
    rows = [(k, line) for k, line in rows if line.strip()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a file without rows, which callers refuse
        try:
            return np.loadtxt(io.StringIO(text), delimiter=",", skiprows=int(heading), ndmin=2), [k for k, _ in rows]
        except ValueError as error:
            raise ValueError(_slip(rows) or str(error)) from None


def _slip(rows: list[tuple[int, str]]) -> str:
    """What is wrong with the first line that is no row of numbers, or not as long as the first; rows: (line of the file, text)."""
    width = rows[0][1].count(",") + 1 if rows else 0
    for k, line in rows:
        words = [word.strip() for word in line.split(",")]
        if len(words) != width:
            return f"line {k} has {len(words)} columns, line {rows[0][0]} has {width}"
        wrong = next((i for i, word in enumerate(words) if not _is_number(word)), None)
        if wrong is not None:
            return f"line {k}, column {wrong + 1}: '{words[wrong]}' is not a number"
    return ""


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
