"""Shapes that are not read (height fields, meshes without a file): what they touched, and the masses that they gave.

A shape that could touch something is refused, or left out on request. A moving body that gets its mass from such a shape is
refused in any case: left out, it would be another robot. A body with an `inertial` loses nothing, nor does one that cannot
move, unless the compiler scales all masses to a total. Where the lost mass is a number of the file, it is named.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from ..mechanism.errors import Problems, Where
from ..mechanism.spec import Body, CompilerSettings


@dataclass
class _Shape:
    where: Where
    name: str
    attribute: str
    message: str
    """Why it is refused; empty: it only draws."""
    kind: str
    mass: str
    """"0.3 kg", "an unknown mass"; empty: none."""
    reason: str
    """Why it is not there, for the notice that names a shape which only draws; empty: passed over."""


class LostShapes:
    """Collects shapes that are left out, while a file is read; reports them when the whole tree is known."""

    def __init__(self, settings: CompilerSettings, problems: Problems):
        self.settings, self.problems = settings, problems
        self._of_body: dict[int, list[_Shape]] = defaultdict(list)

    def add(
        self,
        body: Body,
        where: Where,
        kind: str,
        attribute: str,
        message: str,
        values: dict[str, Any],
        reason: str = "",
    ) -> None:
        """A shape of a body; `values`: its name, mass, density, group as far as given. See `_Shape` for the texts."""
        mass, (low, high) = values.get("mass"), self.settings.inertiagrouprange
        weightless = mass == 0.0 or (mass is None and values.get("density", 1000.0) == 0.0)
        weightless |= not low <= values.get("group", 0) <= high
        lost = "" if weightless else "an unknown mass" if mass is None else f"{mass:g} kg"
        self._of_body[id(body)].append(_Shape(where, values.get("name", ""), attribute, message, kind, lost, reason))

    def move(self, old: Body, new: Body) -> None:
        """What belonged to `old` belongs to `new`."""
        self._of_body[id(new)] += self._of_body.pop(id(old), [])

    def report(self, world: Body) -> None:
        """Refuse what could touch something, and the bodies that get their mass from what was left out."""
        settings = self.settings
        moving = {id(world): False}
        for body, parent in world.walk():
            moving[id(body)] = parent is not None and (bool(body.joints) or moving[id(parent)])
            given = settings.inertiafromgeom is False or (settings.inertiafromgeom is None and bool(body.inertial))
            for shape in self._of_body.get(id(body), ()):
                messages, act = [shape.message] if shape.message else [], self.problems.refuse
                if shape.mass and not given and parent is not None:
                    cure = "add an inertial or mass='0'"
                    messages.append(f"body '{body.name}' would lose {shape.mass}, which this {shape.kind} gives it; {cure}")
                    if moving[id(body)] or settings.settotalmass > 0.0:
                        act = self.problems.lose
                elif shape.reason and not shape.message:
                    messages, act = [shape.reason], self.problems.note
                if messages:
                    act(shape.where, "; ".join(messages), name=shape.name, attribute=shape.attribute)
