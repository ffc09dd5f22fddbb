"""Family "terrain": the hard mode on height fields: heaps, stacks, chains, rings and hands on hills, and carts that drive."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dojo_py.reproduce.gauntlet import scenes
from dojo_py.reproduce.gauntlet.describe import as_python
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.scene_draw import Draw
from dojo_py.reproduce.gauntlet.scene_hills import cart
from dojo_py.reproduce.gauntlet.scene_solids import dominoes, hand, heap, links, ring, stack, wall
from dojo_py.reproduce.gauntlet.shrink_mjcf import shrink as shrink_mjcf

TITLE = "hard mode: heaps, stacks, chains, rings, hands and carts on height fields"
NEEDS_WHEEL = True
TIME_LIMIT = scenes.TIME_LIMIT
PROPERTIES = {name: text for name, text in scenes.PROPERTIES.items() if name not in ("limits", "momentum")}
ALLOWED = scenes.ALLOWED
FIXED = (*range(16), 1008, 1027, 1105, 1107, 1131, 1135, 1139, 8800005)


def thrown(draw: Draw) -> None:
    """One body of any shape that falls onto the hills."""
    heap(draw, 1)


KINDS: dict[Callable[[Draw], None], float] = {
    thrown: 3, heap: 3, stack: 2, wall: 1, dominoes: 1, links: 2, ring: 1, hand: 1, cart: 3,
}  # fmt: skip


def generate(seed: int) -> Case:
    """The scene of this seed."""
    return scenes.drawn(seed, KINDS, hilly=True)


def check(case: Case) -> dict[str, Outcome]:
    """As for scenes."""
    return scenes.check(case)


def shrink(case: Case) -> Iterator[Case]:
    """Scenes with less in them."""
    yield from shrink_mjcf(case)


def describe(case: Case) -> str:
    """Python that checks the scene again."""
    return as_python(case, "terrain")
