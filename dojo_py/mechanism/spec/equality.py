"""Equality constraints, which close loops and couple coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from .element import SOLIMP, SOLREF, Element, Vector

EQUALITY_TYPES = ("connect", "weld", "joint", "tendon")


@dataclass
class Equality(Element):
    """A constraint between two bodies, sites, joints or tendons.

    type "connect": point of body1 and body2 (or `objtype` "site": two sites) coincide; `anchor` in the frame of body1.
    type "weld": the relative pose is fixed; `anchor` in the frame of body2, `relpose` = pose of body2 in body1 (7).
    type "joint": joint1 - ref1 = polycoef(joint2 - ref2), five coefficients; type "tendon": the same of two lengths.
    """

    type: str = "connect"
    name1: str = ""
    name2: str = ""
    """Empty: the world (connect, weld) or a constant (joint, tendon)."""
    name: str = ""
    objtype: str = "body"
    """"body" or "site" for connect and weld."""
    active: bool = True
    anchor: Vector | None = None
    relpose: Vector | None = None
    """None: the relative pose in the described configuration."""
    torquescale: float = 1.0
    """[m] weight of the orientation rows of a weld."""
    polycoef: Vector = (0.0, 1.0, 0.0, 0.0, 0.0)
    solref: Vector = SOLREF
    solimp: Vector = SOLIMP
