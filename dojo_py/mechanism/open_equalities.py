"""Equality constraints that a pose violates: by how much they are open.

connect    |p₁ - p₂|                                        p: the two anchors in the world
weld       the same, and the angle between both frames
joint      |q₁ - q₁⁰ - P(q₂ - q₂⁰)|                         P: the polynomial; ⁰: at qpos0
tendon     |l₁ - l₁⁰ - P(l₂ - l₂⁰)|                         l: lengths
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from . import quaternion
from .derived import Arrays
from .enums import DisableBit, EqualityType, JointType, ObjType
from .reference import ReferenceState, state_at
from .tendon_paths import is_spatial, tendon_geometry

Array = np.ndarray
WIDER = 1e-6
"""Equalities that are open by more than this [m, rad] count: what is closed in a file is off by the digits that it has."""
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


class OpenEquality(NamedTuple):
    """An equality that is active at the start and open in a pose."""

    equality: int
    """Its number in the model."""
    errors: list[tuple[float, str]]
    """By how much it is open, with the unit, m or rad; of a weld one or both."""


class _Frame(NamedTuple):
    """A frame fixed in a body, in the world."""

    body: int
    pos: Array
    """(3,) [m]"""
    quat: Array
    """(4,)"""


def open_equalities(model: Any, keyframe: int | None = None) -> list[OpenEquality]:
    """The equalities, active at the start, that are open by more than WIDER in the keyframe of this number; None: at qpos0."""
    switched_off = int(model.opt.disableflags) & (DisableBit.EQUALITY | DisableBit.CONSTRAINT)
    active = [] if switched_off else np.flatnonzero(np.asarray(model.eq_active0)).tolist()
    if not active:
        return []
    qpos = np.array(model.qpos0 if keyframe is None else model.key_qpos[keyframe], float)
    arrays = Arrays(model if keyframe is None else _with_mocap_bodies(model, keyframe))
    bodies = state_at(arrays, qpos)  # type: ignore[arg-type]
    lengths = tendon_geometry(arrays, bodies, qpos)[0]
    found = []
    for e in active:
        kind = int(model.eq_type[e])
        if kind == EqualityType.JOINT:
            errors = _between_joints(model, qpos, e)
        elif kind == EqualityType.TENDON:
            errors = _between_lengths(model, lengths, e)
        else:
            errors = _between_frames(model, bodies, e)
        found.append(OpenEquality(e, [(error, unit) for error, unit in errors if error > WIDER]))
    return [one for one in found if one.errors]


def _with_mocap_bodies(model: Any, keyframe: int) -> Any:
    """The model with its mocap bodies where a keyframe has them."""
    mocap = np.asarray(model.body_mocapid, int)
    moved, pos, quat = mocap >= 0, np.array(model.body_pos, float), np.array(model.body_quat, float)
    pos[moved] = np.reshape(model.key_mpos[keyframe], (-1, 3))[mocap[moved]]
    quat[moved] = quaternion.normalise(np.reshape(model.key_mquat[keyframe], (-1, 4))[mocap[moved]])
    return dataclasses.replace(model, body_pos=pos, body_quat=quat)


def _between_frames(model: Any, bodies: ReferenceState, e: int) -> list[tuple[float, str]]:
    """Errors of a connect or weld."""
    one, two = (_frame(model, bodies, e, side) for side in (0, 1))
    if np.array_equal(bodies.dofs_of_body[one.body], bodies.dofs_of_body[two.body]):
        return []  # both ends are on one rigid body: neither mode moves them
    errors = [(float(np.linalg.norm(one.pos - two.pos)), "m")]
    if int(model.eq_type[e]) == EqualityType.WELD:
        rotation = quaternion.multiply(quaternion.conjugate(two.quat), one.quat)
        errors.append((float(np.linalg.norm(quaternion.logarithm(rotation))), "rad"))
    return errors


def _frame(model: Any, bodies: ReferenceState, e: int, side: int) -> _Frame:
    """The frame on one side of a connect or weld; where it is closed both coincide (of a connect only their origins)."""
    data = np.asarray(model.eq_data[e], float)
    weld, body = int(model.eq_type[e]) == EqualityType.WELD, int((model.eq_obj1id, model.eq_obj2id)[side][e])
    # a connect has the anchor in body 1, then in body 2; a weld in body 2, then in body 1, then the orientation of 2 in 1
    pos, quat = (data[3:6] if weld == (side == 0) else data[0:3]), (data[6:10] if weld and side == 0 else IDENTITY)
    if int(model.eq_objtype[e]) == ObjType.SITE:
        site = body
        body, pos, quat = int(model.site_bodyid[site]), np.array(model.site_pos[site]), np.array(model.site_quat[site])
    x, q = bodies.xpos[body], bodies.xquat[body]
    return _Frame(body, x + quaternion.rotate(q, pos), quaternion.multiply(q, quat))


def _between_joints(model: Any, qpos: Array, e: int) -> list[tuple[float, str]]:
    """The error of a joint equality."""
    joints = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    places = [int(model.jnt_qposadr[j]) for j in joints if j >= 0]
    moved = [float(qpos[k] - model.qpos0[k]) for k in places]
    return [(_apart(model, e, moved), _unit(model, joints[0]))]


def _between_lengths(model: Any, lengths: Array, e: int) -> list[tuple[float, str]]:
    """The error of a tendon equality; of a fixed tendon in the unit of its first joint."""
    tendons = [int(t) for t in (model.eq_obj1id[e], model.eq_obj2id[e]) if t >= 0]
    moved = [float(lengths[t] - model.tendon_length0[t]) for t in tendons]
    first = tendons[0]
    unit = "m" if is_spatial(model, first) else _unit(model, int(model.wrap_objid[model.tendon_adr[first]]))
    return [(_apart(model, e, moved), unit)]


def _apart(model: Any, e: int, moved: list[float]) -> float:
    """|x₁ - P(x₂)| of what two sides have moved by since qpos0; x₂ is 0 where there is no second side."""
    x = moved[1] if len(moved) > 1 else 0.0
    return abs(moved[0] - float(np.polynomial.polynomial.polyval(x, np.asarray(model.eq_data[e], float)[:5])))


def _unit(model: Any, joint: int) -> str:
    return "m" if int(model.jnt_type[joint]) == JointType.SLIDE else "rad"
