"""Tell the user why a first call takes long, and let it happen once."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0
"""Seconds that kernels may take to compile before the user is told."""
TICK = 0.5
"""Seconds between two lines on a terminal."""
FUNCTIONS = {
    "the hard mode": 800, "contacts between bodies": 395, "derivatives": 185, "derivatives by parameters": 110,
    "the soft mode": 490,
}  # fmt: skip
"""Subject -> how many functions numba compiles for it after those before it: what the count on a terminal runs up to. Optimising
all of them together takes the last fifth of the time."""


class Announcement:
    """Says that kernels are being compiled, counts them on a terminal, and says how long it took. A process has one."""

    def __init__(self) -> None:
        self.functions = 0
        """Functions that numba has compiled in this process."""
        self._depth, self._shown, self._began, self._before = 0, 0, 0.0, 0
        self._subject, self._said = "", set[str]()
        self._lock, self._done = threading.RLock(), threading.Event()
        self._teller: threading.Thread | None = None

    @contextmanager
    def around(self, compiling: bool = True, subject: str = "") -> Iterator[None]:
        """What happens inside, also nested or in other threads, is one announcement. compiling False: perhaps it only loads.

        subject: which kernels, of those that are compiled when they are first needed.
        """
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._subject = subject
            if compiling and self._teller is None:
                self._begin()
        try:
            yield
        finally:
            with self._lock:
                self._depth -= 1
                if self._depth == 0 and self._teller is not None:
                    self._end(self._teller)

    def _begin(self) -> None:
        self._began, self._done, self._shown = time.monotonic(), threading.Event(), 0
        self._before = self.functions if self._subject else 0
        self._teller = threading.Thread(target=self._tell, args=(self._done,), name="dojo_py announcement", daemon=True)
        self._teller.start()

    def _tell(self, done: threading.Event) -> None:
        if done.wait(PATIENCE):
            return
        self._shown = 1
        if not sys.stderr.isatty():
            if self._subject not in self._said:
                print(f"dojo_py: compiling {self._kernels()}, once (a minute or two) ...", file=sys.stderr, flush=True)
            self._said.add(self._subject)
            return
        while not done.wait(TICK):
            text = f"dojo_py: compiling {self._kernels()}, once: {self._count()}, {time.monotonic() - self._began:.0f} s"
            print("\r" + text.ljust(self._shown), end="", file=sys.stderr, flush=True)
            self._shown = max(len(text), self._shown)

    def _count(self) -> str:
        """How far it is."""
        done, expected = self.functions - self._before, FUNCTIONS.get(self._subject, 0)
        if done < expected:
            return f"{done} of some {expected} functions"
        return f"{done} functions" + (", being optimised" if done < 1.1 * expected else "")  # (more: those before are not there)

    def _kernels(self) -> str:
        return f"kernels of {self._subject}" if self._subject else "kernels"

    def _end(self, teller: threading.Thread) -> None:
        self._done.set()
        teller.join(timeout=5.0)
        self._teller = None
        if self._shown:
            lead = "\r" if sys.stderr.isatty() else ""
            text = f"dojo_py: {self._kernels()} compiled in {time.monotonic() - self._began:.0f} s"
            print(lead + text.ljust(self._shown), file=sys.stderr, flush=True)


ANNOUNCEMENT = Announcement()


def count_functions() -> None:
    """Let the announcement count what numba compiles."""
    from numba.core import event

    class Counter(event.Listener):  # type: ignore[misc]
        def on_start(self, what: Any) -> None:
            ANNOUNCEMENT.functions += 1

        def on_end(self, what: Any) -> None:
            pass

    event.register("numba:compile", Counter())


@contextmanager
def undisturbed() -> Iterator[None]:
    """The cycle collector rests: it would walk the compiler's millions of objects again and again (a fifth of the time)."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class FirstUse:
    """What compiles a mode's kernels or loads them from the cache, before anything is timed or threaded.

    subject: what the kernels are of, as the user is told while they are compiled.
    """

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self._done, self._running = threading.Event(), threading.Lock()

    def once(self, use: Callable[[], Any]) -> None:
        """Call `use`, which may come here again, unless that has happened before in this process."""
        if self._done.is_set():
            return
        with self._running, ANNOUNCEMENT.around(compiling=False, subject=self.subject), undisturbed():
            if not self._done.is_set():
                self._done.set()
                use()
