"""Which geoms may touch, besides what their masks say."""

from __future__ import annotations

from dataclasses import dataclass

from .element import SOLIMP, SOLREF, Element, Vector


@dataclass
class ContactPair(Element):
    """A pair of geoms tested for contact whatever the masks say. The properties of the two geoms are not used."""

    geom1: str = ""
    geom2: str = ""
    name: str = ""
    condim: int = 3
    friction: Vector = (1.0, 1.0, 0.005, 0.0001, 0.0001)
    """Two sliding [-], torsional [m], two rolling [m]."""
    solref: Vector = SOLREF
    solimp: Vector = SOLIMP
    solreffriction: Vector = (0.0, 0.0)
    """(0, 0): as `solref`."""
    margin: float = 0.0
    gap: float = 0.0
    adhesion: float = 0.0
    """Force that pulls at each contact along the normal [N]. Soft mode only."""


@dataclass
class Exclude(Element):
    """Two bodies that never touch each other."""

    body1: str = ""
    body2: str = ""
    name: str = ""
