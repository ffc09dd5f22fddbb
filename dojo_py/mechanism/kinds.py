"""Whether elements have texts, whole numbers, lists and dicts where these are meant, before the compiler reads them.

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
    "dict": (dict, "a dict"),
}
"""How a field's type begins -> accepted classes, and what messages call them."""
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
    for name in LISTS:
        _check_list(mechanism, name, problems)
    problems.raise_if_any()


def _check_list(holder: Any, name: str, problems: Problems) -> None:
    value = getattr(holder, name)
    if not isinstance(value, list):
        Check(problems, holder).fail(name, f"{value!r} is not a list")
        return
    for element in value:
        if isinstance(element, Element):
            _check(element, problems)
        else:
            Check(problems, holder).fail(name, f"{element!r} is not an element of a mechanism")


def _check(element: Any, problems: Problems) -> None:
    of: Any = type(element)
    for name, kind in _fields(of):
        if kind == "list":
            _check_list(element, name, problems)
            continue
        value, (accepted, word) = getattr(element, name), KINDS[kind]
        if not isinstance(value, accepted):
            Check(problems, element).fail(name, f"{value!r} is not {word}")
        elif kind == "dict" and not all(isinstance(text, str) for text in value.values()):
            Check(problems, element).fail(name, f"{value!r} is not made of strings")


@cache
def _fields(kind: Any) -> list[tuple[str, str]]:
    """(name, key of `KINDS`) of the fields of a class of elements that are of such a kind."""
    found = ((item.name, str(item.type).partition("[")[0]) for item in dataclasses.fields(kind) if item.name not in WALKED)
    return [(name, word) for name, word in found if word in KINDS or word == "list"]
