"""What all described elements have, and the values that many of them start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import Where, nearest

Vector = Sequence[float] | np.ndarray
"""Any sequence of floats (tuple, list, array); the compiler checks length and finiteness."""

IDENTITY = (1.0, 0.0, 0.0, 0.0)
"""Quaternion of no rotation."""
ZERO3 = (0.0, 0.0, 0.0)
SOLREF = (0.02, 1.0)
"""Soft constraints: time constant [s] and damping ratio [-]."""
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
"""Soft constraints: least and largest impedance [-], width [m or rad], midpoint [-], power [-]."""


@dataclass(kw_only=True)
class Element:
    """Base of every described element: where it stands in the file, for error messages."""

    where: Where | None = field(default=None, repr=False, compare=False)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dataclass_fields__:
            kind = type(self).__name__
            raise AttributeError(f"{kind} has no field '{name}'{nearest(name, list(self.__dataclass_fields__))}")
        object.__setattr__(self, name, value)
