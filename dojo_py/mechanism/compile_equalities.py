"""Equality constraints: arrays `eq_*`. What `eq_data` (12) holds, by type:

    connect, bodies   anchor in body1 (3), anchor in body2 (3), computed at qpos0
    weld, bodies      anchor in body2 (3), position (3) and quaternion (4) of body2 in body1, torque scale
    joint, tendon     polynomial coefficients (5)
Without `relpose` a weld keeps the relative pose of qpos0; the position is then that of the anchor in body1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import quaternion
from .checks import Check
from .enums import EqualityType, ObjType
from .errors import Problems
from .layout import Layout
from .reference import ReferenceState
from .spec import EQUALITY_TYPES, Equality, Mechanism

Array = np.ndarray


def equality_arrays(mechanism: Mechanism, layout: Layout, state: ReferenceState, problems: Problems) -> dict[str, Array]:
    """Arrays of the equality constraints, in document order."""
    tendons = {tendon.name: t for t, tendon in enumerate(mechanism.tendons) if tendon.name}
    rows = [_row(Check(problems, equality), equality, layout, state, tendons) for equality in mechanism.equalities]
    shapes = {"eq_solref": 2, "eq_solimp": 5, "eq_data": 12}
    keys = ("eq_type", "eq_obj1id", "eq_obj2id", "eq_objtype", "eq_active0", *shapes)
    width = {key: (len(rows), shapes[key]) if key in shapes else (len(rows),) for key in keys}
    return {key: np.array([row[key] for row in rows], dtype=float).reshape(width[key]) for key in keys}


def _row(check: Check, equality: Equality, layout: Layout, state: ReferenceState, tendons: dict[str, int]) -> dict[str, Any]:
    kind = check.word("type", EQUALITY_TYPES)
    if kind == EqualityType.JOINT:
        first, second, objtype, data = _joint(check, equality, layout)
    elif kind == EqualityType.TENDON:
        first = check.reference("name1", tendons, "tendon", "tendon1")
        second = check.reference("name2", tendons, "tendon", "tendon2") if equality.name2 else -1
        objtype, data = ObjType.UNKNOWN, _polynomial(check)
    elif equality.objtype == "site":
        first = check.reference("name1", layout.site_ids, "site", "site1")
        second = check.reference("name2", layout.site_ids, "site", "site2")
        objtype, data = ObjType.SITE, np.zeros(12)
        if kind == EqualityType.WELD:
            data[1], data[10] = 1.0, check.scalar("torquescale", low=0.0)
    else:
        check.word("objtype", ("body", "site"))
        first = check.reference("name1", layout.body_ids, "body", "body1")
        second = check.reference("name2", layout.body_ids, "body", "body2") if equality.name2 else 0
        objtype = ObjType.BODY
        fill = _connect if kind == EqualityType.CONNECT else _weld
        data = fill(check, equality, max(first, 0), max(second, 0), state)
    if first == second and first >= 0:
        check.fail("", f"'{equality.name1}' cannot be constrained to itself")
    return {
        "eq_type": kind,
        "eq_obj1id": first,
        "eq_obj2id": second,
        "eq_objtype": int(objtype),
        "eq_active0": bool(equality.active),
        "eq_solref": check.vector("solref", 2),
        "eq_solimp": check.vector("solimp", 5),
        "eq_data": data,
    }


def _joint(check: Check, equality: Equality, layout: Layout) -> tuple[int, int, ObjType, Array]:
    first = check.reference("name1", layout.joint_ids, "joint", "joint1")
    second = check.reference("name2", layout.joint_ids, "joint", "joint2") if equality.name2 else -1
    for attribute, index in (("joint1", first), ("joint2", second)):
        if index >= 0 and layout.joints[index].type not in ("hinge", "slide"):
            check.fail(attribute, f"joint '{layout.joints[index].name}' is not a hinge or a slide")
    return first, second, ObjType.UNKNOWN, _polynomial(check)


def _polynomial(check: Check) -> Array:
    data = np.zeros(12)
    data[:5], data[10] = check.vector("polycoef", 5, least=1, fill=(0, 1, 0, 0, 0)), 1.0
    return data


def _connect(check: Check, equality: Equality, first: int, second: int, state: ReferenceState) -> Array:
    data = np.zeros(12)
    data[10] = 1.0
    if equality.anchor is None:
        check.fail("anchor", "three numbers are required, the point in the frame of body1")
        return data
    data[:3] = check.vector("anchor", 3)
    world = state.xpos[first] + quaternion.rotate(state.xquat[first], data[:3])
    data[3:6] = quaternion.matrix(state.xquat[second]).T @ (world - state.xpos[second])
    return data


def _weld(check: Check, equality: Equality, first: int, second: int, state: ReferenceState) -> Array:
    data = np.zeros(12)
    data[:3] = np.zeros(3) if equality.anchor is None else check.vector("anchor", 3)
    data[10] = check.scalar("torquescale", low=0.0)
    if equality.relpose is not None:
        data[3:10] = check.vector("relpose", 7)
        norm = np.linalg.norm(data[6:10])
        if norm > 0.0:  # a zero quaternion asks for the pose at qpos0, as in MuJoCo
            data[6:10] /= norm
            return data
    world = state.xpos[second] + quaternion.rotate(state.xquat[second], data[:3])
    data[3:6] = quaternion.matrix(state.xquat[first]).T @ (world - state.xpos[first])
    data[6:10] = quaternion.multiply(quaternion.conjugate(state.xquat[first]), state.xquat[second])
    data[11] = 1.0
    return data
