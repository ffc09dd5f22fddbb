"""Tell the user why a first call takes long, and let it happen once."""

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def announced(patience: float = 2.0) -> Iterator[None]:
    """Say once on stderr that kernels are being compiled when the block takes longer than loading them would [s].

    Meanwhile the cycle collector rests: it would walk the compiler's millions of objects again and again (a fifth of the time).
    """

    def tell() -> None:
        print("dojo_py: compiling kernels, once (about a minute) ...", file=sys.stderr, flush=True)

    timer = threading.Timer(patience, tell)
    timer.daemon = True
    timer.start()
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        timer.cancel()
        if collecting:
            gc.enable()


class FirstUse:
    """What compiles a mode's kernels or loads them from the cache, before anything is timed or threaded."""

    def __init__(self) -> None:
        self._done, self._running = threading.Event(), threading.Lock()

    def once(self, use: Callable[[], Any]) -> None:
        """Call `use`, which may come here again, unless that has happened before in this process."""
        if self._done.is_set():
            return
        with self._running, announced():
            if not self._done.is_set():
                self._done.set()
                use()
