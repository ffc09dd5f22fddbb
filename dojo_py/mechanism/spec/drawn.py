"""What is only drawn: textures, materials, cameras and lights, kept for viewers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .element import IDENTITY, ZERO3, Element, Vector


@dataclass
class Drawn(Element):
    """Something that is only drawn: the attributes of its element as texts, checked by name, not by value."""

    name: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Drawn] = field(default_factory=list)
    tag: str = ""


@dataclass
class Texture(Drawn):
    """A texture; `attributes["file"]` is a path that does not depend on the model's folder."""

    colour: Vector | None = None
    """Mean red, green, blue of its picture, 0 to 1, where a reader found one."""
    pixels: np.ndarray | None = field(default=None, compare=False, repr=False)
    """(rows, columns, 3) uint8 from the upper edge down: its picture, where a reader found one."""


@dataclass
class Material(Drawn):
    """A material."""

    texture: str = ""


@dataclass
class Camera(Drawn):
    """A camera fixed to a body."""

    pos: Vector = ZERO3
    quat: Vector = IDENTITY
    target: str = ""


@dataclass
class Light(Drawn):
    """A light fixed to a body."""

    pos: Vector = ZERO3
    dir: Vector = (0.0, 0.0, -1.0)
    target: str = ""
    texture: str = ""
