"""Reading one described element: every value is checked for length, finiteness and sign, and problems are collected.

After a problem a harmless value is returned, so that the rest of the model is still checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import quaternion
from .errors import Problems, listing, nearest

MAX_VALUE = 1e10
"""Largest magnitude accepted (MuJoCo's mjMAXVAL): squares and cubes of it are still finite."""
MAX_COEFFICIENT = 1e15
"""The same of `COEFFICIENTS`, which meet quantities of ordinary size: public files have dampers of 1e11 to hold a joint."""
COEFFICIENTS = frozenset("stiffness damping armature frictionloss forcerange actuatorfrcrange kp kv gainprm biasprm".split())
MIN_VALUE = 1e-15
"""Smallest divisor (MuJoCo's mjMINVAL)."""


def largest(attribute: str) -> float:
    """Largest magnitude accepted of the numbers of an attribute."""
    return MAX_COEFFICIENT if attribute in COEFFICIENTS else MAX_VALUE


class Check:
    """Access to the attributes of one element; `problems` receives what is wrong."""

    def __init__(self, problems: Problems, element: Any):
        self.problems, self.element = problems, element

    def fail(self, attribute: str, message: str) -> None:
        """Record a problem with an attribute of this element."""
        where = self.element.where
        name = getattr(self.element, "name", "")
        if where is None:
            kind = type(self.element).__name__.lower()
            message = f"{kind} '{name}', {attribute}: {message}" if attribute else f"{kind} '{name}': {message}"
            self.problems.add(None, message)
        else:
            self.problems.add(where, message, name=name if isinstance(name, str) else "", attribute=attribute)

    def vector(
        self, attribute: str, size: int, *, least: int | None = None, low: float | None = None, fill: Any = None
    ) -> np.ndarray:
        """The attribute as (size,) floats. Fewer numbers, at least `least`, are completed from `fill` (zeros)."""
        out = np.zeros(size) if fill is None else np.array(fill, dtype=float)
        given = getattr(self.element, attribute)
        try:
            value = np.atleast_1d(np.asarray(given, dtype=float))
        except (TypeError, ValueError):
            self.fail(attribute, f"{given!r} is not made of numbers")
            return out
        least = size if least is None else least
        if value.ndim != 1 or not least <= value.size <= size:
            count = f"{size} numbers" if least == size else f"{least} to {size} numbers"
            self.fail(attribute, f"{value.size} numbers were read, {count} are accepted")
        elif not np.all(np.abs(value) <= largest(attribute)):
            self.fail(attribute, f"{_shown(value)} is not finite or larger than {largest(attribute):g}")
        elif low is not None and np.any(value < low):
            self.fail(attribute, f"{_shown(value)} is less than {low:g}")
        else:
            out[: value.size] = value
        return out

    def scalar(self, attribute: str, *, low: float | None = None) -> float:
        """The attribute as one float, not less than `low`."""
        return float(self.vector(attribute, 1, low=low)[0])

    def integer(self, attribute: str, *, accepted: Sequence[int] | None = None, low: int = -(2**31)) -> int:
        """The attribute as a 32-bit integer, one of `accepted` if given."""
        value = getattr(self.element, attribute)
        ok = isinstance(value, (int, np.integer)) and low <= value < 2**31
        if accepted is not None and value not in accepted:
            self.fail(attribute, f"{value} is not one of {list(accepted)}")
        elif not ok:
            self.fail(attribute, f"{value!r} is not an integer of at least {low}")
        else:
            return int(value)
        return accepted[0] if accepted else max(0, low)

    def quaternion(self, attribute: str = "quat") -> np.ndarray:
        """The attribute as a unit quaternion (4)."""
        value = self.vector(attribute, 4, fill=(1.0, 0.0, 0.0, 0.0))
        if np.linalg.norm(value) < MIN_VALUE:
            self.fail(attribute, "a quaternion of zero length has no direction")
        return quaternion.normalise(value)

    def word(self, attribute: str, accepted: Sequence[str]) -> int:
        """Index of the attribute's value among the accepted words."""
        value = getattr(self.element, attribute)
        if value in accepted:
            return list(accepted).index(value)
        self.fail(attribute, f"'{value}' is not one of {list(accepted)}{nearest(str(value), accepted)}")
        return 0

    def reference(self, attribute: str, ids: dict[str, int], kind: str, shown: str = "") -> int:
        """Index of the element that the attribute (called `shown` in messages) names; -1 if the name is unknown."""
        value = getattr(self.element, attribute)
        if value in ids:
            return ids[value]
        self.fail(shown or attribute, f"no {kind} is named '{value}'{listing(ids)}{nearest(str(value), ids)}")
        return -1

    def limits(self, range_: str, limited: str, autolimits: bool, *, required: bool = True) -> tuple[np.ndarray, bool]:
        """A range (2) and whether it applies. "Given" means: not both zero, as in MuJoCo."""
        given = getattr(self.element, range_)
        bounds = np.zeros(2) if given is None else self.vector(range_, 2)
        flag = getattr(self.element, limited)
        if flag is None:
            flag = bool(np.any(bounds != 0.0))
            if flag and not autolimits:
                self.fail(range_, f"needs {limited}='true' or 'false' because the compiler setting autolimits is off")
        if flag and required and not bounds[0] < bounds[1]:
            self.fail(range_, f"{_shown(bounds)}: the lower bound must be less than the upper bound")
        return bounds, bool(flag)


def unique_names(problems: Problems, kind: str, elements: Iterable[Any]) -> dict[str, int]:
    """Name -> index for the named elements of one kind; a name used twice is a problem."""
    ids: dict[str, int] = {}
    first: dict[str, Any] = {}
    for index, element in enumerate(elements):
        name = element.name
        if not isinstance(name, str):
            Check(problems, element).fail("name", f"{name!r} is not a string")
        elif name in ids:
            where = first[name].where
            place = f" (first at {where.path}:{where.line})" if where else ""
            Check(problems, element).fail("name", f"'{name}' is already the name of another {kind}{place}")
        elif name:
            ids[name], first[name] = index, element
    return ids


def _shown(value: np.ndarray) -> str:
    return " ".join(f"{x:g}" for x in value)
