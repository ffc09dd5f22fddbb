"""What a model holds besides its inputs: recomputed for `Model.replace`, by the functions that compiled it.

    masses, inertias, poses, joints, armature   -> body_subtreemass, dof_M0, dof_invweight0, body_invweight0, tendon_invweight0,
                                                   tendon_length0, actuator_acc0, actuator_length0, stat.meaninertia,
                                                   the second anchors of connects,
                                                   relative poses of welds that were given none
    body_pos, body_quat of a free body          -> its qpos0, qpos_spring
    geom_size, geom_type                        -> geom_rbound, geom_aabb (of primitives), geom_fluid

As MuJoCo's mj_setConst. What the caller gives is kept; nothing else changes unless an input of it did.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import quaternion
from .compile_actuators import servo_arrays
from .compile_bodies import subtree_sums
from .compile_tendons import tendon_inertia, tendon_inverse_weights
from .enums import EqualityType, GeomType, JointType, ObjType
from .errors import ModelError
from .fluid import fluid_numbers
from .reference import ReferenceState, body_inverse_weights, dof_inverse_weights, first_bad_pivot, inertia_matrix, state_at
from .replaced import refuse_by_rules, refuse_kinds, refuse_values, with_unit_directions
from .shapes import bounding_radius, box_about
from .source import name_of
from .tendon_paths import tendon_geometry

Array = np.ndarray

POSES = ("body_pos", "body_quat", "qpos0", "jnt_pos", "jnt_axis")
INERTIAS = ("body_ipos", "body_iquat", "body_mass", "body_inertia", "dof_armature", "tendon_armature", "wrap_prm",
            "actuator_armature", "actuator_gear")  # fmt: skip
PATHS = ("site_pos", "geom_pos", "geom_quat", "geom_size")
ACTUATORS = ("actuator_gear", "actuator_trntype", "actuator_trnid", "actuator_gainprm", "actuator_biasprm", "site_pos", "site_quat",
             "actuator_cranklength")  # fmt: skip


class Arrays:
    """A model's arrays by name, as the compiler's functions take them."""

    def __init__(self, model: Any):
        self._model = model

    def __getitem__(self, name: str) -> Array:
        return np.asarray(getattr(self._model, name))


def with_derived(model: Any, changes: dict[str, Any]) -> Any:
    """The model with these fields and all that derives from them."""
    from .archive_check import check_indices

    refuse_kinds(model, changes)
    changed = dataclasses.replace(model, **changes)
    given = {name for name in changes if name in _names(model) and _differ(getattr(model, name), getattr(changed, name))}
    refuse_values(changed, given)
    if any(getattr(changed, name).dtype.kind == "i" for name in given) or "wrap_prm" in given:  # (which has numbers of sites)
        check_indices(changed)
    refuse_by_rules(changed, given)
    changed = with_unit_directions(changed, given)
    derived: dict[str, Any] = {}
    if given & {"body_pos", "body_quat"}:
        derived |= {name: value for name, value in _free_reference(changed, given).items() if name not in changes}
        changed = dataclasses.replace(changed, **derived)
    if given & {*POSES, *INERTIAS, *(PATHS if changed.ntendon else ())}:
        derived |= _of_the_tree(changed)
        if "tendon_length0" not in changes:  # (actuators may be on tendons)
            changed = dataclasses.replace(changed, tendon_length0=derived["tendon_length0"])
    if given & {*POSES, *INERTIAS, *ACTUATORS, *(PATHS if changed.ntendon else ())}:
        derived |= _of_actuators(changed)
    if given & set(POSES):
        derived["eq_data"] = _equality_data(changed, state_at(Arrays(changed), changed.qpos0))  # type: ignore[arg-type]
    if given & {"geom_size", "geom_type"}:
        derived |= _of_shapes(changed)
    return dataclasses.replace(changed, **{name: value for name, value in derived.items() if name not in changes})


def _names(model: Any) -> set[str]:
    return {item.name for item in dataclasses.fields(model) if "shape" in item.metadata}


def _differ(old: Array, new: Array) -> bool:
    return old.shape != new.shape or not np.array_equal(old, new)


def _free_reference(model: Any, given: set[str]) -> dict[str, Array]:
    """qpos0 and qpos_spring with the poses of free bodies."""
    out = {name: np.array(getattr(model, name)) for name in ("qpos0", "qpos_spring")}
    for kind, body, at in zip(model.jnt_type, model.jnt_bodyid, model.jnt_qposadr, strict=True):
        if kind == JointType.FREE:
            for array in out.values():
                array[at : at + 7] = np.concatenate([model.body_pos[body], model.body_quat[body]])
    return out


def _of_the_tree(model: Any) -> dict[str, Any]:
    a: Any = Arrays(model)
    state = state_at(a, model.qpos0)
    matrix = inertia_matrix(a, state)
    whole = matrix + tendon_inertia(a, state)
    inverse = _inverse(model, whole)
    return {
        "body_subtreemass": subtree_sums(model.body_parentid, model.body_mass),
        "dof_M0": np.diag(matrix).copy(),
        "dof_invweight0": dof_inverse_weights(a, inverse),
        "body_invweight0": body_inverse_weights(a, state, inverse),
        "stat": dataclasses.replace(model.stat, meaninertia=float(np.diag(whole).mean()) if model.nv else 1.0),
        "tendon_invweight0": tendon_inverse_weights(a, state, inverse),
        "tendon_length0": tendon_geometry(a, state, model.qpos0)[0],
    }


def _inverse(model: Any, matrix: Array) -> Array:
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        dof = first_bad_pivot(matrix)
    name = name_of(model, "joint", model.dof_jntid[dof])
    raise ModelError(f"the joint-space inertia is singular at joint '{name}': its bodies have no mass or inertia, and no armature")


def _of_actuators(model: Any) -> dict[str, Array]:
    a: Any = Arrays(model)
    state = state_at(a, model.qpos0)
    matrix = inertia_matrix(a, state) + tendon_inertia(a, state)
    return servo_arrays(a, state, _inverse(model, matrix))


def _equality_data(model: Any, state: ReferenceState) -> Array:
    out = np.array(model.eq_data)
    for i, (kind, b1, b2, what) in enumerate(zip(model.eq_type, model.eq_obj1id, model.eq_obj2id, model.eq_objtype, strict=True)):
        if what != ObjType.BODY:
            continue
        if kind == EqualityType.CONNECT:
            world = state.xpos[b1] + quaternion.rotate(state.xquat[b1], out[i, :3])
            out[i, 3:6] = quaternion.matrix(state.xquat[b2]).T @ (world - state.xpos[b2])
        elif kind == EqualityType.WELD and out[i, 11] == 1.0:  # no relative pose was given
            world = state.xpos[b2] + quaternion.rotate(state.xquat[b2], out[i, :3])
            out[i, 3:6] = quaternion.matrix(state.xquat[b1]).T @ (world - state.xpos[b1])
            out[i, 6:10] = quaternion.multiply(quaternion.conjugate(state.xquat[b1]), state.xquat[b2])
    return out


def _of_shapes(model: Any) -> dict[str, Array]:
    radius, box = np.array(model.geom_rbound), np.array(model.geom_aabb)
    for i, (kind, size) in enumerate(zip(model.geom_type, model.geom_size, strict=True)):
        if kind not in (GeomType.MESH, GeomType.HFIELD):
            radius[i], box[i] = bounding_radius(kind, size), box_about(kind, size)
    fluid = np.array(model.geom_fluid)
    for row, kind, size in zip(fluid, model.geom_type, model.geom_size, strict=True):
        if row[0] != 0.0:
            row[:] = fluid_numbers(kind, size, row[1:6])
    return {"geom_rbound": radius, "geom_aabb": box, "geom_fluid": fluid}
