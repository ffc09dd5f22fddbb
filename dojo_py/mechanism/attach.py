"""Copies of parts of a mechanism: `replicate` (within it, names with a suffix) and `attach` (into another one, with a prefix).

Copies take with them what refers to them: tendons, actuators, equalities, contact pairs, exclusions, sensors. Of a model that is
attached come the parts of the tree, what refers to nothing else, its assets and user data, and its keyframes for the joints that
came.
"""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import Problems, Where, nearest
from .keys import bind_keyframes
from .names import (
    ASSETS,
    LISTS,
    REFERRING,
    Names,
    inside,
    listed,
    names_in,
    own_elements,
    references,
    rename,
    tree_elements,
)
from .placing import move_parts, out_of, parts, place
from .spec import Body, Mechanism

Array = np.ndarray

MAX_ELEMENTS = 200_000
"""Elements that copying may make."""
NOT_MIXED = ("settotalmass", "fitaabb")
"""Settings of the whole model, which an attached one cannot have of its own."""


@dataclass
class Replicas:
    """What was copied where, until the elements that refer to it are known."""

    names: Names
    suffixes: list[str]

    def apply(self, mechanism: Mechanism, tally: Tally) -> bool:
        """Replace what refers to the originals by what refers to the copies, at the end of its list. False: they are too many."""
        known = {kind: set(names) for kind, names in self.names.items()}
        for kind, elements in listed(mechanism, REFERRING):
            touched = [element for element in elements if inside(element, known)]
            if not touched:
                continue
            if not tally.room(len(self.suffixes) * sum(_size(element) for element in touched)):
                return False
            gone = {id(element) for element in touched}
            elements[:] = [element for element in elements if id(element) not in gone]
            known.setdefault(kind, set()).update(element.name for element in touched if element.name)
            sets = [touched, *([copy.deepcopy(element) for element in touched] for _ in self.suffixes[1:])]
            for suffix, copies in zip(self.suffixes, sets, strict=True):
                rename([(kind, element) for element in copies], known, lambda name, suffix=suffix: name + suffix)  # type: ignore[misc]
                elements.extend(copies)
        return True


@dataclass
class Tally:
    """How many elements copying has made."""

    count: int = 0
    limit: int = MAX_ELEMENTS

    def room(self, more: int) -> bool:
        """Count so many more; False where they are too many."""
        self.count += more
        return self.count <= self.limit

    def room_for(self, body: Body, times: int) -> bool:
        """Count so many copies of what a body holds."""
        return self.room(times * sum(1 for _ in tree_elements([body])))

    def room_for_all(self, mechanism: Mechanism) -> bool:
        """Count a copy of a mechanism."""
        return self.room_for(mechanism.world, 1) and self.room(sum(_size(e) for _, those in listed(mechanism) for e in those))


def _size(element: Any) -> int:
    """An element that is not of the tree, with its parts."""
    lists = (getattr(element, item.name) for item in dataclasses.fields(element))
    return 1 + sum(len(parts) for parts in lists if isinstance(parts, list) and parts and dataclasses.is_dataclass(parts[0]))


def replicate(original: Body, target: Body, poses: list[tuple[Array, Array]], separator: str) -> Replicas:
    """Put copies of what `original` holds into `target`, one a pose; the first one is the original, which keyframes may name."""
    names = names_in([*own_elements(original), *tree_elements(original.bodies)])
    digits = len(str(max(len(poses) - 1, 0)))
    suffixes = [f"{separator}{number:0{digits}d}" for number in range(len(poses))]
    copies = [original, *(copy.deepcopy(original) for _ in poses[1:])]
    for made, (pos, quat), suffix in zip(copies, poses, suffixes, strict=True):
        rename([*own_elements(made), *tree_elements(made.bodies)], names, lambda name, suffix=suffix: name + suffix)  # type: ignore[misc]
        place(parts(made), pos, quat)
        move_parts(made, target)
    return Replicas(names, suffixes)


def attach(
    mechanism: Mechanism,
    target: Body,
    child: Mechanism,
    prefix: str,
    body: str = "",
    frame: str = "",
    pos: Array | None = None,
    quat: Array | None = None,
    where: Where | None = None,
    problems: Problems | None = None,
) -> Body:
    """Copy a child mechanism, or one of its bodies or frames, into `target`; names get the prefix. `child` stays as it is.

    pos, quat: pose of the child's world (or of the frame that holds the chosen body) in `target`. Returns a body that holds what
    was attached to `target`, as a list of it: its geoms, sites and bodies are now those of `target`.
    """
    collected = Problems() if problems is None else problems
    child = copy.deepcopy(child)
    bind_keyframes(child)
    _own_settings(mechanism, child, where, collected)
    holder = _chosen(child, body, frame, where, collected)
    place(parts(holder), np.zeros(3) if pos is None else pos, np.array([1.0, 0.0, 0.0, 0.0]) if quat is None else quat)
    if problems is None:
        collected.raise_if_any()  # before anything of the child is in the mechanism
    moved = [*own_elements(holder), *tree_elements(holder.bodies)]
    names = names_in(moved)
    for kind, elements in listed(child, ASSETS):
        names.setdefault(kind, set()).update(element.name for element in elements if element.name)
        moved += _take(mechanism, kind, elements)
    for kind, elements in listed(child, REFERRING):
        moved += _take(mechanism, kind, _that_refer_to(kind, elements, names, where, collected))
    for kind, elements in listed(child, [name for name in LISTS if name not in (*ASSETS, *REFERRING, "keyframes")]):
        moved += _take(mechanism, kind, elements)
    rename(moved, names, lambda name: prefix + name)
    _take_keyframes(mechanism, child, prefix, moved)
    move_parts(holder, target)
    mechanism.left_out.extend([*child.left_out, *collected.notices] if problems is None else ())
    return holder


def _take(mechanism: Mechanism, kind: str, elements: list[Any]) -> list[tuple[str, Any]]:
    """Elements of a kind into the mechanism's list of them; returns them with the kind."""
    getattr(mechanism, _list_of(kind)).extend(elements)
    return [(kind, element) for element in elements]


def _that_refer_to(
    kind: str, elements: list[Any], names: dict[str, set[str]], where: Where | None, problems: Problems
) -> list[Any]:
    """Those whose references all have these names, to which theirs are added, so that others may refer to them."""
    found = []
    for element in elements:
        how = inside(element, names) if any(True for _ in references(element)) else 2  # a clock refers to nothing
        how = 1 if kind == "sensor" and _of_the_world(element) else how
        if how == 2:
            names.setdefault(kind, set()).update({element.name} - {""})
            found.append(element)
        elif how == 1:
            message = f"{kind} '{element.name}' refers to something that is not attached, and is left out"
            problems.note(element.where or where, message, name=element.name)
    return found


def _take_keyframes(mechanism: Mechanism, child: Mechanism, prefix: str, moved: list[tuple[str, Any]]) -> None:
    """Keyframes of the child, as far as they are of what was attached."""
    here = {id(element) for _, element in moved}
    for key in child.keyframes:
        key.parts = [part for part in key.parts if id(part.element) in here]
        key.name = prefix + key.name if key.name else ""
        mechanism.keyframes.append(key)


def _of_the_world(sensor: Any) -> bool:
    """Whether a sensor looks at the world of its own model, which is not attached (MuJoCo's rule)."""
    return bool(sensor.objname == "world")


def _list_of(kind: str) -> str:
    return next(name for name, of in LISTS.items() if of == kind)


def _chosen(child: Mechanism, body: str, frame: str, where: Where | None, problems: Problems) -> Body:
    """A body that holds what is to be attached: the world's contents, one body, or what stands in a frame."""
    if body and frame:
        problems.add(where, "give body or frame, not both", attribute="frame")
    if frame:
        found = next((f for f in child.frames if f.name == frame), None)
        if found is not None:
            ids = {id(element) for element in found.elements}
            keep: dict[str, Any] = {}
            for owner, _ in child.world.walk():
                for attribute in ("geoms", "sites", "cameras", "lights", "bodies", "joints"):
                    keep.setdefault(attribute, []).extend(e for e in getattr(owner, attribute) if id(e) in ids)
            holder = Body("", **keep)
            place(parts(holder), *out_of(found.frame))
            return holder
        problems.add(where, f"no frame is named '{frame}'{nearest(frame, [f.name for f in child.frames])}", attribute="frame")
    if body and body != "world":
        for owner, _ in child.world.walk():
            if owner.name == body and owner is not child.world:
                place([owner], *out_of(owner.frame))
                owner.frame = None
                return Body("", bodies=[owner])
        names = [owner.name for owner, _ in child.world.walk()]
        problems.add(where, f"no body is named '{body}' in the model '{child.name}'{nearest(body, names)}", attribute="body")
        return Body("")
    return child.world


def _own_settings(mechanism: Mechanism, child: Mechanism, where: Where | None, problems: Problems) -> None:
    """The child's compiler settings stay those of what was its own; its options give way to the mechanism's."""
    mine, its = mechanism.settings, child.settings
    for body, _ in child.world.walk():
        body.settings = body.settings or its
    for name in NOT_MIXED:
        if getattr(mine, name) != getattr(its, name):
            message = f"{name} of the attached model '{child.name}' is not used: it is one of the whole model"
            problems.note(where, message, attribute=name)
    for _, element in [*tree_elements([child.world]), *((kind, e) for kind, es in listed(child) for e in es)]:
        for limited in ("limited", "ctrllimited", "forcelimited", "actlimited", "actuatorfrclimited"):
            if hasattr(element, limited) and getattr(element, limited) is None and mine.autolimits != its.autolimits:
                bounds = getattr(element, limited.replace("limited", "range"))
                setattr(element, limited, bool(bounds is not None and any(bounds)))
        if getattr(element, "type", "") == "free" and getattr(element, "align", 0) is None:
            element.align = its.alignfree
    for item in dataclasses.fields(child.option):
        given, kept = getattr(child.option, item.name), getattr(mechanism.option, item.name)
        if item.name != "where" and given != item.default and given != kept and given != {}:
            message = f"option {item.name} of the attached model '{child.name}' is not used; the model's own counts"
            problems.note(where, message, attribute=item.name)
