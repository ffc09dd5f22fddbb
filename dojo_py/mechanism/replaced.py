"""What `Model.replace` accepts: values of the kind of the field, a tree that stays as it is, numbers that mean something."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .enums import GeomType
from .errors import nearest
from .option import Option, Statistic

Array = np.ndarray

TREE = frozenset(
    "body_parentid body_rootid body_treeid body_mocapid body_jntnum body_jntadr body_dofnum body_dofadr body_geomnum"
    " body_geomadr jnt_type jnt_qposadr jnt_dofadr jnt_bodyid dof_bodyid dof_jntid dof_parentid dof_treeid geom_bodyid"
    " site_bodyid".split()
)
"""Arrays that lay out the tree."""
NOT_NEGATIVE = ("body_mass", "body_inertia", "geom_size")
DIRECTIONS = ("body_quat", "body_iquat", "geom_quat", "site_quat", "jnt_axis")
"""Arrays whose rows have a length that is not zero."""
RECORDS: dict[str, tuple[type, str]] = {"opt": (Option, "gravity"), "stat": (Statistic, "meaninertia")}
"""Field -> its class, and a field of that for messages."""


def refuse_kinds(model: Any, changes: dict[str, Any]) -> None:
    """TypeError or ValueError for a record or names of another kind or number, and for what is no field."""
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
        if isinstance(old, str) and not isinstance(value, str):
            raise TypeError(f"{name}={value!r} is a {type(value).__name__}, expected a string")
        if isinstance(old, tuple):
            if not isinstance(value, tuple) or not all(isinstance(text, str) for text in value):
                raise TypeError(f"{name}={value!r}: a tuple of strings is expected")
            if len(value) != len(old):
                raise ValueError(f"{name} has {len(value)} strings, expected {len(old)}")


def refuse_values(model: Any, given: set[str]) -> None:
    """ValueError where one of these arrays has numbers that no model has.

    Kernels compare: a contact at NaN is one that never touches.
    """
    for name in sorted(given):
        value = getattr(model, name)
        if name in TREE:
            raise ValueError(f"{name} lays out the tree, and cannot be replaced; edit the Mechanism")
        if value.dtype.kind == "f":
            _refuse(name, value, ~np.isfinite(value), "finite numbers are accepted")
        if name in NOT_NEGATIVE:
            _refuse(name, value, value < 0.0, "numbers of at least 0 are accepted")
        if name in DIRECTIONS:
            _refuse(name, value, np.broadcast_to(~value.any(axis=1, keepdims=True), value.shape), "a direction is needed")
        if name == "geom_type":
            _refuse(name, value, ~np.isin(value, list(GeomType)), "a GeomType is needed")


def _refuse(name: str, value: Array, wrong: Array, accepted: str) -> None:
    if wrong.any():
        place = np.argwhere(wrong)[0]
        raise ValueError(f"{name}{place.tolist()} is {value[tuple(place)]}; {accepted}")
