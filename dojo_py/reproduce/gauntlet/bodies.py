"""Family "bodies": the worlds of the family "scenes" in which everything can touch everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from dojo_py.reproduce.gauntlet import scenes
from dojo_py.reproduce.gauntlet.describe import as_python
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.shrink_mjcf import shrink as shrink_mjcf

TITLE = "hard mode: generated scenes, all pairs of shapes"
NEEDS_WHEEL = True
TIME_LIMIT = scenes.TIME_LIMIT
PROPERTIES = scenes.PROPERTIES
ALLOWED = scenes.ALLOWED
FIXED = (
    *range(16), 2019, 2040, 3053, 310077, 310094, 310276, 310755, 310110, 320092, 320167, 710017, 710058, 790022, 821515, 830311,
    850166, 920075, 920081, 920181, 920225,
    998184, 998253, 998399, 998445, 998454, 999028, 999031, 999082, 999106, 999185, 999275, 999350, 999378, 999391, 999398, 999423,
    1000017, 1000061, 1000085, 1000108, 1000225, 1000289, 1000086, 8910004, 8910006,
)  # fmt: skip

SOME = re.compile(r'contype="(?!0" conaffinity="0")\d" conaffinity="\d"')
"""What says whom a geom may touch, but for those that touch nothing."""


def generate(seed: int) -> Case:
    """The scene of this seed; every geom that touches some touches all."""
    case = scenes.generate(seed)
    return replace(case, xml=SOME.sub('contype="1" conaffinity="1"', case.xml))


def check(case: Case) -> dict[str, Outcome]:
    """As for scenes."""
    return scenes.check(case)


def shrink(case: Case) -> Iterator[Case]:
    """Scenes with less in them."""
    yield from shrink_mjcf(case)


def describe(case: Case) -> str:
    """Python that checks the scene again."""
    return as_python(case, "bodies")
