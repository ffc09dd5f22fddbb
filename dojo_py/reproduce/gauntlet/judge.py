"""One case judged by its family; what the case does to the program is a finding, never the end of the run."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dojo_py.reproduce.gauntlet.family import Family, Outcome

CRASH = "does not crash"
"""Property of every family: generating and checking a case raises nothing and does not end the process."""
WORK = "work bounded"
"""Property of every family: a case is done within the time limit. Families may look closer under the same name."""
COMMON = {CRASH: "no exception, no end of the process", WORK: "within the time limit of a case"}


def judge(family: Family, case: Any) -> dict[str, Outcome]:
    """Outcome of every property on a case; an exception is the outcome of CRASH."""
    try:
        return {CRASH: Outcome(1, 0), **family.check(case)}
    except Exception as error:
        return crashed(error)


def judge_seed(family: Family, seed: int) -> dict[str, Outcome]:
    """The same for the case of a seed."""
    try:
        case = family.generate(seed)
    except Exception as error:
        return crashed(error)
    return judge(family, case)


def crashed(error: Exception) -> dict[str, Outcome]:
    """The outcome that an exception is: its text and the last line of the package that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if "dojo_py" in f.filename and f.filename != __file__]
    last = (inside or list(frames))[-1:]
    place = "".join(f" ({Path(f.filename).name}:{f.lineno})" for f in last)
    text = str(error).splitlines()[0][:200] if str(error) else ""
    return {CRASH: Outcome(1, 1, 0.0, f"{type(error).__name__}: {text}{place}")}


def breaks(outcomes: Mapping[str, Outcome], name: str) -> bool:
    """Whether a property was looked at and does not hold."""
    return name in outcomes and outcomes[name].broken > 0
