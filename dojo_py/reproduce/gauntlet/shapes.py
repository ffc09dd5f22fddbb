"""Family "shapes": the hard mode on scenes in which every shape, meshes too, meets every other (scene_solids.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dojo_py.reproduce.gauntlet import scenes
from dojo_py.reproduce.gauntlet.describe import as_python
from dojo_py.reproduce.gauntlet.family import Case, Outcome
from dojo_py.reproduce.gauntlet.scene_draw import Draw
from dojo_py.reproduce.gauntlet.scene_solids import collide, dominoes, hand, heap, links, ring, stack, wall
from dojo_py.reproduce.gauntlet.shrink_mjcf import shrink as shrink_mjcf

TITLE = "hard mode: heaps, stacks, walls, collisions, chains, rings and hands of every shape"
NEEDS_WHEEL = True
TIME_LIMIT = scenes.TIME_LIMIT
PROPERTIES = {name: text for name, text in scenes.PROPERTIES.items() if name != "limits"}
ALLOWED = scenes.ALLOWED
FIXED = (
    *range(16), 41, 60, 2014, 2050, 2085, 3009, 3045, 50018, 50067, 50101, 51077, 310006, 310140, 310193, 310414, 330046, 710003,
    710028, 803009, 821511, 830016, 830039, 830045, 830148, 830159, 830204, 830367, 830372, 830495, 830498, 850033, 850088, 850193,
    850250, 850335, 850359, 910048, 910137, 910224, 911023, 911117, 920006, 920019, 920056, 920113, 920150, 920158, 920214, 920245,
    970049, 992230, 996182, 996283,
    998013, 998040, 998047, 998087, 998091, 998115, 998182, 998233, 998236, 998266, 998282, 998285, 998294, 998348, 998361,
    998163, 998305, 998310, 998341, 998367, 998373, 998383, 998410, 998455, 998484, 998491, 999036, 999142,
    999365, 999369, 999413, 999474,
    1000075, 1000093, 1000102, 1000187, 1000221, 1000223, 1000282, 1000288, 1000128, 1000242,
)  # fmt: skip

KINDS: dict[Callable[[Draw], None], float] = {
    heap: 3, stack: 3, wall: 1, dominoes: 1, collide: 3, links: 2, ring: 1, hand: 2,
}  # fmt: skip


def generate(seed: int) -> Case:
    """The scene of this seed."""
    return scenes.drawn(seed, KINDS)


def check(case: Case) -> dict[str, Outcome]:
    """As for scenes."""
    return scenes.check(case)


def shrink(case: Case) -> Iterator[Case]:
    """Scenes with less in them."""
    yield from shrink_mjcf(case)


def describe(case: Case) -> str:
    """Python that checks the scene again."""
    return as_python(case, "shapes")
