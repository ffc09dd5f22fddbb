"""Quaternions and axes in a model's arrays, which `Model.replace` brings to length 1 as the reader of files does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import quaternion
from .enums import EqualityType, JointType, ObjType

Array = np.ndarray
NULL = 1e-14
"""Length below which a vector has no direction."""

Unit = tuple[Array, Array]
"""(an array whose quaternions or axes are of length 1, where they have no direction)."""


def _rows(model: Any, value: Array) -> Unit:
    """Every row (n, 3 or 4) is a direction."""
    norm = np.linalg.norm(value, axis=1, keepdims=True)
    divisor = np.where((norm < NULL) | (np.abs(norm - 1.0) <= 1e-15), 1.0, norm)  # (one of length 1 stays bit by bit)
    return value / divisor, np.broadcast_to(norm < NULL, value.shape)


def _coordinates(model: Any, value: Array) -> Unit:
    """Quaternions of free and ball joints in coordinates (…, nq)."""
    out, null = np.array(value), np.zeros(value.shape, bool)
    for kind, at in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        if kind in (JointType.FREE, JointType.BALL):
            first = int(at) + (3 if kind == JointType.FREE else 0)
            place = (..., slice(first, first + 4))
            null[place] = np.linalg.norm(value[place], axis=-1, keepdims=True) < NULL
            out[place] = quaternion.normalise(value[place])
    return out, null


def _keyframes(model: Any, value: Array) -> Unit:
    """As `_coordinates`; a quaternion of zeros in a keyframe is the identity."""
    return _coordinates(model, value)[0], np.zeros(value.shape, bool)


def _mocap(model: Any, value: Array) -> Unit:
    quats = value.reshape(len(value), value.shape[1] // 4, 4)
    return quaternion.normalise(quats).reshape(value.shape), np.zeros(value.shape, bool)


def _welds(model: Any, value: Array) -> Unit:
    """Orientations that welds of bodies hold, of eq_data (neq, 12)."""
    welds = (model.eq_type == EqualityType.WELD) & (model.eq_objtype == ObjType.BODY)
    out, null = np.array(value), np.zeros(value.shape, bool)
    null[:, 6:10] = welds[:, None] & (np.linalg.norm(value[:, 6:10], axis=1, keepdims=True) < NULL)
    out[welds, 6:10] = quaternion.normalise(value[welds, 6:10])
    return out, null


DIRECTIONS: dict[str, Callable[[Any, Array], Unit]] = {
    **dict.fromkeys(("body_quat", "body_iquat", "geom_quat", "site_quat", "mesh_quat", "jnt_axis"), _rows),
    **dict.fromkeys(("qpos0", "qpos_spring"), _coordinates),
    "key_qpos": _keyframes, "key_mquat": _mocap, "eq_data": _welds,
}  # fmt: skip
"""Array with quaternions or axes -> the function that brings them to length 1."""


def unit_rows(model: Any, name: str) -> Array:
    """One of the arrays `DIRECTIONS` with quaternions and axes of length 1; those without a direction stay as they are."""
    return DIRECTIONS[name](model, getattr(model, name))[0]
