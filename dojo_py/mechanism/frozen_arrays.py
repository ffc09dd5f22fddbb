"""Dataclasses of read-only arrays: each field says its shape and dtype, and `freeze` holds the values to them.

    nv: int
    dof_damping: Array = real("nv")
    dof_solref: Array = real("nv 2")

A shape is sizes of the same record, numbers, or products of them ("nmocap*3"), with spaces between the axes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

Array = np.ndarray


def array(shape: str, dtype: type) -> Any:
    """Field of an array of this shape and dtype."""
    return field(metadata={"shape": tuple(shape.split()), "dtype": dtype})


def real(shape: str) -> Any:
    """Field of an array of float64."""
    return array(shape, np.float64)


def integer(shape: str) -> Any:
    """Field of an array of int32, as MuJoCo's."""
    return array(shape, np.int32)


def boolean(shape: str) -> Any:
    """Field of an array of bool."""
    return array(shape, np.bool_)


def freeze(instance: Any, sizes: Mapping[str, int]) -> None:
    """Turn every array field of a frozen dataclass into a read-only array of its dtype; ValueError for another shape.

    sizes: what the words in shapes stand for.
    """
    for item in dataclasses.fields(instance):
        if "shape" not in item.metadata:
            continue
        try:
            value = np.array(getattr(instance, item.name), dtype=item.metadata["dtype"], order="C")
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{item.name} is no array of {item.metadata['dtype'].__name__}: {error}") from None
        expected = tuple(_product(token, sizes) for token in item.metadata["shape"])
        if value.shape != expected:
            raise ValueError(f"{item.name} has shape {value.shape}, expected {expected}")
        value.flags.writeable = False
        object.__setattr__(instance, item.name, value)


def _product(token: str, sizes: Mapping[str, int]) -> int:
    """Value of one axis of a shape: a size, a number, or several with * between them."""
    return math.prod(sizes[part] if part in sizes else int(part) for part in token.split("*"))
