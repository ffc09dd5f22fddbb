"""Fixed seeds of the gauntlet that break a property today: why, with the figure. What is repaired is taken out of here."""

from typing import NamedTuple


class Known(NamedTuple):
    """Fixed seeds that break a property, and why."""

    seeds: tuple[int, ...]
    reason: str


KNOWN: dict[str, dict[str, Known]] = {
    "scenes": {
        "solved, ordinary": Known((391,), "a ring of nine links on ball joints hits the floor: 1 step of 8280, MAX_ITERATIONS"),
        "solved, other": Known(
            (27, 31, 132, 138, 148, 212, 223),
            "overlaps that cannot open, a slide that touches, huge and tiny bodies: 7 % of the steps of these scenes",
        ),
        "honest failure": Known((27, 31, 138, 148, 212, 223, 391), "STALLED and MAX_ITERATIONS hand back a point of a sub-step"),
        "not frozen": Known((31, 132, 148), "one overlap that cannot open stops the whole world: 4 % of the scenes"),
        "together": Known((16,), "SOLVED in parts, a body turned too far: pose and velocity differ by 0.37 rad"),
        "gap": Known((16, 112, 151), "a cylinder tilted by 1e-3 rad sinks by up to 3e-4 of its radius (3.7e-5 m at 0.3 m)"),
        "reported gap": Known(
            (3, 4, 5, 11, 27, 83, 88, 100, 108, 112, 138, 151, 391),
            "min_gap leaves out pairs whose bounding spheres are apart: inf for balls 6e-9 m apart; and the cylinder's error",
        ),
        "limits": Known((27,), "a knee ends 11 rad beyond its limit in a solved step"),
        "energy": Known((72,), "complementarity 1e-12 N m s is not scaled: small bodies at rest are pushed apart"),
        "momentum": Known((108,), "an impact solved in parts changes angular momentum by 3e-5"),
        "work bounded": Known((132, 138, 209, 212, 223, 391), "up to 5069 iterations a step where a normal one has 5"),
        "alone": Known((9, 148, 151, 223), "one Newton system for all: 2e-16, and velocities lost when the others fail"),
    },
}
