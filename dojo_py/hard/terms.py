"""Codes shared by the hard mode's kernels: joint kinds, loop closures, contact shapes."""

HINGE, SLIDE, BALL, FREE, COMPOUND = 0, 1, 2, 3, 4
EQ_CONNECT, EQ_WELD, EQ_COUPLING, EQ_LENGTHS, EQ_TENDON, EQ_PATH = 0, 1, 2, 3, 4, 5
"""Coupling: of joints and fixed tendons, made of terms, coordinates times coefficients; lengths: of tendons, one of them spatial.
From EQ_TENDON on (fixed, spatial): no constraint, the node has the law of a coordinate."""

POINT, RIM, ELLIPSOID = 0, 1, 2
"""Shapes of a body against a plane: a ball about a fixed point, the lowest point of a rim, an ellipsoid."""

SPHERE_FEATURE, SEGMENT_SEGMENT = 0, 1
"""Body-body pairs: a ball against a point, segment or box; two segments crossing."""

FAST = 1.4
"""Largest |ω| h of a step (1.55 rad): one in which a body would turn by more is divided before it is tried. The momentum s(ω) Jω of
a spin falls with its velocity beyond √2: there a push turns the body the other way, and contact has no or many solutions."""
