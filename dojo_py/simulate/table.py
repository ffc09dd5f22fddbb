"""Tables of numbers in CSV files: controls and recordings."""

from __future__ import annotations

import io
import re
import warnings
from os import PathLike
from pathlib import Path

import numpy as np

MEANT_AS_NUMBER = re.compile(r"[\s\"']*[-+]?[.]?\d")
"""How a number begins, in quotes or not."""
OTHER_SEPARATORS = {";": "';'", "\t": "tabs", " ": "blanks"}
"""Signs that separate columns in other files."""


def read_table(file: str | PathLike) -> np.ndarray:
    """(rows, columns) of a CSV file in UTF-8, with or without a byte order mark.

    The first line may be a heading: words, none of which is a number or begins as one. ValueError names the line of what is not a
    number.
    """
    return table_and_lines(file)[0]


def table_and_lines(file: str | PathLike) -> tuple[np.ndarray, list[int]]:
    """`read_table`, and the line of the file, from 1, in which each row stands."""
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not a text file ({error})") from error
    heading = _is_heading(text.split("\n", 1)[0].partition("#")[0])
    rows = [(k, line.partition("#")[0]) for k, line in enumerate(text.split("\n"), 1) if not (heading and k == 1)]
    rows = [(k, line) for k, line in rows if line.strip()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a file without rows, which callers refuse
        try:
            return np.loadtxt(io.StringIO(text), delimiter=",", skiprows=int(heading), ndmin=2), [k for k, _ in rows]
        except ValueError as error:
            raise ValueError(_slip(rows) or str(error)) from None


def _is_heading(line: str) -> bool:
    """Whether the first line of a file is a heading; ValueError where it is neither that nor numbers."""
    words = [word.strip() for word in line.split(",")]
    numbers, meant = [_is_number(word) for word in words], [bool(MEANT_AS_NUMBER.match(word)) for word in words]
    if all(numbers) or words == [""]:
        return False
    if not any(numbers) and not any(meant):
        return True
    slips = [k for k, number in enumerate(numbers) if not number]
    wrong = next((k for k in slips if meant[k]), slips[0])
    raise ValueError(f"{_not_a_number(1, wrong, words[wrong])} (a heading has words only)")


def _slip(rows: list[tuple[int, str]]) -> str:
    """What is wrong with the first line that is no row of numbers, or not as long as the first; rows: (line of the file, text)."""
    width = rows[0][1].count(",") + 1 if rows else 0
    for k, line in rows:
        words = [word.strip() for word in line.split(",")]
        if len(words) != width:
            return f"line {k} has {len(words)} columns, line {rows[0][0]} has {width}"
        wrong = next((i for i, word in enumerate(words) if not _is_number(word)), None)
        if wrong is not None:
            return _not_a_number(k, wrong, words[wrong])
    return ""


def _not_a_number(line: int, column: int, word: str) -> str:
    """What is said of a word in a line, from 1, and a column, from 0."""
    pieces = {name: [piece for piece in word.split(sign) if piece.strip()] for sign, name in OTHER_SEPARATORS.items()}
    other = next((name for name, found in pieces.items() if len(found) > 1 and all(map(_is_number, found))), None)
    hint = f": columns are separated by ',', not by {other}" if other else ""
    return f"line {line}, column {column + 1}: '{word}' is not a number{hint}"


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
