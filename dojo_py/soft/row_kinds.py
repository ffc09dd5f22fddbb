"""Kinds of constraint rows, equal to MuJoCo's `mjtConstraint`."""

from enum import IntEnum


class RowKind(IntEnum):
    """What `efc_type` of a row is."""

    EQUALITY = 0
    FRICTION_DOF = 1
    FRICTION_TENDON = 2
    LIMIT_JOINT = 3
    LIMIT_TENDON = 4
    FRICTIONLESS = 5
    PYRAMIDAL = 6
    ELLIPTIC = 7
