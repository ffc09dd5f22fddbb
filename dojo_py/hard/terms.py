"""Codes shared by the hard mode's kernels: joint kinds, loop closures; the largest rotation of a step."""

HINGE, SLIDE, BALL, FREE, COMPOUND = 0, 1, 2, 3, 4
EQ_CONNECT, EQ_WELD, EQ_COUPLING, EQ_LENGTHS, EQ_ORIENTATION, EQ_TENDON, EQ_PATH = 0, 1, 2, 3, 4, 5, 6
"""Coupling: of joints and fixed tendons, made of terms, coordinates times coefficients; lengths: of tendons, one of them spatial.
Orientation: no constraint, three torques by a law of the two bodies' orientations (orientations.py).
From EQ_TENDON on (fixed, spatial): no constraint, the node has the law of a coordinate."""
CONSTRAINT_ROWS = (3, 6, 1, 1, 0, 0, 0)
"""How many rows of constraints they have."""

FREE_TURN, JOINTED_TURN = 1.0, 1.4
"""Largest |ω| h of a body in a step of one part, where it starts and where it ends; else the step is divided.

The angular velocity over a step is larger by 1/s(ω) than the spin of its momentum s(ω) Jω: with the same momentum, shorter steps
rotate a body less far. At 1 that is 15 % (33 % of the energy), at 1.4 40 % (twice the energy); beyond √2 momentum falls where
velocity grows: there an impulse rotates a body in the opposite direction, and contact has no or many solutions, so that no solve
goes beyond 1.4. Steps of bodies with joints are divided as late as possible: a step is discontinuous where it becomes divided."""

PART_TURN = 0.8
"""Largest |ω| h of a body with joints where a part starts, as far as it is known at the start of the step. Actuators, and the
joints of a chain, change its spin within the step: from 1.3 it would soon have a momentum that no velocity has."""

FAST_PARTS = 4
"""Least number of parts where joined bodies start with rates that are too fast for a whole step, below half a revolution in it."""
