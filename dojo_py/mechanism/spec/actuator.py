"""Actuators: what they act on, their controls, and the force that these make."""

from __future__ import annotations

from dataclasses import dataclass

from .element import Element, Vector


@dataclass
class Actuator(Element):
    """A general actuator: force = gain(length, velocity) * input + bias(length, velocity); shortcuts set both."""

    name: str = ""
    joint: str = ""
    """Exactly one of `joint`, `jointinparent`, `tendon`, `site`, `cranksite`, `body` (name of the target)."""
    jointinparent: str = ""
    tendon: str = ""
    site: str = ""
    body: str = ""
    """Adhesion: pulls at all contacts of this body, along their normals."""
    refsite: str = ""
    """With `site`: the frame in which the wrench or position is expressed."""
    cranksite: str = ""
    """A slider-crank: the pin of the crank; a rod of length `cranklength` [m] couples it to a slider on the z axis of
    `slidersite`."""
    slidersite: str = ""
    cranklength: float = 0.0
    gear: Vector = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    ctrllimited: bool | None = None
    ctrlrange: Vector | None = None
    """Of the only control; of a `pid`'s position; of every control of a `dcmotor`."""
    input: str = ""
    """Controls of a `pid` or `dcmotor`, some of "pos vel ff voltage" in this order; "": "pos vel", "voltage".
    Of others only a note."""
    velrange: Vector | None = None
    """Of the control "vel" of a `pid`; limited where it is given. Likewise `ffrange`."""
    ffrange: Vector | None = None
    forcelimited: bool | None = None
    forcerange: Vector | None = None
    """[N or N m]"""
    armature: float = 0.0
    """Inertia of the rotor before the gear; on hinges and slides [kg m² or kg]."""
    damping: Vector = (0.0,)
    """Damper before the gear, in every phase: linear, |v| v and v³ coefficient; on hinges and slides."""
    actlimited: bool | None = None
    actrange: Vector | None = None
    actearly: bool = False
    actdim: int = -1
    dyntype: str = "none"
    """"none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid"."""
    dynprm: Vector = (1.0,)
    gaintype: str = "fixed"
    """"fixed", "affine", "muscle", "dcmotor" or "pid": the last two have a controller and several controls (`input`)."""
    gainprm: Vector = (1.0,)
    biastype: str = "none"
    """"none", "affine", "muscle" or "dcmotor"."""
    biasprm: Vector = (0.0,)
    nsample: int = 0
    """Samples of its controls that states keep; 0: none, and no delay."""
    delay: float = 0.0
    """How late its controls arrive [s]; needs samples."""
    interp: str = "zoh"
    """Between samples: "zoh" (held), "linear" or "cubic"."""
    dampratio: float | None = None
    """Position servo: damping ratio from which the velocity gain is computed at compile time (kv not given)."""
    inheritrange: float = 0.0
    """> 0: ctrlrange (or actrange, for an integrator) is this multiple of the joint's or tendon's range, about its middle."""
    user: Vector = ()
    """Numbers for your own use."""
    lengthrange: Vector | None = None
    """Feasible lengths of the transmission, which muscles use; not given, they are found (`CompilerSettings.lengthrange`)."""
    group: int = 0
