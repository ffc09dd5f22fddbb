"""Cases judged in processes of their own, so that one that hangs or brings its process down is a finding like any other.

A task is ("seed", number) or ("case", case). Processes are started anew (not forked: numba's threads do not survive that), each
loads the family by its module's name.
"""

from __future__ import annotations

import importlib
import multiprocessing
import signal
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from dojo_py.reproduce.gauntlet.family import Outcome
from dojo_py.reproduce.gauntlet.judge import CRASH, WORK, judge, judge_seed

TIME_LIMIT = 60.0
"""Of a case [s], unless the family has a TIME_LIMIT of its own."""
STARTING = 300.0
"""More for the first case of a process [s]: kernels may have to be compiled."""

Task = tuple[str, Any]


def _serve(module: str, pipe: Connection) -> None:
    """A worker's loop: judge what comes, until nothing does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers itself
    family: Any = importlib.import_module(module)
    while True:
        try:
            kind, value = pipe.recv()
            pipe.send(judge_seed(family, value) if kind == "seed" else judge(family, value))
        except (EOFError, BrokenPipeError):  # nobody asks any more
            return


class Worker:
    """One process and what it is doing."""

    def __init__(self, module: str, limit: float):
        self.module, self.limit = module, limit
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, there = context.Pipe()
        self.process = context.Process(target=_serve, args=(self.module, there), daemon=True)
        self.process.start()
        there.close()
        self.fresh = True

    def begin(self, task: Task) -> None:
        """Give it a task."""
        self.pipe.send(task)
        self.deadline = time.monotonic() + self.limit + (STARTING if self.fresh else 0.0)

    def collect(self) -> dict[str, Outcome] | None:
        """The task's outcomes; None while it is at work within its time. A process that hung or died is replaced."""
        late = time.monotonic() > self.deadline
        if not self.pipe.poll(0) and not late:
            return None
        try:
            if late and not self.pipe.poll(0):
                found = {WORK: Outcome(1, 1, self.limit, f"not done after {self.limit:g} s")}
            else:
                found = self.pipe.recv()
                self.fresh = False
                return found
        except (EOFError, ConnectionError):
            self.process.join(5.0)
            found = {CRASH: Outcome(1, 1, 0.0, f"the process ended with status {self.process.exitcode}")}
        self.stop()
        self._start()
        return found

    def judge(self, task: Task) -> dict[str, Outcome]:
        """Outcomes of one task, waited for."""
        self.begin(task)
        while True:
            wait([self.pipe], max(self.deadline - time.monotonic(), 0.0) + 0.01)
            found = self.collect()
            if found is not None:
                return found

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join(5.0)
        self.pipe.close()


def spread(workers: list[Worker], tasks: Iterable[Task]) -> Iterator[tuple[Task, dict[str, Outcome]]]:
    """Every task with its outcomes, as they are done."""
    waiting = iter(tasks)
    busy: dict[int, Task] = {}
    while True:
        for i, worker in enumerate(workers):
            if i not in busy:
                task = next(waiting, None)
                if task is not None:
                    worker.begin(task)
                    busy[i] = task
        if not busy:
            return
        soonest = min(workers[i].deadline for i in busy)
        wait([workers[i].pipe for i in busy], max(soonest - time.monotonic(), 0.0) + 0.01)
        for i in list(busy):
            found = workers[i].collect()
            if found is not None:
                yield busy.pop(i), found
