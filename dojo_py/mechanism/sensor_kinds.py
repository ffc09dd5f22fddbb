"""The sensors that are read: MJCF's word -> MuJoCo's number, what it looks at, how many numbers it gives and when."""

from __future__ import annotations

from dataclasses import dataclass

REAL, POSITIVE, AXIS, QUATERNION = range(4)
"""Kinds of output (mjtDataType): a cutoff clips the first to both sides, the second above, the others not at all."""
POSITION, VELOCITY, ACCELERATION = 1, 2, 3
"""Stage of the dynamics that an output needs (mjtStage)."""
OBJECTS = {"": 0, "body": 1, "xbody": 2, "joint": 3, "geom": 5, "site": 6, "tendon": 18, "actuator": 19}
"""Words -> mjtObj."""
CAMERA = 7
"""mjtObj of cameras, whose sensors are not read."""
FRAMES = ("body", "xbody", "geom", "site")
"""What a frame sensor may be fixed to."""
SHAPES = ("geom", "body")
"""What a distance is measured between: the object and the reference."""


@dataclass(frozen=True)
class SensorKind:
    """One type of sensor."""

    number: int
    """mjtSensor"""
    objects: tuple[str, ...]
    """Types of object that it accepts; none: it has no object."""
    dim: int
    stage: int
    data: int = REAL
    joints: tuple[str, ...] = ()
    """Types of joint that it accepts; empty: any."""
    reference: bool = False
    """It may be seen in the frame of a reference."""


_SCALAR = ("hinge", "slide")
SENSOR_KINDS: dict[str, SensorKind] = {
    "touch": SensorKind(0, ("site",), 1, ACCELERATION, POSITIVE),
    "accelerometer": SensorKind(1, ("site",), 3, ACCELERATION),
    "velocimeter": SensorKind(2, ("site",), 3, VELOCITY),
    "gyro": SensorKind(3, ("site",), 3, VELOCITY),
    "force": SensorKind(4, ("site",), 3, ACCELERATION),
    "torque": SensorKind(5, ("site",), 3, ACCELERATION),
    "magnetometer": SensorKind(6, ("site",), 3, POSITION),
    "rangefinder": SensorKind(7, ("site",), 1, POSITION),
    "jointpos": SensorKind(9, ("joint",), 1, POSITION, joints=_SCALAR),
    "jointvel": SensorKind(10, ("joint",), 1, VELOCITY, joints=_SCALAR),
    "tendonpos": SensorKind(11, ("tendon",), 1, POSITION),
    "tendonvel": SensorKind(12, ("tendon",), 1, VELOCITY),
    "actuatorpos": SensorKind(13, ("actuator",), 1, POSITION),
    "actuatorvel": SensorKind(14, ("actuator",), 1, VELOCITY),
    "actuatorfrc": SensorKind(15, ("actuator",), 1, ACCELERATION),
    "jointactuatorfrc": SensorKind(16, ("joint",), 1, ACCELERATION, joints=_SCALAR),
    "tendonactuatorfrc": SensorKind(17, ("tendon",), 1, ACCELERATION),
    "ballquat": SensorKind(18, ("joint",), 4, POSITION, QUATERNION, ("ball",)),
    "ballangvel": SensorKind(19, ("joint",), 3, VELOCITY, joints=("ball",)),
    "jointlimitpos": SensorKind(20, ("joint",), 1, POSITION),
    "jointlimitvel": SensorKind(21, ("joint",), 1, VELOCITY),
    "jointlimitfrc": SensorKind(22, ("joint",), 1, ACCELERATION),
    "tendonlimitpos": SensorKind(23, ("tendon",), 1, POSITION),
    "tendonlimitvel": SensorKind(24, ("tendon",), 1, VELOCITY),
    "tendonlimitfrc": SensorKind(25, ("tendon",), 1, ACCELERATION),
    "framepos": SensorKind(26, FRAMES, 3, POSITION, reference=True),
    "framequat": SensorKind(27, FRAMES, 4, POSITION, QUATERNION, reference=True),
    "framexaxis": SensorKind(28, FRAMES, 3, POSITION, AXIS, reference=True),
    "frameyaxis": SensorKind(29, FRAMES, 3, POSITION, AXIS, reference=True),
    "framezaxis": SensorKind(30, FRAMES, 3, POSITION, AXIS, reference=True),
    "framelinvel": SensorKind(31, FRAMES, 3, VELOCITY, reference=True),
    "frameangvel": SensorKind(32, FRAMES, 3, VELOCITY, reference=True),
    "framelinacc": SensorKind(33, FRAMES, 3, ACCELERATION),
    "frameangacc": SensorKind(34, FRAMES, 3, ACCELERATION),
    "subtreecom": SensorKind(35, ("body",), 3, POSITION),
    "subtreelinvel": SensorKind(36, ("body",), 3, VELOCITY),
    "subtreeangmom": SensorKind(37, ("body",), 3, VELOCITY),
    "insidesite": SensorKind(38, FRAMES, 1, POSITION, POSITIVE, reference=True),
    "distance": SensorKind(39, SHAPES, 1, POSITION, reference=True),
    "normal": SensorKind(40, SHAPES, 3, POSITION, AXIS, reference=True),
    "fromto": SensorKind(41, SHAPES, 6, POSITION, reference=True),
    "contact": SensorKind(42, (), 0, POSITION),
    "e_potential": SensorKind(43, (), 1, POSITION),
    "e_kinetic": SensorKind(44, (), 1, POSITION),
    "clock": SensorKind(45, (), 1, POSITION),
}
CONTACT_FIELDS = {
    "found": 1, "force": 3, "torque": 3, "dist": 1, "pos": 3, "normal": 3, "tangent": 3, "linvel": 3, "angvel": 3,
}  # fmt: skip
"""What a contact sensor may tell of a contact, in this order (mjtConDataField) -> how many numbers."""
REDUCTIONS = ("none", "mindist", "maxforce", "netforce")
"""Which of the contacts it takes."""
_ENDS = {"geom": "geom", "body": "body", "subtree": "xbody"}
CONTACT_ENDS = (_ENDS | {"site": "site"}, _ENDS)
"""Attributes of a contact sensor's first and second end (geom1, …, site; geom2, …) -> type of object."""
INTERPOLATIONS = ("zoh", "linear", "cubic")
"""Between samples of a sensor's past."""
BY_NUMBER = {kind.number: word for word, kind in SENSOR_KINDS.items()}
