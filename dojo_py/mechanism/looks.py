"""What is drawn with a texture or material that goes away: it stays, and is drawn without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .spec import Mechanism


def without_textures(mechanism: Mechanism, gone: set[str]) -> None:
    """Let materials and lights forget these textures, in place."""
    users: list[Any] = [*mechanism.materials, *(light for body, _ in mechanism.world.walk() for light in body.lights)]
    for element in users:
        element.texture = "" if element.texture in gone else element.texture
        element.children = [layer for layer in element.children if layer.attributes.get("texture") not in gone]


def without_materials(mechanism: Mechanism, gone: Callable[[str], bool]) -> None:
    """Let geoms, sites and tendons forget the materials of such names, in place."""
    users: list[Any] = [shape for body, _ in mechanism.world.walk() for shape in (*body.geoms, *body.sites)]
    for element in (*users, *mechanism.tendons):
        element.material = "" if gone(element.material) else element.material
