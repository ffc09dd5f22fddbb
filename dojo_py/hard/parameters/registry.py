"""The named parameters of a simulator: which there are, how to select some by object, their values and directions.

A name is a kind ("mass") or a kind and an object ("mass:trunk"): a body, joint, geom, tendon, site, equality or actuator;
"friction:floor" is every pair with that geom, "contact_point:box" all eight corners, "contact_point:box.3" one.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dojo_py.actuation.transmission import TENDON
from dojo_py.hard.parameters import (
    actuators,
    bodies,
    contacts,
    flat,
    joints,
    orientations,
    places,
    planes,
    poses,
    ranges,
    sizes,
    tendons,
)
from dojo_py.hard.parameters.flat import Directions, copy_of, flatten
from dojo_py.hard.parameters.kind import Kind
from dojo_py.hard.world import World
from dojo_py.simulate.values import real_array, text_of

Array = np.ndarray
ROOMS = (bodies, contacts, sizes, joints, actuators, tendons, ranges, poses, places, orientations, planes)
KINDS: dict[str, Kind] = {k.name: k for room in ROOMS for k in room.KINDS}
TIMESTEP = "timestep"
PARAMETER_NAMES = (*KINDS, TIMESTEP)
"""Every kind of parameter."""
STEP = 1e-2
"""Step of the central differences of `write` that give the directions, in units of the scale. Most kinds write linearly: then it is
exact to 1e-14. Those that do not (`Kind.curved`) are extrapolated from STEP, STEP/2 and STEP/4, to 1e-13. Inexact directions
make wrong derivatives: if the anchors of a joint in parent and child move apart by 1e-10, that is a velocity of 1e-10/h."""


@dataclass(frozen=True, eq=False)
class Parameter:
    """Some parameters of one kind and their present values."""

    name: str
    """As asked for."""
    unit: str
    labels: tuple[str, ...]
    """(n,) what each belongs to."""
    value: Array
    """(n,), or (n, width) for vectors."""

    @property
    def size(self) -> int:
        """How many numbers."""
        return int(self.value.size)


def _mistake(what: str, given: str, known: Any) -> ValueError:
    near = difflib.get_close_matches(given, list(known), 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return ValueError(f"{what} '{given}' is not one of {sorted(set(known))}{hint}")


def split(name: str) -> tuple[str, str]:
    """(kind, object or '') of a name, or ValueError."""
    kind, colon, wanted = text_of("name", name).partition(":")
    if kind not in PARAMETER_NAMES:
        raise _mistake("parameter", kind, PARAMETER_NAMES)
    if colon and not wanted:
        raise ValueError(f"parameter {name!r} names nothing behind the colon; '{kind}' stands for all of them")
    return kind, wanted


def _words(label: str) -> set[str]:
    """Words that select a label: itself, either geom of 'a/b', and the label without final numbers: 'servo', 'servo.2' of
    'servo.2.1'.
    """
    words, (whole, _, last) = {label, *label.split("/")}, label.rpartition(".")
    while last.isdigit() and whole:
        words.add(whole)
        whole, _, last = whole.rpartition(".")
    return words


def chosen_rows(name: str, labels: list[str], wanted: str) -> list[int]:
    """Indices of the labels that `wanted` selects: '' selects all, a complete label only itself."""
    if not wanted:
        return list(range(len(labels)))
    if wanted in labels:
        return [i for i, label in enumerate(labels) if label == wanted]
    found = [i for i, label in enumerate(labels) if wanted in _words(label)]
    if not found:
        raise _mistake(f"{name.partition(':')[0]} of", wanted, labels)
    return found


def parameter(world: World, model: Any, timestep: float, name: str) -> Parameter:
    """The parameters of a name, or ValueError."""
    word, wanted = split(name)
    name = str(name)
    if word == TIMESTEP:
        return Parameter(name, "s", ("world",), np.array([timestep]))
    windy = ("joint_axis", "body_quat") if np.any(world.layout.medium[2:]) else ()
    if len(world.layout.medium_pos) and word in ("com", *windy):
        raise ValueError(f"parameter '{name}' is not available in a medium: com nowhere, joint_axis and body_quat not in the wind")
    kind = KINDS[word]
    labels = kind.labels(world, model)
    rows = chosen_rows(name, labels, wanted)
    return Parameter(name, kind.unit, tuple(labels[i] for i in rows), kind.read(world, model)[rows])


def changed_world(world: World, model: Any, timestep: float, values: dict[str, Any]) -> tuple[World, float]:
    """A World and time step with other values, or ValueError; the given world stays."""
    world = copy_of(world)
    if not isinstance(values, Mapping):
        raise TypeError(f"values is a {type(values).__name__}, expected a dict: name of a parameter -> its values")
    for name, value in values.items():
        if not isinstance(name, str):
            raise TypeError(f"values: {name!r} is not the name of a parameter, but a {type(name).__name__}")
        old = parameter(world, model, timestep, name)
        if not old.size:
            raise ValueError(f"the model has no {name}")
        new = real_array(f"values[{name!r}]", value)
        if new.size == old.size or new.ndim == 0:
            new = np.broadcast_to(new if new.ndim == 0 else new.reshape(old.value.shape), old.value.shape)
        else:
            raise ValueError(f"{name} has shape {new.shape}, expected {old.value.shape}")
        if not np.all(np.isfinite(new)):
            raise ValueError(f"{name} has entries that are not finite")
        word, wanted = split(name)
        if word == TIMESTEP:
            timestep = float(new[0])
            if not timestep > 0:
                raise ValueError(f"timestep={timestep!r} must be positive [s]")
            continue
        kind = KINDS[word]
        wrong = kind.check(new)
        if wrong:
            raise ValueError(f"{name}={np.array2string(new, threshold=12)} {wrong} [{kind.unit}]")
        everything = kind.read(world, model)
        everything[chosen_rows(name, kind.labels(world, model), wanted)] = new
        kind.write(world, model, everything)
    for word in {split(name)[0] for name in values} - {TIMESTEP}:
        wrong = KINDS[word].together(world, model)
        if wrong:
            raise ValueError(f"{word}: {wrong}")
    return world, timestep


def values_that_are_there(there: Parameter, labels: list[str], value: Any) -> dict[str, Array]:
    """Values by name of those parameters that exist among the labels of another world; there: the parameters that `value` was
    given for.
    """
    word, _ = split(there.name)
    full = np.broadcast_to(value if np.ndim(value) == 0 else np.reshape(value, there.value.shape), there.value.shape)
    return {f"{word}:{label}": one for label, one in zip(there.labels, full, strict=True) if label in labels}


def _direction(world: World, model: Any, kind: Kind, base: Array, entry: tuple[int, ...], step: float) -> tuple[Array, Array]:
    """(places, change of each) of the vector of numbers by one entry of a kind's values: central differences of its `write`."""

    def written(amount: float) -> Array:
        moved, values = copy_of(world), base.copy()
        values[entry] += amount
        kind.write(moved, model, values)
        return flatten(moved)

    above, below = written(step), written(-step)
    where = np.flatnonzero(above != below)  # (ranges may be infinite)
    change = (above[where] - below[where]) / (2 * step)
    if kind.curved:
        half, quarter = ((written(step / k)[where] - written(-step / k)[where]) * k / (2 * step) for k in (2, 4))
        first, second = (4 * half - change) / 3, (4 * quarter - half) / 3
        change = (16 * second - first) / 15
    return where, change


def _refuse_tendons(world: World, name: str, word: str) -> None:
    """ValueError for derivatives through tendons that are not available."""
    table = world.actuators
    bounded = np.isfinite(table.dof_range[table.dof]).any(axis=1) & (table.transmission == TENDON)
    if word == "gear" and np.any(bounded):
        raise ValueError(
            f"parameters: no derivative by '{name}' where actuatorfrcrange bounds the sum of several actuators on a tendon: their "
            "gears must stay equal; bound each actuator's forcerange instead"
        )


def directions(world: World, model: Any, timestep: float, names: tuple[str, ...]) -> Directions:
    """Directions of all numbers of the names, one after another."""
    starts, entries, values, data = [0], [], [], []
    for name in names:
        word, wanted = split(name)
        _refuse_tendons(world, name, word)
        if word == TIMESTEP:
            starts.append(starts[-1])
            data.append((flat.TIMESTEP, 0, 0, 1e-4 * timestep, timestep))
            continue
        kind = KINDS[word]
        base = kind.read(world, model)
        size = np.ones(len(base)) if kind.scale is None else kind.scale(world, model)
        targets = kind.targets(world, model)
        for row in chosen_rows(name, kind.labels(world, model), wanted):
            for axis, place in enumerate(np.ndindex(base.shape[1:])):
                where, change = _direction(world, model, kind, base, (row, *place), STEP * size[row])
                entries.append(where)
                values.append(change)
                starts.append(starts[-1] + len(where))
                data.append((kind.route, targets[row] if targets else 0, axis, min(kind.step * size[row], kind.longest), size[row]))
    everywhere = np.concatenate([np.zeros(0, np.int64), *entries])
    acting = np.array([d[:3] for d in data], np.int64).reshape(-1, 3)
    sizes = np.array([d[3:] for d in data], float).reshape(-1, 2)
    column, row_of, part = flat.places(world)
    return Directions(
        np.array(starts, np.int64), everywhere, np.concatenate([np.zeros(0), *values]), column[everywhere], row_of[everywhere],
        part[everywhere], acting[:, 0].copy(), acting[:, 1].copy(), acting[:, 2].copy(), sizes[:, 0].copy(), sizes[:, 1].copy(),
    )  # fmt: skip
