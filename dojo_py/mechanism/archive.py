"""A model as numbers and texts, for files that hold it beside a trajectory; and back. Places in the model's file are not kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from .enums import GeomType, JointType, WrapType
from .errors import ModelError
from .model import Model
from .option import Option, Statistic

Array = np.ndarray

GROUPS = {"opt": Option, "stat": Statistic}
"""Fields of the model that are records themselves."""
LEFT = ("source",)
WITHIN = {
    "nbody": ("body_parentid", "body_rootid", "body_weldid", "jnt_bodyid", "dof_bodyid", "geom_bodyid", "site_bodyid"),
    "njnt": ("body_jntadr", "dof_jntid"),
    "nq": ("jnt_qposadr",),
    "nv": ("body_dofadr", "jnt_dofadr", "dof_parentid"),
    "ngeom": ("body_geomadr", "pair_geom1", "pair_geom2"),
    "nu": ("actuator_ctrladr",),
    "nout": ("actuator_outadr",),
    "na": ("actuator_actadr",),
    "nhfielddata": ("hfield_adr",),
    "nmat": ("geom_matid",),
    "nmeshgraph": ("mesh_graphadr",),
    "nwrap": ("tendon_adr",),
    "nsensordata": ("sensor_adr",),
}
"""Size -> arrays of numbers that count what it is the size of; -1 stands for none."""
COUNTED = {
    "body_jnt": "njnt", "body_dof": "nv", "body_geom": "ngeom", "actuator_ctrl": "nu", "actuator_out": "nout", "actuator_act": "na",
    "mesh_vert": "nmeshvert", "mesh_face": "nmeshface", "tendon_": "nwrap",
}  # fmt: skip
"""Arrays `...adr`, `...num`: first one and how many, out of so many."""


def pack_model(model: Model) -> tuple[dict[str, Array], dict[str, Any]]:
    """(arrays by name, JSON values by name); what lies in `opt` and `stat` is named "opt.gravity" and so on."""
    arrays: dict[str, Array] = {}
    values: dict[str, Any] = {}
    for name, value in _flat(model):
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif value is None or isinstance(value, (bool, int, float, str)):
            values[name] = value
        else:
            values[name] = list(value)
    return arrays, values


def unpack_model(arrays: Mapping[str, Array], values: Mapping[str, Any]) -> Model:
    """The model of `pack_model`, or ModelError when it is one of another version or damaged."""
    given: dict[str, Any] = {**values, **arrays}
    try:
        if "ntexel" not in given:
            given |= _no_pictures(len(given["mat_rgba"]), len(given["mesh_vertadr"]))
        inner: dict[str, Any] = {name: kind(**_under(given, name)) for name, kind in GROUPS.items()}
        outer: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items() if "." not in name}
        model = Model(**outer, **inner)
        _check(model)
        return model
    except (TypeError, ValueError, KeyError) as error:
        raise ModelError(f"the model kept in the file is not one of this version of dojo_py: {error}") from error


def _no_pictures(nmat: int, nmesh: int) -> dict[str, Any]:
    """What files lack that were written before models had pictures: none."""
    sizes = {"ntexel": 0, "ncornertex": 0, "texel_rgb": np.zeros((0, 3)), "mesh_cornertex": np.zeros((0, 6))}
    looks = {"mat_texrepeat": np.ones((nmat, 2)), "mat_texuniform": np.zeros(nmat, bool), "mat_texsize": np.zeros((nmat, 2), int)}
    return {**sizes, **looks, "mat_texeladr": np.zeros(nmat, int), "mesh_cornertexadr": np.full(nmesh, -1)}


def _flat(model: Model) -> list[tuple[str, Any]]:
    rows = []
    for item in dataclasses.fields(model):
        value = getattr(model, item.name)
        if item.name in GROUPS:
            rows += [(f"{item.name}.{inner.name}", getattr(value, inner.name)) for inner in dataclasses.fields(value)]
        elif item.name not in LEFT:
            rows.append((item.name, value))
    return rows


def _under(given: Mapping[str, Any], group: str) -> dict[str, Any]:
    return {name.removeprefix(group + "."): value for name, value in given.items() if name.startswith(group + ".")}


def _check(model: Model) -> None:
    """ValueError where an array points beyond what there is: kernels do not look."""
    for size, names in WITHIN.items():
        for name in names:
            _check_range(name, getattr(model, name), -1, getattr(model, size))
    for name, size in COUNTED.items():
        number = getattr(model, name + "num")
        _check_range(name + "num", number, 0, getattr(model, size) + 1)
        _check_range(name + "adr", getattr(model, name + "adr") + number, -1, getattr(model, size) + 1)
    _check_range("jnt_type", model.jnt_type, 0, len(JointType))
    _check_range("geom_type", model.geom_type, 0, len(GeomType))
    wide = np.array([7, 4, 1, 1])[model.jnt_type], np.array([6, 3, 1, 1])[model.jnt_type]
    _check_range("jnt_qposadr", model.jnt_qposadr + wide[0], 1, model.nq + 1)
    _check_range("jnt_dofadr", model.jnt_dofadr + wide[1], 1, model.nv + 1)
    if not np.array_equal(np.sort(model.body_mocapid[model.body_mocapid >= 0]), np.arange(model.nmocap)):
        raise ValueError("body_mocapid does not number the mocap bodies")
    for first, number, vertices in zip(model.mesh_faceadr, model.mesh_facenum, model.mesh_vertnum, strict=True):
        _check_range("mesh_face", model.mesh_face[first : first + number], 0, vertices)
    for word, kind in (("nmesh", GeomType.MESH), ("nhfield", GeomType.HFIELD)):
        _check_range("geom_dataid", model.geom_dataid[model.geom_type == kind], 0, getattr(model, word))
    _check_range("hfield_nrow", model.hfield_nrow, 2, model.nhfielddata + 1)
    _check_range("hfield_ncol", model.hfield_ncol, 2, model.nhfielddata + 1)
    ends = model.hfield_adr.astype(np.int64) + model.hfield_nrow.astype(np.int64) * model.hfield_ncol
    _check_range("hfield_adr", ends, 4, model.nhfielddata + 1)
    pixels = model.mat_texsize.astype(np.int64)
    _check_range("mat_texsize", pixels, 0, model.ntexel + 1)
    _check_range("mat_texeladr", model.mat_texeladr, 0, model.ntexel + 1)
    _check_range("mat_texeladr", model.mat_texeladr + pixels.prod(axis=1), 0, model.ntexel + 1)
    last = np.where(model.mesh_cornertexadr < 0, 0, model.mesh_cornertexadr.astype(np.int64) + model.mesh_facenum)
    _check_range("mesh_cornertexadr", last, 0, model.ncornertex + 1)
    _check_range("wrap_type", model.wrap_type, WrapType.JOINT, len(WrapType) + 1)
    sizes = np.array([0, model.njnt, 0, model.nsite, model.ngeom, model.ngeom])[model.wrap_type]
    _check_range("wrap_objid", model.wrap_objid, np.where(model.wrap_type == WrapType.PULLEY, -1, 0), sizes)
    wraps = model.wrap_type >= WrapType.SPHERE
    _check_range("wrap_prm", model.wrap_prm[wraps], -1, model.nsite)
    _check_range("body_parentid", model.body_parentid, 0, np.maximum(np.arange(model.nbody), 1))


def _check_range(name: str, numbers: Array, low: Any, high: Any) -> None:
    if np.any((numbers < low) | (numbers >= high)):
        raise ValueError(f"{name} has numbers beyond what the model holds")
