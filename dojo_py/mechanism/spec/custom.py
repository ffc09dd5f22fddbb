"""The user's own numbers, texts and lists of objects: kept with the model, without effect on the motion."""

from __future__ import annotations

from dataclasses import dataclass, field

from .element import Element, Vector


@dataclass
class Numeric(Element):
    """Numbers of the user's with a name."""

    name: str = ""
    data: Vector = ()
    size: int | None = None
    """How many there are, the rest zeros; None: as many as `data`."""


@dataclass
class Text(Element):
    """A text of the user's with a name."""

    name: str = ""
    data: str = ""


@dataclass
class TupleElement(Element):
    """An object that a tuple lists, and a number with it."""

    objtype: str = ""
    objname: str = ""
    prm: float = 0.0


@dataclass
class Tuple(Element):
    """A list of objects of the model with a name."""

    name: str = ""
    elements: list[TupleElement] = field(default_factory=list)
