"""How a step ended: the reason behind its status."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np


class Ending(IntEnum):
    """Where a step's end comes from; of several islands of bodies that with the worst status. `message` says it of the step."""

    WHOLE = 0
    PARTS = 1
    BEST_POINT = 2
    GAVE_WAY = 3
    HELD_BOUNDS = 4
    STOOD_STILL = 5
    STOPPED = 6
    MISSING = 7
    NOWHERE = 8

    @property
    def message(self) -> str:
        """What the step did, for the user: a sentence without its subject."""
        return _MESSAGES[self]


_MESSAGES = {
    Ending.WHOLE: "was solved as one step",
    Ending.PARTS: "was solved in parts",
    Ending.BEST_POINT: "ended at the best point that a solve found",
    Ending.GAVE_WAY: "let closures or overlaps give way that contradict the other constraints: look for links that overlap where "
    "joints hold them (`dojo_py check`, `overlaps`), and for loops that cannot close",
    Ending.HELD_BOUNDS: "was solved with the bounds of friction held at an estimate",
    Ending.STOOD_STILL: "was solved for a part of the interval; bodies stay where they are for the rest of it",
    Ending.STOPPED: "had no usable end, for the second time in a row: bodies stopped where they were",
    Ending.MISSING: "ended with something in each other that still takes no part: more rounds were needed",
    Ending.NOWHERE: "had no usable end: the state is as it was",
}


def counted(endings: Iterable[int]) -> str:
    """How many of these steps ended where, the most frequent first: "12 BEST_POINT, 3 GAVE_WAY"."""
    found, counts = np.unique(np.asarray(list(endings), int), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{counts[i]} {Ending(int(found[i])).name}" for i in order)
