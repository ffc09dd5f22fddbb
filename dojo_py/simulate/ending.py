"""How a step ended: the reason behind its status."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np


class Ending(IntEnum):
    """Where the end of a hard step comes from; of several islands that with the worst status, and of these the last here."""

    UNKNOWN = -1
    """Nobody told: the soft mode, and files of before there were endings."""
    WHOLE = 0
    """Solved as one step."""
    PARTS = 1
    """Solved in parts."""
    BEST_POINT = 2
    """The best point that a solve of the whole step found."""
    GAVE_WAY = 3
    """Closures or overlaps that contradict the other constraints became compliant."""
    HELD_BOUNDS = 4
    """Solved with friction's bounds held at an estimate, or from there with overlaps that stay."""
    STOOD_STILL = 5
    """Parts cover some of the interval; bodies stay where they are for the rest of it."""
    STOPPED = 6
    """No usable end for the second time in a row: bodies stopped where they were."""
    MISSING = 7
    """Contacts that are violated or were passed at the end took no part."""
    NOWHERE = 8
    """No usable end: the state is as it was."""

    @property
    def message(self) -> str:
        """What the step did, for the user: a sentence without its subject."""
        return _MESSAGES[self]


_MESSAGES = {
    Ending.UNKNOWN: "ended in a way that is not known",
    Ending.WHOLE: "was solved as one step",
    Ending.PARTS: "was solved in parts",
    Ending.BEST_POINT: "ended at the best point that a solve found",
    Ending.GAVE_WAY: "let closures or overlaps give way that contradict the other constraints: look for links that overlap where "
    "joints hold them (`dojo_py check`, `overlaps`), and for loops that cannot close",
    Ending.HELD_BOUNDS: "was solved with the bounds of friction held at an estimate, or from there with overlaps that stay",
    Ending.STOOD_STILL: "was solved for a part of the interval; bodies stay where they are for the rest of it",
    Ending.STOPPED: "had no usable end, for the second time in a row: bodies stopped where they were",
    Ending.MISSING: "ended with contacts violated or passed that took no part: rounds were used up, or the step failed with them",
    Ending.NOWHERE: "had no usable end: the state is as it was",
}


def counted(endings: Iterable[int]) -> str:
    """How many of these steps ended where, the most frequent first: "12 BEST_POINT, 3 GAVE_WAY"."""
    found, counts = np.unique(np.asarray(list(endings), int), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{counts[i]} {Ending(int(found[i])).name}" for i in order)
