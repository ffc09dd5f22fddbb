"""Attribute texts -> numbers, words and flags, by the kinds of `schema`; what does not fit is reported."""

from __future__ import annotations

import math
import re
from typing import Any

from ...mechanism.checks import largest
from ...mechanism.errors import Problems, nearest
from ..xml_tree import Node
from .schema import CONTAINERS, Kind

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WORDS: dict[str, dict[str, bool | None]] = {"bool": {"true": True, "false": False}}
_WORDS["auto"] = _WORDS["bool"] | {"auto": None}

Values = dict[str, Any]


def read_attributes(node: Node, table: dict[str, Kind], problems: Problems) -> Values:
    """The attributes of an element by name. Unknown ones are problems; ignored and faulty ones are left out."""
    out: Values = {}
    name = node.attributes.get("name", "")
    for key, text in node.attributes.items():
        kind = table.get(key)
        if kind is None:
            accepted = sorted(table)
            message = f"is not an attribute of {node.tag}; accepted: {accepted}{nearest(key, accepted)}"
            problems.add(node.where, message, name=name, attribute=key)
        elif kind.read == "refuse":
            if " ".join(text.split()) not in kind.words and not _all_zero(text, kind):
                problems.refuse(node.where, f"'{text}' is not simulated", name=name, attribute=key)
        elif kind.read != "skip":
            if kind.read in ("real", "int", "ints") and not text.strip():
                continue  # no numbers: as if the attribute were not there
            value, message = _parse(text, kind, largest(key))
            if not message:
                out[key] = value
            else:
                problems.add(node.where, message, name=name, attribute=key)
    for child in () if node.tag in CONTAINERS else node.children:
        if child.tag == "plugin":
            problems.refuse(child.where, "is not simulated", name=name)
        else:
            problems.add(child.where, f"is not an element of {node.tag}, which accepts none", name=name)
    return out


def _parse(text: str, kind: Kind, most: float) -> tuple[Any, str]:
    """Value and error message, one of them empty; no number larger than `most`."""
    if kind.read == "text":
        return text, ""
    if kind.read == "word":
        if text in kind.words or text in kind.refused:
            return text, ""
        return None, f"'{text}' is not one of {list(kind.words)}{nearest(text, kind.words)}"
    if kind.read in _WORDS:
        words = _WORDS[kind.read]
        if text in words:
            return words[text], ""
        return None, f"'{text}' is not one of {list(words)}{nearest(text, words)}"
    return _parse_numbers(text, kind, most)


def _parse_numbers(text: str, kind: Kind, most: float) -> tuple[Any, str]:
    words = text.split()
    if not kind.least <= len(words) <= kind.most:
        count = f"{kind.least}" if kind.least == kind.most else f"{kind.least} to {kind.most}"
        return None, f"{len(words)} numbers were read, {count} are accepted"
    numbers = []
    for item in words:
        value = float(item) if len(item) < 400 and _NUMBER.fullmatch(item) else math.nan
        if kind.infinite and _INFINITE.fullmatch(item):
            value = math.copysign(most, float(item))
        if not abs(value) <= most:
            shown = item if len(item) < 40 else item[:37] + "..."
            return None, f"'{shown}' is not a finite number of magnitude at most {most:g}"
        if kind.read in ("int", "ints") and (value != int(value) or abs(value) >= 2**31):
            return None, f"'{item}' is not an integer of 32 bits"
        numbers.append(int(value) if kind.read in ("int", "ints") else value)
    if kind.read == "int" or (kind.read == "real" and kind.most == 1):
        return numbers[0], ""
    return tuple(numbers), ""


def _all_zero(text: str, kind: Kind) -> bool:
    """`0.0` asks for as little as the harmless `0`."""
    words = text.split()
    if not words or not all(w.split() and set(w.split()) == {"0"} for w in kind.words) or not kind.words:
        return False
    return all(_NUMBER.fullmatch(item) and len(item) < 400 and float(item) == 0.0 for item in words)


def overlay(value: Any, default: Any) -> Any:
    """A list shorter than its default replaces the first numbers only (MJCF's rule for all list attributes)."""
    if isinstance(value, tuple) and isinstance(default, tuple) and len(value) < len(default):
        return (*value, *default[len(value) :])
    return value
