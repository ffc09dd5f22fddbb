"""The integers behind the words of a model, equal to MuJoCo's enums (`mjtJoint`, `mjtGeom`, ... of version 4.0)."""

from enum import IntEnum, IntFlag

JointType = IntEnum("JointType", "FREE BALL SLIDE HINGE", start=0)
GeomType = IntEnum("GeomType", "PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH", start=0)
EqualityType = IntEnum("EqualityType", "CONNECT WELD JOINT TENDON", start=0)
DynType = IntEnum("DynType", "NONE INTEGRATOR FILTER FILTEREXACT MUSCLE DCMOTOR PID", start=0)
GainType = IntEnum("GainType", "FIXED AFFINE MUSCLE DCMOTOR SO3 PID", start=0)
BiasType = IntEnum("BiasType", "NONE AFFINE MUSCLE DCMOTOR SO3", start=0)
Cone = IntEnum("Cone", "PYRAMIDAL ELLIPTIC", start=0)
Jacobian = IntEnum("Jacobian", "DENSE SPARSE AUTO", start=0)
SolverType = IntEnum("SolverType", "PGS CG NEWTON", start=0)
Integrator = IntEnum("Integrator", "EULER RK4 IMPLICIT IMPLICITFAST DISCRETE", start=0)


class TrnType(IntEnum):
    """What an actuator pulls on."""

    JOINT = 0
    JOINTINPARENT = 1
    SLIDERCRANK = 2
    TENDON = 3
    SITE = 4
    BODY = 5
    SO3 = 6


class CtrlInput(IntFlag):
    """Bits of `actuator_ctrlspec`: the controls of a servo or motor, in this order; of another kind what its control is.

    Servos of orientations have 1 for an exponential map, 2 for a quaternion.
    """

    POS = 1
    VEL = 2
    FF = 4
    VOLTAGE = 8
    NONE = 16
    PRESSURE = 32


class ObjType(IntEnum):
    """What an equality refers to."""

    UNKNOWN = 0
    BODY = 1
    JOINT = 3
    SITE = 6


class WrapType(IntEnum):
    """What the path of a tendon consists of."""

    JOINT = 1
    PULLEY = 2
    SITE = 3
    SPHERE = 4
    CYLINDER = 5


class DisableBit(IntFlag):
    """Bits of `opt.disableflags`."""

    CONSTRAINT = 1 << 0
    EQUALITY = 1 << 1
    FRICTIONLOSS = 1 << 2
    LIMIT = 1 << 3
    CONTACT = 1 << 4
    SPRING = 1 << 5
    DAMPER = 1 << 6
    GRAVITY = 1 << 7
    CLAMPCTRL = 1 << 8
    WARMSTART = 1 << 9
    FILTERPARENT = 1 << 10
    ACTUATION = 1 << 11
    REFSAFE = 1 << 12
    SENSOR = 1 << 13
    MIDPHASE = 1 << 14
    EULERDAMP = 1 << 15
    AUTORESET = 1 << 16
    NATIVECCD = 1 << 17
    ISLAND = 1 << 18
    MULTICCD = 1 << 19


class EnableBit(IntFlag):
    """Bits of `opt.enableflags`."""

    OVERRIDE = 1 << 0
    ENERGY = 1 << 1
    FWDINV = 1 << 2
    INVDISCRETE = 1 << 3
    SLEEP = 1 << 4
    DIAGEXACT = 1 << 5
    IPC = 1 << 6
    SPECULATIVE = 1 << 7
