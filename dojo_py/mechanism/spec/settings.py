"""Settings of the whole model: of the compiler, which completes what is not given, and of the simulation."""

from __future__ import annotations

from dataclasses import dataclass, field

from .element import SOLIMP, SOLREF, ZERO3, Element, Vector


@dataclass
class LengthRange(Element):
    """How the ranges of actuators' lengths that are not given are found when a mechanism is compiled (`length_range.py`)."""

    mode: str = "muscle"
    """Of which actuators: "none", "muscle", "muscleuser" (the same here), "all"."""
    useexisting: bool = True
    """Ranges that are given stay."""
    uselimit: bool = False
    """The range of a limited joint or tendon is taken instead."""
    accel: float = 20.0
    """Joint acceleration with which an actuator pulls [rad/s² or m/s²]."""
    maxforce: float = 0.0
    """> 0: most generalised force [N or N m]."""
    timeconst: float = 1.0
    """Velocities decay with it [s]."""
    timestep: float = 0.01
    """[s]"""
    inttotal: float = 10.0
    """How long an actuator is pulled [s]."""
    interval: float = 2.0
    """The last seconds, in which it should rest [s]."""
    tolrange: float = 0.05
    """Change of length in them that counts as rest, over the range."""


@dataclass
class CompilerSettings(Element):
    """How masses and limits are completed (MJCF element `compiler`, as far as it matters after reading)."""

    autolimits: bool = True
    inertiafromgeom: bool | None = None
    """None ("auto"): from the geoms where no inertial is given. True: always from the geoms. False: never."""
    inertiagrouprange: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    """Lower bound on the mass of every body but the world [kg]."""
    boundinertia: float = 0.0
    """Lower bound on the principal moments of every body but the world [kg m^2]."""
    balanceinertia: bool = False
    """Replace moments that break A + B >= C by their mean."""
    settotalmass: float = -1.0
    """> 0: scale masses and inertias to this total [kg]."""
    alignfree: bool = False
    fitaabb: bool = False
    """Primitives that name a mesh enclose it; otherwise they have its inertia."""
    lengthrange: LengthRange = field(default_factory=LengthRange)


@dataclass
class OptionSpec(Element):
    """Simulation options under MuJoCo's names. Enumerations as words, flags as the words of MJCF's `flag` element."""

    timestep: float = 0.002
    """[s]"""
    impratio: float = 1.0
    tolerance: float = 1e-8
    ls_tolerance: float = 0.01
    noslip_tolerance: float = 1e-6
    ccd_tolerance: float = 1e-6
    sleep_tolerance: float = 1e-3
    gravity: Vector = (0.0, 0.0, -9.81)
    """[m/s^2]"""
    wind: Vector = ZERO3
    """[m/s]"""
    magnetic: Vector = (0.0, -0.5, 0.0)
    density: float = 0.0
    """Of the medium [kg/m^3]."""
    viscosity: float = 0.0
    """Of the medium [N s/m^2]."""
    o_margin: float = 0.0
    o_solref: Vector = SOLREF
    o_solimp: Vector = SOLIMP
    o_friction: Vector = (1.0, 1.0, 0.005, 0.0001, 0.0001)
    integrator: str = "Euler"
    cone: str = "pyramidal"
    jacobian: str = "auto"
    solver: str = "Newton"
    iterations: int = 100
    ls_iterations: int = 50
    noslip_iterations: int = 0
    ccd_iterations: int = 35
    sdf_iterations: int = 10
    sdf_initpoints: int = 40
    actuatorgroupdisable: tuple[int, ...] = ()
    flags: dict[str, bool] = field(default_factory=dict)
    """Only the flags that were given: {"contact": False, "energy": True, ...}."""
