"""Episodes in parallel: threads, processes, or any `concurrent.futures` executor (Dask's and Ray's offer that interface)."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from dojo_py.simulate.values import count as whole
from dojo_py.simulate.values import text_of

KINDS = ("threads", "processes")


class Workers:
    """`with Workers(4, "processes") as workers: workers.map(function, jobs)`. Results come in the order of the jobs.

    count: workers of the pool it makes; 1 works in this thread. executor: an executor of the caller's, which is not shut down. Jobs
    and results must be picklable unless the workers are threads. Threads serve the hard mode (its kernels release the interpreter
    lock); the soft mode's simulators make threads wait for each other, take processes.
    """

    def __init__(self, count: int = 1, kind: str = "threads", executor: Executor | None = None):
        text_of("kind", kind, KINDS)
        count = whole("count", count)
        self._own: Executor | None = None
        if executor is None and count > 1:
            # started afresh: a forked copy of a process with threads may hang
            spawn = multiprocessing.get_context("spawn")
            self._own = ThreadPoolExecutor(count) if kind == "threads" else ProcessPoolExecutor(count, mp_context=spawn)
        self._executor = executor or self._own

    def map(self, function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        """function(job) of each."""
        if self._executor is None:
            return [function(job) for job in jobs]
        return list(self._executor.map(function, jobs))

    def close(self) -> None:
        """Shut down the pool it made."""
        if self._own is not None:
            self._own.shutdown()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
