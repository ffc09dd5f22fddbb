"""Progress bar of a search on standard error."""

from __future__ import annotations

import sys
from typing import TextIO

WIDTH = 24
"""Characters of the bar."""


class Bar:
    """`with Bar(30, "ars seed 0", True) as bar: bar.show(3, "reward 12")`. On a terminal one line, else a line per tenth."""

    def __init__(self, total: int, label: str, shown: bool, stream: TextIO | None = None):
        self.total, self.label, self.shown = max(total, 1), label, shown
        self.stream = sys.stderr if stream is None else stream
        self._line = self.stream.isatty()
        self._length = 0

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown and self._line:
            self.stream.write("\n")
            self.stream.flush()

    def show(self, done: int, note: str = "") -> None:
        """Show that `done` of the total iterations are done, with a note."""
        if not self.shown:
            return
        filled = WIDTH * min(done, self.total) // self.total
        text = f"{self.label} [{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{self.total} {note}"
        if self._line:
            self.stream.write("\r" + text.ljust(self._length))
        elif done == self.total or 10 * done // self.total != 10 * (done - 1) // self.total:
            self.stream.write(text + "\n")
        self._length = len(text)
        self.stream.flush()
