"""Fixed seeds of the gauntlet that break a property today: why, with the figure. What is repaired is taken out of here."""

from typing import NamedTuple


class Known(NamedTuple):
    """Fixed seeds that break a property, and why."""

    seeds: tuple[int, ...]
    reason: str


KNOWN: dict[str, dict[str, Known]] = {
    "scenes": {
        "solved, ordinary": Known(
            (801017,), "spheres at friction 1.5 in a bin, an exact grid that touches: the first two steps of 60"
        ),
        "work bounded": Known(
            (16, 801017, 2008, 6355, 51045),
            "one step of 60: 497 iterations beside 8; these steps: 512 beside 9; 302 beside 5, 496 beside 8, 266 beside 5 in all "
            "solves of a step (2008, 6355, 51045)",
        ),
        "joints": Known((801217,), "a loop open by 1e-9 m in 0.66 m after two of 60 steps (1.5e-9 of the extent, bound 1e-9)"),
        "solved, other": Known(
            (27, 2008, 2038, 3084, 4128),
            "milligrams that move by many times their size in a step: 1 % of the steps of "
            "such scenes end INEXACT; a ball wedged between floor and ceiling, 1.6 mm in both: 21 of 60; grains of millimetres at "
            "20 m/s and h 9 ms (3084)",
        ),
    },
    "bodies": {
        "solved, other": Known(
            (0, 10, 710017, 790022, 821515),
            "24 bodies of half a millimetre that start in one another, or touch without gravity; a ball that rolls down between a "
            "wall and a ball at friction 1, wedged: both contacts stick, which gaps do not agree with to second order; one step in "
            "60 of an arm with friction 2; 57 of 60 of millimetres at 15 m/s and h 10 ms (821515)",
        ),
        "not frozen": Known((821515,), "none of its last 30 steps is solved"),
        "work bounded": Known(
            (0, 10, 310276, 790022),
            "671 beside 10 in all solves of a step (790022); the first step of the 24 bodies, 362 iterations beside 5; 17 s of "
            "processor time for 60 steps of others alone on the machine, 20 are accepted; one step of 276 to 443 beside 5",
        ),
    },
    "shapes": {
        "solved, other": Known(
            (15, 310006, 310140),
            "the first step of 15, the last of 60 of a stack with cylinders, one of 60 grains of 0.5 mm that spin by 3 rad a step",
        ),
        "work bounded": Known(
            (15, 2050, 310006, 310140, 330046),
            "the first step, 540 iterations beside 5; likewise, 259 beside 5; the last, 472 beside 8; the fourth, 577; "
            "the first, 262 (bound 50 times)",
        ),
        "reported gap": Known((821511,), "one step of 60: 0.0198 m, off by 1.1e-8"),
    },
    "gradients": {
        "A": Known((821020,), "a ball of 0.5 mm on the end of a capsule, kappa 1.4e-20: three columns, 5.3e-3, bound 1e-3"),
        "parameters": Known((821020,), "gravity: 2.4e-2"),
        "vjp": Known((821020,), "4.7e-3"),
    },
    "touching": {
        "A": Known(
            (900075, 801006, 821025),
            "a ball between a plane and the corner of a box, friction 1, kappa 1.4e-8: the step has two solutions and finds one or "
            "the other after 200 iterations; A is that of each (-15.353 beside -15.351, 27.619 beside 27.619), differences jump; "
            "one column off by 3.6e-3, bound 1e-3 (801006); a capsule parallel to a box's edge, kappa 8e-3: 0.22 (821025)",
        ),
        "close": Known((821010, 821025), "gravity: 2.2e-6, bound 1e-6; the capsule: 1.7e-2"),
        "vjp": Known((900075,), "the same"),
        "parameters": Known(
            (960027, 801006), "anchor of a sliding capsule, a ball on its end, kappa 4e-13: 2.1e-3, bound 1e-3; timestep: 1.3e-2"
        ),
    },
}
