"""Tendons, and what their paths consist of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from .element import SOLIMP, SOLREF, Element, Vector


@dataclass
class JointTerm(Element):
    """A term of a fixed tendon: `coef` times the coordinate of a hinge or a slide."""

    tag: ClassVar[str] = "joint"
    joint: str
    coef: float


@dataclass
class SitePoint(Element):
    """A site that a spatial tendon passes through."""

    tag: ClassVar[str] = "site"
    site: str


@dataclass
class WrapGeom(Element):
    """A sphere or cylinder that a spatial tendon wraps around, between two sites."""

    tag: ClassVar[str] = "geom"
    geom: str
    sidesite: str = ""
    """On the side of this site; through the object when it is inside."""


@dataclass
class Pulley(Element):
    """From here on a spatial tendon is one of `divisor` equal branches: its length counts by 1 / divisor."""

    tag: ClassVar[str] = "pulley"
    divisor: float


@dataclass
class Tendon(Element):
    """A length with a spring, a damper, limits and friction.

    Fixed tendon: terms, length = sum of coef * joint coordinate. Spatial tendon: the shortest way through sites, around geoms.
    """

    name: str = ""
    path: list[JointTerm | SitePoint | WrapGeom | Pulley] = field(default_factory=list)
    limited: bool | None = None
    """None: limited when `range` is given (compiler setting `autolimits`)."""
    range: Vector | None = None
    """Lower and upper bound of the length [m, or rad]."""
    actuatorfrclimited: bool | None = None
    actuatorfrcrange: Vector | None = None
    """Bounds on the total actuator force on this tendon [N]."""
    springlength: Vector = (-1.0, -1.0)
    """Interval of lengths without spring force; one number: both ends; -1: the length at `springref` of the joints."""
    stiffness: Vector | float = 0.0
    """Spring [N/m]; up to two more numbers are the polynomial coefficients of MuJoCo 4."""
    damping: Vector | float = 0.0
    """[N s/m]; up to two more numbers as for `stiffness`."""
    armature: float = 0.0
    """Inertia that moves with the length [kg]."""
    frictionloss: float = 0.0
    """Dry friction [N]."""
    margin: float = 0.0
    solreflimit: Vector = SOLREF
    solimplimit: Vector = SOLIMP
    solreffriction: Vector = SOLREF
    solimpfriction: Vector = SOLIMP
    width: float = 0.003
    """Radius with which it is drawn [m]."""
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)
    material: str = ""
    user: Vector = ()
    """Numbers for your own use."""
    group: int = 0
