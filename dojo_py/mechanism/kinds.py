"""Whether elements have texts, flags, whole numbers, lists and dicts where these are meant, before the compiler reads them.

Lengths and magnitudes of numbers are checked where they are compiled (`checks.py`).
"""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache
from typing import Any

import numpy as np

from .checks import Check
from .errors import ModelError, Problems
from .layout import MAX_BODIES
from .names import LISTS
from .spec import Element, Mechanism

KINDS: dict[str, tuple[Any, str]] = {
    "str": (str, "a string"),
    "int": ((int, np.integer), "an integer"),
}
"""A field's type -> accepted classes, and what messages call them."""
DICTS = {"dict[str, str]": "strings", "dict[str, bool]": "flags"}
"""Types of dicts -> what messages call their values."""
FLAGS = {"bool": "True or False", "bool | None": "True, False or None"}
"""Types of flags -> what messages call them; 0 and 1 are accepted, too."""
WALKED = ("bodies", "parts")
"""Lists that are not looked into: of the tree, and what keyframes keep."""


def check_kinds(mechanism: Mechanism) -> None:
    """Raise `ModelError` with every field that is of another kind."""
    problems = Problems()
    try:
        bodies = [body for body, _ in itertools.islice(mechanism.world.walk(), MAX_BODIES)]
    except (AttributeError, TypeError) as error:
        raise ModelError(f"the tree of '{mechanism.name}' is not made of bodies: {error}") from None
    for body in bodies:
        _check(body, problems)
        if body.inertial is not None:
            _check_one(body, "inertial", "Inertial", problems)
    for name, kind in (("settings", "CompilerSettings"), ("option", "OptionSpec")):
        if _check_one(mechanism, name, kind, problems):
            _check_numbers(getattr(mechanism, name), problems)
    for name in LISTS:
        _check_list(mechanism, name, problems)
    problems.raise_if_any()


def _check_one(holder: Any, name: str, kind: str, problems: Problems) -> bool:
    """Whether a field is an element of this class; its own fields are checked."""
    value = getattr(holder, name)
    if type(value).__name__ != kind:
        Check(problems, holder).fail(name, f"{value!r} is not of class {kind}")
        return False
    _check(value, problems)
    return True


def _check_numbers(element: Any, problems: Problems) -> None:
    """Fields that are one number of floating point."""
    for item in dataclasses.fields(element):
        value = getattr(element, item.name)
        if item.type == "float" and not isinstance(value, (float, int, np.floating, np.integer)):
            Check(problems, element).fail(item.name, f"{value!r} is not a number")


def _check_list(holder: Any, name: str, problems: Problems) -> None:
    """A list, of elements of the classes that the field's type names."""
    value = getattr(holder, name)
    if not isinstance(value, list):
        Check(problems, holder).fail(name, f"{value!r} is not a list")
        return
    of: Any = type(holder)
    classes = _members(of, name)
    for element in value:
        if not isinstance(element, Element):
            Check(problems, holder).fail(name, f"{element!r} is not an element of a mechanism")
        elif classes and not classes & {kind.__name__ for kind in type(element).__mro__}:
            Check(problems, holder).fail(name, f"a {type(element).__name__} is not one of {sorted(classes)}")
        else:
            _check(element, problems)


def _check(element: Any, problems: Problems) -> None:
    of: Any = type(element)
    for name, kind in _fields(of):
        if kind == "list":
            _check_list(element, name, problems)
            continue
        value = getattr(element, name)
        if kind in FLAGS:
            if not _is_flag(value) and (value is not None or kind == "bool"):
                Check(problems, element).fail(name, f"{value!r} is not {FLAGS[kind]}")
            continue
        if kind in DICTS:
            of_its_kind = _is_flag if DICTS[kind] == "flags" else _is_text
            if not isinstance(value, dict):
                Check(problems, element).fail(name, f"{value!r} is not a dict")
            elif not all(map(of_its_kind, value.values())):
                Check(problems, element).fail(name, f"{value!r} is not made of {DICTS[kind]}")
            continue
        accepted, word = KINDS[kind]
        if not isinstance(value, accepted):
            Check(problems, element).fail(name, f"{value!r} is not {word}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_, int, np.integer)) and value in (0, 1)


@cache
def _fields(kind: Any) -> list[tuple[str, str]]:
    """(name, key of `KINDS`, `DICTS` or `FLAGS`, or "list") of the fields of a class of elements that are of such a kind."""
    types = [(item.name, str(item.type)) for item in dataclasses.fields(kind) if item.name not in WALKED]
    found = [(name, "list" if word.startswith("list[") else word) for name, word in types]
    return [(name, word) for name, word in found if word in KINDS or word in DICTS or word in FLAGS or word == "list"]


@cache
def _members(kind: Any, name: str) -> frozenset[str]:
    """Names of the classes of a list's elements, as in `list[Joint]` or `list[A | B]`; empty where the type does not tell."""
    inside = str(kind.__dataclass_fields__[name].type).partition("[")[2].removesuffix("]")
    return frozenset() if "[" in inside else frozenset(word.strip() for word in inside.split("|") if word.strip())
