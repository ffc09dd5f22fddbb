"""A progress bar on standard error, shown only on a terminal (or when forced)."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 30
"""Characters of the bar."""
SHORTEST = 0.1
"""Seconds between two redraws."""


class Progress:
    """`with Progress(total, "steps") as bar: bar.advance(10)`. Leaves no trace once it is done.

    force: True shows it without a terminal too, None never does.
    """

    def __init__(self, total: int, label: str, force: bool | None = False, stream: TextIO | None = None):
        self.total, self.label, self.done, self.note = max(total, 1), label, 0, ""
        self.stream = sys.stderr if stream is None else stream
        self.shown = force is not None and (force or self.stream.isatty())
        self._last, self._length = -SHORTEST, 0

    def __enter__(self) -> Progress:
        self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            self.stream.write("\r" + " " * self._length + "\r")
            self.stream.flush()

    def advance(self, count: int, note: str = "") -> None:
        """`count` more of the total are done. note: a few words after the bar."""
        self.done, self.note = min(self.done + count, self.total), note
        now = time.monotonic()
        if now - self._last >= SHORTEST or self.done == self.total:
            self._last = now
            self._draw()

    def _draw(self) -> None:
        if not self.shown:
            return
        filled = WIDTH * self.done // self.total
        text = f"{self.label} [{'#' * filled}{'.' * (WIDTH - filled)}] {self.done}/{self.total}{' ' * bool(self.note)}{self.note}"
        self.stream.write("\r" + text.ljust(self._length))
        self.stream.flush()
        self._length = max(self._length, len(text))
