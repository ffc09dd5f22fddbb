"""A model as numbers and texts, for files that hold it beside a trajectory; and back. Places in the model's file are not kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from .archive_check import check_indices
from .errors import ModelError
from .model import Model
from .option import Option, Statistic

Array = np.ndarray

GROUPS = {"opt": Option, "stat": Statistic}
"""Fields of the model that are records themselves."""
LEFT = ("source",)


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
        check_indices(model)
        return model
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
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
