"""Fixed seeds of the gauntlet that the default test run judges. All of FIXED, with every seed that ever failed, run under `slow`.

Chosen by rule. Of every family, seeds with the most properties a second are taken until each property that any of its fixed seeds
reaches is reached by three of the chosen ones (or by all there are); then the cheapest others, up to 14 s a family in all. (Three
seeds a property are 25 s of `gradients` and of `touching`.) And 840048 of `scenes`: the other one there that takes more work than
it may, 52 times a normal step's (bound 50), may take less elsewhere. Two minutes together, on one core of 2026.
"""

from functools import cache

from dojo_py.reproduce.gauntlet import load_family
from dojo_py.reproduce.gauntlet.judge import judge_seed

# fmt: off
DEFAULT: dict[str, tuple[int, ...]] = {
    "scenes": (
        2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 31, 72, 83, 88, 108, 112, 132, 138,
        148, 209, 212, 223, 391, 3047, 4128, 5811, 6355, 6716, 13015, 51000, 51045, 51054, 51119, 801217, 830016, 840048, 840258,
        850006, 850142, 850319, 850386,
    ),
    "bodies": (
        2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 2019, 3053, 310077, 310094, 310110, 310276, 310755, 320092, 320167, 710058,
        790022, 821515, 830311,
    ),
    "shapes": (
        0, 1, 2, 5, 7, 12, 14, 41, 60, 2050, 2085, 50018, 50067, 51077, 310193, 710028, 830039, 830045, 830159, 830372, 850033,
        850193, 850335, 910137, 911023,
    ),
    "terrain": (
        1, 2, 4, 5, 6, 8, 11, 12, 13, 14, 15,
    ),
    "hills": (
        0, 1, 2, 3, 4, 8, 9, 10,
    ),
    "laws": (
        0, 4, 5, 6, 9, 11,
    ),
    "gradients": (
        2, 3, 4, 5, 1072, 1501, 840038, 840041, 3000001, 3000005,
    ),
    "touching": (
        0, 5, 6, 8, 10, 225, 5004, 821025, 830004, 850084,
    ),
    "soft": (
        3, 6, 7, 8, 10, 11, 13, 17, 18, 20, 21, 22, 23, 24, 26, 27, 28, 31, 33, 36, 38, 39, 40, 42, 45, 46, 47, 48, 52, 54, 55,
        56, 58, 59, 65, 66, 67, 68, 70, 72, 76, 78, 80, 81, 82, 84, 86, 87, 90, 91, 94, 95, 97, 98, 101, 145, 224, 360, 394, 667,
        672, 701, 777, 869, 986, 1149, 1542, 1749, 1825, 1989, 831151, 840093, 900195, 900286,
    ),
    "api": (
        38, 39, 40, 42, 44, 46, 47, 49, 50, 51, 53, 54, 56, 58, 59,
    ),
}
# fmt: on


def seeds_of(name: str, run: str) -> tuple[int, ...]:
    """Fixed seeds of a family: of the run "default" or "all". Those of a family that is not listed above all belong to both."""
    fixed = load_family(name).FIXED
    return DEFAULT.get(name, fixed) if run == "default" else fixed


@cache
def outcomes(name: str, seed: int):
    """Outcomes of a seed, judged once for all tests of a process."""
    return judge_seed(load_family(name), seed)
