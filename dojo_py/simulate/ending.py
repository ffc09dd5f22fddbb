"""How a step ended: the reason behind its status."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np


class Ending(IntEnum):
    """Where a step's end comes from; of several islands of bodies that with the worst status. `message` is a sentence."""

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
        """One sentence for the user."""
        return _MESSAGES[self]


_MESSAGES = {
    Ending.WHOLE: "solved as one step",
    Ending.PARTS: "solved in parts",
    Ending.BEST_POINT: "ended at the best point that a solve found",
    Ending.GAVE_WAY: "closures or overlaps that contradict the other constraints gave way: look for links that overlap where "
    "joints hold them (exclude such pairs), and for loops that cannot close",
    Ending.HELD_BOUNDS: "solved with the bounds of friction held at an estimate",
    Ending.STOOD_STILL: "solved for a part of the interval; bodies stay where they are for the rest of it",
    Ending.STOPPED: "bodies stopped where they were, for the second time without a usable end",
    Ending.MISSING: "something overlaps at the end that still takes no part: more rounds were needed",
    Ending.NOWHERE: "no usable end: the state is as it was",
}


def counted(endings: Iterable[int]) -> str:
    """How many of these steps ended where, the most frequent first: "12: solved in parts; 3: …"."""
    found, counts = np.unique(np.asarray(list(endings), int), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return "; ".join(f"{counts[i]}: {Ending(int(found[i])).message}" for i in order)
