"""Ranges: of joints and of tendons' lengths, of controls and forces. Every end that is bounded is one number.

Labels are numbered as in MuJoCo's arrays: 'elbow.0' is the lower end, 'elbow.1' the upper; a ball has 'shoulder.1', its largest
angle. A range has an effect while the bounded quantity is near its end (limits, on the central path) or beyond it (controls,
forces); exactly at the end derivatives are the mean of both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dojo_py.actuation.transmission import ADHESION, ORIENTATION
from dojo_py.hard.elements.lift import driven
from dojo_py.hard.parameters.flat import ACTUATOR, NUMBERS
from dojo_py.hard.parameters.kind import Kind
from dojo_py.hard.parameters.tendons import tendon_coordinates
from dojo_py.hard.world import World

Array = np.ndarray


class End(NamedTuple):
    """One end of a range."""

    label: str
    place: tuple[int, ...]
    """Index in the table that holds it."""
    size: float
    """Width of the range."""


Ends = Callable[[World, Any], list[End]]


# of coordinates: rows of the layout's limits


def _limits(world: World, model: Any, names: dict[int, str]) -> list[End]:
    """Limits of the coordinates in `names`."""
    layout = world.layout
    ends = []
    for row, (dof, sign) in enumerate(zip(layout.limit_dof.tolist(), layout.limit_sign.tolist(), strict=True)):
        if dof in names:
            bounds = layout.limit_bound[layout.limit_dof == dof]
            ends.append(End(f"{names[dof]}.{0 if sign > 0 else 1}", (row,), float(np.ptp(bounds) or bounds[0])))
    return ends


def _joint_names(model: Any) -> dict[int, str]:
    """Names of joints by their first degree of freedom."""
    return {int(model.jnt_dofadr[j]): model.joint_names[j] or f"#{j}" for j in range(model.njnt)}


def _of_joints(world: World, model: Any) -> list[End]:
    return _limits(world, model, _joint_names(model))


def _of_tendons(world: World, model: Any) -> list[End]:
    return _limits(world, model, {c.first: c.name for c in tendon_coordinates(world, model)})


# of actuators: rows of two numbers, infinite where there is no bound


def _two_ends(table: Array, names: dict[int, str]) -> list[End]:
    """The finite ends of the rows (n, 2) in `names`."""
    ends = []
    for row, name in names.items():
        low, high = table[row]
        width = float(high - low)
        size = width if 0 < width < np.inf else max(1.0, float(np.abs(table[row][np.isfinite(table[row])]).max(initial=0.0)))
        ends += [End(f"{name}.{k}", (row, k), size) for k in range(2) if np.isfinite(table[row, k])]
    return ends


def _actuator_names(world: World, model: Any) -> dict[int, str]:
    """Names of the actuators that are not disabled."""
    return {int(i): model.actuator_names[i] or f"#{i}" for i in np.flatnonzero(world.actuators.enabled)}


def _of_controls(world: World, model: Any) -> list[End]:
    names: dict[int, str] = {}
    for i, name in _actuator_names(world, model).items():
        first, count = int(model.actuator_ctrladr[i]), int(model.actuator_ctrlnum[i])
        names |= {first + k: name if count == 1 else f"{name}.{k}" for k in range(count)}
    return _two_ends(world.actuators.control_range, names)


def _of_forces(world: World, model: Any) -> list[End]:
    """Force ranges, but not of adhesion, which acts in the hard limit only; the torque of an orientation's servo has an upper bound
    only.
    """
    table, kinds = world.actuators, world.actuators.transmission
    names = {i: name for i, name in _actuator_names(world, model).items() if kinds[i] != ADHESION}
    return [end for end in _two_ends(table.force_range, names) if end.place[1] == 1 or kinds[end.place[0]] != ORIENTATION]


def _of_joint_forces(world: World, model: Any) -> list[End]:
    return _two_ends(world.actuators.dof_range, _joint_names(model) if driven(model) else {})


def _what_is_wrong(ends: list[End], table: Array, positive: bool) -> str | None:
    """A message if an upper end is below the lower one or, with `positive`, equal to it; a limit with one end is a ball's. Else
    None.
    """
    ranges: dict[str, dict[str, float]] = {}
    for end in ends:
        name, _, side = end.label.rpartition(".")
        ranges.setdefault(name, {})[side] = float(table[end.place])
    for name, sides in ranges.items():
        if len(sides) == 2 and (sides["0"] > sides["1"] or (positive and sides["0"] == sides["1"])):
            order = "be below" if positive else "not be above"
            return f"the lower end of {name!r}, {sides['0']:g}, must {order} the upper one, {sides['1']:g}"
        if positive and len(sides) == 1 and not sides["1"] > 0:
            return f"the largest angle of the ball {name!r}, {sides['1']:g}, must be positive [rad]"
    return None


def _kind(name: str, unit: str, ends: Ends, table: Callable[[World], Array], positive: bool, route: int) -> Kind:
    """The kind of the ends of ranges in a table. positive: each range must have a width."""

    def read(world: World, model: Any) -> Array:
        return np.array([table(world)[end.place] for end in ends(world, model)])

    def write(world: World, model: Any, values: Array) -> None:
        for end, value in zip(ends(world, model), values, strict=True):
            table(world)[end.place] = value

    def together(world: World, model: Any) -> str | None:
        return _what_is_wrong(ends(world, model), table(world), positive)

    def scale(world: World, model: Any) -> Array:
        return np.array([end.size for end in ends(world, model)])

    def labels(world: World, model: Any) -> list[str]:
        return [end.label for end in ends(world, model)]

    return Kind(name, unit, 0, labels, read, write, together=together, scale=scale, step=1e-5, route=route)


def _limit_kind(name: str, unit: str, ends: Ends) -> Kind:
    return _kind(name, unit, ends, lambda world: world.layout.limit_bound, True, NUMBERS)


def _actuator_kind(name: str, unit: str, ends: Ends, field: str) -> Kind:
    def table(world: World) -> Array:
        return getattr(world.actuators, field)

    return _kind(name, unit, ends, table, False, ACTUATOR)


KINDS = (
    _limit_kind("joint_range", "rad or m", _of_joints),
    _limit_kind("tendon_range", "m", _of_tendons),
    _actuator_kind("ctrlrange", "1", _of_controls, "control_range"),
    _actuator_kind("forcerange", "N or N m", _of_forces, "force_range"),
    _actuator_kind("actuatorfrcrange", "N or N m", _of_joint_forces, "dof_range"),
)
"""actuatorfrcrange: of joints. That of a tendon with one actuator is part of the actuator's forcerange."""
