"""Defaults classes: each holds attribute values per element, inherited from the class it is nested in.

Actuators share one record per class whatever shortcut element fills it (see `actuators`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...mechanism.errors import Problems, listing, nearest
from ..xml_tree import Node
from . import schema
from .actuators import Settings, apply_shortcut
from .orientation import KEYS as ORIENTATIONS
from .values import Values, overlay, read_attributes


@dataclass
class DefaultClass:
    """Attribute values by element tag; `forces` is what actuator elements of this class start from."""

    name: str
    parent: DefaultClass | None = None
    values: dict[str, Values] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)


class Defaults:
    """All defaults classes of a file, by name. The root class is called "main"."""

    def __init__(self, sections: list[Node], problems: Problems):
        self.problems = problems
        self.root = DefaultClass("main")
        self.classes = {"main": self.root}
        for section in sections:
            name = section.attributes.get("class", "")
            if name not in ("", self.root.name):
                message = f"the outer class is called '{self.root.name}', and has no other name (MuJoCo's rule)"
                self.problems.add(section.where, message, name=name, attribute="class")
            self._read(section, self.root)

    def find(self, node: Node, inherited: DefaultClass, attribute: str = "class") -> DefaultClass:
        """The class an element names, else the inherited one."""
        name = node.attributes.get(attribute)
        if name is None:
            return inherited
        if name not in self.classes:
            message = f"no defaults class is named '{name}'{listing(self.classes)}"
            message += nearest(name, self.classes)
            self.problems.add(node.where, message, name=node.attributes.get("name", ""), attribute=attribute)
            return inherited
        return self.classes[name]

    def _read(self, node: Node, target: DefaultClass) -> None:
        for key in node.attributes:
            if key != "class":
                self.problems.add(node.where, "the only attribute of default is 'class'", attribute=key)
        for child in sorted(node.children, key=lambda child: child.tag == "default"):  # (nested classes inherit all of it)
            if child.tag == "default":
                self._read(child, self._nested(child, target))
            elif child.tag in schema.SHORTCUTS:
                values = read_attributes(child, schema.DEFAULTS[child.tag], self.problems)
                common = {key: value for key, value in values.items() if key in schema.ACTUATOR}
                target.values["actuator"] = merge(common, target.values.get("actuator", {}))
                target.settings = apply_shortcut(child, values, target.settings, self.problems)
            elif child.tag in schema.DEFAULTS:
                values = read_attributes(child, schema.DEFAULTS[child.tag], self.problems)
                target.values[child.tag] = merge(values, target.values.get(child.tag, {}))
            elif child.tag not in schema.IGNORED_DEFAULTS:
                accepted = ("default", *schema.DEFAULTS, *schema.IGNORED_DEFAULTS)
                self.problems.add(child.where, f"is not an element of default{nearest(child.tag, accepted)}")

    def _nested(self, node: Node, parent: DefaultClass) -> DefaultClass:
        name = node.attributes.get("class", "")
        if not name:
            self.problems.add(node.where, "a nested defaults class needs a name", attribute="class")
        elif name in self.classes:
            self.problems.add(node.where, f"'{name}' is already the name of another defaults class", attribute="class")
        child = DefaultClass(name, parent, {tag: dict(values) for tag, values in parent.values.items()})
        child.settings = Settings(parent.settings.force, None, parent.settings)
        if name and name not in self.classes:
            self.classes[name] = child
        return child


def merge(own: Values, default: Values) -> Values:
    """Own values over those of the class; lists are overlaid, and any orientation replaces the class's.

    One number of `springlength` stands for both ends.
    """
    out = dict(default)
    if len(own.get("springlength", ())) == 1:
        own = own | {"springlength": own["springlength"] * 2}
    if any(key in own for key in ORIENTATIONS):
        out = {key: value for key, value in out.items() if key not in ORIENTATIONS}
    return out | {key: value if key == "user" else overlay(value, out.get(key)) for key, value in own.items()}
