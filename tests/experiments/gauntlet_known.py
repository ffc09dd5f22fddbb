"""Fixed seeds of the gauntlet that break a property today: why, with the figure. What is repaired is taken out of here."""

from typing import NamedTuple


class Known(NamedTuple):
    """Fixed seeds that break a property, and why."""

    seeds: tuple[int, ...]
    reason: str


KNOWN: dict[str, dict[str, Known]] = {
    "scenes": {
        "solved, other": Known(
            (15, 27, 31, 132, 138, 148, 212, 223),
            "bodies of a milligram whose joints turn by radians a step, deep overlaps, knots of capsules: 5 % of the steps",
        ),
        "gap": Known((16, 112, 151), "a cylinder tilted by 1e-3 rad sinks by up to 3e-4 of its radius (3.7e-5 m at 0.3 m)"),
        "reported gap": Known(
            (16, 112, 151),
            "the same cylinders: the gap that is reported is that of the rounded rim",
        ),
        "energy": Known((72,), "complementarity 1e-12 N m s is not scaled: small bodies at rest are pushed apart"),
        "work bounded": Known((28, 132, 138, 209, 212, 223), "a step that fails takes all its 600 iterations; a normal one has 5"),
    },
}
