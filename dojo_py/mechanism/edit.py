"""Editing a mechanism: find, add, delete, attach. Errors name the call's argument and the nearest name."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import quaternion
from .attach import attach
from .errors import ModelError, listing, nearest
from .keys import bind_keyframes
from .looks import without_materials, without_textures
from .names import LISTS, REFERRING, TREE, Names, inside, listed, names_in, tree_elements
from .spec import Body, Camera, Element, Geom, Joint, Light, Mechanism, Site, Vector

FOUND = sorted({*TREE.values(), *LISTS.values()})
CLASSES = {
    "Actuator": "actuators", "Equality": "equalities", "ContactPair": "pairs", "Exclude": "excludes", "Keyframe": "keyframes",
    "Mesh": "meshes", "HField": "hfields", "Tendon": "tendons", "Sensor": "sensors", "Material": "materials", "Texture": "textures",
    "Numeric": "numerics", "Text": "texts", "Tuple": "tuples",
}  # fmt: skip
"""Class of an element -> the mechanism's list that holds it."""


def find(mechanism: Mechanism, kind: str, name: str) -> Any:
    """The element of a kind by its name."""
    if kind not in FOUND:
        raise ModelError(f"kind '{kind}' is not one of {FOUND}{nearest(str(kind), FOUND)}")
    if not isinstance(name, str):
        raise TypeError(f"name={name!r} is a {type(name).__name__}, expected the name of a {kind}")
    if kind == "body" and name == "world":
        return mechanism.world
    there = {str(element.name): element for of, element in _all(mechanism) if of == kind and hasattr(element, "name")}
    if not name or name not in there:
        raise ModelError(f"no {kind} is named '{name}'{listing(there)}{nearest(name, there)}")
    return there[name]


def add(mechanism: Mechanism, element: Any) -> Any:
    """Add an element to the list it belongs to."""
    if isinstance(element, Body):
        return mechanism.world.add(element)
    attribute = str(CLASSES.get(type(element).__name__, ""))
    if not hasattr(mechanism, attribute):
        accepted = ["Body", *(name for name, of in CLASSES.items() if hasattr(mechanism, of))]
        raise TypeError(f"a {type(element).__name__} cannot be added to a mechanism; accepted: {accepted}{_of_a_body(element)}")
    getattr(mechanism, attribute).append(element)
    return element


def _of_a_body(element: Any) -> str:
    """Where an element that belongs to a body is added."""
    if not isinstance(element, (Joint, Geom, Site, Camera, Light)):
        return ""
    still = "" if isinstance(element, Joint) else ", to the world what stands still, as a floor does: `mechanism.world.add(...)`"
    return f"; a {type(element).__name__} is added to a body: `mechanism.body(name).add(...)`{still}"


def delete(mechanism: Mechanism, element: Any) -> None:
    """Take an element out, with what is in it and what refers to it; what was drawn with it is drawn without."""
    if not isinstance(element, Element):
        kind = type(element).__name__
        raise TypeError(f"element={element!r} is a {kind}, expected an element of the mechanism, as find returns it")
    if element is mechanism.world:
        raise ModelError("the world cannot be deleted")
    bind_keyframes(mechanism)
    gone = [("body", element)] if isinstance(element, Body) else [(k, e) for k, e in _all(mechanism) if e is element]
    if isinstance(element, Body):
        gone = list(tree_elements([element]))
    if not _removed(mechanism, element):
        name = getattr(element, "name", "")
        raise ModelError(f"the {type(element).__name__.lower()} '{name}' is not part of this mechanism")
    names = names_in(gone)
    for kind, shown in _shown(mechanism, names):
        names.setdefault(kind, set()).update({shown.name} - {""})
        _removed(mechanism, shown)
    while True:  # what refers to what refers to it
        more = [(kind, e) for kind, elements in listed(mechanism, REFERRING) for e in elements if inside(e, names)]
        if not more:
            break
        for kind, found in more:
            names.setdefault(kind, set()).update({found.name} - {""})
            _removed(mechanism, found)
    without_textures(mechanism, names.get("texture", set()))
    without_materials(mechanism, names.get("material", set()).__contains__)


def _shown(mechanism: Mechanism, names: Names) -> list[tuple[str, Any]]:
    """Geoms of a mesh or a height field of these names, cameras and lights that look at a body of these names."""
    meshes, hfields, bodies = (names.get(kind, set()) for kind in ("mesh", "hfield", "body"))
    out: list[tuple[str, Any]] = []
    for owner, _ in mechanism.world.walk():
        out += [("geom", geom) for geom in owner.geoms if geom.mesh in meshes or geom.hfield in hfields]
        out += [("camera", camera) for camera in owner.cameras if camera.target in bodies]
        out += [("light", light) for light in owner.lights if light.target in bodies]
    return out


def attach_at(
    mechanism: Mechanism, child: Mechanism, to: str | Body, prefix: str, body: str, frame: str, pos: Vector, quat: Vector
) -> list[Body]:
    """`attach` with the arguments of `Mechanism.attach`."""
    if not isinstance(child, Mechanism):
        raise TypeError(f"child is a {type(child).__name__}, expected a Mechanism, as load_mechanism returns it")
    for argument, text in (("prefix", prefix), ("body", body), ("frame", frame)):
        if not isinstance(text, str):
            raise TypeError(f"{argument}={text!r} is a {type(text).__name__}, expected a string")
    target = to if isinstance(to, Body) else find(mechanism, "body", to)
    if not any(owner is target for owner, _ in mechanism.world.walk()):
        raise ModelError(f"to: body '{target.name}' is not part of this mechanism")
    position, turned = _finite("pos", pos, 3), _finite("quat", quat, 4)
    if not np.any(turned):
        raise ModelError(f"quat={quat!r}: a quaternion of zero length has no direction")
    bind_keyframes(mechanism)
    holder = attach(mechanism, target, child, prefix, body, frame, position, quaternion.normalise(turned))
    return holder.bodies


def _finite(argument: str, values: Vector, count: int) -> np.ndarray:
    """The values as (count,) finite floats."""
    try:
        out = np.asarray(values, float)
    except (TypeError, ValueError):
        out = np.zeros(0)
    if out.shape != (count,) or not np.all(np.isfinite(out)):
        raise ModelError(f"{argument}={values!r}: {count} finite numbers are accepted")
    return out


def _all(mechanism: Mechanism) -> list[tuple[str, Any]]:
    tree = list(tree_elements([mechanism.world]))
    return [*tree, *((kind, element) for kind, elements in listed(mechanism) for element in elements)]


def _removed(mechanism: Mechanism, element: Any) -> bool:
    """Whether the element was found in one of the lists, and taken out of it."""
    holders: list[list[Any]] = [elements for _, elements in listed(mechanism)]
    for owner, _ in mechanism.world.walk():
        holders += [getattr(owner, attribute) for attribute in TREE if hasattr(owner, attribute)]
    for elements in holders:
        for index, there in enumerate(elements):
            if there is element:
                del elements[index]
                return True
    return False
