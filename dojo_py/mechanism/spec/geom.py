"""Shapes fixed to a body: geoms, which touch and have mass, and sites, which do neither."""

from __future__ import annotations

from dataclasses import dataclass

from .element import IDENTITY, SOLIMP, SOLREF, ZERO3, Element, Vector

GEOM_TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
SITE_TYPES = GEOM_TYPES[2:-1]


@dataclass
class Geom(Element):
    """A shape fixed to a body, for contact and for inferring mass."""

    name: str = ""
    type: str = "sphere"
    """One of `GEOM_TYPES`."""
    size: Vector = ()
    """MuJoCo's half sizes [m]: sphere (r), capsule and cylinder (r, half length), ellipsoid and box (x, y, z),
    plane (x, y, grid)."""
    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    fromto: Vector | None = None
    """Two end points (6) [m] in the body frame, for capsule, cylinder, ellipsoid, box: replaces pos, quat and the
    half length."""
    mass: float | None = None
    """[kg]; None: `density` times volume."""
    density: float = 1000.0
    """[kg/m^3]"""
    shellinertia: bool = False
    """The mass is on the surface."""
    contype: int = 1
    conaffinity: int = 1
    condim: int = 3
    priority: int = 0
    friction: Vector = (1.0, 0.005, 0.0001)
    """Sliding [-], torsional [m], rolling [m]."""
    solmix: float = 1.0
    solref: Vector = SOLREF
    solimp: Vector = SOLIMP
    margin: float = 0.0
    """[m]"""
    gap: float = 0.0
    """[m]"""
    surfacevel: Vector = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """Velocity of the surface in the frame of the geom, linear [m/s] and angular [rad/s] about its centre, as of a belt or a wheel
    whose geom stands still. Soft mode only."""
    adhesion: float = 0.0
    """Force that pulls at each of its contacts along the normal [N]; those of two geoms add up. Soft mode only."""
    group: int = 0
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)
    fluidshape: str = "none"
    """"none" or "ellipsoid": what the geom is to a medium (options density, viscosity); a body without ellipsoids is a box."""
    fluidcoef: Vector = (0.5, 0.25, 1.5, 1.0, 1.0)
    """Of an ellipsoid: drag of blunt and slender bodies, angular drag, Kutta lift, Magnus lift [-]."""
    material: str = ""
    """Name of the material that it is drawn with."""
    mesh: str = ""
    """Name of a mesh of the mechanism: the shape of type "mesh"; a primitive type is fitted to it (`size` is not used)."""
    hfield: str = ""
    """Name of a height field of the mechanism: the shape of type "hfield" (`size` is not used)."""
    user: Vector = ()
    """Numbers for your own use."""
    fitscale: float = 1.0
    """Factor on the sizes of a primitive that is fitted to a mesh."""


@dataclass
class Site(Element):
    """A named frame fixed to a body."""

    name: str = ""
    type: str = "sphere"
    size: Vector = (0.005, 0.005, 0.005)
    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    fromto: Vector | None = None
    material: str = ""
    user: Vector = ()
    """Numbers for your own use."""
    group: int = 0
    rgba: Vector = (0.5, 0.5, 0.5, 1.0)
