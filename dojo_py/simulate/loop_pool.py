"""LoopPool: loops (arrays and compiled data for roll-outs) that are made once and lent again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Loop = TypeVar("Loop")


class LoopPool(Generic[Loop]):
    """Loops that nobody uses, by keys; of the `most` keys that were used last. May be shared between threads.

    A key may name an object by its id where the loops refer to it: while there is a loop, the id is that object's.
    """

    def __init__(self, most: int):
        self.most = most
        self._free: dict[Hashable, list[Loop]] = {}
        """The key used last is the last."""
        self._lock = threading.Lock()

    @contextmanager
    def borrowed(self, key: Hashable, make: Callable[[], Loop]) -> Iterator[Loop]:
        """A loop for exclusive use, made if there is none; it returns to the pool afterwards."""
        with self._lock:
            free = self._touched(key)
            loop = free.pop() if free else None
        loop = make() if loop is None else loop
        try:
            yield loop
        finally:
            with self._lock:
                self._touched(key).append(loop)

    def _touched(self, key: Hashable) -> list[Loop]:
        """The free loops of a key, which is now the one used last."""
        free = self._free[key] = self._free.pop(key, [])
        while len(self._free) > self.most:
            self._free.pop(next(iter(self._free)))
        return free
