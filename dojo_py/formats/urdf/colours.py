"""Colours of links: `material` -> `Geom.rgba`, by MuJoCo's rule. Textures are not read."""

from __future__ import annotations

from collections.abc import Iterator

from ..xml_tree import Node
from .element import Element

Colour = tuple[float, float, float, float]


class Colours:
    """The materials of a file by name: those of the robot before those of links, of the same name the first one."""

    def __init__(self, robot: Element):
        self._named: dict[str, Colour] = {}
        self._own: dict[int, Colour] = {}
        for node in [*robot.node.find_all("material"), *_of_links(robot.node)]:
            given = node.find("color")
            if given is not None:
                red, green, blue, opacity = Element(given, robot.problems).numbers("rgba", 4)
                self._own[id(node)] = red, green, blue, opacity
                self._named.setdefault(node.attributes.get("name", ""), self._own[id(node)])

    def of(self, shape: Element) -> Colour | None:
        """The colour that a visual gives itself and the shapes of its link after it; None when it gives none."""
        node = shape.node.find("material")
        if node is None:
            return None
        return self._own.get(id(node)) or self._named.get(node.attributes.get("name", ""))


def _of_links(robot: Node) -> Iterator[Node]:
    """The materials of all visuals."""
    for link in robot.find_all("link"):
        for visual in link.find_all("visual"):
            yield from visual.find_all("material")
