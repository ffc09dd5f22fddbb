"""Jobs in parallel: threads, processes, or any `concurrent.futures` executor: Dask's, or `RayExecutor` on a Ray cluster.

Jobs are pure functions of what they are sent, so that a job whose worker was lost is simply done again. Dask and Ray do so by
themselves; `Workers` does so for its own processes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from dojo_py.simulate.values import count as whole
from dojo_py.simulate.values import having, text_of

KINDS = ("threads", "processes")
TRIES = 3
"""Rounds in a row that may end without a single result before lost workers are an error."""


class Workers:
    """`with Workers(4, "processes") as workers: workers.map(function, jobs)`. Results come in the order of the jobs.

    count: workers of the pool it makes; 1 works in this thread. executor: an executor of the caller's, which is not shut down. Jobs
    and results must be picklable unless the workers are threads. Threads serve the hard mode (its kernels release the interpreter
    lock); the soft mode's simulators make threads wait for each other, take processes. A process that ends before its job does
    (killed, out of memory) is replaced and the job done again, from the same numbers.
    """

    def __init__(self, count: int = 1, kind: str = "threads", executor: Executor | None = None):
        text_of("kind", kind, KINDS)
        self.count, self.kind = whole("count", count), kind
        if executor is not None:
            having("executor", executor, ("submit",), "a concurrent.futures executor: Client.get_executor() of Dask, RayExecutor()")
        self._own: Executor | None = None
        self._executor = executor
        if executor is None and count > 1:
            self._renew()

    def _renew(self) -> None:
        """A pool of its own, in place of one whose processes were lost."""
        # started afresh: a forked copy of a process with threads may hang
        spawn = multiprocessing.get_context("spawn")
        threads = self.kind == "threads"
        self._own = ThreadPoolExecutor(self.count) if threads else ProcessPoolExecutor(self.count, mp_context=spawn)
        self._executor = self._own

    def map(self, function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        """function(job) of each."""
        if self._executor is None:
            return [function(job) for job in jobs]
        found: dict[int, Any] = {}
        in_vain = 0
        while len(found) < len(jobs):
            before = len(found)
            lost = self._round(function, jobs, found)
            if lost is None:
                break
            in_vain = in_vain + 1 if len(found) == before else 0
            if self._own is None or in_vain == TRIES:
                raise RuntimeError(
                    f"workers were lost before {len(jobs) - len(found)} of {len(jobs)} jobs were done: out of memory, killed, or, "
                    'in a script, started without `if __name__ == "__main__":` around its own calls'
                ) from lost
            self._renew()
        return [found[i] for i in range(len(jobs))]

    def _round(self, function: Callable[[Any], Any], jobs: Sequence[Any], found: dict[int, Any]) -> BrokenExecutor | None:
        """Hand out the jobs that are not done and add their results; what broke the pool, if anything did."""
        assert self._executor is not None
        futures: dict[int, Future[Any]] = {}
        lost: BrokenExecutor | None = None
        try:
            try:
                for i in (i for i in range(len(jobs)) if i not in found):
                    futures[i] = self._executor.submit(function, jobs[i])
            except BrokenExecutor as broken:
                lost = broken
            for i, future in futures.items():
                try:
                    found[i] = future.result()
                except BrokenExecutor as broken:
                    lost = broken
        finally:  # (a job that raises ends the round)
            for future in futures.values():
                future.cancel()
        return lost

    def close(self) -> None:
        """Shut down the pool it made."""
        if self._own is not None:
            self._own.shutdown()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RayExecutor(Executor):
    """Jobs as tasks of the Ray cluster that `ray.init` has joined: `Workers(executor=RayExecutor(num_cpus=1))`.

    options: of `ray.remote`, what each task needs and how often Ray does it again when its worker is lost (`max_retries`, 3).
    """

    def __init__(self, **options: Any):
        import ray

        if not ray.is_initialized():
            raise RuntimeError("RayExecutor: call ray.init() first, with the cluster's address")
        decorate = ray.remote(**options) if options else ray.remote
        self._task = lru_cache(maxsize=16)(decorate)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Start function(...) on the cluster."""
        return self._task(function).remote(*arguments, **keywords).future()
