"""Fixed seeds of the gauntlet that break a property today: why, with the figure. What is repaired is taken out of here."""

from typing import NamedTuple


class Known(NamedTuple):
    """Fixed seeds that break a property, and why."""

    seeds: tuple[int, ...]
    reason: str


KNOWN: dict[str, dict[str, Known]] = {
    "scenes": {
        "solved, ordinary": Known((801017,), "spheres at friction 1.5 in a bin, an exact grid that touches: the first of 60 steps"),
        "solved, other": Known(
            (2008, 2038, 3084, 830423, 840048, 840133, 840143, 840179, 840254, 840289, 850102, 850251),
            "a ball wedged between floor and ceiling, 1.6 mm in both: 12 of 60 (2038); millimetres that a step moves by many times "
            "their size: a tower that falls in one step of 34 ms, all but 2 of 60 (840143), 17 bodies of 2 mm in a bin, 50 of 60 "
            "(840289), 23 of 60 (850102), 1 to 4 of 60 (2008, 3084, 840048, 840133, 840179, 840254, 850251); a chain of "
            "ten links that whips at 300 rad/s, 4 of 60 (830423)",
        ),
        "not frozen": Known((840143, 840289), "the tower, the 17 bodies: none of the last 30 steps is solved"),
        "work bounded": Known(
            (16, 840048, 840133, 840143),
            "one or two steps of 60: 414 iterations beside 8; 2628, 265 and 1066 beside 5 (bound 50 times)",
        ),
        "joints": Known(
            (801217, 850006, 850386),
            "a loop open by 1e-9 m in 0.66 m after three of 60 steps (1.3e-9 of the extent, bound 1e-9); loops of links of a "
            "millimetre in the first step: 8.8e-7 and 4.5e-9 of the extent",
        ),
    },
    "bodies": {
        "solved, other": Known(
            (0, 10, 710017, 790022, 850166),
            "24 bodies of half a millimetre that start in one another, or touch without gravity; a ball that rolls down between a "
            "wall and a ball at friction 1, wedged: both contacts stick, which gaps do not agree with to second order; one of "
            "60 (790022); 33 bodies that start centimetres in one another, 3 of 60",
        ),
        "work bounded": Known(
            (0, 10, 790022, 850166),
            "1 to 7 steps of 60: 441 and 1054 iterations beside 5, 798 beside 12; 10 of the 33 bodies in 27 s",
        ),
    },
    "shapes": {
        "solved, ordinary": Known((910137,), "capsules and a tetrahedron in a row without gravity: one of 60"),
        "energy": Known(
            (910048,), "sunk in by 2.7e-10 m at rest without gravity: pushed out in 0.7 ms, 2.2e-6 m/s: 1.8e-13 J, accepted 1.7e-13"
        ),
        "solved, other": Known(
            (310140, 710003, 830016, 830039, 830148, 830204, 830367, 830495, 830498, 850088, 850250, 850359),
            "the first step (830148, 830498; two of 830204, three of 830016); one to four of 60 (310140, 710003, "
            "830495, 850088, 850250, 850359); an ellipsoid that tips between the floor and a ball, 13 of 60 (830039); a ball of "
            "0.1 mg under bodies of 5 mg in the corner of a bin of 2 mm, h 61 ms, five (830367)",
        ),
        "work bounded": Known(
            (15, 310006, 310140, 330046, 710003, 830016, 830039, 830495, 850250, 910137, 911117),
            "one to four steps of 60: 311 to 1161 iterations beside 5 to 8, 2770 beside 5 (830016), 846 beside 16 (850250); 14 "
            "of 830039, 786 beside 8; 510 beside 6 (910137), 262 beside 5 (911117), 1033 beside 16 (710003) (bound 50 times)",
        ),
    },
    "gradients": {
        "A": Known((840041,), "a cylinder with a slide at its limit, kappa 1.2e-12: one column, 1.0e-2, bound 1e-3"),
        "parameters": Known(
            (850180, 910034),
            "radius of a contact: 7.0e-3; a torque on a ball joint of 1e-13 kg m2 that the judge gives an armature of 1e-5: 4.2e-3",
        ),
        "close": Known(
            (830069, 830097, 850123, 910034),
            "stiffness 1.8e-6, rest of a spring 7.5e-6, friction 1.3e-6, bound 1e-6; the torque",
        ),
    },
    "touching": {
        "A": Known(
            (821025, 840007, 910109),
            "a capsule parallel to a box's edge, kappa 8e-3: 0.22; a cylinder on a box and a floor, kappa 5e-5: 9.8e-4; an "
            "ellipsoid 1.4 cm in a hull, pyramid, kappa 1e-6, a branch of the step of its own: 1.4e-4",
        ),
        "close": Known(
            (7, 821010, 821025, 840007, 850063, 850111, 910109),
            "a sphere that starts 2e-4 m in a cylinder, as contact_radius is moved off 0: the time step, 2.6e-6, bound 1e-6; "
            "gravity: 2.2e-6; the capsule: 1.7e-2; the cylinder; a roll-out 5.8e-6; a spring's rest 1.7e-6; the ellipsoid",
        ),
        "parameters": Known((910109,), "the ellipsoid: a size 4.0e-4"),
        "vjp": Known((840007,), "the cylinder: 1.3e-4"),
    },
}
