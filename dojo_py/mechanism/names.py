"""Names and references of a mechanism: what refers to what, renaming, and what belongs to a part of the tree.

A field that names another element is known by the field's own name (`joint`, `body1`, `mesh`, ...); an equality's `name1`, a
sensor's `objname` and the elements of a tuple say themselves of which kind it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .spec import Body, Mechanism

KINDS = {
    "joint": "joint", "jointinparent": "joint", "site": "site", "refsite": "site", "cranksite": "site", "slidersite": "site",
    "sidesite": "site", "tendon": "tendon", "body": "body", "body1": "body", "body2": "body", "geom": "geom", "geom1": "geom",
    "geom2": "geom", "mesh": "mesh", "material": "material", "texture": "texture", "hfield": "hfield", "actuator": "actuator",
    "camera": "camera", "target": "body", "subtree1": "body", "subtree2": "body", "sensor": "sensor",
}  # fmt: skip
"""Field -> kind of the element that it names."""
TYPED = {"name1": "objtype", "name2": "objtype", "objname": "objtype", "refname": "reftype"}
"""Field -> the field of the same element that tells the kind."""
TREE = {"bodies": "body", "joints": "joint", "geoms": "geom", "sites": "site", "cameras": "camera", "lights": "light"}
"""Lists of a body -> kind of their elements."""
LISTS = {
    "meshes": "mesh", "textures": "texture", "materials": "material", "hfields": "hfield", "pairs": "pair", "excludes": "exclude",
    "tendons": "tendon", "equalities": "equality", "actuators": "actuator", "sensors": "sensor", "numerics": "numeric",
    "texts": "text", "tuples": "tuple", "keyframes": "keyframe",
}  # fmt: skip
"""Lists of a mechanism -> kind of their elements; what may be referred to comes before what refers."""
ASSETS = ("meshes", "textures", "materials", "hfields")
"""Lists whose elements belong to the model as a whole; so do keyframes and user data."""
REFERRING = ("pairs", "excludes", "tendons", "equalities", "actuators", "sensors", "tuples")
"""Lists whose elements belong to the parts of the tree that they name."""

Names = dict[str, set[str]]
"""Kind -> names."""


def tree_elements(bodies: Iterable[Body]) -> Iterator[tuple[str, Any]]:
    """(kind, element) of all bodies of these subtrees and of what they hold."""
    for root in bodies:
        for body, _ in root.walk():
            yield "body", body
            yield from own_elements(body)


def own_elements(body: Body) -> Iterator[tuple[str, Any]]:
    """(kind, element) of what a body holds itself, but for other bodies."""
    for attribute, kind in TREE.items():
        if kind != "body":
            yield from ((kind, element) for element in getattr(body, attribute, ()))


def listed(mechanism: Mechanism, lists: Iterable[str] = tuple(LISTS)) -> Iterator[tuple[str, list[Any]]]:
    """(kind, list) of those lists of a mechanism that exist."""
    return ((LISTS[name], getattr(mechanism, name)) for name in lists if hasattr(mechanism, name))


def names_in(elements: Iterable[tuple[str, Any]]) -> Names:
    """The names that these elements have."""
    out: Names = {}
    for kind, element in elements:
        if getattr(element, "name", ""):
            out.setdefault(kind, set()).add(element.name)
    return out


def references(element: Any) -> Iterator[tuple[Any, str, str]]:
    """(holder, field, kind) of every name by which an element, or what it lists, refers to another one."""
    for item in dataclasses.fields(element):
        value = getattr(element, item.name)
        if item.name in TYPED and value and value != "world":
            yield element, item.name, _told(element, item.name)
        elif item.name in KINDS and isinstance(value, str) and value and value != "world":
            yield element, item.name, KINDS[item.name]
        elif isinstance(value, list) and not isinstance(element, Body):
            for inner in value:
                if dataclasses.is_dataclass(inner):
                    yield from references(inner)


def _told(element: Any, name: str) -> str:
    kind = getattr(element, "type", "")
    if kind in ("joint", "tendon") and name in ("name1", "name2"):
        return kind
    told = str(getattr(element, TYPED[name], "body")).lower()
    return "body" if told == "xbody" else told


def rename(elements: Iterable[tuple[str, Any]], names: Names, new: Callable[[str], str]) -> None:
    """Rename the elements, and those of their references that are in `names`."""
    for _, element in elements:
        if getattr(element, "name", ""):
            element.name = new(element.name)
        for holder, attribute, kind in list(references(element)):
            if getattr(holder, attribute) in names.get(kind, ()):
                setattr(holder, attribute, new(getattr(holder, attribute)))


def inside(element: Any, names: Names) -> int:
    """How an element refers to these names: 2 with every reference, 1 with some, 0 with none."""
    hits = [getattr(holder, attribute) in names.get(kind, ()) for holder, attribute, kind in references(element)]
    return 0 if not any(hits) else 2 if all(hits) else 1
