"""Joints: how a body moves against its parent."""

from __future__ import annotations

from dataclasses import dataclass

from .element import SOLIMP, SOLREF, ZERO3, Element, Vector

JOINT_TYPES = ("free", "ball", "slide", "hinge")


@dataclass
class Joint(Element):
    """A joint between the body that owns it and that body's parent.

    Several may follow each other: hinges and slides, and among them a ball, after which there are slides only.
    """

    name: str = ""
    type: str = "hinge"
    """One of `JOINT_TYPES`; free and ball joints ignore `axis`, a free joint also ignores `pos`."""
    pos: Vector = ZERO3
    """Anchor in the child body's frame [m]."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Axis in the child body's frame; any non-zero length."""
    limited: bool | None = None
    """None: limited when `range` is given (compiler setting `autolimits`)."""
    range: Vector | None = None
    """Lower and upper bound [rad or m]; a ball joint: 0 and the largest angle."""
    ref: float = 0.0
    """Value of qpos in the described configuration [rad or m]."""
    springref: float = 0.0
    """Value of qpos at which the spring is at rest [rad or m]."""
    stiffness: Vector | float = 0.0
    """Spring [N m/rad or N/m]; up to two more numbers are the polynomial coefficients of MuJoCo 4."""
    damping: Vector | float = 0.0
    """Viscous friction [N m s/rad or N s/m]; up to two more numbers as for `stiffness`."""
    springdamper: Vector | None = None
    """(time constant [s], damping ratio [-]): chooses `stiffness` and `damping` from the inertia, as MuJoCo does."""
    armature: float = 0.0
    """Rotor inertia added to the diagonal of the joint-space inertia [kg m^2 or kg]."""
    frictionloss: float = 0.0
    """Dry friction [N m or N]."""
    actuatorfrclimited: bool | None = None
    actuatorfrcrange: Vector | None = None
    """Bounds on the total actuator force on this joint [N m or N]."""
    actuatorgravcomp: bool = False
    margin: float = 0.0
    """Distance to the limit at which the soft limit becomes active [rad or m]."""
    solreflimit: Vector = SOLREF
    solimplimit: Vector = SOLIMP
    solreffriction: Vector = SOLREF
    solimpfriction: Vector = SOLIMP
    user: Vector = ()
    """Numbers for your own use."""
    align: bool | None = None
    """Free joint only: put the body frame at the inertial frame. None: compiler setting `alignfree`."""
    group: int = 0
