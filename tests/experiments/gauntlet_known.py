"""Fixed seeds of the gauntlet that break a property today: why, with the figure. Fixing one means taking it out of here."""

from typing import NamedTuple


class Known(NamedTuple):
    seeds: tuple[int, ...]
    reason: str


KNOWN: dict[str, dict[str, Known]] = {
    "scenes": {
        "solved, other": Known(
            (27, 31, 132, 138, 148, 212, 223),
            "deep or impossible starts, stiff servos and tiny masses stall: 7 % of the steps of scenes that are not ordinary",
        ),
        "honest failure": Known((27, 31, 138, 148, 212, 223), "STALLED and MAX_ITERATIONS hand back a point of a sub-step"),
        "not frozen": Known((31, 132, 148), "one overlap or redundant loop stops the whole world: 10 of 197 scenes"),
        "together": Known((16,), "a subdivided step in which a body turns too far keeps its last part's velocities: 0.4 to 3.1 rad"),
        "gap": Known((16, 112, 151), "rims of cylinders tilted by 1e-3 rad sink by up to 3e-4 of the radius"),
        "reported gap": Known(
            (3, 4, 5, 11, 27, 83, 88, 100, 108, 112, 138, 151),
            "min_gap leaves out pairs whose bounding spheres do not overlap: inf for balls 0.006 um apart",
        ),
        "limits": Known((27,), "a knee ends 11 rad beyond its limit in a solved step"),
        "energy": Known((72,), "complementarity 1e-12 N m s is not scaled: small bodies at rest are pushed"),
        "momentum": Known((108,), "angular momentum changes by 3e-5 in a contact of two free bodies"),
        "work bounded": Known((132, 138, 209, 212, 223), "up to 5069 iterations a step where a normal one has 5"),
        "alone": Known((9, 148, 151, 223), "one Newton system for all: 2e-16, and velocities lost when the others fail"),
    },
}
