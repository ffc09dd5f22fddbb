"""Fixed seeds of the gauntlet that break a property today: why, with the figure. What is repaired is taken out of here."""

from typing import NamedTuple


class Known(NamedTuple):
    """Fixed seeds that break a property, and why."""

    seeds: tuple[int, ...]
    reason: str


KNOWN: dict[str, dict[str, Known]] = {
    "scenes": {
        "solved, other": Known(
            (16, 27, 4128),
            "one step of 60 of cylinders in a bin; milligrams that move by many times their size in a step: 1 % of the steps of "
            "such scenes end INEXACT; a ball wedged "
            "between floor and ceiling, 1.6 mm in both: 21 of 60",
        ),
        "energy": Known((72,), "complementarity 1e-12 N m s is not scaled: small bodies at rest are pushed apart"),
    },
    "bodies": {
        "solved, other": Known(
            (0, 10, 15),
            "24 bodies of half a millimetre that start in one another, or touch without gravity; one step of 60 of a chain of "
            "touching capsules",
        ),
        "not frozen": Known((0,), "the same heap: TOO_FAST from step 10 on"),
        "work bounded": Known((0, 10), "the same heaps: 20 of 60 steps use up the iterations; 1400 contacts, one step of 26 s"),
    },
    "shapes": {
        "work bounded": Known((41, 50101), "a cylinder of 2.9 m, the same ring: one step of 510 and 520 iterations"),
        "solved, other": Known((15, 41), "grains of a milligram that fly 7 of their sizes in a step; a cylinder of 2.9 m"),
        "energy": Known((4, 10), "small bodies at rest are pushed apart, by 3e-17 and 2e-16 J (as in scenes)"),
    },
    "touching": {
        "A": Known(
            (950019, 18),
            "a cylinder and a mesh, aligned, kappa 0.08: 5e-2, not traced; a box that starts 2.9 cm deep in an ellipsoid: the "
            "step has two solutions, out of it or still in it, and the differences are of the other one",
        ),
        "close": Known((950019, 18), "the same"),
        "parameters": Known(
            (960027, 18, 7),
            "anchor of a sliding capsule, a ball on its end, kappa 4e-13: 1.3e-2, bound 1e-3; the box of A; an anchor of a "
            "cylinder that a ball presses on a plane, kappa 5e-7: 2.5e-5, bound 1e-5, not traced",
        ),
    },
}
