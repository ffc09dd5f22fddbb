"""Rows of a model by name: `model.body("torso").mass` is the torso's entry of `model.body_mass`.

A view has every array of its kind without the prefix: `body_mass` is `.mass`, `jnt_range` is `.range`, `eq_data` is `.data`.
A joint also has its degrees of freedom (`.damping` is `dof_damping` at its rows) and its entries of `qpos0` and `qpos_spring`;
where both arrays exist, the plain name is the joint's and `dof_solref` the other one. Values are read-only; `model.replace`
changes them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from .errors import ModelError, listing, nearest

KINDS = {
    "body": ("body_names", "body_", "nbody"),
    "joint": ("joint_names", "jnt_", "njnt"),
    "geom": ("geom_names", "geom_", "ngeom"),
    "site": ("site_names", "site_", "nsite"),
    "mesh": ("mesh_names", "mesh_", "nmesh"),
    "hfield": ("hfield_names", "hfield_", "nhfield"),
    "material": ("material_names", "mat_", "nmat"),
    "actuator": ("actuator_names", "actuator_", "nactuator"),
    "equality": ("equality_names", "eq_", "neq"),
    "tendon": ("tendon_names", "tendon_", "ntendon"),
    "sensor": ("sensor_names", "sensor_", "nsensor"),
    "keyframe": ("key_names", "key_", "nkey"),
}
"""Kind -> the model's field of names, the prefix of its arrays, how many rows they have."""
CONTROLS = ("ctrllimited", "ctrlrange")
OUTPUTS = ("gear", "acc0", "length0", "lengthrange")
"""Of actuators: one row a control; one row a force."""
WIDTH = ((7, 6), (4, 3), (1, 1), (1, 1))
"""Entries of qpos and of qvel by type of joint."""


class View:
    """One element of a model; `dir(view)` lists what it has."""

    __slots__ = ("_model", "id", "kind", "name")
    id: int
    """Row in the model's arrays."""
    kind: str
    name: str

    def __init__(self, model: Any, kind: str, index: int):
        for field, value in (("_model", model), ("kind", kind), ("id", index)):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "name", getattr(model, KINDS[kind][0])[index])

    def __getattr__(self, attribute: str) -> Any:
        found = None if attribute.startswith("__") else self._find(attribute)
        if found is None:
            guess = nearest(attribute, dir(self))
            raise AttributeError(f"a view of a {self.kind} has no '{attribute}'{listing(dir(self)) if not guess else guess}")
        return found

    def __setattr__(self, attribute: str, value: Any) -> None:
        raise AttributeError(f"{self!r} is read-only; model.replace makes a model with other values")

    def __dir__(self) -> Iterable[str]:
        own = list(_arrays(type(self._model), *KINDS[self.kind][1:]))
        if self.kind == "joint":
            dofs = _arrays(type(self._model), "dof_", "nv")
            own += [f"dof_{name}" if name in own else name for name in dofs] + ["qpos0", "qpos_spring"]
        if self.kind == "actuator":
            own += [*CONTROLS, *OUTPUTS]
        return sorted({*own, "id", "kind", "name"})

    def __repr__(self) -> str:
        return f"<{self.kind} '{self.name}', number {self.id} of model '{self._model.name}'>"

    def _find(self, attribute: str) -> Any:
        model, (_, prefix, size) = self._model, KINDS[self.kind]
        if attribute in _arrays(type(model), prefix, size):
            row = getattr(model, prefix + attribute)[self.id]
            return row.item() if row.ndim == 0 else row
        if self.kind == "actuator" and attribute in CONTROLS:
            first = int(model.actuator_ctrladr[self.id])
            rows = getattr(model, prefix + attribute)[first : first + int(model.actuator_ctrlnum[self.id])]
            return _few(rows)
        if self.kind == "actuator" and attribute in OUTPUTS:
            first, count = int(model.actuator_outadr[self.id]), int(model.actuator_outnum[self.id])
            rows = getattr(model, prefix + attribute)[first : first + count]
            return rows if count > 1 else rows[0].item() if rows.ndim == 1 else rows[0]
        if self.kind != "joint":
            return None
        qpos, qvel = self.rows
        if attribute in ("qpos0", "qpos_spring"):
            return _few(getattr(model, attribute)[qpos])
        name = attribute.removeprefix("dof_")
        return _few(getattr(model, "dof_" + name)[qvel]) if name in _arrays(type(model), "dof_", "nv") else None

    @property
    def rows(self) -> tuple[slice, slice]:
        """Joints only: entries of qpos and of qvel."""
        if self.kind != "joint":
            raise AttributeError("rows")  # __getattr__ says the rest
        return _rows(self._model, self.id)


def _arrays(model: type, prefix: str, size: str) -> tuple[str, ...]:
    """Arrays of a prefix with one row an element, without the prefix."""
    fields = [item for item in dataclasses.fields(model) if item.metadata.get("shape", ("",))[0] == size]
    return tuple(item.name.removeprefix(prefix) for item in fields if item.name.startswith(prefix))


def view(model: Any, kind: str, key: str | int) -> View:
    """The element of a kind by its name or number. Raises `ModelError` with the nearest name."""
    names = getattr(model, KINDS[kind][0])
    if isinstance(key, str):
        return View(model, kind, index_of(kind, names, key))
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, np.integer)):
        raise TypeError(f"{key!r} is a {type(key).__name__}, expected the name or number of a {kind}")
    if not -len(names) <= key < len(names):
        raise ModelError(f"{kind} {key} does not exist: the model has {numbered(len(names))}")
    return View(model, kind, int(key) % len(names))


def coordinates_of(model: Any, key: str | int) -> tuple[slice, slice]:
    """Entries of qpos and of qvel of a joint by its name or number; model: ours or a mujoco.MjModel."""
    return _rows(model, int((view(model, "joint", key) if hasattr(model, "joint_names") else model.joint(key)).id))


def _rows(model: Any, joint: int) -> tuple[slice, slice]:
    nq, nv = WIDTH[int(model.jnt_type[joint])]
    first, second = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    return slice(first, first + nq), slice(second, second + nv)


def index_of(kind: str, names: tuple[str, ...], name: str) -> int:
    """Row of the element with this name."""
    if not isinstance(name, str):
        raise TypeError(f"name={name!r} is a {type(name).__name__}, expected the name of a {kind}")
    if name and name in names:
        return names.index(name)
    raise ModelError(f"no {kind} is named '{name}'{alternatives(name, names)}")


def alternatives(name: str, names: Collection[str]) -> str:
    """What a message says after a name that does not exist: the others and the nearest, or that there are none."""
    return f"{listing(names)}{nearest(name, names)}" if any(names) else "; the model has none with a name"


def numbered(count: int, what: str = "") -> str:
    """How many there are, and their numbers: "3 keyframes, 0 … 2"."""
    return f"{count} {what}".rstrip() + (f", 0 … {count - 1}" if count else "")


def _few(values: np.ndarray) -> Any:
    """One number as a number, several as they are."""
    return values[0].item() if values.shape == (1,) else values[0] if len(values) == 1 else values
