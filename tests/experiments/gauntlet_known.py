"""Fixed seeds of the gauntlet that break a property today: why, with the figure. What is repaired is taken out of here."""

from typing import NamedTuple


class Known(NamedTuple):
    """Fixed seeds that break a property, and why."""

    seeds: tuple[int, ...]
    reason: str


KNOWN: dict[str, dict[str, Known]] = {
    "scenes": {
        "solved, other": Known(
            (27, 4128),
            "milligrams that move by many times their size in a step: 1 % of the steps of such scenes end INEXACT; a ball wedged "
            "between floor and ceiling, 1.6 mm in both: 21 of 60",
        ),
        "gap": Known((16, 112, 151), "a cylinder tilted by 1e-3 rad sinks by up to 3e-4 of its radius (3.7e-5 m at 0.3 m)"),
        "reported gap": Known(
            (16, 112, 151),
            "the same cylinders: the gap that is reported is that of the rounded rim",
        ),
        "energy": Known((72,), "complementarity 1e-12 N m s is not scaled: small bodies at rest are pushed apart"),
    },
    "bodies": {
        "solved, other": Known(
            (0, 15),
            "24 bodies of half a millimetre that start in one another; one step of 60 of a chain of touching capsules",
        ),
        "not frozen": Known((0,), "the same heap: no step is solved from the tenth on"),
        "work bounded": Known((0,), "the same heap: 20 of its 60 steps use up the iterations"),
        "reported gap": Known(
            (0,), "the same heap: a cylinder and a box of 0.6 mm, by the wheel 1.1e-7 m in one another; not explained"
        ),
    },
    "soft": {
        "motion": Known((62,), "3.0e-6 after 5 steps, bound 1e-6, since all pairs of shapes are drawn; not traced"),
        "step": Known((91,), "1.8e-6, bound 1e-6, since all pairs of shapes are drawn; not traced"),
    },
}
