"""What `Model.replace` accepts: values of the kind of the field, a tree that stays as it is, numbers that mean something.

The numbers are those that the file reader accepts (`accepted_numbers.py`); directions come to length 1 as in a file
(`unit_directions.py`).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .accepted_numbers import NOT_NEGATIVE, RULES, refuse, refuse_record
from .checks import MAX_COEFFICIENT
from .enums import GeomType
from .errors import nearest
from .option import Option, Statistic
from .unit_directions import DIRECTIONS, unit_rows

Array = np.ndarray

TREE = frozenset(
    "body_parentid body_rootid body_treeid body_mocapid body_jntnum body_jntadr body_dofnum body_dofadr body_geomnum"
    " body_geomadr jnt_type jnt_qposadr jnt_dofadr jnt_bodyid dof_bodyid dof_jntid dof_parentid dof_treeid geom_bodyid"
    " site_bodyid".split()
)
"""Arrays that lay out the tree."""
RECORDS: dict[str, tuple[type, str]] = {"opt": (Option, "gravity"), "stat": (Statistic, "meaninertia")}
"""Field -> its class, and a field of that for messages."""


def refuse_kinds(model: Any, changes: dict[str, Any]) -> None:
    """TypeError or ValueError for a record or names of another kind or number, numbers in records, and for what is no field."""
    fields = [item.name for item in dataclasses.fields(model)]
    for name, value in changes.items():
        if name not in fields:
            of_option = hasattr(model.opt, name)
            hint = f"; use opt=dataclasses.replace(model.opt, {name}=...)" if of_option else nearest(name, fields)
            raise TypeError(f"a Model has no field '{name}'{hint}")
        old = getattr(model, name, None)
        kind, example = RECORDS.get(name, (object, ""))
        if not isinstance(value, kind):
            shown = f"dataclasses.replace(model.{name}, {example}=...)"
            raise TypeError(f"{name}={value!r} is a {type(value).__name__}, expected {kind.__name__}: {shown}")
        if isinstance(value, (Option, Statistic)):
            refuse_record(name, value)
        if isinstance(old, str) and not isinstance(value, str):
            raise TypeError(f"{name}={value!r} is a {type(value).__name__}, expected a string")
        if isinstance(old, tuple):
            if not isinstance(value, tuple) or not all(isinstance(text, str) for text in value):
                raise TypeError(f"{name}={value!r}: a tuple of strings is expected")
            if len(value) != len(old):
                raise ValueError(f"{name} has {len(value)} strings, expected {len(old)}")


def with_unit_directions(model: Any, given: set[str]) -> Any:
    """The model, whose quaternions and axes among the given arrays come to length 1, as in a file."""
    return dataclasses.replace(model, **{name: unit_rows(model, name) for name in sorted(given & set(DIRECTIONS))})


def refuse_values(model: Any, given: set[str]) -> None:
    """ValueError where one of these arrays has numbers that no file may have.

    Kernels compare: a contact at NaN is one that never touches.
    """
    for name in sorted(given):
        value = getattr(model, name)
        if name in TREE:
            raise ValueError(f"{name} lays out the tree, and cannot be replaced; edit the Mechanism")
        if value.dtype.kind == "f":
            refuse(model, name, ~np.isfinite(value), "finite numbers are accepted")
            refuse(model, name, np.abs(value) > MAX_COEFFICIENT, f"numbers up to {MAX_COEFFICIENT:g} are accepted")
        if name in NOT_NEGATIVE:
            refuse(model, name, value < 0.0, "numbers of at least 0 are accepted")
        if name in DIRECTIONS:
            refuse(model, name, DIRECTIONS[name](model, value)[1], "a direction is needed, not a vector of length 0")
        if name == "geom_type":
            refuse(model, name, ~np.isin(value, list(GeomType)), "a GeomType is needed")


def refuse_by_rules(model: Any, given: set[str]) -> None:
    """ValueError where one of these arrays does not go with the others; `check_indices` has found all indices sound."""
    for rule in RULES:
        if given & {rule.name, *rule.beside}:
            refuse(model, rule.name, rule.wrong(model), rule.accepted)
