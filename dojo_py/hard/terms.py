"""Codes shared by the hard mode's kernels: joint kinds, loop closures; the largest rotation of a step."""

HINGE, SLIDE, BALL, FREE, COMPOUND = 0, 1, 2, 3, 4
EQ_CONNECT, EQ_WELD, EQ_COUPLING, EQ_LENGTHS, EQ_ORIENTATION, EQ_TENDON, EQ_PATH = 0, 1, 2, 3, 4, 5, 6
"""Coupling: of joints and fixed tendons, made of terms, coordinates times coefficients; lengths: of tendons, one of them spatial.
Orientation: no constraint, three torques by a law of the two bodies' orientations (orientations.py).
From EQ_TENDON on (fixed, spatial): no constraint, the node has the law of a coordinate."""
CONSTRAINT_ROWS = (3, 6, 1, 1, 0, 0, 0)
"""How many rows of constraints they have."""

FAST = 1.4
"""Largest |ω| h of a step (1.55 rad): one in which a body would turn by more is divided before it is tried. The momentum s(ω) Jω of
a spin falls with its velocity beyond √2: there a push turns the body the other way, and contact has no or many solutions."""
