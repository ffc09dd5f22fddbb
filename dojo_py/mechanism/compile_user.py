"""Data that the dynamics does not use: `*_user` of elements, custom numbers, texts and tuples. Arrays under MuJoCo's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Check, unique_names
from .errors import Problems
from .layout import Layout
from .names import listed, tree_elements
from .spec import Mechanism

Array = np.ndarray

OBJECTS = {
    "body": 1, "xbody": 2, "joint": 3, "geom": 5, "site": 6, "camera": 7, "light": 8, "mesh": 10, "texture": 13, "material": 14,
    "pair": 15, "exclude": 16, "equality": 17, "tendon": 18, "actuator": 19, "sensor": 20, "numeric": 21, "text": 22, "tuple": 23,
    "key": 24,
}  # fmt: skip
"""Words of a tuple's `objtype` -> MuJoCo's numbers."""
MAX_USER = 500_000
"""Numbers of one kind of user data (MuJoCo's bound on one numeric)."""


def user_arrays(mechanism: Mechanism, layout: Layout, problems: Problems) -> dict[str, Any]:
    """Sizes and arrays of all of it."""
    kinds: dict[str, list[Any]] = {
        "body": list(layout.bodies), "jnt": layout.joints, "geom": layout.geoms, "site": layout.sites,
        "tendon": mechanism.tendons, "actuator": mechanism.actuators, "sensor": mechanism.sensors,
    }  # fmt: skip
    out: dict[str, Any] = {"nuserdata": max(0, mechanism.user_sizes.get("nuserdata", 0))}
    for kind, elements in kinds.items():
        out |= _of_kind(kind, elements, mechanism.user_sizes.get(f"nuser_{kind}", -1), problems)
    return out | _numerics(mechanism, problems) | _tuples(mechanism, problems) | _texts(mechanism, problems)


def _of_kind(kind: str, elements: list[Any], given: int, problems: Problems) -> dict[str, Any]:
    rows = []
    for element in elements:
        check = Check(problems, element)
        values = check.vector("user", max(1, np.size(element.user)), least=0)[: np.size(element.user)]
        if 0 <= given < len(values):
            check.fail("user", f"{len(values)} numbers were read, nuser_{kind} of size allows {given}")
        rows.append(values)
    width = given if given >= 0 else max((len(row) for row in rows), default=0)
    if width * len(rows) > MAX_USER:
        problems.add(None, f"nuser_{kind}={width}: more than {MAX_USER} numbers of user data")
        width = 0
    table = np.zeros((len(rows), width))
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values[:width]
    return {f"nuser_{kind}": width, f"{kind}_user": table}


def _numerics(mechanism: Mechanism, problems: Problems) -> dict[str, Any]:
    unique_names(problems, "numeric", mechanism.numerics)
    sizes, data = [], []
    for numeric in mechanism.numerics:
        check = Check(problems, numeric)
        values = check.vector("data", max(1, np.size(numeric.data)), least=0)[: np.size(numeric.data)]
        size = len(values) if numeric.size is None else check.integer("size", low=1)
        if not numeric.name:
            check.fail("name", "a numeric needs a name")
        if not 0 < size <= MAX_USER or len(values) > size:
            check.fail("size", f"{size} numbers with {len(values)} in data: at least as many as data, and 1 to {MAX_USER}")
            size, values = 1, np.zeros(1)
        sizes.append(size)
        data.append(np.concatenate([values, np.zeros(size - len(values))]))
    return {
        "nnumeric": len(sizes),
        "nnumericdata": sum(sizes),
        "numeric_adr": np.cumsum([0, *sizes])[: len(sizes)],
        "numeric_size": np.array(sizes, int),
        "numeric_data": np.concatenate([np.zeros(0), *data]),
        "numeric_names": tuple(numeric.name for numeric in mechanism.numerics),
    }


def _texts(mechanism: Mechanism, problems: Problems) -> dict[str, Any]:
    unique_names(problems, "text", mechanism.texts)
    for text in mechanism.texts:
        if not text.name or not isinstance(text.data, str) or not text.data:
            Check(problems, text).fail("data" if text.name else "name", "a text needs a name and data")
    return {
        "text_names": tuple(text.name for text in mechanism.texts),
        "text_values": tuple(str(text.data) for text in mechanism.texts),
    }


def _tuples(mechanism: Mechanism, problems: Problems) -> dict[str, Any]:
    unique_names(problems, "tuple", mechanism.tuples)
    ids: dict[str, dict[str, int]] = {}
    for kind, element in [*tree_elements([mechanism.world]), *((k, e) for k, es in listed(mechanism) for e in es)]:
        if kind in ("camera", "light", "body", "joint", "geom", "site"):
            numbers = ids.setdefault(kind, {"": 0})
            numbers[""] += 1
            if element.name:
                numbers.setdefault(element.name, numbers[""] - 1)
    for kind, elements in listed(mechanism):
        ids["key" if kind == "keyframe" else kind] = {e.name: i for i, e in enumerate(elements) if getattr(e, "name", "")}
    ids.setdefault("body", {})["world"] = 0
    ids["xbody"] = ids["body"]
    rows, sizes = [], []
    for tuple_ in mechanism.tuples:
        if not tuple_.name or not tuple_.elements:
            Check(problems, tuple_).fail("" if tuple_.name else "name", "a tuple needs a name and at least one element")
        for element in tuple_.elements:
            check = Check(problems, element)
            check.word("objtype", tuple(OBJECTS))
            there = {name: number for name, number in ids.get(element.objtype, {}).items() if name}
            rows.append((OBJECTS.get(element.objtype, 0), check.reference("objname", there, element.objtype), check.scalar("prm")))
        sizes.append(len(tuple_.elements))
    table = np.array(rows, float).reshape(-1, 3)
    return {
        "ntuple": len(sizes),
        "ntupledata": len(rows),
        "tuple_adr": np.cumsum([0, *sizes])[: len(sizes)],
        "tuple_size": np.array(sizes, int),
        "tuple_objtype": table[:, 0],
        "tuple_objid": table[:, 1],
        "tuple_objprm": table[:, 2],
        "tuple_names": tuple(t.name for t in mechanism.tuples),
    }
