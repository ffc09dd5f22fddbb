"""The smallest case that still breaks a property: greedy over `Family.shrink`, for cases of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from dojo_py.reproduce.gauntlet.family import Family, Outcome
from dojo_py.reproduce.gauntlet.judge import breaks

MOST = 400
"""Cases judged for one minimisation."""


class Smallest(NamedTuple):
    """What minimising came to."""

    case: Any
    outcome: Outcome
    """Of the property on that case."""
    tried: int
    """Cases judged."""


def minimise(
    family: Family, case: Any, name: str, judge: Callable[[Any], Mapping[str, Outcome]], most: int = MOST
) -> Smallest | None:
    """A case from which no shrinking can be taken without the property `name` holding again; None: it holds on `case`.

    After a success the next candidate is that of the same place in the smaller case's list: those before it were just refused.
    Passes through the list are repeated until one brings nothing, or `most` cases were judged.
    """
    outcomes = judge(case)
    tried = 1
    if not breaks(outcomes, name):
        return None
    outcome, place, progress = outcomes[name], 0, False
    candidates = iter(family.shrink(case))
    while tried < most:
        candidate = next(candidates, None)
        if candidate is None:
            if not progress:
                break
            candidates, place, progress = iter(family.shrink(case)), 0, False
            continue
        outcomes = judge(candidate)
        tried += 1
        if breaks(outcomes, name):
            case, outcome, progress = candidate, outcomes[name], True
            candidates = islice(family.shrink(case), place, None)
        else:
            place += 1
    return Smallest(case, outcome, tried)
