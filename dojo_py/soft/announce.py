"""Tell the user why the first call takes long."""

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def announced(patience: float = 2.0) -> Iterator[None]:
    """Say once on stderr that kernels are being compiled when the block takes longer than loading them would [s].

    Meanwhile the cycle collector rests: it would walk the compiler's objects again and again.
    """

    def tell() -> None:
        print("dojo_py: compiling the soft mode's kernels, once (about a minute) ...", file=sys.stderr, flush=True)

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
