"""One XML element of a URDF: its attributes as numbers and words, its children, and what does not belong there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...mechanism import quaternion
from ...mechanism.errors import Problems, nearest
from ..xml_tree import Node

FOREIGN = "the {} {} belongs to another program, and is not read"
"""Of a namespace of its own (xacro:..., controller:...), or unknown where programs add theirs (contact of a link)."""


class Element:
    """Access to one node. `owner` is the name of the link or joint it belongs to, for messages."""

    def __init__(self, node: Node, problems: Problems, owner: str = ""):
        self.node, self.problems = node, problems
        self.owner = owner or node.attributes.get("name", "")
        self.where = node.where

    def fail(self, message: str, attribute: str = "") -> None:
        """Record a problem here."""
        self.problems.add(self.where, message, name=self.owner, attribute=attribute)

    def refuse(self, message: str, attribute: str = "") -> None:
        """Report something that is understood but not simulated."""
        self.problems.refuse(self.where, message, name=self.owner, attribute=attribute)

    def accept(
        self, attributes: Sequence[str], children: Sequence[str] = (), ignored: Sequence[str] = (), foreign: Sequence[str] = ()
    ) -> None:
        """Refuse attributes and children other than these. `ignored` children need no reading; `foreign` attributes are noted.

        Elements that have some are those that other programs add their own to: what is not nearly one of ours is noted.
        """
        for name in self.node.attributes:
            if ":" in name:
                self.problems.note(self.where, FOREIGN.format("attribute", name), name=self.owner, attribute=name)
            elif name in foreign:
                message = f"is not part of URDF, and is not read; accepted: {list(attributes)}"
                self.problems.note(self.where, message, name=self.owner, attribute=name)
            elif name not in attributes:
                self.refuse(f"is not read; accepted: {list(attributes)}{nearest(name, attributes)}", name)
        for child in self.node.children:
            if ":" in child.tag:
                self.problems.note(child.where, FOREIGN.format("element", child.tag), name=self.owner)
            elif child.tag in children or child.tag in ignored:
                continue
            elif ignored and not nearest(child.tag, children):
                self.problems.note(child.where, FOREIGN.format("element", child.tag), name=self.owner)
            else:
                message = f"not accepted in {self.node.tag}; accepted: {list(children)}{nearest(child.tag, children)}"
                self.problems.refuse(child.where, message, name=self.owner)

    def child(self, tag: str, required: bool = False) -> Element | None:
        """The child with this tag. Of several the first is read and the others are refused."""
        found = self.node.find_all(tag)
        if not found and required:
            self.fail(f"needs an element '{tag}'")
        for extra in found[1:]:
            self.problems.refuse(extra.where, f"repeats the element of line {found[0].where.line}", name=self.owner)
        return Element(found[0], self.problems, self.owner) if found else None

    def children(self, tag: str, owner: str = "") -> list[Element]:
        """All children with this tag."""
        return [Element(child, self.problems, owner) for child in self.node.find_all(tag)]

    def text(self, attribute: str, required: bool = True) -> str:
        """The attribute as it stands; an empty string if it is missing."""
        value = self.node.attributes.get(attribute, "")
        if required and not value:
            self.fail("is missing", attribute)
        return value

    def numbers(
        self, attribute: str, count: int, default: Sequence[float] | None = None, *, positive: bool = False
    ) -> tuple[float, ...]:
        """The attribute as `count` finite numbers; without a default it is required."""
        value = self.node.attributes.get(attribute)
        if value is None:
            if default is None:
                self.fail(f"is missing; {_count(count)} accepted", attribute)
            return tuple(default or (1.0,) * count)
        words = value.split()
        try:
            numbers = tuple(_number(word) for word in words)
        except ValueError:
            self.fail(f"'{value}' was read; {_count(count)} accepted", attribute)
            return tuple(default or (1.0,) * count)
        if len(numbers) != count or not all(math.isfinite(x) for x in numbers):
            self.fail(f"'{value}' was read; {_count(count)} accepted", attribute)
        elif positive and min(numbers) <= 0.0:
            self.fail(f"'{value}' was read; {_count(count)} greater than 0 accepted", attribute)
        else:
            return numbers
        return tuple(default or (1.0,) * count)

    def number(self, attribute: str, default: float | None = None, *, positive: bool = False) -> float:
        """The attribute as one finite number."""
        return self.numbers(attribute, 1, None if default is None else (default,), positive=positive)[0]

    def has(self, attribute: str) -> bool:
        """Whether the attribute is given."""
        return attribute in self.node.attributes

    def pose(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Position and quaternion of the `origin` child; the identity without one."""
        origin = self.child("origin")
        return origin.own_pose() if origin else ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))

    def own_pose(self, also: Sequence[str] = ()) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Position `xyz` and quaternion of `rpy` of this element."""
        self.accept(("xyz", "rpy", *also))
        position = self.numbers("xyz", 3, (0.0, 0.0, 0.0))
        return position, from_roll_pitch_yaw(self.numbers("rpy", 3, (0.0, 0.0, 0.0)))


def from_roll_pitch_yaw(angles: Sequence[float]) -> tuple[float, ...]:
    """Roll about x, then pitch about y, then yaw about z, all fixed axes [rad]."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(np.eye(3), angles, strict=True):
        q = quaternion.multiply(quaternion.from_axis_angle(axis, angle), q)
    return tuple(float(x) for x in quaternion.normalise(q))


def _number(word: str) -> float:
    if "_" in word:  # Python's digit grouping is not XML's
        raise ValueError(word)
    return float(word)


def _count(count: int) -> str:
    return "one number is" if count == 1 else f"{count} numbers are"
