"""Codes shared by the hard mode's kernels: joint kinds, loop closures, contact shapes, friction models."""

HINGE, SLIDE, BALL, FREE, COMPOUND = 0, 1, 2, 3, 4
EQ_CONNECT, EQ_WELD, EQ_JOINT = 0, 1, 2

POINT, RIM, ELLIPSOID = 0, 1, 2
"""Shapes of a body against a plane: a ball about a fixed point, the lowest point of a rim, an ellipsoid."""

SPHERE_FEATURE, SEGMENT_SEGMENT = 0, 1
"""Body-body pairs: a ball against a point, segment or box; two segments crossing."""

FRICTIONLESS, CONE, PYRAMID = 0, 1, 2
"""Friction models of a contact."""

FAST = 1.6
"""A step in which a body would turn by more, |ω| h, is divided before it is tried; a whole one must stay below 2."""
